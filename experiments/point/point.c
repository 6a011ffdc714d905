/* point.c - one point: made, run, estimated, compared. */
#include "experiments/point/point.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/options/common_options.h"
#include "experiments/point/parameters.h"
#include "support/counts.h"
#include "support/units.h"

void point_resolve(struct point *point)
{
    const struct rb_plan_spec *plan = &point->plan;
    point->collective = plan->collective == NULL ? NULL : rb_collective_find(plan->collective);
    point->algorithm = point->collective == NULL || plan->algorithm == NULL
                           ? NULL
                           : rb_algorithm_find(plan->collective, plan->algorithm);
}

void point_set_platform(struct point *point, const struct point_known_platform *platform)
{
    point->platform = platform;
    point->platform_text = platform->text;
    point->platform_hash = platform->hash;
}

static int make_plan(const struct point *point, struct rb_plan **plan, struct sup_error *error)
{
    char why[400];
    int status = rb_plan_create(&point->plan, plan, why, sizeof why);
    return status == RB_OK ? RB_OK : sup_fail(error, status, "%s", why);
}

/* Sets the values of a row of results but the spread and the bound. */
static void take(const struct sim_spec *spec, const struct sim_result *result, double alpha_s,
                 double beta_s_per_byte, struct point_outcome *outcome)
{
    const struct rb_plan *plan = spec->plan;
    outcome->done = true;
    outcome->time_s = result->time_s;
    outcome->rounds = plan != NULL ? result->rounds : -1;
    outcome->bound_rounds = plan != NULL ? rb_bound_rounds(plan) : -1;
    outcome->messages = result->messages;
    outcome->moved_bytes = result->bytes;
    outcome->uncontended = result->uncontended;
    outcome->alpha_s = alpha_s;
    outcome->beta_s_per_byte = beta_s_per_byte;
    outcome->wall_s = result->wall_s;
    outcome->load_s = result->load_s;
    outcome->peak_bytes = result->peak_bytes;
    if (plan == NULL || rb_plan_cost(plan, spec->layout, alpha_s, beta_s_per_byte,
                                     &outcome->closed_form_s) != RB_OK)
        outcome->closed_form_s = NAN;
}

static void take_critical_volume(const struct sim_spec *spec, struct point_outcome *outcome)
{
    const struct rb_plan *plan = spec->plan;
    outcome->c2 = outcome->bound_c2 = outcome->bound_c2_of_rounds = -1;
    outcome->c2_bytes = NAN;
    if (plan == NULL)
        return;
    if (rb_plan_critical_volume(plan, &outcome->c2) != RB_OK)
        outcome->c2 = -1;
    else if (rb_plan_cost(plan, spec->layout, 0, 1, &outcome->c2_bytes) != RB_OK)
        outcome->c2_bytes = NAN;
    outcome->bound_c2 = rb_bound_critical_volume(plan, INT64_MAX);
    outcome->bound_c2_of_rounds = rb_bound_critical_volume(plan, rb_plan_rounds(plan));
}

void point_outcome_compare(const struct sim_spec *spec, const struct sim_result *result,
                           struct point_outcome *outcome)
{
    const double messages = (double)result->messages;
    take(spec, result, result->alpha_s, result->beta_s_per_byte, outcome);
    /* With several ranks per host, alpha and beta may be those of a message inside a host, and a
     * closed form with them would be meaningless. */
    if (!result->uncontended && spec->ppn > 1)
        outcome->closed_form_s = NAN;
    outcome->time_over_closed_form =
        outcome->closed_form_s > 0 ? outcome->time_s / outcome->closed_form_s : NAN;
    outcome->time_over_bound = point_bound_ratio(outcome->time_s, &outcome->bound);
    outcome->messages_per_s = outcome->wall_s > 0 ? messages / outcome->wall_s : NAN;
    outcome->version = cli_program_version;
    take_critical_volume(spec, outcome);
}

/* Of a file none is known. */
static int take_bound(const struct point *point, const struct sim_spec *spec,
                      const struct sim_result *result, struct point_outcome *outcome)
{
    outcome->bound.time_s = NAN;
    return point->platform->cuts.count == 0
               ? RB_OK
               : point_bound_find(spec, point->engine, &point->platform->cuts, result->host,
                                  &outcome->bound, &outcome->error);
}

struct point_outcome point_outcome_of(const struct sup_pool_piece *piece)
{
    if (piece->lost == NULL)
        return *(const struct point_outcome *)piece->memory;
    struct point_outcome outcome = {.status = RB_EFAILED, .wall_s = piece->wall_s};
    sup_fail(&outcome.error, RB_EFAILED, "%s", piece->lost);
    return outcome;
}

void point_run(const struct point *point, const struct sim_meter *meter,
               struct point_outcome *outcome)
{
    struct rb_plan *plan = NULL;
    const struct sim_native native = {.collective = point->collective,
                                      .algorithm = sim_native_name(point->plan.algorithm),
                                      .p = point->plan.p,
                                      .root = point->plan.root};
    const bool planned = native.algorithm == NULL;
    struct rb_layout layout = {.bytes = point->m_bytes, .element = point->element_bytes};
    int64_t *first = NULL;
    struct sim_spec spec = {.layout = &layout,
                            .platform = point->platform_text,
                            .ppn = point->ppn,
                            .placement = *point->placement_rule,
                            .progress = *point->progress_rule,
                            .options = point->options,
                            .option_count = point->option_count,
                            .variant = point->engine_variant,
                            .meter = meter};
    struct sim_result result = {0};
    struct sim_spread spread = {0};

    *outcome = (struct point_outcome){0};
    int status = planned ? make_plan(point, &plan, &outcome->error) : RB_OK;
    if (status == RB_OK)
        status = sup_counts_apply(point->counts_rule, native.collective, point->plan.p, &layout,
                                  &first, &outcome->error);
    spec.want_hosts = spec.placement.search || spec.placement.rule == SIM_FILE;
    spec.plan = plan;
    spec.native = planned ? NULL : &native;
    if (status == RB_OK)
        status =
            sim_run_copies(point->engine, &spec, point->jitter, &result, &spread, &outcome->error);
    if (status == RB_OK)
        status = take_bound(point, &spec, &result, outcome);
    /* The platform's alpha and beta are known from the probe of two ranks: a point of one rank has
     * no message to show them. */
    if (status == RB_OK)
        take(&spec, &result, point->platform->alpha_s, point->platform->beta_s_per_byte, outcome);
    outcome->spread = spread;
    outcome->status = status;
    sim_result_free(&result);
    free(first);
    rb_plan_destroy(plan);
}

/* ---- Identity -------------------------------------------------------------------------------- */

int point_order(const struct point *a, const struct point *b)
{
    int order = 0;
    for (int i = 0; i < POINT_PARAMETERS && order == 0; i++)
        order = point_compare(a, b, &point_parameters[i]);
    return order;
}

const char *point_describe(const struct point *point, char *buffer, size_t size)
{
    char bytes[32];
    const bool regular = strcmp(point->counts, "regular") == 0;
    char ways[128];
    snprintf(buffer, size, "%s %s, p = %" PRId32 ", n = %" PRId64 "%s, m = %s, %s%s%s, %s",
             point->plan.collective, point->plan.algorithm, point->plan.p, point->plan.n,
             point_format_ways(&point->plan, ways, sizeof ways),
             sup_format_bytes(point->m_bytes, bytes, sizeof bytes), regular ? "" : point->counts,
             regular ? "" : ", ", point->platform_text, point->progress);
    return buffer;
}
