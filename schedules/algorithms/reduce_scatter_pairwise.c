/* reduce_scatter_pairwise.c - the pairwise allgather read backwards.
 *
 * Source: textbook; MPI libraries' "pairwise". Rounds: p - 1. Volume: n (p - 1) blocks sent per
 * rank, optimal. Contributions arrive from r + p - 1, r + p - 2, ..., r + 1 in this order:
 * commutative operators only. p = 3: to the left neighbour, then to the right one. */
#include "schedules/patterns/reversed.h"

extern const struct rb_algorithm rb_allgather_pairwise;

const struct rb_algorithm rb_reduce_scatter_pairwise = {
    .info = {.collective = "reduce-scatter",
             .name = "pairwise",
             .title = "each rank sends what is for another straight to it",
             .paper = "textbook",
             .rounds = "p - 1",
             .blocks = "all blocks for a rank travel together",
             .pipelined = false},
    RB_REVERSED(rb_allgather_pairwise),
};
