/* gather_mesh.c - the scatter on a mesh read backwards.
 *
 * Source: Grama et al. 2003, "scatter and gather"; formula (3) where a and b are powers of two.
 * Rounds on a rows of b: ceil(log2 a) + ceil(log2 b). The root receives (p - 1)/p of the data, as
 * it must. p = 6 (2 rows of 3), root 0: 1 -> 0, 4 -> 3; 2 -> 0, 5 -> 3; 3 -> 0 parts 3, 4, 5. */
#include "schedules/patterns/grid.h"
#include "schedules/patterns/reversed.h"

extern const struct rb_algorithm rb_scatter_mesh;

const struct rb_algorithm rb_gather_mesh = {
    .info = {.collective = "gather",
             .name = "mesh",
             .title = "within every row of an a x b mesh, then in the root's column",
             .paper = "Grama et al. 2003",
             .rounds = "ceil(log2 a) + ceil(log2 b)",
             .blocks = "all blocks of a rank travel together",
             .ranks = RB_MESH_RANKS,
             .radix = RB_MESH_RADIX,
             .pipelined = false},
    RB_REVERSED(rb_scatter_mesh),
    .fits = rb_mesh_fits,
};
