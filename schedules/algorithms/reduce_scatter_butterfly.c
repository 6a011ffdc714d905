/* reduce_scatter_butterfly.c - recursive halving with near ranks first, which keeps rank order;
 * then every result goes to the rank whose number has the bits in reverse.
 *
 * Source: J. L. Traeff, An Improved Algorithm for (Non-commutative) Reduce-Scatter with an
 * Application, 2005; Open MPI's algorithm `butterfly` (coll/base), which folds even ranks into odd
 * ones where folded.h folds odd ranks into even ones. Each participant i has the results for ranks
 * it stands for (folded.h), its share. In step j participants i and i xor 2^j halve the range of
 * shares that both have: the one without bit j keeps the lower half. At the end participant i has
 * the share of the participant u that has the bits of i in reverse order, and sends u its result;
 * then it sends the result of the rank that is folded into u to that rank. Rounds: log2 p + 1, 1
 * for p = 2; if p is no power of two, two more, one of which moves all data. Volume: (p - 1)/p of
 * the data sent per rank and at most one result more, for p = 2^d. No state per rank.
 *
 * p = 5 (participants: ranks 0, 2, 3, 4): 1 -> 0 all; 0 <-> 2, 3 <-> 4: 0 and 3 keep the shares of
 * ranks 0, 1, 2, the others those of 3 and 4; 0 <-> 3: 0 keeps the share of 0, 3 that of 2; 2 <->
 * 4: 2 keeps that of 3; 2 <-> 3 their results; 0 -> 1. */
#include "schedules/patterns/folded.h"

/* The rounds: folding, halving, exchanging results, unfolding. */
struct phases {
    int32_t fold, halve, swap, unfold;
};
static struct phases phases_of(const struct rb_folded *folded)
{
    const int32_t fold = folded->folded > 0 ? 1 : 0;
    return (struct phases){fold, folded->steps, folded->steps > 1 ? 1 : 0, fold};
}

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    const struct rb_folded folded = rb_folded_of(plan->p);
    const struct phases phases = phases_of(&folded);
    return rb_on_one_port(plan, phases.fold + phases.halve + phases.swap + phases.unfold, plan->p,
                          why, why_size);
}

static int32_t reverse(const struct rb_folded *folded, int32_t i)
{
    int32_t reversed = 0;
    for (int32_t step = 0; step < folded->steps; step++, i >>= 1)
        reversed = 2 * reversed + (i & 1);
    return reversed;
}

static struct rb_op move(const struct rb_plan *plan, enum rb_op_kind kind, int32_t rank,
                         int32_t peer, int32_t owner)
{
    return (struct rb_op){.kind = kind,
                          .peer = peer,
                          .incoming_is_left = kind == RB_RECV_REDUCE && peer < rank,
                          .at = {RB_DST, owner, 0, plan->n}};
}

/* `many` shares from share `first` on. */
static int32_t shares(const struct rb_plan *plan, const struct rb_folded *folded,
                      enum rb_op_kind kind, int32_t rank, int32_t peer, int32_t first, int32_t many,
                      struct rb_op ops[])
{
    const int32_t end = rb_folded_rank(folded, first + many);
    int32_t count = 0;
    for (int32_t owner = rb_folded_rank(folded, first); owner < end; owner++)
        ops[count++] = move(plan, kind, rank, peer, owner);
    return count;
}

static int32_t halve(const struct rb_plan *plan, const struct rb_folded *folded, int32_t rank,
                     int32_t i, int32_t step, struct rb_op ops[])
{
    const int32_t bit = (int32_t)1 << step, half = folded->participants >> (step + 1);
    const int32_t first = reverse(folded, i & (bit - 1)); /* of the range of both */
    const int32_t kept = (i & bit) == 0 ? first : first + half;
    const int32_t peer = rb_folded_rank(folded, i ^ bit);
    const int32_t sent =
        shares(plan, folded, RB_SEND, rank, peer, 2 * first + half - kept, half, ops);
    return sent + shares(plan, folded, RB_RECV_REDUCE, rank, peer, kept, half, ops + sent);
}

