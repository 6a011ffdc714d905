/* reduce_flat.c - every rank sends the whole message to the root, the last rank first.
 *
 * Source: textbook. Rounds: p - 1. Volume: n (p - 1) blocks. The last rank's data are combined with
 * the root's first: commutative operators only. p = 3: 2 -> 0; 1 -> 0. */
#include "schedules/patterns/reversed.h"

extern const struct rb_algorithm rb_bcast_flat;

const struct rb_algorithm rb_reduce_flat = {
    .info = {.collective = "reduce",
             .name = "flat",
             .title = "the root receives from one rank after the other",
             .paper = "textbook",
             .rounds = "p - 1",
             .blocks = "all blocks travel as one message",
             .pipelined = false},
    RB_REVERSED(rb_bcast_flat),
};
