/* reduce_scatter_hypercube.c - the allgather on a hypercube read backwards, the data halving.
 *
 * Source: Grama et al. 2003, "all-to-all reduction"; formula (2). Rounds: log2 p, p = 2^d. Volume:
 * n (p - 1) blocks sent per rank, optimal. Partners are far apart first: commutative operators
 * only. p = 4: 0 <-> 2, 1 <-> 3; 0 <-> 1, 2 <-> 3. recursive-halving is the same for these p. */
#include "schedules/patterns/grid.h"
#include "schedules/patterns/reversed.h"

extern const struct rb_algorithm rb_allgather_hypercube;

const struct rb_algorithm rb_reduce_scatter_hypercube = {
    .info = {.collective = "reduce-scatter",
             .name = "hypercube",
             .title = "across the dimensions of a hypercube, the highest first, the data halving",
             .paper = "Grama et al. 2003",
             .rounds = "log2 p",
             .blocks = "all blocks for a rank travel together",
             .ranks = RB_HYPERCUBE_RANKS,
             .pipelined = false},
    RB_REVERSED(rb_allgather_hypercube),
    .fits = rb_hypercube_fits,
};
