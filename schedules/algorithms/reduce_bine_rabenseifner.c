/* reduce_bine_rabenseifner.c - vectors halved on a Bine butterfly, then a gather of the s shares on
 * a Bine tree.
 *
 * Source: De Sensi et al. 2025; bine.h. Participants as in folded.h: s is the largest power of two
 * up to p. Rounds: 2 log2 p; 2 floor(log2 p) + 1 if p is no power of two, when one round moves the
 * whole vector. Commutative operators only. No state per rank.
 *
 * Distances double while the vector is halved, and halve in the gather. p = 5, root 0
 * (participants: ranks 0, 2, 3, 4): 1 -> 0; 0 <-> 2, 3 <-> 4 halves; 0 <-> 4, 2 <-> 3 quarters; 4
 * -> 0, 3 -> 2 quarters; 2 -> 0 a half. */
#include "schedules/patterns/folded.h"

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    return rb_shares_init(plan, 1, why, why_size);
}

static int32_t round_(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                      struct rb_op ops[])
{
    const struct rb_folded folded = rb_folded_bine(plan->p);
    const int64_t step = folded.folded > 0 ? t - 1 : t;
    const int32_t r = state->relative;
    if (step < 0)
        return rb_fold(plan, &folded, r, ops);
    if (step < folded.steps)
        return rb_shares_halve(plan, &folded, r, folded.participants >> (step + 1), ops);
    return rb_shares_gather(plan, &folded, r, (int32_t)1 << (step - folded.steps), ops);
}

const struct rb_algorithm rb_reduce_bine_rabenseifner = {
    .info = {.collective = "reduce",
             .name = "bine-rabenseifner",
             .title = "halving on a Bine butterfly, then a gather on a Bine tree",
             .paper = "De Sensi et al. 2025",
             .rounds = "2 log2 p; 2 floor(log2 p) + 1 if p is no power of two",
             .blocks = "blocks in each share, which travel together"},
    .init = init,
    .round = round_,
    .cost = rb_shares_cost,
};
