/* reduce_hypercube.c - the broadcast on a hypercube read backwards.
 *
 * Source: Grama et al. 2003, procedure ALL_TO_ONE_REDUCE; formula (1). Rounds: log2 p, p = 2^d.
 * Volume: n (p - 1) blocks. Rank order is kept for any root: subcubes of neighbouring numbers meet.
 * p = 4, root 3: 2 -> 3, 0 -> 1; 1 -> 3. */
#include "schedules/patterns/grid.h"
#include "schedules/patterns/reversed.h"

extern const struct rb_algorithm rb_bcast_hypercube;

const struct rb_algorithm rb_reduce_hypercube = {
    .info = {.collective = "reduce",
             .name = "hypercube",
             .title = "the dimensions of a hypercube, the lowest first",
             .paper = "Grama et al. 2003",
             .rounds = "log2 p",
             .blocks = "all blocks travel as one message",
             .ranks = RB_HYPERCUBE_RANKS,
             .pipelined = false},
    RB_REVERSED(rb_bcast_hypercube),
    .fits = rb_hypercube_fits,
    .ordered_for_every_root = true,
};
