/* chain.h - blocks along a chain of ranks, and directly from each rank to each other. */
#pragma once

#include "schedules/plan/plan.h"

/* ---- The rounds in which blocks move along a chain, from relative rank r to r + 1 ------------ */

/* Block i is sent by rank r < p - 1 in round r + i, and received by r > 0 in the round before
 * that. Rounds: n + p - 2, where each message is one block; 0 for p = 1. */

/* An algorithm's init (for one send and one receive per round), next, cost and pipeline. */
int rb_chain_init(struct rb_plan *plan, char *why, size_t why_size);
int64_t rb_chain_next(const struct rb_plan *plan, const struct rb_rank *state, int64_t t);
double rb_chain_cost(const struct rb_plan *plan, double bytes, double alpha_s,
                     double beta_s_per_byte);
void rb_chain_pipeline(const struct rb_plan *plan, int64_t *per_block, int64_t *fixed);

/* The block that relative rank r sends in round t, or -1. */
static inline int64_t rb_chain_sent(const struct rb_plan *plan, int32_t r, int64_t t)
{
    const int64_t i = t - r;
    return r < plan->p - 1 && 0 <= i && i < plan->n ? i : -1;
}

/* The block that relative rank r receives in round t, or -1. */
static inline int64_t rb_chain_received(const struct rb_plan *plan, int32_t r, int64_t t)
{
    return r > 0 ? rb_chain_sent(plan, r - 1, t) : -1;
}

/* ---- Exclusive scans ------------------------------------------------------------------------- */

/* Rank r sends the content of `from` if r >= least and rank r + h exists, and receives in DST what
 * r - h sends, as a replacement or as the left operand. Writes up to two operations and returns
 * their number. */
static inline int32_t rb_exscan_pass(const struct rb_plan *plan, int32_t r, int32_t h,
                                     int32_t least, enum rb_buffer from, enum rb_op_kind incoming,
                                     struct rb_op ops[])
{
    int32_t count = 0;
    if (r >= least && h < plan->p - r) {
        ops[count] = rb_root_op(plan, RB_SEND, r + h, 0, plan->n);
        ops[count++].at.buffer = from;
    }
    if (r - h >= least) {
        ops[count] = rb_root_op(plan, incoming, r - h, 0, plan->n);
        ops[count++].incoming_is_left = incoming == RB_RECV_REDUCE;
    }
    return count;
}

/* ---- All-to-all without forwarding: every rank sends its data directly to each other rank ---- */

/* The algorithms differ in the partners of a rank in each step.
 *
 * There are `steps` steps 1, 2 ..; k = min(k, p - 1) of them, one per port, make a round. In round
 * 0 a rank also copies its data for itself, so for p = 1 there is one round too. Volume: n (p - 1)
 * blocks sent and received per rank, optimal. A round costs a start-up and one part, so C1 and C2
 * are ceil(steps / k), the latter times n. */

/* The ranks to which a rank sends and from which it receives in a step. A value that is not a rank,
 * or the rank itself, means no message. */
struct rb_peers {
    int64_t to, from;
};
typedef struct rb_peers rb_peers_in(const struct rb_plan *plan, int32_t rank, int64_t step);

/* For the members of an algorithm. */
int rb_direct_init(struct rb_plan *plan, int64_t steps);
int32_t rb_direct_round(const struct rb_plan *plan, int32_t rank, int64_t t, rb_peers_in *peers,
                        struct rb_op ops[]);
/* O(idle steps). */
int64_t rb_direct_next(const struct rb_plan *plan, int32_t rank, int64_t t, rb_peers_in *peers);
double rb_direct_cost(const struct rb_plan *plan, double bytes, double alpha_s,
                      double beta_s_per_byte);
