/* scatter_flat.c - the root sends each other rank its part itself, one after the other.
 *
 * Source: textbook. Rounds: p - 1. Volume: n (p - 1) blocks, optimal; nothing is forwarded. No
 * state per rank. Round t: root -> relative rank t + 1. */
#include "schedules/plan/plan.h"

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    plan->rounds = plan->p - 1;
    plan->max_ops = 1;
    return rb_need_one_port(plan, why, why_size);
}

static int32_t round_(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
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

static double cost(const struct rb_plan *plan, double bytes, double alpha_s, double beta_s_per_byte)
{
    return (double)plan->rounds * (alpha_s + beta_s_per_byte * bytes / plan->p);
}

RB_ROW(rb_scatter_flat, "scatter", "flat", "the root sends to one rank after the other", "textbook",
       "p - 1", RB_FOR_RANK, .init = init, .round = round_, .next = next, .cost = cost);
