/* allreduce_binary.c - pipelined binary tree towards rank 0, then pipelined binary tree back.
 *
 * Source: textbook. Rounds: twice those of the broadcast. Volume: 2 n (p - 1) blocks. Commutative
 * operators only. p = 3, n = 1: 2 -> 0; 1 -> 0; 0 -> 1; 0 -> 2. */
#include "schedules/patterns/composed.h"

extern const struct rb_algorithm rb_reduce_binary, rb_bcast_binary;

const struct rb_algorithm rb_allreduce_binary = {
    .info = {.collective = "allreduce",
             .name = "binary",
             .title = "pipelined complete binary tree to rank 0 and back",
             .paper = "textbook",
             .rounds = "4 (n - 1) + 2 d + 2, d about 2 log2 p; 2 n for p = 2",
             .blocks = "pipelined blocks",
             .pipelined = true},
    RB_COMPOSED(rb_reduce_binary, rb_bcast_binary),
    .pipeline = rb_composed_pipeline,
};
