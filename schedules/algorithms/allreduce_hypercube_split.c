/* allreduce_hypercube_split.c - reduce-scatter, then allgather, on a hypercube.
 *
 * Source: Grama et al. 2003, "improving performance of operations"; formula (10). Rounds: 2 log2 p.
 * Volume: 2 n (p - 1) blocks sent per rank, of shares of n blocks each: optimal. Commutative
 * operators only. rabenseifner is the same for these p. */
#include "schedules/patterns/composed.h"
#include "schedules/patterns/grid.h"

extern const struct rb_algorithm rb_reduce_scatter_hypercube, rb_allgather_hypercube;

const struct rb_algorithm rb_allreduce_hypercube_split = {
    .info = {.collective = "allreduce",
             .name = "hypercube-split",
             .title = "reduce-scatter, then allgather, on a hypercube",
             .paper = "Grama et al. 2003",
             .rounds = "2 log2 p",
             .blocks = "blocks of each of the p shares, which travel together",
             .ranks = RB_HYPERCUBE_RANKS,
             .pipelined = false},
    RB_COMPOSED(rb_reduce_scatter_hypercube, rb_allgather_hypercube),
    .fits = rb_hypercube_fits,
};
