/* arrivals.c - points whose ranks come at different times: the least time, and runs. */
#include "experiments/point/runs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/point/bound_problem.h"
#include "support/memory.h"

/* ---- The bound (docs/bounds.md, "Late ranks") ------------------------------------------------ */

/* What a bound is made of. */
struct late_bound {
    const struct point_problem *problem;
    const double *arrival_s;
    int32_t last;     /* the rank that arrives last */
    double last_s;    /* and its arrival */
    double *sorted_s; /* all arrivals, rising; owned */
    double *room;     /* of point_bound_informed_s; owned */
    double alpha_s;   /* the least latency of a message */
    double rate;      /* bytes per second through a rank's ports */
};

/* Messages start in the order of time, so what frees ports is a queue: of the rank `from` itself,
 * its ports; of each message after that, a port of its sender and those of its receiver. */
double point_bound_informed_s(const double sorted_s[], int32_t p, double from_s, int32_t ports,
                              double alpha_s, double room[])
{
    int32_t known = 0, first = 0;
    int64_t left = ports;
    bool seen = false;
    room[known++] = from_s;
    for (int32_t i = 0; i < p; i++) {
        if (!seen && sorted_s[i] == from_s) {
            seen = true;
            continue;
        }
        if (left == 0 && ports > 0) {
            first++;
            left = (int64_t)ports + 1;
        }
        left--;
        room[known++] = fmax(room[first], sorted_s[i]) + alpha_s;
    }
    return room[known - 1];
}

/* ---- What the problem says ------------------------------------------------------------------- */

static int sort_arrivals(struct late_bound *late)
{
    const size_t p = (size_t)late->problem->p;
    late->sorted_s = malloc(p * sizeof *late->sorted_s);
    late->room = malloc(p * sizeof *late->room);
    if (late->sorted_s == NULL || late->room == NULL)
        return RB_ENOMEM;
    memcpy(late->sorted_s, late->arrival_s, p * sizeof *late->sorted_s);
    sup_sort_reals(late->sorted_s, p);
    late->last_s = late->sorted_s[p - 1];
    while (late->arrival_s[late->last] < late->last_s)
        late->last++;
    return RB_OK;
}

/* The ports of the slower of a rank and of a host that has no other. */
static void find_machine(struct late_bound *late)
{
    const struct point_problem *problem = late->problem;
    const bool alone = problem->per_host == 1;
    late->alpha_s = problem->hosts == 1 ? problem->inner_s
                    : alone             ? problem->alpha_s
                                        : fmin(problem->alpha_s, problem->inner_s);
    late->rate = alone ? fmin(problem->host_rate, problem->rank_rate) : problem->rank_rate;
}

/* The bytes that the last rank has to send or to receive; 0 is always right. */
static double through_last(const struct late_bound *late)
{
    const struct point_problem *problem = late->problem;
    const int32_t last = late->last;
    switch (problem->need) {
    case POINT_EVERYTHING:
    case POINT_TWICE:
        return problem->bytes;
    case POINT_FROM_ROOT:
        return last == problem->root ? problem->bytes - point_problem_share(problem, last)
                                     : point_problem_share(problem, last);
    case POINT_OTHERS:
        return problem->bytes - point_problem_share(problem, last);
    case POINT_SHIFTED:
        return problem->shift != 0 ? point_problem_share(problem, last) : 0;
    case POINT_PAIRS:
        break;
    }
    return problem->layout->first != NULL || problem->fixed != NULL
               ? 0
               : (problem->p - 1.0) * (double)(problem->pair_elements * problem->layout->element);
}

/* ---- The bounds ------------------------------------------------------------------------------ */

/* The least T in which the ranks together can take in so many bytes, none before its arrival and
 * alpha. */
static double taken_in_s(const struct late_bound *late, double bytes)
{
    double sum_s = 0, time_s = 0;
    for (int32_t i = 0; i < late->problem->p; i++) {
        const double from_s = late->sorted_s[i] + late->alpha_s;
        if (i > 0 && from_s >= time_s)
            break;
        sum_s += from_s;
        time_s = (bytes / late->rate + sum_s) / (i + 1);
    }
    return time_s;
}

/* Where data of a rank have to reach all, the last of m bytes follow the first one. */
static void bound_informed(const struct late_bound *late, double from_s, struct point_bound *bound)
{
    const struct point_problem *problem = late->problem;
    const double carry_s = problem->bytes / late->rate;
    const double informed_s = point_bound_informed_s(late->sorted_s, problem->p, from_s,
                                                     problem->ports, late->alpha_s, late->room);
    point_bound_keep(bound, informed_s + carry_s,
                     informed_s - late->last_s > carry_s ? "latency" : "rank");
}

static void bound_all(const struct late_bound *late, const char *collective,
                      struct point_bound *bound)
{
    const struct point_problem *problem = late->problem;
    const double root_s = late->arrival_s[problem->root], last_bytes = through_last(late);
    const bool is_bcast = strcmp(collective, "bcast") == 0;
    if (is_bcast || strcmp(collective, "scatter") == 0)
        bound->time_s += root_s; /* before the root's arrival nothing can happen */
    if (last_bytes > 0)
        point_bound_keep(bound, late->last_s + late->alpha_s + last_bytes / late->rate,
                         late->alpha_s > last_bytes / late->rate ? "latency" : "rank");
    if (is_bcast)
        bound_informed(late, root_s, bound);
    if (problem->need == POINT_TWICE) {
        bound_informed(late, late->last_s, bound);
        point_bound_keep(bound, taken_in_s(late, 2 * (problem->p - 1.0) * problem->bytes), "rank");
    }
    point_bound_keep(bound, late->last_s, "latency");
}

int point_bound_arrivals(const struct sim_spec *spec, const struct sim_engine *engine,
                         const struct platform_cuts *cuts, const int32_t host[],
                         const double arrival_s[], struct point_bound *bound,
                         struct sup_error *error)
{
    const struct point_engine *known = point_engine_known(spec, engine);
    struct point_problem problem;
    if (isnan(bound->time_s) || known == NULL || !point_problem_take(spec, known, cuts, &problem))
        return RB_OK;
    const struct rb_collective_info *collective =
        spec->plan != NULL ? rb_plan_collective(spec->plan) : spec->native->collective;
    struct late_bound late = {.problem = &problem, .arrival_s = arrival_s};
    struct point_room room = {0};
    int status = point_problem_place(spec, known, host, &room, &problem, error);
    if (status == RB_OK) {
        status = sort_arrivals(&late);
        if (status != RB_OK)
            sup_fail(error, status, "out of memory for %d ranks", problem.p);
    }
    if (status == RB_OK && (problem.p == 1 || problem.bytes == 0)) {
        bound->time_s = late.last_s;
    } else if (status == RB_OK) {
        find_machine(&late);
        bound_all(&late, collective->name, bound);
    }
    free(late.sorted_s);
    free(late.room);
    point_room_free(&room);
    return status;
}

/* ---- Runs ------------------------------------------------------------------------------------ */

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

SUP_COMPARE(by_time, struct late, SUP_ORDER(a->value[TIME], b->value[TIME]),
            SUP_ORDER(a->seed, b->seed));

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
