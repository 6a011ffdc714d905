/* gather_hypercube.c - the scatter on a hypercube read backwards.
 *
 * Source: Grama et al. 2003, "scatter and gather"; formula (3). Rounds: log2 p, p = 2^d. The root
 * receives (p - 1)/p of the data, as it must. p = 4, root 3: 2 -> 3, 0 -> 1; 1 -> 3 parts 0, 1. */
#include "schedules/patterns/grid.h"
#include "schedules/patterns/reversed.h"

extern const struct rb_algorithm rb_scatter_hypercube;

const struct rb_algorithm rb_gather_hypercube = {
    .info = {.collective = "gather",
             .name = "hypercube",
             .title = "the dimensions of a hypercube, the lowest first, the data doubling",
             .paper = "Grama et al. 2003",
             .rounds = "log2 p",
             .blocks = "all blocks of a rank travel together",
             .ranks = RB_HYPERCUBE_RANKS,
             .pipelined = false},
    RB_REVERSED(rb_scatter_hypercube),
    .fits = rb_hypercube_fits,
};
