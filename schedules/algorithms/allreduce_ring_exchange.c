/* allreduce_ring_exchange.c - whole vectors go round a ring and are combined on arrival.
 *
 * Source: Grama et al. 2003, "all-reduce and prefix-sum operations", the pattern of all-to-all
 * broadcast on a ring; grid_exchange.c says how. Rounds: p - 1. Volume: n (p - 1) blocks sent per
 * rank. Rank order is kept. */
#include "schedules/patterns/grid_exchange.h"

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    return rb_grid_exchange_init(plan, rb_grid_ring(plan), why, why_size);
}

const struct rb_algorithm rb_allreduce_ring_exchange = {
    .info = {.collective = "allreduce",
             .name = "ring-exchange",
             .title = "whole vectors round a ring, combined on arrival",
             .paper = "Grama et al. 2003",
             .rounds = "p - 1",
             .blocks = "all blocks travel as one message",
             .pipelined = false},
    .init = init,
    RB_GRID_EXCHANGE,
};
