/* port_tree.h - the tree of ports of a plan's groups, and the turns (turns.h) of messages in it or
 * below one of its nodes. */
#ifndef RB_SCHEDULES_PATTERNS_PORT_TREE_H
#define RB_SCHEDULES_PATTERNS_PORT_TREE_H

#include "schedules/patterns/turns.h"

/* A node at depth 0 is all ranks, at depth i a group of level[i - 1], at the last depth, levels +
 * 1, a place. Groups of one rank and of all are no level. */
struct rb_port_tree {
    struct rb_shape top; /* the empty one; rb_shapes_free frees those below */
    int32_t p, levels;
    const struct rb_groups *level[RB_MOST_CUBES / 2]; /* from the largest groups down */
};
void rb_port_tree_init(struct rb_port_tree *tree, const struct rb_plan *plan);

/* The node of a depth that a place is in. */
int32_t rb_port_node(const struct rb_port_tree *tree, int32_t depth, int32_t place);

/* A broadcast below the node at a depth that its root is in. */
struct rb_port_root {
    struct rb_port_tree *tree;
    int32_t depth, place;
};

/* Makes the shapes of all ways, and raises *height to the largest sum of dimensions. RB_ENOMEM, or
 * RB_ENOTSUP, with why. */
int rb_port_tree_add(const struct rb_port_root *root, int32_t *height, char *why, size_t why_size);

/* The way to a place; empty if the node is a single place. */
struct rb_way rb_port_way(const struct rb_port_root *root, int32_t place);

/* The place at the other end of a message: the gate, or the taker, of the node that has the turn's
 * number in one of the cubes on the way to `place`. */
int32_t rb_port_peer(const struct rb_port_root *root, int32_t place, const struct rb_way *own,
                     const struct rb_turn *turn, bool gate, int64_t u);

#endif
