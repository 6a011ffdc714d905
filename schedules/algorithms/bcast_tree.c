/* bcast_tree.c - the whole message to the other subtree of a balanced binary tree, then in both.
 *
 * Source: Grama et al. 2003, "broadcast and reduction on a balanced binary tree": ranks are leaves,
 * what is inside only passes messages on; formula (1). Rounds: log2 p, p = 2^d. Volume: n (p - 1)
 * blocks. A message stays inside the least subtree of both its ranks, which no other uses in that
 * round. p = 4, root 0: 0 -> 2; 0 -> 1, 2 -> 3. */
#include "schedules/patterns/grid_bcast.h"

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    return rb_grid_bcast_init(plan, rb_grid_ring(plan), why, why_size);
}

const struct rb_algorithm rb_bcast_tree = {
    .info = {.collective = "bcast",
             .name = "tree",
             .title = "the two halves of a balanced binary tree, then theirs",
             .paper = "Grama et al. 2003",
             .rounds = "log2 p",
             .blocks = "all blocks travel as one message",
             .ranks = RB_HYPERCUBE_RANKS,
             .pipelined = false},
    .init = init,
    RB_GRID_BCAST,
    .fits = rb_hypercube_fits,
};
