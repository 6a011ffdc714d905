/* two_trees.c - broadcast, reduction, allreduce and scans on two binary trees over the same ranks,
 * in which the interior ranks of one are leaves of the other; each carries every other block, so
 * that a rank receives a block and sends a block in every round.
 *
 * Source: P. Sanders, J. Speck, J. L. Traeff, "Two-tree algorithms for full bandwidth broadcast,
 * reduction and scan", Parallel Computing 35, 2009: trees numbered in order, one the mirror image
 * of the other, whose edges have two colours that take turns. The formula for the colours is ours,
 * and what is done for p of the wrong parity.
 *
 * The nodes are 1 .. N, N even. In tree 0 a node is above those nodes around it that have fewer
 * factors 2. So odd nodes are leaves and even ones interior, which the mirror r -> N + 1 - r, tree
 * 1, exchanges. The edge down to r has the colour c(r) in tree 0, 1 - c(N + 1 - r) in tree 1, with
 * c(r) = c(N + 1 - r): a node's two incoming edges differ. The top has colour 0; an even left child
 * has another colour than its parent if N / 2 is even, an even right child if N / 2 is odd, and
 * otherwise they have the same. So even siblings differ. Odd siblings are mirror images of two even
 * nodes v and v + 2, where v / 2 is odd if and only if N / 2 is even. If v / 2 is odd, v is the
 * last node left of v + 2, whose path to it goes left once and then right; otherwise v + 2 is the
 * first node right of v, whose path to it goes right once and then left. So they differ, too.
 *
 * Edges of colour c carry blocks in rounds of parity c, one or two rounds after the edge above.
 * Tree j carries blocks j, j + 2, ..., tree 1 a round later than its mirror image. The latest first
 * block of tree 0 arrives in round D = 2 floor(log2 (N / 2)) + 1, one later if N / 2 is odd, if a
 * source sends it to the top in round 0. So n blocks take n + D rounds.
 *
 * State per rank: its edges in both trees. */
#include "schedules/patterns/sequence.h"
#include "schedules/patterns/tree.h"
#include "schedules/plan/plan.h"

#define PAPER "Sanders, Speck, Traeff 2009"

/* ---- Trees ----------------------------------------------------------------------------------- */

/* The edges of a node: from its parents in tree 0 and tree 1, and to its children with lower and
 * higher numbers, in the tree in which it is interior; of the source: to the tops of both trees. A
 * rank's state, half of which (sequence.h) is used, has for each edge the node at its other end, or
 * -1 if there is no edge; then the round of its first block, or INT64_MAX. */
enum { IN_0, IN_1, LOWER, HIGHER, EDGES, FIRST = EDGES };

static void set(struct rb_rank *state, int32_t edge, int32_t peer, int64_t first)
{
    state->state.number[edge] = peer;
    state->state.number[FIRST + edge] = first;
}

/* In tree 0: the left child (side 0) or the right one of an even node; -1: there is none. */
static int32_t child(int32_t nodes, int32_t r, int32_t side)
{
    int32_t half = (r & -r) / 2;
    if (side == 0)
        return r - half;
    while (r + half > nodes)
        half /= 2;
    return half > 0 ? r + half : -1;
}

struct place {
    int32_t parent; /* 0: none */
    int64_t arrival;
};

/* In tree 0, from the top down to r; the last step to an odd node takes no time. */
static struct place descend(int32_t nodes, int32_t r)
{
    struct place place = {0, 0};
    for (int32_t node = (int32_t)1 << rb_floor_log2(nodes); node != r;) {
        const int32_t side = r < node ? 0 : 1;
        place.parent = node;
        node = child(nodes, node, side);
        if (node % 2 == 0)
            place.arrival += (nodes / 2 + side) % 2 + 1;
    }
    return place;
}

static struct place find(int32_t nodes, int32_t r)
{
    struct place place = descend(nodes, r);
    if (r % 2 == 1)
        place.arrival += 1 + (place.arrival + 1 + descend(nodes, nodes + 1 - r).arrival) % 2;
    return place;
}

