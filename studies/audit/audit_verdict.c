/* audit_verdict.c - an audit in sentences: what is lost, where, what rules mend, how sure. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "studies/audit/audit.h"
#include "support/memory.h"
#include "support/names.h"

/* The library in a place of measured rows, "OMPI 4.1.6"; NULL: none is known. */
static const char *library_in(const char *place)
{
    for (const char *blank = strchr(place, ' '); blank != NULL; blank = strchr(blank + 1, ' '))
        if (sup_library_named(blank + 1) != NULL)
            return blank + 1;
    return NULL;
}

/* "Open MPI's own choices on leonardo": of the rules of a file, or of natives, `rules` names them.
 */
static char *whose(const struct decide *audit, const char *rules)
{
    const char *place = audit->places[0].place, *library = library_in(place);
    for (size_t i = 1; i < audit->place_count; i++)
        if (audit->places[i].place != place)
            return rules == NULL ? sup_format("The libraries' own choices")
                                 : sup_format("The choices of %s", rules);
    if (rules != NULL)
        return sup_format("The choices of %s on %s", rules, place);
    return library == NULL ? sup_format("The library's own choices on %s", place)
                           : sup_format("%s's own choices on %.*s", sup_library_title(library),
                                        (int)(library - place - 1), place);
}

/* The geometric mean of the ratios at the losses, with the rules or without. */
static double mean_at_losses(const struct decide *audit, bool mended)
{
    double sum = 0;
    for (size_t i = 0; i < audit->loss_count; i++) {
        const struct decide_call *point = audit->losses[i];
        sum += log(mended ? decide_ratio(decide_mended(audit, point), point->choice) : point->gain);
    }
    return exp(sum / (double)audit->loss_count);
}

static void say_losses(const struct decide *audit, struct out_verdict *verdict)
{
    const struct decide_call *worst = audit->losses[0];
    const struct decide_way *taken = worst->own_known ? &worst->own : worst->like;
    const struct out_worst ratios = {.most = worst->gain,
                                     .next = audit->loss_count > 1 ? audit->losses[1]->gain : 0};
    char mean[OUT_WORDS], most[OUT_WORDS], m[32], like[160] = "", outlier[OUT_OUTLIER];
    if (taken != NULL && taken->name != NULL)
        snprintf(like, sizeof like, " and the library%s %.100s",
                 worst->own_known ? " takes" : "'s choice takes as long as", taken->name);
    out_verdict_say(verdict,
                    "They take %s there on average, and %s at %s, p = %" PRId32
                    ", m = %s%s, where %s is best%s.",
                    out_longer(mean_at_losses(audit, false), mean), out_longer(worst->gain, most),
                    audit->places[worst->place].collective, worst->p,
                    sup_format_shown(worst->m_bytes, m, sizeof m), out_outlier(&ratios, outlier),
                    worst->choice->name, like);
}

/* How much of the losses is mended: of the sum of the logarithms of the ratios. */
static void say_rules(const struct decide *audit, struct out_verdict *verdict)
{
    const double before = mean_at_losses(audit, false), after = mean_at_losses(audit, true);
    size_t mended = 0;
    char words[OUT_WORDS];
    for (size_t i = 0; i < audit->loss_count; i++) {
        const struct decide_call *point = audit->losses[i];
        mended += decide_ratio(decide_mended(audit, point), point->choice) <= 1 + audit->threshold;
    }
    if (mended == audit->loss_count)
        out_verdict_say(verdict, "The rules mend all of them.");
    else if (mended == 0)
        out_verdict_say(verdict, "No rule mends any of them.");
    else
        out_verdict_say(verdict, "The rules mend %zu of them, which is %s of what is lost.", mended,
                        out_percent(fmin(1 - log(after) / log(before), 1), words));
}

void audit_verdict(const struct decide *audit, const char *rules, const char *times,
                   struct out_verdict *verdict)
{
    const size_t ties = decide_count(audit, DECIDE_TIE);
    const size_t alone = decide_count(audit, DECIDE_ALONE),
                 none = decide_count(audit, DECIDE_NO_TIME);
    char tied[80] = "", unjudged[80] = "", *who = whose(audit, rules);
    if (ties > 0)
        snprintf(tied, sizeof tied, "; at %zu point%s spreads overlap, which is no loss", ties,
                 sup_plural((int64_t)ties));
    if (alone + none > 0)
        snprintf(unjudged, sizeof unjudged, "; %zu point%s %s nothing to compare", alone + none,
                 sup_plural((int64_t)(alone + none)), alone + none == 1 ? "has" : "have");
    if (audit->loss_count > 0)
        out_verdict_say(verdict, "%s lose more than %g %% at %zu of %zu points", who,
                        100 * audit->threshold, audit->loss_count,
                        audit->call_count - alone - none);
    else
        out_verdict_say(verdict, "%s lose nowhere more than %g %%, of %zu points", who,
                        100 * audit->threshold, audit->call_count - alone - none);
    free(who);
    if (audit->loss_count > 0) {
        say_losses(audit, verdict);
        say_rules(audit, verdict);
    }
    out_verdict_say(verdict, "All times are %s%s%s.", times, tied, unjudged);
}
