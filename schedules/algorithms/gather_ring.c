/* gather_ring.c - the scatter on a ring read backwards.
 *
 * Source: Grama et al. 2003, "scatter and gather"; formula (3). Rounds: ceil(log2 p), optimal. The
 * root receives (p - 1)/p of the data, as it must. p = 5, root 1: 0 -> 1; 2 -> 1, 3 -> 4; 4 -> 1
 * parts 3, 4. */
#include "schedules/patterns/grid.h"
#include "schedules/patterns/reversed.h"

extern const struct rb_algorithm rb_scatter_ring;

const struct rb_algorithm rb_gather_ring = {
    .info = {.collective = "gather",
             .name = "ring",
             .title = "within the parts of a ring of p ranks, then between them",
             .paper = "Grama et al. 2003",
             .rounds = "ceil(log2 p)",
             .blocks = "all blocks of a rank travel together",
             .pipelined = false},
    RB_REVERSED(rb_scatter_ring),
};
