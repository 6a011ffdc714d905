/* bcast_bine_scatter_allgather.c - scatter of s shares on a Bine tree, then doubling on a Bine
 * butterfly.
 *
 * Source: De Sensi et al. 2025; bine.h. Participants as in folded.h: s is the largest power of two
 * up to p. Rounds: 2 log2 p; 2 floor(log2 p) + 1 if p is no power of two, when the last round moves
 * the whole message. Bytes on the longest path: 2 (s - 1)/s of the message, and one more for other
 * p. Volume: s n (p - 1) blocks, optimal: a rank does not get shares that it has from the scatter,
 * where scatter-doubling sends them. No state per rank.
 *
 * Distances double in the scatter, where messages shrink, and halve in the doubling. p = 5
 * (participants: ranks 0, 2, 3, 4): 0 -> 2 a half; 0 -> 4, 2 -> 3 quarters; 0 -> 4, 2 -> 3 the
 * other quarters; 0 -> 2 a half, 3 <-> 4 halves; 0 -> 1. */
#include "schedules/patterns/folded.h"

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    return rb_shares_init(plan, 1, why, why_size);
}

static int32_t round_(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                      struct rb_op ops[])
{
    const struct rb_folded folded = rb_folded_by(plan->p, RB_BINE);
    const int32_t r = state->relative;
    if (t < folded.steps)
        return rb_shares_scatter(plan, &folded, r, folded.participants >> (t + 1), ops);
    if (t < 2 * folded.steps)
        return rb_shares_complete(plan, &folded, r, (int32_t)1 << (t - folded.steps), ops);
    return rb_unfold(plan, &folded, r, ops);
}

RB_ROW(rb_bcast_bine_scatter_allgather, "bcast", "bine-scatter-allgather",
       "scatter on a Bine tree, then doubling on a Bine butterfly", "De Sensi et al. 2025",
       "2 log2 p; 2 floor(log2 p) + 1 if p is no power of two",
       .info.blocks = "blocks in each share, which travel together", .init = init, .round = round_,
       .cost = rb_shares_cost);
