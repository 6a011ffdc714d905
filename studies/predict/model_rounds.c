/* model_rounds.c - the model alpha + beta m, unfitted but for its two constants: every round of a
 * plan takes alpha, and beta for each byte of the round's longest message.
 *
 * It is what a textbook would say of these machines, and the measure of what a better model is
 * worth. Alpha is what most algorithms' smallest messages say of it, and beta what their largest
 * ones say: medians, over all curves of times against the size. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "roundabout.h"
#include "schedules/dependences/messages.h"
#include "sim/path/path.h"
#include "studies/predict/predict.h"
#include "support/memory.h"

/* What a plan costs in this model. */
struct shape {
    struct rb_plan_spec spec; /* its texts belong to the rows and the registry */
    double rounds;            /* in which there are messages */
    double shares;            /* of m, in the longest message of each round, added up */
    int status;               /* RB_ENOTSUP: there is no such plan */
    char why[160];
};

/* One of the two, and the quartiles of what the rows say of it. */
struct constant {
    double value, low, high;
    bool known;
};

struct rounds {
    struct predict_model model;
    struct shape *shape; /* owned, in the order of by_plan; a plan is walked once */
    size_t shapes;
    struct constant alpha_s, beta_s_per_byte;
    double low, high; /* quantiles of measured / predicted */
};

static struct rounds *rounds_of(struct predict_model *model)
{
    return (struct rounds *)(void *)model;
}

static const struct rounds *const_rounds_of(const struct predict_model *model)
{
    return (const struct rounds *)(const void *)model;
}

/* ---- Plans
 * --------------------------------------------------------------------------------------- */

static double blocks_of(const void *context, const struct dep_message *message)
{
    (void)context;
    return (double)dep_message_blocks(message);
}

static void add_round(void *context, double longest)
{
    struct shape *shape = context;
    shape->rounds++;
    shape->shares += longest;
}

static int walk(const struct rb_plan *plan, struct shape *shape, struct sup_error *error)
{
    const int status = path_longest_of_rounds(plan, NULL, blocks_of, add_round, shape, error);
    shape->shares /= (double)rb_plan_owners(plan) * (double)rb_plan_blocks(plan);
    return status;
}

SUP_COMPARE(by_plan, struct shape, SUP_ORDER(a->spec.p, b->spec.p),
            strcmp(a->spec.algorithm, b->spec.algorithm), SUP_ORDER(a->spec.n, b->spec.n),
            SUP_ORDER(a->spec.radix, b->spec.radix),
            strcmp(a->spec.collective, b->spec.collective));

/* The shape of a row's plan, which is walked when it is first asked for. */
static int shape_of(struct rounds *rounds, const struct rows_row *row, const struct shape **found,
                    struct sup_error *error)
{
    struct rb_plan *plan = NULL;
    struct shape shape = {.spec = {.collective = row->collective,
                                   .algorithm = row->algorithm,
                                   .p = row->p,
                                   .n = rows_blocks(row),
                                   .ports = 1,
                                   .radix = row->radix}};
    size_t low = 0, high = rounds->shapes;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        const int order = by_plan(&rounds->shape[middle], &shape);
        if (order == 0) {
            *found = &rounds->shape[middle];
            return (*found)->status == RB_OK
                       ? RB_OK
                       : sup_fail(error, (*found)->status, "%s", (*found)->why);
        }
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    sup_grow(&rounds->shape, rounds->shapes, sizeof *rounds->shape);
    shape.status = rb_plan_create(&shape.spec, &plan, shape.why, sizeof shape.why);
    if (shape.status == RB_EINVAL)
        shape.status = RB_ENOTSUP;
    if (shape.status == RB_OK) {
        const int status = walk(plan, &shape, error);
        rb_plan_destroy(plan);
        if (status != RB_OK)
            return status;
    } else if (shape.status != RB_ENOTSUP) {
        return sup_fail(error, shape.status, "out of memory");
    }
    memmove(&rounds->shape[low + 1], &rounds->shape[low],
            (rounds->shapes - low) * sizeof *rounds->shape);
    rounds->shape[low] = shape;
    rounds->shapes++;
    *found = &rounds->shape[low];
    return shape.status == RB_OK ? RB_OK : sup_fail(error, shape.status, "%s", shape.why);
}

/* ---- The two constants
 * ----------------------------------------------------------------------------- */

static bool same_curve(const struct rows_row *a, const struct rows_row *b)
{
    return a->p == b->p && a->test == b->test && a->collective == b->collective &&
           a->name == b->name;
}

/* -1: a row is the smallest of its curve, 1: the largest, 0: neither or both. */
static int extreme_of(const struct rows_row *const rows[], int32_t count, int32_t i)
{
    bool smaller = false, larger = false;
    for (int32_t k = 0; k < count && !(smaller && larger); k++)
        if (same_curve(rows[k], rows[i])) {
            smaller = smaller || rows[k]->bytes < rows[i]->bytes;
            larger = larger || rows[k]->bytes > rows[i]->bytes;
        }
    return larger && !smaller ? -1 : smaller && !larger ? 1 : 0;
}

