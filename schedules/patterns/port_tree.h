/* port_tree.h - a broadcast through the tree of ports of a plan's groups: in each round every group
 * of ranks takes in one message at most and sends out one, and which rank does so goes round by a
 * rule, the turns.
 *
 * The tree. A group of ranks has a port, and so have the groups of groups above it, and a rank. A
 * node with k children is a cube of dimension d = log2 k if k is a power of two; otherwise a cube
 * of dimension ceil(log2 k) - 1, each node of which is a child or a pair of them, a cube of
 * dimension 1. So on the way from the top to a rank there are cubes 0, 1, ..; cube l has dimension
 * d, and S is the sum of the dimensions before it. The root is node 0 of every cube on its way.
 *
 * The register of a node has d bits and starts as the node's number v. In each round the top bit
 * leaves it and comes back at the bottom, inverted if the bit that leaves the register of the cube
 * above in this round is 1 (in cube 0, never). Before round u a register reads the node's role y.
 *
 * In round u a node sends block u - 1 - j - S, where j is its role's highest one; negative:
 * nothing; beyond n - 1: that block. It sends it to the node of its cube whose role is y xor
 * 2^(d-1), whose number is v xor 2^((-1 - u) mod d). But up to round n - 2 + S the node of role 0,
 * the gate, sends what the cube sends out of it, and the node of role 2^(d-1), the taker, receives
 * what comes in; in cube 0 and later on the gate sends block min(u, n - 1) to the taker. A message
 * into a node goes to the taker's taker and so on, and one out of it comes from the gate's gate.
 * Nobody sends to the root. There are n - 1 + max (S + d) rounds, and each rank receives each block
 * once. docs/groups.md proves this.
 *
 * A register at any time. Registers are linear over GF(2) in the numbers at the start. So what bit
 * b of the number in cube i makes of the register in cube l > i is one response, as if that bit
 * were to leave cube i at once, d_i - 1 - b rounds later. Responses repeat after a period of lcm of
 * the dimensions times the least power of two above l. A shape is a sequence of dimensions from
 * cube 0 on; a plan has one for each that it needs, with its responses. A role is then as many
 * steps as there are ones in the numbers above.
 *
 * Three groups of 2 ranks, n = 2, root 0: cube 0 has d = 1, its node 0 is the pair of groups 0 and
 * 2, node 1 is group 1; so in groups 0 and 2 the cube of ranks has S = 2, in group 1 S = 1. What
 * each rank receives, from another group where marked *:
 *
 *   t   rank 1     rank 2     rank 3     rank 4     rank 5
 *   0      -          -       0 from 0*     -          -
 *   1      -       1 from 0*     -       0 from 3*     -
 *   2   0 from 4*  0 from 3   1 from 2      -       1 from 0*
 *   3   1 from 0      -          -       1 from 5   0 from 4
 */
#pragma once

#include "schedules/plan/plan.h"

/* Cubes on a way, at most: two for each level of groups and for the ranks. */
enum { RB_MOST_CUBES = 18 };

struct rb_shape {
    const struct rb_shape *above; /* NULL: it is of one cube */
    struct rb_shape *below[31];   /* by dimension */
    int32_t cube;                 /* l */
    int32_t d, before;            /* d and S of its last cube */
    int32_t period;
    uint32_t *response; /* [i * period + t]: what has become of cube i's top bit t rounds later */
};

/* The shape that has one more cube; above NULL: the empty one, *top. NULL without room, and
 * too_long is set if its period is above 2^20. */
struct rb_shape *rb_shape_below(struct rb_shape *above, int32_t d, bool *too_long);
void rb_shapes_free(struct rb_shape *top); /* and all below; safe on a zeroed one */

/* A way from the top to a rank. */
struct rb_way {
    const struct rb_shape *shape;
    int32_t number[RB_MOST_CUBES];
};

/* One more cube on the way. The shape must have it. */
static inline void rb_way_enter(struct rb_way *way, int32_t d, int32_t number)
{
    way->shape = way->shape->below[d];
    way->number[way->shape->cube] = number;
}

/* The cubes of a node with k > 1 children. */
struct rb_split {
    int32_t d;     /* of its cube */
    int32_t pairs; /* nodes 0 .. pairs - 1 are pairs: node v of children v and v + 2^d */
};
static inline struct rb_split rb_split(int32_t k)
{
    const int32_t q = rb_ceil_log2(k);
    return k == (int32_t)1 << q ? (struct rb_split){q, 0}
                                : (struct rb_split){q - 1, k - ((int32_t)1 << (q - 1))};
}

/* Enters the child of a node of k > 1 children that is the gate, or the taker, in round u, and
 * returns its number. */
int32_t rb_way_choose(struct rb_way *way, int32_t k, bool gate, int64_t u);

/* What the last node of a way sends, or receives, in round u: the block, or -1; the cube in which
 * the message stays, and the number there of the node at its other end. */
struct rb_turn {
    int64_t block;
    int32_t cube, number;
};
struct rb_turn rb_way_sends(const struct rb_way *way, int64_t n, int64_t u);
struct rb_turn rb_way_receives(const struct rb_way *way, int64_t n, int64_t u);

/* A node at depth 0 is all ranks, at depth i a group of level[i - 1], at the last depth, levels +
 * 1, a place. Groups of one rank and of all are no level. */
struct rb_port_tree {
    struct rb_shape top; /* the empty one */
    int32_t p, levels;
    const struct rb_groups *level[RB_MOST_CUBES / 2]; /* from the largest groups down */
    int32_t *child[RB_MOST_CUBES / 2]; /* of each node of level[i], its first one in level[i + 1],
                                        * and the end; owned */
};
int rb_port_tree_init(struct rb_port_tree *tree, const struct rb_plan *plan, char *why,
                      size_t why_size);
void rb_port_tree_free(struct rb_port_tree *tree); /* also after a failure */

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
