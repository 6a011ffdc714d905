/* alltoall_linear.c - every rank exchanges its data with ranks 0, 1, 2 .. in this order.
 *
 * Source: textbook; the loop over all ranks that programs begin with. Rounds: ceil((2 p - 3)/k),
 * because ranks wait for each other: nearly twice as many as pairwise. Volume: optimal, chain.h.
 * No state per rank.
 *
 * Ranks r and j meet in step r + j, which is as early as this order allows on one port. p = 4:
 *
 *   step   1    2    3         4    5
 *          0-1  0-2  0-3, 1-2  1-3  2-3
 */
#include "schedules/patterns/chain.h"

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    (void)why, (void)why_size;
    return rb_direct_init(plan, plan->p > 1 ? 2 * (int64_t)plan->p - 3 : 0);
}

static struct rb_peers peers(const struct rb_plan *plan, int32_t rank, int64_t step)
{
    (void)plan;
    return (struct rb_peers){step - rank, step - rank};
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

RB_ROW(rb_alltoall_linear, "alltoall", "linear",
       "each rank exchanges with ranks 0, 1, 2 .. in this order", "textbook",
       "ceil((2 p - 3)/min(k, p - 1)), k ports", RB_FOR_RANK, .init = init, .round = round_,
       .next = next, .cost = rb_direct_cost);

/* ---- By falling rank ------------------------------------------------------------------------- */

/* Every rank sends each other rank its data itself, by falling rank, with a limited number of
 * messages in flight.
 *
 * Source: Open MPI's algorithm `linear_sync` (coll/base), whose limit on requests is the number of
 * ports here, k. Rounds: ceil((p - 1)/k). Volume: optimal, chain.h. The library replaces each
 * request as soon as it is complete, where a round of a plan begins k messages together; it is
 * `pairwise` with directions exchanged. No state per rank.
 *
 * In step s rank r sends to r - s and receives from r + s. p = 3: to the left neighbour, then to
 * the right one. */

static int init_sync(struct rb_plan *plan, char *why, size_t why_size)
{
    (void)why, (void)why_size;
    return rb_direct_init(plan, plan->p - 1);
}

static struct rb_peers peers_sync(const struct rb_plan *plan, int32_t rank, int64_t step)
{
    const int32_t by = (int32_t)step;
    return (struct rb_peers){rb_after(plan, rank, plan->p - by), rb_after(plan, rank, by)};
}

static int32_t round_sync(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                          struct rb_op ops[])
{
    return rb_direct_round(plan, state->rank, t, peers_sync, ops);
}

RB_ROW(rb_alltoall_linear_sync, "alltoall", "linear-sync",
       "each rank sends to one rank after another, k at a time", "Open MPI 4.1",
       "ceil((p - 1)/k), k ports", RB_FOR_RANK, .init = init_sync, .round = round_sync,
       .next = rb_never_idle, .cost = rb_direct_cost);
