/* scan_hypercube.c - prefixes and sums of larger and larger subcubes.
 *
 * Source: Grama et al. 2003, procedure PREFIX_SUMS_HCUBE, for any p: the ranks from p on are
 * missing, and nobody needs them; grid_exchange.c says how. Rounds: ceil(log2 p), optimal. Volume:
 * up to n ceil(log2 p) blocks sent per rank. Rank order is kept. */
#include "schedules/patterns/grid_exchange.h"

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    return rb_grid_exchange_init(plan, rb_grid_hypercube(plan), why, why_size);
}

const struct rb_algorithm rb_scan_hypercube = {
    .info = {.collective = "scan",
             .name = "hypercube",
             .title = "prefixes and sums of larger and larger subcubes",
             .paper = "Grama et al. 2003",
             .rounds = "ceil(log2 p)",
             .blocks = "all blocks travel as one message",
             .pipelined = false},
    .init = init,
    RB_GRID_EXCHANGE,
};
