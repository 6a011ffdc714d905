/* allreduce_bine.c - vectors halved, then doubled, on a Bine butterfly.
 *
 * Source: De Sensi et al. 2025; bine.h. Participants as in folded.h: s is the largest power of two
 * up to p. Rounds: 2 log2 s; two more if p is no power of two, which move the whole vector. Volume:
 * 2 n (s - 1) blocks sent per participant, of shares of n blocks each. Commutative operators only.
 * No state per rank.
 *
 * Distances grow while the vector is halved and shrink while it is doubled, so that long messages
 * have a short way; rabenseifner does the opposite. p = 5 (participants: ranks 0, 2, 3, 4): 1 -> 0;
 * 0
 * <-> 2, 3 <-> 4 halves; 0 <-> 4, 2 <-> 3 quarters; then these two rounds back, and 0 -> 1. */
#include "schedules/patterns/folded.h"

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    return rb_shares_init(plan, 2, why, why_size);
}

static int32_t round_(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                      struct rb_op ops[])
{
    const struct rb_folded folded = rb_folded_bine(plan->p);
    const int64_t step = folded.folded > 0 ? t - 1 : t;
    const int32_t r = state->rank;
    if (step < 0)
        return rb_fold(plan, &folded, r, ops);
    if (step < folded.steps)
        return rb_shares_halve(plan, &folded, r, folded.participants >> (step + 1), ops);
    if (step < 2 * folded.steps)
        return rb_shares_double(plan, &folded, r, (int32_t)1 << (step - folded.steps), ops);
    return rb_unfold(plan, &folded, r, ops);
}

const struct rb_algorithm rb_allreduce_bine = {
    .info = {.collective = "allreduce",
             .name = "bine",
             .title = "vectors halved, then doubled, on a Bine butterfly",
             .paper = "De Sensi et al. 2025",
             .rounds = "2 log2 p; 2 floor(log2 p) + 2 if p is no power of two",
             .blocks = "blocks in each share, which travel together"},
    .init = init,
    .round = round_,
    .cost = rb_shares_cost,
};
