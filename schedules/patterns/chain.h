/* chain.h - the rounds in which blocks move along a chain, from relative rank r to r + 1.
 *
 * Block i is sent by rank r < p - 1 in round r + i, and received by r > 0 in the round before that.
 * Rounds: n + p - 2, where each message is one block; 0 for p = 1. */
#ifndef RB_SCHEDULES_PATTERNS_CHAIN_H
#define RB_SCHEDULES_PATTERNS_CHAIN_H

#include "schedules/plan/plan.h"

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

#endif
