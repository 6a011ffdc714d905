/* test_workload_parts.c - where a job's time goes: ends of steps by hand, an engine by hand, and
 * random workloads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>

#include "experiments/workload/parts.h"
#include "tests/random_workload.h"

/* start a move; compute; wait for it; compute; move. */
enum { START, COMPUTE, WAIT, AGAIN, MOVE, STEPS };

static void make_job(struct sim_job *job, const char *name, int32_t ranks)
{
    *job = (struct sim_job){.name = sup_strdup(name),
                            .ranks = ranks,
                            .ppn = 1,
                            .step = sup_calloc(STEPS, sizeof *job->step),
                            .steps = STEPS,

                            .label = sup_calloc(1, sizeof *job->label),
                            .labels = 1,
                            .streams = 2};
    for (int32_t i = 0; i < STEPS; i++) {
        static const enum sim_step_kind kinds[] = {SIM_MOVE, SIM_COMPUTE, SIM_NOTHING, SIM_COMPUTE,
                                                   SIM_MOVE};
        job->step[i].kind = kinds[i];
        job->step[i].label = i == START ? 0 : -1;
        job->step[i].after = i == WAIT;
    }
}

static struct sim_workload make_workload(int32_t jobs)
{
    struct sim_workload workload = {.job = sup_calloc(2, sizeof *workload.job), .jobs = jobs};
    make_job(&workload.job[0], "solver", 2);
    if (jobs > 1)
        make_job(&workload.job[1], "noise", 1);
    return workload;
}

static void same(double value, double expected)
{
    assert_true(fabs(value - expected) < 1e-12);
}

static void times_from_ends_of_steps(void **state)
{
    static const struct sim_step_end ends[] = {
        {0, 0, COMPUTE, 0, 1, 1, 4}, /* beside the move that started before */
        {0, 1, START, 0, 1, 1, 5},   {0, 0, START, 0, 1, 1, 6}, {0, 0, WAIT, 0, 4, 6, 6},
        {0, 1, COMPUTE, 0, 1, 1, 6}, /* the move ended while it computed */
        {0, 1, WAIT, 0, 6, 6, 6},    {0, 0, AGAIN, 0, 6, 6, 7}, {0, 0, MOVE, 0, 7, 7, 8},
        {0, 1, AGAIN, 0, 6, 6, 7},   {0, 1, MOVE, 0, 7, 7, 9},
    };
    static const double end_s[] = {9};
    static const double expected_s[STEPS] = {0, 4, 1, 1, 1.5};
    struct sim_workload workload = make_workload(1);
    struct workload_clock clock;
    double all_s = 0;
    workload.job[0].start_s = 1;
    const struct sim_observer observer = workload_clock_start(&clock, &workload, NULL);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        observer.step(observer.context, &ends[i]);
    workload_clock_stop(&clock, end_s);
    for (int32_t i = 0; i < STEPS; i++) {
        same(clock.job->step_s[i], expected_s[i]);
        assert_int_equal(clock.job->passes[i], 2);
        all_s += clock.job->step_s[i];
    }
    same(clock.job->end_s, 0.5);
    same(all_s + clock.job->end_s, clock.job->time_s);
    same(clock.job->hidden_s, (3 + 4) / 2.0);
    workload_clock_free(&clock);
    sim_workload_free(&workload);
    (void)state;
}

/* Two moves in flight at a time hide each moment of computing once. */
static void hidden_is_counted_once(void **state)
{
    static const struct sim_step_end ends[] = {
        {0, 0, COMPUTE, 0, 0, 0, 2}, {0, 0, START, 0, 0, 0, 3}, {0, 0, START, 1, 0, 1, 4},
        {0, 0, AGAIN, 0, 2, 2, 6},   {0, 0, START, 2, 0, 5, 7}, {0, 0, WAIT, 0, 6, 7, 7},
        {0, 0, AGAIN, 1, 7, 7, 8},
    };
    static const double end_s[] = {8};
    struct sim_workload workload = make_workload(1);
    struct workload_clock clock;
    workload.job[0].ranks = 1;
    const struct sim_observer observer = workload_clock_start(&clock, &workload, NULL);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        observer.step(observer.context, &ends[i]);
    workload_clock_stop(&clock, end_s);
    same(clock.job->hidden_s, 2 + 2 + 1);
    workload_clock_free(&clock);
    sim_workload_free(&workload);
    (void)state;
}

