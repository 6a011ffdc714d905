/* reduce_scatter_circulant.c - the packed circulant allgather read backwards.
 *
 * Source: J. L. Traeff, Optimal Broadcast Schedules in Logarithmic Time, 2024, Observation 1.4.
 * Rounds: n - 1 + ceil(log2 p); for n = 1 that is ceil(log2 p) rounds in which a rank sends,
 * receives and combines p - 1 blocks, the least possible. Commutative operators only. Memory of the
 * plan: that of the allgather. p = 3, n = 1: round 0: r sends its contribution for r + 1 to r + 1;
 * round 1: for r + 2 to r + 2, in the backward direction of the graph. */
#include "schedules/patterns/reversed.h"

extern const struct rb_algorithm rb_allgather_circulant;

const struct rb_algorithm rb_reduce_scatter_circulant = {
    .info = {.collective = "reduce-scatter",
             .name = "circulant",
             .title = "p packed reductions on the circulant graph",
             .paper = "Traeff 2024, Observation 1.4",
             .rounds = "n - 1 + ceil(log2 p)",
             .blocks = "pipelined blocks for every rank",
             .pipelined = true,
             .circulant = true},
    RB_REVERSED(rb_allgather_circulant),
};
