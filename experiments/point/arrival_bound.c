/* arrival_bound.c - see arrival_bound.h and docs/bounds.md, "Late ranks". */
#include "experiments/point/arrival_bound.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/point/bound_problem.h"

/* What a bound is made of. */
struct late {
    const struct point_problem *problem;
    const double *arrival_s;
    int32_t last;     /* the rank that arrives last */
    double last_s;    /* and its arrival */
    double *sorted_s; /* all arrivals, rising; owned */
    double *room;     /* of point_bound_informed_s; owned */
    double alpha_s;   /* the least latency of a message */
    double rate;      /* bytes per second through a rank's ports */
};

static void keep(struct point_bound *bound, double start_s, double carry_s, const char *part)
{
    if (!(start_s + carry_s > bound->time_s))
        return;
    bound->time_s = start_s + carry_s;
    snprintf(bound->part, sizeof bound->part, "%s", part);
}

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

static int by_time(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int sort_arrivals(struct late *late)
{
    const size_t p = (size_t)late->problem->p;
    late->sorted_s = malloc(p * sizeof *late->sorted_s);
    late->room = malloc(p * sizeof *late->room);
    if (late->sorted_s == NULL || late->room == NULL)
        return RB_ENOMEM;
    memcpy(late->sorted_s, late->arrival_s, p * sizeof *late->sorted_s);
    qsort(late->sorted_s, p, sizeof *late->sorted_s, by_time);
    late->last_s = late->sorted_s[p - 1];
    while (late->arrival_s[late->last] < late->last_s)
        late->last++;
    return RB_OK;
}

/* The ports of the slower of a rank and of a host that has no other. */
static void find_machine(struct late *late)
{
    const struct point_problem *problem = late->problem;
    const bool alone = problem->per_host == 1;
    late->alpha_s = problem->hosts == 1 ? problem->inner_s
                    : alone             ? problem->alpha_s
                                        : fmin(problem->alpha_s, problem->inner_s);
    late->rate = alone ? fmin(problem->host_rate, problem->rank_rate) : problem->rank_rate;
}

/* The bytes that the last rank has to send or to receive; 0 is always right. */
static double through_last(const struct late *late)
{
    const struct point_problem *problem = late->problem;
    const int32_t last = late->last;
    switch (problem->need) {
    case POINT_EVERYTHING:
    case POINT_TWICE:
        return problem->bytes;
    case POINT_FROM_ROOT:
        return last == problem->root ? problem->bytes - problem->share[last] : problem->share[last];
    case POINT_OTHERS:
        return problem->bytes - problem->share[last];
    case POINT_SHIFTED:
        return problem->shift != 0 ? problem->share[last] : 0;
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
static double taken_in_s(const struct late *late, double bytes)
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
static void bound_informed(const struct late *late, double from_s, struct point_bound *bound)
{
    const struct point_problem *problem = late->problem;
    const double carry_s = problem->bytes / late->rate;
    const double informed_s = point_bound_informed_s(late->sorted_s, problem->p, from_s,
                                                     problem->ports, late->alpha_s, late->room);
    keep(bound, informed_s, carry_s, informed_s - late->last_s > carry_s ? "latency" : "rank");
}

static void bound_all(const struct late *late, const char *collective, struct point_bound *bound)
{
    const struct point_problem *problem = late->problem;
    const double root_s = late->arrival_s[problem->root], last_bytes = through_last(late);
    const bool is_bcast = strcmp(collective, "bcast") == 0;
    if (is_bcast || strcmp(collective, "scatter") == 0)
        bound->time_s += root_s; /* before the root's arrival nothing can happen */
    if (last_bytes > 0)
        keep(bound, late->last_s + late->alpha_s, last_bytes / late->rate,
             late->alpha_s > last_bytes / late->rate ? "latency" : "rank");
    if (is_bcast)
        bound_informed(late, root_s, bound);
    if (problem->need == POINT_TWICE) {
        bound_informed(late, late->last_s, bound);
        keep(bound, taken_in_s(late, 2 * (problem->p - 1.0) * problem->bytes), 0, "rank");
    }
    keep(bound, late->last_s, 0, "latency");
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
    struct late late = {.problem = &problem, .arrival_s = arrival_s};
    int status = point_problem_place(spec, known, host, &problem, error);
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
    point_problem_free(&problem);
    return status;
}