/* An engine by hand, `model` because this one gives its own times without links: each job computes
 * for 2 s beside a move, waits, and moves; a move takes so long. */
static double move_s(const struct sim_spec *spec)
{
    const double jitter = (double)spec->jitter;
    return spec->sharing == SIM_IMMEDIATE  ? 0
           : spec->sharing == SIM_UNSHARED ? 3
           : spec->only_job != 0           ? 4
                                           : 4.5 + jitter * (jitter - 3);
}

static int simulate(const struct sim_spec *spec, struct sim_result *result, struct sup_error *error)
{
    const struct sim_workload *workload = spec->workload;
    const double took_s = move_s(spec), waited_s = fmax(2, took_s);
    result->jobs = workload->jobs;
    result->job_end_s = sup_calloc((size_t)workload->jobs, sizeof *result->job_end_s);
    for (int32_t j = 0; j < workload->jobs; j++) {
        if (spec->only_job != 0 && spec->only_job != j + 1)
            continue;
        result->job_end_s[j] = waited_s + took_s;
        for (int32_t r = 0; r < workload->job[j].ranks; r++) {
            const struct sim_step_end ends[] = {
                {j, r, COMPUTE, 0, 0, 0, 2},
                {j, r, START, 0, 0, 0, took_s},
                {j, r, WAIT, 0, 2, waited_s, waited_s},
                {j, r, MOVE, 0, waited_s, waited_s, waited_s + took_s},
            };
            for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
                spec->observer->step(spec->observer->context, &ends[i]);
        }
    }
    (void)error;
    return RB_OK;
}

static const struct sim_engine by_hand = {
    .name = "model", .walks = true, .observes = true, .jitters = true, .simulate = simulate};

static void check_split(const struct workload_split *split, const double expected[WORKLOAD_SHARES])
{
    for (int i = 0; i < WORKLOAD_SHARES; i++)
        same(split->s[i], expected[i]);
}

static void parts_by_hand(void **state)
{
    struct sim_workload workload = make_workload(2);
    const struct workload_question question = {.workload = &workload, .engine = &by_hand};
    struct workload_answer answer;
    struct sup_error error;
    workload.job[1].until_others = true;
    assert_int_equal(workload_ask(&question, &answer, &error), RB_OK);
    const struct workload_account *account = answer.account;
    check_split(&account->row[COMPUTE], (double[]){2, 0, 0, 0, 0, 2});
    check_split(&account->row[WAIT], (double[]){0, 0, 1, 1, 0.5, 2.5});
    check_split(&account->row[MOVE], (double[]){0, 0, 3, 1, 0.5, 4.5});
    check_split(&account->row[STEPS], (double[]){0, 0, 0, 0, 0, 0});
    check_split(&account->whole, (double[]){2, 0, 4, 2, 1, 9});
    same(account->exposed_s, 7);
    same(account->hidden_s, 2);
    same(answer.account[1].rounds, 1);
    workload_answer_free(&answer);
    sim_workload_free(&workload);
    (void)state;
}

/* Without other jobs the job's run is that of all jobs. */
static void alone_loses_nothing_to_others(void **state)
{
    struct sim_workload workload = make_workload(1);
    const struct workload_question question = {.workload = &workload, .engine = &by_hand};
    struct workload_answer answer;
    struct sup_error error;
    assert_int_equal(workload_ask(&question, &answer, &error), RB_OK);
    check_split(&answer.account[0].whole, (double[]){2, 0, 4, 3, 0, 9});
    workload_answer_free(&answer);
    sim_workload_free(&workload);
    (void)state;
}

