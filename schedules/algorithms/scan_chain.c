/* scan_chain.c - the pipelined chain: every rank combines each block with that of the preceding
 * rank, and sends the result to the next rank.
 *
 * Source: textbook. Rounds: n + p - 2. Volume: n (p - 1) blocks, optimal. Rank order is kept: data
 * from lower ranks are the left operand. No state per rank.
 *
 * p = 3, n = 2: 0 -> 1 block 0; 0 -> 1 block 1, 1 -> 2 block 0; 1 -> 2 block 1. */
#include "schedules/patterns/chain.h"

static int32_t round_(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                      struct rb_op ops[])
{
    const int32_t r = state->rank;
    const int64_t sent = rb_chain_sent(plan, r, t), received = rb_chain_received(plan, r, t);
    int32_t count = 0;
    if (sent >= 0)
        ops[count++] = rb_root_op(plan, RB_SEND, r + 1, sent, 1);
    if (received >= 0) {
        ops[count] = rb_root_op(plan, RB_RECV_REDUCE, r - 1, received, 1);
        ops[count++].incoming_is_left = true;
    }
    return count;
}

RB_ROW(rb_scan_chain, "scan", "chain", "pipelined chain, each rank to the next", "textbook",
       "n + p - 2", RB_PIPELINED(""), .init = rb_chain_init, .round = round_, .next = rb_chain_next,
       .cost = rb_chain_cost, .pipeline = rb_chain_pipeline, .ordered_for_root_0 = true);

/* ---- The pipelined chain --------------------------------------------------------------------- */

/* The data that a rank receives are its result; it combines them with its own contribution and
 * sends them to the next rank.
 *
 * Source: textbook. Rounds: n + p - 2. Volume: n (p - 1) blocks, optimal. Rank order is kept: data
 * from lower ranks are the left operand. No state per rank. The combination is computed in SRC.
 *
 * p = 3, n = 2: 0 -> 1 block 0; 0 -> 1 block 1, 1 -> 2 block 0; 1 -> 2 block 1. */

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    const int status = rb_chain_init(plan, why, why_size);
    plan->max_ops = 3;
    return status;
}

static int32_t exscan_round(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                            struct rb_op ops[])
{
    const int32_t r = state->rank;
    const int64_t sent = rb_chain_sent(plan, r, t), received = rb_chain_received(plan, r, t);
    int32_t count = 0;
    if (sent >= 0) {
        ops[count] = rb_root_op(plan, RB_SEND, r + 1, sent, 1);
        ops[count++].at.buffer = RB_SRC;
    }
    if (received < 0)
        return count;
    ops[count++] = rb_root_op(plan, RB_RECV, r - 1, received, 1);
    if (r == plan->p - 1)
        return count;
    ops[count] = rb_root_op(plan, RB_REDUCE, r, received, 1);
    ops[count].from = ops[count].at;
    ops[count].at.buffer = RB_SRC;
    ops[count++].incoming_is_left = true;
    return count;
}

RB_ROW(rb_exscan_chain, "exscan", "chain", "pipelined chain, each rank to the next", "textbook",
       "n + p - 2", RB_PIPELINED(""), .init = init, .round = exscan_round, .next = rb_chain_next,
       .cost = rb_chain_cost, .pipeline = rb_chain_pipeline, .ordered_for_root_0 = true);
