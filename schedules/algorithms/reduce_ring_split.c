/* reduce_ring_split.c - reduce-scatter, then gather, on a ring.
 *
 * Source: Grama et al. 2003, "improving performance of operations". Rounds: p - 1 + ceil(log2 p).
 * Bytes on the longest path: 2 (p - 1)/p of the message. Commutative operators only. */
#include "schedules/patterns/composed.h"
#include "schedules/patterns/grid.h"

extern const struct rb_algorithm rb_reduce_scatter_ring, rb_gather_ring;

const struct rb_algorithm rb_reduce_ring_split = {
    .info = {.collective = "reduce",
             .name = "ring-split",
             .title = "reduce-scatter, then gather, on a ring",
             .paper = "Grama et al. 2003",
             .rounds = "p - 1 + ceil(log2 p)",
             .blocks = "blocks of each of the p shares, which travel together",
             .pipelined = false},
    RB_COMPOSED(rb_reduce_scatter_ring, rb_gather_ring),
};
