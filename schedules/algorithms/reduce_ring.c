/* reduce_ring.c - the broadcast on a ring read backwards.
 *
 * Source: Grama et al. 2003, "all-to-one reduction". Rounds: ceil(log2 p). Volume: n (p - 1)
 * blocks. Rank order is kept for any root: the partial results of neighbours meet. p = 5, root 1: 0
 * -> 1; 2 -> 1, 3 -> 4; 4 -> 1. */
#include "schedules/patterns/grid.h"
#include "schedules/patterns/reversed.h"

extern const struct rb_algorithm rb_bcast_ring;

const struct rb_algorithm rb_reduce_ring = {
    .info = {.collective = "reduce",
             .name = "ring",
             .title = "within the parts of a ring of p ranks, then between them",
             .paper = "Grama et al. 2003",
             .rounds = "ceil(log2 p)",
             .blocks = "all blocks travel as one message",
             .pipelined = false},
    RB_REVERSED(rb_bcast_ring),
    .ordered_for_every_root = true,
};
