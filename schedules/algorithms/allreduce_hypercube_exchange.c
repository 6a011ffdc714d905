/* allreduce_hypercube_exchange.c - whole vectors exchanged across the dimensions of a hypercube.
 *
 * Source: Grama et al. 2003, "all-reduce and prefix-sum operations": (ts + tw m) log p;
 * grid_exchange.c says how. Rounds: log2 p, p = 2^d. Volume: n log2 p blocks sent per rank. Rank
 * order is kept. recursive-doubling is the same for these p. */
#include "schedules/patterns/grid_exchange.h"

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    return rb_grid_exchange_init(plan, rb_grid_hypercube(plan), why, why_size);
}

const struct rb_algorithm rb_allreduce_hypercube_exchange = {
    .info = {.collective = "allreduce",
             .name = "hypercube-exchange",
             .title = "whole vectors across the dimensions of a hypercube",
             .paper = "Grama et al. 2003",
             .rounds = "log2 p",
             .blocks = "all blocks travel as one message",
             .ranks = RB_HYPERCUBE_RANKS,
             .pipelined = false},
    .init = init,
    RB_GRID_EXCHANGE,
    .fits = rb_hypercube_fits,
};
