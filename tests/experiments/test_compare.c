/* test_compare.c - two results of the same points: times of made results, changed by known factors.
 */
#define _DEFAULT_SOURCE /* mkdtemp */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/wait.h>

#include "experiments/decide/compare.h"
#include "made_results.h"
#include "roundabout.h"
#include "support/memory.h"

static const int32_t ranks[] = {4, 16, 0};
static const int64_t bytes[] = {1000, 1000000, 0};
static const int64_t blocks[] = {1, 8, 0};

/* 8 points of circulant and 4 of binomial. */
static const struct made_sweep both[] = {
    {"crossbar:16", "circulant", ranks, bytes, blocks, 1e-6, 1e-10, 1, "blocking", 0},
    {"crossbar:16", "binomial", ranks, bytes, blocks, 1e-6, 1e-10, 1, "blocking", 0},
};

/* Makes two equal files, of which the SQL changes one or both, and compares them. */
static int compare(const char *old_sql, const char *new_sql, double allow, json_t **printed,
                   struct sup_error *error)
{
    char *place = make_place(), old_path[600], new_path[600], *text = NULL;
    size_t size;
    struct decide_comparison comparison = {.results = {old_path, new_path}, .allow = allow};
    make_results(place, "old.db", both, 2, old_path);
    make_results(place, "new.db", both, 2, new_path);
    change_results(old_path, old_sql);
    change_results(new_path, new_sql);
    int status = decide_compare(&comparison, error);
    if (status == RB_OK) {
        FILE *stream = open_memstream(&text, &size);
        status = decide_comparison_print(&comparison, OUT_JSON, true, stream, error);
        fclose(stream);
        *printed = json_loads(text, 0, NULL);
        assert_non_null(*printed);
        json_object_set_new(*printed, "slower", json_integer(comparison.slower));
        json_object_set_new(*printed, "faster", json_integer(comparison.faster));
        json_object_set_new(*printed, "both", json_integer(comparison.both));
    }
    free(text);
    decide_comparison_free(&comparison);
    remove_place(place);
    return status;
}

/* The JSON of a comparison, with the numbers `slower`, `faster` and `both`. */
static json_t *compared(const char *old_sql, const char *new_sql, double allow)
{
    json_t *printed;
    struct sup_error error;
    if (compare(old_sql, new_sql, allow, &printed, &error) != RB_OK)
        fail_msg("%s", error.text);
    return printed;
}

/* The member of a row of an array. */
static json_t *at(json_t *printed, const char *array, size_t i, const char *member)
{
    json_t *value = json_object_get(json_array_get(json_object_get(printed, array), i), member);
    if (value == NULL)
        fail_msg("no %s[%zu].%s", array, i, member);
    return value;
}

static int64_t whole(json_t *printed, const char *member)
{
    return json_integer_value(json_object_get(printed, member));
}

static size_t rows(json_t *printed, const char *array)
{
    return json_array_size(json_object_get(printed, array));
}

static void expect_near(double value, double wanted)
{
    if (!(fabs(value - wanted) <= 1e-12 * wanted))
        fail_msg("%.17g instead of %.17g", value, wanted);
}

static void expect_real(json_t *printed, const char *array, size_t i, const char *member,
                        double wanted)
{
    expect_near(json_number_value(at(printed, array, i, member)), wanted);
}

static void expect_text(json_t *printed, const char *array, size_t i, const char *member,
                        const char *wanted)
{
    assert_string_equal(json_string_value(at(printed, array, i, member)), wanted);
}

static void equal_sweeps_have_no_changes(void **state)
{
    json_t *c = compared("", "", 0);
    (void)state;
    assert_int_equal(rows(c, "points"), 12);
    assert_int_equal(rows(c, "groups"), 3);
    assert_int_equal(rows(c, "changes"), 0);
    assert_int_equal(whole(c, "slower") + whole(c, "faster"), 0);
    expect_real(c, "groups", 2, "mean", 1);
    json_decref(c);
}

