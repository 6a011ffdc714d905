/* audit_simulated.c - see audit.h.
 *
 * A way is an algorithm with a radix and a segment size, at one case (p, m) of the search. Each way
 * is a run of n = ceil(m / segment) blocks on the platform that is asked about. */
#include "studies/audit/audit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/point/point.h"
#include "experiments/search/search_grid.h"
#include "mpi/vendors/names/mpilib.h"
#include "support/memory.h"

/* Segments are tried for algorithms that take at most so many times as long as the fastest one,
 * which may be one that the library lacks. */
static const double near_the_best = 4;

/* The smallest power of two that is a segment. */
enum { LEAST_SEGMENT = 1024 };

struct way {
    size_t a_case; /* of the search */
    struct decide_way choice;
    int64_t n;
    size_t run; /* of the search; NO_RUN: left out */
};
#define NO_RUN SIZE_MAX

struct simulating {
    struct decide *audit;
    const struct decide_library *decider;
    const struct search_request *request;
    struct search_grid *grid;
    int32_t per_node; /* ranks */
    struct sup_error *error;
    struct way *ways; /* owned; by case */
    size_t count;
    /* Of each case: */
    struct decide_taken *decisions; /* owned; the name is empty if there is no rule */
    size_t *first_way;              /* owned */
};

static size_t sizes_of(const struct simulating *simulating)
{
    return simulating->request->m_bytes->count;
}

static int32_t p_of(const struct simulating *simulating, size_t a_case)
{
    return (int32_t)simulating->request->p->value[a_case / sizes_of(simulating)];
}

static int64_t m_of(const struct simulating *simulating, size_t a_case)
{
    return simulating->request->m_bytes->value[a_case % sizes_of(simulating)];
}

static const char *collective_of(const struct simulating *simulating)
{
    return simulating->request->common.plan.collective;
}

/* ---- Decisions ------------------------------------------------------------------------------- */

static void decide(struct simulating *simulating)
{
    const struct decide_library *decider = simulating->decider;
    for (size_t i = 0; i < simulating->grid->case_count; i++) {
        struct decide_taken *decision = &simulating->decisions[i];
        if (decider->native != NULL)
            snprintf(decision->name, sizeof decision->name, "%s", decider->native);
        else if (!decider->decide(decider->context, collective_of(simulating), p_of(simulating, i),
                                  simulating->per_node, m_of(simulating, i), decision)) {
            *decision = (struct decide_taken){0};
            decide_leave_out(simulating->audit, DECIDE_NO_RULE, 1, NULL);
        }
    }
}

/* ---- Ways ------------------------------------------------------------------------------------ */

static bool has_way(const struct simulating *simulating, size_t a_case,
                    const struct decide_way *choice)
{
    for (size_t i = simulating->first_way[a_case]; i < simulating->count; i++)
        if (decide_same_way(&simulating->ways[i].choice, choice))
            return true;
    return false;
}

/* Lines the run of a way up, unless it would take too long. */
static void add_run(struct simulating *simulating, const struct point *point, struct way *way)
{
    const struct search_request *request = simulating->request;
    const struct sim_engine *engine = simulating->decider->native != NULL ? sim_engine_of_natives()
                                      : search_is_named(request)          ? request->named_engine
                                                                          : request->common.engine;
    const struct search_run *run = search_add_point(request, engine, simulating->grid, point);
    way->run = simulating->grid->run_count - 1;
    if (run->cost_s <= request->search_most_s / SEARCH_PARTS)
        return;
    simulating->grid->run_count--;
    decide_leave_out(simulating->audit, DECIDE_TOO_LONG, 1, NULL);
    way->run = NO_RUN;
}

/* Keeps a way with its run. */
static void keep_way(struct simulating *simulating, const struct point *point, struct way *way)
{
    add_run(simulating, point, way);
    sup_grow(&simulating->ways, simulating->count, sizeof *simulating->ways);
    simulating->ways[simulating->count++] = *way;
}

