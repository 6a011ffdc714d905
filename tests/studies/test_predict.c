/* test_predict.c - what is fitted is never predicted, and what a choice costs, on rows made by
 * hand. */
#define _POSIX_C_SOURCE 200809L /* mkstemp */

#include <inttypes.h>
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
#include "studies/predict/predict.h"
#include "support/units.h"

/* ---- Fits that are watched (linked with --wrap)
 * -------------------------------------------------- */

int __real_predict_fit(const struct rows_row *const rows[], int32_t count,
                       const struct predict_options *options, struct predict_model **model,
                       struct sup_error *error);
int __wrap_predict_fit(const struct rows_row *const rows[], int32_t count,
                       const struct predict_options *options, struct predict_model **model,
                       struct sup_error *error);
int __real_predict_time(struct predict_model *model, const struct rows_row *row,
                        struct predict_estimate *estimate, struct sup_error *error);
int __wrap_predict_time(struct predict_model *model, const struct rows_row *row,
                        struct predict_estimate *estimate, struct sup_error *error);

static const struct rows_row *fitted[1000];
static int32_t fitted_count, fits;

int __wrap_predict_fit(const struct rows_row *const rows[], int32_t count,
                       const struct predict_options *options, struct predict_model **model,
                       struct sup_error *error)
{
    assert_true(count <= 1000);
    memcpy(fitted, rows, (size_t)count * sizeof *rows);
    fitted_count = count;
    fits++;
    for (int32_t i = 0; i < count; i++)
        assert_non_null(rows[i]->algorithm);
    return __real_predict_fit(rows, count, options, model, error);
}

int __wrap_predict_time(struct predict_model *model, const struct rows_row *row,
                        struct predict_estimate *estimate, struct sup_error *error)
{
    for (int32_t i = 0; i < fitted_count; i++)
        assert_ptr_not_equal(fitted[i], row);
    return __real_predict_time(model, row, estimate, error);
}

/* ---- Rows
 * ---------------------------------------------------------------------------------------- */

static void read_text(const char *text, struct rows_set *set)
{
    static const struct rows_defaults defaults;
    char path[] = "/tmp/test_predict_XXXXXX";
    struct sup_error error;
    const int file = mkstemp(path);
    *set = (struct rows_set){0};
    assert_true(file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text));
    close(file);
    const int status = rows_read(set, path, &defaults, &error);
    unlink(path);
    if (status != RB_OK)
        fail_msg("%s", error.text);
}

#define HEADING "system,test,collective,algorithm,nodes,bytes,time_us\n"

/* Two machines: one with three numbers of nodes, one with one. */
static void read_two_machines(struct rows_set *set)
{
    char text[20000] = HEADING;
    for (int nodes = 4; nodes <= 16; nodes *= 2)
        for (int bytes = 1024; bytes <= 1 << 20; bytes *= 32)
            for (int k = 0; k < 3; k++)
                snprintf(text + strlen(text), sizeof text - strlen(text),
                         "one,t%d,bcast,%s,%d,%d,%d\n", nodes,
                         k == 0   ? "binomial"
                         : k == 1 ? "scatter-allgather"
                                  : "default",
                         nodes, bytes, 10 + nodes * (k + 1) + bytes / 100);
    for (int bytes = 1024; bytes <= 1 << 20; bytes *= 32)
        for (int k = 0; k < 4; k++)
            snprintf(text + strlen(text), sizeof text - strlen(text), "two,t,%s,%s,8,%d,%d\n",
                     k < 2 ? "bcast" : "allreduce", k % 2 == 0 ? "binomial" : "binary", bytes,
                     10 + k + bytes / 100);
    read_text(text, set);
}

static void run(const struct predict_request *request, struct predict_result *result)
{
    struct sup_error error;
    fits = 0;
    if (predict_run(request, result, &error) != RB_OK)
        fail_msg("%s", error.text);
}

static struct rows_filter *filter(const char *text)
{
    struct rows_filter *parsed;
    struct sup_error error;
    if (rows_filter_parse(text, &parsed, &error) != RB_OK)
        fail_msg("%s", error.text);
    return parsed;
}

/* ---- What is held out
 * ---------------------------------------------------------------------------- */

static void each_row_is_held_out_once(void **state)
{
    (void)state;
    struct rows_set set;
    struct predict_result result;
    read_two_machines(&set);
    struct predict_request request = {.set = &set};
    run(&request, &result);
    assert_int_equal(result.count, set.count);
    assert_int_equal(fits, 3 + 2);
    assert_string_equal(result.note,
                        "two has rows of one number of nodes, so collectives are held out in turn");
    for (size_t i = 0; i < result.count; i++) {
        const struct predict_tested *tested = &result.tested[i];
        assert_true(tested->predicted == !tested->row->own_choice);
        for (size_t k = 0; k < i; k++)
            assert_ptr_not_equal(tested->row, result.tested[k].row);
    }
    for (size_t i = 0; i < result.folds; i++)
        assert_int_equal(result.fold[i].fitted, strcmp(result.fold[i].system, "one") == 0 ? 12 : 6);
    predict_free(&result);

    for (int kind = 0; kind < PREDICT_HOLD_OUTS; kind++) {
        request.hold_out = (enum predict_hold_out)kind;
        request.hold_out_asked = true;
        request.system =
            kind == PREDICT_COLLECTIVE ? set.row[set.count - 1].system : set.row[0].system;
        run(&request, &result);
        assert_int_equal(result.count, kind == PREDICT_COLLECTIVE ? 12
                                       : kind == PREDICT_LARGEST  ? 18
                                                                  : 27);
        predict_free(&result);
    }
    struct sup_error error;
    request.hold_out = PREDICT_COLLECTIVE;
    assert_int_equal(predict_run(&request, &result, &error), RB_EINVAL);
    assert_string_equal(error.text, "--hold-out collective: the rows of one have only one value of "
                                    "it; hold out something else");
    predict_free(&result);
    rows_free(&set);
}