/* Of the four points of binomial two take twice as long and two half: their geometric mean is 1. */
static void test_groups(void **state)
{
    json_t *c = compared("",
                         "UPDATE points SET time_s = time_s * (CASE WHEN m_bytes = 1000 THEN 2 "
                         "ELSE 0.5 END) WHERE algorithm = 'binomial';"
                         "UPDATE points SET time_s = time_s * 1.04 WHERE algorithm = 'circulant'",
                         0.05);
    (void)state;
    expect_text(c, "groups", 0, "algorithm", "binomial");
    expect_real(c, "groups", 0, "mean", 1);
    expect_real(c, "groups", 0, "least", 0.5);
    expect_real(c, "groups", 0, "quartile_1", 0.5);
    expect_real(c, "groups", 0, "median", 1.25);
    expect_real(c, "groups", 0, "quartile_3", 2);
    expect_real(c, "groups", 0, "most", 2);
    expect_real(c, "groups", 0, "slower", 2);
    expect_real(c, "groups", 0, "faster", 2);
    expect_real(c, "groups", 1, "mean", 1.04);
    expect_real(c, "groups", 1, "slower", 0);
    expect_real(c, "groups", 2, "points", 12);
    expect_real(c, "points", 0, "ratio", 2);
    expect_real(c, "points", 0, "m_bytes", 1000);
    json_decref(c);
    c = compared("", "UPDATE points SET time_s = time_s * 1.04 WHERE p = 4 AND n = 8", 0.03);
    assert_int_equal(whole(c, "slower"), 2);
    json_decref(c);
}

/* A point that fails now is slower and comes first; one that failed before and is done now is not;
 * neither has a ratio. */
static void test_failed(void **state)
{
    static const char fails[] = "UPDATE points SET status = 'failed', error = 'lost', time_s = "
                                "NULL WHERE algorithm = 'binomial' AND p = 4 AND m_bytes = 1000; "
                                "UPDATE points SET time_s = 9 * time_s WHERE algorithm = "
                                "'circulant' AND p = 4";
    json_t *c = compared("", fails, 0.05);
    (void)state;
    assert_int_equal(whole(c, "slower"), 5);
    expect_text(c, "points", 0, "verdict", "failed");
    assert_true(json_is_null(at(c, "points", 0, "ratio")));
    expect_real(c, "points", 1, "ratio", 9);
    json_decref(c);
    c = compared(fails, "", 0.05);
    assert_int_equal(whole(c, "slower"), 0);
    assert_int_equal(whole(c, "faster"), 4);
    expect_text(c, "points", 11, "verdict", "mended");
    json_decref(c);
    c = compared(fails, fails, 0.05);
    assert_int_equal(whole(c, "slower"), 0);
    expect_text(c, "points", 11, "verdict", "never done");
    json_decref(c);
}

/* Times of copies that overlap are equal, whatever their medians. */
static void test_spread(void **state)
{
    static const char spread[] =
        "UPDATE points SET time_low_s = 0.8 * time_s, time_high_s = 1.2 * time_s";
    static const char longer[] =
        "UPDATE points SET time_s = time_s * (CASE WHEN p = 4 THEN 1.4 ELSE 1.6 END); UPDATE "
        "points SET time_low_s = 0.8 * time_s, time_high_s = 1.2 * time_s";
    json_t *c = compared(spread, longer, 0.05);
    (void)state;
    assert_int_equal(whole(c, "slower"), 6); /* 0.8 * 1.4 < 1.2 < 0.8 * 1.6 */
    json_decref(c);
    c = compared(longer, spread, 0.05);
    assert_int_equal(whole(c, "faster"), 6);
    json_decref(c);
}

/* A platform whose content changed is the same platform, as long as it is clear which is which. */
static void test_platforms(void **state)
{
    json_t *c = compared("", "UPDATE points SET platform_hash = 'ffffffffffffffff'", 0.05);
    (void)state;
    assert_int_equal(whole(c, "both"), 12);
    assert_int_equal(rows(c, "changes"), 1);
    expect_text(c, "changes", 0, "what", "platform crossbar:16");
    expect_text(c, "changes", 0, "new", "ffffffffffffffff");
    json_decref(c);
    c = compared("", "UPDATE points SET platform_hash = '0000000000000000' WHERE p = 4", 0.05);
    assert_int_equal(whole(c, "both"), 6);
    expect_real(c, "points", 0, "p", 16);
    assert_int_equal(whole(c, "only_new"), 6);
    assert_int_equal(rows(c, "changes"), 0);
    json_decref(c);
}

