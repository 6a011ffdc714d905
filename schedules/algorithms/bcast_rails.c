/* bcast_rails.c - pipelined broadcast over nodes whose ranks each have a NIC: a circulant broadcast
 * on every rail, while each rank passes on to its neighbours inside what its NIC took in.
 *
 * Source: this project; docs/rails.md. Built on J. L. Traeff, Optimal Broadcast Schedules in
 * Logarithmic Time, 2024, Algorithm 1. Rounds, for N nodes of J to K ranks, K > 1: n + ceil(log2 N)
 * + 1; for one node n + 1 (two ranks: n); for K = 1 the circulant broadcast. Volume: n (p - 1)
 * blocks, of which n (N - 1) pass between nodes: both optimal. State per rank: its node's circulant
 * schedules, at most 60 bytes. Memory of the plan: O(log N).
 *
 * The data are J lanes of n blocks (rails.h). In round t
 *   - the root sends block t of lane j to place j of its node (t < n);
 *   - lane round t - 1 is on port 0 of all lanes;
 *   - a place of the root's node sends block t - 1 of its lane to all its neighbours but the root;
 *   - in other nodes, what a place took in in lane round t - 2 it sends to all its neighbours.
 * The root has a lane, too, if its place is below J. Were it to send the lane's blocks inside
 * itself, it would send twice as much as any other rank. So each block of this lane is cut into
 * pieces, one for each other rank of the root's node, which sends its piece inside with the block
 * of its own lane. A block of the plan is a piece, and a lane's block is a range of pieces.
 *
 * N = 2 nodes of 2 ranks, root 0, n = 2, blocks 0 1 of lane 0 and 2 3 of lane 1, what ranks
 * receive; between nodes where marked *:
 *
 *   t   rank 1       rank 2       rank 3
 *   0   2 0 from 0      -            -
 *   1   3 1 from 0   0 from 0*    2 from 1*
 *   2      -         1 from 0*    3 from 1*
 *                    2 from 3     0 from 2
 *   3      -         3 from 3     1 from 2 */
#include "schedules/circulant/rails.h"
#include "schedules/plan/plan.h"

/* In rb_rank's bytes: the node's receive schedule, then its send schedule. */
enum { SEND_AT = RB_MAX_Q + 2 };

/* A rank's node in a round. */
struct view {
    const struct rb_plan *plan;
    struct rb_rail_place at;
    int32_t relative;   /* the node's number from the root's on */
    int32_t root_place; /* in the root's node; -1 in others */
    int64_t t;
    int64_t carried; /* the block of each lane that lanes' places send inside, or -1 */
};

/* The pieces of a block of the root's lane for the root's neighbours. */
static int32_t pieces_of(const struct rb_plan *plan)
{
    const struct rb_rail_place root = rb_rails_place(plan, plan->root);
    return root.lane >= 0 && root.size > 1 ? root.size - 1 : 1;
}

/* The rounds for lane rounds that begin in round 0 and end in plan->rounds. */
static void set_up(struct rb_plan *plan)
{
    const int32_t largest = plan->data.circulant.rails.inside, nodes = plan->groups.count;
    if (largest > 1)
        plan->rounds = nodes > 1 ? plan->rounds + 2 : plan->n + (largest > 2);
    plan->data.circulant.rails.delay = largest > 1;
    const bool direct = plan->data.circulant.rails.direct && nodes > 1;
    plan->max_ops = 4 * (largest - 1) + 2 * (direct ? nodes - 1 : 1);
}

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    const int status = rb_rails_init(plan, false, why, why_size);
    if (status != RB_OK)
        return status;
    set_up(plan);
    return rb_multiply_blocks(plan, (int64_t)rb_rails_lanes(plan) * pieces_of(plan), why, why_size);
}

/* The least common multiple. */
static int64_t common(int64_t a, int64_t b)
{
    int64_t x = a, y = b;
    while (y > 0) {
        const int64_t rest = x % y;
        x = y;
        y = rest;
    }
    return a / x * b;
}

static int init_direct(struct rb_plan *plan, char *why, size_t why_size)
{
    const int32_t nodes = plan->groups.count;
    const int status = rb_rails_init(plan, true, why, why_size);
    if (status != RB_OK)
        return status;
    plan->rounds = nodes > 1 ? plan->n + (nodes > 2) : 0;
    set_up(plan);
    return rb_rails_cut(plan, true,
                        rb_rails_lanes(plan) * common(pieces_of(plan), nodes > 1 ? nodes - 1 : 1),
                        why, why_size);
}

static void schedule(const struct rb_plan *plan, struct rb_rank *state)
{
    const struct rb_circulant *graph = &plan->data.circulant.graph;
    const int32_t relative = rb_rails_relative(plan, rb_group_of(&plan->groups, state->rank));
    rb_circulant_recv(graph, relative, state->state.byte);
    rb_circulant_send(graph, relative, state->state.byte + SEND_AT);
}

