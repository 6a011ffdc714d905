/* allreduce_circulant_reduce_bcast.c - circulant reduction to rank 0, then circulant broadcast.
 *
 * Source: J. L. Traeff, Optimal Broadcast Schedules in Logarithmic Time, 2024, Algorithm 1 and
 * Observation 1.3. Rounds: 2 (n - 1 + q), q = ceil(log2 p). Volume: 2 n (p - 1) blocks in all,
 * optimal, but up to n blocks in and n out at one rank where shares would need 2 (p - 1)/p of them.
 * Under window:w the broadcast of a block starts as soon as rank 0 has it. State per rank: its
 * schedule, twice. Commutative operators only. p = 5, n = 2: four rounds up, four down. */
#include "schedules/patterns/composed.h"

extern const struct rb_algorithm rb_reduce_circulant, rb_bcast_circulant;

const struct rb_algorithm rb_allreduce_circulant_reduce_bcast = {
    .info = {.collective = "allreduce",
             .name = "circulant-reduce-bcast",
             .title = "circulant reduction to rank 0, then circulant broadcast",
             .paper = "Traeff 2024, Algorithm 1",
             .rounds = "2 (n - 1 + ceil(log2 p))",
             .blocks = "pipelined blocks",
             .pipelined = true,
             .circulant = true},
    RB_COMPOSED(rb_reduce_circulant, rb_bcast_circulant),
    .pipeline = rb_composed_pipeline,
};
