/* allgather_mesh.c - round the rows of a mesh, then what a row has round the columns.
 *
 * Source: Grama et al. 2003, procedure ALL_TO_ALL_BC_MESH; grid_allgather.c says how. Rounds on a
 * rows of b: a + b - 2. Volume: n (p - 1) blocks received per rank, optimal. p = 6 (2 rows of 3),
 * rank 4 gets 3; 5; 0, 1, 2. */
#include "schedules/patterns/grid_allgather.h"

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    return rb_grid_allgather_init(plan, rb_grid_mesh(plan), why, why_size);
}

const struct rb_algorithm rb_allgather_mesh = {
    .info = {.collective = "allgather",
             .name = "mesh",
             .title = "round the rows of an a x b mesh, then round its columns",
             .paper = "Grama et al. 2003",
             .rounds = "a + b - 2",
             .blocks = "all blocks of a rank travel together",
             .ranks = RB_MESH_RANKS,
             .radix = RB_MESH_RADIX,
             .pipelined = false},
    .init = init,
    RB_GRID_ALLGATHER,
    .fits = rb_mesh_fits,
};
