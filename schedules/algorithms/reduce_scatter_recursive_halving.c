/* reduce_scatter_recursive_halving.c - the allgather by recursive doubling read backwards.
 *
 * Source: textbook; Thakur, Rabenseifner, Gropp 2005. Rounds: log2 p; floor(log2 p) + 2 if p is no
 * power of two. Volume: n (p - 1) blocks sent per rank, optimal. Partners are far apart first:
 * commutative operators only. p = 5: 1 -> 0; 0 <-> 3, 2 <-> 4; 0 <-> 2, 3 <-> 4; 0 -> 1. */
#include "schedules/patterns/reversed.h"

extern const struct rb_algorithm rb_allgather_recursive_doubling;

const struct rb_algorithm rb_reduce_scatter_recursive_halving = {
    .info = {.collective = "reduce-scatter",
             .name = "recursive-halving",
             .title = "exchanges along the dimensions of a hypercube, halving the data",
             .paper = "textbook; Thakur et al. 2005",
             .rounds = "log2 p; floor(log2 p) + 2 if p is no power of two",
             .blocks = "all blocks for a rank travel together",
             .pipelined = false},
    RB_REVERSED(rb_allgather_recursive_doubling),
};
