/* Small workloads whose times can be counted by hand: on a crossbar a message of m bytes alone
 * takes 1 us + m / 12.5 GB/s, so 12500 bytes take 2 us. All times here are in microseconds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/workloads.h"

enum { US1 = 12500 }; /* bytes that cross a link in 1 us */

static const char *const engines[] = {"simgrid", "flow", "model"};
enum { MODEL = 2, ENGINES = sizeof engines / sizeof engines[0] };

struct expected {
    int32_t job, rank, step;
    int64_t pass;
    double begin, ready, end;
};

static struct sim_duration us(double time)
{
    return (struct sim_duration){.a = time * 1e-6};
}

static int run_on(const char *engine, const struct sim_spec *wanted, struct sim_result *result,
                  struct shown *shown, struct sup_error *error)
{
    const struct sim_observer observer = {shown_message, shown, shown_step};
    struct sim_spec spec = *wanted;
    spec.platform = "crossbar:8";
    spec.want_finish = true;
    spec.observer = &observer;
    spec.overlap = (struct sim_overlap){
        wanted->overlap.rule == SIM_LOCKSTEP ? SIM_BLOCKING : wanted->overlap.rule, 1};
    const struct sim_engine *found;
    assert_int_equal(sim_engine_read(engine, &found, &spec.variant, error), RB_OK);
    const int status = sim_run(found, &spec, result, error);
    shown_sort(shown);
    return status;
}

static void assert_us(const char *engine, const char *what, double got_s, double wanted)
{
    if (!(fabs(got_s * 1e6 - wanted) <= 1e-9 * fabs(wanted)))
        fail_msg("%s: %s: %.12g us instead of %.12g", engine, what, got_s * 1e6, wanted);
}

/* Exactly these steps end, sorted by job, rank, step and pass. */
static void expect_steps(const char *engine, const struct shown *shown,
                         const struct expected expected[], int32_t count)
{
    char what[80];
    for (int32_t i = 0; i < count && i < shown->ends; i++) {
        const struct expected *want = &expected[i];
        const struct sim_step_end *end = &shown->end[i];
        snprintf(what, sizeof what, "job %d, rank %d, step %d, pass %d", want->job, want->rank,
                 want->step, (int)want->pass);
        if (end->job != want->job || end->rank != want->rank || end->step != want->step ||
            end->pass != want->pass)
            fail_msg("%s: %s is not there: job %d, rank %d, step %d, pass %d is", engine, what,
                     end->job, end->rank, end->step, (int)end->pass);
        assert_us(engine, what, end->begin_s, want->begin);
        assert_us(engine, what, end->ready_s, want->ready);
        assert_us(engine, what, end->end_s, want->end);
    }
    assert_int_equal(shown->ends, count);
}

#define EXPECT(built, time, ...)                                                                   \
    do {                                                                                           \
        static const struct expected expected[] = {__VA_ARGS__};                                   \
        expect(built, 0, time, expected, sizeof expected / sizeof expected[0]);                    \
    } while (0)

static void expect_from(struct built *built, int32_t from, int32_t to, int32_t only_job,
                        double time, const struct expected expected[], int32_t count)
{
    for (int32_t i = from; i < to; i++) {
        const struct sim_spec spec = {.workload = &built->workload, .only_job = only_job};
        struct sim_result result;
        struct shown shown = {0};
        struct sup_error error = {0};
        if (run_on(engines[i], &spec, &result, &shown, &error) != RB_OK)
            fail_msg("%s: %s", engines[i], error.text);
        expect_steps(engines[i], &shown, expected, count);
        assert_us(engines[i], "time", result.time_s, time);
        assert_int_equal(result.jobs, built->workload.jobs);
        sim_result_free(&result);
        shown_free(&shown);
    }
}

static void expect(struct built *built, int32_t only_job, double time,
                   const struct expected expected[], int32_t count)
{
    expect_from(built, 0, ENGINES, only_job, time, expected, count);
    built_destroy(built);
}

static void computing_comes_before_a_collective(void **state)
{
    (void)state;
    struct built *built = built_create();
    built_job(built, 2, 1);
    built_compute(built, 0, us(10));
    built_move(built, 0, 0, (struct built_move){.bytes = US1});
    EXPECT(built, 12, {0, 0, 0, 0, 0, 0, 10}, {0, 0, 1, 0, 10, 10, 12}, {0, 1, 0, 0, 0, 0, 10},
           {0, 1, 1, 0, 10, 10, 12});
}

