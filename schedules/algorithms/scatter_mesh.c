/* scatter_mesh.c - along the root's column of a mesh the parts of rows, then along all rows.
 *
 * Source: Grama et al. 2003, "scatter and gather"; formula (3) where a and b are powers of two;
 * grid_bcast.c says how. Rounds on a rows of b: ceil(log2 a) + ceil(log2 b). The root sends (p -
 * 1)/p of the data, as it must. p = 6 (2 rows of 3), root 0: 0 -> 3 parts 3, 4, 5; 0 -> 2, 3 -> 5;
 * 0 -> 1, 3 -> 4. */
#include "schedules/patterns/grid_bcast.h"

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    return rb_grid_scatter_init(plan, rb_grid_mesh(plan), why, why_size);
}

const struct rb_algorithm rb_scatter_mesh = {
    .info = {.collective = "scatter",
             .name = "mesh",
             .title = "the root's column of an a x b mesh, then every row, cut in two",
             .paper = "Grama et al. 2003",
             .rounds = "ceil(log2 a) + ceil(log2 b)",
             .blocks = "all blocks for a rank travel together",
             .ranks = RB_MESH_RANKS,
             .radix = RB_MESH_RADIX,
             .pipelined = false},
    .init = init,
    RB_GRID_SCATTER,
    .fits = rb_mesh_fits,
};
