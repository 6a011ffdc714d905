/* tune on results with times from the papers' closed forms, so that the answers are known: best n,
 * F, regrets, decisions; and its messages when there are too few points. */
#define _DEFAULT_SOURCE /* mkdtemp, open_memstream */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "experiments/decide/tune.h"
#include "made_results.h"
#include "roundabout.h"

static const int32_t many_p[] = {16, 17, 33, 64, 100, 257, 1000, 1024, 0};
static const int64_t many_m[] = {65536, 1048576, 16777216, 0};
static const int64_t many_n[] = {1,  2,  3,   4,   6,   8,   12,  16,  24,   32, 48,
                                 64, 96, 128, 192, 256, 384, 512, 768, 1024, 0};
#define ALPHA_S 2e-6
#define BETA_S  8e-11
#define CROSSBAR(name)                                                                             \
    {                                                                                              \
        "crossbar:1024", name, many_p, many_m, many_n, ALPHA_S, BETA_S, 4, "blocking", 0           \
    }

static char *place;

static int set_up(void **state)
{
    (void)state;
    place = make_place();
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    remove_place(place);
    return 0;
}

static struct decide_tune_result tuned(const struct made_sweep sweeps[], size_t count,
                                       const char *name)
{
    struct decide_tune_result tuning;
    struct sup_error error;
    char path[600];
    make_results(place, name, sweeps, count, path);
    struct decide_tune_request request = {
        .results = path, .focus = DECIDE_TUNE_FOCUS, .tolerance = 0.02};
    if (decide_tune_run(&request, &tuning, &error) != RB_OK)
        fail_msg("%s", error.text);
    return tuning;
}

/* sqrt(alpha / (E beta)) sqrt(q / (q - 1)), by hand: for q = 10, sqrt(2e-6 / 3.2e-10) = 79.0569415,
 * times sqrt(10 / 9). */
static void analytic_f_is_the_formula(void **state)
{
    (void)state;
    const struct decide_curve curve = {
        .p = 1000, .one_pipeline = true, .alpha_s = ALPHA_S, .beta_s_per_byte = BETA_S};
    assert_float_equal(decide_analytic_f(&curve, 4), 83.33333333, 1e-6);
}

/* Of an even number of points the mean of the two in the middle. */
static double median_of(const struct decide_fit *fit)
{
    double middle[2] = {NAN, NAN};
    for (size_t i = 0; i < fit->count; i++) {
        size_t less = 0;
        for (size_t j = 0; j < fit->count; j++)
            less += fit->points[j].share < fit->points[i].share ||
                    (fit->points[j].share == fit->points[i].share && j < i);
        if (less == fit->count / 2 - 1 || less == fit->count / 2)
            middle[less == fit->count / 2] = fit->points[i].share;
    }
    assert_true(middle[0] < middle[1]);
    return (middle[0] + middle[1]) / 2;
}

static void fitted_f_is_the_analytic_one(void **state)
{
    (void)state;
    const struct made_sweep sweep = CROSSBAR("circulant");
    struct decide_tune_result tuning = tuned(&sweep, 1, "fit.sqlite");
    assert_int_equal(tuning.fit_count, 1);
    const struct decide_fit *fit = &tuning.fits[0];
    assert_int_equal(fit->count, 24);
    assert_int_equal(fit->outside, 0);
    assert_true(fabs(fit->f / fit->analytic_f - 1) < 0.02);
    assert_true(fit->mean < 0.002);
    assert_true(fit->worst < 0.01);
    assert_false(fit->low_is_limit);
    assert_false(fit->high_is_limit);
    assert_true(fit->low < 0.9 * fit->f && fit->high > 1.1 * fit->f);
    decide_tune_result_free(&tuning);
}