/* A late rank holds up its sender; a step that `only` leaves out is none. */
static void a_late_rank_is_waited_for(void **state)
{
    (void)state;
    struct built *built = built_create();
    built_job(built, 2, 1);
    struct sim_step *late = built_compute(built, 0, us(5));
    late->only = sup_calloc(2, sizeof *late->only);
    late->only[1] = true;
    built_move(built, 0, 0, (struct built_move){.bytes = US1});
    EXPECT(built, 7, {0, 0, 1, 0, 0, 0, 7}, {0, 1, 0, 0, 0, 0, 5}, {0, 1, 1, 0, 5, 5, 7});
}

static void a_started_collective_goes_on_behind_computing(void **state)
{
    (void)state;
    struct built *built = built_create();
    built_job(built, 2, 1);
    built_start(built_move(built, 0, 0, (struct built_move){.bytes = US1}), built_label(built, 0),
                0);
    built_compute(built, 0, us(10));
    built_wait(built, 0, 1);
    EXPECT(built, 10, {0, 0, 0, 0, 0, 0, 2}, {0, 0, 1, 0, 0, 0, 10}, {0, 0, 2, 0, 10, 10, 10},
           {0, 1, 0, 0, 0, 0, 2}, {0, 1, 1, 0, 0, 0, 10}, {0, 1, 2, 0, 10, 10, 10});
}

/* Two started ones share the link; two queued ones do not; the wait is for both. In the model a
 * port carries one message after another, so the first one ends earlier. */
static void expect_side_by_side(struct built *built)
{
    static const struct expected shared[] = {{0, 0, 0, 0, 0, 0, 3}, {0, 0, 1, 0, 0, 0, 3},
                                             {0, 0, 2, 0, 0, 3, 3}, {0, 1, 0, 0, 0, 0, 3},
                                             {0, 1, 1, 0, 0, 0, 3}, {0, 1, 2, 0, 0, 3, 3}};
    static const struct expected in_turn[] = {{0, 0, 0, 0, 0, 0, 2}, {0, 0, 1, 0, 0, 0, 3},
                                              {0, 0, 2, 0, 0, 3, 3}, {0, 1, 0, 0, 0, 0, 2},
                                              {0, 1, 1, 0, 0, 0, 3}, {0, 1, 2, 0, 0, 3, 3}};
    expect_from(built, 0, MODEL, 0, 3, shared, 6);
    expect_from(built, MODEL, ENGINES, 0, 3, in_turn, 6);
    built_destroy(built);
}

static void started_ones_run_side_by_side(void **state)
{
    (void)state;
    for (int queued = 0; queued < 2; queued++) {
        struct built *built = built_create();
        built_job(built, 2, 1);
        const int32_t label = built_label(built, 0);
        for (int i = 0; i < 2; i++)
            built_start(built_move(built, 0, 0, (struct built_move){.bytes = US1}), label,
                        (uint64_t)queued);
        built_wait(built, 0, 1);
        if (queued)
            EXPECT(built, 4, {0, 0, 0, 0, 0, 0, 2}, {0, 0, 1, 0, 0, 2, 4}, {0, 0, 2, 0, 0, 4, 4},
                   {0, 1, 0, 0, 0, 0, 2}, {0, 1, 1, 0, 0, 2, 4}, {0, 1, 2, 0, 0, 4, 4});
        else
            expect_side_by_side(built);
    }
}

/* Three rounds of 2 us each. With `calls` the second one waits until the rank computes no more,
 * which it does for a moment after 3 us; with `waits` all do until the rank waits. */
