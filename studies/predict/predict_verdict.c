/* predict_verdict.c - what predictions come to, in one to three sentences (predict.h). */
#include <math.h>
#include <string.h>

#include "studies/predict/predict.h"
#include "support/output/verdict.h"
#include "support/units.h"

/* ---- Held-out rows --------------------------------------------------------------------------- */

static void say_regret(const struct predict_result *result, struct out_verdict *verdict)
{
    const struct predict_summary *worst = NULL;
    struct predict_ratio ours = {0}, own = {0};
    int64_t in = 0, rows = 0;
    char words[3][OUT_WORDS];
    for (size_t i = 0; i < result->collectives; i++) {
        const struct predict_summary *here = &result->collective[i];
        if (here->regret.groups > 0) {
            ours.mean += log(here->regret.mean) * (double)here->regret.groups;
            ours.groups += here->regret.groups;
            worst = worst == NULL || here->regret.worst > worst->regret.worst ? here : worst;
        }
        if (here->own.groups > 0) {
            own.mean += log(here->own.mean) * (double)here->own.groups;
            own.groups += here->own.groups;
        }
        if (!isnan(here->coverage)) {
            rows += here->predicted;
            in += (int64_t)lround(here->coverage * (double)here->predicted);
        }
    }
    if (worst == NULL)
        return;
    out_verdict_say(
        verdict,
        "Compared with the fastest predicted algorithm, the predicted choice takes %s in "
        "the mean of %lld held-out point%s, and %s at worst (%s on %s).",
        out_longer(exp(ours.mean / (double)ours.groups), words[0]), (long long)ours.groups,
        sup_plural(ours.groups), out_longer(worst->regret.worst, words[1]), worst->collective,
        worst->system);
    if (own.groups > 0)
        out_verdict_say(verdict,
                        "The library's own choice, at %lld of them, takes %.3g times the fastest "
                        "predicted algorithm's time.",
                        (long long)own.groups, exp(own.mean / (double)own.groups));
    if (rows > 0)
        out_verdict_say(verdict, "%s of the measured times are in their intervals.",
                        out_percent((double)in / (double)rows, words[2]));
}

/* ---- Points ---------------------------------------------------------------------------------- */

static const struct predict_tested *at(const struct predict_result *result, int64_t number)
{
    return number < 0 ? NULL : &result->tested[number];
}

/* The algorithms over the sizes, if all points are of one collective and number of nodes. */
static bool say_sizes(const struct predict_result *result, struct out_verdict *verdict)
{
    char text[400] = "", bytes[32];
    const char *before = "";
    const struct rows_row *first = result->tested[0].row;
    for (size_t i = 0; i < result->groups; i++) {
        const struct predict_tested *choice = at(result, result->group[i].choice);
        const size_t length = strlen(text);
        if (choice == NULL || choice->row->collective != first->collective ||
            choice->row->system != first->system || choice->row->nodes != first->nodes)
            return false;
        if (strcmp(choice->row->name, before) != 0)
            snprintf(text + length, sizeof text - length, "%s%.60s from %s", i == 0 ? "" : ", ",
                     choice->row->name, sup_format_shown(choice->row->bytes, bytes, sizeof bytes));
        before = choice->row->name;
    }
    out_verdict_say(verdict, "For %s on %d nodes take %s.", first->collective, (int)first->nodes,
                    text);
    return true;
}

static void say_points(const struct predict_result *result, struct out_verdict *verdict)
{
    const struct predict_tested *most = NULL;
    const double same = 1.02;
    size_t compared = 0, better = 0, sure = 0;
    struct out_worst worst = {0};
    char bytes[32], words[OUT_WORDS], outlier[OUT_OUTLIER];
    const bool one = say_sizes(result, verdict);
    for (size_t i = 0; i < result->groups; i++) {
        const struct predict_tested *choice = at(result, result->group[i].choice);
        const struct predict_tested *own = at(result, result->group[i].own);
        if (choice == NULL || own == NULL || !own->predicted)
            continue;
        const double ratio = own->estimate.time_s / choice->estimate.time_s;
        compared++;
        better += ratio > same;
        sure += own->estimate.time_s > choice->estimate.high_s;
        if (out_worst_add(&worst, ratio))
            most = choice;
    }
    if (compared > 0 && better == 0)
        out_verdict_say(
            verdict,
            "The library's own choice is as fast, within 2 %%, at all %zu points at which "
            "it can be predicted.",
            compared);
    else if (compared > 0)
        out_verdict_say(
            verdict,
            "The library's own choice is slower at %zu of %zu points, most on %d nodes at "
            "%s, where %s%s%.60s is predicted and the library's takes %s%s; at %zu point%s that "
            "is beyond the interval.",
            better, compared, (int)most->row->nodes,
            sup_format_shown(most->row->bytes, bytes, sizeof bytes),
            one ? "" : most->row->collective, one ? "" : " by ", most->row->name,
            out_longer(worst.most, words), out_outlier(&worst, outlier), sure,
            sup_plural((int64_t)sure));
    if (result->beyond.nodes > 1 || result->beyond.bytes > 1)
        out_verdict_say(
            verdict,
            "The farthest point has %.4g times the nodes or ranks of the rows, and %.4g "
            "times the size: %s",
            result->beyond.nodes, result->beyond.bytes,
            result->beyond.rows > 0
                ? "its interval is as wide as fits to fewer nodes were wrong."
                : "nothing in the rows shows how far off that is, so measure a point there.");
}

void predict_say(const struct predict_request *request, const struct predict_result *result,
                 enum predict_what what, struct out_verdict *verdict)
{
    if (request->asked != NULL && result->count > 0 && what != PREDICT_PARAMETERS)
        say_points(result, verdict);
    else if (what == PREDICT_SUMMARY || what == PREDICT_CHOICES)
        say_regret(result, verdict);
}
