/* reduce_tree.c - the broadcast on a balanced binary tree read backwards.
 *
 * Source: Grama et al. 2003, "broadcast and reduction on a balanced binary tree"; formula (1).
 * Rounds: log2 p, p = 2^d. Volume: n (p - 1) blocks. Rank order is kept for any root: neighbouring
 * subtrees meet. p = 4, root 0: 1 -> 0, 3 -> 2; 2 -> 0. */
#include "schedules/patterns/grid.h"
#include "schedules/patterns/reversed.h"

extern const struct rb_algorithm rb_bcast_tree;

const struct rb_algorithm rb_reduce_tree = {
    .info = {.collective = "reduce",
             .name = "tree",
             .title = "within the subtrees of a balanced binary tree, then between them",
             .paper = "Grama et al. 2003",
             .rounds = "log2 p",
             .blocks = "all blocks travel as one message",
             .ranks = RB_HYPERCUBE_RANKS,
             .pipelined = false},
    RB_REVERSED(rb_bcast_tree),
    .fits = rb_hypercube_fits,
    .ordered_for_every_root = true,
};
