/* alltoall_xor.c - every rank exchanges its data with one rank after another, ordered by the bits
 * in which their numbers differ.
 *
 * Source: textbook (Grama et al. 2003, procedure ALL_TO_ALL_PERSONAL, formula (7): on a hypercube
 * no two messages of a round share a link in the same direction; Thakur, Rabenseifner, Gropp 2005).
 * Rounds: ceil((s - 1) / k), s = 2^ceil(log2 p); for p = s optimal. For other p the surplus s - p
 * ranks are left out, and a rank is idle in the steps in which its partner would be one of these;
 * in the worst case there are nearly twice as many rounds as with pairwise. Volume: optimal,
 * chain.h. No state per rank.
 *
 * In step i the partner of rank r is r ^ i. p = 4: 0-1 2-3; 0-2 1-3; 0-3 1-2. */
#include "schedules/patterns/chain.h"

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    (void)why, (void)why_size;
    return rb_direct_init(plan, (INT64_C(1) << rb_ceil_log2(plan->p)) - 1);
}

static struct rb_peers peers(const struct rb_plan *plan, int32_t rank, int64_t step)
{
    (void)plan;
    return (struct rb_peers){rank ^ step, rank ^ step};
}

static int32_t round_(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                      struct rb_op ops[])
{
    return rb_direct_round(plan, state->rank, t, peers, ops);
}

static int64_t next(const struct rb_plan *plan, const struct rb_rank *state, int64_t t)
{
    return rb_direct_next(plan, state->rank, t, peers);
}

RB_ROW(rb_alltoall_xor, "alltoall", "xor",
       "rank r exchanges with ranks r xor 1, r xor 2, r xor 3, ..., if they exist",
       "textbook; Grama et al. 2003", "ceil((2^ceil(log2 p) - 1)/min(k, p - 1)), k ports",
       RB_FOR_RANK, .init = init, .round = round_, .next = next, .cost = rb_direct_cost);
