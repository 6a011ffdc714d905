/* point.c - one point: made, run, estimated, compared. */
#include "experiments/point/point.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/options/common_options.h"
#include "support/counts.h"
#include "support/units.h"

struct rb_plan_spec rb_point_plan(const struct rb_point *point)
{
    return (struct rb_plan_spec){
        .collective = point->collective,
        .algorithm = point->algorithm,
        .p = point->p,
        .root = point->root,
        .n = point->n,
        .ports = point->ports,
        .radix = point->radix,
        .instance = point->instance,
    };
}

static int make_plan(const struct rb_point *point, struct rb_plan **plan, struct rb_error *error)
{
    const struct rb_plan_spec spec = rb_point_plan(point);
    char why[400];
    int status = rb_plan_create(&spec, plan, why, sizeof why);
    return status == RB_OK ? RB_OK : rb_fail(error, status, "%s", why);
}

static void take(const struct rb_point *point, const struct rb_plan *plan,
                 const struct rb_layout *layout, const struct rb_sim_result *result,
                 struct rb_outcome *outcome)
{
    outcome->done = true;
    outcome->time_s = result->time_s;
    outcome->rounds = plan != NULL ? result->rounds : -1;
    outcome->bound_rounds = plan != NULL ? rb_bound_rounds(plan) : -1;
    outcome->messages = result->messages;
    outcome->moved_bytes = result->bytes;
    outcome->uncontended = result->uncontended;
    /* Known from the probe of two ranks: a point of one rank has no message to show them. */
    outcome->alpha_s = point->platform->alpha_s;
    outcome->beta_s_per_byte = point->platform->beta_s_per_byte;
    outcome->wall_s = result->wall_s;
    outcome->load_s = result->load_s;
    outcome->peak_bytes = result->peak_bytes;
    if (plan == NULL || rb_plan_cost(plan, layout, outcome->alpha_s, outcome->beta_s_per_byte,
                                     &outcome->closed_form_s) != RB_OK)
        outcome->closed_form_s = NAN;
}

void rb_point_run(const struct rb_point *point, struct rb_outcome *outcome)
{
    struct rb_plan *plan = NULL;
    const struct rb_native native = {.collective = rb_collective_find(point->collective),
                                     .algorithm = rb_native_name(point->algorithm),
                                     .p = point->p,
                                     .root = point->root};
    const bool planned = native.algorithm == NULL;
    struct rb_layout layout = {.bytes = point->m_bytes, .element = point->element_bytes};
    struct rb_counts counts;
    int64_t *first = NULL;
    struct rb_sim_spec spec = {.layout = &layout,
                               .platform = point->platform->text,
                               .ppn = point->ppn,
                               .options = point->options,
                               .option_count = point->option_count,
                               .variant = point->engine_variant};
    struct rb_sim_result result = {0};

    *outcome = (struct rb_outcome){0};
    int status = planned ? make_plan(point, &plan, &outcome->error) : RB_OK;
    if (status == RB_OK)
        status = rb_counts_parse(point->counts, &counts, &outcome->error);
    if (status == RB_OK)
        status =
            rb_counts_apply(&counts, native.collective, point->p, &layout, &first, &outcome->error);
    if (status == RB_OK)
        status = rb_placement_parse(point->placement, &spec.placement, &outcome->error);
    if (status == RB_OK)
        status = rb_progress_parse(point->progress, &spec.progress, &outcome->error);
    spec.plan = plan;
    spec.native = planned ? NULL : &native;
    if (status == RB_OK)
        status = rb_simulate(point->engine, &spec, &result, &outcome->error);
    if (status == RB_OK)
        take(point, plan, &layout, &result, outcome);
    outcome->status = status;
    rb_sim_result_free(&result);
    free(first);
    rb_plan_destroy(plan);
}

/* ---- Estimate -------------------------------------------------------------------------------- */

/* Messages that the rank receives, and operations that it has; after the first many, as many per
 * round as so far. Adds them to *messages and *operations. */
