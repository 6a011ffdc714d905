/* test_isolate.c - work in a child process: its reply and records, its end by any cause, and each
 * call of the system on the way that fails or is interrupted. */
#define _GNU_SOURCE /* memfd_create */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "roundabout.h"
#include "sim/engine/isolate.h"

/* ---- Calls that fail ------------------------------------------------------------------------- */

enum call { MEMFD_CREATE, MMAP, PIPE2, FORK, FDOPEN, FFLUSH, READ, WAITPID, NONE };

static enum call refused = NONE;
static int refused_at, refused_with; /* which of these calls, from 1, with which errno */

static bool refuse(enum call call)
{
    if (call != refused || --refused_at != 0)
        return false;
    errno = refused_with;
    return true;
}

#define REFUSABLE(call, type, name, failed, parameters, arguments)                                 \
    type __real_##name parameters;                                                                 \
    type __wrap_##name parameters;                                                                 \
    type __wrap_##name parameters                                                                  \
    {                                                                                              \
        return refuse(call) ? failed : __real_##name arguments;                                    \
    }

REFUSABLE(MEMFD_CREATE, int, memfd_create, -1, (const char *name, unsigned flags), (name, flags))
REFUSABLE(MMAP, void *, mmap, MAP_FAILED,
          (void *at, size_t size, int protection, int flags, int file, off_t offset),
          (at, size, protection, flags, file, offset))
REFUSABLE(PIPE2, int, pipe2, -1, (int ends[2], int flags), (ends, flags))
REFUSABLE(FORK, pid_t, fork, -1, (void), ())
REFUSABLE(FDOPEN, FILE *, fdopen, NULL, (int file, const char *mode), (file, mode))
REFUSABLE(FFLUSH, int, fflush, EOF, (FILE * stream), (stream))
REFUSABLE(READ, ssize_t, read, -1, (int file, void *to, size_t size), (file, to, size))
REFUSABLE(WAITPID, pid_t, waitpid, -1, (pid_t child, int *status, int options),
          (child, status, options))

/* ---- Work ------------------------------------------------------------------------------------ */

enum { RECORDS = 5 };

static int heard;

static void hear(void *context, const void *record)
{
    (void)context;
    assert_int_equal(*(const int *)record, heard);
    heard++;
}

static int count_and_reply(void *context, FILE *reply, struct sup_error *error)
{
    const struct sim_isolate_listener *listener = context;
    (void)error;
    for (int i = 0; i < RECORDS; i++)
        fwrite(&i, sizeof i, 1, listener->told);
    fputs("done", reply);
    return RB_OK;
}

static int open_files(void)
{
    int count = 0;
    DIR *directory = opendir("/proc/self/fd");
    assert_non_null(directory);
    while (readdir(directory) != NULL)
        count++;
    closedir(directory);
    return count;
}

static int run(struct sup_error *error)
{
    struct sim_isolate_listener listener = {.record_size = sizeof(int), .hear = hear};
    char *reply;
    size_t size;
    const int before = open_files();
    heard = 0;
    const int status = sim_isolate_listening("the work", count_and_reply, &listener, &listener,
                                             &reply, &size, error);
    if (status == RB_OK) {
        assert_string_equal(reply, "done");
        assert_int_equal(size, strlen("done"));
        assert_int_equal(heard, RECORDS);
    } else {
        assert_null(reply);
    }
    free(reply);
    assert_int_equal(open_files(), before);
    assert_int_equal(__real_waitpid(-1, NULL, WNOHANG), -1); /* no child is left */
    return status;
}

