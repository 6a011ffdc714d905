/* reduce_scatter_dissemination.c - the dissemination allgather read backwards.
 *
 * Source: the allgather's. Rounds: ceil(log2 p), optimal. Volume: n (p - 1) blocks sent per rank,
 * optimal. Commutative operators only. p = 5: the allgather's round 2, then 1, then 0, with what
 * was received sent. */
#include "schedules/patterns/reversed.h"

extern const struct rb_algorithm rb_allgather_dissemination;

const struct rb_algorithm rb_reduce_scatter_dissemination = {
    .info = {.collective = "reduce-scatter",
             .name = "dissemination",
             .title = "what a rank is to pass on halves in every round",
             .paper = "Bruck et al. 1997, reversed",
             .rounds = "ceil(log2 p)",
             .blocks = "all blocks for a rank travel together",
             .pipelined = false},
    RB_REVERSED(rb_allgather_dissemination),
};
