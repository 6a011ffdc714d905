/* summaries.c - groups of algorithms at one point, the regret of each choice among them, and errors
 * (predict.h). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "studies/predict/predict.h"
#include "support/memory.h"

/* ---- Order ----------------------------------------------------------------------------------- */

static int by_number(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int by_text(const char *a, const char *b)
{
    return a == b ? 0 : strcmp(a, b);
}

/* 0: the rows were measured at one point. */
static int by_point(const struct rows_row *a, const struct rows_row *b)
{
    int order = by_text(a->system, b->system);
    order = order != 0 ? order : by_text(a->collective, b->collective);
    order = order != 0 ? order : by_number(a->nodes, b->nodes);
    order = order != 0 ? order : by_number(a->ranks_per_node, b->ranks_per_node);
    order = order != 0 ? order : by_number(a->p, b->p);
    order = order != 0 ? order : by_text(a->test, b->test);
    return order != 0 ? order : by_number(a->bytes, b->bytes);
}

bool predict_same_point(const struct rows_row *a, const struct rows_row *b)
{
    return by_point(a, b) == 0;
}

int predict_by_row(const struct rows_row *a, const struct rows_row *b)
{
    int order = by_point(a, b);
    order = order != 0 ? order : by_text(a->name, b->name);
    order = order != 0 ? order : by_number(a->file, b->file);
    return order != 0 ? order : by_number(a->line, b->line);
}

SUP_COMPARE(by_tested, struct predict_tested, predict_by_row(a->row, b->row));

SUP_COMPARE(by_row_pointer, struct rows_row *, predict_by_row(*a, *b));

/* ---- The best single algorithm --------------------------------------------------------------- */

/* An algorithm's ratios to the least measured time, over the groups in which it was measured. */
struct score {
    const char *name;
    double logs;
    int64_t groups;
};

struct scores {
    struct score *score; /* owned */
    size_t count;
    int64_t groups; /* of all algorithms */
};

static void add_ratio(struct scores *scores, const char *name, double ratio)
{
    size_t i = 0;
    while (i < scores->count && strcmp(scores->score[i].name, name) != 0)
        i++;
    if (i == scores->count) {
        sup_grow(&scores->score, scores->count, sizeof *scores->score);
        scores->score[scores->count++] = (struct score){.name = name};
    }
    scores->score[i].logs += log(ratio);
    scores->score[i].groups++;
}

/* The algorithm with the least mean among those that were measured nearly wherever any was. */
static const char *best_of(const struct scores *scores)
{
    const struct score *best = NULL;
    int64_t most = 0;
    for (size_t i = 0; i < scores->count; i++)
        most = scores->score[i].groups > most ? scores->score[i].groups : most;
    for (size_t i = 0; i < scores->count; i++) {
        const struct score *here = &scores->score[i];
        if ((double)here->groups >= 0.9 * (double)most &&
            (best == NULL || here->logs / (double)here->groups < best->logs / (double)best->groups))
            best = here;
    }
    return best == NULL ? NULL : best->name;
}

/* The best single algorithm of a collective on the rows that a fold fits: `row` has all rows that
 * count, in order. NULL if the fold fits none of the collective. */
static const char *best_fitted(const struct predict_request *request,
                               const struct predict_fold *fold, const struct rows_row *const row[],
                               size_t count, const char *collective)
{
    struct scores scores = {0};
    for (size_t first = 0, end; first < count; first = end) {
        double least = INFINITY;
        int32_t fitted = 0;
        for (end = first; end < count && by_point(row[first], row[end]) == 0; end++)
            if (predict_is_fitted(request, fold, row[end])) {
                least = fmin(least, row[end]->median_s);
                fitted++;
            }
        if (fitted < 2 || strcmp(row[first]->collective, collective) != 0)
            continue;
        for (size_t i = first; i < end; i++)
            if (predict_is_fitted(request, fold, row[i]))
                add_ratio(&scores, row[i]->name, row[i]->median_s / least);
    }
    const char *name = best_of(&scores);
    free(scores.score);
    return name;
}

/* ---- Groups ---------------------------------------------------------------------------------- */

static double measured(const struct predict_result *result, int64_t number)
{
    return result->tested[number].row->median_s;
}

/* The library's own choice takes as long as what it chooses, which counts. */
static bool is_better(const struct predict_tested *tested, const struct predict_tested *choice)
{
    const double time_s = tested->estimate.time_s, least_s = choice->estimate.time_s;
    return time_s < least_s || (choice->row->own_choice && time_s == least_s);
}

static void fill_group(const struct predict_result *result, struct predict_group *group)
{
    for (size_t i = group->first; i < group->first + group->count; i++) {
        const struct predict_tested *tested = &result->tested[i];
        const int64_t here = (int64_t)i;
        const double time_s = tested->row->median_s;
        if (group->best_all < 0 || time_s < measured(result, group->best_all))
            group->best_all = here;
        if (tested->row->own_choice && group->own < 0)
            group->own = here;
        if (!tested->predicted)
            continue;
        group->predictable++;
        if (tested->nearest)
            group->nearest = here;
        if (tested->model)
            group->model = here;
        if (group->best < 0 || time_s < measured(result, group->best))
            group->best = here;
        if (group->choice < 0 || is_better(tested, &result->tested[group->choice]))
            group->choice = here;
    }
}

static void make_groups(struct predict_result *result)
{
    if (result->count == 0)
        return; /* there is no array: all rows were fitted */
    qsort(result->tested, result->count, sizeof *result->tested, by_tested);
    for (size_t first = 0, end; first < result->count; first = end) {
        for (end = first + 1; end < result->count &&
                              by_point(result->tested[first].row, result->tested[end].row) == 0;)
            end++;
        sup_grow(&result->group, result->groups, sizeof *result->group);
        struct predict_group *group = &result->group[result->groups++];
        *group = (struct predict_group){.first = first,
                                        .count = end - first,
                                        .choice = -1,
                                        .best = -1,
                                        .best_all = -1,
                                        .own = -1,
                                        .single = -1,
                                        .fitted_single = -1,
                                        .nearest = -1,
                                        .model = -1};
        fill_group(result, group);
        if (group->choice >= 0)
            result->tested[group->choice].choice = true;
    }
}

/* The group's predicted row of this name, -1: there is none. */
static int64_t row_called(const struct predict_result *result, const struct predict_group *group,
                          const char *name)
{
    for (size_t i = group->first; name != NULL && i < group->first + group->count; i++)
        if (result->tested[i].predicted && strcmp(result->tested[i].row->name, name) == 0)
            return (int64_t)i;
    return -1;
}

/* ---- Numbers over rows and groups ------------------------------------------------------------ */

static struct predict_errors errors_of(double error[], size_t count)
{
    struct predict_errors errors = {(int64_t)count, NAN, NAN, NAN};
    if (count == 0)
        return errors;
    sup_sort_reals(error, count);
    errors.bias = sup_quantile(error, count, 0.5);
    for (size_t i = 0; i < count; i++)
        error[i] = fabs(error[i]);
    sup_sort_reals(error, count);
    errors.median = sup_quantile(error, count, 0.5);
    errors.p90 = sup_quantile(error, count, 0.9);
    return errors;
}

/* Counts, errors and coverage of the tested rows first .. end - 1 with the summary's name. */
static void summarize_rows(const struct predict_result *result, size_t first, size_t end,
                           struct predict_summary *summary)
{
    double *error = sup_malloc((end - first) * sizeof *error);
    int64_t in = 0, with = 0;
    for (int length = 0; length < PREDICT_LENGTHS; length++) {
        size_t count = 0;
        for (size_t i = first; i < end; i++) {
            const struct predict_tested *tested = &result->tested[i];
            const struct rows_row *row = tested->row;
            if ((row->bytes >= PREDICT_LONG_FROM) != (length == PREDICT_LONG) ||
                (summary->name != NULL && strcmp(row->name, summary->name) != 0))
                continue;
            summary->rows++;
            summary->predicted += tested->predicted;
            if (!tested->predicted)
                continue;
            error[count++] = tested->estimate.time_s / row->median_s - 1;
            with += !isnan(tested->estimate.low_s);
            in +=
                row->median_s >= tested->estimate.low_s && row->median_s <= tested->estimate.high_s;
        }
        summary->errors[length] = errors_of(error, count);
    }
    summary->coverage = with == 0 ? NAN : (double)in / (double)with;
    free(error);
}

static void add_to(struct predict_ratio *ratio, const struct predict_result *result, int64_t row,
                   int64_t best)
{
    if (row < 0)
        return;
    const double here = measured(result, row) / measured(result, best);
    ratio->mean += log(here);
    ratio->worst = fmax(ratio->worst, here);
    ratio->groups++;
}

static void end_ratio(struct predict_ratio *ratio)
{
    ratio->mean = ratio->groups == 0 ? NAN : exp(ratio->mean / (double)ratio->groups);
    ratio->worst = ratio->groups == 0 ? NAN : ratio->worst;
}

/* The groups first .. end - 1 are those of the summary's collective. */
static void summarize_groups(const struct predict_result *result, size_t first, size_t end,
                             struct predict_summary *summary)
{
    for (size_t i = first; i < end; i++) {
        const struct predict_group *group = &result->group[i];
        if (group->predictable < 2)
            continue;
        summary->groups++;
        add_to(&summary->regret, result, group->choice, group->best);
        add_to(&summary->regret_all, result, group->choice, group->best_all);
        add_to(&summary->own, result, group->own, group->best);
        add_to(&summary->own_all, result, group->own, group->best_all);
        add_to(&summary->single, result, group->single, group->best);
        add_to(&summary->fitted_single, result, group->fitted_single, group->best);
        add_to(&summary->nearest, result, group->nearest, group->best);
        add_to(&summary->model, result, group->model, group->best);
        add_to(&summary->beside_own, result, group->own < 0 ? -1 : group->choice, group->best);
        add_to(&summary->beside_nearest, result, group->nearest < 0 ? -1 : group->choice,
               group->best);
        summary->by_nearest += result->tested[group->first].by_nearest;
    }
    end_ratio(&summary->regret);
    end_ratio(&summary->regret_all);
    end_ratio(&summary->own);
    end_ratio(&summary->own_all);
    end_ratio(&summary->single);
    end_ratio(&summary->fitted_single);
    end_ratio(&summary->nearest);
    end_ratio(&summary->model);
    end_ratio(&summary->beside_own);
    end_ratio(&summary->beside_nearest);
}

/* ---- Summaries ------------------------------------------------------------------------------- */

/* The best single algorithms of the groups first .. end - 1; returns the one in hindsight. */
static const char *choose_singles(const struct predict_request *request,
                                  struct predict_result *result, const struct rows_row *const row[],
                                  size_t count, size_t first, size_t end)
{
    struct scores scores = {0};
    for (size_t i = first; i < end; i++) {
        const struct predict_group *group = &result->group[i];
        for (size_t k = group->first; group->predictable >= 2 && k < group->first + group->count;
             k++)
            if (result->tested[k].predicted)
                add_ratio(&scores, result->tested[k].row->name,
                          measured(result, (int64_t)k) / measured(result, group->best));
    }
    const char *name = best_of(&scores);
    free(scores.score);
    for (int32_t fold = 0; fold < (int32_t)result->folds; fold++) {
        const char *fitted = NULL;
        bool asked = false;
        for (size_t i = first; i < end; i++) {
            struct predict_group *group = &result->group[i];
            const struct predict_tested *tested = &result->tested[group->first];
            group->single = row_called(result, group, name);
            if (tested->fold != fold)
                continue;
            if (!asked)
                fitted =
                    best_fitted(request, &result->fold[fold], row, count, tested->row->collective);
            asked = true;
            group->fitted_single = row_called(result, group, fitted);
        }
    }
    return name;
}

/* A summary for each name among the tested rows of a collective; returns their number in *names. */
static void summarize_names(struct predict_result *result, size_t first, size_t end,
                            struct predict_summary *collective)
{
    const size_t before = result->algorithms;
    for (size_t i = first; i < end; i++) {
        const struct rows_row *row = result->tested[i].row;
        bool known = false;
        for (size_t k = before; k < result->algorithms && !known; k++)
            known = strcmp(result->algorithm[k].name, row->name) == 0;
        if (known)
            continue;
        sup_grow(&result->algorithm, result->algorithms, sizeof *result->algorithm);
        struct predict_summary *summary = &result->algorithm[result->algorithms++];
        *summary = (struct predict_summary){
            .system = row->system, .collective = row->collective, .name = row->name};
        summarize_rows(result, first, end, summary);
        summary->algorithms = summary->predicted > 0;
        collective->algorithms += summary->algorithms;
    }
}

static void summarize_collective(const struct predict_request *request,
                                 struct predict_result *result, const struct rows_row *const row[],
                                 size_t count, size_t first, size_t end)
{
    const struct predict_group *last = &result->group[end - 1];
    const size_t first_row = result->group[first].first, end_row = last->first + last->count;
    sup_grow(&result->collective, result->collectives, sizeof *result->collective);
    struct predict_summary *summary = &result->collective[result->collectives++];
    *summary = (struct predict_summary){.system = result->tested[first_row].row->system,
                                        .collective = result->tested[first_row].row->collective};
    summary->single_name = choose_singles(request, result, row, count, first, end);
    summarize_rows(result, first_row, end_row, summary);
    summarize_names(result, first_row, end_row, summary);
    summarize_groups(result, first, end, summary);
}

static bool same_collective(const struct predict_result *result, size_t a, size_t b)
{
    const struct rows_row *left = result->tested[result->group[a].first].row;
    const struct rows_row *right = result->tested[result->group[b].first].row;
    return strcmp(left->system, right->system) == 0 &&
           strcmp(left->collective, right->collective) == 0;
}

void predict_summarize(const struct predict_request *request, struct predict_result *result)
{
    const struct rows_row **row = sup_calloc(request->set->count, sizeof *row);
    size_t count = 0;
    make_groups(result);
    if (request->asked != NULL) {
        free(row);
        return; /* nothing is measured */
    }
    for (size_t i = 0; i < request->set->count; i++)
        if (predict_counts(request, &request->set->row[i]))
            row[count++] = &request->set->row[i];
    qsort(row, count, sizeof *row, by_row_pointer);
    for (size_t first = 0, end; first < result->groups; first = end) {
        for (end = first + 1; end < result->groups && same_collective(result, first, end);)
            end++;
        summarize_collective(request, result, row, count, first, end);
    }
    free(row);
}
