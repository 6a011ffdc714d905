/* test_measure.c - medians and their confidence intervals, clocks, pieces, rows: on constructed
 * data with known answers. */
#define _POSIX_C_SOURCE 200809L /* mkstemp, fdopen */

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "roundabout.h"
#include "schedules/plan/random.h"
#include "studies/calibrate/calibrate.h"
#include "studies/measure/measure.h"

static void assert_near(double value, double expected, double within)
{
    if (!(fabs(value - expected) <= within))
        fail_msg("%.9g is not within %g of %.9g", value, within, expected);
}

/* Uniform on 0 .. 1. */
static double uniform(uint64_t *seed)
{
    return ((double)rb_random_below(seed, UINT32_MAX) + 0.5) / UINT32_MAX;
}

/* ---- Statistics ------------------------------------------------------------------------------ */

/* The ranks are those of the sign test's tables for 95 %, two-sided. */
static void test_median_rank(void **state)
{
    static const struct {
        size_t count, rank;
    } known[] = {{1, 0},  {5, 0},  {6, 1},  {8, 1},  {9, 2},   {10, 2},  {12, 3},
                 {15, 4}, {17, 5}, {20, 6}, {25, 8}, {30, 10}, {50, 18}, {100, 40}};
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        assert_int_equal(measure_median_rank(known[i].count), known[i].rank);
}

static void test_summary(void **state)
{
    double value[] = {9, 1, 5, 3, 7, 2, 8, 4, 6, 10};
    (void)state;
    const struct measure_summary summary = measure_summarize(value, 10);
    assert_true(summary.sure);
    assert_near(summary.median, 5.5, 0);
    assert_near(summary.min, 1, 0);
    assert_near(summary.q1, 3.25, 1e-12);
    assert_near(summary.q3, 7.75, 1e-12);
    assert_near(summary.low, 2, 0);
    assert_near(summary.high, 9, 0);
    assert_false(measure_summary_is_settled(&summary, 0.6));
    assert_true(measure_summary_is_settled(&summary, 0.64));
    assert_false(measure_summarize(value, 5).sure);
    /* Each end counts by itself. */
    double high[] = {10, 10, 10, 10, 10, 10, 10, 10, 20, 20};
    double low[] = {5, 5, 10, 10, 10, 10, 10, 10, 10, 10};
    const struct measure_summary skewed = measure_summarize(high, 10),
                                 other = measure_summarize(low, 10);
    assert_false(measure_summary_is_settled(&skewed, 0.1));
    assert_false(measure_summary_is_settled(&other, 0.1));
}

/* Skewed data: the interval of 25 values holds the true median in 95.7 % of the samples, which is
 * 1 - 2 P(B < 8), B binomial with 25 trials. */
static void test_coverage(void **state)
{
    enum { SAMPLES = 20000, COUNT = 25 };
    uint64_t seed = 7;
    int held = 0;
    (void)state;
    for (int i = 0; i < SAMPLES; i++) {
        double value[COUNT];
        for (int k = 0; k < COUNT; k++)
            value[k] = -log(uniform(&seed));
        const struct measure_summary summary = measure_summarize(value, COUNT);
        held += summary.low <= log(2) && log(2) <= summary.high;
    }
    assert_near((double)held / SAMPLES, 0.9567, 0.005);
}

/* ---- Clocks ---------------------------------------------------------------------------------- */

/* A clock that is 3 hours ahead and gains 20 microseconds per second, asked once a second over a
 * network that takes 2 microseconds and up to 30 more, differently there and back. */
static double ask_made_clock(uint64_t *seed, double local_s, struct measure_clock_sample *sample)
{
    enum { EXCHANGES = 32 };
    struct measure_clock_sample exchange[EXCHANGES];
    for (int i = 0; i < EXCHANGES; i++) {
        const double there_s = 1e-6 + 15e-6 * uniform(seed), back_s = 1e-6 + 15e-6 * uniform(seed);
        const double at_s = local_s + 1e-4 * i, asked_s = at_s + there_s;
        exchange[i] =
            measure_clock_sample_of(at_s, asked_s * (1 + 20e-6) + 10800, asked_s + back_s);
    }
    *sample = measure_clock_quickest(exchange, EXCHANGES);
    return sample->round_trip_s;
}