/* The interval's ends cost the tolerance: mean log of the closed form there, over that at f. */
static void interval_costs_the_tolerance(void **state)
{
    (void)state;
    const struct made_sweep sweep = CROSSBAR("circulant");
    struct decide_tune_result tuning = tuned(&sweep, 1, "interval.sqlite");
    const struct decide_fit *fit = &tuning.fits[0];
    const double ends[] = {fit->low, fit->high};
    for (int end = 0; end < 2; end++) {
        double logs = 0;
        for (size_t i = 0; i < fit->count; i++) {
            const struct decide_curve *curve = fit->points[i].curve;
            double root = sqrt((double)curve->m_bytes / 4 * ceil_log2(curve->p));
            double there = fmax(1, root / ends[end]), here = fmax(1, root / fit->f);
            logs += log(time_of(&sweep, curve->p, (double)curve->m_bytes, there) /
                        time_of(&sweep, curve->p, (double)curve->m_bytes, here));
        }
        double cost = expm1(logs / (double)fit->count);
        assert_true(cost > 0.017 && cost < 0.021);
    }
    decide_tune_result_free(&tuning);
}

static void times_between_samples_are_exact(void **state)
{
    (void)state;
    const struct made_sweep sweep = CROSSBAR("circulant");
    struct decide_tune_result tuning = tuned(&sweep, 1, "between.sqlite");
    for (size_t i = 0; i < tuning.data.curve_count; i++) {
        const struct decide_curve *curve = &tuning.data.curves[i];
        double time_s;
        for (double n = 1; n <= 1024; n *= 1.07) {
            double exact = time_of(&sweep, curve->p, (double)curve->m_bytes, n);
            assert_true(decide_curve_time(curve, n, &time_s));
            assert_true(fabs(time_s / exact - 1) < 1e-9);
        }
        assert_false(decide_curve_time(curve, 0.99, &time_s));
        assert_false(decide_curve_time(curve, 1024.5, &time_s));
    }
    decide_tune_result_free(&tuning);
}

/* The best n by trying all the n of the sweep here, and the fastest algorithm likewise. */
static void best_n_and_decisions_are_right(void **state)
{
    (void)state;
    const struct made_sweep sweeps[] = {CROSSBAR("circulant"), CROSSBAR("chain"),
                                        CROSSBAR("binomial")};
    struct decide_tune_result tuning = tuned(sweeps, 3, "decide.sqlite");
    assert_int_equal(tuning.row_count[DECIDE_TUNE_BEST], 3 * 24);
    assert_int_equal(tuning.row_count[DECIDE_TUNE_DECISION], 24);
    assert_int_equal(tuning.decision.call_count, 24);
    for (size_t row = 0; row < 24; row++) {
        const struct decide_call *call = &tuning.decision.calls[row];
        const char *winner = "";
        double least = INFINITY;
        int64_t n_of_least = 0;
        for (int i = 0; i < 3; i++)
            for (const int64_t *n = many_n; *n != 0; n++) {
                bool single = strcmp(sweeps[i].algorithm, "binomial") == 0;
                double time_s =
                    time_of(&sweeps[i], call->p, (double)call->m_bytes, (double)(single ? 1 : *n));
                if (time_s < least) {
                    least = time_s;
                    winner = sweeps[i].algorithm;
                    n_of_least = single ? 1 : *n;
                }
            }
        assert_string_equal(call->choice->name, winner);
        assert_int_equal(call->choice->n, n_of_least);
        assert_float_equal(call->choice->time_s, least, 1e-15);
        assert_true(call->lead >= 1);
        const double bound_s = bound_of(&sweeps[0], call->p, (double)call->m_bytes);
        assert_true(call->bound.time_s == bound_s && call->of_bound == least / bound_s);
    }
    decide_tune_result_free(&tuning);
}

/* The made times say it: of q (alpha + beta m) and of pipelines the least. */
static char *map_of(const struct decide_tune_result *tuning)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    decide_map_text(&tuning->decision, DECIDE_SCREEN, stream);
    fclose(stream);
    return text;
}