/* The edges of r, a node or the source (-1: there is none), and all rounds `lead` later. */
static void place(int32_t nodes, int32_t r, int32_t source, int64_t lead, struct rb_rank *state)
{
    for (int32_t edge = 0; edge < EDGES; edge++)
        set(state, edge, -1, INT64_MAX);
    for (int32_t tree = 0; tree < 2 && nodes > 0; tree++) {
        const int32_t mirror = nodes + 1, role = tree == 0 ? r : mirror - r;
        const int32_t top = (int32_t)1 << rb_floor_log2(nodes);
        if (r == source) {
            set(state, LOWER + tree, tree == 0 ? top : mirror - top, lead + tree);
            continue;
        }
        const struct place here = find(nodes, role);
        const int32_t parent = tree == 0 ? here.parent : mirror - here.parent;
        if (here.parent > 0 || source >= 0)
            set(state, IN_0 + tree, here.parent > 0 ? parent : source, here.arrival + lead + tree);
        for (int32_t side = 0; side < 2 && role % 2 == 0; side++) {
            const int32_t below = child(nodes, role, side);
            if (below > 0)
                set(state, side == tree ? LOWER : HIGHER, tree == 0 ? below : mirror - below,
                    find(nodes, below).arrival + lead + tree);
        }
    }
}

/* D. */
static int64_t latest(int32_t nodes)
{
    return 2 * rb_floor_log2(nodes / 2) + 1 + nodes / 2 % 2;
}

/* The block that passes an edge of r in round t, or -1. */
static int64_t block_at(const struct rb_plan *plan, const struct rb_rank *state, int32_t nodes,
                        int32_t r, int32_t edge, int64_t t)
{
    const int64_t since = t - state->state.number[FIRST + edge];
    const int32_t tree = edge < LOWER ? edge : 0 < r && r <= nodes ? r % 2 : edge - LOWER;
    return since >= 0 && since % 2 == 0 && since + tree < plan->n ? since + tree : -1;
}

/* Of scans there are two halves. */
static void pipeline(const struct rb_plan *plan, int64_t *per_block, int64_t *fixed)
{
    *per_block = plan->collective == &rb_scan || plan->collective == &rb_exscan ? 2 : 1;
    *fixed = plan->rounds - *per_block * plan->n;
}

/* ---- Broadcast, reduction, allreduce --------------------------------------------------------- */

/* Relative ranks 1 .. N are in the trees, and the others are a chain from the root on, whose last
 * one is the source: the root itself for odd p, and rank p - 1 for even p, which sends what the
 * root would send, a round later, so that ranks are numbered in order for every p; N = 0 for p
 * <= 4. Rounds: n + D for odd p, one more for even p, n + p - 2 for p <= 4; for many blocks half as
 * many as for `binary`, whose ranks send each block twice. Volume: n (p - 1) blocks.
 *
 * p = 5, n = 2; 4 is the top of tree 0, 1 that of tree 1. Round 0: 0 -> 4 block 0. 1: 4 -> 2 block
 * 0, 0 -> 1 block 1. 2: 2 -> 1 block 0, 1 -> 3 block 1. 3: 2 -> 3 block 0, 3 -> 4 block 1. 4: 3 ->
 * 2 block 1. */
static int32_t bcast_nodes(const struct rb_plan *plan)
{
    return plan->p > 4 ? (plan->p - 1) / 2 * 2 : 0;
}

static int bcast_init(struct rb_plan *plan, char *why, size_t why_size)
{
    const int32_t nodes = bcast_nodes(plan), chain = plan->p - nodes;
    plan->max_ops = 2;
    if (plan->p > 1)
        plan->rounds = plan->n + chain - 2 + (nodes > 0 ? latest(nodes) + 1 : 0);
    return rb_need_one_port(plan, why, why_size);
}

static void bcast_place(const struct rb_plan *plan, struct rb_rank *state)
{
    const int32_t nodes = bcast_nodes(plan), r = state->relative, last = plan->p - nodes - 1;
    const int32_t source = last == 0 ? 0 : plan->p - 1;
    const int32_t i = r == 0 ? 0 : r > nodes ? r - nodes : -1; /* in the chain */
    place(nodes, i >= 0 ? source : r, source, last, state);
    for (int32_t tree = 0; tree < 2; tree++) {
        if (0 <= i && i < last)
            set(state, LOWER + tree, nodes + i + 1, i + tree);
        if (i > 0)
            set(state, IN_0 + tree, i == 1 ? 0 : r - 1, i - 1 + tree);
    }
}

