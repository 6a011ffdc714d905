/* predict_verdict.c - what predictions come to, in sentences of which the first is the answer
 * (predict.h). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "studies/predict/predict.h"
#include "support/memory.h"
#include "support/output/verdict.h"
#include "support/units.h"

/* ---- Held-out rows --------------------------------------------------------------------------- */

/* The numbers of nodes of rows, "4 to 64". */
struct span {
    int32_t least, most;
};

static void add_to_span(struct span *span, int32_t nodes)
{
    span->least = span->least == 0 || nodes < span->least ? nodes : span->least;
    span->most = nodes > span->most ? nodes : span->most;
}

static const char *span_text(const struct span *span, char text[32])
{
    if (span->least == span->most)
        snprintf(text, 32, "%d", (int)span->most);
    else
        snprintf(text, 32, "%d to %d", (int)span->least, (int)span->most);
    return text;
}

/* "leonardo at 256 nodes, from its rows of 4 to 64", "here, each number of nodes from the others".
 */
static char *say_subject(const struct predict_request *request, const struct predict_result *result)
{
    const struct predict_fold *first = &result->fold[0], *last = &result->fold[result->folds - 1];
    struct span tested = {0}, fitted = {0};
    char here[32], there[32], machines[48] = "all machines";
    if (first->system == last->system)
        snprintf(machines, sizeof machines, "%.40s", first->system);
    if (!first->by_filters)
        return sup_format("%s, each %s predicted from the other rows", machines,
                          first->kind == PREDICT_NODES     ? "number of nodes"
                          : first->kind == PREDICT_LARGEST ? "of the largest numbers of ranks"
                          : first->kind == PREDICT_BYTES   ? "size"
                                                           : predict_hold_out_names[first->kind]);
    for (size_t i = 0; i < result->count; i++)
        add_to_span(&tested, result->tested[i].row->nodes);
    for (size_t i = 0; i < request->set->count; i++)
        for (size_t k = 0; k < result->folds; k++)
            if (predict_is_fitted(request, &result->fold[k], &request->set->row[i]))
                add_to_span(&fitted, request->set->row[i].nodes);
    return sup_format("%s at %s nodes, from rows of %s", machines, span_text(&tested, here),
                      span_text(&fitted, there));
}

/* Of the regrets at all points. */
static double median_regret(const struct predict_result *result)
{
    double *regret = sup_malloc((result->groups + 1) * sizeof *regret);
    size_t count = 0;
    for (size_t i = 0; i < result->groups; i++) {
        const struct predict_group *group = &result->group[i];
        if (group->predictable >= 2)
            regret[count++] = result->tested[group->choice].row->median_s /
                              result->tested[group->best].row->median_s;
    }
    sup_sort_reals(regret, count);
    const double median = sup_quantile(regret, count, 0.5);
    free(regret);
    return median;
}

static void add_ratio(struct predict_ratio *sum, const struct predict_ratio *here)
{
    if (here->groups == 0)
        return;
    sum->mean += log(here->mean) * (double)here->groups;
    sum->groups += here->groups;
    sum->worst = fmax(sum->worst, here->worst);
}

static double mean_of(const struct predict_ratio *sum)
{
    return exp(sum->mean / (double)sum->groups);
}

/* Where something simpler than the choices is better, at the same points. */
static bool nearest_is_better(const struct predict_summary *here)
{
    return here->nearest.groups > 0 &&
           here->beside_nearest.mean > PREDICT_BEYOND_CHANCE * here->nearest.mean &&
           !(here->own.groups > 0 && here->own.mean < here->nearest.mean);
}

static bool own_is_better(const struct predict_summary *here)
{
    return here->own.groups > 0 && !nearest_is_better(here) &&
           here->beside_own.mean > PREDICT_BEYOND_CHANCE * here->own.mean;
}

/* Names the collectives for which something holds. */
static void say_for(const struct predict_result *result,
                    bool (*holds)(const struct predict_summary *here), const char *advice,
                    struct out_verdict *verdict)
{
    const bool one = strcmp(result->collective[0].system,
                            result->collective[result->collectives - 1].system) == 0;
    char names[300] = "";
    for (size_t i = 0; i < result->collectives; i++) {
        const struct predict_summary *here = &result->collective[i];
        if (holds(here))
            sup_append(names, sizeof names, ", ", "%s%s%s", here->collective, one ? "" : " on ",
                       one ? "" : here->system);
    }
    if (names[0] != '\0')
        out_verdict_say(verdict, "For %s %s.", names, advice);
}