/* Thirteen sizes are one row; so are thirteen p, with how many points it stands for. */
static void many_points_are_folded(void **state)
{
    (void)state;
    enum { MANY = 13 };
    int32_t p[MANY + 1] = {0}, one_p[] = {16, 0};
    int64_t m_bytes[MANY + 1] = {0}, one_m[] = {10000000, 0}, n[] = {64, 0};
    for (int i = 0; i < MANY; i++) {
        p[i] = 16 + i;
        m_bytes[i] = 10000000 + 1000000 * i;
    }
    struct made_sweep sweeps[] = {CROSSBAR("circulant"), CROSSBAR("chain")};
    for (int i = 0; i < 2; i++) {
        sweeps[i].p = one_p;
        sweeps[i].m_bytes = m_bytes;
        sweeps[i].n = n;
    }
    struct decide_tune_result tuning = tuned(sweeps, 2, "sizes.sqlite");
    char *text = map_of(&tuning);
    assert_non_null(strstr(text, "  10 MB..22 MB  circulant  64 "));
    free(text);
    decide_tune_result_free(&tuning);
    for (int i = 0; i < 2; i++) {
        sweeps[i].p = p;
        sweeps[i].m_bytes = one_m;
    }
    tuning = tuned(sweeps, 2, "ranks.sqlite");
    text = map_of(&tuning);
    assert_non_null(strstr(text, "  circulant      13  16..28  10 MB  64 "));
    free(text);
    decide_tune_result_free(&tuning);
}

static void verdict_names_winners_and_what_they_gain(void **state)
{
    (void)state;
    static const int32_t p[] = {16, 0};
    static const int64_t m_bytes[] = {1, 100000, 10000000, 0}, n[] = {1, 64, 0};
    struct made_sweep sweeps[] = {CROSSBAR("circulant"), CROSSBAR("chain"), CROSSBAR("binomial")};
    for (int i = 0; i < 3; i++) {
        sweeps[i].p = p;
        sweeps[i].m_bytes = m_bytes;
        sweeps[i].n = n;
        sweeps[i].alpha_s = 1e-6;
        sweeps[i].beta_s_per_byte = 1e-9;
    }
    /* At 1 byte binomial and circulant take 4 us each, chain 15: binomial is first by name, and
     * circulant, which takes as long, no next best. At 100 kB: circulant 67 (1 + 1.5625) = 171.7
     * us, chain 78 of these, 199.9; binomial 404. At 10 MB: circulant 67 (1 + 156.25) = 10.54 ms,
     * chain 12.27 ms, which is 78 / 67; binomial 40 ms. The next best: (15 / 4 * 78 / 67 * 78 /
     * 67)^(1/3) = 1.72. */
    struct decide_tune_result tuning = tuned(sweeps, 3, "verdict.sqlite");
    struct out_verdict verdict = {0};
    decide_winners(&tuning.decision, tuning.confirmed, &verdict);
    assert_int_equal(verdict.count, 2);
    assert_string_equal(verdict.sentence[0],
                        "circulant is fastest at 2 of 3 points, binomial at 1; the next best takes "
                        "72 % longer on average.");
    assert_string_equal(verdict.sentence[1], "All times are simulated by simgrid, not measured.");
    out_verdict_free(&verdict);
    char *text = map_of(&tuning);
    assert_non_null(strstr(text, "100 KB  circulant      64   172 us  chain      1.16"));
    free(text);
    decide_tune_result_free(&tuning);
    /* Without circulant the chain, best at 2 of 3, takes 15 us instead of 4 at 1 byte. */
    tuning = tuned(&sweeps[1], 2, "verdict-2.sqlite");
    decide_winners(&tuning.decision, tuning.confirmed, &verdict);
    assert_int_equal(verdict.count, 3);
    assert_string_equal(
        verdict.sentence[1],
        "chain everywhere would take 3.8 times as long at p = 16, m = 1 B, where binomial is "
        "fastest.");
    out_verdict_free(&verdict);
    decide_tune_result_free(&tuning);
}

/* One platform with half the latency: its F is smaller by sqrt 2, and the F for both lies between.
 */
