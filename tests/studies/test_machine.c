/* test_machine.c - the fit of a machine: parameters that are known are found again, what is left
 * over carries over to other p, and what the rows don't say is said to be unknown. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "studies/machine/machine.h"
#include "studies/predict/predict.h"

enum { MOST_ROWS = 600 };

/* The made machine: 3 us and 10 GB/s for a message, 5 GB/s for combining; its curves are flat. */
static double true_cost(const void *context, enum path_kind kind, double bytes)
{
    (void)context;
    (void)bytes;
    switch (kind) {
    case PATH_LATENCY:
        return 3e-6;
    case PATH_OVERHEAD:
        return 5e-7;
    case PATH_COMBINED:
        return 2e-10;
    default:
        return 1e-10;
    }
}

struct made {
    struct rows_row row[MOST_ROWS];
    const struct rows_row *pointer[MOST_ROWS];
    int32_t count;
};

static struct rows_row a_row(const char *collective, const char *algorithm, int32_t p,
                             int64_t m_bytes, const char *test)
{
    struct rows_row row = {.system = "made",
                           .test = test,
                           .library = "A",
                           .library_version = "1",
                           .collective = collective,
                           .name = algorithm,
                           .algorithm = algorithm,
                           .transport = "",
                           .shape = "",
                           .notes = "",
                           .nodes = p,
                           .ranks_per_node = 1,
                           .p = p,
                           .interfaces = 1,
                           .bytes = m_bytes,
                           .m_bytes = m_bytes,
                           .element_bytes = 1};
    return row;
}

static double true_time(struct mach_paths *paths, const struct rows_row *row)
{
    const struct path *path;
    struct sup_error error = {0};
    double time_s = 1e-6; /* of the measurement */
    assert_int_equal(mach_paths_of(paths, row, &path, &error), RB_OK);
    for (int32_t i = 0; i < path->count; i++)
        time_s += path->term[i].weight * true_cost(NULL, path->term[i].kind, path->term[i].bytes);
    return time_s;
}

static const char *const algorithms[][2] = {
    {"bcast", "binomial"},    {"bcast", "scatter-allgather"},
    {"reduce", "binomial"},   {"allreduce", "ring"},
    {"allgather", "ring"},    {"allgather", "recursive-doubling"},
    {"alltoall", "pairwise"}, {"allreduce", "recursive-doubling"},
};
enum { ALGORITHMS = sizeof algorithms / sizeof *algorithms };

/* Rows of all algorithms but the first `without` at 8, 16 and 32 ranks; of job "slow" everything
 * takes `slow` times as long. */
static void make(struct made *made, int without, double slow)
{
    struct mach_paths *paths = mach_paths_create(true_cost, NULL);
    assert_non_null(paths);
    made->count = 0;
    for (int a = without; a < ALGORITHMS; a++)
        for (int32_t p = 8; p <= 32; p *= 2)
            for (int64_t m = 64; m <= 16 << 20; m *= 8) {
                const bool is_slow = p == 16;
                struct rows_row *row = &made->row[made->count];
                *row = a_row(algorithms[a][0], algorithms[a][1], p, m,
                             is_slow  ? "slow"
                             : p == 8 ? "a"
                                      : "b");
                row->median_s = true_time(paths, row) * (is_slow ? slow : 1);
                made->pointer[made->count++] = row;
            }
    mach_paths_destroy(paths);
}

static struct predict_model *fit(const struct made *made)
{
    const struct predict_options options = {.model = "machine"};
    struct predict_model *model;
    struct sup_error error = {0};
    if (predict_fit(made->pointer, made->count, &options, &model, &error) != RB_OK)
        fail_msg("%s", error.text);
    return model;
}

static struct predict_parameter parameter(const struct predict_model *model, const char *name)
{
    struct predict_parameter found;
    for (int32_t i = 0; predict_model_parameter(model, i, &found); i++)
        if (strcmp(found.name, name) == 0)
            return found;
    fail_msg("no parameter %s", name);
    return found;
}

static void assert_within(double value, double expected, double tolerance)
{
    if (!(fabs(value / expected - 1) <= tolerance))
        fail_msg("%g instead of %g", value, expected);
}

static void known_parameters_are_found(void **state)
{
    (void)state;
    struct made *made = malloc(sizeof *made);
    assert_non_null(made);
    make(made, 0, 1);
    struct predict_model *model = fit(made);
    assert_within(parameter(model, "latency 4KiB").value, 3e-6, 0.15);
    assert_within(parameter(model, "byte 1MiB").value, 1e-10, 0.1);
    assert_within(parameter(model, "byte combined 512KiB").value, 2e-10, 0.15);
    assert_true(parameter(model, "byte 1MiB").determined);
    /* Nothing ran with several ranks per host. */
    assert_false(parameter(model, "byte in a host 1MiB").determined);
    assert_true(parameter(model, "byte in a host 1MiB").high >
                10 * parameter(model, "byte in a host 1MiB").low);
    /* So what depends on them is uncertain. */
    struct rows_row row = a_row("allgather", "ring", 32, 1 << 20, "a");
    struct predict_estimate between, within;
    struct sup_error error = {0};
    assert_int_equal(predict_time(model, &row, &between, &error), RB_OK);
    row.nodes = 1;
    row.ranks_per_node = 32;
    assert_int_equal(predict_time(model, &row, &within, &error), RB_OK);
    assert_true(within.high_s / within.low_s > 2 * between.high_s / between.low_s);
    predict_model_free(model);
    free(made);
}

