/* reduce_hypercube_split.c - reduce-scatter, then gather, on a hypercube.
 *
 * Source: Grama et al. 2003, "improving performance of operations"; formula (10). Rounds: 2 log2 p.
 * Bytes on the longest path: 2 (p - 1)/p of the message. Commutative operators only. */
#include "schedules/patterns/composed.h"
#include "schedules/patterns/grid.h"

extern const struct rb_algorithm rb_reduce_scatter_hypercube, rb_gather_hypercube;

const struct rb_algorithm rb_reduce_hypercube_split = {
    .info = {.collective = "reduce",
             .name = "hypercube-split",
             .title = "reduce-scatter, then gather, on a hypercube",
             .paper = "Grama et al. 2003",
             .rounds = "2 log2 p",
             .blocks = "blocks of each of the p shares, which travel together",
             .ranks = RB_HYPERCUBE_RANKS,
             .pipelined = false},
    RB_COMPOSED(rb_reduce_scatter_hypercube, rb_gather_hypercube),
    .fits = rb_hypercube_fits,
};