/* Block `block` of a lane. */
static struct rb_range lane_block(const struct rb_plan *plan, int32_t lane, int64_t block)
{
    const int64_t blocks = plan->blocks / rb_rails_lanes(plan), n = plan->n;
    int64_t first = block, end = block + 1, all = n;
    if (plan->data.circulant.rails.direct) {
        first = rb_rails_before(n, first, true);
        end = rb_rails_before(n, end, true);
        all = rb_rails_before(n, n, true);
    }
    const int64_t pieces = blocks / all;
    return (struct rb_range){RB_DST, plan->root, lane * blocks + first * pieces,
                             (end - first) * pieces};
}

/* A part of the range, of `parts` equal ones. */
static struct rb_range part_of(struct rb_range range, int32_t part, int32_t parts)
{
    range.count /= parts;
    range.first += part * range.count;
    return range;
}

/* The block that a node with this schedule receives or sends in lane round u; -1: none. */
static int64_t block_in(const struct rb_plan *plan, const int8_t entry[], int64_t u)
{
    if (!rb_rails_is_lane_round(plan, u))
        return -1;
    const struct rb_circulant_round now = rb_circulant_round_of(plan, u);
    const int64_t block = entry[now.k] + now.shift;
    return block < 0 ? -1 : rb_smaller(block, plan->n - 1);
}

static struct view view_of(const struct rb_plan *plan, const struct rb_rank *state, int64_t t)
{
    struct view view = {.plan = plan, .at = rb_rails_place(plan, state->rank), .t = t};
    view.relative = rb_rails_relative(plan, view.at.node);
    view.root_place = view.relative == 0 ? plan->root - view.at.first : -1;
    if (view.relative > 0 && !plan->data.circulant.rails.direct) {
        view.carried = block_in(plan, state->state.byte, t - 2);
    } else { /* t - 1 in the root's node, in others the last block that has come whole */
        view.carried = view.relative == 0 ? t - 1 : t - 2 - (plan->groups.count > 2);
        view.carried = view.carried < plan->n ? view.carried : -1;
    }
    return view;
}

/* What the root hands out of its own lane in round t; false: nothing. A direct plan begins when a
 * third of the rounds is over: until then blocks rise, and the root has enough to send. */
static bool root_range(const struct view *view, int32_t lane, int64_t t, struct rb_range *range)
{
    const struct rb_plan *plan = view->plan;
    const int64_t end = plan->groups.count > 1 ? plan->rounds - 1 : plan->n;
    if (!plan->data.circulant.rails.direct) {
        *range = lane_block(plan, lane, t);
        return t >= 0 && t < plan->n;
    }
    const int64_t blocks = plan->blocks / rb_rails_lanes(plan);
    const int64_t all = rb_rails_before(plan->n, plan->n, true), pieces = blocks / all;
    const int64_t rounds = end - end / 3, each = all / rounds, longer = all % rounds;
    const int64_t u = t - end / 3;
    *range = (struct rb_range){RB_DST, plan->root,
                               lane * blocks + (u * each + rb_smaller(u, longer)) * pieces,
                               (each + (u < longer)) * pieces};
    return u >= 0 && u < rounds && range->count > 0;
}

/* The part of the message between a place and another one of its node: what its bearer sends
 * inside, or has from the root to send it inside. */
static int32_t inside(const struct view *view, enum rb_op_kind kind, int32_t other,
                      struct rb_op ops[])
{
    const struct rb_plan *plan = view->plan;
    const int32_t from = kind == RB_SEND ? view->at.place : other;
    const int32_t to = kind == RB_SEND ? other : view->at.place;
    const int32_t root = view->root_place, size = view->at.size;
    const bool fresh = from == root;
    const int32_t bearer = fresh ? to : from;
    const int64_t block = !fresh ? view->carried : view->t < plan->n ? view->t : -1;
    const int32_t lane = rb_rails_lane(plan, bearer, size);
    const int32_t root_lane = root < 0 ? -1 : rb_rails_lane(plan, root, size);
    struct rb_range range;
    int32_t count = 0;
    if (to == root)
        return 0;
    if (lane >= 0 && block >= 0)
        ops[count++] = rb_rails_inside(&view->at, kind, other, lane_block(plan, lane, block));
    if (root_lane >= 0 && root_range(view, root_lane, view->t - !fresh, &range)) {
        const int32_t piece = bearer > root ? bearer - root - 1 : bearer - root - 1 + size;
        ops[count++] = rb_rails_inside(&view->at, kind, other, part_of(range, piece, size - 1));
    }
    return count;
}

