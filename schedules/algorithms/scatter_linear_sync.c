/* scatter_linear_sync.c - the root sends each other rank its part itself, with a limited number of
 * messages in flight.
 *
 * Source: Open MPI's algorithm `linear_nb` of scatter (coll/base), which waits for a message after
 * every so many; this number is that of the ports here, k. Rounds: ceil((p - 1)/k). Volume: n (p -
 * 1) blocks, optimal; nothing is forwarded. The library does not wait for the messages before. With
 * one port this is `flat`. No state per rank.
 *
 * p = 6, k = 2: 0 -> 1, 2; 0 -> 3, 4; 0 -> 5. */
#include "schedules/plan/plan.h"

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    const int32_t k = rb_used_ports(plan);
    (void)why, (void)why_size;
    plan->rounds = plan->p == 1 ? 0 : ((int64_t)plan->p - 1 + k - 1) / k;
    plan->max_ops = k;
    return RB_OK;
}

static int32_t round_(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
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

static int64_t next(const struct rb_plan *plan, const struct rb_rank *state, int64_t t)
{
    if (state->relative == 0)
        return t;
    const int64_t receives = (state->relative - 1) / rb_used_ports(plan);
    return t <= receives ? receives : plan->rounds;
}

static double cost(const struct rb_plan *plan, double bytes, double alpha_s, double beta_s_per_byte)
{
    return (double)plan->rounds * (alpha_s + beta_s_per_byte * bytes / plan->p);
}

const struct rb_algorithm rb_scatter_linear_sync = {
    .info = {.collective = "scatter",
             .name = "linear-sync",
             .title = "the root sends to one rank after the other, k at a time",
             .paper = "Open MPI 4.1",
             .rounds = "ceil((p - 1)/k), k ports",
             .blocks = "all blocks for a rank travel together"},
    .init = init,
    .round = round_,
    .next = next,
    .cost = cost,
};