/* The largest numbers of ranks from fewer; a machine with one number of them is left out. */
static void the_largest_are_held_out(void **state)
{
    (void)state;
    struct rows_set set;
    struct predict_result result;
    read_two_machines(&set);
    struct predict_request request = {.set = &set,
                                      .hold_out = PREDICT_LARGEST,
                                      .hold_out_asked = true,
                                      .options = {.model = "rounds"}};
    run(&request, &result);
    assert_int_equal(result.folds, 2);
    assert_int_equal(fits, 2);
    assert_int_equal(result.fold[0].fitted, 6);
    assert_int_equal(result.fold[1].fitted, 12);
    assert_string_equal(result.note, "two is left out, because its rows have one number of ranks");
    assert_int_equal(result.count, 2 * 9);
    for (size_t i = 0; i < result.count; i++)
        assert_int_equal(result.tested[i].row->p, result.fold[result.tested[i].fold].number);
    for (int32_t i = 0; i < fitted_count; i++)
        assert_true(fitted[i]->p < 16);
    predict_free(&result);
    request.system = set.row[set.count - 1].system;
    struct sup_error error;
    assert_int_equal(predict_run(&request, &result, &error), RB_EINVAL);
    assert_string_equal(error.text,
                        "--hold-out largest: two is left out, because its rows have one "
                        "number of ranks");
    predict_free(&result);
    rows_free(&set);
    /* Below them further ones are predicted, for a model that is compared with the nearest. */
    char text[2000] = HEADING;
    for (int nodes = 2; nodes <= 64; nodes *= 2)
        snprintf(text + strlen(text), sizeof text - strlen(text),
                 "one,t,bcast,chain,%d,1024,%d\none,t,bcast,flat,%d,1024,%d\n", nodes, 10 * nodes,
                 nodes, 12 * nodes);
    read_text(text, &set);
    request =
        (struct predict_request){.set = &set, .hold_out = PREDICT_LARGEST, .hold_out_asked = true};
    run(&request, &result);
    assert_int_equal(fits, 4 + 1);
    assert_int_equal(result.folds, 4);
    assert_int_equal(result.count, 4 * 2);
    assert_true(!result.tested[0].by_nearest == (result.tested[0].row->p > 16));
    predict_free(&result);
    rows_free(&set);
}

/* Variances of logarithms grow by 0.35^2 for each doubling beyond what was fitted: of ranks, of
 * ranks per node, and of the longest side of a torus. */
static void intervals_widen_beyond_the_rows(void **state)
{
    (void)state;
    static const struct {
        const char *nodes;
        int ppn;
        double doublings;
    } way[] = {{"4x4x4", 1, 0}, {"8x8x8", 1, 3 + 1}, {"8x64", 1, 3 + 4}, {"4x4x4", 16, 4 + 4}};
    struct rows_set set;
    struct predict_result result;
    char text[4000] = "system,test,collective,algorithm,nodes,ppn,bytes,time_us\n";
    for (size_t i = 0; i < 4; i++)
        for (int bytes = 1; bytes <= 1000; bytes *= 1000)
            for (int k = 0; k < 2; k++)
                snprintf(text + strlen(text), sizeof text - strlen(text),
                         "here,t%zu,bcast,%s,%s,%d,%d,%d\n", i, k == 0 ? "binomial" : "binary",
                         way[i].nodes, way[i].ppn, bytes, 10 + k + bytes / 10);
    read_text(text, &set);
    const struct predict_request request = {
        .set = &set, .fit = filter("test=t0"), .options = {.model = "rounds", .confidence = 0.9}};
    run(&request, &result);
    assert_int_equal(result.count, 12);
    for (size_t i = 0; i < result.count; i++) {
        const struct predict_tested *tested = &result.tested[i];
        struct predict_model *model;
        struct predict_estimate bare;
        struct sup_error error;
        const struct rows_row *rows[4];
        for (int k = 0; k < 4; k++)
            rows[k] = &set.row[k];
        assert_int_equal(__real_predict_fit(rows, 4, &request.options, &model, &error), RB_OK);
        assert_int_equal(__real_predict_time(model, tested->row, &bare, &error), RB_OK);
        const double more = 0.35 * 1.6448536 * sqrt(way[tested->row->test[1] - '0'].doublings);
        assert_true(fabs(tested->estimate.time_s / bare.time_s - 1) < 1e-12);
        assert_true(fabs(log(tested->estimate.high_s / bare.time_s) -
                         hypot(log(fmax(1, bare.high_s / bare.time_s)), more)) < 1e-6);
        assert_true(fabs(log(bare.time_s / tested->estimate.low_s) -
                         hypot(log(fmax(1, bare.time_s / bare.low_s)), more)) < 1e-6);
        predict_model_free(model);
    }
    predict_free(&result);
    rows_filter_free((struct rows_filter *)request.fit);
    rows_free(&set);
}

/* Of a machine that is held out no row is fitted, and rows of machines with another kind of network
 * only where there are none of its own. */
static void machines_are_predicted_from_others(void **state)
{
    (void)state;
    struct rows_set set;
    struct predict_result result;
    char text[4000] = "system,test,collective,algorithm,nodes,ppn,bytes,time_us\n";
    static const char *const nodes[] = {"8", "16", "2x2x2"};
    for (int machine = 0; machine < 3; machine++)
        for (int k = 0; k < 2; k++)
            for (int bytes = 1024; bytes <= 1 << 20; bytes *= 32)
                snprintf(text + strlen(text), sizeof text - strlen(text),
                         "m%d,t%d,bcast,%s,%s,1,%d,%d\n", machine, machine,
                         k == 0 ? "binomial" : "binary", nodes[machine], bytes,
                         10 + k + machine + bytes / 100);
    read_text(text, &set);
    struct predict_request request = {
        .set = &set, .hold_out = PREDICT_SYSTEM, .hold_out_asked = true};
    static const int32_t fits_rows[] = {6, 6, 12};
    for (int machine = 0; machine < 3; machine++) {
        request.system = set.row[(size_t)machine * 6].system;
        run(&request, &result);
        assert_int_equal(fits, 1);
        assert_int_equal(fitted_count, fits_rows[machine]);
        for (int32_t i = 0; i < fitted_count; i++)
            assert_ptr_not_equal(fitted[i]->system, request.system);
        assert_int_equal(result.count, 6);
        predict_free(&result);
    }
    rows_free(&set);
}

/* Several fits at a time give the same result, in the same order. */
static void jobs_change_nothing(void **state)
{
    (void)state;
    static const char *const forecast[] = {"circulant"};
    struct rows_set set;
    struct predict_result alone, together;
    read_two_machines(&set);
    struct predict_request request = {
        .set = &set, .options = {.model = "rounds"}, .forecast = forecast, .forecasts = 1};
    run(&request, &alone);
    request.jobs = 3;
    run(&request, &together);
    assert_int_equal(fits, 0); /* in this process */
    assert_int_equal(together.count, alone.count);
    assert_int_equal(together.folds, alone.folds);
    assert_int_equal(together.no_plan, alone.no_plan);
    assert_true(alone.forecasts > 0);
    assert_int_equal(together.forecasts, alone.forecasts);
    for (size_t i = 0; i < alone.count; i++) {
        assert_ptr_equal(together.tested[i].row, alone.tested[i].row);
        assert_int_equal(together.tested[i].fold, alone.tested[i].fold);
        assert_true(together.tested[i].estimate.time_s == alone.tested[i].estimate.time_s);
    }
    for (size_t i = 0; i < alone.forecasts; i++) {
        assert_ptr_equal(together.forecast[i].row, alone.forecast[i].row);
        assert_true(together.forecast[i].estimate.time_s == alone.forecast[i].estimate.time_s);
    }
    for (size_t i = 0; i < alone.folds; i++) {
        assert_int_equal(together.fold[i].fitted, alone.fold[i].fitted);
        assert_int_equal(together.fold[i].parameters, 2);
        assert_string_equal(together.fold[i].parameter[1].name, "beta");
        assert_true(together.fold[i].parameter[1].value == alone.fold[i].parameter[1].value);
    }
    predict_free(&alone);
    predict_free(&together);
    request.fit = filter("nodes=5"); /* an error crosses processes, too */
    struct sup_error error;
    assert_int_equal(predict_run(&request, &alone, &error), RB_EINVAL);
    assert_non_null(strstr(error.text, "no row is left to fit"));
    predict_free(&alone);
    rows_filter_free((struct rows_filter *)request.fit);
    rows_free(&set);
}

