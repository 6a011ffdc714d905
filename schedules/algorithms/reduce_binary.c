/* reduce_binary.c - the pipelined binary tree towards the root.
 *
 * Source: textbook. Rounds: those of the broadcast. Volume: n (p - 1) blocks. A rank combines its
 * children's results with its own, which are not its neighbours': commutative operators only.
 * p = 3, n = 1: 2 -> 0; 1 -> 0. */
#include "schedules/patterns/reversed.h"

extern const struct rb_algorithm rb_bcast_binary;

const struct rb_algorithm rb_reduce_binary = {
    .info = {.collective = "reduce",
             .name = "binary",
             .title = "pipelined complete binary tree",
             .paper = "textbook",
             .rounds = "2 (n - 1) + d + 1, d about 2 log2 p; n for p = 2",
             .blocks = "pipelined blocks",
             .pipelined = true},
    RB_REVERSED(rb_bcast_binary),
    .pipeline = rb_reversed_pipeline,
};
