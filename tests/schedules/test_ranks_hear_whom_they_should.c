/* The algorithms of the last years against what their papers and libraries say: whom a rank hears
 * in each round, and of whose data. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "roundabout.h"

/* What `rank` receives: rounds after ";", the peer of a message, then ":" and the owners of the
 * data, or, for data of one owner, the first block and how many. */
static void describe(const struct rb_plan *plan, int32_t rank, char text[], size_t size)
{
    struct rb_op *ops = calloc((size_t)rb_plan_max_ops(plan), sizeof *ops);
    struct rb_rank state;
    size_t used = 0;
    assert_non_null(ops);
    rb_plan_rank(plan, rank, &state);
    for (int64_t t = 0; t < rb_plan_rounds(plan); t++) {
        const int32_t count = rb_plan_round(plan, &state, t, ops);
        int32_t peer = -1;
        used += (size_t)snprintf(text + used, size - used, t == 0 ? "" : ";");
        for (int32_t i = 0; i < count; i++) {
            if (ops[i].kind != RB_RECV && ops[i].kind != RB_RECV_REDUCE)
                continue;
            if (ops[i].peer != peer)
                used += (size_t)snprintf(text + used, size - used, " %d:", (int)ops[i].peer);
            peer = ops[i].peer;
            if (rb_plan_owners(plan) > 1)
                used += (size_t)snprintf(text + used, size - used, " %d", (int)ops[i].at.owner);
            else
                used += (size_t)snprintf(text + used, size - used, " %d+%d", (int)ops[i].at.first,
                                         (int)ops[i].at.count);
            assert_true(used < size);
        }
    }
    free(ops);
}

static void ranks_hear_whom_they_should(void **state)
{
    (void)state;
    static const struct {
        struct rb_plan_spec spec;
        int32_t rank;
        const char *heard;
    } known[] = {
        /* NCCL 2.30, PatAGAlgorithm: with 8 steps between data that move together, the order of
         * steps is 4 6 7 5 2 3 1. */
        {{"allgather", "pat", .p = 16, .n = 1, .radix = 2},
         0,
         " 8: 8; 4: 4 12; 2: 6 14; 1: 7 15; 1: 5 13; 2: 2 10; 1: 3 11; 1: 1 9"},
        {{"allgather", "pat", .p = 7, .n = 1}, 2, " 6: 6; 4: 4 1; 3: 3 5 0"},
        /* Swing's distances 1, -1, 3, -5, 11; an odd rank's are the others'; halves, quarters, ..
         */
        {{"allreduce", "swing-doubling", .p = 32, .n = 1, .radix = 32},
         0,
         " 1: 0+1; 31: 0+1; 3: 0+1; 27: 0+1; 11: 0+1"},
        {{"allreduce", "swing-doubling", .p = 32, .n = 1, .radix = 32},
         5,
         " 4: 0+1; 6: 0+1; 2: 0+1; 10: 0+1; 26: 0+1"},
        /* Two ports of a ring: the second part goes the other way round. */
        {{"allreduce", "swing-doubling", .p = 8, .n = 1, .radix = 8, .ports = 3},
         0,
         " 1: 0+1 7: 1+1; 7: 0+1 1: 1+1; 3: 0+1 5: 1+1"},
        /* Four ports of a torus of 4 x 4: both dimensions, then both again. */
        {{"allreduce", "swing-doubling", .p = 16, .n = 1, .ports = 4},
         0,
         " 1: 0+1 4: 1+1 3: 2+1 12: 3+1; 4: 0+1 1: 1+1 12: 2+1 3: 3+1; 3: 0+1 12: 1+1 1: 2+1 4: "
         "3+1; 12: 0+1 3: 1+1 4: 2+1 1: 3+1"},
        {{"allreduce", "swing", .p = 4, .n = 1, .radix = 4}, 0, " 1: 0+2; 3: 0+1; 3: 1+1; 1: 2+2"},
        /* Both ranks at distances 1, 3, 9, modulo p. */
        {{"allreduce", "trivance", .p = 27, .n = 1, .ports = 2},
         1,
         " 0: 0+1 2: 0+1; 25: 0+1 4: 0+1; 19: 0+1 10: 0+1"},
        /* Groups of 3, then their places of 3; p = 11 has 9 that take part, 0 and 2 with a member.
         */
        {{"allgather", "recursive-multiplying", .p = 9, .n = 1, .ports = 2, .radix = 3},
         4,
         " 3: 3 5: 5; 1: 0 1 2 7: 6 7 8"},
        {{"allgather", "recursive-multiplying", .p = 11, .n = 1, .ports = 2, .radix = 3},
         4,
         "; 2: 2 3 0: 0 1; 10: 8 9 10 7: 5 6 7;"},
        {{"allreduce", "recursive-multiplying", .p = 16, .n = 1, .ports = 3},
         0,
         " 3: 0+1 2: 0+1 1: 0+1; 12: 0+1 8: 0+1 4: 0+1"},
        /* Two rings of 3: data come over from the other ring before they go round. */
        {{"allgather", "k-ring", .p = 6, .n = 1, .radix = 3}, 1, " 0: 0; 0: 2; 4: 4; 0: 3; 0: 5"},
        /* Rings 0 1 2 3 4 5, 1 2 0 4 5 3 and 2 0 1 5 3 4; and 0 1 2 3 and 1 0 3 2. */
        {{"allgather", "multi-ring", .p = 6, .n = 1, .ports = 3, .groups = "3"},
         3,
         " 2: 2 5: 5 5; 2: 1 5: 4 1; 2: 0 5: 0 0; 2: 5 5: 2 2; 2: 4 5: 1 4"},
        {{"bcast", "multi-ring", .p = 4, .n = 2, .ports = 2, .groups = "2"},
         3,
         " 0: 2+1; 0: 3+1; 2: 0+1; 2: 1+1"},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        struct rb_plan *plan;
        char text[512], why[160];
        if (rb_plan_create(&known[i].spec, &plan, why, sizeof why) != RB_OK)
            fail_msg("%s", why);
        describe(plan, known[i].rank, text, sizeof text);
        if (strcmp(text, known[i].heard) != 0)
            fail_msg("%s %s, p = %d, rank %d hears\n%s\nand should hear\n%s",
                     known[i].spec.collective, known[i].spec.algorithm, (int)known[i].spec.p,
                     (int)known[i].rank, text, known[i].heard);
        rb_plan_destroy(plan);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(ranks_hear_whom_they_should)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
