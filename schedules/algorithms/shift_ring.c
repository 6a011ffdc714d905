/* shift_ring.c - the data go round a ring, the shorter way.
 *
 * Source: Grama et al. 2003, "circular shift"; grid_shift.c says how. Rounds: min(q, p - q), or
 * one, to copy, if q = 0. Volume: n blocks per rank and round. p = 5, q = 3: two rounds to the left
 * neighbour. */
#include "schedules/patterns/grid_shift.h"

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    return rb_grid_shift_init(plan, rb_grid_ring(plan), why, why_size);
}

const struct rb_algorithm rb_shift_ring = {
    .info = {.collective = "shift",
             .name = "ring",
             .title = "round a ring, the shorter way",
             .paper = "Grama et al. 2003",
             .rounds = "max(1, min(q, p - q))",
             .blocks = "all blocks travel as one message",
             .pipelined = false},
    .init = init,
    RB_GRID_SHIFT,
};
