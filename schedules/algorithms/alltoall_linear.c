/* alltoall_linear.c - every rank exchanges its data with ranks 0, 1, 2 .. in this order.
 *
 * Source: textbook; the loop over all ranks that programs begin with. Rounds: ceil((2 p - 3)/k),
 * because ranks wait for each other: nearly twice as many as pairwise. Volume: optimal, direct.h.
 * No state per rank.
 *
 * Ranks r and j meet in step r + j, which is as early as this order allows on one port. p = 4:
 *
 *   step   1    2    3         4    5
 *          0-1  0-2  0-3, 1-2  1-3  2-3
 */
#include "schedules/patterns/direct.h"

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

const struct rb_algorithm rb_alltoall_linear = {
    .info = {.collective = "alltoall",
             .name = "linear",
             .title = "each rank exchanges with ranks 0, 1, 2 .. in this order",
             .paper = "textbook",
             .rounds = "ceil((2 p - 3)/min(k, p - 1)), k ports",
             .blocks = "all blocks for a rank travel together"},
    .init = init,
    .round = round_,
    .next = next,
    .cost = rb_direct_cost,
};
