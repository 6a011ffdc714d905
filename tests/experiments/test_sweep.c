/* test_sweep.c - experiment files: their meaning, and the messages about mistakes in them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "experiments/sweep/experiment.h"

static const char file_name[] = "test_sweep.yaml";

static int load(const char *text, struct sweep_experiment *experiment, struct sup_error *error)
{
    FILE *file = fopen(file_name, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
    int status = sweep_experiment_load(file_name, NULL, experiment, error);
    unlink(file_name);
    return status;
}

/* ---- Mistakes ---- */

#define GOOD "ranks: 8\nbytes: 64\nblocks: 4\nplatforms: crossbar:8\n"

static const struct mistake {
    const char *text, *message; /* the message begins so, after the file's name */
} mistakes[] = {
    {"rank: 8\nbytes: 64\n", ":1:1: rank: no such key; did you mean ranks?"},
    {GOOD "xyzzyxyz: 1\n", ":5:1: xyzzyxyz: no such key; there are name, collective"},
    {GOOD "blocks: 5\n", ":5:1: blocks: is given twice"},
    {"bytes: 64\nranks: eight\n", ":2:8: ranks: \"eight\""},
    {"bytes: 64\nranks:\n  - 8\n  - 0\n", ":4:5: ranks: \"0\""},
    {"bytes: 64\nranks:\n  - 8\n  - {a: b}\n", ":4:5: ranks: a single value is required here"},
    {"bytes: 64\nranks: {a: b}\n", ":2:8: ranks: a value or a list of values is required here"},
    {"bytes: 64\nranks: []\n", ":2:8: ranks: an empty list"},
    {"bytes: 64\nranks:\n", ":2:7: ranks: has no value"},
    {"ranks: 8\nbytes: 5parsec\n", ":2:8: bytes: \"5parsec\""},
    {"element-bytes: 4\nranks: 8\nbytes: 10\n", ":3:8: bytes: 10 bytes are not a multiple of"},
    {"algorithms: [circulant, circulent]\n", ":1:25: algorithms: no \"circulent\"; did you mean "
                                             "circulant?"},
    {"collective: bcat\n", ":1:13: collective: no \"bcat\"; did you mean bcast?"},
    {"collective: [bcast, bcast]\n", ":1:21: collective: takes one value, not a list"},
    {GOOD "engine: simgird\n", ":5:9: engine: unknown \"simgird\": did you mean simgrid?"},
    {GOOD "confirm: simgird\n", ":5:10: confirm: unknown \"simgird\": did you mean simgrid?"},
    {GOOD "confirm-share: 1.5\n", ":5:16: confirm-share: \"1.5\" is not above 0 and at most 1"},
    {GOOD "progress: windw:8\n", ":5:11: overlap: "},
    {GOOD "placement: sideways\n", ":5:12: placement: "},
    {GOOD "ppn: 0\n", ":5:6: ppn: \"0\""},
    {GOOD "seed: many\n", ":5:7: seed: \"many\""},
    {GOOD "roots: [0, 8]\n", ":5:9: roots: 8 is not a rank: with 8 ranks it must be from 0 to 7"},
    {GOOD "ports: 0\n", ":5:8: ports: \"0\""},
    {GOOD "radix: [2, 1]\n", ":5:12: radix: \"1\""},
    {GOOD "instances: q=1\n", ":5:12: instances: bcast has no instances, which was to be \"q=1\""},
    {GOOD "collective: redistribute\ninstances: [bogus]\n",
     ":6:13: instances: \"bogus\" is none of its values"},
    {GOOD "collective: redistribute\ninstances:\n - 'P=4,r=2,Q=4,s=1'\n - 'P=4,r=4,Q=0,s=3'\n",
     ":8:4: instances: Q must be a whole number in 1..1073741824, not 0"},
    {GOOD "collective: redistribute\ninstances: 'P=15,r=4,Q=3,s=3'\n",
     ":6:12: instances: the instance of redistribute for p = 8: these are 18 ranks, or 15 if"},
    {GOOD "collective: shift\ninstances: [q=3..9, q=8..9]\n",
     ":6:21: instances: the instance of shift for p = 8: q must be a whole number in 0..7, not 9"},
    {GOOD "radix: 2\nalgorithms: chain\n", ":5:8: radix: none of these algorithms has a radix"},
    {"ranks: 8\nbytes: 64\nblocks: {of-optimum: [1, -1]}\nplatforms: crossbar:8\n",
     ":3:26: blocks.of-optimum: \"-1\" is not a number above 0"},
    {"ranks: 8\nbytes: 64\nblocks:\n  of-f: 1\n", ":4:3: of-f: no such key; did you mean of-F?"},
    {"bytes: 64\nblocks: 4\nplatforms: crossbar:8\n", ": the key ranks is missing"},
    {"ranks: 8\nbytes: 64\nblocks: 4\n", ": the key platforms is missing"},
    {GOOD "grids:\n  - ranks: 4\n  - rank: 8\n", ":7:5: rank: no such key; did you mean ranks?"},
    {GOOD "grids:\n  - ranks: 4\n  - ranks: x\n", ":7:12: ranks: \"x\""},
    {GOOD "grids: 5\n", ":5:8: grids: a list of mappings is required here"},
    {GOOD "name: ../up\n", ":5:7: name: is used in file names"},
    {"ranks: [8\nbytes: 64\n", ":2:6: not YAML: "},
    {GOOD "---\nranks: 9\n", ":6:1: a second document"},
    {"ranks: *r\n", ":1:8: not YAML: found undefined alias"},
    {"ranks: &r 8\nbytes: &r 64\n", ":2:8: not YAML: second occurrence, found duplicate anchor"},
    {"ranks: &r 8\nbytes: *r\nbytes: *r\n", ":3:1: bytes: is given twice"},
    {"- 8\n- 9\n", ":1:1: lines 'key: value' are required here"},
    {"", ": the file has no content"},
    {"# only a remark\n", ": the file has no content"},
};

