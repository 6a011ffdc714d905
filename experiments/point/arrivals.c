/* arrivals.c - runs of a point whose ranks come at different times. */
#include "experiments/point/arrivals.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/point/arrival_bound.h"
#include "support/memory.h"

int point_check_arrival(const struct point *point, struct sup_error *error)
{
    const int32_t p = point->plan.p;
    if (sim_arrival_is_none(point->arrival_rule))
        return RB_OK;
    if (!point->engine->walks)
        return sup_fail(error, RB_EINVAL,
                        "in the engine %s all ranks come together: take flow, simgrid or model, or "
                        "leave it out",
                        point->engine->name);
    if (point->placement_rule->search)
        return sup_fail(error, RB_EINVAL,
                        "a placement is searched for ranks that come together: name the one that "
                        "was found (--write-placement), or leave out the search");
    double *at_s = sup_reallocarray(NULL, (size_t)p, sizeof *at_s);
    const int status = sim_arrival_find(point->arrival_rule, p, 0, at_s, error);
    free(at_s);
    return status;
}

/* An algorithm for the rank that arrives last gets this one, unless the point names another. */
static int take_last_as_root(const struct point *point, struct point_run *run,
                             struct sup_error *error)
{
    const struct rb_algorithm_info *info = run->plan == NULL ? NULL : rb_plan_algorithm(run->plan);
    char why[200];
    int32_t last = 0;
    if (info == NULL || info->root == NULL || info->only != NULL || point->plan.root != 0)
        return RB_OK;
    for (int32_t r = 1; r < point->plan.p; r++)
        if (run->arrival_s[r] > run->arrival_s[last])
            last = r;
    struct rb_plan_spec spec = rb_plan_spec_of(run->plan);
    struct rb_plan *plan;
    spec.root = last;
    spec.instance = NULL; /* rooted algorithms of collectives without a root have none */
    const int status = rb_plan_create(&spec, &plan, why, sizeof why);
    if (status != RB_OK)
        return sup_fail(error, status, "%s", why);
    rb_plan_destroy(run->plan);
    run->spec.plan = run->plan = plan;
    return RB_OK;
}

/* The times by a seed of the rule, the workload, and the root. */
static int take_seed(const struct point *point, struct point_run *run, int32_t seed,
                     struct sup_error *error)
{
    sim_arrival_find(point->arrival_rule, point->plan.p, seed, run->arrival_s, error);
    const int status = take_last_as_root(point, run, error);
    sim_workload_free(&run->workload);
    sim_arrival_workload(&run->spec, run->arrival_s, &run->workload);
    run->spec.workload = &run->workload;
    return status;
}

int point_prepare_arrival(const struct point *point, struct point_run *run, struct sup_error *error)
{
    const int status = point_check_arrival(point, error);
    if (status != RB_OK || sim_arrival_is_none(point->arrival_rule))
        return status;
    run->arrival_s = sup_reallocarray(NULL, (size_t)point->plan.p, sizeof *run->arrival_s);
    return take_seed(point, run, 0, error);
}

/* What came of one arrival. */
enum value { TIME, INSIDE, WAITING, VALUES };
struct late {
    int32_t seed; /* counted from the rule's first */
    double value[VALUES];
};

static double latest_s(const struct point_run *run)
{
    double latest = 0;
    for (int32_t r = 0; r < rb_plan_ranks(run->plan); r++)
        latest = fmax(latest, run->arrival_s[r]);
    return latest;
}

/* The mean over ranks of the time from their arrival to their end. */
static double mean_inside_s(const struct point_run *run, const struct sim_result *result)
{
    const int32_t p = rb_plan_ranks(run->plan);
    double sum_s = 0;
    for (int32_t r = 0; r < p; r++)
        sum_s += result->finish_s[r] - run->arrival_s[r];
    return sum_s / p;
}

/* Of a result that has finish_s. Waiting is from a run in which messages take no time; it is by the
 * engine flow, so that it is the same for all engines. */
