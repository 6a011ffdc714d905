/* allreduce_circulant.c - circulant reduce-scatter, then circulant allgather.
 *
 * Source: J. L. Traeff, Optimal Broadcast Schedules in Logarithmic Time, 2024, Observation 1.4.
 * Rounds: 2 (n - 1 + q), q = ceil(log2 p). Volume: 2 n (p - 1) blocks sent per rank, of shares of n
 * blocks each: optimal. For n = 1, 2 q rounds. Commutative operators only. Memory of the plan:
 * those of the parts. p = 3, n = 1: two rounds of reduce-scatter, two of allgather. */
#include "schedules/patterns/composed.h"

extern const struct rb_algorithm rb_reduce_scatter_circulant, rb_allgather_circulant;

const struct rb_algorithm rb_allreduce_circulant = {
    .info = {.collective = "allreduce",
             .name = "circulant",
             .title = "p packed reductions, then p packed broadcasts, on the circulant graph",
             .paper = "Traeff 2024, Observation 1.4",
             .rounds = "2 (n - 1 + ceil(log2 p))",
             .blocks = "pipelined blocks of each of the p shares",
             .pipelined = true,
             .circulant = true},
    RB_COMPOSED(rb_reduce_scatter_circulant, rb_allgather_circulant),
};