static int32_t bcast_round(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                           struct rb_op ops[])
{
    int32_t count = 0;
    for (int32_t i = 0; i < EDGES; i++) {
        const int32_t edge = (i + 2) % EDGES; /* sends come first */
        const int64_t block = block_at(plan, state, bcast_nodes(plan), state->relative, edge, t);
        if (block >= 0)
            rb_put_root_op(plan, &ops[count++], edge < LOWER ? RB_RECV : RB_SEND,
                           (int32_t)state->state.number[edge], block);
    }
    return count;
}

/* With h = N / 2. */
#define BCAST_ROUNDS "n + p - 2 + min(1, h - 1) (2 floor(log2 h) + 2 - h - 2 floor(h / 2))"
#define BCAST_HALF   ", h = max(1, floor((p - 1) / 2))"

RB_ROW(rb_bcast_two_tree, "bcast", "two-tree", "every other block down each of two binary trees",
       PAPER, BCAST_ROUNDS BCAST_HALF, RB_PIPELINED(""), .init = bcast_init, .rank = bcast_place,
       .round = bcast_round, .cost = rb_tree_cost, .pipeline = pipeline);

/* Rank order is kept for root 0: partial results of neighbours meet, counted from the root. */
RB_ROW(rb_reduce_two_tree, "reduce", "two-tree", "every other block up each of two binary trees",
       PAPER, BCAST_ROUNDS BCAST_HALF, RB_REVERSED(rb_bcast_two_tree), RB_PIPELINED(""),
       .pipeline = rb_reversed_pipeline, .ordered_for_root_0 = true);

RB_ROW(rb_allreduce_two_tree, "allreduce", "two-tree",
       "every other block up each of two binary trees to rank 0, and back", PAPER,
       "2 (" BCAST_ROUNDS ")" BCAST_HALF, RB_COMPOSED(rb_reduce_two_tree, rb_bcast_two_tree),
       RB_PIPELINED(""), .pipeline = rb_composed_pipeline, .ordered_for_root_0 = true);

/* ---- Scan, exscan ---------------------------------------------------------------------------- */

/* Rank r is node r + 1; for odd p, rank p - 1 is not in the trees but above their tops, where it
 * gets the combination of all other ranks' data. Let x be a rank's contribution, L and R the
 * combinations of its lower and its higher subtree, and B that of all ranks before its subtree,
 * which does not exist where a subtree begins with rank 0. In the first half, a broadcast read
 * backwards, a rank sends L x R upwards. In the second half it receives B, sends B to its lower
 * child, and sends B L x to its higher child. Its result is B L x, for exscan B L. L x is formed in
 * DST, for exscan in SRC, and L in DST; L x R, and then B, in TMP.
 *
 * Rounds: n + D - 1 in each half, and one more in the first one for odd p. There is no closed form
 * of the time: for some p and n, some round has no message. Volume: at most 2 n (p - 1) blocks.
 * p = 4, n = 1: 2 -> 1 R; 0 -> 1 L; 1 -> 3 L x R, and 3 has no B to send; then 1 -> 2 L x. */
enum { FIRST_HALF }; /* rounds */

static int32_t scan_nodes(const struct rb_plan *plan)
{
    return plan->p - plan->p % 2;
}

static int scan_init(struct rb_plan *plan, char *why, size_t why_size)
{
    const int32_t odd = plan->p % 2;
    const int64_t half = plan->p == 1 ? 0 : plan->n + latest(scan_nodes(plan)) - 1 + odd;
    plan->data.number[FIRST_HALF] = half;
    plan->rounds = plan->p == 1 ? 0 : 2 * half - odd;
    plan->max_ops = 4;
    plan->buffers |= 1u << RB_TMP;
    return rb_need_one_port(plan, why, why_size);
}

static void scan_place(const struct rb_plan *plan, struct rb_rank *state)
{
    const int32_t odd = plan->p % 2;
    place(scan_nodes(plan), state->rank + 1, odd == 1 ? plan->p : -1, odd - 1, state);
}