static void progress_may_need_calls(void **state)
{
    (void)state;
    for (int calls = 0; calls < 3; calls++) {
        struct built *built = built_create();
        built_job(built, 2, 1);
        built->workload.job[0].calls = calls > 0;
        built->workload.job[0].waits = calls == 2;
        built_start(built_move(built, 0, 0,
                               (struct built_move){.algorithm = "chain", .n = 3, .bytes = 3 * US1}),
                    built_label(built, 0), 0);
        built_compute(built, 0, us(3));
        built_compute(built, 0, us(10));
        built_wait(built, 0, 1);
        if (calls == 2)
            EXPECT(built, 19, {0, 0, 0, 0, 0, 0, 19}, {0, 0, 1, 0, 0, 0, 3}, {0, 0, 2, 0, 3, 3, 13},
                   {0, 0, 3, 0, 13, 19, 19}, {0, 1, 0, 0, 0, 0, 19}, {0, 1, 1, 0, 0, 0, 3},
                   {0, 1, 2, 0, 3, 3, 13}, {0, 1, 3, 0, 13, 19, 19});
        else if (calls)
            EXPECT(built, 15, {0, 0, 0, 0, 0, 0, 15}, {0, 0, 1, 0, 0, 0, 3}, {0, 0, 2, 0, 3, 3, 13},
                   {0, 0, 3, 0, 13, 15, 15}, {0, 1, 0, 0, 0, 0, 15}, {0, 1, 1, 0, 0, 0, 3},
                   {0, 1, 2, 0, 3, 3, 13}, {0, 1, 3, 0, 13, 15, 15});
        else
            EXPECT(built, 13, {0, 0, 0, 0, 0, 0, 6}, {0, 0, 1, 0, 0, 0, 3}, {0, 0, 2, 0, 3, 3, 13},
                   {0, 0, 3, 0, 13, 13, 13}, {0, 1, 0, 0, 0, 0, 6}, {0, 1, 1, 0, 0, 0, 3},
                   {0, 1, 2, 0, 3, 3, 13}, {0, 1, 3, 0, 13, 13, 13});
    }
}

/* With `waits` a rank that has no wait takes part when its program has ended. */
static void a_program_that_has_ended_waits(void **state)
{
    (void)state;
    struct built *built = built_create();
    built_job(built, 2, 1);
    built->workload.job[0].calls = built->workload.job[0].waits = true;
    built_start(built_move(built, 0, 0, (struct built_move){.bytes = US1}), built_label(built, 0),
                0);
    built_compute(built, 0, us(3));
    struct sim_step *wait = built_wait(built, 0, 1);
    wait->only = sup_calloc(2, sizeof *wait->only);
    wait->only[0] = true;
    EXPECT(built, 5, {0, 0, 0, 0, 0, 0, 5}, {0, 0, 1, 0, 0, 0, 3}, {0, 0, 2, 0, 3, 5, 5},
           {0, 1, 0, 0, 0, 0, 5}, {0, 1, 1, 0, 0, 0, 3});
}

/* With `calls` two collectives whose messages end at the moment when one of them ends and the rank
 * computes on: the other one enters its next round first. */
static void what_can_go_on_does_before_computing(void **state)
{
    (void)state;
    struct built *built = built_create();
    built_job(built, 3, 1);
    built->workload.job[0].calls = true;
    built_start(built_move(built, 0, 0,
                           (struct built_move){.algorithm = "chain", .n = 2, .bytes = 2 * US1}),
                built_label(built, 0), 0);
    built_compute(built, 0, us(2));
    built_compute(built, 0, us(10));
    built_wait(built, 0, 1);
    /* Rank 0 sends at 0 and 2; rank 1 gets the first at 2 and sends it on at 2, with the second one
     * coming in, until 4; then it is held until 12, and rank 2 has the second at 14. */
    EXPECT(built, 14, {0, 0, 0, 0, 0, 0, 4}, {0, 0, 1, 0, 0, 0, 2}, {0, 0, 2, 0, 2, 2, 12},
           {0, 0, 3, 0, 12, 12, 12}, {0, 1, 0, 0, 0, 0, 14}, {0, 1, 1, 0, 0, 0, 2},
           {0, 1, 2, 0, 2, 2, 12}, {0, 1, 3, 0, 12, 14, 14}, {0, 2, 0, 0, 0, 0, 14},
           {0, 2, 1, 0, 0, 0, 2}, {0, 2, 2, 0, 2, 2, 12}, {0, 2, 3, 0, 12, 14, 14});
}

/* Rank 3 is in none of the two communicators; the second is late, and takes two rounds. */
static void communicators_are_apart(void **state)
{
    (void)state;
    static const int32_t of[] = {1, 0, 1, -1, 0};
    struct built *built = built_create();
    built_job(built, 5, 1);
    const int32_t set = built_set(built, 0, "parts", 2, of);
    built_compute(built, 0, (struct sim_duration){.kind = SIM_RAMP, .a = 1e-6, .b = 5e-6});
    built_move(built, 0, set, (struct built_move){.bytes = US1, .root = 1});
    EXPECT(built, 7, {0, 0, 0, 0, 0, 0, 1}, {0, 0, 1, 0, 1, 1, 5}, {0, 1, 0, 0, 0, 0, 2},
           {0, 1, 1, 0, 2, 2, 7}, {0, 2, 0, 0, 0, 0, 3}, {0, 2, 1, 0, 3, 3, 5},
           {0, 3, 0, 0, 0, 0, 4}, {0, 4, 0, 0, 0, 0, 5}, {0, 4, 1, 0, 5, 5, 7});
}