/* The moves of the copies take 2.5, 2.5 and 4.5 s beside other jobs, so jobs 5, 5 and 9 s. */
static void copies_have_medians(void **state)
{
    struct sim_workload workload = make_workload(2);
    const struct workload_question question = {
        .workload = &workload, .engine = &by_hand, .spec.overlap.rule = SIM_BLOCKING, .copies = 3};
    struct workload_answer answer;
    struct sup_error error;
    assert_int_equal(workload_ask(&question, &answer, &error), RB_OK);
    const struct workload_split *whole = &answer.account[1].whole;
    check_split(whole, (double[]){2, 0, 4, 2, -3, 5});
    same(whole->low_s[WORKLOAD_TIME], 5);
    same(whole->high_s[WORKLOAD_TIME], 9);
    assert_true(workload_is_noise(whole, WORKLOAD_OTHERS));
    assert_false(workload_is_noise(whole, WORKLOAD_MOVING));
    workload_answer_free(&answer);
    sim_workload_free(&workload);
    (void)state;
}

/* Columns and rows add up, and contention inside a job never makes it faster. */
static void check_sums(const struct built *built, int32_t j, const struct workload_account *account)
{
    const struct sim_job *job = &built->workload.job[j];
    const double time_s = account->whole.s[WORKLOAD_TIME];
    double column[WORKLOAD_SHARES] = {0};
    for (int32_t i = 0; i < job->steps + 2; i++) {
        double row = 0;
        for (int k = 0; k < WORKLOAD_PARTS; k++)
            row += account->row[i].s[k];
        if (!(fabs(row - account->row[i].s[WORKLOAD_TIME]) <= 1e-12 * time_s))
            fail_msg("%s, job %d: the parts of row %d are %g in sum, not %g", built->text, j, i,
                     row, account->row[i].s[WORKLOAD_TIME]);
        for (int k = 0; k < WORKLOAD_SHARES && i < job->steps + 1; k++)
            column[k] += account->row[i].s[k];
    }
    for (int k = 0; k < WORKLOAD_SHARES; k++)
        if (!(fabs(column[k] - account->whole.s[k]) <= 1e-12 * time_s))
            fail_msg("%s, job %d: column %d is %g in sum, not %g", built->text, j, k, column[k],
                     account->whole.s[k]);
    for (int k = 0; k < WORKLOAD_OTHERS; k++)
        if (!(account->whole.s[k] >= -1e-12 * time_s))
            fail_msg("%s, job %d: part %d is %g", built->text, j, k, account->whole.s[k]);
}

static void check_random_jobs(const struct random_limits *limits, int32_t jobs)
{
    char platform[64];
    int32_t checked = 0, faster = 0, seen[WORKLOAD_PARTS] = {0};
    for (uint64_t seed = 1; checked < jobs; seed++) {
        struct built *built = random_workload(seed, limits, false, platform, sizeof platform);
        const struct workload_question question = {
            .workload = &built->workload,
            .engine = sim_engine_find("flow"),
            .spec = {.platform = platform, .overlap.rule = SIM_BLOCKING}};
        struct workload_answer answer;
        struct sup_error error;
        if (workload_ask(&question, &answer, &error) != RB_OK)
            fail_msg("%s: %s", built->text, error.text);
        for (int32_t j = 0; j < built->workload.jobs; j++) {
            if (built->workload.job[j].until_others)
                continue;
            check_sums(built, j, &answer.account[j]);
            faster += answer.account[j].whole.s[WORKLOAD_OTHERS] < 0;
            for (int k = 0; k < WORKLOAD_PARTS; k++)
                seen[k] += answer.account[j].whole.s[k] > 0;
            checked++;
        }
        workload_answer_free(&answer);
        built_destroy(built);
    }
    for (int k = 0; k < WORKLOAD_PARTS; k++)
        assert_true(seen[k] > jobs / 10);
    print_message("%d jobs, %d of them faster beside others\n", checked, faster);
}

static void parts_of_random_jobs_add_up(void **state)
{
    check_random_jobs(&random_small, 500);
    (void)state;
}

/* Some of them are faster beside other jobs than alone. */
static void parts_of_larger_jobs_add_up(void **state)
{
    check_random_jobs(&random_large, 100);
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_from_ends_of_steps),
        cmocka_unit_test(hidden_is_counted_once),
        cmocka_unit_test(parts_by_hand),
        cmocka_unit_test(copies_have_medians),
        cmocka_unit_test(alone_loses_nothing_to_others),
        cmocka_unit_test(parts_of_random_jobs_add_up),
        cmocka_unit_test(parts_of_larger_jobs_add_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
