/* alltoall_mesh.c - round the rows of a mesh to the right column, then round the columns.
 *
 * Source: Grama et al. 2003, "all-to-all personalized communication on a mesh"; formula (5) where a
 * = b; grid_alltoall.c says how. Rounds on a rows of b: a + b - 2. Volume: n p (a + b - 2)/2 blocks
 * sent per rank. */
#include "schedules/patterns/grid_alltoall.h"

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    return rb_grid_alltoall_init(plan, rb_grid_mesh(plan), why, why_size);
}

const struct rb_algorithm rb_alltoall_mesh = {
    .info = {.collective = "alltoall",
             .name = "mesh",
             .title = "data round the rows of an a x b mesh to their column, then round it",
             .paper = "Grama et al. 2003",
             .rounds = "a + b - 2",
             .blocks = "all blocks for a rank travel together",
             .ranks = RB_MESH_RANKS,
             .radix = RB_MESH_RADIX,
             .pipelined = false},
    .init = init,
    RB_GRID_ALLTOALL,
    .fits = rb_mesh_fits,
};