static void clocks_are_fitted_within_their_noise(void **state)
{
    enum { TIMES = 16 };
    struct measure_clock_sample sample[TIMES];
    uint64_t seed = 3;
    (void)state;
    for (int i = 0; i < TIMES; i++)
        assert_true(ask_made_clock(&seed, 50000 + i, &sample[i]) < 15e-6);
    const struct measure_clock clock = measure_clock_fit(sample, TIMES);
    assert_near(clock.drift, 20e-6, 0.5e-6);
    for (int i = 0; i < 20; i++) { /* up to the next time that it is asked, and beyond */
        const double local_s = 50000 + i, truth_s = local_s * (1 + 20e-6) + 10800;
        assert_near(measure_clock_reference(&clock, local_s), truth_s, 5e-6);
        assert_near(measure_clock_local(&clock, truth_s), local_s, 5e-6);
    }
    /* Without drift, one that was asked a second ago is wrong by four times as much. */
    const struct measure_clock still = measure_clock_fit(sample, 1);
    assert_near(still.drift, 0, 0);
    assert_true(fabs(measure_clock_reference(&still, 50001) - (50001 * (1 + 20e-6) + 10800)) >
                10e-6);
}

/* ---- Pieces ---------------------------------------------------------------------------------- */

/* 2^0 .. 2^26 and 3/2 of them, with some error. */
enum { SIZES = 54 };
static void make_sizes(const struct calib_pieces *truth, double noise,
                       struct calib_timed_size sample[])
{
    uint64_t seed = 11;
    for (int i = 0; i < SIZES; i++) {
        const double bytes = floor(exp2(i / 2) * (i % 2 == 0 ? 1 : 1.5));
        const double factor = 1 + noise * (2 * uniform(&seed) - 1);
        sample[i] = (struct calib_timed_size){bytes, calib_pieces_time(truth, bytes) * factor, 0};
    }
    sample[0].bytes = 0;
}

static void three_pieces_are_found_again(void **state)
{
    static const struct calib_pieces truth = {
        .piece = {{-1, 1e-6, 0.5e-9}, {4096, 4e-6, 0.2e-9}, {262144, 30e-6, 0.4e-9}}, .count = 3};
    struct calib_timed_size sample[SIZES];
    struct calib_pieces found;
    (void)state;
    make_sizes(&truth, 0.01, sample);
    calib_fit_pieces(sample, SIZES, 6, &found);
    assert_int_equal(found.count, 3);
    assert_true(found.piece[1].above_bytes >= 4096 && found.piece[1].above_bytes < 6144);
    assert_true(found.piece[2].above_bytes >= 262144 && found.piece[2].above_bytes < 393216);
    for (int k = 0; k < 3; k++) {
        assert_near(found.piece[k].alpha_s / truth.piece[k].alpha_s, 1, 0.1);
        assert_near(found.piece[k].beta_s_per_byte / truth.piece[k].beta_s_per_byte, 1, 0.05);
    }
    assert_true(found.error < 0.01);
    /* With fewer pieces than there are it does what it can. */
    calib_fit_pieces(sample, SIZES, 2, &found);
    assert_int_equal(found.count, 2);
}

/* Where the lines meet, the next piece begins there. */
static void test_pieces_that_meet(void **state)
{
    static const struct calib_pieces truth = {.piece = {{-1, 1e-6, 1e-9}, {10000, 10e-6, 0.1e-9}},
                                              .count = 2};
    struct calib_timed_size sample[SIZES];
    struct calib_pieces found;
    (void)state;
    make_sizes(&truth, 0, sample);
    calib_fit_pieces(sample, SIZES, 6, &found);
    assert_int_equal(found.count, 2);
    assert_near(found.piece[1].above_bytes, 10000, 1);
    assert_near(calib_pieces_time(&found, 20000), 12e-6, 1e-12);
    assert_true(calib_piece_of(&found, found.piece[1].above_bytes) == &found.piece[0]);
}

