/* allreduce_rabenseifner.c - vectors halved, then doubled, on s shares: on a hypercube, far or near
 * partners first, or on a Bine butterfly.
 *
 * Sources: R. Rabenseifner, Optimization of Collective Reduction Operations, 2004, with the fold of
 * folded.h: s is the largest power of two up to p. Distances double while the vector is halved in
 * Open MPI and MPICH, which is `rabenseifner-doubling`; in `rabenseifner` they halve. `bine`: De
 * Sensi et al. 2025. Rounds: 2 log2 p; 2 floor(log2 p) + 2 if p is no power of two, when two rounds
 * move the whole vector. Volume: 2 n (s - 1) blocks sent per participant, of shares of n blocks
 * each. Commutative operators only. No state per rank.
 *
 * p = 5 (participants: ranks 0, 2, 3, 4). rabenseifner: 1 -> 0; 0 <-> 3, 2 <-> 4 halves; 0 <-> 2, 3
 * <-> 4 quarters; then these two rounds back, and 0 -> 1. rabenseifner-doubling: the halves with 0
 * <-> 2, 3 <-> 4, the quarters with 0 <-> 3, 2 <-> 4. bine: the halves with 0 <-> 2, 3 <-> 4, the
 * quarters with 0 <-> 4, 2 <-> 3. */
#include "schedules/patterns/folded.h"
#include "schedules/plan/plan.h"

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    return rb_shares_init(plan, 2, why, why_size);
}

static int32_t round_by(enum rb_exchange exchange, const struct rb_plan *plan,
                        const struct rb_rank *state, int64_t t, struct rb_op ops[])
{
    const struct rb_folded folded = rb_folded_by(plan->p, exchange);
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

static int32_t halving_round(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                             struct rb_op ops[])
{
    return round_by(RB_HALVING, plan, state, t, ops);
}

static int32_t doubling_round(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                              struct rb_op ops[])
{
    return round_by(RB_DOUBLING, plan, state, t, ops);
}

static int32_t bine_round(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                          struct rb_op ops[])
{
    return round_by(RB_BINE, plan, state, t, ops);
}

RB_ROW(rb_allreduce_rabenseifner, "allreduce", "rabenseifner",
       "recursive halving, then recursive doubling", "Rabenseifner 2004",
       "2 log2 p; 2 floor(log2 p) + 2 if p is no power of two",
       .info.blocks = "blocks in each share, which travel together", .init = init,
       .round = halving_round, .cost = rb_shares_cost);

RB_ROW(rb_allreduce_rabenseifner_doubling, "allreduce", "rabenseifner-doubling",
       "recursive halving, then recursive doubling, near partners first and last",
       "Rabenseifner 2004; Thakur et al. 2005",
       "2 log2 p; 2 floor(log2 p) + 2 if p is no power of two",
       .info.blocks = "blocks in each share, which travel together", .init = init,
       .round = doubling_round, .cost = rb_shares_cost);

RB_ROW(rb_allreduce_bine, "allreduce", "bine", "vectors halved, then doubled, on a Bine butterfly",
       "De Sensi et al. 2025", "2 log2 p; 2 floor(log2 p) + 2 if p is no power of two",
       .info.blocks = "blocks in each share, which travel together", .init = init,
       .round = bine_round, .cost = rb_shares_cost);
