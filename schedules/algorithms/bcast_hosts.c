/* bcast_hosts.c - pipelined broadcast for ranks that share ports: in a round each group of ranks
 * takes in one message at most, and sends out one; and so do groups of groups.
 *
 * Source: this project; docs/groups.md, where it is proved. Rounds: n - 1 + ceil(log2 N) +
 * ceil(log2 K) for N groups of which the largest has K ranks; with more levels, n - 1 + the largest
 * sum of ceil(log2 k) on a way from the top to a rank, k being the children of a node. Groups of
 * one rank: n - 1 + ceil(log2 p). Optimal if groups are alike and a block enters each of them once.
 * Volume: n (p - 1) blocks, of which N - 1 or N times n pass between groups (those that come back
 * into the root's group are for its other ranks). State per rank: its numbers on its way
 * (schedules/patterns/turns.h, which has a table). Memory of the plan: the groups, and a few bytes
 * for each sequence of dimensions. */
#include <stdlib.h>
#include <string.h>

#include "schedules/patterns/lanes.h"
#include "schedules/patterns/turns.h"

enum { MOST_DEPTHS = RB_MOST_CUBES / 2 };

/* The tree of ports. A node at depth 0 is all ranks, at depth i a group of level[i - 1], at the
 * last depth a place. */
struct tree {
    struct rb_shape top; /* the empty one */
    int32_t levels;
    const struct rb_groups *level[MOST_DEPTHS]; /* from the largest groups down */
    int32_t root_place;
    int32_t height; /* the largest sum of dimensions */
};

static const struct tree *tree_of(const struct rb_plan *plan)
{
    return plan->data.own;
}

/* A node's first place and the place after its last one. */
struct span {
    int32_t first, end;
};
static struct span span_of(const struct rb_plan *plan, int32_t depth, int32_t node)
{
    const struct tree *tree = tree_of(plan);
    if (depth == 0)
        return (struct span){0, plan->p};
    if (depth > tree->levels)
        return (struct span){node, node + 1};
    const struct rb_groups *groups = tree->level[depth - 1];
    return (struct span){rb_group_first(groups, node), rb_group_first(groups, node + 1)};
}

/* The node of a depth that a place is in. */
static int32_t node_at(const struct tree *tree, int32_t depth, int32_t place)
{
    return depth == 0             ? 0
           : depth > tree->levels ? place
                                  : rb_group_of(tree->level[depth - 1], place);
}

/* The children of a node: k of them from `first` on, of which the number 0 has the root, if any has
 * it. */
struct children {
    int32_t first, k, root;
};
static struct children children_of(const struct rb_plan *plan, int32_t depth, int32_t node)
{
    const struct tree *tree = tree_of(plan);
    const struct span span = span_of(plan, depth, node);
    struct children children = {.first = node_at(tree, depth + 1, span.first)};
    children.k = node_at(tree, depth + 1, span.end - 1) + 1 - children.first;
    if (tree->root_place >= span.first && tree->root_place < span.end)
        children.root = node_at(tree, depth + 1, tree->root_place) - children.first;
    return children;
}

static int32_t child_at(const struct children *children, int32_t number)
{
    const int32_t to_end = children->k - children->root;
    return children->first + (number < to_end ? number + children->root : number - to_end);
}

static int32_t number_of(const struct children *children, int32_t child)
{
    const int32_t number = child - children->first - children->root;
    return number < 0 ? number + children->k : number;
}

/* ---- Shapes ---------------------------------------------------------------------------------- */

/* True if the children of a node below a depth are alike, but for its last one. */
static bool is_even(const struct tree *tree, int32_t depth)
{
    for (int32_t i = depth; i < tree->levels; i++)
        if (tree->level[i]->size == 0)
            return false;
    return true;
}

static int refuse(bool too_long, char *why, size_t why_size)
{
    return too_long ? rb_why(why, why_size, RB_ENOTSUP,
                             "hosts: the sizes of these groups differ so much that their turns "
                             "come again only after a million rounds")
                    : rb_why(why, why_size, RB_ENOMEM, "out of memory for the groups' turns");
}

