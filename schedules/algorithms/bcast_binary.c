/* bcast_binary.c - the pipelined binary tree: every block goes to the left child, then to the
 * right.
 *
 * Source: textbook. The tree is the complete one: the children of relative rank r are 2r + 1 and
 * 2r + 2. With one port a rank needs two rounds to send a block, so rounds = 2 (n - 1) + l + 1
 * (tree.h), where l, the latest arrival, is about 2 log2 p (tree.h); n rounds for p = 2. Volume:
 * n (p - 1) blocks.
 *
 * p = 5: ranks 1 to 4 get block 0 in rounds 0, 1, 1, 2 (l = 2); n = 2 takes 5 rounds. */
#include "schedules/patterns/tree.h"

static void place(const struct rb_plan *plan, struct rb_rank *state)
{
    const int32_t r = state->relative;
    const int64_t left = 2 * (int64_t)r + 1;
    state->state.number[RB_TREE_ARRIVAL] = rb_binary_arrival(r);
    state->state.number[RB_TREE_PARENT] = (r - 1) / 2;
    state->state.number[RB_TREE_CHILDREN] = (left < plan->p) + (left + 1 < plan->p);
}

static int32_t child(const struct rb_plan *plan, const struct rb_rank *state, int32_t j)
{
    (void)plan;
    return 2 * state->relative + 1 + j;
}

static int32_t round_(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                      struct rb_op ops[])
{
    return rb_tree_round(plan, state, t, child, ops);
}

RB_ROW(rb_bcast_binary, "bcast", "binary", "pipelined complete binary tree", "textbook",
       RB_BINARY_PERIOD " + " RB_BINARY_FIRST RB_BINARY_DEPTH, RB_PIPELINED(""),
       RB_TREE(rb_binary_init, place, round_));
