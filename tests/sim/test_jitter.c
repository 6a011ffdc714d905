/* test_jitter.c - copies of a run with latencies that are a little longer. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "sim/engine/jitter.h"

static struct rb_plan *plan;
static struct rb_layout layout;

static struct sim_spec make_spec(int32_t p, int64_t n, int64_t bytes)
{
    const struct rb_plan_spec wanted = {
        .collective = "bcast", .algorithm = "circulant", .p = p, .n = n};
    char why[256];
    rb_plan_destroy(plan);
    if (rb_plan_create(&wanted, &plan, why, sizeof why) != RB_OK)
        fail_msg("%s", why);
    layout = (struct rb_layout){.bytes = bytes, .element = 1};
    return (struct sim_spec){.plan = plan,
                             .layout = &layout,
                             .platform = "dragonfly:1056",
                             .ppn = 1,
                             .placement = {.rule = SIM_RANDOM, .seed = 1},
                             .overlap = {.rule = SIM_BLOCKING}};
}

static double time_of(const char *engine, struct sim_spec spec, uint64_t seed)
{
    struct sim_result result;
    struct sup_error error;
    spec.jitter = seed;
    if (sim_run(sim_engine_find(engine), &spec, &result, &error) != RB_OK)
        fail_msg("%s", error.text);
    const double time_s = result.time_s;
    sim_result_free(&result);
    return time_s;
}

static void factors_follow_from_copy_and_rank_alone(void **state)
{
    double sum = 0, least = 2, most = 0;
    (void)state;
    assert_true(sim_jitter_factor(0, 7) == 1);
    assert_true(sim_jitter_factor(3, 7) == sim_jitter_factor(3, 7));
    assert_true(sim_jitter_factor(3, 7) != sim_jitter_factor(3, 8));
    assert_true(sim_jitter_factor(3, 7) != sim_jitter_factor(4, 7));
    for (uint64_t i = 0; i < 1000; i++) {
        const double share = (sim_jitter_factor(1, i) - 1) / SIM_JITTER;
        sum += share;
        least = fmin(least, share);
        most = fmax(most, share);
    }
    assert_true(least >= 0 && least < 0.01 && most > 0.99 && most <= 1 + 1e-9);
    assert_true(fabs(sum / 1000 - 0.5) < 0.05);
}

/* On a short run nothing grows: the times differ by less than the jitter, but they do differ; and
 * the same seed gives the same bits. */
static void short_runs(void **state)
{
    static const char *const engines[] = {"flow", "simgrid"};
    const struct sim_spec spec = make_spec(64, 4, 1 << 20);
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        const double plain_s = time_of(engines[i], spec, 0);
        for (uint64_t seed = 1; seed <= 3; seed++) {
            const double time_s = time_of(engines[i], spec, seed);
            assert_true(time_s == time_of(engines[i], spec, seed));
            assert_true(time_s != plain_s && fabs(time_s / plain_s - 1) < SIM_JITTER);
        }
    }
}

/* A message's latency grows by the mean of its two hosts' factors, whichever of them sends. */
static void one_message(void **state)
{
    struct sim_spec spec = make_spec(2, 1, 1);
    (void)state;
    spec.platform = "crossbar:2";
    spec.placement.rule = SIM_BLOCK;
    const double plain_s = time_of("flow", spec, 0);
    for (uint64_t seed = 1; seed <= 9; seed++) {
        const double mean = (sim_jitter_factor(seed, 0) + sim_jitter_factor(seed, 1)) / 2;
        const double longer_s = time_of("flow", spec, seed) - plain_s;
        assert_true(fabs(longer_s / 1e-6 - (mean - 1)) < 1e-3 * SIM_JITTER);
    }
}

/* On a long run with contention a millionth of a latency becomes percents. */
static void a_chaotic_run(void **state)
{
    const struct sim_spec spec = make_spec(512, 64, 16 << 20);
    struct sim_result result;
    struct sim_spread spread;
    struct sup_error error;
    (void)state;
    assert_int_equal(sim_run_copies(sim_engine_find("flow"), &spec, 4, &result, &spread, &error),
                     RB_OK);
    assert_true(spread.high_s > spread.low_s * (1 + 1e-4));
    sim_result_free(&result);
}

static int by_value(const void *a, const void *b)
{
    return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

static void the_median(void **state)
{
    const struct sim_spec spec = make_spec(64, 16, 1 << 20);
    const struct sim_engine *flow = sim_engine_find("flow");
    (void)state;
    for (int32_t copies = 1; copies <= 4; copies++) {
        double times[4];
        struct sim_result result;
        struct sim_spread spread;
        struct sup_error error;
        for (int32_t i = 0; i < copies; i++)
            times[i] = time_of("flow", spec, (uint64_t)i + 1);
        qsort(times, (size_t)copies, sizeof *times, by_value);
        assert_int_equal(sim_run_copies(flow, &spec, copies, &result, &spread, &error), RB_OK);
        assert_int_equal(spread.copies, copies);
        assert_true(spread.low_s == times[0] && spread.high_s == times[copies - 1]);
        assert_true(result.time_s == times[(copies - 1) / 2]);
        sim_result_free(&result);
    }
}

static void without_copies(void **state)
{
    struct sim_spec spec = make_spec(16, 4, 1000);
    struct sim_result result;
    struct sim_spread spread;
    struct sup_error error;
    (void)state;
    assert_int_equal(sim_run_copies(sim_engine_find("model"), &spec, 0, &result, &spread, &error),
                     RB_EINVAL);
    spec.platform = "crossbar:16";
    spec.placement.rule = SIM_BLOCK;
    assert_int_equal(sim_run_copies(sim_engine_find("model"), &spec, 0, &result, &spread, &error),
                     RB_OK);
    assert_true(spread.copies == 0 && isnan(spread.low_s) && isnan(spread.high_s));
    sim_result_free(&result);
    assert_int_equal(sim_run_copies(sim_engine_find("model"), &spec, 2, &result, &spread, &error),
                     RB_EINVAL);
    spec.overlap.rule = SIM_LOCKSTEP;
    assert_int_equal(sim_run_copies(sim_engine_find("flow"), &spec, 2, &result, &spread, &error),
                     RB_EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(factors_follow_from_copy_and_rank_alone),
        cmocka_unit_test(short_runs),
        cmocka_unit_test(the_median),
        cmocka_unit_test(a_chaotic_run),
        cmocka_unit_test(without_copies),
        cmocka_unit_test(one_message),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    rb_plan_destroy(plan);
    return failed;
}