static void count_work(const struct rb_plan *plan, int32_t rank, struct rb_op ops[],
                       double *messages_sum, double *operations_sum)
{
    enum { MANY = 1 << 15 };
    struct rb_rank state;
    int64_t messages = 0, operations = 0, rounds = rb_plan_rounds(plan), t = 0;

    rb_plan_rank(plan, rank, &state);
    for (t = rb_plan_next(plan, &state, 0); t < rounds && operations < MANY;
         t = rb_plan_next(plan, &state, t + 1)) {
        int32_t count = rb_plan_round(plan, &state, t, ops);
        operations += count;
        for (int32_t i = 0; i < count; i++)
            messages += ops[i].kind != RB_SEND && ops[i].kind <= RB_RECV_REDUCE &&
                        (i == 0 || ops[i - 1].kind == RB_SEND || ops[i - 1].port != ops[i].port);
    }
    const double share = t < rounds ? (double)rounds / (double)t : 1;
    *messages_sum += (double)messages * share;
    *operations_sum += (double)operations * share;
}

/* Of two calls and the set-up in the first: whole messages in a tree, shares round a ring, segments
 * of a pipeline. */
static double guess_messages(const struct rb_point *point)
{
    const double p = point->p, segment = 1 << 16;
    return 2 * p * (rb_ceil_log2(point->p) + p + (double)point->m_bytes / segment);
}

int rb_point_estimate(struct rb_point *point, struct rb_error *error)
{
    struct rb_plan *plan = NULL;
    const double start_s = point->engine->start_s + 2e-5 * point->platform->hosts;
    if (rb_native_name(point->algorithm) != NULL) {
        point->cost_s = start_s + point->engine->message_s * guess_messages(point);
        return RB_OK;
    }
    int status = make_plan(point, &plan, error);
    if (status != RB_OK)
        return status;
    struct rb_op *ops = calloc((size_t)rb_plan_max_ops(plan) + 1, sizeof *ops);
    if (ops == NULL) {
        rb_plan_destroy(plan);
        return rb_fail(error, RB_ENOMEM, "out of memory");
    }
    const int32_t p = point->p, sample[] = {1 % p, p / 2, p - 1};
    double messages = 0, operations = 0;
    for (int32_t i = 0; i < 3; i++)
        count_work(plan, sample[i], ops, &messages, &operations);
    /* Packed messages have many operations, of 25 ns. */
    point->cost_s = start_s + (point->engine->message_s * messages + 2.5e-8 * operations) * p / 3;
    free(ops);
    rb_plan_destroy(plan);
    return RB_OK;
}

/* ---- Identity -------------------------------------------------------------------------------- */

static int compare_numbers(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static const char *or_empty(const char *text)
{
    return text == NULL ? "" : text;
}

int rb_point_compare(const struct rb_point *a, const struct rb_point *b)
{
    const int orders[] = {strcmp(a->collective, b->collective),
                          strcmp(a->algorithm, b->algorithm),
                          compare_numbers(a->p, b->p),
                          compare_numbers(a->n, b->n),
                          compare_numbers(a->m_bytes, b->m_bytes),
                          compare_numbers(a->root, b->root),
                          compare_numbers(a->ports, b->ports),
                          compare_numbers(a->radix, b->radix),
                          strcmp(or_empty(a->instance), or_empty(b->instance)),
                          compare_numbers(a->element_bytes, b->element_bytes),
                          strcmp(a->counts, b->counts),
                          strcmp(a->platform->text, b->platform->text),
                          compare_numbers(a->ppn, b->ppn),
                          strcmp(a->placement, b->placement),
                          strcmp(a->engine_text, b->engine_text),
                          strcmp(a->progress, b->progress),
                          strcmp(a->engine_options, b->engine_options)};
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
        if (orders[i] != 0)
            return orders[i];
    return 0;
}

const char *rb_point_format(const struct rb_point *point, char *buffer, size_t size)
{
    char bytes[32];
    const bool regular = strcmp(point->counts, "regular") == 0;
    char ways[128];
    snprintf(
        buffer, size, "%s %s, p = %" PRId32 ", n = %" PRId64 "%s, m = %s, %s%s%s, %s",
        point->collective, point->algorithm, point->p, point->n,
        rb_format_ways(point->ports, point->radix, or_empty(point->instance), ways, sizeof ways),
        rb_format_bytes(point->m_bytes, bytes, sizeof bytes), regular ? "" : point->counts,
        regular ? "" : ", ", point->platform->text, point->progress);
    return buffer;
}
