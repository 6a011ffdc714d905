/* alltoall_hypercube.c - half of a rank's data across one dimension of a hypercube after the other.
 *
 * Source: Grama et al. 2003, "all-to-all personalized communication on a hypercube"; formula (6);
 * grid_alltoall.c says how. Rounds: log2 p, p = 2^d. Volume: n p log2 p / 2 blocks sent per rank.
 * xor takes p - 1 rounds and sends less. p = 4, rank 0 sends {0, 1}, {0, 3} to 1; {0, 2}, {1, 2} to
 * 2. */
#include "schedules/patterns/grid_alltoall.h"

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    return rb_grid_alltoall_init(plan, rb_grid_hypercube(plan), why, why_size);
}

const struct rb_algorithm rb_alltoall_hypercube = {
    .info = {.collective = "alltoall",
             .name = "hypercube",
             .title = "half of the data across each dimension of a hypercube",
             .paper = "Grama et al. 2003",
             .rounds = "log2 p",
             .blocks = "all blocks for a rank travel together",
             .ranks = RB_HYPERCUBE_RANKS,
             .pipelined = false},
    .init = init,
    RB_GRID_ALLTOALL,
    .fits = rb_hypercube_fits,
};
