/* test_late_bounds.c - bounds for ranks that arrive at different times, against the best of all
 * schedules of messages that carry nothing, and against simulated plans. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "experiments/point/runs.h"
#include "platforms/network.h"
#include "sim/engine/engine.h"
#include "sim/workload/arrival.h"

/* ---- All schedules of messages that take 1 and carry nothing ----------------------------------
 */

enum { MOST = 5 };

struct search {
    int32_t p;
    int32_t arrival[MOST];
    int32_t best; /* ends no later than this are known */
};

/* At `now` the ranks know the sets `known`, and i's messages on the way end at ends[i], with what
 * their senders knew. Tries all messages that can start, one port each way. */
struct moment {
    int32_t now;
    uint32_t known[MOST];
    int32_t busy_out[MOST], busy_in[MOST]; /* until */
    uint32_t coming[MOST];                 /* by receiver */
};

static bool all_know(const struct search *search, const struct moment *m, uint32_t wanted)
{
    bool all = true;
    for (int32_t r = 0; r < search->p; r++)
        all = all && (m->known[r] & wanted) == wanted;
    return all;
}

static void go_on(struct search *search, struct moment m, uint32_t wanted, int32_t from);

static void next_moment(struct search *search, struct moment m, uint32_t wanted)
{
    m.now++;
    for (int32_t r = 0; r < search->p; r++)
        if (m.busy_in[r] == m.now)
            m.known[r] |= m.coming[r];
    if (all_know(search, &m, wanted)) {
        search->best = m.now < search->best ? m.now : search->best;
        return;
    }
    if (m.now + 1 < search->best)
        go_on(search, m, wanted, 0);
}

/* Ranks from `from` on may still send now. Times are whole: delaying to a whole time costs nothing
 * where arrivals and messages are whole. */
static void go_on(struct search *search, struct moment m, uint32_t wanted, int32_t from)
{
    if (from == search->p) {
        next_moment(search, m, wanted);
        return;
    }
    for (int32_t to = 0; to < search->p; to++) {
        if (to == from || m.now < search->arrival[from] || m.now < search->arrival[to] ||
            m.busy_in[to] > m.now || (m.known[from] & ~m.known[to] & wanted) == 0)
            continue;
        struct moment with = m;
        with.busy_out[from] = with.busy_in[to] = m.now + 1;
        with.coming[to] = m.known[from];
        go_on(search, with, wanted, from + 1);
    }
    go_on(search, m, wanted, from + 1);
}

static int32_t best_end(const int32_t arrival[], int32_t p, uint32_t wanted)
{
    struct search search = {.p = p, .best = 12};
    struct moment start = {0};
    for (int32_t r = 0; r < p; r++) {
        search.arrival[r] = arrival[r];
        start.known[r] = 1u << r;
    }
    go_on(&search, start, wanted, 0);
    return search.best;
}

static int by_time(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Of rank 0's data. */
static double informed(const int32_t arrival[], int32_t p, int32_t ports)
{
    double sorted_s[MOST], room[MOST];
    for (int32_t r = 0; r < p; r++)
        sorted_s[r] = arrival[r];
    qsort(sorted_s, (size_t)p, sizeof *sorted_s, by_time);
    return point_bound_informed_s(sorted_s, p, arrival[0], ports, 1, room);
}

static void greedy_is_the_best_broadcast(void **state)
{
    (void)state;
    for (int32_t p = 2; p <= MOST; p++) {
        int32_t patterns = 1;
        for (int32_t r = 0; r < p; r++)
            patterns *= 3;
        for (int32_t i = 0; i < patterns; i++) {
            static const int32_t times[] = {0, 1, 3};
            int32_t arrival[MOST];
            for (int32_t r = 0, rest = i; r < p; r++, rest /= 3)
                arrival[r] = times[rest % 3];
            const int32_t best = best_end(arrival, p, 1);
            if (best != (int32_t)informed(arrival, p, 1))
                fail_msg("p %d, arrivals %d: %d, the best ends at %d", p, i,
                         (int32_t)informed(arrival, p, 1), best);
        }
    }
}

static void one_late_rank_delays_an_allreduce_so_long(void **state)
{
    (void)state;
    for (int32_t p = 2; p <= 4; p++)
        for (int32_t by = 0; by <= 4; by += 2) {
            int32_t arrival[MOST] = {by};
            assert_int_equal(best_end(arrival, p, (1u << p) - 1), by + rb_ceil_log2(p));
        }
}

static void more_ports_inform_more(void **state)
{
    (void)state;
    static const int32_t together[MOST], late[MOST] = {0, 7, 0, 7, 2};
    assert_true(informed(together, 4, 3) == 1 && informed(together, 5, 3) == 2);
    assert_true(informed(together, 5, 0) == 1);
    assert_true(informed(late, 5, 1) == 8 && informed(late, 3, 1) == 8);
}

/* ---- Simulated plans ---------------------------------------------------------------------------
 */

static uint64_t draw(uint64_t *seed, uint64_t below)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (*seed >> 33) % below;
}