/* Of a chain of three the root runs ahead; in the second pass the next rank is the root. */
static void repeats_count_and_roots_run_ahead(void **state)
{
    (void)state;
    struct built *built = built_create();
    built_job(built, 3, 1);
    const int32_t repeat = built_repeat(built, 0, 2);
    built_move(built, 0, 0, (struct built_move){.algorithm = "chain", .bytes = US1, .turns = true});
    built_end(built, 0, repeat);
    EXPECT(built, 8, {0, 0, 1, 0, 0, 0, 2}, {0, 0, 1, 1, 2, 2, 8}, {0, 1, 1, 0, 0, 0, 4},
           {0, 1, 1, 1, 4, 4, 6}, {0, 2, 1, 0, 0, 0, 4}, {0, 2, 1, 1, 4, 4, 8});
}

/* All steps are started, each after its predecessors. */
static void programs_are_graphs(void **state)
{
    (void)state;
    struct built *built = built_create();
    built_job(built, 1, 1);
    for (int32_t i = 0; i < 4; i++)
        built_label(built, 0);
    built_start(built_compute(built, 0, us(5)), 0, 0);
    built_start(built_compute(built, 0, us(2)), 1, 0);
    built_start(built_compute(built, 0, us(3)), 2, 2);
    built_start(built_compute(built, 0, us(1)), 3, 1 | 4);
    built_start(built_compute(built, 0, us(4)), 0, 2);
    built_wait(built, 0, 2 | 4);
    EXPECT(built, 6, {0, 0, 0, 0, 0, 0, 5}, {0, 0, 1, 0, 0, 0, 2}, {0, 0, 2, 0, 0, 2, 5},
           {0, 0, 3, 0, 0, 5, 6}, {0, 0, 4, 0, 0, 2, 6}, {0, 0, 5, 0, 0, 5, 5});
}

/* The line comes to a wait at the moment when what it waits for partly ends. */
static void a_wait_is_for_all_that_was_started(void **state)
{
    (void)state;
    struct built *built = built_create();
    built_job(built, 1, 1);
    built_label(built, 0);
    built_start(built_compute(built, 0, us(5)), 0, 0);
    built_start(built_compute(built, 0, us(3)), 0, 1);
    built_compute(built, 0, us(2));
    built_compute(built, 0, us(3));
    built_wait(built, 0, 1);
    EXPECT(built, 8, {0, 0, 0, 0, 0, 0, 5}, {0, 0, 1, 0, 0, 5, 8}, {0, 0, 2, 0, 0, 0, 2},
           {0, 0, 3, 0, 2, 2, 5}, {0, 0, 4, 0, 5, 8, 8});
}

/* Two jobs on the hosts 0 to 3, the second from 5 us on; alone the first has the same times. */
static void jobs_are_apart(void **state)
{
    (void)state;
    for (int32_t only = 0; only < 3; only++) {
        struct built *built = built_create();
        built->workload.allocation = SIM_INTERLEAVED;
        for (int32_t j = 0; j < 2; j++) {
            built_job(built, 2, 1);
            built_move(built, j, 0, (struct built_move){.bytes = (j + 1) * US1});
        }
        built->workload.job[1].start_s = 5e-6;
        static const struct expected expected[] = {{0, 0, 0, 0, 0, 0, 2},
                                                   {0, 1, 0, 0, 0, 0, 2},
                                                   {1, 0, 0, 0, 5, 5, 8},
                                                   {1, 1, 0, 0, 5, 5, 8}};
        expect(built, only, only == 1 ? 2 : 8, expected + (only == 2 ? 2 : 0), only > 0 ? 2 : 4);
    }
}

