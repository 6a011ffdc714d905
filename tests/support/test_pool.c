/* test_pool.c - work in worker processes that succeeds, crashes, hangs or is stopped. */
#define _POSIX_C_SOURCE 200809L

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
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

#include "roundabout.h"
#include "support/pool.h"

enum { PIECES = 40, CRASHES = 7, EXITS = 11, HANGS = 13 };

static volatile sig_atomic_t stop;

struct record {
    int times[PIECES];
    long square[PIECES];
    char lost[PIECES][128];
    size_t finished, stop_after, refuse_after;
};

static void square(void *context, struct sup_pool_worker *worker, void *memory)
{
    (void)context;
    for (size_t i; sup_pool_next(worker, &i);)
        *(long *)memory = (long)(i * i);
}

static void be_troubled(void *context, struct sup_pool_worker *worker, void *memory)
{
    (void)context;
    for (size_t i; sup_pool_next(worker, &i);) {
        if (i == CRASHES)
            raise(SIGKILL);
        if (i == EXITS)
            _exit(9);
        if (i == HANGS)
            for (;;)
                pause();
        *(long *)memory = (long)(i * i);
    }
}

/* A batch system ends all processes of a job: that is the parent's business. */
static void be_signaled(void *context, struct sup_pool_worker *worker, void *memory)
{
    (void)context;
    for (size_t i; sup_pool_next(worker, &i);) {
        raise(SIGTERM);
        raise(SIGHUP);
        raise(SIGINT);
        *(long *)memory = (long)(i * i);
    }
}

/* Adds up in the worker's memory, and leaves after a few. */
static void add_and_leave(void *context, struct sup_pool_worker *worker, void *memory)
{
    const int *few = context;
    size_t i;
    for (int k = 0; k < *few && sup_pool_next(worker, &i); k++)
        *(_Atomic long *)memory += (long)i;
}

static int finish_piece(void *context, const struct sup_pool_piece *piece, struct sup_error *error)
{
    struct record *record = context;
    record->times[piece->i]++;
    record->square[piece->i] = *(const long *)piece->memory;
    if (piece->lost != NULL)
        snprintf(record->lost[piece->i], sizeof record->lost[0], "%s", piece->lost);
    record->finished++;
    if (record->finished == record->refuse_after)
        return sup_fail(error, RB_EIO, "refused");
    if (record->finished == record->stop_after)
        stop = SIGTERM;
    return RB_OK;
}

static struct sup_pool pool_of(struct record *record, int32_t workers)
{
    stop = 0;
    return (struct sup_pool){.count = PIECES,
                             .workers = workers,
                             .memory_size = sizeof(long),
                             .stop = &stop,
                             .context = record,
                             .work = square,
                             .done = finish_piece};
}

static int run(struct sup_pool *pool, struct sup_error *error)
{
    const int status = sup_pool_run(pool, error);
    sup_pool_free(pool);
    return status;
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
        struct sup_error error = {""};
        struct sup_pool pool = pool_of(&record, jobs);
        assert_int_equal(run(&pool, &error), RB_OK);
        for (size_t i = 0; i < PIECES; i++) {
            assert_int_equal(record.times[i], 1);
            assert_int_equal(record.square[i], i * i);
        }
        assert_no_child();
    }
}

static void test_nothing_to_do(void **state)
{
    (void)state;
    struct record record = {0};
    struct sup_error error;
    struct sup_pool pool = pool_of(&record, 3);
    pool.count = 0;
    assert_int_equal(run(&pool, &error), RB_OK);
    assert_no_child();
}

static void test_signals_for_all_end_no_piece(void **state)
{
    (void)state;
    struct record record = {0};
    struct sup_error error;
    struct sup_pool pool = pool_of(&record, 2);
    pool.work = be_signaled;
    assert_int_equal(run(&pool, &error), RB_OK);
    for (size_t i = 0; i < PIECES; i++) {
        assert_string_equal(record.lost[i], "");
        assert_int_equal(record.square[i], i * i);
    }
    assert_no_child();
}

