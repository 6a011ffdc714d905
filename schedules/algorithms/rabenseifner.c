/* rabenseifner.c - vectors halved on s shares, on a hypercube, far or near partners first, or on a
 * Bine butterfly; then doubled, or in a reduction gathered on a binomial or a Bine tree.
 *
 * Sources: R. Rabenseifner, Optimization of Collective Reduction Operations, 2004, with the fold of
 * folded.h: s is the largest power of two up to p. Distances double while the vector is halved in
 * Open MPI and MPICH, which is `rabenseifner-doubling`; in `rabenseifner` they halve. `bine` and
 * `bine-rabenseifner`: De Sensi et al. 2025. Rounds: 2 log2 p; if p is no power of two, two more
 * than 2 floor(log2 p), which move the whole vector, in a reduction one. Volume of an allreduce:
 * 2 n (s - 1) blocks sent per participant, of shares of n blocks each. Commutative operators only.
 * No state per rank.
 *
 * p = 5, root 0 (participants: ranks 0, 2, 3, 4). rabenseifner: 1 -> 0; 0 <-> 3, 2 <-> 4 halves;
 * 0 <-> 2, 3 <-> 4 quarters; then of an allreduce these two rounds back, and 0 -> 1; of a reduction
 * 2 -> 0, 4 -> 3 quarters, 3 -> 0 a half. rabenseifner-doubling: the halves with 0 <-> 2, 3 <-> 4,
 * the quarters with 0 <-> 3, 2 <-> 4. bine: the halves with 0 <-> 2, 3 <-> 4, the quarters with
 * 0 <-> 4, 2 <-> 3; of a reduction then 4 -> 0, 3 -> 2 quarters, 2 -> 0 a half. */
#include "schedules/patterns/folded.h"
#include "schedules/plan/plan.h"

static int allreduce_init(struct rb_plan *plan, char *why, size_t why_size)
{
    return rb_shares_init(plan, 2, why, why_size);
}

static int reduce_init(struct rb_plan *plan, char *why, size_t why_size)
{
    return rb_shares_init(plan, 1, why, why_size);
}

static int32_t round_by(enum rb_exchange exchange, const struct rb_plan *plan,
                        const struct rb_rank *state, int64_t t, struct rb_op ops[])
{
    const struct rb_folded folded = rb_folded_by(plan->p, exchange);
    const bool to_root = plan->collective->info.rooted;
    const int64_t step = folded.folded > 0 ? t - 1 : t;
    const int32_t r = to_root ? state->relative : state->rank;
    if (step < 0)
        return rb_fold(plan, &folded, r, ops);
    if (step < folded.steps)
        return rb_shares_halve(plan, &folded, r, folded.participants >> (step + 1), ops);
    if (to_root)
        return rb_shares_gather(plan, &folded, r, (int32_t)1 << (step - folded.steps), ops);
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

#define ALLREDUCE(symbol, name, title, paper, round_)                                              \
    RB_ROW(symbol, "allreduce", name, title, paper,                                                \
           "2 log2 p; 2 floor(log2 p) + 2 if p is no power of two",                                \
           .info.blocks = "blocks in each share, which travel together", .init = allreduce_init,   \
           .round = (round_), .cost = rb_shares_cost)

ALLREDUCE(rb_allreduce_rabenseifner, "rabenseifner", "recursive halving, then recursive doubling",
          "Rabenseifner 2004", halving_round);
ALLREDUCE(rb_allreduce_rabenseifner_doubling, "rabenseifner-doubling",
          "recursive halving, then recursive doubling, near partners first and last",
          "Rabenseifner 2004; Thakur et al. 2005", doubling_round);
ALLREDUCE(rb_allreduce_bine, "bine", "vectors halved, then doubled, on a Bine butterfly",
          "De Sensi et al. 2025", bine_round);

#define REDUCE(symbol, name, title, paper, round_)                                                 \
    RB_ROW(symbol, "reduce", name, title, paper,                                                   \
           "2 log2 p; 2 floor(log2 p) + 1 if p is no power of two",                                \
           .info.blocks = "blocks in each share, which travel together", .init = reduce_init,      \
           .round = (round_), .cost = rb_shares_cost)

REDUCE(rb_reduce_rabenseifner, "rabenseifner", "recursive halving, then a binomial gather",
       "Rabenseifner 2004", halving_round);
REDUCE(rb_reduce_rabenseifner_doubling, "rabenseifner-doubling",
       "recursive halving, near partners first, then a binomial gather",
       "Rabenseifner 2004; Thakur et al. 2005", doubling_round);
REDUCE(rb_reduce_bine_rabenseifner, "bine-rabenseifner",
       "halving on a Bine butterfly, then a gather on a Bine tree", "De Sensi et al. 2025",
       bine_round);
