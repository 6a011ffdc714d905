/* rounds.c - the model alpha + beta m, unfitted but for its two constants: every round of a plan
 * takes alpha, and beta for each byte of the round's longest message.
 *
 * It is what a textbook would say of these machines, and the measure of what a better model is
 * worth. Both constants come from each algorithm's smallest and largest measurement, by least
 * squares of relative errors; neither is negative. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/predict/model.h"
#include "roundabout.h"
#include "schedules/dependences/messages.h"
#include "sim/engine/plan_round.h"
#include "support/array.h"

/* What a plan costs in this model. */
struct shape {
    struct rb_plan_spec spec; /* its texts belong to the rows and the registry */
    double rounds;            /* in which there are messages */
    double shares;            /* of m, in the longest message of each round, added up */
    int status;               /* RB_ENOTSUP: there is no such plan */
    char why[160];
};

struct rounds {
    struct predict_model model;
    struct shape *shape; /* owned, in the order of by_plan; a plan is walked once */
    size_t shapes;
    double alpha_s, beta_s_per_byte;
    double alpha_error, beta_error; /* half the widths of their intervals */
    double low, high;               /* quantiles of measured / predicted */
    bool alpha_known, beta_known;
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

/* Blocks of the longest message that a rank sends in a round, -1: it sends none. */
static int64_t longest_of(const struct rb_op ops[], int32_t count)
{
    int64_t longest = -1;
    struct dep_messages left = dep_messages_of(ops, count);
    for (struct dep_message message; dep_next_send(&left, &message);) {
        const int64_t blocks = dep_message_blocks(&message);
        longest = blocks > longest ? blocks : longest;
    }
    return longest;
}

static int walk(const struct rb_plan *plan, struct shape *shape, struct sup_error *error)
{
    const int32_t p = rb_plan_ranks(plan);
    struct rb_rank *state = malloc((size_t)p * sizeof *state);
    struct rb_op *ops = malloc((size_t)rb_plan_max_ops(plan) * sizeof *ops + 1);
    int status = state != NULL && ops != NULL ? RB_OK : sup_fail(error, RB_ENOMEM, "out of memory");
    double blocks = 0;
    for (int32_t r = 0; r < p && status == RB_OK; r++)
        rb_plan_rank(plan, r, &state[r]);
    for (int64_t t = 0; t < rb_plan_rounds(plan) && status == RB_OK; t++) {
        int64_t longest = -1;
        for (int32_t r = 0; r < p && status == RB_OK; r++) {
            const int32_t count = sim_round(plan, NULL, &state[r], t, ops, error);
            if (count < 0)
                status = count;
            const int64_t here = longest_of(ops, count);
            longest = here > longest ? here : longest;
        }
        shape->rounds += longest >= 0;
        blocks += longest > 0 ? (double)longest : 0;
    }
    shape->shares = blocks / ((double)rb_plan_owners(plan) * (double)rb_plan_blocks(plan));
    free(state);
    free(ops);
    return status;
}

static int by_plan(const void *left, const void *right)
{
    const struct rb_plan_spec *a = &((const struct shape *)left)->spec;
    const struct rb_plan_spec *b = &((const struct shape *)right)->spec;
    const int names = strcmp(a->algorithm, b->algorithm);
    if (a->p != b->p)
        return (a->p > b->p) - (a->p < b->p);
    if (names != 0)
        return names;
    if (a->n != b->n)
        return (a->n > b->n) - (a->n < b->n);
    if (a->radix != b->radix)
        return (a->radix > b->radix) - (a->radix < b->radix);
    return strcmp(a->collective, b->collective);
}

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
    if (!sup_array_grow(&rounds->shape, rounds->shapes, sizeof *rounds->shape))
        return sup_fail(error, RB_ENOMEM, "out of memory");
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

/* A measurement, divided by its time: 1 = rounds alpha + bytes beta. */
struct equation {
    double rounds, bytes;
};

static bool same_curve(const struct rows_row *a, const struct rows_row *b)
{
    return a->p == b->p && a->test == b->test && a->collective == b->collective &&
           a->name == b->name;
}

static bool is_extreme(const struct rows_row *const rows[], int32_t count, int32_t i)
{
    bool smaller = false, larger = false;
    for (int32_t k = 0; k < count && !(smaller && larger); k++)
        if (same_curve(rows[k], rows[i])) {
            smaller = smaller || rows[k]->bytes < rows[i]->bytes;
            larger = larger || rows[k]->bytes > rows[i]->bytes;
        }
    return !(smaller && larger);
}

/* Least squares for equations with the right side 1, not below 0. */
static void solve(struct rounds *rounds, const struct equation equation[], int32_t count)
{
    double rr = 0, rb = 0, bb = 0, r = 0, b = 0;
    for (int32_t i = 0; i < count; i++) {
        const struct equation *e = &equation[i];
        rr += e->rounds * e->rounds, rb += e->rounds * e->bytes, bb += e->bytes * e->bytes;
        r += e->rounds, b += e->bytes;
    }
    const double determinant = rr * bb - rb * rb;
    if (determinant > 1e-12 * rr * bb) {
        rounds->alpha_s = (r * bb - b * rb) / determinant;
        rounds->beta_s_per_byte = (b * rr - r * rb) / determinant;
    }
    if (!(determinant > 1e-12 * rr * bb) || rounds->beta_s_per_byte < 0) {
        rounds->alpha_s = rr > 0 ? r / rr : 0;
        rounds->beta_s_per_byte = 0;
    }
    if (rounds->alpha_s < 0) {
        rounds->alpha_s = 0;
        rounds->beta_s_per_byte = bb > 0 ? b / bb : 0;
    }
    rounds->alpha_known = rounds->alpha_s > 0;
    rounds->beta_known = rounds->beta_s_per_byte > 0;
    double squares = 0;
    for (int32_t i = 0; i < count; i++) {
        const double error =
            1 - equation[i].rounds * rounds->alpha_s - equation[i].bytes * rounds->beta_s_per_byte;
        squares += error * error;
    }
    const double variance = count > 2 ? squares / (count - 2) : NAN;
    rounds->alpha_error = 2 * sqrt(variance * bb / determinant);
    rounds->beta_error = 2 * sqrt(variance * rr / determinant);
}

static double time_of(const struct rounds *rounds, const struct shape *shape, double m_bytes)
{
    return shape->rounds * rounds->alpha_s + shape->shares * m_bytes * rounds->beta_s_per_byte;
}

static int by_value(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* How far measured times lie from predicted ones, with this confidence. */
static int find_spread(struct rounds *rounds, const struct rows_row *const rows[], int32_t count,
                       double confidence, struct sup_error *error)
{
    double *ratio = malloc(((size_t)count + 1) * sizeof *ratio);
    size_t used = 0;
    int status = ratio == NULL ? sup_fail(error, RB_ENOMEM, "out of memory") : RB_OK;
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
        qsort(ratio, used, sizeof *ratio, by_value);
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
    struct rounds *rounds = calloc(1, sizeof *rounds);
    struct equation *equation = malloc(((size_t)count + 1) * sizeof *equation);
    int32_t equations = 0;
    int status =
        rounds == NULL || equation == NULL ? sup_fail(error, RB_ENOMEM, "out of memory") : RB_OK;
    for (int32_t i = 0; i < count && status == RB_OK; i++) {
        const struct shape *shape;
        if (!is_extreme(rows, count, i))
            continue;
        status = shape_of(rounds, rows[i], &shape, error);
        if (status == RB_OK)
            equation[equations++] =
                (struct equation){shape->rounds / rows[i]->median_s,
                                  shape->shares * (double)rows[i]->m_bytes / rows[i]->median_s};
        status = status == RB_ENOTSUP ? RB_OK : status;
    }
    if (status == RB_OK && equations == 0)
        status = sup_fail(error, RB_EINVAL, "none of the rows to fit has a plan");
    if (status == RB_OK) {
        solve(rounds, equation, equations);
        status = find_spread(rounds, rows, count,
                             options->confidence > 0 ? options->confidence : 0.9, error);
    }
    free(equation);
    if (status == RB_OK)
        *model = &rounds->model;
    else if (rounds != NULL)
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
    if (i == 0)
        *parameter_ = (struct predict_parameter){.name = "alpha",
                                                 .unit = "s",
                                                 .value = rounds->alpha_s,
                                                 .low = rounds->alpha_s - rounds->alpha_error,
                                                 .high = rounds->alpha_s + rounds->alpha_error,
                                                 .determined = rounds->alpha_known};
    if (i == 1)
        *parameter_ =
            (struct predict_parameter){.name = "beta",
                                       .unit = "s/B",
                                       .value = rounds->beta_s_per_byte,
                                       .low = rounds->beta_s_per_byte - rounds->beta_error,
                                       .high = rounds->beta_s_per_byte + rounds->beta_error,
                                       .determined = rounds->beta_known};
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
