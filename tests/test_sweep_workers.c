/* test_sweep_workers.c - work that succeeds, dies, hangs or is stopped, in worker processes. */
#define _POSIX_C_SOURCE 200809L

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "experiments/sweep/workers.h"
#include "roundabout.h"

enum { PIECES = 40, CRASHES = 7, EXITS = 11, HANGS = 13 };

static volatile sig_atomic_t stop;

struct record {
    int times[PIECES];
    struct rb_outcome outcome[PIECES];
    size_t finished, stop_after, refuse_after;
};

static void run_piece(void *context, size_t i, struct rb_outcome *outcome)
{
    (void)context;
    outcome->done = true;
    outcome->messages = (int64_t)(i * i);
}

static void run_trouble(void *context, size_t i, struct rb_outcome *outcome)
{
    if (i == CRASHES)
        raise(SIGKILL);
    if (i == EXITS)
        _exit(9);
    if (i == HANGS)
        for (;;)
            pause();
    run_piece(context, i, outcome);
}

static int finish_piece(void *context, size_t i, const struct rb_outcome *outcome,
                        struct rb_error *error)
{
    struct record *record = context;
    record->times[i]++;
    record->outcome[i] = *outcome;
    record->finished++;
    if (record->finished == record->refuse_after)
        return rb_fail(error, RB_EIO, "refused");
    if (record->finished == record->stop_after)
        stop = SIGTERM;
    return RB_OK;
}

static struct rb_work work_of(struct record *record, int32_t jobs)
{
    stop = 0;
    return (struct rb_work){.count = PIECES,
                            .jobs = jobs,
                            .stop = &stop,
                            .context = record,
                            .run = run_piece,
                            .done = finish_piece};
}

static void assert_no_child(void)
{
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
}

static void test_all_pieces_once(void **state)
{
    (void)state;
    for (int32_t jobs = 1; jobs <= 2 * PIECES; jobs *= 3) {
        struct record record = {0};
        struct rb_error error = {""};
        struct rb_work work = work_of(&record, jobs);
        assert_int_equal(rb_workers_run(&work, &error), RB_OK);
        for (size_t i = 0; i < PIECES; i++) {
            assert_int_equal(record.times[i], 1);
            assert_int_equal(record.outcome[i].messages, i * i);
        }
        assert_no_child();
    }
}

static void test_nothing_to_do(void **state)
{
    (void)state;
    struct record record = {0};
    struct rb_error error;
    struct rb_work work = work_of(&record, 3);
    work.count = 0;
    assert_int_equal(rb_workers_run(&work, &error), RB_OK);
    assert_no_child();
}

/* A piece that kills its worker fails alone, and it is said how. */
static void test_trouble(void **state)
{
    (void)state;
    struct record record = {0};
    struct rb_error error;
    struct rb_work work = work_of(&record, 2);
    work.run = run_trouble;
    work.limit_s = 2; /* ample for the others, on any machine */
    assert_int_equal(rb_workers_run(&work, &error), RB_OK);
    for (size_t i = 0; i < PIECES; i++) {
        assert_int_equal(record.times[i], 1);
        assert_int_equal(record.outcome[i].done, i != CRASHES && i != EXITS && i != HANGS);
    }
    assert_string_equal(record.outcome[CRASHES].error.text,
                        "the worker process died of signal 9 (Killed)");
    assert_string_equal(record.outcome[EXITS].error.text, "the worker process ended with status 9");
    assert_string_equal(record.outcome[HANGS].error.text, "took longer than 2 s");
    assert_no_child();
}

static void test_stop(void **state)
{
    (void)state;
    struct record record = {.stop_after = 5};
    struct rb_error error;
    struct rb_work work = work_of(&record, 2);
    assert_int_equal(rb_workers_run(&work, &error), RB_OK);
    assert_in_range(record.finished, 5, 6); /* the other worker may have answered as well */
    assert_no_child();
}

static void test_refused_record_ends_the_work(void **state)
{
    (void)state;
    struct record record = {.refuse_after = 3};
    struct rb_error error;
    struct rb_work work = work_of(&record, 2);
    assert_int_equal(rb_workers_run(&work, &error), RB_EIO);
    assert_string_equal(error.text, "refused");
    assert_int_equal(record.finished, 3);
    assert_no_child();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_pieces_once),
        cmocka_unit_test(test_nothing_to_do),
        cmocka_unit_test(test_trouble),
        cmocka_unit_test(test_stop),
        cmocka_unit_test(test_refused_record_ends_the_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
