/* allgather_ring.c - everybody passes on to the next rank what it got from the last.
 *
 * Source: textbook; Grama et al. 2003, procedure ALL_TO_ALL_BC_RING; what MPI libraries take for
 * long messages; grid_allgather.c says how. Rounds: p - 1. Volume: n (p - 1) blocks received per
 * rank, optimal.
 *
 * In round t rank r sends the data of r - t to r + 1. p = 3: everybody its own, then its left
 * neighbour's. */
#include "schedules/patterns/grid_allgather.h"

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    return rb_grid_allgather_init(plan, rb_grid_ring(plan), why, why_size);
}

const struct rb_algorithm rb_allgather_ring = {
    .info = {.collective = "allgather",
             .name = "ring",
             .title = "each rank's data go round a ring",
             .paper = "textbook; Grama et al. 2003",
             .rounds = "p - 1",
             .blocks = "all blocks of a rank travel together",
             .pipelined = false},
    .init = init,
    RB_GRID_ALLGATHER,
};