/* Filters may overlap: such rows are fitted, and not predicted. */
static void fitted_rows_are_never_predicted(void **state)
{
    (void)state;
    struct rows_set set;
    struct predict_result result;
    struct sup_error error;
    read_two_machines(&set);
    struct predict_request request = {.set = &set,
                                      .system = set.row[0].system,
                                      .fit = filter("nodes<=8"),
                                      .predict = filter("nodes>=8")};
    run(&request, &result);
    assert_int_equal(fits, 2); /* and one to the smaller number of nodes, which judges */
    assert_int_equal(result.folds, 1);
    assert_int_equal(result.fold[0].fitted, 12);
    assert_int_equal(result.both, 9);
    assert_int_equal(result.count, 9);
    for (size_t i = 0; i < result.count; i++)
        assert_int_equal(result.tested[i].row->nodes, 16);
    predict_free(&result);

    rows_filter_free(request.predict == NULL ? NULL : (struct rows_filter *)request.predict);
    request.predict = NULL;
    run(&request, &result);
    assert_int_equal(result.count, 9);
    assert_int_equal(result.both, 0);
    predict_free(&result);

    rows_filter_free((struct rows_filter *)request.fit);
    request.fit = NULL;
    request.predict = filter("nodes=4");
    request.among = "bino*";
    run(&request, &result);
    assert_int_equal(result.fold[0].fitted, 6);
    assert_int_equal(result.count, 6); /* and the library's choice */
    predict_free(&result);

    rows_filter_free((struct rows_filter *)request.predict);
    request.predict = filter("nodes=5");
    assert_int_equal(predict_run(&request, &result, &error), RB_EINVAL);
    assert_non_null(strstr(error.text, "no row is left to predict"));
    predict_free(&result);
    rows_filter_free((struct rows_filter *)request.predict);
    request.predict = NULL;
    request.fit = filter("nodes=5");
    assert_int_equal(predict_run(&request, &result, &error), RB_EINVAL);
    assert_string_equal(error.text, "one, by filters: no row is left to fit: none outside has a "
                                    "plan");
    predict_free(&result);
    rows_filter_free((struct rows_filter *)request.fit);
    rows_free(&set);
}

/* ---- The nearest point
 * --------------------------------------------------------------------------- */

static void times_lean_to_the_nearest_point(void **state)
{
    (void)state;
    struct rows_set set;
    read_text(HEADING "here,t,bcast,binomial,8,1024,1\n"
                      "here,t,bcast,chain,8,1024,1\n"
                      "here,t,bcast,flat,8,1024,1\n"
                      "here,t,bcast,default,8,1024,1\n"
                      "here,t,bcast,chain,4,1024,20\n"
                      "here,t,bcast,flat,4,1024,10\n"
                      /* farther, in ranks and in size */
                      "here,t,bcast,chain,2,1024,1\n"
                      "here,t,bcast,binomial,4,2048,1\n",
              &set);
    const struct rows_row *fitted_[4];
    for (int i = 0; i < 4; i++)
        fitted_[i] = &set.row[4 + i];
    for (int share = 0; share <= 1; share++) {
        struct predict_tested tested[4] = {{0}};
        for (int i = 0; i < 4; i++) {
            tested[i] = (struct predict_tested){.row = &set.row[i], .predicted = i < 3};
            tested[i].estimate = (struct predict_estimate){i == 0 ? 5 : 30, 15, 60};
        }
        predict_lean(fitted_, 4, tested, 4, share ? 1 : PREDICT_SHARE);
        /* The predicted times are 1.5 and 3 times those at the nearest point. */
        const double chain = 2.25 * 20, flat = 2.25 * 10;
        assert_true(tested[2].nearest && !tested[1].nearest && !tested[0].nearest);
        assert_true(fabs(tested[1].estimate.time_s - (share ? chain : sqrt(30 * chain))) < 1e-9);
        assert_true(fabs(tested[2].estimate.time_s - (share ? flat : sqrt(30 * flat))) < 1e-9);
        assert_true(fabs(tested[2].estimate.high_s / tested[2].estimate.time_s - 2) < 1e-9);
        /* What was not measured there stays, or comes behind. */
        assert_true(fabs(tested[0].estimate.time_s - (share ? 1.01 * flat : 5)) < 1e-9);
    }
    rows_free(&set);
}

/* At 8 and 16 nodes the best is another one than at the nearest point, and predictions choose it:
 * so they do at 32, where two folds are better in the mean, also where one is of another
 * collective, and where the other one loses less at more points. Where at 16 they chose what is
 * much slower, or nothing was measured (but at 8 at two points), the nearest point's best is taken,
 * and so it is at 8 and 16, before which there are less than two folds. */
