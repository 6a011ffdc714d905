/* alltoall_pairwise.c - every rank sends each other rank its data itself, by rising distance.
 *
 * Source: textbook; MPI libraries' "pairwise" and "spread-out"; the extreme r = p of J. Bruck,
 * C.-T. Ho, S. Kipnis, E. Upfal, D. Weathersby 1997, Section 3. Rounds: ceil((p - 1)/k). Volume:
 * optimal, chain.h. No state per rank.
 *
 * In step s rank r sends to r + s and receives from r - s. p = 3: to the right neighbour, then to
 * the left one. */
#include "schedules/patterns/chain.h"

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    (void)why, (void)why_size;
    return rb_direct_init(plan, plan->p - 1);
}

static struct rb_peers peers(const struct rb_plan *plan, int32_t rank, int64_t step)
{
    const int32_t by = (int32_t)step;
    return (struct rb_peers){rb_after(plan, rank, by), rb_after(plan, rank, plan->p - by)};
}

static int32_t round_(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                      struct rb_op ops[])
{
    return rb_direct_round(plan, state->rank, t, peers, ops);
}

RB_ROW(rb_alltoall_pairwise, "alltoall", "pairwise",
       "each rank sends to one rank after another (spread)", "textbook", "ceil((p - 1)/k), k ports",
       RB_FOR_RANK, .init = init, .round = round_, .next = rb_never_idle, .cost = rb_direct_cost);