static void platforms_are_fitted_apart_and_together(void **state)
{
    (void)state;
    struct made_sweep sweeps[] = {CROSSBAR("circulant"), CROSSBAR("circulant")};
    sweeps[1].platform = "crossbar:1024,latency=1us";
    sweeps[1].alpha_s = ALPHA_S / 2;
    struct decide_tune_result tuning = tuned(sweeps, 2, "platforms.sqlite");
    assert_int_equal(tuning.fit_count, 3);
    assert_true(fabs(tuning.fits[0].f / tuning.fits[1].f / sqrt(2) - 1) < 0.02);
    assert_true(tuning.fits[2].f < tuning.fits[0].f && tuning.fits[2].f > tuning.fits[1].f);
    assert_null(tuning.rows[DECIDE_TUNE_FIT][2].place);
    assert_int_equal(tuning.fits[2].count % 2, 0);
    assert_float_equal(tuning.fits[2].median, median_of(&tuning.fits[2]), 1e-15);
    decide_tune_result_free(&tuning);
}

static bool has_note(const struct decide_tune_result *tuning, const char *part)
{
    for (size_t i = 0; i < tuning->notes.count; i++)
        if (strstr(tuning->notes.sentence[i], part) != NULL)
            return true;
    return false;
}

static void n_beyond_the_samples_is_flagged(void **state)
{
    (void)state;
    static const int64_t few_n[] = {1, 2, 4, 8, 0};
    struct made_sweep sweep = CROSSBAR("circulant");
    sweep.n = few_n;
    struct decide_tune_result tuning = tuned(&sweep, 1, "outside.sqlite");
    const struct decide_fit *fit = &tuning.fits[0];
    size_t flagged = 0;
    assert_int_equal(tuning.row_count[DECIDE_TUNE_REGRET], fit->count);
    for (size_t i = 0; i < fit->count; i++) {
        const bool outside = fit->points[i].n > 8;
        assert_int_equal(fit->points[i].outside, outside);
        assert_int_equal(isnan(fit->points[i].share), outside);
        assert_int_equal(isnan(fit->points[i].time_s), outside);
        flagged += outside ? 1 : 0;
    }
    assert_true(flagged > 0);
    assert_int_equal(tuning.fits[0].outside, flagged);
    assert_true(has_note(&tuning, "outside"));
    assert_true(has_note(&tuning, "largest that was run"));
    decide_tune_result_free(&tuning);
}

/* The best n, 50 and 95, are far beyond those that were run. By the edge's time alone, F = 512,
 * which gives 8 and 13 blocks, would be as good as any smaller one; it has to give way to 5 and 8.
 */
static void fit_stays_where_there_are_data(void **state)
{
    (void)state;
    static const int32_t two_p[] = {16, 1024, 0};
    static const int64_t large_m[] = {16777216, 0}, few_n[] = {1, 2, 4, 8, 0};
    struct made_sweep sweep = CROSSBAR("circulant");
    sweep.p = two_p;
    sweep.m_bytes = large_m;
    sweep.n = few_n;
    struct decide_tune_result tuning = tuned(&sweep, 1, "stays.sqlite");
    assert_int_equal(tuning.fits[0].outside, 0);
    assert_float_equal(tuning.fits[0].f, sqrt(4194304.0 * 10) / 8, 1);
    decide_tune_result_free(&tuning);
}

/* At p = 2 the circulant and the binomial broadcast are the same: one of them is decided for. */
static void of_equals_one_is_decided_for(void **state)
{
    (void)state;
    static const int32_t two[] = {2, 0};
    static const int64_t one_m[] = {65536, 0}, one_n[] = {1, 0};
    struct made_sweep sweeps[] = {CROSSBAR("circulant"), CROSSBAR("binomial")};
    for (int i = 0; i < 2; i++) {
        sweeps[i].p = two;
        sweeps[i].m_bytes = one_m;
        sweeps[i].n = one_n;
    }
    struct decide_tune_result tuning = tuned(sweeps, 2, "equal.sqlite");
    assert_int_equal(tuning.decision.call_count, 1);
    assert_string_equal(tuning.decision.calls[0].choice->name, "binomial");
    /* The other is the same plan, and no next best. */
    assert_null(tuning.decision.calls[0].next_best);
    assert_true(isnan(tuning.decision.calls[0].lead));
    decide_tune_result_free(&tuning);
}