/* All of a point but its algorithm. */
static struct point point_at(const struct simulating *simulating, size_t a_case)
{
    struct point point = simulating->request->common;
    point.plan.p = p_of(simulating, a_case);
    point.plan.n = 1;
    point.m_bytes = m_of(simulating, a_case);
    point_set_rule(&point, POINT_OVERLAP, &simulating->request->overlap[0]);
    return point;
}

/* Adds what the library calls `name`, unless the case has it. True if there is a plan. */
static bool add_way(struct simulating *simulating, size_t a_case, const char *name,
                    const char *algorithm, int32_t radix, int64_t segment_bytes)
{
    const struct rb_algorithm_info *info =
        algorithm == NULL ? NULL : rb_algorithm_find(collective_of(simulating), algorithm);
    struct point point = point_at(simulating, a_case);
    if (info == NULL)
        return false;
    point.plan.algorithm = info->name;
    point.plan.radix = info->radix != NULL ? radix : 0;
    point.plan.n = decide_blocks(&point.plan, point.m_bytes, segment_bytes);
    point_resolve(&point);
    if (point.plan.n == 0)
        return false;
    struct way way = {
        .a_case = a_case,
        .n = point.plan.n,
        .choice = decide_untimed(point.plan.radix, point.plan.n > 1 ? segment_bytes : 0),
    };
    way.choice.name = decide_word(simulating->audit, name);
    way.choice.algorithm = info->name;
    if (!has_way(simulating, a_case, &way.choice))
        keep_way(simulating, &point, &way);
    return true;
}

/* Adds an algorithm of the engine of natives: `name` is "native:ompi_pipeline". */
static void add_native(struct simulating *simulating, size_t a_case, const char *name,
                       const char *algorithm, bool offered)
{
    struct point point = point_at(simulating, a_case);
    struct way way = {.a_case = a_case, .n = 1, .choice = decide_untimed(0, 0)};
    point.plan.algorithm = decide_word(simulating->audit, name);
    way.choice.name = decide_word(simulating->audit, sim_native_name(name));
    way.choice.algorithm = algorithm;
    way.choice.offered = offered;
    point_resolve(&point);
    keep_way(simulating, &point, &way);
}

/* True if there is a plan. */
static bool add_decision(struct simulating *simulating, size_t a_case, size_t of_case)
{
    const struct decide_taken *decision = &simulating->decisions[of_case];
    const struct rb_algorithm_info *info =
        decide_plan_of(simulating->decider, decision, collective_of(simulating),
                       p_of(simulating, a_case), simulating->per_node);
    return decision->name[0] != '\0' && info != NULL &&
           add_way(simulating, a_case, decision->name, info->name, decision->radix,
                   decision->segment_bytes);
}

/* The decision of the case, and those of its neighbours in p and m: would they do here? */
static void add_decisions(struct simulating *simulating, size_t a_case)
{
    const size_t sizes = sizes_of(simulating), cases = simulating->grid->case_count;
    const size_t m = a_case % sizes;
    if (simulating->decider->native != NULL) {
        add_native(simulating, a_case, simulating->decider->native, NULL, false);
        return;
    }
    if (!add_decision(simulating, a_case, a_case) && simulating->decisions[a_case].name[0] != '\0')
        decide_leave_out(simulating->audit, DECIDE_NO_PLAN, 1, simulating->decisions[a_case].name);
    if (m > 0)
        add_decision(simulating, a_case, a_case - 1);
    if (m + 1 < sizes)
        add_decision(simulating, a_case, a_case + 1);
    if (a_case >= sizes)
        add_decision(simulating, a_case, a_case - sizes);
    if (a_case + sizes < cases)
        add_decision(simulating, a_case, a_case + sizes);
}

/* ---- The library's algorithms ---------------------------------------------------------------- */

/* The n to cut segments by, and its time, of an algorithm at a case: the best on the platform, or,
 * of an algorithm that the search left out there because another one is faster, the best of the
 * model, without contention. time_s INFINITY: the search has none. */
