/* bcast_spread.c - a tree over nodes whose ranks each have a NIC, for short messages: all ranks of
 * an informed node inform another node each.
 *
 * Source: this project; docs/rails.md. Rounds, for N nodes of J to K ranks, K > 1: 1 + 2
 * ceil(log_(J + 1) N); for K = 1 a binomial tree in ceil(log2 N). Volume: n (p - 1) blocks, n (N -
 * 1) of them between nodes. No state per rank.
 *
 * The root informs its node. Then levels l = 0, 1, ... follow, of two rounds each: nodes are
 * counted from the root's on, and those below h = (J + 1)^l are informed. Place j < J of node v
 * sends the message to place j of node v + (j + 1) h, which informs its neighbours in the next
 * round.
 *
 * N = 3 nodes of 2 ranks, root 0: 0 -> 1; then 0 -> 2 and 1 -> 5 at once; then 2 -> 3 and 5 -> 4.
 */
#include "schedules/circulant/rails.h"
#include "schedules/plan/plan.h"

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    const int status = rb_rails_init(plan, false, why, why_size);
    if (status != RB_OK)
        return status;
    const int32_t largest = plan->data.circulant.rails.inside;
    const int32_t levels = rb_ceil_log(plan->groups.count, rb_rails_lanes(plan) + 1);
    plan->data.circulant.rails.delay = largest > 1;
    plan->rounds = largest > 1 ? 1 + 2 * levels : levels;
    plan->max_ops = largest;
    return RB_OK;
}

/* All of the data. */
static struct rb_range whole(const struct rb_plan *plan)
{
    return (struct rb_range){RB_DST, plan->root, 0, plan->n};
}

/* The message from one place of a node to all others. */
static int32_t inside(const struct rb_plan *plan, const struct rb_rail_place *at, int32_t from,
                      struct rb_op ops[])
{
    int32_t count = 0;
    if (at->place != from) {
        ops[0] = rb_rails_inside(at, RB_RECV, from, whole(plan));
        return 1;
    }
    for (int32_t other = 0; other < at->size; other++)
        if (other != from)
            ops[count++] = rb_rails_inside(at, RB_SEND, other, whole(plan));
    return count;
}

static int32_t round_(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                      struct rb_op ops[])
{
    const int64_t lanes = rb_rails_lanes(plan), delay = plan->data.circulant.rails.delay;
    const struct rb_rail_place at = rb_rails_place(plan, state->rank);
    const int64_t node = rb_rails_relative(plan, at.node);
    if (t < delay)
        return node == 0 ? inside(plan, &at, plan->root - at.first, ops) : 0;
    int64_t h = 1;
    for (int64_t level = (t - delay) / (1 + delay); level > 0; level--)
        h *= lanes + 1;
    const int64_t to = node + (at.place + 1) * h;
    if (delay == 1 && t % 2 == 0) /* level's second round */
        return node >= h && node < h * (lanes + 1) ? inside(plan, &at, (int32_t)(node / h) - 1, ops)
                                                   : 0;
    if (node < h && at.place < lanes && to < plan->groups.count)
        ops[0] = rb_rails_over(plan, &at, RB_SEND, rb_rails_node(plan, (int32_t)to), whole(plan));
    else if (node >= h && node / h - 1 == at.place && at.place < lanes)
        ops[0] = rb_rails_over(plan, &at, RB_RECV, rb_rails_node(plan, (int32_t)(node % h)),
                               whole(plan));
    else
        return 0;
    return 1;
}

RB_ROW(rb_bcast_spread, "bcast", "spread",
       "tree over nodes with a NIC per rank, all of which send at once", "docs/rails.md",
       "ceil(log_(J + 1) N) (1 + min(1, K - 1)) + min(1, K - 1)", RB_AT_ONCE, RB_ON_RAILS,
       .init = init, .round = round_);