static int measure(const struct point_run *run, const struct sim_result *result, struct late *late,
                   struct sup_error *error)
{
    const struct sim_spec spec = {.plan = run->plan,
                                  .workload = &run->workload,
                                  .sharing = SIM_IMMEDIATE,
                                  .layout = run->spec.layout,
                                  .platform = run->spec.platform,
                                  .ppn = run->spec.ppn,
                                  .placement = run->spec.placement,
                                  .overlap = run->spec.overlap,
                                  .want_finish = true};
    struct sim_result immediate;
    const int status = sim_run(sim_engine_find("flow"), &spec, &immediate, error);
    if (status != RB_OK)
        return status;
    late->value[TIME] = result->time_s - latest_s(run);
    late->value[INSIDE] = mean_inside_s(run, result);
    late->value[WAITING] =
        late->value[INSIDE] > 0 ? mean_inside_s(run, &immediate) / late->value[INSIDE] : 0;
    sim_result_free(&immediate);
    return RB_OK;
}

/* The time and what belongs to it, without links and messages. */
static int run_seed(const struct point *point, struct point_run *run, struct late *late,
                    struct sup_error *error)
{
    struct sim_result result;
    int status = take_seed(point, run, late->seed, error);
    if (status != RB_OK)
        return status;
    struct sim_spec plain = run->spec;
    plain.observer = NULL;
    plain.want_contention = plain.want_hosts = false;
    plain.want_links = 0;
    plain.want_finish = true;
    status = sim_run(point->engine, &plain, &result, error);
    if (status != RB_OK)
        return status;
    status = measure(run, &result, late, error);
    sim_result_free(&result);
    return status;
}

static int by_time(const void *a, const void *b)
{
    const struct late *x = a, *y = b;
    const int order = (x->value[TIME] > y->value[TIME]) - (x->value[TIME] < y->value[TIME]);
    return order != 0 ? order : (x->seed > y->seed) - (x->seed < y->seed);
}

/* The lower of two in the middle. */
static double median_of(const struct late late[], int32_t count, enum value value)
{
    struct late *sorted = sup_calloc((size_t)count, sizeof *sorted);
    for (int32_t i = 0; i < count; i++)
        sorted[i].value[TIME] = late[i].value[value];
    qsort(sorted, (size_t)count, sizeof *sorted, by_time);
    const double median = sorted[(count - 1) / 2].value[TIME];
    free(sorted);
    return median;
}

/* Chooses the run's seed, of several. */
static int run_seeds(const struct point *point, struct point_run *run, struct late late[],
                     struct sup_error *error)
{
    const int32_t count = point->arrival_rule->seeds;
    int status = RB_OK;
    for (int32_t i = 0; i < count && status == RB_OK && count > 1; i++) {
        late[i].seed = i;
        status = run_seed(point, run, &late[i], error);
    }
    qsort(late, (size_t)count, sizeof *late, by_time);
    if (status == RB_OK && count > 1)
        status = take_seed(point, run, late[(count - 1) / 2].seed, error);
    return status;
}

int point_run_arrivals(const struct point *point, struct point_run *run,
                       struct point_outcome *outcome)
{
    const int32_t count = point->arrival_rule->seeds;
    struct late *late = sup_calloc((size_t)count, sizeof *late);
    int status = run_seeds(point, run, late, &outcome->error);
    struct sim_spec spec = run->spec; /* whose plan may be that of the seed */
    spec.want_finish = true;
    if (status == RB_OK)
        status = sim_run_copies(point->engine, &spec, point->jitter, &run->result, &outcome->spread,
                                &outcome->error);
    if (status == RB_OK && count == 1)
        status = measure(run, &run->result, late, &outcome->error);
    outcome->last_arrival_s = latest_s(run);
    outcome->mean_inside_s = median_of(late, count, INSIDE);
    outcome->waiting_share = median_of(late, count, WAITING);
    outcome->spread.low_s -= outcome->last_arrival_s;
    outcome->spread.high_s -= outcome->last_arrival_s;
    if (!run->spec.want_finish) {
        free(run->result.finish_s);
        run->result.finish_s = NULL;
    }
    free(late);
    return status;
}

int point_bound_arrival(const struct point *point, const struct point_run *run,
                        struct point_outcome *outcome)
{
    const int status =
        point_bound_arrivals(&run->spec, point->engine, &point->platform->cuts, run->result.host,
                             run->arrival_s, &outcome->bound, &outcome->error);
    outcome->bound.time_s -= outcome->last_arrival_s;
    return status;
}