/* The constant that most rows agree on, and between which two values half of them lie. */
static struct constant median_of(double value[], size_t count)
{
    if (count == 0)
        return (struct constant){0, NAN, NAN, false};
    sup_sort_reals(value, count);
    return (struct constant){value[count / 2], value[count / 4], value[count - 1 - count / 4],
                             true};
}

static double time_of(const struct rounds *rounds, const struct shape *shape, double m_bytes)
{
    return shape->rounds * rounds->alpha_s.value +
           shape->shares * m_bytes * rounds->beta_s_per_byte.value;
}

/* How far measured times lie from predicted ones, with this confidence. */
static int find_spread(struct rounds *rounds, const struct rows_row *const rows[], int32_t count,
                       double confidence, struct sup_error *error)
{
    double *ratio = sup_malloc((size_t)count * sizeof *ratio);
    size_t used = 0;
    int status = RB_OK;
    for (int32_t i = 0; i < count && status == RB_OK; i++) {
        const struct shape *shape;
        status = shape_of(rounds, rows[i], &shape, error);
        if (status == RB_OK && time_of(rounds, shape, (double)rows[i]->m_bytes) > 0)
            ratio[used++] = rows[i]->median_s / time_of(rounds, shape, (double)rows[i]->m_bytes);
        status = status == RB_ENOTSUP ? RB_OK : status;
    }
    rounds->low = rounds->high = NAN;
    if (status == RB_OK && used > 0) {
        const double tail = (1 - confidence) / 2;
        sup_sort_reals(ratio, used);
        rounds->low = ratio[(size_t)(tail * (double)(used - 1))];
        rounds->high = ratio[used - 1 - (size_t)(tail * (double)(used - 1))];
    }
    free(ratio);
    return status;
}

static void free_model(struct predict_model *model)
{
    free(rounds_of(model)->shape);
    free(rounds_of(model));
}

static int fit(const struct rows_row *const rows[], int32_t count,
               const struct predict_options *options, struct predict_model **model,
               struct sup_error *error)
{
    struct rounds *rounds = sup_calloc(1, sizeof *rounds);
    double *value = sup_malloc(2 * (size_t)count * sizeof *value);
    double *alpha = value, *beta = value + count;
    size_t alphas = 0, betas = 0;
    int status = RB_OK;
    for (int32_t i = 0; i < count && status == RB_OK; i++) {
        const struct shape *shape;
        const int extreme = extreme_of(rows, count, i);
        if (extreme == 0)
            continue;
        status = shape_of(rounds, rows[i], &shape, error);
        if (status == RB_OK && extreme < 0 && shape->rounds > 0)
            alpha[alphas++] = rows[i]->median_s / shape->rounds;
        if (status == RB_OK && extreme > 0 && shape->shares > 0)
            beta[betas++] = rows[i]->median_s / (shape->shares * (double)rows[i]->m_bytes);
        status = status == RB_ENOTSUP ? RB_OK : status;
    }
    if (status == RB_OK && alphas + betas == 0)
        status = sup_fail(error, RB_EINVAL,
                          "no algorithm with a plan was measured at two or more sizes");
    if (status == RB_OK) {
        rounds->alpha_s = median_of(alpha, alphas);
        rounds->beta_s_per_byte = median_of(beta, betas);
        status = find_spread(rounds, rows, count,
                             options->confidence > 0 ? options->confidence : 0.9, error);
    }
    free(value);
    if (status == RB_OK)
        *model = &rounds->model;
    else
        free_model(&rounds->model);
    return status;
}

static int time_(struct predict_model *model, const struct rows_row *row,
                 struct predict_estimate *estimate, struct sup_error *error)
{
    struct rounds *rounds = rounds_of(model);
    const struct shape *shape;
    const int status = shape_of(rounds, row, &shape, error);
    if (status != RB_OK)
        return status;
    const double time_s = time_of(rounds, shape, (double)row->m_bytes);
    *estimate = (struct predict_estimate){time_s, time_s * rounds->low, time_s * rounds->high};
    return RB_OK;
}

static bool parameter(const struct predict_model *model, int32_t i,
                      struct predict_parameter *parameter_)
{
    const struct rounds *rounds = const_rounds_of(model);
    const struct constant *constant = i == 0 ? &rounds->alpha_s : &rounds->beta_s_per_byte;
    *parameter_ = (struct predict_parameter){.name = i == 0 ? "alpha" : "beta",
                                             .unit = i == 0 ? "s" : "s/B",
                                             .value = constant->value,
                                             .low = constant->low,
                                             .high = constant->high,
                                             .determined = constant->known};
    return i < 2;
}

const struct predict_kind predict_rounds = {
    .name = "rounds",
    .title = "every round takes alpha, and beta for each byte of its longest message",
    .fit = fit,
    .time = time_,
    .parameter = parameter,
    .free = free_model,
};