static void choices_that_are_not_better_give_way(void **state)
{
    (void)state;
    enum { GAINS, MANY, OTHERS, LOSES, ONE_FOLD, CASES };
    static const int slower[CASES] = {[MANY] = 26, [LOSES] = 41};
    for (int kind = 0; kind < CASES; kind++) {
        char text[4000] = HEADING;
        struct rows_set set;
        for (int nodes = 4; nodes <= 32; nodes *= 2) {
            const int flat = nodes == 4         ? 10
                             : nodes != 16      ? 20
                             : slower[kind] > 0 ? slower[kind]
                                                : 10;
            const int sizes = kind == MANY && nodes == 16      ? 4
                              : kind == ONE_FOLD && nodes == 8 ? 2
                                                               : 1;
            for (int k = 0; k < 2 * sizes; k++)
                if (k % 2 == 0 ? nodes != 16 || kind < OTHERS || kind == LOSES
                               : kind == OTHERS && nodes % 3 == 1)
                    snprintf(text + strlen(text), sizeof text - strlen(text),
                             "here,t,%s,chain,%d,%d,%d\nhere,t,%s,flat,%d,%d,%d\n",
                             k % 2 == 0 ? "bcast" : "reduce", nodes, 1024 << k / 2,
                             nodes % 3 == 2 ? 10 : 20, k % 2 == 0 ? "bcast" : "reduce", nodes,
                             1024 << k / 2, flat);
        }
        read_text(text, &set);
        const struct predict_request request = {
            .set = &set, .hold_out = PREDICT_LARGEST, .hold_out_asked = true};
        struct predict_result result = {.folds = 3};
        result.tested = calloc(set.count, sizeof *result.tested);
        result.fold = calloc(16, sizeof *result.fold);
        assert_true(result.tested != NULL && result.fold != NULL);
        for (int f = 0; f < 3; f++)
            result.fold[f] = (struct predict_fold){
                .system = set.row[0].system, .kind = PREDICT_LARGEST, .number = 8 << f, .text = ""};
        for (size_t i = 0; i < set.count; i++)
            if (set.row[i].p > 4)
                result.tested[result.count++] = (struct predict_tested){
                    .row = &set.row[i],
                    .fold = set.row[i].p == 8 ? 0 : set.row[i].p / 16,
                    .predicted = true,
                    .estimate = {
                        (strcmp(set.row[i].name, "flat") == 0) == (set.row[i].p == 16) ? 1 : 50,
                        0.5, 100}};
        predict_lean_all(&request, &result, PREDICT_SHARE);
        predict_summarize(&request, &result);
        for (size_t i = 0; i < result.groups; i++) {
            const struct predict_group *group = &result.group[i];
            const struct predict_tested *choice = &result.tested[group->choice];
            const bool kept = kind <= OTHERS && choice->row->p == 32;
            assert_int_equal(choice->by_nearest, !kept);
            assert_int_equal(group->choice, kept ? group->model : group->nearest);
            assert_string_equal(result.tested[group->model].row->name,
                                choice->row->p == 16 ? "flat" : "chain");
        }
        assert_int_equal(result.collective[0].by_nearest, (kind == MANY     ? 6
                                                           : kind == OTHERS ? 2
                                                                            : 3) -
                                                              (kind <= OTHERS));
        predict_free(&result);
        rows_free(&set);
    }
}

/* ---- Regret
 * -------------------------------------------------------------------------------------- */

/* Two points, each with three algorithms that have plans, one without, and the library's choice;
 * times in microseconds. The predictions choose `ring`-like at both.
 *
 *                  point 1 (1 KiB)        point 2 (64 KiB)
 *                  measured predicted     measured predicted
 * binomial         10       12            400      500
 * chain            20       11 <-         100      90
 * flat             16       30            200      80 <-
 * unheard-of       5        none          300      none
 * default          40       none          150      none */
static void regret_is_a_ratio_of_measured_times(void **state)
{
    (void)state;
    struct rows_set set;
    read_text(HEADING "here,t,bcast,binomial,8,1024,10\n"
                      "here,t,bcast,chain,8,1024,20\n"
                      "here,t,bcast,flat,8,1024,16\n"
                      "here,t,bcast,unheard-of,8,1024,5\n"
                      "here,t,bcast,default,8,1024,40\n"
                      "here,t,bcast,binomial,8,65536,400\n"
                      "here,t,bcast,chain,8,65536,100\n"
                      "here,t,bcast,flat,8,65536,200\n"
                      "here,t,bcast,unheard-of,8,65536,300\n"
                      "here,t,bcast,default,8,65536,150\n"
                      /* fitted: flat is the best single one here */
                      "here,t,bcast,binomial,4,1024,30\n"
                      "here,t,bcast,chain,4,1024,20\n"
                      "here,t,bcast,flat,4,1024,10\n"
                      /* and chain by a little at the larger size */
                      "here,t,bcast,chain,4,65536,29\n"
                      "here,t,bcast,flat,4,65536,30\n",
              &set);
    static const double predicted_us[] = {12, 11, 30, 0, 0, 500, 90, 80, 0, 0};
    struct rows_filter *fit = filter("nodes=4");
    const struct predict_request request = {.set = &set, .fit = fit};
    struct predict_result result = {.count = 10, .folds = 1};
    result.tested = calloc(10, sizeof *result.tested);
    result.fold = calloc(16, sizeof *result.fold);
    assert_true(result.tested != NULL && result.fold != NULL);
    result.fold[0] =
        (struct predict_fold){.system = set.row[0].system, .by_filters = true, .text = ""};
    for (int i = 0; i < 10; i++) {
        const double time_s = predicted_us[i] / 1e6;
        result.tested[i] =
            (struct predict_tested){.row = &set.row[i],
                                    .predicted = predicted_us[i] > 0,
                                    .nearest = i == 2 || i == 6, /* flat, then chain */
                                    .estimate = {time_s, 0.9 * time_s, 1.1 * time_s}};
    }
    predict_summarize(&request, &result);
    assert_int_equal(result.groups, 2);
    assert_int_equal(result.collectives, 1);
    const struct predict_summary *s = &result.collective[0];
    assert_int_equal(s->rows, 10);
    assert_int_equal(s->predicted, 6);
    assert_int_equal(s->algorithms, 3);
    assert_int_equal(s->groups, 2);
    const double tiny = 1e-12;
    assert_true(fabs(s->regret.mean - sqrt(20. / 10 * 200 / 100)) < tiny);
    assert_true(fabs(s->regret.worst - 2) < tiny);
    assert_true(fabs(s->regret_all.mean - sqrt(20. / 5 * 200 / 100)) < tiny);
    assert_true(fabs(s->regret_all.worst - 4) < tiny);
    assert_true(fabs(s->own.mean - sqrt(40. / 10 * 150 / 100)) < tiny);
    assert_true(fabs(s->own.worst - 4) < tiny);
    assert_true(fabs(s->own_all.worst - 8) < tiny);
    /* binomial: 1 and 4; chain: 2 and 1; flat: 1.6 and 2. */
    assert_string_equal(s->single_name, "chain");
    assert_true(fabs(s->single.mean - sqrt(2)) < tiny);
    assert_true(fabs(s->single.worst - 2) < tiny);
    assert_true(fabs(s->fitted_single.mean - sqrt(1.6 * 2)) < tiny);
    assert_true(fabs(s->fitted_single.worst - 2) < tiny);
    assert_true(fabs(s->nearest.mean - sqrt(1.6)) < tiny);
    assert_true(fabs(s->nearest.worst - 1.6) < tiny);
    /* Errors: +20 %, -45 %, +87.5 %; +25 %, -10 %, -60 %. */
    assert_int_equal(s->errors[PREDICT_SHORT].rows, 3);
    assert_true(fabs(s->errors[PREDICT_SHORT].median - 0.45) < tiny);
    assert_true(fabs(s->errors[PREDICT_SHORT].p90 - (0.45 + 0.8 * (0.875 - 0.45))) < tiny);
    assert_true(fabs(s->errors[PREDICT_SHORT].bias - 0.2) < tiny);
    assert_true(fabs(s->errors[PREDICT_LONG].median - 0.25) < tiny);
    assert_true(fabs(s->errors[PREDICT_LONG].bias - -0.1) < tiny);
    /* Only -10 % is within 0.9 .. 1.1 of the prediction: 100 in 81 .. 99 is not. */
    assert_true(fabs(s->coverage) < tiny);
    assert_int_equal(result.algorithms, 5);
    predict_free(&result);
    rows_filter_free(fit);
    rows_free(&set);
}