static void test_mistakes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        struct sweep_experiment experiment;
        struct sup_error error = {""};
        char expected[400];
        assert_int_equal(load(mistakes[i].text, &experiment, &error), RB_EINVAL);
        snprintf(expected, sizeof expected, "%s%s", file_name, mistakes[i].message);
        error.text[strlen(expected) < sizeof error.text ? strlen(expected) : 0] = '\0';
        assert_string_equal(error.text, expected);
    }
}

/* The text is bound to SQL as a string, so it must end, whatever was in memory before. */
static void test_text_ends(void **state)
{
    (void)state;
    struct sweep_experiment experiment;
    struct sup_error error;
    char *dirt = malloc(120000);
    assert_non_null(dirt);
    memset(dirt, 'x', 120000);
    free(dirt);
    assert_int_equal(load(GOOD, &experiment, &error), RB_OK);
    assert_string_equal(experiment.document.text, GOOD);
    assert_int_equal(experiment.document.size, strlen(GOOD));
    sweep_experiment_free(&experiment);
}

static void test_missing_file(void **state)
{
    (void)state;
    struct sweep_experiment experiment;
    struct sup_error error;
    assert_int_equal(sweep_experiment_load("no-such.yaml", NULL, &experiment, &error), RB_EINVAL);
    assert_string_equal(error.text, "no-such.yaml: No such file or directory");
}

