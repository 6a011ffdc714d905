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
#include "schedules/patterns/row.h"

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

/* The pieces of a lane's block. */
static int32_t pieces_of(const struct rb_plan *plan)
{
    const struct rb_rail_place root = rb_rails_place(plan, plan->root);
    return root.place < rb_rails_lanes(plan) && root.size > 1 ? root.size - 1 : 1;
}

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    int32_t largest;
    const int status = rb_rails_init(plan, &largest, why, why_size);
    if (status != RB_OK)
        return status;
    if (largest > 1)
        plan->rounds = plan->groups.count > 1 ? plan->rounds + 2 : plan->n + (largest > 2);
    plan->data.circulant.rails.delay = largest > 1;
    plan->max_ops = 4 * largest;
    return rb_multiply_blocks(plan, (int64_t)rb_rails_lanes(plan) * pieces_of(plan), why, why_size);
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
    const int64_t pieces = plan->blocks / (rb_rails_lanes(plan) * plan->n);
    return (struct rb_range){RB_DST, plan->root, (lane * plan->n + block) * pieces, pieces};
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
    view.carried = view.relative > 0 ? block_in(plan, state->state.byte, t - 2)
                   : t - 1 < plan->n ? t - 1
                                     : -1;
    return view;
}

/* The part of the message between a place and another one of its node: what its bearer sends
 * inside, or has from the root to send it inside. */
static int32_t inside(const struct view *view, enum rb_op_kind kind, int32_t other,
                      struct rb_op ops[])
{
    const struct rb_plan *plan = view->plan;
    const int32_t from = kind == RB_SEND ? view->at.place : other;
    const int32_t to = kind == RB_SEND ? other : view->at.place;
    const bool fresh = from == view->root_place;
    const int32_t bearer = fresh ? to : from, root = view->root_place;
    const int64_t block = !fresh ? view->carried : view->t < plan->n ? view->t : -1;
    int32_t count = 0;
    if (block < 0 || to == root)
        return 0;
    if (bearer < rb_rails_lanes(plan))
        ops[count++] = rb_rails_inside(&view->at, kind, other, lane_block(plan, bearer, block));
    if (root >= 0 && root < rb_rails_lanes(plan)) {
        struct rb_range piece = lane_block(plan, root, block);
        piece.first += bearer > root ? bearer - root - 1 : bearer - root - 1 + view->at.size;
        piece.count = 1;
        ops[count++] = rb_rails_inside(&view->at, kind, other, piece);
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
    if (block < 0 || view->at.place >= rb_rails_lanes(plan) ||
        (kind == RB_SEND ? there : view->relative) == 0)
        return 0;
    *op = rb_rails_over(plan, &view->at, kind, rb_rails_node(plan, there),
                        lane_block(plan, view->at.place, block));
    return 1;
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

static void pipeline(const struct rb_plan *plan, int64_t *per_block, int64_t *fixed)
{
    *per_block = rb_rails_lanes(plan); /* a block is 1 / J of m / n */
    *fixed = plan->rounds - plan->n;
}

RB_ROW(rb_bcast_rails, "bcast", "rails", "pipeline over and inside nodes with a NIC per rank",
       "docs/rails.md, on Traeff 2024", "n - 1 + ceil(log2 N) + min(2, (K - 1) N)",
       RB_PIPELINED(" of each of J lanes"), RB_ON_RAILS, .init = init, .rank = schedule,
       .round = round_, .pipeline = pipeline);