/* ---- The textbook's model
 * ------------------------------------------------------------------------ */

/* Times made by the formula are predicted exactly: q rounds of a binomial tree, with all of m each.
 */
static void rounds_predict_their_own_formula(void **state)
{
    (void)state;
    struct rows_set set;
    struct predict_result result;
    char text[4000] = HEADING;
    for (int q = 2; q <= 5; q++)
        for (int64_t bytes = 1; bytes <= 1 << 30; bytes *= 1024)
            snprintf(text + strlen(text), sizeof text - strlen(text),
                     "here,t,bcast,binomial,%d,%" PRId64 ",%.17g\n", 1 << q, bytes,
                     q * (3 + 1e-4 * (double)bytes));
    read_text(text, &set);
    const struct predict_request request = {.set = &set, .options = {.model = "rounds"}};
    run(&request, &result);
    assert_int_equal(result.count, 16);
    for (size_t i = 0; i < result.count; i++) {
        const struct predict_tested *tested = &result.tested[i];
        assert_true(tested->predicted);
        assert_true(fabs(tested->estimate.time_s / tested->row->median_s - 1) < 1e-4);
    }
    struct predict_request wrong = request;
    struct sup_error error;
    predict_free(&result);
    wrong.options.model = "round";
    assert_int_equal(predict_run(&wrong, &result, &error), RB_EINVAL);
    assert_non_null(strstr(error.text, "there is no model \"round\": did you mean rounds?"));
    predict_free(&result);
    rows_free(&set);
}

/* A chain of n blocks takes n - 1 + p - 1 rounds; the forecast has the best power of two, at every
 * point once. */
static void forecasts_have_the_best_n(void **state)
{
    (void)state;
    static const char *const chain[] = {"chain", "alltoall has none of this name"};
    struct rows_set set;
    struct predict_result result;
    char text[8000] = HEADING;
    for (int q = 2; q <= 4; q++)
        for (int64_t bytes = 1; bytes <= 1 << 30; bytes *= 1024)
            for (int k = 0; k < 2; k++)
                snprintf(text + strlen(text), sizeof text - strlen(text),
                         "here,t,bcast,%s,%d,%" PRId64 ",%.17g\n", k == 0 ? "binomial" : "default",
                         1 << q, bytes, q * (3 + 1e-4 * (double)bytes));
    read_text(text, &set);
    const struct predict_request request = {
        .set = &set, .options = {.model = "rounds"}, .forecast = chain, .forecasts = 2};
    run(&request, &result);
    assert_int_equal(result.forecasts, result.groups);
    assert_int_equal(result.forecasts, 12);
    for (size_t i = 0; i < result.forecasts; i++) {
        const struct predict_forecast *forecast = &result.forecast[i];
        const double p = forecast->row->p, m = (double)forecast->row->bytes;
        double least = INFINITY;
        int64_t best = 0;
        for (int64_t n = 1; n <= 512 && (n == 1 || m / (double)n >= 1024); n *= 2) {
            const double time_s = ((double)n - 1 + p - 1) * (3e-6 + 1e-10 * m / (double)n);
            if (time_s < least) {
                least = time_s;
                best = n;
            }
        }
        assert_string_equal(forecast->algorithm, "chain");
        assert_int_equal(forecast->n, best);
        assert_true(fabs(forecast->estimate.time_s / least - 1) < 1e-3);
    }
    predict_free(&result);
    /* All rows are fitted, and none is predicted; each point has a forecast all the same. */
    struct predict_request all = request;
    all.fit_all = true;
    run(&all, &result);
    assert_int_equal(fits, 1);
    assert_int_equal(fitted_count, 12);
    assert_int_equal(result.forecasts, 12);
    for (size_t i = 0; i < result.count; i++)
        assert_false(result.tested[i].predicted);
    for (size_t i = 0; i < result.groups; i++)
        assert_true(result.group[i].best_all >= 0 && result.group[i].choice < 0);
    predict_free(&result);
    rows_free(&set);
}

/* The Bruck algorithm with radix 4 has half as many rounds again as with radix 2: each radix has a
 * plan of its own. */
static void radices_have_plans_of_their_own(void **state)
{
    (void)state;
    struct rows_set set;
    struct predict_result result;
    char text[4000] = "system,test,collective,algorithm,radix,nodes,bytes,time_us\n";
    for (int q = 2; q <= 6; q += 2)
        for (int64_t bytes = 1; bytes <= 1 << 30; bytes <<= 30)
            for (int radix = 2; radix <= 4; radix += 2)
                snprintf(text + strlen(text), sizeof text - strlen(text),
                         "here,t,alltoall,bruck,%d,%d,%" PRId64 ",%.17g\n", radix, 1 << q, bytes,
                         (radix == 2 ? q : 1.5 * q) * (3 + 1e-4 * (double)bytes));
    read_text(text, &set);
    const struct predict_request request = {.set = &set, .options = {.model = "rounds"}};
    run(&request, &result);
    assert_int_equal(result.count, 12);
    for (size_t i = 0; i < result.count; i++) {
        const struct predict_tested *tested = &result.tested[i];
        if (tested->row->bytes == 1)
            assert_true(fabs(tested->estimate.time_s / tested->row->median_s - 1) < 1e-3);
    }
    predict_free(&result);
    rows_free(&set);
}

/* ---- Beyond the largest p -------------------------------------------------------------------- */

/* A model by which a plan takes 5 us and 2 us for each round, and by which the interval is 3 and 7
 * times that. It notes which rows it is asked for. */
static int32_t asked_p[2], asked_times;

static int64_t rounds_of_row(const struct rows_row *row)
{
    const struct rb_plan_spec spec = {
        .collective = row->collective, .algorithm = row->algorithm, .p = row->p, .n = row->n};
    struct rb_plan *plan;
    assert_int_equal(rb_plan_create(&spec, &plan, NULL, 0), RB_OK);
    const int64_t rounds = rb_plan_rounds(plan);
    rb_plan_destroy(plan);
    return rounds;
}

static int time_by_line(struct predict_model *model, const struct rows_row *row,
                        struct predict_estimate *estimate, struct sup_error *why)
{
    (void)model, (void)why;
    const double time_s = 5e-6 + 2e-6 * (double)rounds_of_row(row);
    *estimate = (struct predict_estimate){time_s, time_s / 3, 7 * time_s};
    assert_true(asked_times < 2);
    asked_p[asked_times++] = row->p;
    assert_int_equal(row->p, row->nodes * row->ranks_per_node);
    assert_int_equal(row->m_bytes,
                     strcmp(row->collective, "alltoall") == 0 ? row->bytes * row->p : row->bytes);
    return RB_OK;
}

/* The time of a plan that is too long lies on the line through those on the largest half that is
 * not, and on half of its nodes. */
