/* bcast_ring_split.c - scatter, then allgather, on a ring.
 *
 * Source: Grama et al. 2003, "improving performance of operations". Rounds: p - 1 + ceil(log2 p).
 * Bytes on the longest path: 2 (p - 1)/p of the message. */
#include "schedules/patterns/composed.h"
#include "schedules/patterns/grid.h"

extern const struct rb_algorithm rb_scatter_ring, rb_allgather_ring;

const struct rb_algorithm rb_bcast_ring_split = {
    .info = {.collective = "bcast",
             .name = "ring-split",
             .title = "scatter, then allgather, on a ring",
             .paper = "Grama et al. 2003",
             .rounds = "p - 1 + ceil(log2 p)",
             .blocks = "blocks of each of the p shares, which travel together",
             .pipelined = false},
    RB_COMPOSED(rb_scatter_ring, rb_allgather_ring),
};
