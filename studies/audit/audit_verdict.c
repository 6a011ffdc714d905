/* audit_verdict.c - an audit in three sentences: what is lost, what the rules mend, how sure. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "studies/audit/audit.h"

/* "leonardo OMPI 4.1.6", or whose choices these are together. */
static void name_sources(const struct decide *audit, char *text, size_t size)
{
    for (size_t i = 1; i < audit->place_count; i++)
        if (audit->places[i].place != audit->places[0].place) {
            snprintf(text, size, "The libraries' own choices together lose");
            return;
        }
    snprintf(text, size, "The choice on %.120s loses", audit->places[0].place);
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

static void say_losses(const struct decide *audit, size_t judged, struct out_verdict *verdict)
{
    const struct decide_call *worst = audit->losses[0];
    const struct decide_way *taken = worst->own_known ? &worst->own : worst->like;
    const struct out_worst ratios = {.most = worst->gain,
                                     .next = audit->loss_count > 1 ? audit->losses[1]->gain : 0};
    char who[160], mean[OUT_WORDS], most[OUT_WORDS], m[32], instead[160] = "", outlier[OUT_OUTLIER];
    name_sources(audit, who, sizeof who);
    if (taken != NULL && taken->name != NULL)
        snprintf(instead, sizeof instead, " and the library%s %.100s",
                 worst->own_known ? " takes" : "'s choice takes as long as", taken->name);
    out_verdict_say(verdict,
                    "%s at %zu of %zu points: %s on average, %s at %s, p = %" PRId32
                    ", m = %s%s, where %s is best%s.",
                    who, audit->loss_count, judged, out_longer(mean_at_losses(audit, false), mean),
                    out_longer(worst->gain, most), audit->places[worst->place].collective, worst->p,
                    sup_format_shown(worst->m_bytes, m, sizeof m), out_outlier(&ratios, outlier),
                    worst->choice->name, instead);
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

void audit_verdict(const struct decide *audit, const char *times, struct out_verdict *verdict)
{
    const size_t ties = decide_count(audit, DECIDE_TIE);
    const size_t judged =
        audit->call_count - decide_count(audit, DECIDE_ALONE) - decide_count(audit, DECIDE_NO_TIME);
    char tied[80] = "";
    if (ties > 0)
        snprintf(tied, sizeof tied, "; at %zu point%s spreads overlap, which is no loss", ties,
                 sup_plural((int64_t)ties));
    if (audit->loss_count > 0) {
        say_losses(audit, judged, verdict);
        say_rules(audit, verdict);
    } else {
        out_verdict_say(verdict, "No choice loses more than %g %% at the %zu point%s judged.",
                        100 * audit->threshold, judged, sup_plural((int64_t)judged));
    }
    out_verdict_say(verdict, "All times are %s%s.", times, tied);
}