/* p = 1 and 2, no bytes, a single n: no F, no NaN, and notes that say so. */
static void nothing_to_fit_is_said(void **state)
{
    (void)state;
    static const int32_t few_p[] = {1, 2, 0}, one_p[] = {64, 0};
    static const int64_t no_m[] = {-1, 1048576, 0}, one_n[] = {4, 0};
    struct made_sweep sweeps[] = {CROSSBAR("circulant"), CROSSBAR("circulant")};
    sweeps[0].p = few_p;
    sweeps[0].m_bytes = no_m;
    sweeps[1].p = one_p;
    sweeps[1].m_bytes = no_m;
    sweeps[1].n = one_n;
    struct decide_tune_result tuning = tuned(sweeps, 2, "little.sqlite");
    assert_int_equal(tuning.row_count[DECIDE_TUNE_FIT], 0);
    assert_int_equal(tuning.row_count[DECIDE_TUNE_BEST], 6);
    assert_true(has_note(&tuning, "no F"));
    assert_true(has_note(&tuning, "p <= 2"));
    assert_true(has_note(&tuning, "two elements"));
    assert_true(has_note(&tuning, "single n"));
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    decide_tune_result_text(&tuning, (1u << DECIDE_TUNE_TABLES) - 1, true, stream);
    fclose(stream);
    assert_null(strstr(text, "nan"));
    free(text);
    json_t *json = decide_tune_result_json(&tuning, (1u << DECIDE_TUNE_TABLES) - 1);
    assert_non_null(json);
    assert_int_equal(json_array_size(json_object_get(json, "best")), 6);
    json_decref(json);
    decide_tune_result_free(&tuning);
}

static void csv_has_a_value_per_column(void **state)
{
    (void)state;
    struct made_sweep sweep = CROSSBAR("circulant");
    sweep.platform = "crossbar:1024,latency=\"1us\"";
    struct decide_tune_result tuning = tuned(&sweep, 1, "csv.sqlite");
    for (int i = 0; i < DECIDE_TUNE_TABLES; i++) {
        char *text = NULL;
        size_t size = 0, lines = 0;
        FILE *stream = open_memstream(&text, &size);
        const struct decide_table table = decide_tune_table(&tuning, i);
        decide_table_csv(&table, stream);
        fclose(stream);
        size_t commas[2] = {0};
        for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
            bool quoted = false;
            commas[1] = 0;
            for (; *line != '\0'; line++) {
                quoted = quoted != (*line == '"');
                commas[1] += *line == ',' && !quoted ? 1 : 0;
            }
            if (lines++ == 0)
                commas[0] = commas[1];
            assert_int_equal(commas[0], commas[1]);
        }
        assert_int_equal(lines, 1 + table.rows);
        free(text);
    }
    json_t *json = decide_tune_result_json(&tuning, 1u << DECIDE_TUNE_FIT);
    const json_t *fit = json_array_get(json_object_get(json, "fit"), 0);
    assert_int_equal(json_integer_value(json_object_get(fit, "points")), tuning.fits[0].count);
    json_decref(json);
    decide_tune_result_free(&tuning);
}

static void load(const char *path, const struct decide_filter *filters, int expected,
                 const char *part)
{
    struct decide_curves data;
    struct sup_error error = {""};
    assert_int_equal(decide_curves_load(path, filters, &data, &error), expected);
    if (strstr(error.text, part) == NULL)
        fail_msg("\"%s\" doesn't say \"%s\"", error.text, part);
    decide_curves_free(&data);
}

