/* test_bench.c - the benchmarks' statistics of times, and their refusal to time wrong code (ld
 * --wrap makes it wrong). No test looks at how long anything takes. */
#define _POSIX_C_SOURCE 200809L /* mkdtemp, unlink */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "command/bench/bench.h"
#include "plots/figure/plot.h"
#include "roundabout.h"
#include "schedules/plan/random.h"
#include "studies/measure/measure.h"
#include "tests/bench/simulated.h"

static bool spoilt; /* receive schedules are */

void __real_rb_circulant_recv(const struct rb_circulant *graph, int32_t r, int8_t block[]);
void __wrap_rb_circulant_recv(const struct rb_circulant *graph, int32_t r, int8_t block[]);

void __wrap_rb_circulant_recv(const struct rb_circulant *graph, int32_t r, int8_t block[])
{
    __real_rb_circulant_recv(graph, r, block);
    if (spoilt && graph->q > 0)
        block[graph->q - 1]++;
}

static bool doubled; /* closed forms are */

int __real_rb_plan_cost(const struct rb_plan *plan, const struct rb_layout *layout, double alpha_s,
                        double beta_s_per_byte, double *time_s);
int __wrap_rb_plan_cost(const struct rb_plan *plan, const struct rb_layout *layout, double alpha_s,
                        double beta_s_per_byte, double *time_s);

int __wrap_rb_plan_cost(const struct rb_plan *plan, const struct rb_layout *layout, double alpha_s,
                        double beta_s_per_byte, double *time_s)
{
    const int status = __real_rb_plan_cost(plan, layout, alpha_s, beta_s_per_byte, time_s);
    *time_s *= doubled ? 2 : 1;
    return status;
}

static void quartiles_lie_between_values(void **state)
{
    double five[] = {40, 10, 30, 20, 50}, two[] = {2, 1}, one[] = {7};
    (void)state;
    struct bench_spread spread = bench_spread_of(five, 5);
    assert_true(spread.low == 20 && spread.median == 30 && spread.high == 40);
    spread = bench_spread_of(two, 2);
    assert_true(spread.low == 1.25 && spread.median == 1.5 && spread.high == 1.75);
    spread = bench_spread_of(one, 1);
    assert_true(spread.low == 7 && spread.median == 7 && spread.high == 7);
}

static void random_numbers_stay_below(void **state)
{
    uint64_t seed = 1;
    bool seen[6] = {false};
    (void)state;
    for (int32_t i = 0; i < 1000; i++)
        seen[rb_random_below(&seed, 6) % 6] = true;
    for (int32_t i = 0; i < 6; i++)
        assert_true(seen[i]);
    for (int32_t i = 0; i < 1000; i++)
        assert_true(rb_random_below(&seed, 6) < 6);
    assert_int_equal(rb_random_below(&seed, 1), 0);
}

/* Results in which every rank takes 1000 ns literally, 450 alone, 3 in a table, and 5 with both
 * rows; three p of each range, of which one was disturbed. */
static struct bench_core_results made_results(void)
{
    static struct bench_core_sample samples[3 * (BENCH_CORE_RANGES + BENCH_CORE_GOALS)];
    struct bench_core_results results = {.samples = samples};
    for (int32_t i = 0; i < BENCH_CORE_PLANS; i++)
        results.plans[i] = (struct bench_core_plan){"hosts", "16/32", 1024, 27 + i, 102};
    for (int32_t i = 0; i < 3; i++) {
        const double slower = i == 1 ? 2 : 1;
        for (int32_t j = 0; j < BENCH_CORE_RANGES + BENCH_CORE_GOALS; j++) {
            const int32_t range = j < BENCH_CORE_RANGES ? j : -1;
            const int32_t goal = j < BENCH_CORE_RANGES ? -1 : j - BENCH_CORE_RANGES;
            samples[results.count++] = (struct bench_core_sample){
                .range = range,
                .goal = goal,
                .p = range >= 0 ? bench_core_ranges[range].last : bench_core_goals[goal].p,
                .ns = {1000 * slower, 450 * slower, 3 * slower, 5 * slower}};
        }
    }
    return results;
}

static char text[1 << 16];

/* A file, whose text take_text takes. */
static FILE *open_text(void)
{
    FILE *stream = tmpfile();
    assert_non_null(stream);
    return stream;
}

static void take_text(FILE *stream)
{
    rewind(stream);
    text[fread(text, 1, sizeof text - 1, stream)] = '\0';
    fclose(stream);
}

