/* allgather_neighbour_exchange.c - every rank exchanges with its two neighbours in turn, and passes
 * on what came from one of them to the other; and reduce-scatter and allreduce by the same
 * messages.
 *
 * Source: J. Chen, L. Zhang, Y. Zhang, W. Yuan, Performance Evaluation of Allgather Algorithms on
 * Terascale Linux Cluster with Fast Ethernet, 2005; Open MPI's algorithm `neighbor` (coll/base).
 * Even p, or 1. Rounds: p/2, half as many as a ring's. Volume: n (p - 1) blocks received per rank,
 * optimal: one rank's in round 0, then those of two. No state per rank.
 *
 * Ranks 2 i and 2 i + 1 are a pair, which exchange in even rounds; in odd rounds a rank exchanges
 * with its other neighbour. From there come the data of the pairs 1, 2, .. beyond, in rounds 1, 3,
 * ..; those of the partner's side come in rounds 2, 4, .., because the partner got them in the
 * round before. p = 6, rank 0: 1's; 4's and 5's from 5; 2's and 3's from 1. */
#include "schedules/patterns/sequence.h"
#include "schedules/plan/plan.h"

static bool supports(int32_t p, int32_t radix)
{
    (void)radix;
    return p % 2 == 0 || p == 1;
}

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    return rb_on_one_port(plan, plan->p / 2, 4, why, why_size);
}

/* The first rank of the pair whose data the rank gets in a round; in round 0, its own pair. */
static int32_t pair_in(const struct rb_plan *plan, int32_t rank, int64_t t)
{
    const int64_t p = plan->p, away = t % 2 == 1 ? t + 1 : -t;
    const int64_t first = rank % 2 == 0 ? rank - away : rank - 1 + away;
    return (int32_t)((first + p) % p);
}

/* The data of many ranks from `first` on. */
static int32_t pack(const struct rb_plan *plan, enum rb_op_kind kind, int32_t peer, int32_t first,
                    int32_t many, struct rb_op ops[])
{
    for (int32_t i = 0; i < many; i++)
        ops[i] = (struct rb_op){.kind = kind, .peer = peer, .at = {RB_DST, first + i, 0, plan->n}};
    return many;
}

static int32_t round_(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                      struct rb_op ops[])
{
    const int32_t p = plan->p, r = state->rank;
    const int32_t peer =
        (r % 2 == 0) == (t % 2 == 0) ? rb_after(plan, r, 1) : rb_after(plan, r, p - 1);
    if (t == 0) {
        pack(plan, RB_SEND, peer, r, 1, ops);
        return 1 + pack(plan, RB_RECV, peer, peer, 1, ops + 1);
    }
    pack(plan, RB_SEND, peer, pair_in(plan, r, t - 1), 2, ops);
    return 2 + pack(plan, RB_RECV, peer, pair_in(plan, r, t), 2, ops + 2);
}

#define EVEN_RANKS .info.ranks = "even p, or 1", .supports = supports

RB_ROW(rb_allgather_neighbour_exchange, "allgather", "neighbour-exchange",
       "exchanges with both neighbours in turn, the data of two ranks at a time",
       "Chen et al. 2005", "p/2", RB_OF_RANK, EVEN_RANKS, .init = init, .round = round_,
       .next = rb_never_idle, .cost = rb_cost_of_others);

/* Read backwards, and both ways. Commutative operators only. */
RB_ROW(rb_reduce_scatter_neighbour_exchange, "reduce-scatter", "neighbour-exchange",
       "exchanges with both neighbours in turn, read backwards", "Chen et al. 2005, reversed",
       "p/2", RB_FOR_RANK, EVEN_RANKS, RB_REVERSED(rb_allgather_neighbour_exchange));
RB_ROW(rb_allreduce_neighbour_exchange, "allreduce", "neighbour-exchange",
       "exchanges with both neighbours in turn, backwards, then forwards",
       "Chen et al. 2005, reversed", "p", RB_SHARES, EVEN_RANKS,
       RB_COMPOSED(rb_reduce_scatter_neighbour_exchange, rb_allgather_neighbour_exchange));