/* Times that are wrong change hardly anything if they are few, or if they are known to be vague. */
static void test_disturbed_sizes(void **state)
{
    static const struct calib_pieces truth = {.piece = {{-1, 1e-6, 1e-9}}, .count = 1};
    struct calib_timed_size sample[SIZES];
    struct calib_pieces found;
    (void)state;
    for (int vague = 0; vague < 2; vague++) {
        make_sizes(&truth, 0.01, sample);
        for (int i = vague ? SIZES - 5 : 4; i < SIZES; i += vague ? 1 : 10) {
            sample[i].time_s *= vague ? 1.6 : 3;
            sample[i].noise = vague ? 2 : 0;
        }
        calib_fit_pieces(sample, SIZES, 6, &found);
        assert_int_equal(found.count, 1);
        assert_near(found.piece[0].alpha_s / 1e-6, 1, 0.02);
        assert_near(found.piece[0].beta_s_per_byte / 1e-9, 1, 0.03);
    }
}

static void one_piece_is_found_again(void **state)
{
    static const struct calib_pieces truth = {.piece = {{-1, 2e-6, 0.1e-9}}, .count = 1};
    struct calib_timed_size sample[SIZES];
    struct calib_pieces found;
    (void)state;
    make_sizes(&truth, 0.03, sample);
    calib_fit_pieces(sample, SIZES, 6, &found);
    assert_int_equal(found.count, 1);
    assert_near(found.piece[0].alpha_s / 2e-6, 1, 0.02);
    assert_near(found.piece[0].beta_s_per_byte / 0.1e-9, 1, 0.02);
}

/* Times that fall, or that grow faster than m, have no negative constants. */
static void test_pieces_are_not_negative(void **state)
{
    static const struct calib_timed_size falling[] = {
        {0, 3e-6, 0}, {100, 2e-6, 0}, {1000, 1e-6, 0}};
    static const struct calib_timed_size steep[] = {
        {10, 1e-6, 0}, {100, 20e-6, 0}, {1000, 400e-6, 0}};
    struct calib_pieces found;
    (void)state;
    calib_fit_pieces(falling, 3, 6, &found);
    assert_near(found.piece[0].beta_s_per_byte, 0, 0);
    assert_true(found.piece[0].alpha_s > 1e-6 && found.piece[0].alpha_s < 3e-6);
    calib_fit_pieces(steep, 3, 6, &found);
    assert_near(found.piece[0].alpha_s, 0, 0);
    assert_true(found.piece[0].beta_s_per_byte > 0);
}

/* ---- Runs ------------------------------------------------------------------------------------ */

static const struct measure_request some_runs = {
    .least_runs = 10, .most_runs = 1000, .most_time_s = 1, .precision = 0.05};

/* Runs of `true_s` until there are enough; share `lost` of them is interrupted for milliseconds,
 * `slowed` of the others, which looks like nothing, takes up to twice as long. */
static struct measure_result run_all(double true_s, double lost, double slowed, uint64_t seed)
{
    struct measure_runs runs;
    struct measure_result row;
    measure_result_clear(&row);
    measure_runs_init(&runs, &some_runs);
    for (int64_t i = 0; !measure_runs_done(&runs, &some_runs); i++) {
        struct measure_run run = {.pass = i / 2, .disturbed = uniform(&seed) < lost};
        run.time_s = true_s * (1 + 0.02 * uniform(&seed));
        if (run.disturbed)
            run.time_s += 8e-3 * uniform(&seed);
        else if (uniform(&seed) < slowed)
            run.time_s *= 1 + uniform(&seed);
        run.spent_s = run.time_s;
        measure_runs_add(&runs, &run);
    }
    measure_runs_report(&runs, &row);
    measure_runs_free(&runs);
    return row;
}