static void the_table_is_the_papers(void **state)
{
    struct bench_request request = {.samples = 3, .seed = 9, .details = true};
    const struct bench_core_results results = made_results();
    (void)state;
    request.stream = open_text();
    request.format = OUT_TEXT;
    bench_core_print(&request, &results);
    take_text(request.stream);
    assert_non_null(strstr(text, "\n1..17000                2769       334      1000 (1000-1500)"
                                 "         450 (450-675)      3.00 (3.00-4.50)"
                                 "      5.00 (5.00-7.50)"
                                 "      0.45 (0.45-0.45)\n"));
    assert_non_null(strstr(text, "table, ns per rank                        3.00 (3.00-4.50)"
                                 "         2  missed\n"));
    assert_non_null(strstr(text, "table, ns per rank                        3.00 (3.00-4.50)"
                                 "         4  met\n"));
    assert_non_null(strstr(text, "both rows, ns per rank                    5.00 (5.00-7.50)"
                                 "         4  missed\n"));
    assert_non_null(strstr(text, "ranks shuffled          0.45 (0.45-0.45)      0.45  met\n"));
    assert_non_null(
        strstr(text, "\n1024      hosts        16/32                    29          102\n"));
    assert_non_null(strstr(text, "\n3 p per range (seed 9)"));
}

static void rows_name_what_was_measured(void **state)
{
    struct bench_request request = {.samples = 3, .seed = 9};
    const struct bench_core_results results = made_results();
    (void)state;
    request.stream = open_text();
    request.format = OUT_CSV;
    bench_core_print(&request, &results);
    take_text(request.stream);
    assert_int_equal(
        strncmp(text,
                "p_first,p_last,p,order,literal_ns,one_rank_ns,table_ns,both_ns,seed,cpu,"
                "compiler,version\n1,17000,17000,rising,1000,450,3,5,9,\"",
                strlen("p_first,p_last,p,order,literal_ns,one_rank_ns,table_ns,both_ns,seed,"
                       "cpu,compiler,version\n1,17000,17000,rising,1000,450,3,5,9,\"")),
        0);
    assert_non_null(strstr(text, "\n2000000,2000000,2000000,shuffled,2000,900,6,10,9,\""));
    request.stream = open_text();
    request.format = OUT_JSON;
    bench_core_print(&request, &results);
    take_text(request.stream);
    assert_non_null(strstr(text, "\"benchmark\": \"core\""));
    assert_non_null(strstr(text, "\"order\": \"shuffled\""));
}

/* One p from each quarter of each range. */
static void assert_spread_over_ranges(const struct bench_core_results *results)
{
    int32_t found[BENCH_CORE_RANGES] = {0};
    for (size_t i = 0; i < results->count; i++) {
        const struct bench_core_sample *sample = &results->samples[i];
        if (sample->range < 0)
            continue;
        const struct bench_core_range *range = &bench_core_ranges[sample->range];
        const double quarter = (range->last - range->first + 1) / 4.0;
        assert_int_equal((int32_t)((sample->p - range->first) / quarter), found[sample->range]++);
    }
    for (int32_t i = 0; i < BENCH_CORE_RANGES; i++)
        assert_int_equal(found[i], 4);
}

static void wrong_schedules_are_not_timed(void **state)
{
    const struct bench_request request = {.samples = 4, .seed = 1};
    struct bench_core_results results;
    struct sup_error error = {""};
    (void)state;
    spoilt = true;
    assert_int_equal(bench_core_measure(&request, &results, &error), RB_EWRONG);
    spoilt = false;
    assert_non_null(strstr(error.text, "are not those of the literal transcription"));
    assert_spread_over_ranges(&results);
    assert_true(results.samples[0].ns[BENCH_CORE_TABLE] > 0);
    assert_true(results.samples[1].ns[BENCH_CORE_TABLE] == 0); /* it stopped there */
    free(results.samples);
}

/* Each case three times: 2, 3 and 50 seconds for 600 million messages, 65 bytes per rank; simgrid
 * takes 150 times as long, and 1 GB. */
static struct bench_results made_runs(const struct bench_simulated *simulated)
{
    static const double seconds[] = {50, 2, 3};
    static struct bench_sample samples[100];
    struct bench_results results = {.samples = samples};
    for (size_t i = 0; i < 3; i++)
        for (size_t which = 0; which < simulated->count; which++) {
            const bool slow = strcmp(simulated->name, "flow") == 0 &&
                              strcmp(simulated->cases[which].engine, "simgrid") == 0;
            const int32_t p = simulated->cases[which].p;
            samples[results.count++] = (struct bench_sample){
                .which = which,
                .p = p,
                .messages = 600000000,
                .cost = {1 + seconds[i] * (slow ? 150 : 1), slow ? 1000000000 : 7 + 65 * p},
                .two = {1, 7},
                .time_s = slow ? 0.002 * 1.01 : 0.002};
        }
    return results;
}

static void print_runs(const struct bench_simulated *simulated, enum out_format format)
{
    struct bench_engine_request request = {.samples = 3, .format = format};
    const struct bench_results results = made_runs(simulated);
    request.stream = open_text();
    bench_simulated_print(simulated, &request, &results);
    take_text(request.stream);
}

