/* scatter_hypercube.c - across one dimension of a hypercube after the other the parts of the other
 * half.
 *
 * Source: Grama et al. 2003, "scatter and gather"; formula (3); grid_bcast.c says how. Rounds: log2
 * p, p = 2^d. The root sends (p - 1)/p of the data, as it must. Ranks are numbered by their
 * exclusive or with the root, so that all messages go to neighbours. p = 4, root 3: 3 -> 1 parts 0,
 * 1; 3 -> 2 part 2, 1 -> 0 part 0. */
#include "schedules/patterns/grid_bcast.h"

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    return rb_grid_scatter_init(plan, rb_grid_hypercube(plan), why, why_size);
}

const struct rb_algorithm rb_scatter_hypercube = {
    .info = {.collective = "scatter",
             .name = "hypercube",
             .title = "the dimensions of a hypercube, the highest first, the data halving",
             .paper = "Grama et al. 2003",
             .rounds = "log2 p",
             .blocks = "all blocks for a rank travel together",
             .ranks = RB_HYPERCUBE_RANKS,
             .pipelined = false},
    .init = init,
    RB_GRID_SCATTER,
    .fits = rb_hypercube_fits,
};