static void filters_choose_and_explain(void **state)
{
    (void)state;
    static const char *const tree[] = {"fat-tree"}, *const crossbar[] = {"crossbar"};
    static const char *const part_of[] = {"cross"};
    int64_t p_there[] = {64}, p_absent[] = {65};
    const struct sup_list there = {p_there, 1}, absent = {p_absent, 1};
    const struct made_sweep sweep = CROSSBAR("circulant");
    char path[600];
    make_results(place, "filters.sqlite", &sweep, 1, path);

    const struct decide_filter good[] = {{&point_parameters[POINT_PLATFORM], crossbar, 1, NULL},
                                         {&point_parameters[POINT_P], NULL, 0, &there},
                                         {0}};
    struct decide_curves data;
    assert_int_equal(decide_curves_load(path, good, &data, NULL), RB_OK);
    assert_int_equal(data.curve_count, 3);
    decide_curves_free(&data);

    const struct decide_filter no_platform[] = {{&point_parameters[POINT_PLATFORM], tree, 1, NULL},
                                                {0}};
    load(path, no_platform, RB_EINVAL, "--platform: no point");
    load(path, no_platform, RB_EINVAL, "crossbar:1024");
    const struct decide_filter half_a_word[] = {
        {&point_parameters[POINT_PLATFORM], part_of, 1, NULL}, {0}};
    load(path, half_a_word, RB_EINVAL, "--platform: no point");
    const struct decide_filter no_ranks[] = {{&point_parameters[POINT_P], NULL, 0, &absent}, {0}};
    load(path, no_ranks, RB_EINVAL, "--ranks: no point");
}

static void failed_rows_are_left_out_and_counted(void **state)
{
    (void)state;
    const struct made_sweep sweep = CROSSBAR("circulant");
    struct decide_curves data;
    char path[600];
    make_results(place, "failed.sqlite", &sweep, 1, path);
    change_results(path, "UPDATE points SET status = 'failed', time_s = NULL WHERE p = 64");
    assert_int_equal(decide_curves_load(path, NULL, &data, NULL), RB_OK);
    assert_int_equal(data.failed, 60);
    assert_int_equal(data.curve_count, 21);
    decide_curves_free(&data);
    change_results(path, "UPDATE points SET status = 'failed', time_s = NULL");
    load(path, NULL, RB_EINVAL, "480 points failed");
}

/* They would get into JSON, figures and terminals. */
static void texts_that_no_sweep_writes_are_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {"'a' || char(27) || '[31m'", "CAST(X'FF' AS TEXT)",
                                        "CAST(X'EDA080' AS TEXT)", "'a' || char(10) || 'b'"};
    const struct made_sweep sweep = CROSSBAR("circulant");
    char path[600], sql[200];
    make_results(place, "hostile.sqlite", &sweep, 1, path);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        snprintf(sql, sizeof sql, "UPDATE points SET placement = %s WHERE p = 64", texts[i]);
        change_results(path, sql);
        load(path, NULL, RB_EINVAL, "a row's placement is no text");
    }
}

static void elements_larger_than_all_data_fit_nothing(void **state)
{
    (void)state;
    const struct decide_sample samples[] = {{1, 1}, {2, 1}};
    const struct decide_curve curve = {
        .p = 8, .m_bytes = 1024, .samples = samples, .count = 2, .best = samples};
    const char *why = NULL;
    assert_true(decide_fit_can_use(&curve, 512, &why));
    assert_false(decide_fit_can_use(&curve, 513, &why));
    assert_false(decide_fit_can_use(&curve, INT64_MAX, &why));
}

