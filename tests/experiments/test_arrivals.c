/* test_arrivals.c - points whose ranks come at different times: what is reported of them, by two
 * engines that walk by code of their own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "point_rules.h"
#include "schedules/plan/random.h"

/* A point on a platform that is kept. */
static struct point point_of(const char *collective, const char *algorithm, int32_t p, int64_t n,
                             const char *engine, const char *platform)
{
    static struct point_known_platform known[8];
    static size_t count;
    struct sup_error error;
    size_t i = 0;
    while (i < count && strcmp(known[i].text, platform) != 0)
        i++;
    assert_true(i < sizeof known / sizeof *known);
    const struct sim_spec how = {0};
    if (i == count && point_known_platform_make(platform, &how, sim_engine_find("flow"),
                                                &known[count++], &error) != RB_OK)
        fail_msg("%s", error.text);
    struct point point = {
        .plan = {.collective = collective, .algorithm = algorithm, .p = p, .n = n, .ports = 1},
        .m_bytes = 40000,
        .element_bytes = 1,
        .ppn = 1,
        .engine = sim_engine_find(engine),
        .engine_text = engine,
        .engine_options = ""};
    point_resolve(&point);
    point_set_platform(&point, &known[i]);
    set_rules(&point, "regular", "block", "blocking");
    return point;
}

static struct point_outcome run(struct point point, const char *arrival)
{
    struct point_rule rule;
    struct point_outcome outcome;
    if (point_rule_read(POINT_ARRIVAL, arrival, &rule, &outcome.error) != RB_OK)
        fail_msg("%s", outcome.error.text);
    point_set_rule(&point, POINT_ARRIVAL, &rule);
    point_run(&point, NULL, &outcome);
    point_rule_free(&rule);
    if (!outcome.done)
        fail_msg("%s %s: %s", point.plan.algorithm, arrival, outcome.error.text);
    return outcome;
}

/* A bcast by flat sends to ranks 1, 2, 3 in turn, each message 1 us and 3.2 us. */
static void values_are_those_by_hand(void **state)
{
    static const double message_s = 1e-6 + 40000 / 12.5e9;
    (void)state;
    const struct point point = point_of("bcast", "flat", 4, 1, "flow", "crossbar:4");
    const struct point_outcome late = run(point, "late:1:100us:rank2");
    assert_true(late.last_arrival_s == 100e-6);
    /* Rank 1 has all after a message; the root waits for rank 2, then sends to it and to rank 3. */
    assert_true(fabs(late.time_s - 2 * message_s) < 1e-12);
    const double inside_s = (100e-6 + 2 * message_s) * 2 + message_s + message_s;
    assert_true(fabs(late.mean_inside_s - inside_s / 4) < 1e-12);
    /* In no time the root and rank 3 would have waited for 100 us. */
    assert_true(fabs(late.waiting_share - 200e-6 / inside_s) < 1e-9);
    assert_true(isnan(late.closed_form_s) && late.time_s >= late.bound.time_s);
    /* Whose message is the root's last. */
    const struct point_outcome last = run(point, "late:1:100us:rank3");
    assert_true(fabs(last.time_s - message_s) < 1e-12);
    assert_true(fabs(last.time_s - last.bound.time_s) < 1e-12);
}

/* A workload of one step has the bits of the collective alone. */
static void late_by_nothing_is_together(void **state)
{
    static const char *const platforms[] = {"crossbar:24", "torus:5x5"};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        const struct point point = point_of("allreduce", "ring", 24, 1, "flow", platforms[i]);
        const struct point_outcome late = run(point, "late:3:0s"), plain = run(point, "together");
        assert_true(late.time_s == plain.time_s && late.bound.time_s == plain.bound.time_s);
        assert_true(late.messages == plain.messages && late.moved_bytes == plain.moved_bytes);
        assert_true(isnan(plain.mean_inside_s) && late.mean_inside_s > 0);
        assert_true(late.waiting_share == 0);
    }
}

