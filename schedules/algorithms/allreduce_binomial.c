/* allreduce_binomial.c - binomial reduction to rank 0, then binomial broadcast.
 *
 * Source: textbook. Rounds: 2 ceil(log2 p). Volume: 2 n (p - 1) blocks. Rank order is kept.
 * p = 3: 1 -> 0; 2 -> 0; 0 -> 2; 0 -> 1. */
#include "schedules/patterns/composed.h"

extern const struct rb_algorithm rb_reduce_binomial, rb_bcast_binomial;

const struct rb_algorithm rb_allreduce_binomial = {
    .info = {.collective = "allreduce",
             .name = "binomial",
             .title = "binomial tree to rank 0 and back",
             .paper = "textbook",
             .rounds = "2 ceil(log2 p)",
             .blocks = "all blocks travel as one message",
             .pipelined = false},
    RB_COMPOSED(rb_reduce_binomial, rb_bcast_binomial),
    .ordered_for_root_0 = true,
};
