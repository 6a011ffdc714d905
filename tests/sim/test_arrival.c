/* test_arrival.c - when ranks come to a collective: texts, times, and mistakes. */
#define _POSIX_C_SOURCE 200809L /* mkstemp */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/workload/arrival.h"

#define assert_near(a, b, most) assert_true(fabs((a) - (b)) <= (most))

static struct sim_arrival parsed(const char *text)
{
    struct sim_arrival arrival;
    struct sup_error error;
    if (sim_arrival_parse(text, &arrival, &error) != RB_OK)
        fail_msg("%s: %s", text, error.text);
    return arrival;
}

static void expect_times(const char *text, int32_t ranks, double at_s[])
{
    const struct sim_arrival arrival = parsed(text);
    struct sup_error error;
    if (sim_arrival_find(&arrival, ranks, 0, at_s, &error) != RB_OK)
        fail_msg("%s: %s", text, error.text);
}

/* The text of a rule reads back to the same rule, and is the shortest. */
static void texts_have_a_usual_form(void **state)
{
    static const char *const forms[][2] = {{"together", "together"},
                                           {"late:1:500us", "late:1:500us:1"},
                                           {"late:1:0.5ms:7", "late:1:500us:7"},
                                           {"late:1:500us:rank12", "late:1:500us:rank12"},
                                           {"late:3:0.000001s:0", "late:3:1us:0"},
                                           {"uniform:1000ns", "uniform:1us:1"},
                                           {"uniform:1.5us:2", "uniform:1.5us:2"},
                                           {"exponential:2s:3", "exponential:2s:3"},
                                           {"sorted:200us", "sorted:200us"},
                                           {"late:1:0", "late:1:0s:1"},
                                           {"sorted:1h", "sorted:3600s"},
                                           {"uniform:1us:3..3", "uniform:1us:3"},
                                           {"late:2:1us:0..9", "late:2:1us:0..9"}};
    char text[SIM_PLACEMENT_TEXT];
    (void)state;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        const struct sim_arrival arrival = parsed(forms[i][0]);
        assert_string_equal(sim_arrival_format(&arrival, text, sizeof text), forms[i][1]);
        const struct sim_arrival again = parsed(text);
        assert_true(again.late.kind == arrival.late.kind && again.late.a == arrival.late.a &&
                    again.late.b == arrival.late.b && again.late.seed == arrival.late.seed &&
                    again.late.ranks == arrival.late.ranks && again.rank == arrival.rank);
    }
    assert_true(sim_arrival_lacks_seed("late:1:5us") && sim_arrival_lacks_seed("uniform:5us"));
    assert_false(sim_arrival_lacks_seed("late:1:5us:3") || sim_arrival_lacks_seed("sorted:5us") ||
                 sim_arrival_lacks_seed("together") || sim_arrival_lacks_seed("uniform"));
}

