/* reduce_scatter_ring.c - the ring allgather read backwards: partial results go round and grow.
 *
 * Source: textbook; what MPI libraries take for long messages. Rounds: p - 1. Volume: n (p - 1)
 * blocks sent per rank, optimal. A partial result starts at its owner's left neighbour and goes
 * left, so the order is cyclic: commutative operators only. p = 3: two rounds, each to the left
 * neighbour. */
#include "schedules/patterns/reversed.h"

extern const struct rb_algorithm rb_allgather_ring;

const struct rb_algorithm rb_reduce_scatter_ring = {
    .info = {.collective = "reduce-scatter",
             .name = "ring",
             .title = "partial results go round a ring",
             .paper = "textbook",
             .rounds = "p - 1",
             .blocks = "all blocks for a rank travel together",
             .pipelined = false},
    RB_REVERSED(rb_allgather_ring),
};