/* The background job ends with the other one, in its fifth pass. */
static void a_background_job_runs_until_others_end(void **state)
{
    (void)state;
    for (int32_t i = 0; i < ENGINES; i++) {
        struct built *built = built_create();
        built_job(built, 2, 1);
        built_move(built, 0, 0, (struct built_move){.bytes = US1});
        built->workload.job[0].until_others = true;
        built_job(built, 1, 1);
        built_compute(built, 1, us(9));
        const struct sim_spec spec = {.workload = &built->workload};
        struct sim_result result;
        struct shown shown = {0};
        struct sup_error error = {0};
        if (run_on(engines[i], &spec, &result, &shown, &error) != RB_OK)
            fail_msg("%s: %s", engines[i], error.text);
        static const struct expected expected[] = {
            {0, 0, 0, 0, 0, 0, 2}, {0, 0, 0, 1, 2, 2, 4}, {0, 0, 0, 2, 4, 4, 6},
            {0, 0, 0, 3, 6, 6, 8}, {0, 1, 0, 0, 0, 0, 2}, {0, 1, 0, 1, 2, 2, 4},
            {0, 1, 0, 2, 4, 4, 6}, {0, 1, 0, 3, 6, 6, 8}, {1, 0, 0, 0, 0, 0, 9}};
        expect_steps(engines[i], &shown, expected, 9);
        assert_us(engines[i], "time", result.time_s, 9);
        assert_true(isnan(result.job_end_s[0]));
        assert_us(engines[i], "job", result.job_end_s[1], 9);
        assert_int_equal(shown.messages, 4);
        sim_result_free(&result);
        shown_free(&shown);
        built_destroy(built);
    }
}

/* Messages have numbers among all ranks, job and step; ranks end with their programs. */
static void messages_have_job_and_step(void **state)
{
    (void)state;
    for (int32_t i = 0; i < ENGINES; i++) {
        struct built *built = built_create();
        built_job(built, 1, 1);
        built_job(built, 3, 1);
        built_compute(built, 1, us(1));
        built_move(built, 1, built_every(built, 1, 2), (struct built_move){.bytes = US1});
        const struct sim_spec spec = {.workload = &built->workload};
        struct sim_result result;
        struct shown shown = {0};
        struct sup_error error = {0};
        if (run_on(engines[i], &spec, &result, &shown, &error) != RB_OK)
            fail_msg("%s: %s", engines[i], error.text);
        assert_int_equal(shown.messages, 1);
        const struct sim_message *message = &shown.message[0];
        assert_int_equal(message->from, 1);
        assert_int_equal(message->to, 3);
        assert_int_equal(message->job, 1);
        assert_int_equal(message->step, 1);
        assert_int_equal(message->bytes, US1);
        assert_us(engines[i], "message", message->start_s, 1);
        assert_us(engines[i], "message", message->end_s, 3);
        if (strcmp(engines[i], "model") != 0) /* it doesn't say */
            assert_us(engines[i], "message", message->alone_s, 2);
        const double finish[] = {0, 3, 1, 3};
        for (int r = 0; r < 4; r++)
            assert_us(engines[i], "rank", result.finish_s[r], finish[r]);
        assert_us(engines[i], "job", result.job_end_s[0], 0);
        assert_us(engines[i], "job", result.job_end_s[1], 3);
        assert_int_equal(result.messages, 1);
        assert_int_equal(result.bytes, US1);
        sim_result_free(&result);
        shown_free(&shown);
        built_destroy(built);
    }
}

/* ---- What can't be run ----------------------------------------------------------------------- */

static void expect_fault(const char *engine, const struct sim_spec *spec, const char *text)
{
    struct sim_result result;
    struct shown shown = {0};
    struct sup_error error = {0};
    assert_int_not_equal(run_on(engine, spec, &result, &shown, &error), RB_OK);
    assert_string_equal(error.text, text);
    shown_free(&shown);
}

static void leave_to(struct sim_step *step, int32_t ranks, int32_t rank)
{
    step->only = sup_calloc((size_t)ranks, sizeof *step->only);
    step->only[rank] = true;
}

static void different_calls_are_told(void **state)
{
    (void)state;
    struct built *built = built_create();
    built_job(built, 2, 1);
    leave_to(built_compute(built, 0, us(1)), 2, 1);
    leave_to(built_move(built, 0, 0, (struct built_move){.bytes = US1}), 2, 0);
    leave_to(built_move(built, 0, 0, (struct built_move){.collective = "allreduce", .bytes = US1}),
             2, 1);
    const struct sim_spec spec = {.workload = &built->workload};
    for (int32_t i = 0; i < ENGINES; i++)
        expect_fault(engines[i], &spec,
                     "job0: ranks 0 and 1 call different collectives as number 1 of world: bcast "
                     "(line 2), allreduce (line 3)");
    built_destroy(built);
}