static void points_of_one_side_are_listed(void **state)
{
    json_t *c = compared("UPDATE points SET p = 5 WHERE p = 4",
                         "UPDATE points SET p = 6 WHERE p = 4 AND m_bytes = 1000;"
                         "UPDATE points SET version = 'next'",
                         0.05);
    (void)state;
    assert_int_equal(whole(c, "both"), 6);
    assert_int_equal(rows(c, "only_values"), 3);
    expect_text(c, "only_values", 0, "in", "old");
    expect_text(c, "only_values", 0, "parameter", "p");
    expect_real(c, "only_values", 0, "value", 5);
    expect_real(c, "only_values", 0, "points", 6);
    expect_text(c, "only_values", 1, "in", "new");
    expect_real(c, "only_values", 1, "value", 4);
    expect_real(c, "only_values", 2, "value", 6);
    expect_real(c, "only_values", 2, "points", 3);
    assert_int_equal(rows(c, "changes"), 1);
    expect_text(c, "changes", 0, "what", "version");
    expect_text(c, "changes", 0, "new", "next");
    json_decref(c);
}

/* Where nothing can be compared, nothing is said to be as fast as before. */
static void test_nothing(void **state)
{
    static const struct {
        const char *old_sql, *new_sql, *says;
    } cases[] = {
        {"", "UPDATE points SET jitter = 3",
         "no point is in both: they have no common value of jitter"},
        {"UPDATE points SET p = 5 WHERE p = 4; UPDATE points SET p = 4, m_bytes = 3000 + m_bytes "
         "WHERE p = 16; UPDATE points SET p = 16 WHERE p = 5",
         "UPDATE points SET m_bytes = 3000 + m_bytes WHERE p = 16", "no point is in both, so"},
        {"UPDATE points SET status = 'failed', time_s = NULL", "", "is done in the older one"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        json_t *none;
        struct sup_error error;
        assert_int_equal(compare(cases[i].old_sql, cases[i].new_sql, 0.05, &none, &error),
                         RB_EINVAL);
        if (strstr(error.text, cases[i].says) == NULL)
            fail_msg("%s", error.text);
    }
}

/* What another process has begun to write is not there yet; what it has committed is. */
static void test_while_written(void **state)
{
    char *place = make_place(), old_path[600], new_path[600], byte;
    struct decide_comparison c = {.results = {old_path, new_path}, .allow = 0.05};
    struct sup_error error;
    int ready[2], end[2];
    (void)state;
    make_results(place, "old.db", both, 2, old_path);
    make_results(place, "new.db", both, 2, new_path);
    assert_int_equal(pipe(ready) | pipe(end), 0);
    const pid_t writer = fork();
    if (writer == 0) {
        struct results *results;
        const bool opened = results_create(new_path, &results, &error) == RB_OK;
        if (opened)
            sqlite3_exec(results_database(results), "BEGIN IMMEDIATE; UPDATE points SET time_s = 9",
                         NULL, NULL, NULL);
        const bool told = write(ready[1], "", 1) == 1 && read(end[0], &byte, 1) == 1;
        _exit(opened && told ? 0 : 1);
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    assert_int_equal(decide_compare(&c, &error), RB_OK);
    assert_int_equal(c.slower, 0);
    decide_comparison_free(&c);
    assert_int_equal(write(end[1], "", 1), 1);
    int status;
    assert_int_equal(waitpid(writer, &status, 0), writer);
    assert_int_equal(status, 0);
    remove_place(place);
}

static void allowances_are_percentages(void **state)
{
    static const char *const wrong[] = {"", "%", "-1", "5%%", "x", "nan", "1e9"};
    double share = 0;
    (void)state;
    assert_int_equal(decide_parse_allow("5%", &share, NULL), RB_OK);
    expect_near(share, 0.05);
    assert_int_equal(decide_parse_allow("0", &share, NULL), RB_OK);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(decide_parse_allow(wrong[i], &share, NULL), RB_EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_sweeps_have_no_changes),
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_failed),
        cmocka_unit_test(test_spread),
        cmocka_unit_test(test_platforms),
        cmocka_unit_test(points_of_one_side_are_listed),
        cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_while_written),
        cmocka_unit_test(allowances_are_percentages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
