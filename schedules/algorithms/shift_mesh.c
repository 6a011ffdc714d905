/* shift_mesh.c - along the rows of a mesh, then along its columns.
 *
 * Source: Grama et al. 2003, "circular shift on a mesh"; grid_shift.c says how. Rounds on a rows of
 * b: at most a/2 + b/2 + 1. Volume: up to n blocks per rank and round. p = 16, q = 5: a round along
 * the rows, one along the first column, one along all columns. */
#include "schedules/patterns/grid_shift.h"

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    return rb_grid_shift_init(plan, rb_grid_mesh(plan), why, why_size);
}

const struct rb_algorithm rb_shift_mesh = {
    .info = {.collective = "shift",
             .name = "mesh",
             .title = "along the rows of an a x b mesh, then along its columns",
             .paper = "Grama et al. 2003",
             .rounds = "at most a/2 + b/2 + 1",
             .blocks = "all blocks travel as one message",
             .ranks = RB_MESH_RANKS,
             .radix = RB_MESH_RADIX,
             .pipelined = false},
    .init = init,
    RB_GRID_SHIFT,
    .fits = rb_mesh_fits,
};
