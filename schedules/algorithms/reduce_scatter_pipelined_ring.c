/* reduce_scatter_pipelined_ring.c - the pipelined ring allgather read backwards.
 *
 * Source: the allgather's. Rounds: n + p - 2. Volume: n (p - 1) blocks sent per rank, optimal. The
 * order is cyclic: commutative operators only. p = 3, n = 2: the allgather's rounds 2, 1, 0. */
#include "schedules/patterns/reversed.h"

extern const struct rb_algorithm rb_allgather_pipelined_ring;

const struct rb_algorithm rb_reduce_scatter_pipelined_ring = {
    .info = {.collective = "reduce-scatter",
             .name = "pipelined-ring",
             .title = "a chain towards every rank, all at once round a ring",
             .paper = "Traeff et al. 2010, reversed",
             .rounds = "n + p - 2",
             .blocks = "pipelined blocks for every rank",
             .pipelined = true},
    RB_REVERSED(rb_allgather_pipelined_ring),
};
