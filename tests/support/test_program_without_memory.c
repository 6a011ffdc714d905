/* test_program_without_memory.c - where there is no memory, the handler ends the process; a pool's
 * worker that met this is a lost piece with the reason. */
#define _POSIX_C_SOURCE 200809L /* fork */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <errno.h>

#include "roundabout.h"
#include "support/memory.h"
#include "support/pool.h"

static const size_t huge = SIZE_MAX / 2;

static void ask_malloc(void)
{
    free(sup_malloc(huge));
}

static void ask_calloc(void)
{
    free(sup_calloc(huge, 4));
}

static void ask_realloc(void)
{
    free(sup_realloc(NULL, huge));
}

static void ask_reallocarray(void)
{
    free(sup_reallocarray(NULL, huge, 4));
}

static void ask_grow(void)
{
    void *place = NULL;
    sup_grow(&place, (size_t)1 << 40, huge);
}

/* What open_memstream's fclose leaves where the text can't be made as long as it is. */
static void ask_close(void)
{
    char *none = NULL;
    sup_memory_close(tmpfile(), &none);
}

static void ask_open(void)
{
    errno = ENOMEM;
    sup_got(NULL);
}

static void ask_library(void)
{
    sup_had_memory(false);
}

static void ask_directly(void)
{
    sup_no_memory();
}

static void (*const asks[])(void) = {ask_malloc,       ask_calloc,  ask_realloc,
                                     ask_reallocarray, ask_grow,    ask_close,
                                     ask_open,         ask_library, ask_directly};

static void leave_with_9(void)
{
    _exit(9);
}

static void do_nothing(void)
{
}

/* The exit status of a child that asks, and what it says on standard error. */
static int status_of(void (*ask)(void), void (*handler)(void), char *said, size_t size)
{
    int ends[2], how;
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        if (handler != NULL)
            sup_no_memory_handler(handler);
        ask();
        _exit(77);
    }
    close(ends[1]);
    const ssize_t got = read(ends[0], said, size - 1);
    assert_true(got >= 0);
    said[got] = '\0';
    close(ends[0]);
    assert_int_equal(waitpid(child, &how, 0), child);
    assert_true(WIFEXITED(how));
    return WEXITSTATUS(how);
}

static void without_memory_the_program_ends_with_3(void **state)
{
    char said[200];
    (void)state;
    for (size_t i = 0; i < sizeof asks / sizeof asks[0]; i++) {
        assert_int_equal(status_of(asks[i], NULL, said, sizeof said), 3);
        assert_string_equal(said, "roundabout: out of memory\n");
        assert_int_equal(status_of(asks[i], leave_with_9, said, sizeof said), 9);
        assert_string_equal(said, "");
        assert_int_equal(status_of(asks[i], do_nothing, said, sizeof said), 3);
    }
}

static void test_nothing_is_something(void **state)
{
    (void)state;
    void *pieces[] = {sup_malloc(0), sup_calloc(0, 8), sup_calloc(8, 0),
                      sup_realloc(sup_malloc(4), 0), sup_reallocarray(sup_malloc(4), 0, 8)};
    for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
        assert_non_null(pieces[i]);
        free(pieces[i]);
    }
}

static void streams_in_memory_keep_their_text(void **state)
{
    char *text;
    size_t size;
    (void)state;
    FILE *stream = sup_memory_open(&text, &size);
    fprintf(stream, "%d words", 2);
    sup_memory_close(stream, &text);
    assert_string_equal(text, "2 words");
    char *again = sup_format("%s and %.1f", text, 0.5), *start = sup_strndup(again, 3);
    assert_string_equal(again, "2 words and 0.5");
    assert_string_equal(start, "2 w");
    free(text);
    free(again);
    free(start);
    assert_null(sup_got(fopen("/none/such", "r")));
    assert_int_equal(errno, ENOENT);
    int *numbers = NULL;
    for (int i = 0; i < 100; i++) {
        sup_grow(&numbers, (size_t)i, sizeof *numbers);
        numbers[i] = i;
    }
    assert_int_equal(numbers[99], 99);
    free(numbers);
}

static void ask_in_worker(void *context, struct sup_pool_worker *worker, void *memory)
{
    size_t i;
    (void)context;
    (void)memory;
    while (sup_pool_next(worker, &i))
        if (i == 1)
            sup_no_memory();
}

static int note_lost(void *context, const struct sup_pool_piece *piece, struct sup_error *error)
{
    (void)error;
    if (piece->lost != NULL)
        snprintf(context, 100, "%zu: %s (%d)", piece->i, piece->lost, piece->lost_status);
    return RB_OK;
}

static void test_worker(void **state)
{
    char lost[100] = "", says[100];
    struct sup_error error;
    (void)state;
    struct sup_pool pool = {.count = 3,
                            .workers = 1,
                            .memory_size = 1,
                            .context = lost,
                            .work = ask_in_worker,
                            .done = note_lost};
    assert_int_equal(sup_pool_run(&pool, &error), RB_OK);
    snprintf(says, sizeof says, "1: out of memory (%d)", RB_ENOMEM);
    assert_string_equal(lost, says);
    sup_pool_free(&pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_memory_the_program_ends_with_3),
        cmocka_unit_test(test_nothing_is_something),
        cmocka_unit_test(streams_in_memory_keep_their_text),
        cmocka_unit_test(test_worker),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