static void other_p_and_algorithms_are_predicted(void **state)
{
    (void)state;
    struct made *made = malloc(sizeof *made);
    struct mach_paths *paths = mach_paths_create(true_cost, NULL);
    assert_non_null(made);
    make(made, 2, 1); /* no broadcast */
    struct predict_model *model = fit(made);
    for (int a = 0; a < 3; a++)
        for (int32_t p = 64; p <= 128; p *= 2)
            for (int64_t m = 1024; m <= 4 << 20; m *= 16) {
                const struct rows_row row = a_row(algorithms[a][0], algorithms[a][1], p, m, "new");
                struct predict_estimate estimate;
                struct sup_error error = {0};
                assert_int_equal(predict_time(model, &row, &estimate, &error), RB_OK);
                assert_within(estimate.time_s, true_time(paths, &row), 0.2);
                assert_true(estimate.low_s < true_time(paths, &row));
                assert_true(estimate.high_s > true_time(paths, &row));
            }
    mach_paths_destroy(paths);
    predict_model_free(model);
    free(made);
}

static void a_slow_job_is_not_taken_for_its_p(void **state)
{
    (void)state;
    struct made *made = malloc(sizeof *made);
    struct mach_paths *paths = mach_paths_create(true_cost, NULL);
    assert_non_null(made);
    make(made, 0, 1.5);
    struct predict_model *model = fit(made);
    const struct rows_row row = a_row("allgather", "ring", 64, 1 << 20, "new");
    struct predict_estimate estimate;
    struct sup_error error = {0};
    assert_int_equal(predict_time(model, &row, &estimate, &error), RB_OK);
    assert_within(estimate.time_s, true_time(paths, &row), 0.3);
    /* The jobs' own factors say so; what they have in common is not theirs. */
    assert_within(parameter(model, "job slow, bytes").value /
                      parameter(model, "job a, bytes").value,
                  1.5, 0.15);
    assert_within(parameter(model, "job a, start-ups").value /
                      parameter(model, "job b, start-ups").value,
                  1, 0.2);
    mach_paths_destroy(paths);
    predict_model_free(model);
    free(made);
}

/* An implementation that is twice as slow as its plan is so at other p, too. */
static void what_an_implementation_loses_carries_over(void **state)
{
    (void)state;
    struct made *made = malloc(sizeof *made);
    struct mach_paths *paths = mach_paths_create(true_cost, NULL);
    assert_non_null(made);
    make(made, 0, 1);
    for (int32_t i = 0; i < made->count; i++)
        if (strcmp(made->row[i].algorithm, "pairwise") == 0)
            made->row[i].median_s *= 2;
    struct predict_model *model = fit(made);
    struct rows_row row = a_row("alltoall", "pairwise", 64, 1 << 20, "new");
    struct predict_estimate known, other;
    struct sup_error error = {0};
    assert_int_equal(predict_time(model, &row, &known, &error), RB_OK);
    row.name = "another";
    assert_int_equal(predict_time(model, &row, &other, &error), RB_OK);
    assert_within(known.time_s, 2 * true_time(paths, &row), 0.3);
    assert_true(other.high_s / other.low_s > known.high_s / known.low_s);
    mach_paths_destroy(paths);
    predict_model_free(model);
    free(made);
}

static void fits_are_repeatable(void **state)
{
    (void)state;
    struct made *made = malloc(sizeof *made);
    assert_non_null(made);
    make(made, 0, 1.2);
    struct predict_model *one = fit(made), *two = fit(made);
    struct predict_parameter a, b;
    for (int32_t i = 0; predict_model_parameter(one, i, &a); i++) {
        assert_true(predict_model_parameter(two, i, &b));
        assert_true(a.value == b.value);
    }
    predict_model_free(one);
    predict_model_free(two);
    free(made);
}

static void rows_without_a_plan_are_refused(void **state)
{
    (void)state;
    struct rows_row row = a_row("allgather", "recursive-doubling", 6, 1024, "a");
    const struct rows_row *rows[] = {&row};
    const struct predict_options options = {.model = "machine"};
    struct predict_model *model = NULL;
    struct sup_error error = {0};
    row.median_s = 1e-3;
    row.algorithm = "no such algorithm";
    assert_int_equal(predict_fit(rows, 1, &options, &model, &error), RB_EINVAL);
    assert_non_null(strstr(error.text, "plan"));
    assert_null(model);
    assert_int_equal(predict_fit(rows, 0, &options, &model, &error), RB_EINVAL);
}

