/* linear_sync.c - gather and scatter without a tree, synchronised. */
#include "schedules/plan/plan.h"

/* ---- Gather ---------------------------------------------------------------------------------- */

/* Every rank sends the root a first piece of its part and then the rest.
 *
 * Source: Open MPI's algorithm `linear_sync` of gather (coll/base): the root asks a rank for its
 * data with an empty message, waits for a first segment, and asks the next rank while the rest of
 * the data is on its way. The first segment is 1 of n blocks here. Rounds: min(n, 2) (p - 1).
 * Volume: n (p - 1) blocks, optimal; nothing is forwarded. A plan has no messages without blocks,
 * so the root's questions are missing, each of which takes the time of an empty message before a
 * rank's first piece; and on one port the rest does not overlap with the next rank's first piece.
 * For n = 1 this is `flat` with the first rank first. No state per rank.
 *
 * p = 3, n = 4: 1 -> 0 its first block; 1 -> 0 three blocks; 2 -> 0 one; 2 -> 0 three. */

static int64_t pieces(const struct rb_plan *plan)
{
    return plan->n > 1 ? 2 : 1;
}

static int gather_init(struct rb_plan *plan, char *why, size_t why_size)
{
    return rb_on_one_port(plan, pieces(plan) * ((int64_t)plan->p - 1), 1, why, why_size);
}

static int32_t gather_round(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                            struct rb_op ops[])
{
    const int32_t r = state->relative, turn = (int32_t)(t / pieces(plan)) + 1;
    if (r != 0 && r != turn)
        return 0;
    ops[0] = rb_part_op(plan, r == 0 ? RB_RECV : RB_SEND, r == 0 ? turn : 0, turn);
    ops[0].at.first = t % pieces(plan);
    ops[0].at.count = t % pieces(plan) == 0 ? 1 : plan->n - 1;
    return 1;
}

static int64_t gather_next(const struct rb_plan *plan, const struct rb_rank *state, int64_t t)
{
    const int64_t first = ((int64_t)state->relative - 1) * pieces(plan);
    if (state->relative == 0)
        return t;
    return t < first ? first : t < first + pieces(plan) ? t : plan->rounds;
}

RB_ROW(rb_gather_linear_sync, "gather", "linear-sync",
       "each rank sends the root a first block, and then the rest", "Open MPI 4.1",
       "min(n, 2) (p - 1)", .info.blocks = "a first block, and the other ones together",
       .init = gather_init, .round = gather_round, .next = gather_next, .cost = rb_cost_of_others);

/* ---- Scatter --------------------------------------------------------------------------------- */

/* The root sends each other rank its part itself, with a limited number of messages in flight.
 *
 * Source: Open MPI's algorithm `linear_nb` of scatter (coll/base), which waits for a message after
 * every so many; this number is that of the ports here, k. Rounds: ceil((p - 1)/k). Volume: n (p -
 * 1) blocks, optimal; nothing is forwarded. The library does not wait for the messages before.
 * With one port this is `flat`. No state per rank.
 *
 * p = 6, k = 2: 0 -> 1, 2; 0 -> 3, 4; 0 -> 5. */

static int scatter_init(struct rb_plan *plan, char *why, size_t why_size)
{
    const int32_t k = rb_used_ports(plan);
    (void)why, (void)why_size;
    plan->rounds = plan->p == 1 ? 0 : ((int64_t)plan->p - 1 + k - 1) / k;
    plan->max_ops = k;
    return RB_OK;
}

static int32_t scatter_round(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                             struct rb_op ops[])
{
    const int64_t k = rb_used_ports(plan), first = 1 + t * k, r = state->relative;
    int32_t count = 0;
    for (int64_t to = first; to < first + k && to < plan->p; to++) {
        if (r != 0 && r != to)
            continue;
        ops[count] =
            rb_part_op(plan, r == 0 ? RB_SEND : RB_RECV, (int32_t)(r == 0 ? to : 0), (int32_t)to);
        ops[count++].port = (int32_t)(to - first);
    }
    return count;
}

static int64_t scatter_next(const struct rb_plan *plan, const struct rb_rank *state, int64_t t)
{
    if (state->relative == 0)
        return t;
    const int64_t receives = (state->relative - 1) / rb_used_ports(plan);
    return t <= receives ? receives : plan->rounds;
}

RB_ROW(rb_scatter_linear_sync, "scatter", "linear-sync",
       "the root sends to one rank after the other, k at a time", "Open MPI 4.1",
       "ceil((p - 1)/k), k ports", RB_FOR_RANK, .init = scatter_init, .round = scatter_round,
       .next = scatter_next, .cost = rb_cost_of_parts);
