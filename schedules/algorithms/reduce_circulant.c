/* reduce_circulant.c - round-optimal pipelined reduction: the circulant broadcast read backwards.
 *
 * Source: J. L. Traeff, Optimal Broadcast Schedules in Logarithmic Time, 2024, Observation 1.3.
 * Rounds: n - 1 + ceil(log2 p), optimal. Volume: n (p - 1) blocks, optimal. In broadcast round i,
 * k = i mod q, rank r sends to r + skip[k] and receives from r - skip[k]; here it receives from the
 * former and sends to the latter. The order of the operands is not that of the ranks, so the
 * operator must be commutative. p = 5, n = 2: the table in bcast_circulant.c, from its last line to
 * its first. */
#include "schedules/patterns/reversed.h"

extern const struct rb_algorithm rb_bcast_circulant;

const struct rb_algorithm rb_reduce_circulant = {
    .info = {.collective = "reduce",
             .name = "circulant",
             .title = "round-optimal pipeline on the circulant graph",
             .paper = "Traeff 2024, Observation 1.3",
             .rounds = "n - 1 + ceil(log2 p)",
             .blocks = "pipelined blocks",
             .pipelined = true,
             .circulant = true},
    RB_REVERSED(rb_bcast_circulant),
    .pipeline = rb_reversed_pipeline,
};