/* One row, times from a nanosecond to days, p = 1: every fit ends with finite numbers. */
static void odd_rows_are_fitted(void **state)
{
    (void)state;
    const double times[] = {1e-9, 1e5, 1e-5};
    for (int i = 0; i < 3; i++) {
        struct rows_row row = a_row("bcast", "binomial", i == 2 ? 1 : 8, i * 1000, "a");
        const struct rows_row *rows[] = {&row};
        const struct predict_options options = {.model = "machine"};
        struct predict_model *model = NULL;
        struct predict_estimate estimate;
        struct sup_error error = {0};
        row.median_s = times[i];
        if (predict_fit(rows, 1, &options, &model, &error) != RB_OK)
            fail_msg("%s", error.text);
        assert_int_equal(predict_time(model, &row, &estimate, &error), RB_OK);
        assert_true(estimate.time_s > 0 && isfinite(estimate.high_s));
        predict_model_free(model);
    }
}

static void costs_are_linear_between_knots(void **state)
{
    (void)state;
    double value[MACH_PARAMETERS] = {0};
    int32_t count, knot = 0;
    const struct mach_parameter *parameters = mach_parameters(&count);
    assert_true(count <= MACH_PARAMETERS);
    for (int32_t k = 0; k < count; k++)
        if (strncmp(parameters[k].name, "byte ", 5) == 0 && parameters[k].name[5] <= '9')
            value[k] = ++knot;
    assert_within(mach_costs_at(value, PATH_BYTES, 1), 1, 1e-9);
    assert_within(mach_costs_at(value, PATH_BYTES, 4096), 1, 1e-9);
    assert_within(mach_costs_at(value, PATH_BYTES, 8192), 1.25, 1e-9);
    assert_within(mach_costs_at(value, PATH_BYTES, 16384), 1.5, 1e-9);
    assert_within(mach_costs_at(value, PATH_BYTES, 65536), 2, 1e-9);
    assert_within(mach_costs_at(value, PATH_BYTES, 1e12), knot, 1e-9);
}

static void skew_grows_with_doublings_of_p(void **state)
{
    (void)state;
    const struct path none = {0};
    double row[MACH_PARAMETERS];
    int32_t count;
    const struct mach_parameter *parameters = mach_parameters(&count);
    assert_string_equal(parameters[count - 2].name, "skew per doubling of p");
    for (int q = 1; q < 20; q++) {
        mach_costs_row(&none, &(struct rows_row){.p = 1 << q}, row);
        assert_within(row[count - 3], 1, 1e-9);
        assert_within(row[count - 2], q, 1e-9);
        assert_true(fabs(row[count - 1]) <= 0); /* no engine's time */
    }
}

static void a_process_goes_through_its_points(void **state)
{
    (void)state;
    enum { POINTS = 12 };
    struct mach_gaussian_point point[POINTS], far;
    double rest[POINTS], at, sd, far_sd;
    struct mach_gaussian *process;
    struct sup_error error = {0};
    for (int i = 0; i < POINTS; i++) {
        point[i] = (struct mach_gaussian_point){.log2_m = 2 * i, .log2_p = 5};
        rest[i] = sin(i / 2.0);
    }
    assert_int_equal(mach_gaussian_create(point, rest, POINTS, &process, &error), RB_OK);
    mach_gaussian_at(process, &point[5], &at, &sd);
    assert_true(fabs(at - rest[5]) < 0.15);
    far = point[5];
    far.log2_m = 200;
    mach_gaussian_at(process, &far, &at, &far_sd);
    assert_true(fabs(at) < 1e-6 && far_sd > sd);
    far = point[5];
    far.collective = 1;
    mach_gaussian_at(process, &far, &at, &far_sd);
    assert_true(fabs(at) < 1e-12 && far_sd > sd);
    mach_gaussian_destroy(process);
}

static void systems_are_solved(void **state)
{
    (void)state;
    double a[9] = {4, 0, 0, 2, 5, 0, 1, 3, 6}, x[3] = {4 + 4 + 3, 2 + 10 + 9, 1 + 6 + 18};
    double wrong[4] = {1, 0, 2, 1};
    assert_true(mach_cholesky_factor(a, 3));
    mach_cholesky_solve(a, 3, x);
    for (int i = 0; i < 3; i++)
        assert_within(x[i], i + 1, 1e-12);
    assert_false(mach_cholesky_factor(wrong, 2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_parameters_are_found),
        cmocka_unit_test(other_p_and_algorithms_are_predicted),
        cmocka_unit_test(a_slow_job_is_not_taken_for_its_p),
        cmocka_unit_test(what_an_implementation_loses_carries_over),
        cmocka_unit_test(fits_are_repeatable),
        cmocka_unit_test(rows_without_a_plan_are_refused),
        cmocka_unit_test(odd_rows_are_fitted),
        cmocka_unit_test(costs_are_linear_between_knots),
        cmocka_unit_test(skew_grows_with_doublings_of_p),
        cmocka_unit_test(a_process_goes_through_its_points),
        cmocka_unit_test(systems_are_solved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
