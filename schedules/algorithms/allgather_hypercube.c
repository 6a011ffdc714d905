/* allgather_hypercube.c - across the dimensions of a hypercube, the data doubling.
 *
 * Source: Grama et al. 2003, procedure ALL_TO_ALL_BC_HCUBE; formula (2); grid_allgather.c says how.
 * Rounds: log2 p, p = 2^d. Volume: n (p - 1) blocks received per rank, optimal. p = 8, rank 5 gets
 * 4; 6, 7; 0 .. 3. recursive-doubling is the same for these p. */
#include "schedules/patterns/grid_allgather.h"

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    return rb_grid_allgather_init(plan, rb_grid_hypercube(plan), why, why_size);
}

const struct rb_algorithm rb_allgather_hypercube = {
    .info = {.collective = "allgather",
             .name = "hypercube",
             .title = "across the dimensions of a hypercube, the data doubling",
             .paper = "Grama et al. 2003",
             .rounds = "log2 p",
             .blocks = "all blocks of a rank travel together",
             .ranks = RB_HYPERCUBE_RANKS,
             .pipelined = false},
    .init = init,
    RB_GRID_ALLGATHER,
    .fits = rb_hypercube_fits,
};
