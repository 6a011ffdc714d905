/* nearest.c - what was measured at the nearest point, to which predictions lean (predict.h). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "studies/predict/predict.h"
#include "support/memory.h"

enum { LEAST_FOLDS = 2 }; /* by which choices are judged */

/* How far a row is from a point: first of all in size, then in ranks. */
static double distance(const struct rows_row *a, const struct rows_row *b)
{
    return 100 * fabs(log((double)(a->bytes + 1) / (double)(b->bytes + 1))) +
           fabs(log((double)a->p / b->p)) +
           2 * fabs(log((double)a->ranks_per_node / b->ranks_per_node));
}

/* True if a measured row ran what a row asks for, by the same name or, where that names our
 * algorithm, by the same plan. */
static bool is_same_way(const struct rows_row *asked, const struct rows_row *measured)
{
    if (strcmp(asked->name, measured->name) == 0 &&
        asked->segment_bytes == measured->segment_bytes && asked->n == measured->n)
        return true;
    return asked->algorithm != NULL && strcmp(asked->name, asked->algorithm) == 0 &&
           strcmp(asked->algorithm, measured->algorithm) == 0 && asked->radix == measured->radix &&
           rows_blocks(asked) == rows_blocks(measured);
}

/* The number of the point's row that a fitted row ran; -1: none. */
static int64_t find_way(const struct predict_tested tested[], size_t count,
                        const struct rows_row *fitted)
{
    for (size_t i = 0; i < count; i++)
        if (tested[i].predicted && is_same_way(tested[i].row, fitted))
            return (int64_t)i;
    return -1;
}

/* The times of a point's rows at the nearest fitted point that has any of them; NAN: not there.
 * Returns the row with the least; -1: there is no such point. */
static int64_t find_times(const struct rows_row *const fitted[], size_t count,
                          const struct predict_tested tested[], size_t rows, double near_s[])
{
    double least = INFINITY, *sum = sup_calloc(2 * rows, sizeof *sum), *number = sum + rows;
    int64_t best = -1;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(fitted[i]->collective, tested->row->collective) != 0 || fitted[i]->own_choice)
            continue;
        const double far = distance(fitted[i], tested->row);
        if (far > least + 1e-9)
            continue;
        const int64_t way = find_way(tested, rows, fitted[i]);
        if (way < 0)
            continue;
        if (far < least - 1e-9)
            memset(sum, 0, 2 * rows * sizeof *sum);
        least = fmin(least, far);
        sum[way] += log(fitted[i]->median_s);
        number[way]++;
    }
    for (size_t i = 0; i < rows; i++) {
        near_s[i] = number[i] > 0 ? exp(sum[i] / number[i]) : NAN;
        if (number[i] > 0 && (best < 0 || near_s[i] < near_s[best]))
            best = (int64_t)i;
    }
    free(sum);
    return best;
}

static void scale(struct predict_estimate *estimate, double factor)
{
    estimate->time_s *= factor;
    estimate->low_s *= factor;
    estimate->high_s *= factor;
}

/* Moves the predicted times towards those at the nearest point, which are first taken to the
 * predicted level by the median of the ratios. With a share of 1 what was not measured there does
 * not come first. */
static void lean(struct predict_tested tested[], size_t rows, const double near_s[], int64_t best,
                 double share)
{
    double *level = sup_malloc(rows * sizeof *level);
    size_t known = 0;
    for (size_t i = 0; i < rows; i++)
        if (!isnan(near_s[i]))
            level[known++] = tested[i].estimate.time_s / near_s[i];
    sup_sort_reals(level, known);
    const double usual = sup_quantile(level, known, 0.5), least_s = usual * near_s[best];
    for (size_t i = 0; i < rows; i++) {
        struct predict_estimate *estimate = &tested[i].estimate;
        if (!isnan(near_s[i]))
            scale(estimate, pow(usual * near_s[i] / estimate->time_s, share));
        else if (share >= 1 && tested[i].predicted && estimate->time_s <= least_s)
            scale(estimate, 1.01 * least_s / estimate->time_s);
    }
    free(level);
}

void predict_lean(const struct rows_row *const fitted[], size_t count,
                  struct predict_tested tested[], size_t rows, double share)
{
    double *near_s = sup_malloc((rows + 1) * sizeof *near_s);
    const int64_t best = rows == 0 ? -1 : find_times(fitted, count, tested, rows, near_s);
    /* An engine's times are a model of their own. */
    if (best >= 0 && tested[best].row->manner.engine == NULL)
        lean(tested, rows, near_s, best, share);
    if (best >= 0)
        tested[best].nearest = true;
    free(near_s);
}

/* ---- Judged by folds ------------------------------------------------------------------------- */

/* A fold's rows at one point. */
struct place {
    size_t first, rows;
    double lost; /* the logarithm of the choice's measured time over that of the nearest's best */
};

struct leaning {
    const struct predict_request *request;
    struct predict_result *result;
    struct place *place; /* owned */
    size_t places;
    const struct rows_row **fitted; /* of the present fold; owned */
    size_t count;
    int32_t fold;
    double share;
};

