/* reduce_binomial.c - the binomial tree towards the root.
 *
 * Source: textbook. Rounds: ceil(log2 p). Volume: n (p - 1) blocks. Rank order is kept for root
 * 0: partial results of neighbours meet, counted from the root.
 * p = 5: 1 -> 0, 3 -> 2; 2 -> 0; 4 -> 0. */
#include "schedules/patterns/reversed.h"

extern const struct rb_algorithm rb_bcast_binomial;

const struct rb_algorithm rb_reduce_binomial = {
    .info = {.collective = "reduce",
             .name = "binomial",
             .title = "binomial tree, the whole message at once",
             .paper = "textbook; Grama et al. 2003",
             .rounds = "ceil(log2 p)",
             .blocks = "all blocks travel as one message",
             .pipelined = false},
    RB_REVERSED(rb_bcast_binomial),
    .ordered_for_root_0 = true,
};
