/* reduce_chain.c - the pipelined chain towards the root.
 *
 * Source: textbook. Rounds: n + p - 2. Volume: n (p - 1) blocks. Rank order is kept for root
 * 0: partial results of neighbours meet, counted from the root.
 * p = 3, n = 2: 2 -> 1 block 1; 2 -> 1 block 0, 1 -> 0 block 1; 1 -> 0 block 0. */
#include "schedules/patterns/reversed.h"

extern const struct rb_algorithm rb_bcast_chain;

const struct rb_algorithm rb_reduce_chain = {
    .info = {.collective = "reduce",
             .name = "chain",
             .title = "pipelined chain, from the last rank to the root",
             .paper = "textbook",
             .rounds = "n + p - 2",
             .blocks = "pipelined blocks",
             .pipelined = true},
    RB_REVERSED(rb_bcast_chain),
    .pipeline = rb_reversed_pipeline,
    .ordered_for_root_0 = true,
};