static void engines_are_shown(void **state)
{
    (void)state;
    print_runs(&bench_simulated_model, OUT_TEXT);
    assert_non_null(strstr(text,
                           "\nmodel    waves      blocking   1000000  100"
                           "           200 (106-250)  100  met            65   64  missed\n"));
    assert_non_null(strstr(text, "\nsimgrid  its choice blocking      1024   50"
                                 "           200 (106-250)                      65\n"));
    print_runs(&bench_simulated_model, OUT_CSV);
    assert_non_null(strstr(text, "\nmodel,waves,blocking,1000000,100,600000000,51,12000000,65,"
                                 "crossbar:1000000,block,1000000,1,65000007,0.002,\""));
    print_runs(&bench_simulated_model, OUT_JSON);
    assert_non_null(strstr(text, "\"benchmark\": \"model\""));
    assert_non_null(strstr(text, "\"messages_per_s\": 300000000.0"));
}

/* A ratio is that of two runs beside each other: it is 150 each time, though the runs vary. */
static void contention_is_shown(void **state)
{
    (void)state;
    print_runs(&bench_simulated_flow, OUT_TEXT);
    assert_non_null(
        strstr(text, "\ndragonfly-1k   dragonfly:1056   random:1    1024   32"
                     "                200 (106-250)         1.33 (0.707-1.67)     150 (150-150)"));
    assert_non_null(strstr(text, "       2 ms     9.9e-03\n"));
    assert_non_null(strstr(text, "\ndragonfly-1k   times faster than simgrid, at least"
                                 "           150 (150-150)     100  met\n"));
    assert_non_null(strstr(text, "\ndragonfly-100k seconds of CPU time, at most"
                                 "                   3 (2.5-26.5)      60  met\n"));
    print_runs(&bench_simulated_flow, OUT_JSON);
    assert_non_null(strstr(text, "\"benchmark\": \"flow\""));
    assert_non_null(strstr(text, "\"platform\": \"fat-tree:16384\""));
}

static void wrong_times_mean_nothing(void **state)
{
    const struct bench_engine_request request = {.samples = 1};
    struct bench_results results;
    struct sup_error error = {""};
    (void)state;
    doubled = true;
    assert_int_equal(bench_simulated_measure(&bench_simulated_model, &request, &results, &error),
                     RB_EWRONG);
    doubled = false;
    assert_non_null(strstr(error.text, "the closed form says"));
    free(results.samples);
}

/* In block order flow and simgrid must agree. At random places they need not. */
static void engines_agree_or_nothing_is_said(void **state)
{
    const struct bench_simulated *flow = &bench_simulated_flow;
    struct sup_error error = {""};
    (void)state;
    for (size_t which = 1; which < flow->count; which++) {
        const struct bench_case *is = &flow->cases[which];
        struct bench_sample pair[] = {{.which = which - 1, .time_s = 1},
                                      {.which = which, .time_s = 1 + 1e-10}};
        const struct bench_results results = {pair, 2};
        assert_int_equal(flow->check(flow, &results, &error), RB_OK);
        pair[1].time_s = 1 + 1e-8;
        const bool must = strcmp(is->engine, "simgrid") == 0 && strcmp(is->placement, "block") == 0;
        assert_int_equal(flow->check(flow, &results, &error), must ? RB_EWRONG : RB_OK);
    }
    assert_non_null(strstr(error.text, "fat-tree:16384, p = 16384: flow says 1 s and simgrid"));
}

/* The cases of the benchmark flow, but small. */
static void one_case_is_measured(void **state)
{
    static const struct bench_case cases[] = {
        {"a", "flow", NULL, "blocking", "dragonfly:36", "block", 36, 4, 1000000, 0, 0},
        {"a", "simgrid", NULL, "blocking", "dragonfly:36", "block", 36, 4, 1000000, 0, 0},
        {"b", "flow", NULL, "blocking", "no such platform", "block", 36, 4, 1000000, 0, 0},
    };
    const struct bench_simulated small = {
        .name = "small", .cases = cases, .count = 3, .check = bench_simulated_flow.check};
    struct bench_engine_request request = {.samples = 2, .only = "a"};
    struct bench_results results;
    struct sup_error error = {""};
    (void)state;
    if (bench_simulated_measure(&small, &request, &results, &error) != RB_OK)
        fail_msg("%s", error.text);
    assert_int_equal(results.count, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(results.samples[i].which, i % 2);
        assert_int_equal(results.samples[i].messages, 35 * 4);
        assert_true(results.samples[i].cost.peak_bytes > 0 && results.samples[i].time_s > 0);
    }
    free(results.samples);
    request.only = NULL;
    assert_true(bench_simulated_measure(&small, &request, &results, &error) != RB_OK);
    assert_int_equal(results.count, 3); /* it stopped there */
    free(results.samples);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quartiles_lie_between_values),
        cmocka_unit_test(random_numbers_stay_below),
        cmocka_unit_test(the_table_is_the_papers),
        cmocka_unit_test(rows_name_what_was_measured),
        cmocka_unit_test(wrong_schedules_are_not_timed),
        cmocka_unit_test(engines_are_shown),
        cmocka_unit_test(contention_is_shown),
        cmocka_unit_test(wrong_times_mean_nothing),
        cmocka_unit_test(engines_agree_or_nothing_is_said),
        cmocka_unit_test(one_case_is_measured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