static void long_plans_are_extended_by_a_line(void **state)
{
    (void)state;
    static const struct {
        const char *collective, *algorithm;
    } plans[] = {{"bcast", "chain"}, {"alltoall", "pairwise"}, {"allreduce", "ring"}};
    static const struct predict_kind kind = {.time = time_by_line};
    struct predict_model model = {&kind};
    enum { MOST = 24 };
    fitted_count = 0;
    for (int32_t i = 0; i < 3 * 40 * 3; i++) {
        const int32_t nodes = 1 + i / 9, ppn = 1 + i % 3;
        struct rows_row row = {.collective = plans[i / 3 % 3].collective,
                               .algorithm = plans[i / 3 % 3].algorithm,
                               .nodes = nodes,
                               .ranks_per_node = ppn,
                               .p = nodes * ppn,
                               .n = 4,
                               .bytes = 1000,
                               .m_bytes = i / 3 % 3 == 1 ? 1000 * nodes * ppn : 1000,
                               .shape = ""};
        struct predict_tested tested = {.row = &row};
        struct sup_error error;
        int32_t near = nodes;
        asked_times = 0;
        assert_int_equal(predict_time_asked(&model, MOST, &tested, &error), RB_OK);
        while (near * ppn > MOST)
            near /= 2;
        assert_int_equal(asked_p[0], near * ppn);
        assert_int_equal(asked_times, near < nodes ? 2 : 1);
        assert_int_equal(tested.extended, near < nodes);
        if (near < nodes)
            assert_int_equal(asked_p[1], near / 2 * ppn);
        const double time_s = 5e-6 + 2e-6 * (double)rounds_of_row(&row);
        assert_true(fabs(tested.estimate.time_s / time_s - 1) < 1e-9);
        assert_true(fabs(tested.estimate.low_s * 3 / time_s - 1) < 1e-9);
        assert_true(fabs(tested.estimate.high_s / 7 / time_s - 1) < 1e-9);
    }
    /* A line needs two points. */
    struct rows_row row = {.collective = "bcast", .algorithm = "chain", .nodes = 7, .shape = ""};
    for (row.ranks_per_node = MOST / 3; row.ranks_per_node <= MOST; row.ranks_per_node++) {
        struct predict_tested tested = {.row = &row};
        struct sup_error error;
        asked_times = 0;
        row.n = 1;
        row.p = row.nodes * row.ranks_per_node;
        assert_int_equal(predict_time_asked(&model, MOST, &tested, &error),
                         row.ranks_per_node > MOST / 3 ? RB_ENOTSUP : RB_OK);
    }
}

/* Without --ppn the most usual one of a machine's rows with a plan is taken, and without --bytes
 * the sizes on its largest number of nodes. */
static void points_have_the_usual_ranks_per_node(void **state)
{
    (void)state;
    int64_t node_list[] = {64, 256};
    const struct sup_list nodes = {node_list, 2};
    for (uint32_t seed = 0; seed < 300; seed++) {
        uint32_t left = seed * 2654435761u;
        char text[8000] = "system,test,collective,algorithm,nodes,ppn,bytes,time_us\n";
        int32_t rows[4] = {0}, usual = 0, several = 0;
        for (int i = 0; i < 12; i++) {
            left = left * 1664525u + 1013904223u;
            const int ppn = 1 + (int)(left >> 8) % 3, kind = (int)(left >> 16) % 4;
            rows[ppn] += kind > 1;
            snprintf(text + strlen(text), sizeof text - strlen(text),
                     "%s,t%d,bcast,%s,%d,%d,%d,%d\n", kind == 0 ? "other" : "here", i,
                     kind == 1 ? "unheard-of" : "binomial", i == 5 ? 32 : 16, ppn, 100 * i + 100,
                     10 + i);
        }
        struct rows_set set;
        struct predict_asked asked = {0};
        struct sup_error error;
        const struct predict_points points = {.nodes = &nodes};
        read_text(text, &set);
        for (int ppn = 1; ppn <= 3; ppn++) {
            several += rows[ppn] > 0;
            usual = rows[ppn] > rows[usual] ? ppn : usual;
        }
        struct predict_request request = {.set = &set};
        for (size_t i = 0; i < set.count; i++)
            if (strcmp(set.row[i].system, "here") == 0)
                request.system = set.row[i].system;
        assert_int_equal(predict_ask(&request, &points, &asked, &error), RB_OK);
        for (size_t i = 0; i < asked.count; i++) {
            const int32_t ppn = asked.row[i].ranks_per_node;
            assert_int_equal(rows[ppn], rows[usual]); /* any of the most usual ones */
            assert_int_equal(asked.row[i].p, asked.row[i].nodes * ppn);
            assert_int_equal(asked.usual_ppn, several > 1 ? ppn : 0);
        }
        int32_t largest = 0, sizes = 0;
        for (size_t i = 0; i < set.count; i++)
            if (set.row[i].system == request.system && set.row[i].algorithm != NULL)
                largest = set.row[i].nodes > largest ? set.row[i].nodes : largest;
        for (size_t i = 0; i < set.count; i++)
            sizes += set.row[i].system == request.system && set.row[i].algorithm != NULL &&
                     set.row[i].nodes == largest;
        assert_int_equal(asked.count, 2 * sizes);
        free(asked.row);
        rows_free(&set);
    }
}

/* ---- How intervals widen --------------------------------------------------------------------- */

/* Fits to 4 nodes of 2 ranks predict 8 and 16 nodes; how far off they are, per square root of a
 * doubling, is by how much the intervals of other points widen: by that which the confidence asks
 * for of them, and at least by 0.35 standard deviations. */