/* Nothing ends sooner after the last arrival than the bound says, and simgrid agrees. */
static void two_engines_agree(void **state)
{
    static const struct {
        const char *collective, *algorithm;
        int64_t n;
    } plans[] = {{"bcast", "circulant", 3}, {"bcast", "binomial", 1},
                 {"reduce", "chain", 4},    {"allreduce", "circulant", 2},
                 {"allgather", "ring", 1},  {"alltoall", "pairwise", 1}};
    static const char *const arrivals[] = {"late:2:20us:7", "uniform:30us:5", "exponential:9us:3",
                                           "sorted:40us"};
    uint64_t seed = 1;
    (void)state;
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++)
        for (size_t k = 0; k < sizeof arrivals / sizeof *arrivals; k++) {
            const int32_t p = 2 + (int32_t)rb_random_below(&seed, 15);
            const char *platform = k % 2 == 0 ? "fat-tree:16" : "torus:4x4";
            struct point point =
                point_of(plans[i].collective, plans[i].algorithm, p, plans[i].n, "flow", platform);
            const struct point_outcome flow = run(point, arrivals[k]);
            point.engine = sim_engine_find("simgrid");
            const struct point_outcome simgrid = run(point, arrivals[k]);
            if (fabs(flow.time_s - simgrid.time_s) > 1e-9 * flow.time_s ||
                fabs(flow.mean_inside_s - simgrid.mean_inside_s) > 1e-9 * flow.mean_inside_s ||
                flow.time_s < flow.bound.time_s * (1 - 1e-9) || !(flow.bound.time_s > 0) ||
                !(flow.waiting_share >= 0 && flow.waiting_share < 1))
                fail_msg("%s, p = %d, %s on %s: flow %.17g, %.17g; simgrid %.17g, %.17g; bound %g",
                         plans[i].algorithm, (int)p, arrivals[k], platform, flow.time_s,
                         flow.mean_inside_s, simgrid.time_s, simgrid.mean_inside_s,
                         flow.bound.time_s);
        }
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Of several seeds each value is a median of its own, the lower one of two. */
static void seeds_have_medians(void **state)
{
    static const char *const one[] = {"uniform:50us:3", "uniform:50us:4", "uniform:50us:5",
                                      "uniform:50us:6"};
    double time_s[4], inside_s[4], waiting[4];
    (void)state;
    const struct point point = point_of("bcast", "circulant", 13, 3, "flow", "crossbar:16");
    for (size_t i = 0; i < 4; i++) {
        const struct point_outcome outcome = run(point, one[i]);
        time_s[i] = outcome.time_s;
        inside_s[i] = outcome.mean_inside_s;
        waiting[i] = outcome.waiting_share;
    }
    qsort(time_s, 4, sizeof *time_s, by_value);
    qsort(inside_s, 4, sizeof *inside_s, by_value);
    qsort(waiting, 4, sizeof *waiting, by_value);
    assert_true(time_s[0] < time_s[1] && time_s[1] < time_s[2]);
    const struct point_outcome all = run(point, "uniform:50us:3..6");
    assert_true(all.time_s == time_s[1] && all.mean_inside_s == inside_s[1] &&
                all.waiting_share == waiting[1]);
}

/* Without contention the model's ports and fair shares take the same time. */
static void the_model_agrees(void **state)
{
    static const char *const algorithms[] = {"circulant", "binomial", "chain"};
    (void)state;
    for (size_t i = 0; i < 3; i++)
        for (int32_t p = 2; p <= 33; p += 31) {
            struct point point =
                point_of("bcast", algorithms[i], p, i == 1 ? 1 : 3, "flow", "crossbar:33");
            const struct point_outcome flow = run(point, "uniform:30us:5");
            point.engine = sim_engine_find("model");
            const struct point_outcome model = run(point, "uniform:30us:5");
            assert_true(fabs(model.time_s - flow.time_s) < 1e-9 * flow.time_s);
            assert_true(fabs(model.mean_inside_s - flow.mean_inside_s) < 1e-9 * flow.mean_inside_s);
            assert_true(model.waiting_share > 0 && model.rounds == flow.rounds);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_those_by_hand), cmocka_unit_test(late_by_nothing_is_together),
        cmocka_unit_test(two_engines_agree),        cmocka_unit_test(the_model_agrees),
        cmocka_unit_test(seeds_have_medians),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
