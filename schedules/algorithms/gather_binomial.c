/* gather_binomial.c - the binomial scatter read backwards: the parts of a subtree travel together.
 *
 * Source: textbook; Grama et al. 2003, "scatter and gather"; what MPI libraries take. Rounds:
 * ceil(log2 p), optimal. The root receives (p - 1)/p of the data, as it must; all ranks together at
 * most n p ceil(log2 p) / 2 blocks. p = 5: 1 -> 0, 3 -> 2; 2 -> 0 parts 2, 3; 4 -> 0. */
#include "schedules/patterns/reversed.h"

extern const struct rb_algorithm rb_scatter_binomial;

const struct rb_algorithm rb_gather_binomial = {
    .info = {.collective = "gather",
             .name = "binomial",
             .title = "binomial tree, the parts of a subtree together",
             .paper = "textbook; Grama et al. 2003",
             .rounds = "ceil(log2 p)",
             .blocks = "all blocks of a rank travel together",
             .pipelined = false},
    RB_REVERSED(rb_scatter_binomial),
};
