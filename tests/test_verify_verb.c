/* test_verify_verb.c - what the verb verify does when something is wrong. All our plans are right,
 * so the verifier is replaced (ld --wrap) by one that finds fault with what the test names. */
#define _POSIX_C_SOURCE 200809L /* fileno, dup2 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "experiments/command/options.h"
#include "roundabout.h"

static int32_t wrong_from_p; /* everything with at least so many ranks is found wrong */

int __wrap_rb_verify_schedule(int32_t p, struct rb_schedule_room *room, struct rb_verdict *verdict);
int __wrap_rb_verify_plan(const struct rb_plan *plan, const struct rb_layout *layout,
                          struct rb_verdict *verdict);

static int find(int32_t p, struct rb_verdict *verdict)
{
    *verdict = (struct rb_verdict){.rounds = 1};
    if (p < wrong_from_p)
        return RB_OK;
    snprintf(verdict->what, sizeof verdict->what, "block 7 went astray");
    return RB_EWRONG;
}

int __wrap_rb_verify_schedule(int32_t p, struct rb_schedule_room *room, struct rb_verdict *verdict)
{
    (void)room;
    return find(p, verdict);
}

int __wrap_rb_verify_plan(const struct rb_plan *plan, const struct rb_layout *layout,
                          struct rb_verdict *verdict)
{
    (void)layout;
    return find(rb_plan_ranks(plan), verdict);
}

/* Runs the verb; its standard error is in errors. */
static char errors[8192];

static int verify(int argc, char *argv[])
{
    FILE *capture = tmpfile();
    assert_non_null(capture);
    fflush(stderr);
    int kept = dup(STDERR_FILENO);
    dup2(fileno(capture), STDERR_FILENO);
    int status = rb_verb_main(&rb_verb_verify, argc, argv);
    fflush(stderr);
    dup2(kept, STDERR_FILENO);
    close(kept);
    rewind(capture);
    errors[fread(errors, 1, sizeof errors - 1, capture)] = '\0';
    fclose(capture);
    return status;
}

static void a_wrong_schedule_is_named_with_its_command(void **state)
{
    char *jobs[] = {"--schedules", "-p", "1..40", "--jobs", "1"};
    (void)state;
    wrong_from_p = 33;
    assert_int_equal(verify(5, jobs), RB_EXIT_FALSE);
    assert_non_null(strstr(errors, "wrong: schedules for p = 33: block 7 went astray\n"));
    assert_non_null(strstr(errors, "repeat it: roundabout verify --schedules -p 33\n"));
    assert_null(strstr(errors, "p = 34")); /* it stops at the first */
}

static void several_workers_name_a_wrong_schedule_too(void **state)
{
    char *jobs[] = {"--schedules", "-p", "33..40", "--jobs", "3"};
    (void)state;
    wrong_from_p = 33;
    assert_int_equal(verify(5, jobs), RB_EXIT_FALSE);
    assert_non_null(strstr(errors, "block 7 went astray"));
}

static void wrong_plans_are_counted_and_the_first_shown(void **state)
{
    char *line[] = {"--algorithm", "chain", "-p", "5..8", "-n", "2,3", "--root", "0,last"};
    (void)state;
    wrong_from_p = 7;
    assert_int_equal(verify(8, line), RB_EXIT_FALSE);
    assert_non_null(
        strstr(errors, "wrong: bcast chain, p = 7, n = 2, root 0: block 7 went astray\n"));
    assert_non_null(strstr(errors, "repeat it: roundabout verify --collective bcast --algorithm "
                                   "chain -p 7 -n 3 --root 6 --ports 1\n"));
    assert_non_null(strstr(errors, "and 3 more\n")); /* of 8 */
}

static void right_ones_are_silent(void **state)
{
    char *line[] = {"-p", "5..8"};
    (void)state;
    wrong_from_p = 9;
    assert_int_equal(verify(2, line), RB_EXIT_DONE);
    assert_string_equal(errors, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wrong_schedule_is_named_with_its_command),
        cmocka_unit_test(several_workers_name_a_wrong_schedule_too),
        cmocka_unit_test(wrong_plans_are_counted_and_the_first_shown),
        cmocka_unit_test(right_ones_are_silent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
