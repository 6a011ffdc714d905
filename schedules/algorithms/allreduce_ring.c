/* allreduce_ring.c - ring reduce-scatter, then ring allgather.
 *
 * Source: textbook; what MPI and machine-learning libraries take for long vectors. Rounds: 2 (p -
 * 1). Volume: 2 n (p - 1) blocks sent per rank, of shares of n blocks each: optimal. Commutative
 * operators only. p = 3: two rounds to the left, two to the right. */
#include "schedules/patterns/composed.h"

extern const struct rb_algorithm rb_reduce_scatter_ring, rb_allgather_ring;

const struct rb_algorithm rb_allreduce_ring = {
    .info = {.collective = "allreduce",
             .name = "ring",
             .title = "partial results go round a ring, then the results",
             .paper = "textbook",
             .rounds = "2 (p - 1)",
             .blocks = "blocks of each of the p shares, which travel together",
             .pipelined = false},
    RB_COMPOSED(rb_reduce_scatter_ring, rb_allgather_ring),
};
