/* test_cost.c - the estimates of points beside CPU times that were measured once, on a core of a
 * machine of 2020. No clock is read here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>

#include "experiments/point/runs.h"
#include "tests/experiments/point_rules.h"

struct measured {
    const char *engine, *collective, *algorithm, *overlap;
    int32_t p, ppn;
    int64_t n;
    double cpu_s;
};

static double estimate_s(const struct measured *is)
{
    struct point point = {
        .plan = {.collective = is->collective, .algorithm = is->algorithm, .p = is->p, .n = is->n},
        .m_bytes = 1 << 20,
        .element_bytes = 1,
        .ppn = is->ppn,
        .engine = sim_engine_find(is->engine),
    };
    struct sup_error error;
    set_rules(&point, "regular", "block", is->overlap);
    point_resolve(&point);
    if (point_estimate(&point, &error) != RB_OK)
        fail_msg("%s %s: %s", is->collective, is->algorithm, error.text);
    return point.cost_s;
}

static double ratio_of(double a, double b)
{
    return fmax(a / b, b / a);
}

static int up(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* tests/bench/point_cost.c measured these. */
static const struct measured table[] = {
    /* 32 ranks per host, whose messages share links */
    {"simgrid", "bcast", "binomial", "blocking", 3200, 32, 1, 0.026},
    {"simgrid", "bcast", "circulant", "blocking", 3200, 32, 1, 0.04},
    {"simgrid", "bcast", "circulant", "blocking", 2400, 32, 4, 1.8},
    {"simgrid", "bcast", "circulant", "blocking", 3200, 32, 4, 2.8},
    {"simgrid", "bcast", "circulant", "blocking", 3200, 32, 8, 7.6},
    {"simgrid", "bcast", "scatter-doubling", "blocking", 3200, 32, 1, 0.2},
    {"simgrid", "bcast", "scatter-allgather", "blocking", 800, 32, 1, 1.6},
    {"simgrid", "bcast", "scatter-allgather", "blocking", 1600, 32, 1, 9},
    {"simgrid", "allgather", "ring", "blocking", 800, 32, 1, 1.5},
    {"simgrid", "allreduce", "circulant", "blocking", 1600, 32, 4, 2},
    {"flow", "bcast", "scatter-allgather", "blocking", 1600, 32, 1, 0.9},
    {"flow", "allreduce", "ring", "blocking", 1600, 32, 1, 1.7},
    {"flow", "bcast", "circulant", "blocking", 3200, 32, 16, 0.08},
    /* one or few */
    {"simgrid", "allgather", "ring", "blocking", 512, 1, 1, 1},
    {"simgrid", "alltoall", "pairwise", "blocking", 512, 1, 1, 1.7},
    {"simgrid", "bcast", "circulant", "blocking", 800, 4, 16, 0.3},
    {"simgrid", "bcast", "binary", "blocking", 512, 1, 16, 0.15},
    {"simgrid", "bcast", "chain", "blocking", 1600, 32, 16, 0.1},
    {"flow", "allreduce", "circulant", "blocking", 1600, 32, 4, 1},
    /* the variants of the engine model: waves, windows, blocking, events */
    {"model", "bcast", "circulant", "blocking", 16, 1, 1000000, 1},
    {"model", "bcast", "circulant", "blocking", 1000, 1, 256, 0.002},
    {"model", "bcast", "circulant", "blocking", 30000, 1, 256, 0.02},
    {"model", "bcast", "chain", "blocking", 10000, 1, 64, 0.06},
    {"model", "allgather", "ring", "window:4", 1500, 1, 1, 0.23},
    {"model", "bcast", "circulant", "blocking", 1000, 32, 256, 0.034},
    {"model", "bcast", "circulant", "window:4", 1000, 32, 256, 0.19},
    {"model", "bcast", "scatter-allgather", "data", 1000, 32, 1, 0.9},
};
enum { MEASURED = sizeof table / sizeof table[0] };

