/* bcast_chain.c - the pipelined chain: every rank passes every block on to the next.
 *
 * Source: textbook ("pipeline" in MPI libraries). Rounds: n + p - 2. Volume: n (p - 1) blocks.
 * No state per rank.
 *
 * p = 3, n = 2: 0 -> 1 block 0; 0 -> 1 block 1, 1 -> 2 block 0; 1 -> 2 block 1. */
#include "schedules/patterns/chain.h"

static int32_t round_(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                      struct rb_op ops[])
{
    const int32_t r = state->relative;
    const int64_t sent = rb_chain_sent(plan, r, t), received = rb_chain_received(plan, r, t);
    int32_t count = 0;
    if (sent >= 0)
        ops[count++] = rb_root_op(plan, RB_SEND, r + 1, sent, 1);
    if (received >= 0)
        ops[count++] = rb_root_op(plan, RB_RECV, r - 1, received, 1);
    return count;
}

RB_ROW(rb_bcast_chain, "bcast", "chain", "pipelined chain, each rank to the next", "textbook",
       "n + p - 2", RB_PIPELINED(""), .init = rb_chain_init, .round = round_, .next = rb_chain_next,
       .cost = rb_chain_cost, .pipeline = rb_chain_pipeline);
