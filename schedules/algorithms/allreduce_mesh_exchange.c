/* allreduce_mesh_exchange.c - whole vectors go round the rows of a mesh, then the rows' sums round
 * the columns.
 *
 * Source: Grama et al. 2003, "all-reduce and prefix-sum operations", the pattern of all-to-all
 * broadcast on a mesh; grid_exchange.c says how. Rounds on a rows of b: a + b - 2. Volume: n (a + b
 * - 2) blocks sent per rank. Rank order is kept. */
#include "schedules/patterns/grid_exchange.h"

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    return rb_grid_exchange_init(plan, rb_grid_mesh(plan), why, why_size);
}

const struct rb_algorithm rb_allreduce_mesh_exchange = {
    .info = {.collective = "allreduce",
             .name = "mesh-exchange",
             .title = "whole vectors round the rows of an a x b mesh, their sums round its columns",
             .paper = "Grama et al. 2003",
             .rounds = "a + b - 2",
             .blocks = "all blocks travel as one message",
             .ranks = RB_MESH_RANKS,
             .radix = RB_MESH_RADIX,
             .pipelined = false},
    .init = init,
    RB_GRID_EXCHANGE,
    .fits = rb_mesh_fits,
};
