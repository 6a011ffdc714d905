/* scatter_ring.c - the parts of the other half of a ring, then in both halves.
 *
 * Source: Grama et al. 2003, "scatter and gather"; formula (3); grid_bcast.c says how. Rounds:
 * ceil(log2 p), optimal. The root sends (p - 1)/p of the data, as it must. p = 5, root 1: 1 -> 4
 * parts 3, 4; 1 -> 2 part 2, 4 -> 3 part 3; 1 -> 0 part 0. */
#include "schedules/patterns/grid_bcast.h"

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    return rb_grid_scatter_init(plan, rb_grid_ring(plan), why, why_size);
}

const struct rb_algorithm rb_scatter_ring = {
    .info = {.collective = "scatter",
             .name = "ring",
             .title = "a ring of p ranks cut in two, and its parts, each half's data together",
             .paper = "Grama et al. 2003",
             .rounds = "ceil(log2 p)",
             .blocks = "all blocks for a rank travel together",
             .pipelined = false},
    .init = init,
    RB_GRID_SCATTER,
};
