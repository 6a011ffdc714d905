/* flat.c - the root sends to every other rank itself, one after the other: the whole message, or
 * the rank's part.
 *
 * Source: textbook; the naive baseline. Rounds: p - 1. Volume: n (p - 1) blocks, of a scatter
 * optimal; nothing is forwarded. No state per rank. Round t: root -> relative rank t + 1. */
#include "schedules/plan/plan.h"

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    return rb_on_one_port(plan, plan->p - 1, 1, why, why_size);
}

static int32_t bcast_round(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                           struct rb_op ops[])
{
    if (state->relative == 0)
        ops[0] = rb_root_op(plan, RB_SEND, (int32_t)(t + 1), 0, plan->n);
    else if (state->relative == t + 1)
        ops[0] = rb_root_op(plan, RB_RECV, 0, 0, plan->n);
    else
        return 0;
    return 1;
}

static int32_t scatter_round(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                             struct rb_op ops[])
{
    const int32_t r = state->relative, turn = (int32_t)t + 1;
    if (r == 0)
        ops[0] = rb_part_op(plan, RB_SEND, turn, turn);
    else if (r == turn)
        ops[0] = rb_part_op(plan, RB_RECV, 0, r);
    else
        return 0;
    return 1;
}

static int64_t next(const struct rb_plan *plan, const struct rb_rank *state, int64_t t)
{
    const int64_t receives = (int64_t)state->relative - 1;
    if (state->relative == 0)
        return t;
    return t <= receives ? receives : plan->rounds;
}

RB_ROW(rb_bcast_flat, "bcast", "flat", "the root sends to one rank after the other", "textbook",
       "p - 1", RB_AT_ONCE, .init = init, .round = bcast_round, .next = next,
       .cost = rb_cost_of_all);

RB_ROW(rb_scatter_flat, "scatter", "flat", "the root sends to one rank after the other", "textbook",
       "p - 1", RB_FOR_RANK, .init = init, .round = scatter_round, .next = next,
       .cost = rb_cost_of_parts);
