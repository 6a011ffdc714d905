/* gather_flat.c - the root receives each other rank's part itself, the last rank's first.
 *
 * Source: textbook. Rounds: p - 1. Volume: n (p - 1) blocks, optimal; nothing is forwarded.
 * p = 3: 2 -> 0; 1 -> 0. */
#include "schedules/patterns/reversed.h"

extern const struct rb_algorithm rb_scatter_flat;

const struct rb_algorithm rb_gather_flat = {
    .info = {.collective = "gather",
             .name = "flat",
             .title = "the root receives from one rank after the other",
             .paper = "textbook",
             .rounds = "p - 1",
             .blocks = "all blocks of a rank travel together",
             .pipelined = false},
    RB_REVERSED(rb_scatter_flat),
};
