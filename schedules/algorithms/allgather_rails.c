/* allgather_rails.c - packed broadcasts over nodes whose ranks each have a NIC: a circulant
 * allgather on every rail, while each rank passes on inside what its NIC took in.
 *
 * Source: this project; docs/rails.md. Built on J. L. Traeff, Optimal Broadcast Schedules in
 * Logarithmic Time, 2024, Algorithm 7. Rounds, for N nodes of J to K ranks: n + ceil(log2 N) for
 * J = K > 1, one more for J < K; for K = 1 the circulant allgather. Volume: n (p - 1) blocks
 * received per rank; a node takes in each block of other nodes once: both optimal. Memory of the
 * plan: (q + 1) N bytes, q = ceil(log2 N), the send schedules of all nodes. No state per rank.
 *
 * Lane j (rails.h) has the data of places j, j + J, j + 2 J, ... of all nodes; without these, what
 * each lane does is allgather_circulant.c over nodes. Places from J on have no lane of their own,
 * and what they own is sent over the rail by a neighbour: then lanes begin D = 1 rounds later, or
 * else D = 0. In round t
 *   - every rank sends its own block t to all its neighbours (t < n);
 *   - lane round t - D is on port 0: of every node but the receiver's, a block of each rank;
 *   - what a place took in in lane round t - D - 1 it sends to all its neighbours, in one message
 *     with its own block.
 *
 * N = 2 nodes of 2 ranks, n = 1, the owners of what ranks receive; between nodes where marked *:
 *
 *   t   rank 0          rank 1          rank 2          rank 3
 *   0   2 from 2*       3 from 3*       0 from 0*       1 from 1*
 *       1 from 1        0 from 0        3 from 3        2 from 2
 *   1   3 from 1        2 from 0        1 from 3        0 from 2 */
#include <stdlib.h>

#include "schedules/circulant/rails.h"
#include "schedules/plan/plan.h"

/* Most operations of a place below J: what it sends over its rail it may pass on to K - 1 others,
 * too, and what it receives has one block of an owner at most. */
static int64_t most_ops(const struct rb_plan *plan, int32_t largest)
{
    const struct rb_groups *groups = &plan->groups;
    const int32_t lanes = rb_rails_lanes(plan);
    int64_t in_lane = 0; /* ranks whose data are in lane 0, or almost all have J */
    if (groups->size > 0)
        in_lane = groups->count * rb_ceil_divide(largest, lanes);
    for (int32_t node = 0; groups->size == 0 && node < groups->count; node++)
        in_lane += rb_ceil_divide(rb_group_size(groups, node), lanes);
    return (in_lane + 1) * largest + plan->p +
           (plan->data.circulant.rails.direct ? plan->groups.count * rb_ceil_divide(largest, lanes)
                                              : 0);
}

/* For lane rounds that begin in round 0 and end in plan->rounds. */
static int set_up(struct rb_plan *plan, char *why, size_t why_size)
{
    const int32_t largest = plan->data.circulant.rails.inside;
    const bool delayed = largest > rb_rails_lanes(plan);
    const int64_t ops = most_ops(plan, largest);
    if (ops > INT32_MAX)
        return rb_why(why, why_size, RB_EINVAL, "%d ranks in groups of %s have too many messages",
                      (int)plan->p, plan->groups.text);
    plan->max_ops = (int32_t)ops;
    plan->data.circulant.rails.delay = delayed;
    if (largest > 1)
        plan->rounds = plan->groups.count > 1 ? plan->rounds + 1 + delayed : plan->n;
    return RB_OK;
}

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    int status = rb_rails_init(plan, false, why, why_size);
    if (status == RB_OK)
        status = set_up(plan, why, why_size);
    if (status != RB_OK || plan->groups.count == 1)
        return status;
    return rb_circulant_rounds_table(plan, why, why_size);
}

static int init_direct(struct rb_plan *plan, char *why, size_t why_size)
{
    int status = rb_rails_init(plan, true, why, why_size);
    if (status != RB_OK)
        return status;
    plan->rounds = plan->groups.count > 1 ? plan->n : 0;
    status = set_up(plan, why, why_size);
    return status == RB_OK ? rb_rails_cut(plan, false, 1, why, why_size) : status;
}

static void fini(struct rb_plan *plan)
{
    free(plan->data.circulant.table);
}

/* A lane round u: what one node sends to another, in lane `lane`. */
struct passage {
    int32_t lane, from, to;
    struct rb_circulant_round round;
};

