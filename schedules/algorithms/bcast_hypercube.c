/* bcast_hypercube.c - the whole message across one dimension of a hypercube after the other.
 *
 * Source: Grama et al. 2003, procedure GENERAL_ONE_TO_ALL_BC; formula (1). Rounds: log2 p, p = 2^d.
 * Volume: n (p - 1) blocks. Ranks are numbered by their exclusive or with the root, so that all
 * messages go to neighbours. p = 4, root 3: 3 -> 1; 3 -> 2, 1 -> 0. */
#include "schedules/patterns/grid_bcast.h"

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    return rb_grid_bcast_init(plan, rb_grid_hypercube(plan), why, why_size);
}

const struct rb_algorithm rb_bcast_hypercube = {
    .info = {.collective = "bcast",
             .name = "hypercube",
             .title = "the dimensions of a hypercube, the highest first",
             .paper = "Grama et al. 2003",
             .rounds = "log2 p",
             .blocks = "all blocks travel as one message",
             .ranks = RB_HYPERCUBE_RANKS,
             .pipelined = false},
    .init = init,
    RB_GRID_BCAST,
    .fits = rb_hypercube_fits,
};