/* A piece that kills its worker fails alone, and it is said how. */
static void test_trouble(void **state)
{
    (void)state;
    struct record record = {0};
    struct sup_error error;
    struct sup_pool pool = pool_of(&record, 2);
    pool.work = be_troubled;
    pool.limit_s = 2; /* ample for the others, on any machine */
    assert_int_equal(run(&pool, &error), RB_OK);
    for (size_t i = 0; i < PIECES; i++) {
        assert_int_equal(record.times[i], 1);
        if (i != CRASHES && i != EXITS && i != HANGS) {
            assert_string_equal(record.lost[i], "");
            assert_int_equal(record.square[i], i * i);
        }
    }
    assert_string_equal(record.lost[CRASHES], "a worker died (killed by signal 9: out of memory?)");
    assert_string_equal(record.lost[EXITS], "a worker died (exit status 9)");
    assert_string_equal(record.lost[HANGS], "took longer than 2 s");
    assert_no_child();
}

static void a_pool_stops_when_told(void **state)
{
    (void)state;
    struct record record = {.stop_after = 5};
    struct sup_error error;
    struct sup_pool pool = pool_of(&record, 2);
    assert_int_equal(run(&pool, &error), RB_OK);
    assert_in_range(record.finished, 5, 6); /* the other worker may have answered as well */
    assert_no_child();
}

static void test_refused_record_ends_the_work(void **state)
{
    (void)state;
    struct record record = {.refuse_after = 3};
    struct sup_error error;
    struct sup_pool pool = pool_of(&record, 2);
    assert_int_equal(run(&pool, &error), RB_EIO);
    assert_string_equal(error.text, "refused");
    assert_int_equal(record.finished, 3);
    assert_no_child();
}

/* Without done() the workers' memories hold the results, and a death ends all. */
static void test_memories(void **state)
{
    (void)state;
    struct sup_error error;
    for (int few = 15; few <= PIECES; few += 5) {
        struct sup_pool pool = pool_of(NULL, 3);
        long sum = 0;
        pool.done = NULL;
        pool.context = &few;
        pool.work = add_and_leave;
        assert_int_equal(sup_pool_run(&pool, &error), RB_OK);
        for (int32_t w = 0; w < pool.workers; w++)
            sum += *(long *)sup_pool_memory(&pool, w);
        assert_int_equal(sum, PIECES * (PIECES - 1) / 2);
        sup_pool_free(&pool);
        assert_no_child();
    }
    /* Workers that leave before their first piece did not die. */
    int none = 0;
    struct sup_pool pool = pool_of(NULL, 2);
    pool.done = NULL;
    pool.context = &none;
    pool.work = add_and_leave;
    assert_int_equal(run(&pool, &error), RB_OK);
    assert_no_child();
    pool = pool_of(NULL, 1); /* two could die at once, and either be seen first */
    pool.done = NULL;
    pool.work = be_troubled;
    assert_int_equal(run(&pool, &error), RB_EFAILED);
    assert_string_equal(error.text, "a worker died (killed by signal 9: out of memory?)");
    assert_no_child();
}

static bool end_soon(void *context, const struct sup_pool *pool)
{
    (void)context;
    return *(const _Atomic long *)sup_pool_memory(pool, 0) > 0;
}

static void test_tick_ends_it(void **state)
{
    (void)state;
    struct record record = {0};
    struct sup_error error;
    struct sup_pool pool = pool_of(&record, 1);
    pool.work = be_troubled; /* would wait for ever at HANGS */
    pool.tick = end_soon;
    assert_int_equal(run(&pool, &error), RB_OK);
    assert_true(record.finished < PIECES);
    assert_no_child();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_pieces_once),
        cmocka_unit_test(test_nothing_to_do),
        cmocka_unit_test(test_signals_for_all_end_no_piece),
        cmocka_unit_test(test_trouble),
        cmocka_unit_test(a_pool_stops_when_told),
        cmocka_unit_test(test_refused_record_ends_the_work),
        cmocka_unit_test(test_memories),
        cmocka_unit_test(test_tick_ends_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