static void mistakes_have_a_line(void **state)
{
    static const char *const wrong[][2] = {
        {"", "is unknown: there are together"},
        {"lat:1:5us", "is unknown"},
        {"late", "write late:K:TIME"},
        {"late:5us", "write late:K:TIME"},
        {"late:1:5us:1:2", "write late:K:TIME"},
        {"late:0:5us", "\"0\" is not a whole number from 1"},
        {"late:1:-5us", "\"-5us\" is not a time"},
        {"late:1:5", "\"5\" has no unit"},
        {"late:1:61min", "\"61min\" is more than an hour"},
        {"late:1:5us:-1", "\"-1\" is not a whole number"},
        {"late:2:5us:rank1", "rank1 is one rank, not 2"},
        {"uniform:5us:rank1", "\"rank1\" is not a whole number"},
        {"sorted:5us:1", "write sorted:TIME"},
        {"uniform:5us:2..1", "\"1\" is not a whole number from 2 to 1001"},
        {"uniform:5us:2..1002", "\"1002\" is not a whole number"},
        {"uniform:5us:2..", "\"\" is not a whole number"},
        {"file:", "a file of 1 to 999 characters"},
        {"file:-", "a file of 1 to 999 characters"},
        {"file:/nowhere", "/nowhere: No such file"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct sim_arrival arrival;
        struct sup_error error = {0};
        assert_int_equal(sim_arrival_parse(wrong[i][0], &arrival, &error), RB_EINVAL);
        if (strstr(error.text, wrong[i][1]) == NULL || strchr(error.text, '\n') != NULL)
            fail_msg("%s: %s", wrong[i][0], error.text);
    }
}

/* All rules but file, by what they say; the times are those of a workload's first step. */
static void times_are_what_the_text_says(void **state)
{
    enum { P = 1000 };
    double at_s[P], sum_s = 0;
    (void)state;
    expect_times("late:1:5us:rank3", P, at_s);
    for (int32_t r = 0; r < P; r++)
        assert_true(at_s[r] == (r == 3 ? 5e-6 : 0));
    expect_times("sorted:999us", P, at_s);
    assert_true(at_s[0] == 0 && at_s[P - 1] == 999e-6);
    for (int32_t r = 1; r < P; r++)
        assert_near(at_s[r] - at_s[r - 1], 1e-6, 1e-12);
    expect_times("uniform:1ms:2", P, at_s);
    for (int32_t r = 0; r < P; r++) {
        const struct sim_duration uniform = {.kind = SIM_UNIFORM, .b = 1e-3, .seed = 2};
        assert_true(at_s[r] == sim_duration_s(&uniform, 0, 0, 0, r, P));
        assert_true(at_s[r] > 0 && at_s[r] <= 1e-3);
        sum_s += at_s[r] / P;
    }
    assert_near(sum_s, 0.5e-3, 0.05e-3);
    const struct sim_arrival several = parsed("uniform:1ms:0..2");
    double third_s[P];
    assert_int_equal(several.seeds, 3);
    assert_int_equal(sim_arrival_find(&several, P, 2, third_s, NULL), RB_OK);
    assert_memory_equal(third_s, at_s, sizeof at_s);
    expect_times("exponential:1ms:2", P, at_s);
    sum_s = 0;
    for (int32_t r = 0; r < P; r++)
        sum_s += at_s[r] / P;
    assert_near(sum_s, 1e-3, 0.15e-3);
    expect_times("sorted:5us", 1, at_s);
    assert_true(at_s[0] == 0);
}

/* So many are late, the same as one by one, and others by another seed. */
static void late_ranks_are_so_many(void **state)
{
    enum { P = 40 };
    double at_s[P], other_s[P];
    (void)state;
    for (int32_t k = 1; k <= P; k++) {
        char text[32];
        const struct sim_duration late = {.kind = SIM_LATE, .a = 2e-6, .ranks = k, .seed = 9};
        int32_t count = 0;
        snprintf(text, sizeof text, "late:%d:2us:9", (int)k);
        expect_times(text, P, at_s);
        for (int32_t r = 0; r < P; r++) {
            assert_true(at_s[r] == 0 || at_s[r] == 2e-6);
            assert_true(at_s[r] == sim_duration_s(&late, 0, 0, 0, r, P));
            count += at_s[r] > 0;
        }
        assert_int_equal(count, k);
    }
    expect_times("late:20:2us:1", P, at_s);
    expect_times("late:20:2us:2", P, other_s);
    assert_memory_not_equal(at_s, other_s, sizeof at_s);
}

static void expect_misfit(const char *text, int32_t ranks, const char *why)
{
    const struct sim_arrival arrival = parsed(text);
    double at_s[8];
    struct sup_error error = {0};
    assert_int_equal(sim_arrival_find(&arrival, ranks, 0, at_s, &error), RB_EINVAL);
    if (strstr(error.text, why) == NULL)
        fail_msg("%s: %s", text, error.text);
}

static void too_few_ranks_are_refused(void **state)
{
    (void)state;
    expect_misfit("late:5:1us", 4, "5 late ranks of 4");
    expect_misfit("late:1:1us:rank4", 4, "there is no rank 4, only 0 to 3");
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void files_have_a_line_for_each_rank(void **state)
{
    char path[] = "/tmp/test_arrival_XXXXXX", text[SIM_PLACEMENT_TEXT], named[64];
    double at_s[8];
    struct sim_arrival arrival;
    struct sup_error error = {0};
    (void)state;
    close(mkstemp(path));
    snprintf(named, sizeof named, "file:%s", path);
    write_file(path, "rank,time\n# late\n\n1,2us\n0,0\n2,1ms\n");
    expect_times(named, 3, at_s);
    assert_true(at_s[0] == 0 && at_s[1] == 2e-6 && at_s[2] == 1e-3);
    expect_misfit(named, 4, "no line for rank 3 of 4");
    expect_misfit(named, 2, ":6: rank 2 of 2");
    arrival = parsed(named);
    sim_arrival_format(&arrival, text, sizeof text);
    parsed(text);
    write_file(path, "0,1us\n0,2us\n");
    assert_int_equal(sim_arrival_parse(text, &arrival, &error), RB_EINVAL);
    assert_non_null(strstr(error.text, "the file has changed"));
    expect_misfit(named, 2, ":2: rank 0 is given twice");
    static const char *const wrong[][2] = {{"0,1us\n1\n", ":2: RANK,TIME is required here"},
                                           {"0,1us\n1,-2us\n", ":2: \"-2us\" is not a time"},
                                           {"0,1us\nx,2us\n", ":2: \"x\" is not a whole number"},
                                           {"0,2h\n", ":1: \"2h\" is more than an hour"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        write_file(path, wrong[i][0]);
        assert_int_equal(sim_arrival_parse(named, &arrival, &error), RB_EINVAL);
        if (strstr(error.text, wrong[i][1]) == NULL)
            fail_msg("%s", error.text);
    }
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_have_a_usual_form),
        cmocka_unit_test(mistakes_have_a_line),
        cmocka_unit_test(times_are_what_the_text_says),
        cmocka_unit_test(late_ranks_are_so_many),
        cmocka_unit_test(too_few_ranks_are_refused),
        cmocka_unit_test(files_have_a_line_for_each_rank),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
