/* The file of verify --record: its entries are found again, and other files are refused. */
#define _POSIX_C_SOURCE 200809L /* mkstemp, fork, ftruncate */

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

#include "cli/options/options.h"
#include "roundabout.h"
#include "verification/verify_checked.h"

static char path[] = "/tmp/test_checked_XXXXXX";

static int make_file(void **state)
{
    (void)state;
    strcpy(path + strlen(path) - 6, "XXXXXX");
    int file = mkstemp(path);
    return file < 0 || close(file) != 0;
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(path);
}

static void write_file(const char *text, const char *mode)
{
    FILE *file = fopen(path, mode);
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static char *read_file(void)
{
    static char text[4096];
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return text;
}

static void open_checked(struct verify_checked *checked, size_t count)
{
    struct sup_error error;
    if (verify_checked_open(checked, path, &error) != RB_OK)
        fail_msg("%s", error.text);
    assert_int_equal(checked->count, count);
}

static void add(const struct verify_checked *checked, struct verify_chunk range, int32_t sample,
                char *wrong)
{
    const struct verify_checked_range result = {range, sample, wrong};
    assert_int_equal(verify_checked_add(checked, &result, 1, NULL), RB_OK);
}

/* A file with 1..9 right, 10 wrong, 12..20+4 right, and 30..40 right by samples of 5. */
static void make_example(void)
{
    struct verify_checked checked;
    open_checked(&checked, 0);
    add(&checked, (struct verify_chunk){1, 9, 1}, 0, NULL);
    add(&checked, (struct verify_chunk){10, 10, 1}, 0, "rank 3 has no block 2");
    add(&checked, (struct verify_chunk){12, 20, 4}, 0, NULL);
    add(&checked, (struct verify_chunk){30, 40, 1}, 5, NULL);
    verify_checked_close(&checked);
}

/* Which of 1..45 are found, as text: r right, w wrong. */
static void assert_found(const struct verify_checked *checked, int32_t sample, const char *expected)
{
    int32_t p[45];
    const struct verify_checked_range *found[45];
    char text[46] = "";
    for (int32_t i = 0; i < 45; i++)
        p[i] = 45 - i; /* in any order */
    assert_int_equal(verify_checked_look_up(checked, sample, p, 45, found), RB_OK);
    for (int32_t i = 0; i < 45; i++)
        text[44 - i] = found[i] == NULL ? '.' : found[i]->wrong == NULL ? 'r' : 'w';
    assert_string_equal(text, expected);
}

static void what_was_added_is_found_again(void **state)
{
    struct verify_checked checked;
    (void)state;
    make_example();
    open_checked(&checked, 4);
    assert_string_equal(checked.ranges[1].wrong, "rank 3 has no block 2");
    assert_found(&checked, 0, "rrrrrrrrrw.r...r...r.........................");
    assert_found(&checked, 5, "rrrrrrrrrw.r...r...r.........rrrrrrrrrrr.....");
    assert_found(&checked, 6, "rrrrrrrrrw.r...r...r.........................");
    add(&checked, (struct verify_chunk){9, 12, 1}, 0, NULL); /* right later: wrong goes first */
    verify_checked_close(&checked);
    open_checked(&checked, 5);
    assert_found(&checked, 0, "rrrrrrrrrwrr...r...r.........................");
    verify_checked_close(&checked);
}

static void a_line_without_an_end_is_dropped(void **state)
{
    struct verify_checked checked;
    (void)state;
    make_example();
    char whole[4096];
    strcpy(whole, read_file());
    for (size_t cut = 1; cut < 60; cut++) {
        write_file(whole, "w");
        assert_int_equal(truncate(path, (off_t)(strlen(whole) - cut)), 0);
        open_checked(&checked, 3);
        assert_int_equal(checked.damaged, 0);
        add(&checked, (struct verify_chunk){30, 40, 1}, 5, NULL);
        verify_checked_close(&checked);
        open_checked(&checked, 4);
        assert_int_equal(checked.damaged, 0);
        verify_checked_close(&checked);
    }
    for (size_t size = 0; size < 100; size += 7) { /* not even the first line is whole */
        write_file(whole, "w");
        assert_int_equal(truncate(path, (off_t)size), 0);
        open_checked(&checked, 0);
        verify_checked_close(&checked);
        assert_memory_equal(read_file(), whole, 100);
    }
}

static void lines_of_other_versions_do_not_count(void **state)
{
    struct verify_checked checked;
    (void)state;
    make_example();
    write_file("0.0.1+feedfacecafe 2024-07-22T00:00:00Z 1..40 all 820 right\n", "a");
    open_checked(&checked, 4);
    assert_int_equal(checked.other_versions, 1);
    assert_found(&checked, 0, "rrrrrrrrrw.r...r...r.........................");
    verify_checked_close(&checked);
}

static void damaged_lines_do_not_count(void **state)
{
    static const char *const damaged[] = {"1..40 all 820 right",    "2..1 all 1 right",
                                          "1..40 all 820 rightly",  "0 all 1 right",
                                          "1..4x all 1 right",      "1..40 some 820 right",
                                          "1..40 sample:0 1 right", "",
                                          "1..2 all 3 wrong so",    "1..1073741825 all 1 right"};
    struct verify_checked checked;
    (void)state;
    make_example();
    for (size_t i = 0; i < sizeof damaged / sizeof damaged[0]; i++) {
        if (i > 0) { /* the first has no version and time */
            write_file(cli_program_version, "a");
            write_file(" 2024-07-22T00:00:00Z ", "a");
        }
        write_file(damaged[i], "a");
        write_file("\n", "a");
        open_checked(&checked, 4);
        assert_int_equal(checked.damaged, i + 1);
        verify_checked_close(&checked);
    }
}

static void another_file_is_left_as_it_is(void **state)
{
    static const char *const others[] = {"p,q\n1,0\n", "x", "# roundabout verify\n\n"};
    struct verify_checked checked;
    struct sup_error error;
    (void)state;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        write_file(others[i], "w");
        assert_int_equal(verify_checked_open(&checked, path, &error), RB_EINVAL);
        assert_non_null(strstr(error.text, "was not made by --record and is left unchanged"));
        assert_string_equal(read_file(), others[i]);
    }
    assert_int_equal(verify_checked_open(&checked, "/tmp", &error), RB_EINVAL);
    assert_int_equal(verify_checked_open(&checked, "/dev/null", &error), RB_EINVAL);
    assert_non_null(strstr(error.text, "is not a regular file"));
}

static void one_process_writes_at_a_time(void **state)
{
    struct verify_checked checked, second;
    struct sup_error error;
    char expected[64];
    (void)state;
    open_checked(&checked, 0);
    snprintf(expected, sizeof expected, "process %ld is writing it", (long)getpid());
    pid_t child = fork();
    if (child == 0) {
        int status = verify_checked_open(&second, path, &error);
        _exit(status == RB_EINVAL && strstr(error.text, expected) != NULL ? 0 : 1);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    verify_checked_close(&checked);
    open_checked(&checked, 0);
    verify_checked_close(&checked);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_was_added_is_found_again, make_file, remove_file),
        cmocka_unit_test_setup_teardown(a_line_without_an_end_is_dropped, make_file, remove_file),
        cmocka_unit_test_setup_teardown(lines_of_other_versions_do_not_count, make_file,
                                        remove_file),
        cmocka_unit_test_setup_teardown(damaged_lines_do_not_count, make_file, remove_file),
        cmocka_unit_test_setup_teardown(another_file_is_left_as_it_is, make_file, remove_file),
        cmocka_unit_test_setup_teardown(one_process_writes_at_a_time, make_file, remove_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
