/* chain.c - the pipelined chain: every rank passes every block on to the next rank; in scans after
 * it has combined the block with its own contribution.
 *
 * Source: textbook ("pipeline" in MPI libraries). Rounds: n + p - 2. Volume: n (p - 1) blocks,
 * optimal. Scans keep rank order: data from lower ranks are the left operand. What a rank receives
 * in an exclusive scan is its result; the combination is computed in SRC. No state per rank.
 *
 * p = 3, n = 2: 0 -> 1 block 0; 0 -> 1 block 1, 1 -> 2 block 0; 1 -> 2 block 1. */
#include "schedules/patterns/chain.h"

/* `incoming` is what is done with a block received. */
static int32_t pass_on(const struct rb_plan *plan, int32_t r, int64_t t, enum rb_op_kind incoming,
                       struct rb_op ops[])
{
    const int64_t sent = rb_chain_sent(plan, r, t), received = rb_chain_received(plan, r, t);
    int32_t count = 0;
    if (sent >= 0)
        ops[count++] = rb_root_op(plan, RB_SEND, r + 1, sent, 1);
    if (received >= 0) {
        ops[count] = rb_root_op(plan, incoming, r - 1, received, 1);
        ops[count++].incoming_is_left = incoming == RB_RECV_REDUCE;
    }
    return count;
}

static int32_t bcast_round(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                           struct rb_op ops[])
{
    return pass_on(plan, state->relative, t, RB_RECV, ops);
}

static int32_t scan_round(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                          struct rb_op ops[])
{
    return pass_on(plan, state->rank, t, RB_RECV_REDUCE, ops);
}

static int exscan_init(struct rb_plan *plan, char *why, size_t why_size)
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

#define CHAIN(collective, init_, round_, ordered)                                                  \
    RB_ROW(rb_##collective##_chain, #collective, "chain",                                          \
           "pipelined chain, each rank to the next", "textbook", "n + p - 2", RB_PIPELINED(""),    \
           .init = (init_), .round = (round_), .next = rb_chain_next, .cost = rb_chain_cost,       \
           .pipeline = rb_chain_pipeline, .ordered_for_root_0 = (ordered))

CHAIN(bcast, rb_chain_init, bcast_round, false);
CHAIN(scan, rb_chain_init, scan_round, true);
CHAIN(exscan, exscan_init, exscan_round, true);