static struct decide_sample find_best(const struct simulating *simulating, size_t a_case,
                                      const char *algorithm, const struct search_curve **of)
{
    const struct search_case *the_case = &simulating->grid->cases[a_case];
    struct decide_sample best = {.time_s = INFINITY};
    for (size_t i = 0; i < the_case->count; i++) {
        const struct search_curve *curve = &simulating->grid->curves[the_case->first + i];
        struct decide_sample sample = search_best(simulating->request, curve);
        if (strcmp(curve->point.plan.algorithm, algorithm) != 0)
            continue;
        if (search_is_named(simulating->request) && curve->named.state == SEARCH_EXCLUDED)
            sample = (struct decide_sample){curve->found.n, curve->found.time_s};
        if (sample.time_s < best.time_s) {
            best = sample;
            *of = curve;
        }
    }
    return best;
}

/* The powers of two around the segments of the best n. */
static void add_segments(struct simulating *simulating, size_t a_case,
                         const struct mpilib_algorithm *row)
{
    const struct search_curve *curve = NULL;
    const struct search_curve *winner = simulating->grid->cases[a_case].winner;
    const struct decide_sample best = find_best(simulating, a_case, row->algorithm, &curve);
    const int64_t m = m_of(simulating, a_case);
    int64_t segment = LEAST_SEGMENT;
    if (curve == NULL || winner == NULL || best.n <= 1 ||
        best.time_s > near_the_best * search_best(simulating->request, winner).time_s)
        return;
    const int64_t longest = decide_segment(&curve->point.plan, m, best.n);
    while (2 * segment <= longest)
        segment *= 2;
    for (int i = 0; i < 2 && segment < m; i++, segment *= 2)
        add_way(simulating, a_case, row->name, row->algorithm,
                mpilib_radix(row->radix, p_of(simulating, a_case)), segment);
}

static void add_library(struct simulating *simulating, size_t a_case)
{
    const struct decide_library *decider = simulating->decider;
    size_t count;
    const struct mpilib_algorithm *rows = mpilib_rows(decider->library, &count);
    char native[96];
    for (size_t i = 0; i < count; i++) {
        const struct mpilib_algorithm *row = &rows[i];
        if (strcmp(row->collective, collective_of(simulating)) != 0 ||
            !mpilib_has(row, decider->version) ||
            !mpilib_serves(row, p_of(simulating, a_case), simulating->per_node))
            continue;
        if (decider->native != NULL) {
            snprintf(native, sizeof native, "native:%s", row->name);
            add_native(simulating, a_case, native, row->algorithm, true);
            continue;
        }
        if (mpilib_info(row) == NULL)
            continue;
        add_way(simulating, a_case, row->name, row->algorithm,
                mpilib_radix(row->radix, p_of(simulating, a_case)), 0);
        if (row->segmented)
            add_segments(simulating, a_case, row);
    }
}

/* ---- Points ---------------------------------------------------------------------------------- */

static double time_of(const struct simulating *simulating, const struct way *way)
{
    return way->run == NO_RUN ? NAN : simulating->grid->runs[way->run].time_s;
}

/* What the search found that the library lacks: other algorithms, and the library's with more
 * blocks than it can cut. */
static void add_curves(struct simulating *simulating, size_t a_case)
{
    const struct search_case *the_case = &simulating->grid->cases[a_case];
    const struct decide_library *decider = simulating->decider;
    for (size_t i = 0; i < the_case->count; i++) {
        const struct search_curve *curve = &simulating->grid->curves[the_case->first + i];
        const struct rb_plan_spec *plan = &curve->point.plan;
        const struct decide_sample best = search_best(simulating->request, curve);
        const struct mpilib_algorithm *row =
            decider->native != NULL
                ? NULL
                : mpilib_ours(decider->library, decider->version, plan->collective, NULL,
                              plan->algorithm, plan->radix, plan->p, simulating->per_node);
        if (!isfinite(best.time_s) || (row != NULL && (row->segmented || best.n == 1)))
            continue;
        struct decide_way choice =
            decide_untimed(plan->radix, decide_segment(plan, curve->point.m_bytes, best.n));
        choice.name = curve->name;
        choice.algorithm = curve->point.algorithm->name;
        choice.time_s = best.time_s;
        choice.offered = false;
        decide_add_way(simulating->audit, &choice);
    }
}