/* Makes the shapes of all ways through a node. */
static int add_shapes(const struct rb_plan *plan, struct rb_shape *shape, int32_t depth,
                      int32_t node, char *why, size_t why_size)
{
    struct tree *tree = plan->data.own;
    bool too_long = false;
    if (depth > tree->levels) {
        const int32_t height = shape->before + shape->d;
        tree->height = height > tree->height ? height : tree->height;
        return RB_OK;
    }
    const struct children children = children_of(plan, depth, node);
    if (children.k == 1)
        return add_shapes(plan, shape, depth + 1, children.first, why, why_size);
    const struct rb_split split = rb_split(children.k);
    struct rb_shape *cube = rb_shape_below(shape, split.d, &too_long), *pair = cube;
    if (cube != NULL && split.pairs > 0)
        pair = rb_shape_below(cube, 1, &too_long);
    if (cube == NULL || pair == NULL)
        return refuse(too_long, why, why_size);
    /* Of children that are alike, two of the pairs and two others; and the last one. */
    const int32_t some[] = {0,
                            1,
                            split.pairs,
                            split.pairs + 1,
                            1 << split.d,
                            (1 << split.d) + 1,
                            number_of(&children, children.first + children.k - 1)};
    const int32_t many = sizeof some / sizeof some[0];
    const bool few = children.k > many && is_even(tree, depth);
    int status = RB_OK;
    for (int32_t i = 0; i < (few ? many : children.k) && status == RB_OK; i++) {
        const int32_t number = few ? some[i] : i;
        if (number < children.k)
            status = add_shapes(plan, number >> split.d > 0 || number < split.pairs ? pair : cube,
                                depth + 1, child_at(&children, number), why, why_size);
    }
    return status;
}

/* ---- Ways ------------------------------------------------------------------------------------ */

/* Enters a child, by its number. */
static void enter(struct rb_way *way, int32_t k, int32_t number)
{
    const struct rb_split split = rb_split(k);
    const int32_t in_cube = number & ((INT32_C(1) << split.d) - 1);
    rb_way_enter(way, split.d, in_cube);
    if (in_cube < split.pairs)
        rb_way_enter(way, 1, number >> split.d);
}

/* A rank's own way, kept in its state. */
static void find_way(const struct rb_plan *plan, struct rb_rank *state)
{
    const struct tree *tree = tree_of(plan);
    struct rb_way way = {.shape = &tree->top};
    const int32_t place = rb_groups_place(&plan->groups, state->rank);
    for (int32_t depth = 0; depth <= tree->levels; depth++) {
        const struct children children = children_of(plan, depth, node_at(tree, depth, place));
        if (children.k > 1)
            enter(&way, children.k, number_of(&children, node_at(tree, depth + 1, place)));
    }
    _Static_assert(sizeof way <= sizeof state->state, "the way fits");
    memcpy(&state->state, &way, sizeof way);
}

/* The rank at the other end of a message: the gate, or the taker, of the node that has the number
 * in one of the cubes on the rank's way. */
static int32_t find_peer(const struct rb_plan *plan, int32_t rank, const struct rb_way *own,
                         const struct rb_turn *turn, bool gate, int64_t u)
{
    const struct tree *tree = tree_of(plan);
    const int32_t place = rb_groups_place(&plan->groups, rank);
    struct rb_way way = {.shape = &tree->top};
    int32_t depth = 0, node = 0;
    for (; depth <= tree->levels; depth++) {
        const struct children children = children_of(plan, depth, node);
        if (children.k == 1) {
            node = children.first;
            continue;
        }
        const struct rb_split split = rb_split(children.k);
        const int32_t cube = way.shape->cube + 1;
        int32_t number;
        if (cube > turn->cube) {
            number = rb_way_choose(&way, children.k, gate, u);
        } else if (cube == turn->cube) {
            rb_way_enter(&way, split.d, number = turn->number);
            if (number < split.pairs)
                number += rb_way_choose(&way, 2, gate, u) << split.d;
        } else {
            number = number_of(&children, node_at(tree, depth + 1, place));
            const bool in_pair = (number & ((1 << split.d) - 1)) < split.pairs;
            if (in_pair && cube + 1 == turn->cube)
                number = own->number[cube] + (turn->number << split.d);
            enter(&way, children.k, number);
        }
        node = child_at(&children, number);
    }
    return rb_groups_rank(&plan->groups, node);
}

/* ---- The algorithm --------------------------------------------------------------------------- */

