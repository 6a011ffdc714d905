/* allreduce_chain.c - pipelined chain towards rank 0, then pipelined chain back.
 *
 * Source: textbook. Rounds: 2 (n + p - 2). Volume: 2 n (p - 1) blocks. Rank order is kept.
 * p = 3, n = 1: 2 -> 1; 1 -> 0; 0 -> 1; 1 -> 2. */
#include "schedules/patterns/composed.h"

extern const struct rb_algorithm rb_reduce_chain, rb_bcast_chain;

const struct rb_algorithm rb_allreduce_chain = {
    .info = {.collective = "allreduce",
             .name = "chain",
             .title = "pipelined chain to rank 0 and back",
             .paper = "textbook",
             .rounds = "2 (n + p - 2)",
             .blocks = "pipelined blocks",
             .pipelined = true},
    RB_COMPOSED(rb_reduce_chain, rb_bcast_chain),
    .pipeline = rb_composed_pipeline,
    .ordered_for_root_0 = true,
};