/* Lane round u into or out of a node; false: there is none. */
static bool passes(const struct rb_plan *plan, const struct rb_rail_place *at, int32_t lane,
                   bool out, int64_t u, struct passage *passage)
{
    const struct rb_circulant *graph = &plan->data.circulant.graph;
    if (lane < 0 || !rb_rails_is_lane_round(plan, u))
        return false;
    *passage = (struct passage){
        .lane = lane, .from = at->node, .to = at->node, .round = rb_circulant_round_of(plan, u)};
    if (out)
        passage->to = rb_circulant_to(graph, at->node, passage->round.k);
    else
        passage->from = rb_circulant_from(graph, at->node, passage->round.k);
    return true;
}

/* Puts the passage's blocks into operations like this one: a block of each rank of each node but
 * the one that it goes to. */
static int32_t pack(const struct rb_plan *plan, const struct passage *passage, struct rb_op op,
                    struct rb_op ops[])
{
    const int32_t nodes = plan->groups.count, lanes = rb_rails_lanes(plan);
    const int8_t *row = plan->data.circulant.table + (size_t)passage->round.k * (size_t)nodes;
    int32_t count = 0;
    for (int32_t owner = 0; owner < nodes; owner++) {
        const int32_t relative = passage->from - owner + (passage->from < owner ? nodes : 0);
        const int64_t block = row[relative] + passage->round.shift;
        if (block < 0 || owner == passage->to)
            continue;
        const int32_t first = rb_group_first(&plan->groups, owner);
        const int32_t size = rb_group_size(&plan->groups, owner);
        for (int32_t place = passage->lane; place < size; place += lanes) {
            op.at = (struct rb_range){RB_DST, first + place, rb_smaller(block, plan->n - 1), 1};
            ops[count++] = op;
        }
    }
    return count;
}

/* The message over the rail. */
static int32_t over(const struct rb_plan *plan, const struct rb_rail_place *at,
                    enum rb_op_kind kind, int64_t t, struct rb_op ops[])
{
    struct passage passage;
    if (!passes(plan, at, at->lane, kind == RB_SEND, t - plan->data.circulant.rails.delay,
                &passage))
        return 0;
    const int32_t there = kind == RB_SEND ? passage.to : passage.from;
    return pack(plan, &passage,
                rb_rails_over(plan, at, kind, there, (struct rb_range){.buffer = RB_DST}), ops);
}

/* The messages to, or from, all neighbours. */
static int32_t inside(const struct rb_plan *plan, const struct rb_rail_place *at,
                      enum rb_op_kind kind, int64_t t, struct rb_op ops[])
{
    const int64_t u = t - plan->data.circulant.rails.delay - 1;
    int32_t count = 0;
    for (int32_t other = 0; other < at->size; other++) {
        const int32_t from = kind == RB_SEND ? at->place : other;
        const struct rb_op own =
            rb_rails_inside(at, kind, other, (struct rb_range){RB_DST, at->first + from, t, 1});
        struct passage passage;
        if (other == at->place)
            continue;
        if (t < plan->n)
            ops[count++] = own;
        if (passes(plan, at, rb_rails_lane(plan, from, at->size), false, u, &passage))
            count += pack(plan, &passage, own, ops + count);
    }
    return count;
}

static int32_t round_(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                      struct rb_op ops[])
{
    const struct rb_rail_place at = rb_rails_place(plan, state->rank);
    int32_t count = over(plan, &at, RB_SEND, t, ops);
    count += inside(plan, &at, RB_SEND, t, ops + count);
    count += over(plan, &at, RB_RECV, t, ops + count);
    return count + inside(plan, &at, RB_RECV, t, ops + count);
}

static bool is_lane_round(const struct rb_plan *plan, int64_t u)
{
    if (plan->data.circulant.rails.direct)
        return plan->groups.count > 1 && u >= 0 && u < plan->n;
    return rb_rails_is_lane_round(plan, u);
}

/* A lane's place sends in each lane round, and its neighbours receive it in the round after: idle
 * are only ranks without neighbours, or without a lane. */
static int64_t next(const struct rb_plan *plan, const struct rb_rank *state, int64_t t)
{
    const struct rb_rail_place at = rb_rails_place(plan, state->rank);
    const int64_t delay = plan->data.circulant.rails.delay;
    const bool has_lane = at.lane >= 0, has_neighbours = at.size > 1;
    while (t < plan->rounds &&
           !(has_neighbours && (t < plan->n || is_lane_round(plan, t - delay - 1))) &&
           !(has_lane && is_lane_round(plan, t - delay)))
        t++;
    return t;
}