static void intervals_widen_as_judges_were_wrong(void **state)
{
    (void)state;
    struct rows_set set;
    read_text("system,test,collective,algorithm,nodes,ppn,bytes,time_us\n"
              "here,t,bcast,binomial,4,2,1024,10\nhere,t,bcast,binomial,8,2,1024,10\n"
              "here,t,bcast,binomial,16,2,1024,10\nhere,t,bcast,chain,8,2,1024,10\n"
              "here,t,bcast,chain,16,2,1024,10\nhere,t,bcast,flat,16,2,1024,10\n",
              &set);
    /* Measured by estimate; the ends of the interval are 1 / 2 and 3 of the estimate. */
    static const double off[] = {1, 8, 0.1, 2.9, 40, 0.51};
    enum { JUDGED = 5 };
    for (int ninety = 0; ninety < 2; ninety++) {
        const double confidence = ninety ? 0.9 : 0.5, sds = ninety ? 1.6448536 : 0.6744898;
        struct rows_row points[2] = {set.row[0], set.row[0]};
        const struct predict_asked asked = {.row = points, .count = 2};
        const struct predict_request request = {
            .set = &set, .asked = &asked, .options = {.confidence = confidence}};
        struct predict_result result = {.folds = 2, .count = JUDGED + 2};
        double rate[JUDGED];
        result.fold = calloc(2, sizeof *result.fold);
        result.tested = calloc(JUDGED + 2, sizeof *result.tested);
        result.fold[0] = (struct predict_fold){.system = set.row[0].system, .by_filters = true};
        result.fold[1] = (struct predict_fold){
            .system = set.row[0].system, .judges = true, .kind = PREDICT_NODES, .number = 4};
        for (int i = 1; i <= JUDGED; i++) {
            const double time_s = set.row[i].median_s / off[i], error = log(off[i]);
            const double width = error > 0 ? log(3) : log(2);
            const double doublings = 1 + (set.row[i].nodes == 16);
            result.tested[i - 1] =
                (struct predict_tested){.row = &set.row[i],
                                        .fold = 1,
                                        .predicted = true,
                                        .estimate = {time_s, time_s / 2, 3 * time_s}};
            rate[i - 1] =
                fabs(error) <= width ? 0 : sqrt((error * error - width * width) / doublings);
        }
        for (int i = 1; i < JUDGED; i++)
            for (int k = i; k > 0 && rate[k] < rate[k - 1]; k--) {
                const double swapped = rate[k];
                rate[k] = rate[k - 1];
                rate[k - 1] = swapped;
            }
        /* One point within the rows, one of as many nodes as they, but 16 ranks on each. */
        points[1].ranks_per_node = 16;
        points[0].nodes = points[1].nodes = 16;
        points[0].p = 32;
        points[1].p = 256;
        for (int i = 0; i < 2; i++)
            result.tested[JUDGED + i] = (struct predict_tested){
                .row = &points[i], .predicted = true, .estimate = {1, 0.5, 3}};
        predict_widen(&request, &result);
        const double place = confidence * (JUDGED - 1);
        const double quantile =
            rate[(int)place] +
            (place - floor(place)) *
                (rate[(int)fmin(floor(place) + 1, JUDGED - 1)] - rate[(int)place]);
        const double expected = fmax(quantile, 0.35 * sds);
        assert_int_equal(result.count, 2);
        assert_int_equal(result.beyond.rows, JUDGED);
        assert_int_equal(result.beyond.fits, 1);
        assert_true(fabs(result.beyond.rate / expected - 1) < 1e-6);
        assert_true(fabs(result.tested[0].estimate.high_s - 3) < 1e-12);
        assert_true(fabs(result.tested[0].estimate.low_s - 0.5) < 1e-12);
        /* Eight times the ranks and ranks per node: six doublings. */
        assert_true(fabs(result.tested[1].nodes_beyond - 8) < 1e-12);
        assert_true(
            fabs(log(result.tested[1].estimate.high_s) - hypot(log(3), expected * sqrt(6))) < 1e-6);
        assert_true(
            fabs(-log(result.tested[1].estimate.low_s) - hypot(log(2), expected * sqrt(6))) < 1e-6);
        predict_free(&result);
    }
    rows_free(&set);
}

/* ---- What follows from the times ------------------------------------------------------------- */

/* The best single algorithm was measured at nine of ten points at least. */
static void a_single_algorithm_is_nearly_everywhere(void **state)
{
    (void)state;
    for (int missing = 0; missing <= 2; missing++) {
        char text[4000] = HEADING;
        struct rows_set set;
        struct predict_result result = {.folds = 1};
        for (int i = 0; i < 10; i++)
            snprintf(text + strlen(text), sizeof text - strlen(text),
                     "here,t,bcast,binomial,8,%d,20\nhere,t,bcast,flat,8,%d,30\n%s%s%d,10\n",
                     1000 + i, 1000 + i,
                     i < missing ? "here,t,bcast,scatter-allgather," : "here,t,bcast,chain,", "8,",
                     1000 + i);
        read_text(text, &set);
        const struct predict_request request = {.set = &set};
        result.count = set.count;
        result.tested = calloc(set.count, sizeof *result.tested);
        result.fold = calloc(1, sizeof *result.fold);
        result.fold[0] =
            (struct predict_fold){.system = set.row[0].system, .by_filters = true, .text = ""};
        for (size_t i = 0; i < set.count; i++)
            result.tested[i] = (struct predict_tested){
                .row = &set.row[i], .predicted = true, .estimate = {1e-5, 1e-6, 1e-4}};
        predict_summarize(&request, &result);
        assert_string_equal(result.collective[0].single_name, missing <= 1 ? "chain" : "binomial");
        predict_free(&result);
        rows_free(&set);
    }
}

/* 1000 bytes in three blocks are segments of 334 bytes, and of 336 where elements have 8. */
static void segments_are_whole_elements(void **state)
{
    (void)state;
    for (int bytes = 1; bytes <= 8; bytes *= 8) {
        struct rows_set set;
        struct predict_result result = {.count = 2, .folds = 1, .groups = 1};
        struct decide decision;
        struct rules_notes notes;
        struct sup_error error;
        char *text;
        size_t size;
        read_text(HEADING "here,t,bcast,chain,8,1000,10\nhere,t,bcast,binomial,8,1000,20\n", &set);
        result.tested = calloc(2, sizeof *result.tested);
        result.fold = calloc(1, sizeof *result.fold);
        result.group = calloc(1, sizeof *result.group);
        result.group[0] = (struct predict_group){.count = 2, .own = -1};
        for (int i = 0; i < 2; i++) {
            set.row[i].element_bytes = i == 0 ? bytes : 1; /* the largest counts */
            set.row[i].n = strcmp(set.row[i].algorithm, "chain") == 0 ? 3 : 1;
            set.row[i].segment_bytes = 0;
            result.tested[i] = (struct predict_tested){
                .row = &set.row[i], .predicted = true, .estimate = {set.row[i].median_s, NAN, NAN}};
        }
        FILE *stream = open_memstream(&text, &size);
        const struct rules_request rules = {.format = rules_format_find("ompi"),
                                            .everywhere = true};
        const struct rules_head head = {.source = "x"};
        assert_int_equal(
            predict_write_rules(&set, &result, rules, &head, stream, &decision, &notes, &error),
            RB_OK);
        fclose(stream);
        assert_non_null(strstr(text, bytes == 8 ? " 336" : " 334"));
        assert_string_equal(decision.calls[0].choice->name, "pipeline");
        decide_free(&decision);
        free(text);
        predict_free(&result);
        rows_free(&set);
    }
}

/* Rules are of the library's own implementations, and leave its own choice where that is faster;
 * what it then takes is the decision. */