static void fini(struct rb_plan *plan)
{
    struct tree *tree = plan->data.own;
    if (rb_has_lanes(plan)) {
        rb_streams_fini(plan);
    } else if (tree != NULL) {
        rb_shapes_free(&tree->top);
        free(tree);
    }
}

/* True if groups have a port that neither all ranks share nor each has for itself. */
static bool is_shared(const struct rb_groups *groups)
{
    return groups->count > 1 && groups->count < groups->ranks;
}

static int make_tree(struct rb_plan *plan, char *why, size_t why_size)
{
    struct tree *tree = plan->data.own = calloc(1, sizeof *tree);
    if (tree == NULL)
        return refuse(false, why, why_size);
    tree->top.cube = -1;
    tree->root_place = rb_groups_place(&plan->groups, plan->root);
    for (const struct rb_groups *at = &plan->groups; at != NULL; at = at->above)
        tree->levels += is_shared(at);
    int32_t level = tree->levels;
    for (const struct rb_groups *at = &plan->groups; at != NULL; at = at->above)
        if (is_shared(at))
            tree->level[--level] = at;
    const int status = add_shapes(plan, &tree->top, 0, 0, why, why_size);
    plan->rounds = plan->n - 1 + tree->height;
    if (status != RB_OK)
        fini(plan);
    return status;
}

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    plan->max_ops = 2;
    plan->data.own = NULL;
    int status = rb_need_one_port(plan, why, why_size);
    if (plan->p == 1)
        plan->radix = 0;
    if (status == RB_OK && plan->radix > 0)
        status = rb_lanes_init(plan, why, why_size);
    return status != RB_OK || plan->p == 1 || rb_has_lanes(plan) ? status
                                                                 : make_tree(plan, why, why_size);
}

static void schedule(const struct rb_plan *plan, struct rb_rank *state)
{
    if (rb_has_lanes(plan))
        rb_lanes_rank(plan, state);
    else if (plan->p > 1)
        find_way(plan, state);
}

/* A round by turns. */
static int32_t round_of_turns(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                              struct rb_op ops[])
{
    struct rb_way way;
    int32_t count = 0;
    memcpy(&way, &state->state, sizeof way);
    const struct rb_turn out = rb_way_sends(&way, plan->n, t);
    if (out.block >= 0) {
        const int32_t to = find_peer(plan, state->rank, &way, &out, false, t);
        if (to != plan->root) {
            ops[count] = rb_root_op(plan, RB_SEND, 0, out.block, 1);
            ops[count++].peer = to;
        }
    }
    const struct rb_turn in = rb_way_receives(&way, plan->n, t);
    if (in.block >= 0 && state->rank != plan->root) {
        ops[count] = rb_root_op(plan, RB_RECV, 0, in.block, 1);
        ops[count++].peer = find_peer(plan, state->rank, &way, &in, true, t);
    }
    return count;
}

static int32_t round_(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                      struct rb_op ops[])
{
    return rb_has_lanes(plan) ? rb_lanes_round(plan, state, t, ops)
                              : round_of_turns(plan, state, t, ops);
}

static int64_t next(const struct rb_plan *plan, const struct rb_rank *state, int64_t t)
{
    struct rb_op ops[2];
    if (rb_has_lanes(plan))
        return rb_lanes_next(plan, state, t);
    while (t < plan->rounds && round_of_turns(plan, state, t, ops) == 0)
        t++;
    return t;
}

/* By turns each round has a message. */
static double cost(const struct rb_plan *plan, double bytes, double alpha_s, double beta_s_per_byte)
{
    if (rb_has_lanes(plan))
        return rb_lanes_cost(plan, bytes, alpha_s, beta_s_per_byte);
    return (double)plan->rounds * (alpha_s + beta_s_per_byte * bytes / (double)plan->n);
}

static void pipeline(const struct rb_plan *plan, int64_t *per_block, int64_t *fixed)
{
    *per_block = 1;
    *fixed = plan->rounds - plan->n;
}

RB_ROW(rb_bcast_hosts, "bcast", "hosts", "pipeline through ports that ranks share, by turns",
       "docs/groups.md", "at most n - 1 + ceil(log2 N) + ceil(log2 K)", RB_PIPELINED(""),
       RB_BY_GROUPS, .info.places = true, RB_LANES_RADIX, .init = init, .fini = fini,
       .rank = schedule, .round = round_, .next = next, .cost = cost, .pipeline = pipeline);