static void each_call_that_fails_is_said(void **state)
{
    static const struct {
        enum call call;
        int times, with;
        const char *says;
    } calls[] = {
        {MEMFD_CREATE, 2, EMFILE, "no room for a child process: Too many open files"},
        {MMAP, 1, ENOMEM, "no room for a child process: Cannot allocate memory"},
        {PIPE2, 1, EMFILE, "no room for a child process: Too many open files"},
        {FORK, 1, EAGAIN, "cannot start a child process: Resource temporarily unavailable"},
        {FDOPEN, 2, ENOMEM, "out of memory"},
        {FDOPEN, 2, EMFILE, "out of memory"},
        {FFLUSH, 2, ENOSPC, "out of memory for the result"},
    };
    struct sup_error error;
    (void)state;
    assert_int_equal(run(&error), RB_OK);
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++)
        for (int k = 1; k <= calls[i].times; k++) {
            refused = calls[i].call;
            refused_at = k;
            refused_with = calls[i].with;
            const int status = run(&error);
            refused = NONE;
            if (status != RB_ENOMEM || strcmp(error.text, calls[i].says) != 0)
                fail_msg("call %d, %d: status %d, %s", (int)i, k, status, error.text);
        }
}

static void calls_that_are_interrupted_are_made_again(void **state)
{
    struct sup_error error;
    (void)state;
    for (enum call call = READ; call <= WAITPID; call++) {
        refused = call;
        refused_at = 1;
        refused_with = EINTR;
        const int status = run(&error);
        refused = NONE;
        assert_int_equal(status, RB_OK);
        assert_true(refused_at <= 0); /* it was interrupted */
    }
}

/* ---- Ends ------------------------------------------------------------------------------------ */

static int leave(void *context, FILE *reply, struct sup_error *error)
{
    (void)context, (void)reply, (void)error;
    _exit(7);
}

static int crash(void *context, FILE *reply, struct sup_error *error)
{
    (void)context, (void)reply, (void)error;
    fputs("one line\n\nthe last line\n", stderr);
    sim_isolated_input(true, "platform '%s'", "x.xml");
    raise(SIGKILL);
    return RB_OK;
}

static int give_up(void *context, FILE *reply, struct sup_error *error)
{
    (void)reply, (void)error;
    sim_isolated_input(*(bool *)context, "platform '%s'", "x.xml");
    fputs("[0.0] CRITICAL: no such thing\n[0.1] CRITICAL: a backtrace\nbehind it\n", stderr);
    signal(SIGABRT, SIG_DFL);
    abort();
}

static int abort_silently(void *context, FILE *reply, struct sup_error *error)
{
    (void)context, (void)reply, (void)error;
    signal(SIGABRT, SIG_DFL);
    abort();
}

static int refuse_input(void *context, FILE *reply, struct sup_error *error)
{
    (void)context, (void)reply;
    return sup_fail(error, RB_EINVAL, "not so");
}

static void each_end_is_explained(void **state)
{
    static bool reading = true, running = false;
    static const struct {
        sim_isolated_work *work;
        void *context;
        int status;
        const char *says;
    } ends[] = {
        {leave, NULL, RB_EFAILED, "the work gave up with exit status 7"},
        {crash, NULL, RB_EFAILED,
         "the work died of signal 9 (Killed) on platform 'x.xml'; it last said: the last line"},
        {give_up, &reading, RB_EINVAL, "the work gave up on platform 'x.xml': no such thing"},
        {give_up, &running, RB_EFAILED, "the work gave up on platform 'x.xml': no such thing"},
        {abort_silently, NULL, RB_EFAILED, "the work died of signal 6 (Aborted)"},
        {refuse_input, NULL, RB_EINVAL, "not so"},
    };
    (void)state;
    sim_isolated_input(true, "nothing"); /* not in a child: it does nothing */
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        char *reply;
        size_t size;
        struct sup_error error;
        const int status =
            sim_isolate("the work", ends[i].work, ends[i].context, &reply, &size, &error);
        if (status != ends[i].status || strcmp(error.text, ends[i].says) != 0)
            fail_msg("end %d: status %d, %s", (int)i, status, error.text);
        assert_null(reply);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_call_that_fails_is_said),
                                       cmocka_unit_test(calls_that_are_interrupted_are_made_again),
                                       cmocka_unit_test(each_end_is_explained)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