/* The low quantile is the time without load, whatever share of the runs load has changed. */
static void test_runs_under_load(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        const struct measure_result row = run_all(1e-5, 0.75, 0.5, seed);
        assert_near(row.low_s / 1e-5, 1, 0.1);
        assert_true(row.low_s <= row.median_s && row.low_s >= row.min_s);
        assert_true(row.low_error >= 0 && row.low_error < 0.2);
        assert_true(row.disturbed > 0 && row.discarded == row.disturbed);
        assert_true(row.runs >= 10);
    }
}

/* Without undisturbed runs all count, and the row says so; the time for the row is kept. */
static void test_runs_all_disturbed(void **state)
{
    (void)state;
    const struct measure_result row = run_all(20e-3, 1, 0, 1);
    assert_true(row.runs >= 50 && row.runs <= 110);
    assert_true(row.disturbed == row.runs && row.discarded == 0);
    assert_true(row.low_s == row.min_s && row.low_s < 20.5e-3);
}

/* Passes that differ are told, and are not the end while the time lasts. */
static void test_runs_of_two_kinds(void **state)
{
    struct measure_runs runs;
    struct measure_result row;
    int64_t pass = 0;
    (void)state;
    measure_result_clear(&row);
    measure_runs_init(&runs, &some_runs);
    for (; !measure_runs_done(&runs, &some_runs); pass++)
        measure_runs_add(&runs,
                         &(struct measure_run){.time_s = pass % 2 ? 1e-5 : 1.04e-5, .pass = pass});
    assert_int_equal(pass, 10); /* within the precision */
    measure_runs_restart(&runs, &some_runs);
    for (pass = 0; !measure_runs_done(&runs, &some_runs); pass++)
        measure_runs_add(&runs, &(struct measure_run){.time_s = pass % 8 == 1 ? 1e-5 : 2e-5,
                                                      .pass = pass,
                                                      .spent_s = 1e-3});
    assert_true(pass >= 40);
    measure_runs_report(&runs, &row);
    assert_near(row.low_error, 1, 1e-12);
    assert_near(row.low_s, 1e-5, 0);
    measure_runs_free(&runs);
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static void test_rows_come_back(void **state)
{
    char path[] = "/tmp/test_measure_XXXXXX";
    struct measure_result row, other;
    struct measure_result_rows rows = {0};
    struct sup_error error;
    const int file = mkstemp(path);
    FILE *stream = fdopen(file, "w+");
    (void)state;
    assert_non_null(stream);
    measure_result_clear(&row);
    strcpy(row.test, "latency");
    strcpy(row.cpu, "a \"fast\" one, they say");
    row.p = 2;
    row.m_bytes = INT64_C(1) << 40;
    row.median_s = 1.25e-6;
    measure_result_clear(&other);
    strcpy(other.test, "collective");
    strcpy(other.collective, "bcast");
    strcpy(other.algorithm, "native");
    other.p = 8;
    other.m_bytes = 0;
    other.median_s = 3;
    other.ci_low_s = 2;
    measure_result_write_header(stream);
    measure_result_write_csv(&row, stream);
    measure_result_write_csv(&other, stream);
    rewind(stream);
    assert_true(measure_result_has_header(stream));
    fclose(stream);
    assert_int_equal(measure_result_read(path, &rows, &error), RB_OK);
    assert_int_equal(rows.count, 2);
    assert_memory_equal(rows.row[0].cpu, row.cpu, strlen(row.cpu) + 1);
    assert_int_equal(rows.row[0].m_bytes, row.m_bytes);
    assert_near(rows.row[0].median_s, row.median_s, 0);
    assert_true(isnan(rows.row[0].ci_low_s));
    assert_true(rows.row[0].seed == MEASURE_NOT_MEASURED);
    assert_string_equal(rows.row[1].algorithm, "native");
    assert_near(rows.row[1].ci_low_s, 2, 0);
    free(rows.row);
    unlink(path);
}

/* What follows a zero byte would be left out without a word. */
static void test_zero_byte_is_refused(void **state)
{
    static const char text[] = "test,p,m_bytes,median_s\ngap,2,8,0.5\0,and more\n";
    struct measure_result_rows rows = {0};
    struct sup_error error;
    char path[] = "measured-XXXXXX";
    const int file = mkstemp(path);
    (void)state;
    assert_true(file >= 0 && write(file, text, sizeof text - 1) == sizeof text - 1);
    close(file);
    assert_int_equal(measure_result_read(path, &rows, &error), RB_EINVAL);
    assert_non_null(strstr(error.text, ":2: a zero byte"));
    free(rows.row);
    unlink(path);
}

static void test_json_row(void **state)
{
    struct measure_result row;
    char line[200] = "";
    FILE *stream = tmpfile();
    (void)state;
    assert_non_null(stream);
    measure_result_clear(&row);
    strcpy(row.test, "gap");
    strcpy(row.cpu, "a \"fast\" one");
    row.m_bytes = 8;
    row.median_s = 0.125;
    measure_result_write_json(&row, stream);
    rewind(stream);
    assert_non_null(fgets(line, sizeof line, stream));
    assert_string_equal(line, "{\"test\": \"gap\", \"m_bytes\": 8, \"median_s\": 0.125, "
                              "\"cpu\": \"a \\\"fast\\\" one\"}\n");
    fclose(stream);
}

/* The columns of a plan's numbers come and go by the table of parameters. */
static void a_row_has_its_plan(void **state)
{
    (void)state;
    const struct rb_plan_spec spec = {.p = 9, .root = 3, .n = 7, .ports = 1, .radix = 4};
    struct measure_result row;
    measure_result_clear(&row);
    const struct rb_plan_spec none = measure_result_plan(&row);
    assert_true(none.n == 1 && none.root == 0 && none.ports == 1 && none.radix == 0);
    measure_result_set_plan(&row, &spec);
    assert_true(row.p == 9 && row.root == 3 && row.n == 7 && row.radix == 4);
    const struct rb_plan_spec got = measure_result_plan(&row);
    assert_true(got.p == 9 && got.root == 3 && got.n == 7 && got.ports == 1 && got.radix == 4);
    assert_ptr_equal(got.algorithm, row.algorithm);
}

/* Data and plan are divided as the row says: this algorithm has more rounds where sizes differ. */
static void a_row_has_its_counts(void **state)
{
    struct measure_result row;
    int64_t rounds[2];
    (void)state;
    measure_result_clear(&row);
    strcpy(row.collective, "alltoall");
    strcpy(row.algorithm, "open-shop");
    row.p = 5;
    row.m_bytes = 900;
    for (int uneven = 0; uneven < 2; uneven++) {
        struct measure_plan made;
        struct sup_error error;
        strcpy(row.counts, uneven ? "degenerate" : "");
        assert_int_equal(measure_plan_make(&row, &made, &error), RB_OK);
        assert_true((made.layout.first != NULL) == uneven);
        rounds[uneven] = rb_plan_rounds(made.plan);
        measure_plan_free(&made);
    }
    assert_true(rounds[1] > rounds[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_has_its_plan),
        cmocka_unit_test(a_row_has_its_counts),
        cmocka_unit_test(test_median_rank),
        cmocka_unit_test(test_summary),
        cmocka_unit_test(test_coverage),
        cmocka_unit_test(clocks_are_fitted_within_their_noise),
        cmocka_unit_test(three_pieces_are_found_again),
        cmocka_unit_test(test_pieces_that_meet),
        cmocka_unit_test(test_disturbed_sizes),
        cmocka_unit_test(one_piece_is_found_again),
        cmocka_unit_test(test_pieces_are_not_negative),
        cmocka_unit_test(test_runs_under_load),
        cmocka_unit_test(test_runs_all_disturbed),
        cmocka_unit_test(test_runs_of_two_kinds),
        cmocka_unit_test(test_rows_come_back),
        cmocka_unit_test(test_json_row),
        cmocka_unit_test(test_zero_byte_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