static void deadlocks_are_told(void **state)
{
    (void)state;
    struct built *built = built_create();
    built_job(built, 2, 1);
    leave_to(built_compute(built, 0, us(3)), 2, 0);
    leave_to(built_move(built, 0, 0, (struct built_move){.bytes = US1}), 2, 0);
    const struct sim_spec spec = {.workload = &built->workload};
    for (int32_t i = 0; i < ENGINES; i++)
        expect_fault(engines[i], &spec,
                     "job0: deadlock: rank 0 waits in bcast (line 2) for rank 1, which has ended");
    built_destroy(built);
}

/* Each is in a collective that the other one comes to later. */
static void deadlocks_of_several_are_told(void **state)
{
    (void)state;
    static const int32_t of[] = {0, 0};
    struct built *built = built_create();
    built_job(built, 2, 1);
    const int32_t other = built_set(built, 0, "other", 1, of);
    leave_to(built_move(built, 0, 0, (struct built_move){.bytes = US1}), 2, 0);
    built_move(built, 0, other, (struct built_move){.bytes = US1});
    leave_to(built_move(built, 0, 0, (struct built_move){.bytes = US1}), 2, 1);
    const struct sim_spec spec = {.workload = &built->workload};
    for (int32_t i = 0; i < ENGINES; i++)
        expect_fault(engines[i], &spec,
                     "job0: deadlock: rank 0 waits in bcast (line 1) for rank 1, which waits in "
                     "bcast (line 2) for rank 0");
    built_destroy(built);
}

/* The job beside it would begin again and again. */
static void deadlocks_beside_a_background_job_are_told(void **state)
{
    (void)state;
    struct built *built = built_create();
    built_job(built, 2, 1);
    leave_to(built_move(built, 0, 0, (struct built_move){.bytes = US1}), 2, 0);
    built_job(built, 2, 1);
    built_move(built, 1, 0, (struct built_move){.bytes = US1});
    built->workload.job[1].until_others = true;
    const struct sim_spec spec = {.workload = &built->workload};
    for (int32_t i = 0; i < ENGINES; i++)
        expect_fault(engines[i], &spec,
                     "job0: deadlock: rank 0 waits in bcast (line 1) for rank 1, which has ended");
    built_destroy(built);
}

static void variants_without_events_run_no_workloads(void **state)
{
    (void)state;
    struct built *built = built_create();
    built_job(built, 2, 1);
    built_move(built, 0, 0, (struct built_move){.bytes = US1});
    expect_fault("model:windows", &(struct sim_spec){.workload = &built->workload},
                 "variant windows runs no workloads: take events, or leave the variant out");
    built_destroy(built);
}

static void actors_walk_no_programs(void **state)
{
    (void)state;
    struct built *built = built_create();
    built_job(built, 2, 1);
    built_move(built, 0, 0, (struct built_move){.bytes = US1});
    struct sim_spec spec = {.workload = &built->workload, .sharing = SIM_UNSHARED};
    expect_fault("simgrid", &spec,
                 "the simgrid engine always shares links: take flow for times without");
    spec = (struct sim_spec){.workload = &built->workload, .overlap = {SIM_BLOCKING, 1}};
    expect_fault(
        "simgrid:actors", &spec,
        "the simgrid engine's variant 'actors' runs no workloads and no arrivals: take the "
        "variant 'signals'");
    built_destroy(built);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(computing_comes_before_a_collective),
        cmocka_unit_test(a_late_rank_is_waited_for),
        cmocka_unit_test(a_started_collective_goes_on_behind_computing),
        cmocka_unit_test(started_ones_run_side_by_side),
        cmocka_unit_test(progress_may_need_calls),
        cmocka_unit_test(a_program_that_has_ended_waits),
        cmocka_unit_test(what_can_go_on_does_before_computing),
        cmocka_unit_test(communicators_are_apart),
        cmocka_unit_test(repeats_count_and_roots_run_ahead),
        cmocka_unit_test(programs_are_graphs),
        cmocka_unit_test(a_wait_is_for_all_that_was_started),
        cmocka_unit_test(jobs_are_apart),
        cmocka_unit_test(a_background_job_runs_until_others_end),
        cmocka_unit_test(messages_have_job_and_step),
        cmocka_unit_test(different_calls_are_told),
        cmocka_unit_test(deadlocks_are_told),
        cmocka_unit_test(deadlocks_of_several_are_told),
        cmocka_unit_test(deadlocks_beside_a_background_job_are_told),
        cmocka_unit_test(variants_without_events_run_no_workloads),
        cmocka_unit_test(actors_walk_no_programs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
