/* reduce_rabenseifner.c - vectors halved, then the s shares gathered on a binomial tree: on a
 * hypercube, far or near partners first, or on a Bine butterfly and a Bine tree.
 *
 * Sources: R. Rabenseifner, Optimization of Collective Reduction Operations, 2004, with the fold of
 * folded.h: s is the largest power of two up to p. Distances double while the vector is halved in
 * Open MPI and MPICH, which is `rabenseifner-doubling`; in `rabenseifner` they halve.
 * `bine-rabenseifner`: De Sensi et al. 2025. Rounds: 2 log2 p; 2 floor(log2 p) + 1 if p is no power
 * of two, when one round moves the whole vector. Commutative operators only. No state per rank.
 *
 * p = 5, root 0 (participants: ranks 0, 2, 3, 4). rabenseifner: 1 -> 0; 0 <-> 3, 2 <-> 4 halves; 0
 * <-> 2, 3 <-> 4 quarters; 2 -> 0, 4 -> 3 quarters; 3 -> 0 a half. bine-rabenseifner: 1 -> 0; 0 <->
 * 2, 3
 * <-> 4 halves; 0 <-> 4, 2 <-> 3 quarters; 4 -> 0, 3 -> 2 quarters; 2 -> 0 a half. */
#include "schedules/patterns/folded.h"
#include "schedules/plan/plan.h"

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    return rb_shares_init(plan, 1, why, why_size);
}

static int32_t round_by(enum rb_exchange exchange, const struct rb_plan *plan,
                        const struct rb_rank *state, int64_t t, struct rb_op ops[])
{
    const struct rb_folded folded = rb_folded_by(plan->p, exchange);
    const int64_t step = folded.folded > 0 ? t - 1 : t;
    const int32_t r = state->relative;
    if (step < 0)
        return rb_fold(plan, &folded, r, ops);
    if (step < folded.steps)
        return rb_shares_halve(plan, &folded, r, folded.participants >> (step + 1), ops);
    return rb_shares_gather(plan, &folded, r, (int32_t)1 << (step - folded.steps), ops);
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

RB_ROW(rb_reduce_rabenseifner, "reduce", "rabenseifner",
       "recursive halving, then a binomial gather", "Rabenseifner 2004",
       "2 log2 p; 2 floor(log2 p) + 1 if p is no power of two",
       .info.blocks = "blocks in each share, which travel together", .init = init,
       .round = halving_round, .cost = rb_shares_cost);

RB_ROW(rb_reduce_rabenseifner_doubling, "reduce", "rabenseifner-doubling",
       "recursive halving, near partners first, then a binomial gather",
       "Rabenseifner 2004; Thakur et al. 2005",
       "2 log2 p; 2 floor(log2 p) + 1 if p is no power of two",
       .info.blocks = "blocks in each share, which travel together", .init = init,
       .round = doubling_round, .cost = rb_shares_cost);

RB_ROW(rb_reduce_bine_rabenseifner, "reduce", "bine-rabenseifner",
       "halving on a Bine butterfly, then a gather on a Bine tree", "De Sensi et al. 2025",
       "2 log2 p; 2 floor(log2 p) + 1 if p is no power of two",
       .info.blocks = "blocks in each share, which travel together", .init = init,
       .round = bine_round, .cost = rb_shares_cost);
