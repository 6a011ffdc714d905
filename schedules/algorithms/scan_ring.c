/* scan_ring.c - each rank's vector goes up to the last rank, one after the other.
 *
 * Source: Grama et al. 2003, "all-reduce and prefix-sum operations", the pattern of all-to-all
 * broadcast on a ring without what isn't needed; grid_exchange.c says how. Rounds: p - 1. Volume:
 * rank r sends n (r + 1) blocks, the last one none. Rank order is kept. */
#include "schedules/patterns/grid_exchange.h"

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    return rb_grid_exchange_init(plan, rb_grid_ring(plan), why, why_size);
}

const struct rb_algorithm rb_scan_ring = {
    .info = {.collective = "scan",
             .name = "ring",
             .title = "vectors up a ring of p ranks, combined on arrival",
             .paper = "Grama et al. 2003",
             .rounds = "p - 1",
             .blocks = "all blocks travel as one message",
             .pipelined = false},
    .init = init,
    RB_GRID_EXCHANGE,
};