static void say_regret(const struct predict_request *request, const struct predict_result *result,
                       struct out_verdict *verdict)
{
    const struct predict_summary *worst = NULL;
    struct predict_ratio choice = {0}, own = {0};
    int64_t in = 0, rows = 0, by_nearest = 0;
    bool unfitted = false;
    char words[4][OUT_WORDS], others[96] = "";
    for (size_t i = 0; i < result->collectives; i++) {
        const struct predict_summary *here = &result->collective[i];
        add_ratio(&choice, &here->regret);
        add_ratio(&own, &here->own);
        by_nearest += here->by_nearest;
        unfitted = unfitted || (here->regret.groups > 0 && here->nearest.groups == 0);
        if (here->regret.groups > 0 && (worst == NULL || here->regret.worst > worst->regret.worst))
            worst = here;
        if (!isnan(here->coverage)) {
            rows += here->predicted;
            in += (int64_t)lround(here->coverage * (double)here->predicted);
        }
    }
    if (worst == NULL)
        return;
    char *subject = say_subject(request, result);
    out_verdict_say(verdict, "%s: the choices take %s times as long as the best", subject,
                    out_ratio(mean_of(&choice), words[0]));
    free(subject);
    if (own.groups > 0)
        snprintf(others, sizeof others,
                 "; the library's own choices take %s times as long in the mean",
                 out_ratio(mean_of(&own), words[1]));
    out_verdict_say(
        verdict,
        "In the median of %lld points they take %s times as long, at worst %s times (%s)%s.",
        (long long)choice.groups, out_ratio(median_regret(result), words[2]),
        out_ratio(worst->regret.worst, words[3]), worst->collective, others);
    if (by_nearest > 0)
        out_verdict_say(verdict,
                        "At %lld points what was best at the nearest measured p is taken, because "
                        "in other folds the model's choices were no better.",
                        (long long)by_nearest);
    say_for(result, nearest_is_better,
            "take what was best at the nearest measured p: the model is worse there", verdict);
    say_for(result, own_is_better, "take the library's own choice: the model is worse there",
            verdict);
    if (unfitted)
        out_verdict_say(verdict, "A dash stands where no row of the collective is fitted.");
    if (rows > 0)
        out_verdict_say(verdict, "%s of the measured times are in their intervals.",
                        out_percent((double)in / (double)rows, words[2]));
}

/* ---- Points ---------------------------------------------------------------------------------- */

static const struct predict_tested *at(const struct predict_result *result, int64_t number)
{
    return number < 0 ? NULL : &result->tested[number];
}

/* "bcast on 512 nodes of leonardo", as far as all points have it. */
static char *say_where(const struct predict_result *result)
{
    const struct rows_row *first = result->tested[0].row;
    const struct rows_row *last = result->tested[result->count - 1].row;
    struct span nodes = {0};
    char text[32];
    bool one = true;
    for (size_t i = 0; i < result->count; i++) {
        add_to_span(&nodes, result->tested[i].row->nodes);
        one = one && result->tested[i].row->collective == first->collective;
    }
    return sup_format("%s on %s nodes of %s, predicted", one ? first->collective : "Collectives",
                      span_text(&nodes, text),
                      first->system == last->system ? first->system : "all machines");
}

static void say_points(const struct predict_result *result, struct out_verdict *verdict)
{
    const struct predict_tested *most = NULL;
    const double same = 1.02;
    size_t compared = 0, better = 0, sure = 0;
    double worst = 0;
    char bytes[32], words[OUT_WORDS], *where = say_where(result);
    for (size_t i = 0; i < result->groups; i++) {
        const struct predict_tested *choice = at(result, result->group[i].choice);
        const struct predict_tested *own = at(result, result->group[i].own);
        if (choice == NULL || own == NULL || !own->predicted)
            continue;
        const double ratio = own->estimate.time_s / choice->estimate.time_s;
        compared++;
        better += ratio > same;
        sure += own->estimate.time_s > choice->estimate.high_s;
        most = ratio > worst ? choice : most;
        worst = fmax(worst, ratio);
    }
    if (compared == 0)
        out_verdict_say(verdict, "%s from rows of fewer or other nodes", where);
    else if (better == 0)
        out_verdict_say(verdict,
                        "%s: the library's own choice is the best at all %zu points, "
                        "within 2 %%",
                        where, compared);
    else
        out_verdict_say(verdict,
                        "%s: the library's own choice takes up to %s times as long as the "
                        "best (%s%s%s)",
                        where, out_ratio(worst, words),
                        strncmp(where, "Collectives", 11) == 0 ? most->row->collective : "",
                        strncmp(where, "Collectives", 11) == 0 ? ", " : "",
                        sup_format_shown(most->row->bytes, bytes, sizeof bytes));
    free(where);
    if (better > 0)
        out_verdict_say(verdict,
                        "It is slower at %zu of %zu points, and at %zu beyond the "
                        "interval.",
                        better, compared, sure);
}

/* How far points lie beyond the rows, and what that means for them. */
static void say_beyond(const struct predict_beyond *beyond, struct out_verdict *verdict)
{
    char *far = sup_format("Points have up to %.4g times the nodes or ranks of the rows%s",
                           beyond->nodes, beyond->bytes > 1 ? ", or sizes beyond theirs" : "");
    if ((beyond->nodes > 1 || beyond->bytes > 1) && beyond->rows > 0)
        out_verdict_say(verdict,
                        "%s: their intervals are as wide as %d fit%s to fewer nodes needed "
                        "for %lld rows of more.",
                        far, (int)beyond->fits, sup_plural(beyond->fits), (long long)beyond->rows);
    else if (beyond->nodes > 1 || beyond->bytes > 1)
        out_verdict_say(verdict, "%s, and no rows show how far off that is: measure one there.",
                        far);
    free(far);
    if (beyond->extended > 0)
        out_verdict_say(verdict,
                        "%lld times are extrapolated from fewer nodes, because their "
                        "plans are too long to follow.",
                        (long long)beyond->extended);
}

void predict_say(const struct predict_request *request, const struct predict_result *result,
                 enum predict_what what, struct out_verdict *verdict)
{
    if (request->asked != NULL && result->count > 0 && what != PREDICT_PARAMETERS) {
        say_points(result, verdict);
        say_beyond(&result->beyond, verdict);
    } else if (what == PREDICT_SUMMARY || what == PREDICT_CHOICES)
        say_regret(request, result, verdict);
}
