/* reduce_scatter_recursive_doubling.c - whole groups exchange along the dimensions of a hypercube,
 * the nearest first, all data but what a group keeps for itself.
 *
 * Source: R. Thakur, R. Rabenseifner, W. Gropp, Optimization of Collective Communication Operations
 * in MPICH, 2005; MPICH's `recursive_doubling` of reduce_scatter, for operators that do not
 * commute. For p that are not powers of two, folded.h; MPICH adds messages between subtrees
 * instead. Rounds: log2 p; floor(log2 p) + 2 if p is no power of two. In the round at distance h a
 * rank sends the partial results of its group of h for all p ranks but these h: n (p log2 p - (p -
 * 1)) blocks per rank for p = 2^d, about log2 p times as many as recursive halving. Neighbouring
 * groups combine their results, with the lower group's on the left, so rank order is kept. No state
 * per rank.
 *
 * p = 5 (participants: ranks 0, 2, 3, 4): 1 -> 0 all; 0 <-> 2: all but those of 0 and 1, and all
 * but that of 2; 3 <-> 4; 0 <-> 3, 2 <-> 4; 0 -> 1 its result. */
#include "schedules/patterns/folded.h"

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    const struct rb_folded folded = rb_folded_of(plan->p);
    return rb_on_one_port(plan, folded.steps + (folded.folded > 0 ? 2 : 0), 2 * plan->p, why,
                          why_size);
}

/* The data for all ranks but first .. end - 1. */
static int32_t pack(const struct rb_plan *plan, enum rb_op_kind kind, int32_t rank, int32_t peer,
                    int32_t first, int32_t end, struct rb_op ops[])
{
    int32_t count = 0;
    for (int32_t owner = 0; owner < plan->p; owner++)
        if (owner < first || owner >= end)
            ops[count++] = (struct rb_op){.kind = kind,
                                          .peer = peer,
                                          .incoming_is_left = kind == RB_RECV_REDUCE && peer < rank,
                                          .at = {RB_DST, owner, 0, plan->n}};
    return count;
}

/* Before the exchanges a rank that is folded away sends all its data to its participant; after them
 * it gets its result. */
static int32_t pair_round(const struct rb_plan *plan, const struct rb_folded *folded, int32_t r,
                          bool before, struct rb_op ops[])
{
    const bool odd = r % 2 == 1;
    if (r >= 2 * folded->folded)
        return 0;
    if (before)
        return pack(plan, odd ? RB_SEND : RB_RECV_REDUCE, r, r ^ 1, 0, 0, ops);
    ops[0] = (struct rb_op){
        .kind = odd ? RB_RECV : RB_SEND, .peer = r ^ 1, .at = {RB_DST, r | 1, 0, plan->n}};
    return 1;
}

static int32_t round_(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                      struct rb_op ops[])
{
    const struct rb_folded folded = rb_folded_of(plan->p);
    const int64_t step = folded.folded > 0 ? t - 1 : t;
    const int32_t r = state->rank, i = rb_folded_number(&folded, r);
    if (step < 0 || step == folded.steps)
        return pair_round(plan, &folded, r, step < 0, ops);
    if (i < 0)
        return 0;
    const int32_t h = (int32_t)1 << step, mine = i & -h, theirs = (i ^ h) & -h;
    const int32_t peer = rb_folded_rank(&folded, i ^ h);
    const int32_t sent = pack(plan, RB_SEND, r, peer, rb_folded_rank(&folded, mine),
                              rb_folded_rank(&folded, mine + h), ops);
    return sent + pack(plan, RB_RECV_REDUCE, r, peer, rb_folded_rank(&folded, theirs),
                       rb_folded_rank(&folded, theirs + h), ops + sent);
}

/* A group of the last participants keeps least, so it sends the longest messages. */
static double cost(const struct rb_plan *plan, double bytes, double alpha_s, double beta_s_per_byte)
{
    const struct rb_folded folded = rb_folded_of(plan->p);
    double ranks = folded.folded > 0 ? (double)plan->p + 1 : 0; /* p before, 1 after */
    for (int32_t step = 0; step < folded.steps; step++)
        ranks += rb_folded_rank(&folded, folded.participants - ((int32_t)1 << step));
    return (double)plan->rounds * alpha_s + ranks / plan->p * bytes * beta_s_per_byte;
}

RB_ROW(rb_reduce_scatter_recursive_doubling, "reduce-scatter", "recursive-doubling",
       "exchanges along the dimensions of a hypercube, in rank order",
       "Thakur et al. 2005; MPICH 4.0", "log2 p; floor(log2 p) + 2 if p is no power of two",
       RB_FOR_RANK, .init = init, .round = round_, .next = rb_folded_next, .cost = cost,
       .ordered_for_every_root = true);