/* The MPI library would refuse the whole file. */
static void rules_that_the_library_refuses_are_not_written(void **state)
{
    (void)state;
    const struct made_sweep sweep = CROSSBAR("circulant");
    const struct decide_decisions_request request = {.results = "x", .tolerance = 0.02};
    struct decide_curves data;
    struct sup_error error;
    char path[600];
    FILE *stream = tmpfile();
    assert_non_null(stream);
    make_results(place, "irregular.sqlite", &sweep, 1, path);
    assert_int_equal(decide_curves_load(path, NULL, &data, &error), RB_OK);
    for (size_t i = 0; i < data.setting_count; i++)
        data.settings[i].counts = "mod3";
    assert_int_equal(decide_decisions_write(&data, &request, stream, &error), RB_EINVAL);
    assert_int_equal(ftell(stream), 0);
    for (size_t i = 0; i < data.setting_count; i++) {
        data.settings[i].counts = "regular";
        data.settings[i].overlap = "window:5000"; /* more than the library has */
    }
    char text[4096] = "";
    assert_int_equal(decide_decisions_write(&data, &request, stream, &error), RB_OK);
    rewind(stream);
    assert_true(fread(text, 1, sizeof text - 1, stream) > 0);
    assert_non_null(strstr(text, ",window=1024\n"));
    for (size_t i = 0; i < data.setting_count; i++) {
        data.settings[i].plan.collective = "redistribute";
        point_resolve(&data.settings[i]);
    }
    for (size_t i = 0; i < data.curve_count; i++) {
        data.curves[i].algorithm = "caterpillar";
        data.curves[i].info = rb_algorithm_find("redistribute", "caterpillar");
    }
    assert_int_equal(decide_decisions_write(&data, &request, stream, &error), RB_EINVAL);
    decide_curves_free(&data);
    fclose(stream);
}

/* The rule for circulant's time, the MPI library's own taking 1 s. */
static void expect_rule(double circulant_s, double margin, const char *wanted)
{
    struct point setting = {.plan = {.collective = "bcast", .ports = 1},
                            .platform_text = "crossbar:4",
                            .platform_hash = "0",
                            .ppn = 1,
                            .placement = "linear",
                            .arrival = "together",
                            .program = "alone",
                            .engine_text = "model",
                            .engine_options = "",
                            .overlap = "blocking",
                            .element_bytes = 4,
                            .counts = "regular"};
    point_resolve(&setting);
    const struct decide_sample ours = {1, circulant_s}, own = {1, 1};
    struct decide_curve curves[] = {{.p = 4,
                                     .m_bytes = 1024,
                                     .algorithm = "circulant",
                                     .plan_algorithm = "circulant",
                                     .info = rb_algorithm_find("bcast", "circulant"),
                                     .samples = &ours,
                                     .count = 1,
                                     .best = &ours},
                                    {.p = 4,
                                     .m_bytes = 1024,
                                     .algorithm = "native",
                                     .plan_algorithm = "native",
                                     .samples = &own,
                                     .count = 1,
                                     .best = &own}};
    const struct decide_curves data = {.settings = &setting,
                                       .setting_count = 1,
                                       .curves = curves,
                                       .curve_count = 2,
                                       .versions = "1"};
    const struct decide_decisions_request request = {
        .results = "x", .tolerance = 0.02, .margin = margin};
    struct sup_error error;
    char text[4096] = "";
    FILE *stream = tmpfile();
    assert_non_null(stream);
    assert_int_equal(decide_decisions_write(&data, &request, stream, &error), RB_OK);
    rewind(stream);
    assert_true(fread(text, 1, sizeof text - 1, stream) > 0);
    fclose(stream);
    const char *rule = strstr(text, "\nbcast ");
    assert_non_null(rule);
    assert_non_null(strstr(rule, wanted));
}

static void native_stays_within_the_margin(void **state)
{
    (void)state;
    expect_rule(0.96, 0.05, " native\n");
    expect_rule(0.94, 0.05, " circulant:");
    expect_rule(1.04, 0.05, " native\n");
    expect_rule(0.96, 0, " circulant:");
    expect_rule(1, 0, " native\n");
    expect_rule(0.41, 0.6, " native\n");
}