/* A direct plan's block t of an owner, as an operation like this one. */
static struct rb_op block_of(const struct rb_plan *plan, struct rb_op op, int32_t owner, int64_t t)
{
    const int64_t first = rb_rails_before(plan->n, t, false);
    op.at = (struct rb_range){RB_DST, owner, first, rb_rails_before(plan->n, t + 1, false) - first};
    return op;
}

/* Block t of the ranks of a node whose data are in the lane. */
static int32_t blocks_of(const struct rb_plan *plan, struct rb_op op, int32_t node, int32_t lane,
                         int64_t t, struct rb_op ops[])
{
    const int32_t first = rb_group_first(&plan->groups, node);
    const int32_t size = rb_group_size(&plan->groups, node);
    int32_t count = 0;
    for (int32_t place = lane; place < size; place += rb_rails_lanes(plan))
        ops[count++] = block_of(plan, op, first + place, t);
    return count;
}

/* Lane round u < n: block u of its lane to each other node, and theirs from them. */
static int32_t over_all(const struct rb_plan *plan, const struct rb_rail_place *at,
                        enum rb_op_kind kind, int64_t u, struct rb_op ops[])
{
    int32_t count = 0;
    for (int32_t node = 0; node < plan->groups.count; node++)
        if (node != at->node && at->lane >= 0 && u >= 0 && u < plan->n)
            count += blocks_of(
                plan, rb_rails_over(plan, at, kind, node, (struct rb_range){.buffer = RB_DST}),
                kind == RB_SEND ? at->node : node, at->lane, u, ops + count);
    return count;
}

/* Block t of the sender, and what its NIC took in one round ago. */
static int32_t inside_all(const struct rb_plan *plan, const struct rb_rail_place *at,
                          enum rb_op_kind kind, int64_t t, struct rb_op ops[])
{
    const int64_t u = t - plan->data.circulant.rails.delay - 1;
    int32_t count = 0;
    for (int32_t other = 0; other < at->size; other++) {
        const int32_t from = kind == RB_SEND ? at->place : other;
        const int32_t lane = rb_rails_lane(plan, from, at->size);
        const struct rb_op op =
            rb_rails_inside(at, kind, other, (struct rb_range){.buffer = RB_DST});
        if (other == at->place)
            continue;
        if (t < plan->n)
            ops[count++] = block_of(plan, op, at->first + from, t);
        for (int32_t node = 0; node < plan->groups.count; node++)
            if (node != at->node && lane >= 0 && u >= 0 && u < plan->n)
                count += blocks_of(plan, op, node, lane, u, ops + count);
    }
    return count;
}

static int32_t round_direct(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                            struct rb_op ops[])
{
    const int64_t u = t - plan->data.circulant.rails.delay;
    const struct rb_rail_place at = rb_rails_place(plan, state->rank);
    int32_t count = over_all(plan, &at, RB_SEND, u, ops);
    count += inside_all(plan, &at, RB_SEND, t, ops + count);
    count += over_all(plan, &at, RB_RECV, u, ops + count);
    return count + inside_all(plan, &at, RB_RECV, t, ops + count);
}

/* As if all rounds' messages were equally long: a block of each node's rank in a lane. */
static void pipeline(const struct rb_plan *plan, int64_t *per_block, int64_t *fixed)
{
    *per_block = rb_rails_lanes(plan);
    *fixed = plan->rounds - plan->n;
}

RB_ROW(rb_allgather_rails, "allgather", "rails",
       "packed broadcasts over and inside nodes with a NIC per rank",
       "docs/rails.md, on Traeff 2024",
       "n - 1 + ceil(log2 N) + min(1, K - 1) + min(1, (N - 1) (K - L))",
       RB_PIPELINED(" of every rank"), RB_ON_RAILS, RB_LANES, .init = init, .fini = fini,
       .round = round_, .next = next, .pipeline = pipeline);

/* The same inside, while over its rail each rank sends its block to all nodes at once. The last
 * blocks are shorter (rb_rails_before), as what comes last must still go inside. Rounds, for N > 1:
 * n + 1 for J = K > 1, one more for J < K; n for K = 1. Volume: as above. N = 3 nodes of one rank,
 * n = 1: each sends its block to both others. */
RB_ROW(rb_allgather_rails_direct, "allgather", "rails-direct",
       "each rank sends to all nodes at once, and passes on inside what comes", "docs/rails.md",
       "n - 1 + min(1, N - 1) + min(1, K - 1) + min(1, (N - 1) (K - L))",
       RB_PIPELINED(" of every rank"), RB_ON_RAILS_DIRECTLY, RB_LANES, .init = init_direct,
       .round = round_direct, .next = next, .pipeline = pipeline);
