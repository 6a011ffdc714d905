/* alltoall_rails.c - all-to-all over nodes whose ranks each have a NIC: inside the node to the
 * place of the destination, then over this place's rail.
 *
 * Source: this project; docs/rails.md. The step inside is that of NCCL's PXN (NVIDIA, Doubling
 * all2all Performance with NVIDIA Collective Communication Library 2.12, 2022). Rounds, for N nodes
 * of J to K ranks: N for J = K > 1; N - 1 for K = 1; 2 N - 1 for J < K; 1 for N = 1. Volume:
 * between nodes each part goes once, in messages of K parts; inside, at most once before, or after.
 * No state per rank.
 *
 * In step s, 1 <= s < N, node a sends to node a + s: place j to place j, the parts of all ranks of
 * node a for it. In the round before, its neighbours have given it theirs. A place that node a does
 * not have gets its parts from the owners' own places, which send them inside one round later; then
 * a step takes two rounds, so that a rank has parts in TMP either to send over its rail or to send
 * inside. Rows of TMP are free again when a round's messages have left, and the parts that a rank
 * has there at one time have one destination or one owner, so no two are in one row. In the last
 * round the ranks of a node exchange what they have for each other.
 *
 * N = 2 nodes of 2, what rank 0 sends: {0, 3} to 1; then {0, 2}, {1, 2} to 2, and {0, 1} to 1. */
#include "schedules/circulant/rails.h"
#include "schedules/plan/plan.h"

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    const int status = rb_rails_init(plan, false, why, why_size);
    if (status != RB_OK)
        return status;
    struct rb_rails *rails = &plan->data.circulant.rails;
    const int32_t nodes = plan->groups.count;
    rails->delay = rails->inside > 1;
    plan->rounds = nodes == 1 ? 1 : nodes - 1 + rails->delay;
    if (rails->lanes < rails->inside)
        plan->rounds = 2 * (int64_t)nodes - 1;
    rails->lanes = rails->inside; /* any two nodes have as many as the smaller one has ranks */
    plan->max_ops = 8 * rails->inside + 1;
    plan->buffers |= 1u << RB_TMP;
    return RB_OK;
}

/* A node, as seen from another one. */
struct node {
    int32_t first, size;
};

/* The node `distance` nodes ahead. */
static struct node node_at(const struct rb_plan *plan, const struct rb_rail_place *at,
                           int64_t distance)
{
    const int32_t node = (int32_t)((at->node + distance) % plan->groups.count);
    return (struct node){rb_group_first(&plan->groups, node), rb_group_size(&plan->groups, node)};
}

/* The step that begins `since` rounds before round t; 0: none. */
static int64_t step_of(const struct rb_plan *plan, int64_t t, int32_t since)
{
    const int32_t nodes = plan->groups.count;
    const int64_t turn = plan->rounds > nodes ? 2 : 1, s = (t - since) / turn + 1;
    return t >= since && (t - since) % turn == 0 && s < nodes ? s : 0;
}

/* The operation on a part, which is where this rank has or wants it. */
static struct rb_op on_part(const struct rb_plan *plan, struct rb_op op, int32_t rank,
                            int32_t owner, int32_t to)
{
    op.at = rb_part_range(plan, owner == rank ? RB_SRC : to == rank ? RB_DST : RB_TMP, owner, to);
    return op;
}

/* The message from one place of a node to another. */
static int32_t inside(const struct rb_plan *plan, const struct rb_rail_place *at,
                      enum rb_op_kind kind, int32_t other, int64_t t, struct rb_op ops[])
{
    const int32_t delay = plan->data.circulant.rails.delay, rank = at->first + at->place;
    const int32_t from = kind == RB_SEND ? at->place : other;
    const int32_t to = kind == RB_SEND ? other : at->place;
    const struct rb_op op = rb_rails_inside(at, kind, other, (struct rb_range){.buffer = RB_SRC});
    const int64_t next = step_of(plan, t, 0);
    const int64_t last = plan->rounds > plan->groups.count ? step_of(plan, t, delay + 1) : 0;
    int32_t count = 0;
    if (next > 0) {
        const struct node there = node_at(plan, at, next);
        if (to < there.size)
            ops[count++] = on_part(plan, op, rank, at->first + from, there.first + to);
    }
    if (t == plan->rounds - 1)
        ops[count++] = on_part(plan, op, rank, at->first + from, at->first + to);
    if (last > 0) {
        const struct node there = node_at(plan, at, plan->groups.count - last);
        if (from < there.size && to >= there.size)
            ops[count++] = on_part(plan, op, rank, there.first + from, at->first + to);
    }
    return count;
}

/* The message over the rail in a step. */
static int32_t over(const struct rb_plan *plan, const struct rb_rail_place *at,
                    enum rb_op_kind kind, int64_t s, struct rb_op ops[])
{
    const int32_t nodes = plan->groups.count, rank = at->first + at->place;
    const int64_t distance = kind == RB_SEND ? s : nodes - s;
    const struct node here = {at->first, at->size}, there = node_at(plan, at, distance);
    const struct node from = kind == RB_SEND ? here : there, to = kind == RB_SEND ? there : here;
    const struct rb_op op = rb_rails_over(plan, at, kind, (int32_t)((at->node + distance) % nodes),
                                          (struct rb_range){.buffer = RB_SRC});
    int32_t count = 0;
    if (s == 0 || at->place >= there.size)
        return 0;
    for (int32_t owner = 0; owner < from.size; owner++)
        ops[count++] = on_part(plan, op, rank, from.first + owner, to.first + at->place);
    for (int32_t place = from.size; place < to.size; place++)
        ops[count++] = on_part(plan, op, rank, from.first + at->place, to.first + place);
    return count;
}

static int32_t round_(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                      struct rb_op ops[])
{
    const struct rb_rail_place at = rb_rails_place(plan, state->rank);
    const int64_t s = step_of(plan, t, plan->data.circulant.rails.delay);
    int32_t count = 0;
    for (int kind = RB_SEND; kind <= RB_RECV; kind++) {
        count += over(plan, &at, (enum rb_op_kind)kind, s, ops + count);
        for (int32_t other = 0; other < at.size; other++)
            if (other != at.place)
                count += inside(plan, &at, (enum rb_op_kind)kind, other, t, ops + count);
    }
    if (t == 0)
        ops[count++] = rb_keep_own(plan, state->rank);
    return count;
}

RB_ROW(rb_alltoall_rails, "alltoall", "rails", "inside to the destination's place, then over rails",
       "docs/rails.md, on NCCL's PXN", "N - 1 + min(1, K - 1) + min(1, K - J) (N - 1)", RB_FOR_RANK,
       RB_ON_RAILS, .init = init, .round = round_);