static void points_cost_what_was_measured(void **state)
{
    double ratio[MEASURED];
    (void)state;
    for (size_t i = 0; i < MEASURED; i++) {
        const struct measured *is = &table[i];
        ratio[i] = ratio_of(estimate_s(is), is->cpu_s);
        if (!(ratio[i] < 4))
            fail_msg("%s %s %s %s, p = %d, ppn = %d, n = %d: %g s, measured %g s", is->engine,
                     is->collective, is->algorithm, is->overlap, (int)is->p, (int)is->ppn,
                     (int)is->n, estimate_s(is), is->cpu_s);
    }
    qsort(ratio, MEASURED, sizeof *ratio, up);
    if (!(ratio[MEASURED / 2] < 1.5))
        fail_msg("half of the estimates are wrong by %g and more", ratio[MEASURED / 2]);
}

/* An engine that knows its variants says what each costs. */
static void a_variant_has_costs_of_its_own(void **state)
{
    const struct measured one = {"model", "bcast", "circulant", "blocking", 1000, 1, 1000, 0};
    struct measured shared = one, lockstep = one;
    (void)state;
    shared.ppn = 4;
    lockstep.overlap = "lockstep";
    assert_true(estimate_s(&shared) > 10 * estimate_s(&one));
    assert_true(estimate_s(&lockstep) > 5 * estimate_s(&one));
}

/* Where all ranks do the same thing, and in a tree, a few ranks tell the number of messages. */
static void messages_are_counted(void **state)
{
    static const struct {
        const char *collective, *algorithm;
        int32_t p;
        int64_t n;
        double messages;
    } known[] = {
        {"allgather", "ring", 100, 1, 100 * 99.0},
        {"alltoall", "pairwise", 96, 1, 96 * 95.0},
        {"allreduce", "recursive-doubling", 64, 1, 64 * 6.0},
        {"bcast", "chain", 100, 8, 99 * 8.0},
        {"bcast", "flat", 200, 1, 199},
    };
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        struct point point = {.plan = {.collective = known[i].collective,
                                       .algorithm = known[i].algorithm,
                                       .p = known[i].p,
                                       .n = known[i].n},
                              .m_bytes = 1 << 20,
                              .element_bytes = 1,
                              .ppn = 1,
                              .engine = sim_engine_find("simgrid")};
        struct point_effort effort;
        struct sup_error error;
        set_rules(&point, "regular", "block", "blocking");
        point_resolve(&point);
        if (point_effort_find(&point, &effort, &error) != RB_OK)
            fail_msg("%s", error.text);
        if (ratio_of(effort.messages, known[i].messages) > 1.3)
            fail_msg("%s %s: %g messages, not %g", known[i].collective, known[i].algorithm,
                     effort.messages, known[i].messages);
    }
}

/* Where ranks exchange messages in pairs, and in trees, the rates of few messages depend on each
 * other. */
static void connections_are_counted(void **state)
{
    struct point point = {
        .plan = {.collective = "allreduce", .algorithm = "recursive-doubling", .p = 1024, .n = 1},
        .m_bytes = 1024,
        .element_bytes = 1,
        .ppn = 32,
        .engine = sim_engine_find("simgrid"),
    };
    struct point_effort effort;
    struct sup_error error;
    (void)state;
    set_rules(&point, "regular", "block", "blocking");
    point_resolve(&point);
    if (point_effort_find(&point, &effort, &error) != RB_OK)
        fail_msg("%s", error.text);
    assert_true(effort.exchanged == 1 && effort.connected == 0);
    point.plan.algorithm = "ring";
    point_resolve(&point);
    assert_int_equal(point_effort_find(&point, &effort, &error), RB_OK);
    assert_true(effort.exchanged == 0 && effort.connected == 0 && effort.messages > 0);
    point.plan =
        (struct rb_plan_spec){.collective = "bcast", .algorithm = "circulant", .p = 1000, .n = 40};
    point_resolve(&point);
    assert_int_equal(point_effort_find(&point, &effort, &error), RB_OK);
    assert_true(effort.connected > 0.9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_cost_what_was_measured),
        cmocka_unit_test(a_variant_has_costs_of_its_own),
        cmocka_unit_test(messages_are_counted),
        cmocka_unit_test(connections_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
