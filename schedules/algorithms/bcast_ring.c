/* bcast_ring.c - the whole message to the other half of a ring, then in both halves.
 *
 * Source: Grama et al. 2003, "one-to-all broadcast on a ring"; grid_bcast.c says how. Rounds:
 * ceil(log2 p). Volume: n (p - 1) blocks. p = 5, root 1: 1 -> 4; 1 -> 2, 4 -> 3; 1 -> 0. */
#include "schedules/patterns/grid_bcast.h"

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    return rb_grid_bcast_init(plan, rb_grid_ring(plan), why, why_size);
}

const struct rb_algorithm rb_bcast_ring = {
    .info = {.collective = "bcast",
             .name = "ring",
             .title = "a ring of p ranks cut in two, and its parts",
             .paper = "Grama et al. 2003",
             .rounds = "ceil(log2 p)",
             .blocks = "all blocks travel as one message",
             .pipelined = false},
    .init = init,
    RB_GRID_BCAST,
};
