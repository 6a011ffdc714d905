/* shift_hypercube.c - a shift by powers of two, each of two hops on a hypercube.
 *
 * Source: Grama et al. 2003 (grid.h), "circular shift on a hypercube"; formula (8). q is the sum of
 * distinct powers of two, and the data are shifted by one after the other, the largest first.
 * Rounds: 2 for each power but 2^0, which takes 1: at most 2 log2 p - 1, p = 2^d. Volume: n blocks
 * per rank and round. No state per rank.
 *
 * Numbering. Ranks are those of the linear array, whose rank i is on node G(i) = i ^ (i >> 1) of
 * the hypercube, the binary-reflected Gray code: so ranks have to be placed on a platform whose
 * hosts are numbered as nodes. Then each message is one between neighbours. For i + 2^j differs
 * from i in bits j .. k, k the first that is 0 from j on, and their nodes in bits j - 1 and k. To
 * flip bit j - 1 of a node is to flip bits 0 .. j - 1 of the rank, its first hop; for j = 0 there
 * is none.
 *
 * p = 8, q = 5, rank 0: by 4 over 3 (nodes 000, 010, 110), by 1 to 5 (node 111). */
#include "schedules/patterns/grid_shift.h"

/* A round: the power 2^j that it belongs to, and whether it is the second hop. */
struct hop {
    int32_t shifted; /* by the powers before */
    int32_t power;
    bool second;
};

static struct hop hop_of(int32_t q, int64_t t)
{
    int32_t power = (int32_t)1 << 29, shifted = 0;
    for (;; power /= 2) {
        const int32_t hops = (q & power) == 0 ? 0 : power > 1 ? 2 : 1;
        if (t < hops)
            return (struct hop){shifted, power, power == 1 || t == 1};
        t -= hops;
        shifted += q & power;
    }
}

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    const int32_t q = plan->problem.shift;
    return rb_shift_init(plan, 2 * __builtin_popcount((uint32_t)q) - (q & 1), why, why_size);
}

static struct rb_way way(const struct rb_plan *plan, int32_t rank, int64_t t)
{
    const struct hop hop = hop_of(plan->problem.shift, t);
    const int32_t first = hop.power - 1, all = plan->p - 1;   /* as a mask: bits 0 .. j - 1 */
    const int32_t shifted = hop.second ? rank ^ first : rank; /* after the powers before */
    const int32_t owner = (shifted - hop.shifted) & all;
    if (!hop.second)
        return (struct rb_way){owner, rank ^ first, rank ^ first};
    return (struct rb_way){owner, (shifted + hop.power) & all, ((rank - hop.power) & all) ^ first};
}

static int32_t round_(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                      struct rb_op ops[])
{
    return rb_shift_round(plan, state->rank, t, way, ops);
}

const struct rb_algorithm rb_shift_hypercube = {
    .info = {.collective = "shift",
             .name = "hypercube",
             .title = "by powers of two, each two hops on a hypercube in Gray code",
             .paper = "Grama et al. 2003",
             .rounds = "at most 2 log2 p - 1",
             .blocks = "all blocks travel as one message",
             .ranks = RB_HYPERCUBE_RANKS,
             .pipelined = false},
    .fits = rb_hypercube_fits,
    .init = init,
    .round = round_,
    .cost = rb_shift_cost,
};
