/* test_counterexample.c - verify --counterexample with wrong algorithms, which a library adds: what
 * led to the fault. */
#define _POSIX_C_SOURCE 200809L /* mkstemp */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "command/verbs.h"
#include "schedules/plan/plan.h"

/* The circulant broadcast, but in round 3 rank 2 sends the block after the right one. */
static int32_t other_block(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                           struct rb_op ops[])
{
    const int32_t count = rb_bcast_circulant.round(plan, state, t, ops);
    if (t == 3 && state->rank == 2 && count > 0)
        ops[0].at.first++;
    return count;
}

/* The circulant reduction, but rank 5 sends nothing in round 1, and nobody waits for it. */
static int32_t lost(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                    struct rb_op ops[])
{
    const int32_t count = rb_reduce_circulant.round(plan, state, t, ops);
    int32_t kept = 0;
    for (int32_t i = 0; i < count; i++)
        if (t != 1 || !((ops[i].kind == RB_SEND && state->rank == 5) ||
                        (ops[i].kind == RB_RECV_REDUCE && ops[i].peer == 5)))
            ops[kept++] = ops[i];
    return kept;
}

static char story[4096];
static const struct rb_algorithm *algorithms[2];
static struct rb_algorithm wrong_bcast, wrong_reduce;

static int64_t next_busy(const struct rb_plan *plan, const struct rb_rank *state, int64_t t)
{
    struct rb_op ops[16];
    while (t < plan->rounds && plan->algorithm->round(plan, state, t, ops) == 0)
        t++;
    return t;
}

static int add_wrong_algorithms(void **state)
{
    static const struct rb_library library = {
        .name = "wrong", .release = RB_VERSION, .algorithms = 2, .algorithm = algorithms};
    (void)state;
    wrong_bcast = rb_bcast_circulant;
    wrong_bcast.info.name = "other-block";
    wrong_bcast.round = other_block;
    wrong_bcast.next = next_busy;
    wrong_reduce = rb_reduce_circulant;
    wrong_reduce.info.name = "lost";
    wrong_reduce.round = lost;
    wrong_reduce.next = next_busy;
    algorithms[0] = &wrong_bcast;
    algorithms[1] = &wrong_reduce;
    char why[200];
    return rb_library_add(&library, why, sizeof why);
}

static int lines(void)
{
    int count = 0;
    for (const char *at = story; *at != '\0'; at++)
        count += *at == '\n';
    return count;
}

/* Verifies plans of the algorithm; what led to the first fault is in story. */
static int verify(const char *collective, const char *algorithm, const char *p)
{
    char path[] = "/tmp/counterexample-XXXXXX";
    char *line[] = {"--collective",
                    (char *)(uintptr_t)collective,
                    "--algorithm",
                    (char *)(uintptr_t)algorithm,
                    "-p",
                    (char *)(uintptr_t)p,
                    "-n",
                    "4",
                    "--root",
                    "0",
                    "--counterexample",
                    path};
    close(mkstemp(path));
    remove(path);
    const int status = cli_verb_main(&verb_verify, sizeof line / sizeof line[0], line);
    FILE *file = fopen(path, "r");
    story[0] = '\0';
    if (file != NULL) {
        story[fread(story, 1, sizeof story - 1, file)] = '\0';
        fclose(file);
        remove(path);
    }
    return status;
}

static void expect(const char *says)
{
    if (strstr(story, says) == NULL)
        fail_msg("this does not say \"%s\":\n%s", says, story);
}

static void a_block_that_is_not_the_announced_one(void **state)
{
    (void)state;
    assert_int_equal(verify("bcast", "other-block", "9..17"), CLI_EXIT_FALSE);
    expect("bcast other-block, p = 9, n = 4, root 0: round 3: rank 2 sends block ");
    expect("\nRank 2:\n    round  does\n");
    expect("\nThe way of block ");
    assert_true(lines() <= 50);
}

static void a_contribution_that_gets_lost(void **state)
{
    (void)state;
    assert_int_equal(verify("reduce", "lost", "17"), CLI_EXIT_FALSE);
    expect("lacks the contribution of rank ");
    expect(
        " with the contribution of rank 5 until then:\n    round  from rank    to rank\n  none\n");
    expect("\nRank 0:\n");
    expect("\nRank 5:\n"); /* whose contribution it is */
    assert_true(lines() <= 50);
}

/* Standard output takes both the table and what led to the fault. */
static void on_standard_output(void **state)
{
    char *line[] = {"--algorithm", "other-block", "-p", "9", "-n", "4", "--counterexample", "-"};
    char *twice[] = {"--algorithm", "other-block",      "-p",        "9", "-o",
                     "/tmp/twice",  "--counterexample", "/tmp/twice"};
    (void)state;
    assert_int_equal(cli_verb_main(&verb_verify, 8, line), CLI_EXIT_FALSE);
    assert_int_equal(cli_verb_main(&verb_verify, 8, twice), CLI_EXIT_USAGE);
}

static void right_plans_leave_no_file(void **state)
{
    (void)state;
    assert_int_equal(verify("bcast", "circulant", "9"), CLI_EXIT_DONE);
    assert_string_equal(story, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_that_is_not_the_announced_one),
        cmocka_unit_test(a_contribution_that_gets_lost),
        cmocka_unit_test(on_standard_output),
        cmocka_unit_test(right_plans_leave_no_file),
    };
    return cmocka_run_group_tests(tests, add_wrong_algorithms, NULL);
}