static void rules_are_never_slower(void **state)
{
    (void)state;
    static const char *const names[] = {"ring_over", "ring_ompi", "default_ompi"};
    static const double us[][3] = {{10, 20, 15}, {10, 20, 40}};
    struct rows_set set;
    struct predict_result result = {.count = 6, .folds = 1, .groups = 2};
    struct decide decision;
    struct rules_notes notes;
    struct sup_error error;
    char text[600] = HEADING, *file;
    size_t size;
    for (int i = 0; i < 6; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "here,t,allgather,%s,8,%d,1\n",
                 names[i % 3], i < 3 ? 1024 : 1 << 20);
    read_text(text, &set);
    result.tested = calloc(6, sizeof *result.tested);
    result.fold = calloc(1, sizeof *result.fold);
    result.group = calloc(2, sizeof *result.group);
    for (int i = 0; i < 6; i++)
        result.tested[i] = (struct predict_tested){
            .row = &set.row[i], .predicted = true, .estimate = {us[i / 3][i % 3] * 1e-6, NAN, NAN}};
    for (size_t i = 0; i < 2; i++)
        result.group[i] =
            (struct predict_group){.first = 3 * i, .count = 3, .own = (int64_t)(3 * i + 2)};
    FILE *stream = open_memstream(&file, &size);
    const struct rules_request rules = {.format = rules_format_find("ompi")};
    const struct rules_head head = {.source = "x"};
    const int status =
        predict_write_rules(&set, &result, rules, &head, stream, &decision, &notes, &error);
    if (status != RB_OK)
        fail_msg("%s", error.text);
    fclose(stream);
    assert_string_equal(decision.calls[0].choice->name, DECIDE_OWN_NAME);
    assert_true(fabs(decision.calls[0].gain - 1) < 1e-9);
    assert_string_equal(decision.calls[1].choice->name, "ring");
    assert_true(fabs(decision.calls[1].gain - 2) < 1e-9);
    decide_free(&decision);
    free(file);
    predict_free(&result);
    rows_free(&set);
}

static int time_of_blocks(struct predict_model *model, const struct rows_row *row,
                          struct predict_estimate *estimate, struct sup_error *why)
{
    (void)model, (void)why;
    *estimate = (struct predict_estimate){1 / (double)row->n, NAN, NAN};
    return RB_OK;
}

/* The more blocks the better: as many are forecast as may be, of at least 1 KiB. */
static void forecasts_have_their_most_blocks(void **state)
{
    (void)state;
    static const struct {
        const char *collective, *algorithm, *engine;
        int64_t bytes, n;
    } cases[] = {
        {"bcast", "circulant", NULL, 1 << 30, 512},  {"bcast", "circulant", NULL, 4096, 4},
        {"bcast", "circulant", NULL, 4095, 2},       {"bcast", "circulant", NULL, 1, 1},
        {"bcast", "binomial", NULL, 1 << 30, 1},     {"bcast", "circulant", "nccl", 1 << 30, 16},
        {"allgather", "circulant", NULL, 1 << 30, 4}};
    static const struct predict_kind kind = {.time = time_of_blocks};
    struct predict_model model = {&kind};
    fitted_count = 0;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct rows_row row = {.system = "here",
                                     .collective = cases[i].collective,
                                     .test = "",
                                     .name = "x",
                                     .algorithm = "x",
                                     .transport = "",
                                     .shape = "",
                                     .p = 8,
                                     .bytes = cases[i].bytes,
                                     .m_bytes = cases[i].bytes,
                                     .manner = {.engine = cases[i].engine}};
        struct predict_tested tested = {.row = &row};
        const struct predict_request request = {.forecast = &cases[i].algorithm, .forecasts = 1};
        struct predict_result result = {.tested = &tested, .count = 1};
        struct sup_error error;
        assert_int_equal(predict_forecast_points(&request, &result, 0, 0, &model, &error), RB_OK);
        assert_int_equal(result.forecasts, 1);
        assert_int_equal(result.forecast[0].n, cases[i].n);
        free(result.forecast);
    }
}

/* Three points at which the library's own choice takes 1.01, 2 and 4 times the choice's time, whose
 * interval ends at 3: it is slower at two, and beyond the interval at one. */
static void a_verdict_counts_points(void **state)
{
    (void)state;
    struct rows_set set;
    read_text(HEADING "here,t,bcast,chain,8,1024,10\nhere,t,bcast,default,8,1024,10\n"
                      "here,t,bcast,chain,8,2048,10\nhere,t,bcast,default,8,2048,10\n"
                      "here,t,bcast,chain,8,4096,10\nhere,t,bcast,default,8,4096,10\n",
              &set);
    const struct predict_asked asked = {.row = set.row, .count = set.count};
    const struct predict_request request = {.set = &set, .asked = &asked};
    struct predict_result result = {.count = set.count, .folds = 1};
    struct out_verdict verdict = {0};
    result.tested = calloc(set.count, sizeof *result.tested);
    result.fold = calloc(1, sizeof *result.fold);
    for (size_t i = 0; i < set.count; i++) {
        const struct rows_row *row = &set.row[i];
        const double time_s = !row->own_choice     ? 1e-5
                              : row->bytes == 1024 ? 1.01e-5
                              : row->bytes == 2048 ? 2e-5
                                                   : 4e-5;
        result.tested[i] = (struct predict_tested){
            .row = row, .predicted = true, .estimate = {time_s, time_s / 3, 3 * time_s}};
    }
    predict_summarize(&request, &result);
    predict_say(&request, &result, PREDICT_SUMMARY, &verdict);
    assert_int_equal(verdict.count, 2);
    assert_string_equal(verdict.sentence[0],
                        "bcast on 8 nodes of here, predicted: the library's own choice takes up to "
                        "4.00 times as long as the best (4 KiB)");
    assert_string_equal(verdict.sentence[1],
                        "It is slower at 2 of 3 points, and at 1 beyond the interval.");
    out_verdict_free(&verdict);
    predict_free(&result);
    rows_free(&set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_row_is_held_out_once),
        cmocka_unit_test(the_largest_are_held_out),
        cmocka_unit_test(intervals_widen_beyond_the_rows),
        cmocka_unit_test(jobs_change_nothing),
        cmocka_unit_test(fitted_rows_are_never_predicted),
        cmocka_unit_test(machines_are_predicted_from_others),
        cmocka_unit_test(times_lean_to_the_nearest_point),
        cmocka_unit_test(choices_that_are_not_better_give_way),
        cmocka_unit_test(regret_is_a_ratio_of_measured_times),
        cmocka_unit_test(rounds_predict_their_own_formula),
        cmocka_unit_test(forecasts_have_the_best_n),
        cmocka_unit_test(long_plans_are_extended_by_a_line),
        cmocka_unit_test(points_have_the_usual_ranks_per_node),
        cmocka_unit_test(intervals_widen_as_judges_were_wrong),
        cmocka_unit_test(a_single_algorithm_is_nearly_everywhere),
        cmocka_unit_test(segments_are_whole_elements),
        cmocka_unit_test(rules_are_never_slower),
        cmocka_unit_test(forecasts_have_their_most_blocks),
        cmocka_unit_test(a_verdict_counts_points),
        cmocka_unit_test(radices_have_plans_of_their_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