struct run {
    struct rb_plan_spec plan;
    const char *platform;
    int64_t bytes;
    double late_s;
    int32_t ppn;
};

/* The time over the bound, both from 0 on; of the last arrival, if since is true. */
static double over_bound(const struct run *run, uint64_t *seed, double *since)
{
    struct rb_plan *plan;
    const int32_t p = run->plan.p;
    if (rb_plan_create(&run->plan, &plan, NULL, 0) != RB_OK)
        return NAN;
    const struct sim_engine *engine = sim_engine_find("flow");
    struct rb_layout layout = {.bytes = run->bytes, .element = 1};
    struct sim_spec spec = {.plan = plan,
                            .layout = &layout,
                            .platform = run->platform,
                            .ppn = run->ppn,
                            .overlap = {.rule = SIM_BLOCKING}};
    struct sim_workload workload;
    struct sim_result result;
    struct platform_cuts cuts = {0};
    struct point_bound bound;
    struct sup_error error = {""};
    double *at_s = malloc((size_t)p * sizeof *at_s), last_s = 0;
    for (int32_t r = 0; r < p; r++) {
        at_s[r] = run->late_s * (double)draw(seed, 5) / 4;
        last_s = fmax(last_s, at_s[r]);
    }
    sim_arrival_workload(&spec, at_s, &workload);
    int status = platform_find_cuts(run->platform, &cuts, &error);
    if (status == RB_OK)
        status = point_bound_find(&spec, engine, &cuts, NULL, NULL, &bound, &error);
    if (status == RB_OK)
        status = point_bound_arrivals(&spec, engine, &cuts, NULL, at_s, &bound, &error);
    spec.workload = &workload;
    if (status == RB_OK)
        status = sim_run(engine, &spec, &result, &error);
    if (status != RB_OK)
        fail_msg("%s %s p %d on %s: %s", run->plan.collective, run->plan.algorithm, p,
                 run->platform, error.text);
    const double time_s = result.time_s;
    sim_result_free(&result);
    sim_workload_free(&workload);
    rb_plan_destroy(plan);
    free(at_s);
    *since = (time_s - last_s) / (bound.time_s - last_s);
    if (time_s < bound.time_s * (1 - 1e-9))
        fail_msg("%s %s p %d n %d root %d m %d on %s, ppn %d: %.17g, below the bound %.17g (%s)",
                 run->plan.collective, run->plan.algorithm, p, (int)run->plan.n, run->plan.root,
                 (int)run->bytes, run->platform, run->ppn, time_s, bound.time_s, bound.part);
    return time_s / bound.time_s;
}

static void no_plan_beats_the_bound(void **state)
{
    (void)state;
    static const char *const platforms[] = {"crossbar:12", "fat-tree:12,down=4x3", "torus:3x4",
                                            "crossbar:12,ports=2"};
    static const int64_t sizes[] = {1, 4096, 1000000};
    uint64_t seed = 1;
    double nearest = INFINITY, since;
    int runs = 0;
    for (int32_t i = 0; rb_algorithm_at(i) != NULL; i++) {
        const struct rb_algorithm_info *info = rb_algorithm_at(i);
        if (rb_collective_find(info->collective)->fixed_counts)
            continue;
        for (int turn = 0; turn < 3; turn++) {
            struct run run = {.plan = {.collective = info->collective,
                                       .algorithm = info->name,
                                       .n = turn == 2 ? 5 : 1,
                                       .ports = turn == 1 ? 2 : 1},
                              .platform = platforms[draw(&seed, 4)],
                              .bytes = sizes[draw(&seed, 3)],
                              .late_s = (double)draw(&seed, 3) * 20e-6,
                              .ppn = turn == 1 ? 2 : 1};
            run.plan.p = 12 * run.ppn - (int32_t)draw(&seed, 9);
            while (run.plan.p > 1 && !rb_plan_is_supported(&run.plan))
                run.plan.p--;
            if (rb_takes_root(info))
                run.plan.root = (int32_t)draw(&seed, (uint64_t)run.plan.p);
            if (run.plan.p < 2 || isnan(over_bound(&run, &seed, &since)))
                continue;
            nearest = fmin(nearest, since);
            runs++;
        }
    }
    assert_true(runs > 300);
    assert_true(nearest < 1.05);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(greedy_is_the_best_broadcast),
        cmocka_unit_test(one_late_rank_delays_an_allreduce_so_long),
        cmocka_unit_test(more_ports_inform_more),
        cmocka_unit_test(no_plan_beats_the_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