/* Mistakes that show only when the platform is known. */
static void test_platform_mistakes(void **state)
{
    (void)state;
    static const struct mistake cases[] = {
        {"ranks: [4, 9]\nbytes: 64\nblocks: 4\nplatforms: crossbar:8\n",
         ":1:9: ranks: 9 ranks at 1 per host need 9 hosts; crossbar:8 has 8"},
        {"ranks: 4\nbytes: 64\nblocks: 4\nplatforms:\n  - crossbar:8\n  - crossbra:8\n",
         ":6:5: platforms: "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sweep_experiment experiment;
        struct sweep_points points;
        struct sup_error error;
        char expected[400];
        assert_int_equal(load(cases[i].text, &experiment, &error), RB_OK);
        assert_int_not_equal(sweep_points_make(&experiment, &points, &error), RB_OK);
        snprintf(expected, sizeof expected, "%s%s", file_name, cases[i].message);
        error.text[strlen(expected)] = '\0';
        assert_string_equal(error.text, expected);
        sweep_experiment_free(&experiment);
    }
}

/* ---- Meaning ---- */

static void expand(const char *text, struct sweep_experiment *experiment,
                   struct sweep_points *points)
{
    struct sup_error error = {""};
    if (load(text, experiment, &error) != RB_OK ||
        sweep_points_make(experiment, points, &error) != RB_OK)
        fail_msg("%s", error.text);
}

static size_t count_n(const struct sweep_points *points, const char *algorithm, int32_t p,
                      int64_t n)
{
    size_t count = 0;
    for (size_t i = 0; i < points->count; i++) {
        const struct point *point = &points->point[i];
        count += strcmp(point->plan.algorithm, algorithm) == 0 && point->plan.p == p &&
                 point->plan.n == n;
    }
    return count;
}

static void test_expansion(void **state)
{
    (void)state;
    struct sweep_experiment experiment;
    struct sweep_points points;
    /* circulant: 2 p x 2 m x 2 roots x {1, 2, 4, 3}; binomial: n = 1 only. */
    expand("ranks: 4..8*2\nbytes: [64, 1KiB]\nroots: 0,3\nblocks: {counts: ['1..4*2', 3, 2]}\n"
           "algorithms: [circulant, binomial]\nplatforms: crossbar:8\n",
           &experiment, &points);
    assert_int_equal(points.count, 2 * 2 * 2 * 4 + 2 * 2 * 2);
    assert_int_equal(count_n(&points, "circulant", 8, 3), 4);
    assert_int_equal(count_n(&points, "binomial", 8, 1), 4);
    assert_int_equal(points.repeated, 2 * 2 * 2);
    for (size_t i = 1; i < points.count; i++)
        assert_true(points.point[i - 1].cost_s >= points.point[i].cost_s);
    sweep_points_free(&points);
    sweep_experiment_free(&experiment);
}

/* The best n of (n - 1 + q)(alpha + beta m / n) is sqrt((q - 1) beta m / alpha); with alpha = 1 us
 * and 1 GB/s, 1 MB and p = 16 that is sqrt(3 * 1000) = 54.8. F = 100 and 1-byte elements give
 * sqrt(10^6 * 4) / 100 = 20. */
/* For those algorithms that have one; without the key their own choice. */
static void test_radices(void **state)
{
    (void)state;
    struct sweep_experiment experiment;
    struct sweep_points points;
    expand("collective: alltoall\nalgorithms: [bruck, pairwise]\nranks: [5, 8]\nbytes: 6400\n"
           "platforms: crossbar:8\n"
           "grids:\n  - radix: [all, 3]\n  - {algorithms: bruck, ports: '1..3'}\n",
           &experiment, &points);
    int32_t with[9] = {0};
    for (size_t i = 0; i < points.count; i++) {
        assert_true(points.point[i].plan.radix <= points.point[i].plan.p);
        with[points.point[i].plan.radix]++;
    }
    assert_int_equal(with[0], 2 * 1 + 2 * 3); /* pairwise, and the second grid */
    assert_int_equal(with[3], 2);
    assert_int_equal(with[5], 2);
    assert_int_equal(with[6], 1);
    assert_int_equal(with[8], 1);
    assert_int_equal(points.count, 8 + 4 + 7);
    assert_int_equal(points.repeated, 2);
    sweep_points_free(&points);
    sweep_experiment_free(&experiment);
}

/* A range is all its values; those that a p doesn't have are left out. */
static void test_instances(void **state)
{
    (void)state;
    struct sweep_experiment experiment;
    struct sweep_points points;
    expand("collective: shift\nalgorithms: direct\nranks: [4, 8]\nbytes: 6400\n"
           "platforms: crossbar:8\ninstances: ['q=1..5', q=7]\n",
           &experiment, &points);
    size_t q7 = 0;
    for (size_t i = 0; i < points.count; i++)
        q7 += strcmp(points.point[i].plan.instance, "q=7") == 0 && points.point[i].plan.p == 8;
    assert_int_equal(points.count, 3 + 6);
    assert_int_equal(points.unfit, 2 + 1);
    assert_int_equal(q7, 1);
    sweep_points_free(&points);
    sweep_experiment_free(&experiment);
}

static void test_relative_block_counts(void **state)
{
    (void)state;
    struct sweep_experiment experiment;
    struct sweep_points points;
    expand("ranks: 16\nbytes: 1MB\nblocks: {of-optimum: [1, 1e9], of-F: [100, 1e9]}\n"
           "algorithms: circulant\nplatforms: 'crossbar:16,bandwidth=1GBps,latency=1us'\n",
           &experiment, &points);
    assert_int_equal(points.count, 4);
    assert_int_equal(count_n(&points, "circulant", 16, 55), 1);
    assert_int_equal(count_n(&points, "circulant", 16, 1000000), 1); /* no more than elements */
    assert_int_equal(count_n(&points, "circulant", 16, 20), 1);
    assert_int_equal(count_n(&points, "circulant", 16, 1), 1); /* at least one */
    sweep_points_free(&points);
    sweep_experiment_free(&experiment);
}

/* A plan that lacks ports is left out; it has no best n to ask for. */
static void test_relative_block_counts_of_no_plan(void **state)
{
    (void)state;
    struct sweep_experiment experiment;
    struct sweep_points points;
    expand("ranks: 16\nppn: 4\ngroups: host\nbytes: 1MB\nblocks: {of-optimum: [1, 2]}\n"
           "algorithms: [circulant, rails]\nplatforms: crossbar:4\n",
           &experiment, &points);
    assert_int_equal(points.count, 2);
    assert_int_equal(points.unfit, 2);
    sweep_points_free(&points);
    sweep_experiment_free(&experiment);
}

/* Half the optimum, 55.1 as above, the optimum, and twice as many, in each grid without the key. */
static void test_usual_block_counts(void **state)
{
    (void)state;
    struct sweep_experiment experiment;
    struct sweep_points points;
    expand("bytes: 1MB\nplatforms: 'crossbar:16,bandwidth=1GBps,latency=1us'\n"
           "grids:\n"
           "  - {ranks: 16, algorithms: [circulant, binomial]}\n"
           "  - {ranks: 8, algorithms: circulant, blocks: 3}\n",
           &experiment, &points);
    assert_int_equal(points.count, 5);
    assert_int_equal(count_n(&points, "circulant", 16, 28), 1);
    assert_int_equal(count_n(&points, "circulant", 16, 55), 1);
    assert_int_equal(count_n(&points, "circulant", 16, 110), 1);
    assert_int_equal(count_n(&points, "binomial", 16, 1), 1);
    assert_int_equal(count_n(&points, "circulant", 8, 3), 1);
    sweep_points_free(&points);
    sweep_experiment_free(&experiment);
}

static void test_blocks_of_f(void **state)
{
    (void)state;
    assert_int_equal(point_blocks_of_f(100, 1000000, 16), 20);
    assert_int_equal(point_blocks_of_f(107, 1000000, 16), 19); /* 18.7 */
    assert_int_equal(point_blocks_of_f(100, 1000000, 1), 1);   /* q = 0 */
    assert_int_equal(point_blocks_of_f(1e-9, 12, 16), 12);
    assert_int_equal(point_blocks_of_f(70, 0, 16), 1);
}

/* What a grid doesn't say stands at the top; its `blocks` replace those at the top. */
static void test_grids_inherit(void **state)
{
    (void)state;
    struct sweep_experiment experiment;
    struct sweep_points points;
    expand("ranks: 4\nbytes: 64\nblocks: {of-optimum: 1, counts: 5}\nplatforms: crossbar:8\n"
           "algorithms: circulant\nseed: 7\nplacement: random\n"
           "grids:\n"
           "  - {}\n"
           "  - {ranks: 8, blocks: 2, placement: block}\n",
           &experiment, &points);
    assert_int_equal(experiment.grid_count, 2);
    assert_int_equal(points.count, 3);
    assert_int_equal(count_n(&points, "circulant", 4, 5), 1);
    assert_int_equal(count_n(&points, "circulant", 8, 2), 1);
    assert_int_equal(count_n(&points, "circulant", 8, 5), 0);
    assert_string_equal(experiment.grid[0].rule[POINT_PLACEMENT].rule[0].text, "random:7");
    assert_string_equal(experiment.grid[1].rule[POINT_PLACEMENT].rule[0].text, "block");
    assert_string_equal(experiment.name, "test_sweep");
    sweep_points_free(&points);
    sweep_experiment_free(&experiment);
}

/* An anchor used twice is read twice, as a value and in a list. */
static void test_aliases(void **state)
{
    (void)state;
    struct sweep_experiment experiment;
    struct sup_error error;
    assert_int_equal(load("ranks: &p 4\nblocks: *p\nbytes: [*p, 8]\nplatforms: crossbar:8\n",
                          &experiment, &error),
                     RB_OK);
    assert_int_equal(experiment.grid[0].number[POINT_N].value[0], 4);
    assert_int_equal(experiment.grid[0].number[POINT_BYTES].value[0], 4);
    assert_int_equal(experiment.grid[0].number[POINT_BYTES].count, 2);
    sweep_experiment_free(&experiment);
}

/* ---- Duration ---- */

static double duration_s(const double costs[], size_t count, int32_t jobs)
{
    struct point point[8] = {0};
    const struct sweep_points points = {.point = point, .count = count};
    for (size_t i = 0; i < count; i++)
        point[i].cost_s = costs[i];
    return sweep_duration(&points, jobs);
}

static void test_duration(void **state)
{
    static const double costs[] = {8, 6, 5, 4, 3};
    (void)state;
    assert_true(duration_s(costs, 0, 3) == 0);
    assert_true(duration_s(costs, 5, 1) == 26);
    assert_true(duration_s(costs, 5, 2) == 14); /* 8 4; 6 5 3 */
    assert_true(duration_s(costs, 5, 3) == 9);  /* 8; 6 3; 5 4 */
    assert_true(duration_s(costs, 5, 64) == 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_missing_file),
        cmocka_unit_test(test_text_ends),
        cmocka_unit_test(test_platform_mistakes),
        cmocka_unit_test(test_expansion),
        cmocka_unit_test(test_duration),
        cmocka_unit_test(test_instances),
        cmocka_unit_test(test_usual_block_counts),
        cmocka_unit_test(test_radices),
        cmocka_unit_test(test_relative_block_counts),
        cmocka_unit_test(test_blocks_of_f),
        cmocka_unit_test(test_grids_inherit),
        cmocka_unit_test(test_relative_block_counts_of_no_plan),
        cmocka_unit_test(test_aliases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