SUP_COMPARE(by_fold, struct predict_tested, SUP_ORDER(a->fold, b->fold),
            predict_by_row(a->row, b->row));

static void find_fitted(struct leaning *leaning, int32_t fold)
{
    const struct rows_set *set = leaning->request->set;
    if (fold == leaning->fold)
        return;
    leaning->fold = fold;
    leaning->count = 0;
    for (size_t i = 0; i < set->count; i++)
        if (predict_is_fitted(leaning->request, &leaning->result->fold[fold], &set->row[i]))
            leaning->fitted[leaning->count++] = &set->row[i];
}

/* Marks the choice, too. */
static double lost_at(struct predict_tested tested[], size_t rows)
{
    struct predict_tested *choice = NULL, *nearest = NULL;
    for (size_t i = 0; i < rows; i++) {
        if (tested[i].predicted &&
            (choice == NULL || tested[i].estimate.time_s < choice->estimate.time_s))
            choice = &tested[i];
        if (tested[i].nearest)
            nearest = &tested[i];
    }
    if (choice != NULL)
        choice->model = true;
    return choice == NULL || nearest == NULL ? NAN
                                             : log(choice->row->median_s / nearest->row->median_s);
}

static const struct predict_tested *first_of(const struct leaning *leaning, size_t place)
{
    return &leaning->result->tested[leaning->place[place].first];
}

/* True if the choices of one fold judge those of another: it is made for that, or it is held out
 * elsewhere and, where all that is fitted is smaller, comes before. */
static bool judges(const struct predict_result *result, int32_t judge, int32_t of)
{
    const struct predict_fold *a = &result->fold[judge], *b = &result->fold[of];
    if (a->system != b->system || judge == of || b->judges)
        return false;
    return a->judges || (!b->by_filters && (b->kind != PREDICT_LARGEST || a->number < b->number));
}

/* True if the choices in the folds that judge a place's are better in the mean than what was best
 * at the nearest points. All collectives of the machine count: those of one are too few to tell
 * gains from chance. So does each fold once, however many points it has: those share a fit, and
 * are no more independent for being many. */
static bool is_better(const struct leaning *leaning, size_t place)
{
    const int32_t of = first_of(leaning, place)->fold;
    int32_t folds = 0;
    double sum = 0;
    for (size_t i = 0; i < leaning->places;) { /* those of a fold follow one another */
        const int32_t fold = first_of(leaning, i)->fold;
        double lost = 0;
        int32_t points = 0;
        for (; i < leaning->places && first_of(leaning, i)->fold == fold; i++)
            if (!isnan(leaning->place[i].lost)) {
                lost += leaning->place[i].lost;
                points++;
            }
        if (points == 0 || !judges(leaning->result, fold, of))
            continue;
        sum += lost / points;
        folds++;
    }
    return folds >= LEAST_FOLDS && sum < 0;
}

/* Folds of a machine or an algorithm have no nearest point that is an alternative. */
static bool may_give_way(const struct leaning *leaning, size_t place)
{
    const struct predict_fold *fold = &leaning->result->fold[first_of(leaning, place)->fold];
    return !isnan(leaning->place[place].lost) && !fold->judges && fold->kind != PREDICT_SYSTEM &&
           (fold->by_filters || fold->kind != PREDICT_ALGORITHM);
}

static void add_place(struct leaning *leaning, size_t first, size_t rows)
{
    struct predict_tested *tested = &leaning->result->tested[first];
    sup_grow(&leaning->place, leaning->places, sizeof *leaning->place);
    find_fitted(leaning, tested->fold);
    /* Another machine's times at one point say less than the model of all. */
    const bool here = leaning->result->fold[tested->fold].kind != PREDICT_SYSTEM;
    predict_lean(leaning->fitted, leaning->count, tested, rows, here ? leaning->share : 0);
    leaning->place[leaning->places++] = (struct place){first, rows, lost_at(tested, rows)};
}

void predict_lean_all(const struct predict_request *request, struct predict_result *result,
                      double share)
{
    struct leaning leaning = {request, result,
                              .fitted = sup_calloc(request->set->count, sizeof *leaning.fitted),
                              .fold = -1, .share = share};
    struct predict_tested *tested = result->tested;
    if (result->count > 0)
        qsort(tested, result->count, sizeof *tested, by_fold);
    for (size_t first = 0, end; first < result->count; first = end) {
        for (end = first + 1; end < result->count && tested[end].fold == tested[first].fold &&
                              predict_same_point(tested[end].row, tested[first].row);)
            end++;
        add_place(&leaning, first, end - first);
    }
    for (size_t i = 0; i < leaning.places && share > 0; i++) {
        const struct place *place = &leaning.place[i];
        if (!may_give_way(&leaning, i) || is_better(&leaning, i))
            continue;
        find_fitted(&leaning, tested[place->first].fold);
        predict_lean(leaning.fitted, leaning.count, &tested[place->first], place->rows, 1);
        for (size_t k = place->first; k < place->first + place->rows; k++)
            tested[k].by_nearest = true;
    }
    free(leaning.place);
    free(leaning.fitted);
}