static int32_t all_inside(const struct view *view, enum rb_op_kind kind, struct rb_op ops[])
{
    int32_t count = 0;
    for (int32_t other = 0; other < view->at.size; other++)
        if (other != view->at.place)
            count += inside(view, kind, other, ops + count);
    return count;
}

/* The message over the rail to or from relative node `there`; nothing goes to the root's. */
static int32_t over(const struct view *view, enum rb_op_kind kind, int32_t there, int64_t block,
                    struct rb_op *op)
{
    const struct rb_plan *plan = view->plan;
    if (block < 0 || view->at.lane < 0 || (kind == RB_SEND ? there : view->relative) == 0)
        return 0;
    *op = rb_rails_over(plan, &view->at, kind, rb_rails_node(plan, there),
                        lane_block(plan, view->at.lane, block));
    return 1;
}

/* A direct plan's messages over the rail: of block t - delay its part to each other node, and of
 * the block before each other node's part to all nodes but the root's. */
static int32_t over_all(const struct view *view, enum rb_op_kind kind, struct rb_op ops[])
{
    const struct rb_plan *plan = view->plan;
    const int64_t u = view->t - plan->data.circulant.rails.delay;
    int32_t count = 0;
    for (int32_t there = 0; there < plan->groups.count; there++) {
        const int32_t from = kind == RB_SEND ? view->relative : there;
        const int32_t to = kind == RB_SEND ? there : view->relative;
        const int64_t block = from == 0 ? u : u - 1;
        if (from == to || block >= plan->n)
            continue;
        const int32_t sent = over(view, kind, there, block, &ops[count]);
        if (sent > 0)
            ops[count].at =
                part_of(ops[count].at, (from == 0 ? to : from) - 1, plan->groups.count - 1);
        count += sent;
    }
    return count;
}

static int32_t round_(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                      struct rb_op ops[])
{
    const struct rb_circulant *graph = &plan->data.circulant.graph;
    const struct view view = view_of(plan, state, t);
    const int64_t u = t - plan->data.circulant.rails.delay;
    const int64_t sent = block_in(plan, state->state.byte + SEND_AT, u);
    const int64_t received = block_in(plan, state->state.byte, u);
    const int32_t k = rb_rails_is_lane_round(plan, u) ? rb_circulant_round_of(plan, u).k : 0;
    int32_t count = over(&view, RB_SEND, rb_circulant_to(graph, view.relative, k), sent, ops);
    count += all_inside(&view, RB_SEND, ops + count);
    count +=
        over(&view, RB_RECV, rb_circulant_from(graph, view.relative, k), received, ops + count);
    return count + all_inside(&view, RB_RECV, ops + count);
}

static int32_t round_direct(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                            struct rb_op ops[])
{
    const struct view view = view_of(plan, state, t);
    int32_t count = over_all(&view, RB_SEND, ops);
    count += all_inside(&view, RB_SEND, ops + count);
    count += over_all(&view, RB_RECV, ops + count);
    return count + all_inside(&view, RB_RECV, ops + count);
}

static void pipeline(const struct rb_plan *plan, int64_t *per_block, int64_t *fixed)
{
    *per_block = rb_rails_lanes(plan); /* a block is 1 / J of m / n */
    *fixed = plan->rounds - plan->n;
}

RB_ROW(rb_bcast_rails, "bcast", "rails", "pipeline over and inside nodes with a NIC per rank",
       "docs/rails.md, on Traeff 2024", "n - 1 + ceil(log2 N) + min(2, (K - 1) N)",
       RB_PIPELINED(" of each of J lanes"), RB_ON_RAILS, RB_LANES, .init = init, .rank = schedule,
       .round = round_, .pipeline = pipeline);

/* The same inside, while over its rail each rank sends to all nodes at once. A block of a lane, in
 * the lane's round t - 1, goes from the root's node to the N - 1 others, a part to each, and in the
 * next round each of these sends its part to all others. Blocks are shorter at both ends
 * (rb_rails_before), so that the first and the last one, which only some links carry, take little
 * time. Rounds, for N > 2 nodes of J to K > 1 ranks: n + 3. Volume: as above. N = 3 nodes of one
 * rank, root 0, n = 1, parts 0 and 1 of the block: 0 sends 0 to 1 and 1 to 2; then 1 sends 0 to 2,
 * and 2 sends 1 to 1. */
RB_ROW(rb_bcast_rails_direct, "bcast", "rails-direct",
       "pipeline over and inside nodes whose ranks send to all nodes at once", "docs/rails.md",
       "n - 1 + min(2, N - 1) + min(2, (K - 1) N)", RB_PIPELINED(" of each of J lanes"),
       RB_ON_RAILS_DIRECTLY, RB_LANES, .init = init_direct, .round = round_direct,
       .pipeline = pipeline);