static int32_t swap(const struct rb_plan *plan, const struct rb_folded *folded, int32_t rank,
                    int32_t i, struct rb_op ops[])
{
    const int32_t peer = rb_folded_rank(folded, reverse(folded, i));
    if (peer == rank)
        return 0;
    ops[0] = move(plan, RB_SEND, rank, peer, peer);
    ops[1] = move(plan, RB_RECV, rank, peer, rank);
    return 2;
}

static int32_t fold(const struct rb_plan *plan, const struct rb_folded *folded, int32_t rank,
                    struct rb_op ops[])
{
    if (rank >= 2 * folded->folded)
        return 0;
    return shares(plan, folded, rank % 2 == 0 ? RB_RECV_REDUCE : RB_SEND, rank, rank ^ 1, 0,
                  folded->participants, ops);
}

static int32_t unfold(const struct rb_plan *plan, const struct rb_folded *folded, int32_t rank,
                      int32_t i, struct rb_op ops[])
{
    if (i < 0) {
        const int32_t from = rb_folded_rank(folded, reverse(folded, rank / 2));
        ops[0] = move(plan, RB_RECV, rank, from, rank);
        return 1;
    }
    const int32_t u = reverse(folded, i);
    if (u >= folded->folded)
        return 0;
    ops[0] = move(plan, RB_SEND, rank, 2 * u + 1, 2 * u + 1);
    return 1;
}

static int32_t round_(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                      struct rb_op ops[])
{
    const struct rb_folded folded = rb_folded_of(plan->p);
    const struct phases phases = phases_of(&folded);
    const int32_t r = state->rank, i = rb_folded_number(&folded, r);
    const int32_t step = (int32_t)t - phases.fold;
    if (step < 0)
        return fold(plan, &folded, r, ops);
    if (i >= 0 && step < phases.halve)
        return halve(plan, &folded, r, i, step, ops);
    if (i >= 0 && step < phases.halve + phases.swap)
        return swap(plan, &folded, r, i, ops);
    return step < phases.halve + phases.swap ? 0 : unfold(plan, &folded, r, i, ops);
}

/* O(log p), as is the number of rounds. */
static bool is_active(const struct rb_plan *plan, const struct rb_folded *folded, int32_t rank,
                      int64_t t)
{
    const struct phases phases = phases_of(folded);
    const int32_t i = rb_folded_number(folded, rank);
    if (t < phases.fold)
        return rank < 2 * folded->folded;
    if (t < plan->rounds - phases.unfold)
        return i >= 0 && (t < phases.fold + phases.halve || reverse(folded, i) != i);
    return i < 0 || reverse(folded, i) < folded->folded;
}

static int64_t next(const struct rb_plan *plan, const struct rb_rank *state, int64_t t)
{
    const struct rb_folded folded = rb_folded_of(plan->p);
    while (t < plan->rounds && !is_active(plan, &folded, state->rank, t))
        t++;
    return t;
}

/* The first shares are the largest. */
static double cost(const struct rb_plan *plan, double bytes, double alpha_s, double beta_s_per_byte)
{
    const struct rb_folded folded = rb_folded_of(plan->p);
    const struct phases phases = phases_of(&folded);
    double ranks = phases.fold * (double)plan->p + phases.swap + phases.unfold;
    for (int32_t half = folded.participants / 2; half > 0; half /= 2)
        ranks += rb_folded_rank(&folded, half);
    return (double)plan->rounds * alpha_s + ranks / plan->p * bytes * beta_s_per_byte;
}

RB_ROW(rb_reduce_scatter_butterfly, "reduce-scatter", "butterfly",
       "recursive halving, near ranks first, in rank order", "Traeff 2005",
       "log2 p + min(1, floor(log2 p / 2)); "
       "floor(log2 p) + min(1, floor(log2 p / 2)) + 2 if p is no power of two",
       RB_FOR_RANK, .init = init, .round = round_, .next = next, .cost = cost,
       .ordered_for_every_root = true);