static void add_ways(struct simulating *simulating, size_t a_case)
{
    const size_t skipped = simulating->decider->native != NULL; /* the decision */
    for (size_t i = simulating->first_way[a_case] + skipped; i < simulating->first_way[a_case + 1];
         i++) {
        struct decide_way choice = simulating->ways[i].choice;
        choice.time_s = time_of(simulating, &simulating->ways[i]);
        if (isfinite(choice.time_s))
            decide_add_way(simulating->audit, &choice);
    }
}

/* The decision's time is that of its way: the first one of the case, unless it has no plan. */
static struct decide_way made(const struct simulating *simulating, size_t a_case)
{
    const struct decide_taken *decision = &simulating->decisions[a_case];
    const bool native = simulating->decider->native != NULL;
    const size_t first = simulating->first_way[a_case];
    struct decide_way choice = decide_untimed(decision->radix, decision->segment_bytes);
    choice.algorithm = decision->algorithm;
    if (first < simulating->first_way[a_case + 1] &&
        (native || strcmp(simulating->ways[first].choice.name, decision->name) == 0)) {
        choice = simulating->ways[first].choice;
        choice.time_s = time_of(simulating, &simulating->ways[first]);
    }
    choice.name = decision->name;
    return choice;
}

static void add_points(struct simulating *simulating, size_t setting)
{
    for (size_t i = 0; i < simulating->grid->case_count; i++) {
        if (simulating->decisions[i].name[0] == '\0')
            continue;
        const struct decide_call point = {.place = setting,
                                          .run = "",
                                          .p = p_of(simulating, i),
                                          .m_bytes = m_of(simulating, i),
                                          .own = made(simulating, i),
                                          .has_own = true,
                                          .own_known = simulating->decider->native == NULL};
        decide_add_call(simulating->audit, &point);
        add_ways(simulating, i);
        add_curves(simulating, i);
    }
}

/* ---- All ------------------------------------------------------------------------------------- */

static int simulate(struct simulating *simulating)
{
    struct search_grid *grid = simulating->grid;
    simulating->decisions = sup_calloc(grid->case_count, sizeof *simulating->decisions);
    simulating->first_way = sup_calloc(grid->case_count + 1, sizeof *simulating->first_way);
    decide(simulating);
    const size_t first_run = grid->run_count;
    for (size_t i = 0; i < grid->case_count; i++) {
        simulating->first_way[i] = simulating->count;
        add_decisions(simulating, i);
        if (simulating->decisions[i].name[0] != '\0')
            add_library(simulating, i);
    }
    simulating->first_way[grid->case_count] = simulating->count;
    const int status = search_do_runs(simulating->request, grid, first_run,
                                      simulating->request->search_most_s / SEARCH_PARTS,
                                      "decisions", simulating->error);
    for (size_t i = first_run; i < grid->run_count; i++)
        if (grid->runs[i].stopped)
            decide_leave_out(simulating->audit, DECIDE_TOO_LONG, 1, NULL);
        else if (isnan(grid->runs[i].time_s))
            decide_leave_out(simulating->audit, DECIDE_FAILED, 1, grid->failure.text);
    return status;
}

int audit_simulate(struct decide *audit, const char *source, const struct decide_library *decider,
                   const struct search_request *request, struct search_grid *grid,
                   struct sup_error *error)
{
    struct simulating simulating = {.audit = audit,
                                    .decider = decider,
                                    .request = request,
                                    .grid = grid,
                                    .per_node = point_ranks_per_node(source, request->common.ppn),
                                    .error = error};
    const struct decide_place setting = {.place = source,
                                         .library = decider->library,
                                         .collective = collective_of(&simulating),
                                         .ppn = request->common.ppn,
                                         .per_node = simulating.per_node};
    int status = search_grid(request, grid, error);
    if (status == RB_OK)
        status = simulate(&simulating);
    if (status == RB_OK)
        add_points(&simulating, decide_add_place(audit, &setting));
    free(simulating.ways);
    free(simulating.decisions);
    free(simulating.first_way);
    return status;
}
