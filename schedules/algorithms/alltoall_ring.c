/* alltoall_ring.c - a rank's data for all others go round a ring and get fewer on the way.
 *
 * Source: Grama et al. 2003, "all-to-all personalized communication on a ring"; formula (4);
 * grid_alltoall.c says how. Rounds: p - 1. Volume: n p (p - 1)/2 blocks sent per rank. p = 3, rank
 * 0 sends {0, 1}, {0, 2} to 1; {2, 1} there. */
#include "schedules/patterns/grid_alltoall.h"

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    return rb_grid_alltoall_init(plan, rb_grid_ring(plan), why, why_size);
}

const struct rb_algorithm rb_alltoall_ring = {
    .info = {.collective = "alltoall",
             .name = "ring",
             .title = "data for all others round a ring, fewer on the way",
             .paper = "Grama et al. 2003",
             .rounds = "p - 1",
             .blocks = "all blocks for a rank travel together",
             .pipelined = false},
    .init = init,
    RB_GRID_ALLTOALL,
};
