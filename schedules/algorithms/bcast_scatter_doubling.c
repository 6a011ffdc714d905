/* bcast_scatter_doubling.c - binomial scatter of s shares, then recursive doubling.
 *
 * Source: Thakur, Rabenseifner, Gropp 2005; what MPI libraries take for long messages and powers of
 * two, here with the fold of folded.h for other p: s is the largest power of two up to p. Rounds:
 * 2 log2 p; 2 floor(log2 p) + 1 if p is no power of two, when the last round moves the whole
 * message. Bytes on the longest path: 2 (s - 1)/s of the message, and one more for other p. The
 * doubling brings the root and inner ranks shares that they have already. No state per rank.
 *
 * p = 5 (participants: ranks 0, 2, 3, 4): 0 -> 3 a half; 0 -> 2, 3 -> 4 quarters; 0 <-> 2, 3 <-> 4
 * quarters; 0 <-> 3, 2 <-> 4 halves; 0 -> 1. */
#include "schedules/patterns/folded.h"

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    return rb_shares_init(plan, 1, why, why_size);
}

static int32_t round_(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                      struct rb_op ops[])
{
    const struct rb_folded folded = rb_folded_of(plan->p);
    const int32_t r = state->relative;
    if (t < folded.steps)
        return rb_shares_scatter(plan, &folded, r, folded.participants >> (t + 1), ops);
    if (t < 2 * folded.steps)
        return rb_shares_double(plan, &folded, r, (int32_t)1 << (t - folded.steps), ops);
    return rb_unfold(plan, &folded, r, ops);
}

RB_ROW(rb_bcast_scatter_doubling, "bcast", "scatter-doubling",
       "binomial scatter, then recursive doubling", "Thakur et al. 2005",
       "2 log2 p; 2 floor(log2 p) + 1 if p is no power of two",
       .info.blocks = "blocks in each share, which travel together", .init = init, .round = round_,
       .cost = rb_shares_cost);
