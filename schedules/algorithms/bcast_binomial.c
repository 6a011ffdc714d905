/* bcast_binomial.c - the binomial tree: the whole message in ceil(log2 p) rounds.
 *
 * Source: textbook; Grama et al. 2003, "one-to-all broadcast"; what MPI libraries take for short
 * messages. Rounds: q = ceil(log2 p). Volume: n (p - 1) blocks. No state per rank.
 *
 * In round t, h = 2^(q-1-t): the relative ranks that are multiples of 2h send all n blocks to the
 * rank h above. p = 5: 0 -> 4; 0 -> 2; 0 -> 1, 2 -> 3. */
#include "schedules/plan/plan.h"

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    return rb_on_one_port(plan, rb_ceil_log2(plan->p), 1, why, why_size);
}

static int32_t round_(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                      struct rb_op ops[])
{
    const int32_t r = state->relative;
    const int32_t h = (int32_t)1 << (plan->rounds - 1 - t);
    const int32_t within = r & (2 * h - 1);
    if (within == h)
        ops[0] = rb_root_op(plan, RB_RECV, r - h, 0, plan->n);
    else if (within == 0 && h < plan->p - r)
        ops[0] = rb_root_op(plan, RB_SEND, r + h, 0, plan->n);
    else
        return 0;
    return 1;
}

RB_ROW(rb_bcast_binomial, "bcast", "binomial", "binomial tree, the whole message at once",
       "textbook; Grama et al. 2003", "ceil(log2 p)", RB_AT_ONCE, .init = init, .round = round_,
       .cost = rb_cost_of_all);