/* True if r's subtree in the tree of an edge does not begin with node 1. */
static bool has_before(int32_t nodes, int32_t r, int32_t edge)
{
    const int32_t role = nodes + 1 - r, tree = edge < LOWER ? edge : r % 2;
    return tree == 0 ? (r & -r) != r : (role & -role) <= nodes - role;
}

/* An operation on a block. What comes in is of lower ranks. from: where RB_REDUCE reads it. */
static void put(const struct rb_plan *plan, struct rb_op *op, enum rb_op_kind kind, int64_t peer,
                enum rb_buffer buffer, enum rb_buffer from, int64_t block)
{
    rb_put_root_op(plan, op, kind, (int32_t)peer, block);
    op->at.buffer = buffer;
    op->incoming_is_left = kind == RB_RECV_REDUCE || kind == RB_REDUCE;
    op->from = op->at;
    op->from.buffer = from;
}

/* The operations of an edge, upwards or downwards; their number. The child from which a block comes
 * last is the one to which a broadcast sends it first. */
static int32_t use(const struct rb_plan *plan, const struct rb_rank *state, int32_t edge, bool up,
                   int64_t block, struct rb_op ops[])
{
    const int64_t *number = state->state.number, *first = number + FIRST;
    const bool exclusive = plan->collective == &rb_exscan, sends = up == (edge < LOWER);
    const bool inner = edge == (state->rank + 1) % 2; /* from the parent, where it has children */
    const bool has_higher = number[HIGHER] >= 0 && state->rank < scan_nodes(plan);
    const bool in_tmp = up ? has_higher && (inner || edge == HIGHER) : inner || edge == LOWER;
    const enum rb_buffer own = exclusive ? RB_SRC : RB_DST;
    const enum rb_buffer buffer = in_tmp ? RB_TMP : sends ? own : RB_DST;
    const enum rb_op_kind incoming = in_tmp || exclusive ? RB_RECV : RB_RECV_REDUCE;
    int32_t count = 1;
    put(plan, ops, sends ? RB_SEND : incoming, number[edge] - 1, buffer, buffer, block);
    if (up && edge == LOWER && exclusive)
        put(plan, &ops[count++], RB_REDUCE, state->rank, own, RB_DST, block);
    if (up && !sends && has_higher && first[edge] <= first[LOWER] && first[edge] <= first[HIGHER])
        put(plan, &ops[count++], RB_REDUCE, state->rank, RB_TMP, own, block);
    if (!up && inner)
        put(plan, &ops[count++], RB_REDUCE, state->rank, RB_DST, RB_TMP, block);
    if (!up && inner && exclusive)
        put(plan, &ops[count++], RB_REDUCE, state->rank, own, RB_TMP, block);
    return count;
}

static int32_t scan_round(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                          struct rb_op ops[])
{
    const int64_t half = plan->data.number[FIRST_HALF];
    const int32_t nodes = scan_nodes(plan), node = state->rank + 1;
    const bool up = t < half;
    const int64_t forward = up ? half - 1 - t : t - half + plan->p % 2;
    int32_t count = 0;
    for (int32_t i = 0; i < EDGES && (up || node <= nodes); i++) {
        const int32_t edge = up ? i : (i + 2) % EDGES; /* sends come first */
        const int64_t block = block_at(plan, state, nodes, node, edge, forward);
        if (block >= 0 && (up || edge == HIGHER || has_before(nodes, node, edge)))
            count += use(plan, state, edge, up, block, &ops[count]);
    }
    return count;
}

#define SCAN(symbol, collective)                                                                   \
    RB_ROW(symbol, collective, "two-tree",                                                         \
           "every other block up each of two binary trees, and back", PAPER,                       \
           "2 n + 4 floor(log2 h) + p - 4 floor(h / 2), h = floor(p / 2)", RB_PIPELINED(""),       \
           .init = scan_init, .rank = scan_place, .round = scan_round, .pipeline = pipeline,       \
           .ordered_for_root_0 = true)
SCAN(rb_scan_two_tree, "scan");
SCAN(rb_exscan_two_tree, "exscan");
