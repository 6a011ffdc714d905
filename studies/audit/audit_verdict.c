/* audit_verdict.c - an audit in three sentences: what is lost, what the rules mend, how sure. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "studies/audit/audit.h"

static size_t count_of(const struct audit *audit, enum audit_verdict verdict)
{
    size_t count = 0;
    for (size_t i = 0; i < audit->point_count; i++)
        count += audit->points[i].verdict == verdict;
    return count;
}

/* "leonardo OMPI 4.1.6", or whose choices these are together. */
static void name_sources(const struct audit *audit, char *text, size_t size)
{
    for (size_t i = 1; i < audit->setting_count; i++)
        if (audit->settings[i].source != audit->settings[0].source) {
            snprintf(text, size, "The libraries' own choices together lose");
            return;
        }
    snprintf(text, size, "The choice on %.120s loses", audit->settings[0].source);
}

/* The geometric mean of the ratios at the losses, with the rules or without. */
static double mean_at_losses(const struct audit *audit, bool mended)
{
    double sum = 0;
    for (size_t i = 0; i < audit->loss_count; i++) {
        const struct audit_point *point = audit->losses[i];
        sum += log(mended ? audit_ratio(audit_mended_choice(audit, point), point->best)
                          : point->ratio);
    }
    return exp(sum / (double)audit->loss_count);
}

static void say_losses(const struct audit *audit, size_t judged, struct out_verdict *verdict)
{
    const struct audit_point *worst = audit->losses[0];
    const struct audit_choice *taken = worst->known ? &worst->decision : worst->like;
    const struct out_worst ratios = {.most = worst->ratio,
                                     .next = audit->loss_count > 1 ? audit->losses[1]->ratio : 0};
    char who[160], mean[OUT_WORDS], most[OUT_WORDS], m[32], instead[160] = "", outlier[OUT_OUTLIER];
    name_sources(audit, who, sizeof who);
    if (taken != NULL && taken->name != NULL)
        snprintf(instead, sizeof instead, " and the library%s %.100s",
                 worst->known ? " takes" : "'s choice takes as long as", taken->name);
    out_verdict_say(verdict,
                    "%s at %zu of %zu points: %s on average, %s at %s, p = %" PRId32
                    ", m = %s%s, where %s is best%s.",
                    who, audit->loss_count, judged, out_longer(mean_at_losses(audit, false), mean),
                    out_longer(worst->ratio, most), audit->settings[worst->setting].collective,
                    worst->p, sup_format_shown(worst->m_bytes, m, sizeof m),
                    out_outlier(&ratios, outlier), worst->best->name, instead);
}

/* How much of the losses is mended: of the sum of the logarithms of the ratios. */
static void say_rules(const struct audit *audit, struct out_verdict *verdict)
{
    const double before = mean_at_losses(audit, false), after = mean_at_losses(audit, true);
    size_t mended = 0;
    char words[OUT_WORDS];
    for (size_t i = 0; i < audit->loss_count; i++) {
        const struct audit_point *point = audit->losses[i];
        mended +=
            audit_ratio(audit_mended_choice(audit, point), point->best) <= 1 + audit->threshold;
    }
    if (mended == audit->loss_count)
        out_verdict_say(verdict, "The rules mend all of them.");
    else if (mended == 0)
        out_verdict_say(verdict, "No rule mends any of them.");
    else
        out_verdict_say(verdict, "The rules mend %zu of them, which is %s of what is lost.", mended,
                        out_percent(fmin(1 - log(after) / log(before), 1), words));
}

void audit_verdict(const struct audit *audit, const char *times, struct out_verdict *verdict)
{
    const size_t ties = count_of(audit, AUDIT_TIE);
    const size_t judged =
        audit->point_count - count_of(audit, AUDIT_ALONE) - count_of(audit, AUDIT_NO_TIME);
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