/* A version may be the beginning of another. */
static void all_versions_are_listed(void **state)
{
    (void)state;
    const struct made_sweep sweep = CROSSBAR("circulant");
    struct decide_curves data;
    struct sup_error error;
    char path[600];
    make_results(place, "versions.sqlite", &sweep, 1, path);
    change_results(path, "UPDATE points SET version = CASE n WHEN 1 THEN '1+ab-changed' "
                         "WHEN 2 THEN '1+ab' WHEN 3 THEN '1+a' ELSE '1+ab' END");
    assert_int_equal(decide_curves_load(path, NULL, &data, &error), RB_OK);
    assert_string_equal(data.versions, "1+ab-changed, 1+ab, 1+a");
    decide_curves_free(&data);
}

static void files_that_are_no_results_are_named(void **state)
{
    (void)state;
    const struct made_sweep nothing = {
        "crossbar:4", "circulant", (const int32_t[]){0}, many_m, many_n, ALPHA_S,
        BETA_S,       1,           "blocking",           0};
    char path[600];
    make_results(place, "empty.sqlite", &nothing, 1, path);
    load(path, NULL, RB_EINVAL, "holds no points yet");
    snprintf(path, sizeof path, "%s/absent.sqlite", place);
    load(path, NULL, RB_EINVAL, "absent.sqlite");
    snprintf(path, sizeof path, "%s/text.sqlite", place);
    FILE *file = fopen(path, "w");
    for (int i = 0; i < 200; i++)
        fputs("not a database at all\n", file);
    fclose(file);
    load(path, NULL, RB_EINVAL, "not a results file");
}

static void summary_shows_fit_and_decisions(void **state)
{
    (void)state;
    const struct made_sweep sweeps[] = {CROSSBAR("circulant"), CROSSBAR("binomial")};
    struct sup_error error;
    struct decide_tune_result tuning;
    char path[600], *text = NULL;
    const struct decide_tune_request request = {
        .results = path, .focus = DECIDE_TUNE_FOCUS, .tolerance = DECIDE_TUNE_TOLERANCE};
    size_t size = 0;
    make_results(place, "summary.sqlite", sweeps, 2, path);
    FILE *stream = open_memstream(&text, &size);
    assert_int_equal(decide_tune_run(&request, &tuning, &error), RB_OK);
    decide_tune_result_text(&tuning, DECIDE_TUNE_SUMMARY, true, stream);
    decide_tune_result_free(&tuning);
    fclose(stream);
    assert_non_null(strstr(text, "F or G for n = "));
    assert_non_null(strstr(text, DECIDE_TUNE_TITLE));
    assert_non_null(strstr(text, "crossbar:1024"));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(analytic_f_is_the_formula),
        cmocka_unit_test(fitted_f_is_the_analytic_one),
        cmocka_unit_test(interval_costs_the_tolerance),
        cmocka_unit_test(times_between_samples_are_exact),
        cmocka_unit_test(best_n_and_decisions_are_right),
        cmocka_unit_test(many_points_are_folded),
        cmocka_unit_test(verdict_names_winners_and_what_they_gain),
        cmocka_unit_test(platforms_are_fitted_apart_and_together),
        cmocka_unit_test(n_beyond_the_samples_is_flagged),
        cmocka_unit_test(fit_stays_where_there_are_data),
        cmocka_unit_test(of_equals_one_is_decided_for),
        cmocka_unit_test(nothing_to_fit_is_said),
        cmocka_unit_test(csv_has_a_value_per_column),
        cmocka_unit_test(filters_choose_and_explain),
        cmocka_unit_test(failed_rows_are_left_out_and_counted),
        cmocka_unit_test(texts_that_no_sweep_writes_are_refused),
        cmocka_unit_test(elements_larger_than_all_data_fit_nothing),
        cmocka_unit_test(rules_that_the_library_refuses_are_not_written),
        cmocka_unit_test(native_stays_within_the_margin),
        cmocka_unit_test(all_versions_are_listed),
        cmocka_unit_test(files_that_are_no_results_are_named),
        cmocka_unit_test(summary_shows_fit_and_decisions),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
