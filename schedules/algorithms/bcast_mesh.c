/* bcast_mesh.c - the whole message along the root's column of a mesh, then along all rows.
 *
 * Source: Grama et al. 2003, "broadcast and reduction on a mesh", figure of 16 nodes, where ranks
 * are numbered along what are columns here; grid_bcast.c says how. Rounds on a rows of b: ceil(log2
 * a) + ceil(log2 b). Volume: n (p - 1) blocks. p = 6 (2 rows of 3), root 0: 0 -> 3; 0 -> 2, 3 -> 5;
 * 0 -> 1, 3 -> 4. */
#include "schedules/patterns/grid_bcast.h"

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    return rb_grid_bcast_init(plan, rb_grid_mesh(plan), why, why_size);
}

const struct rb_algorithm rb_bcast_mesh = {
    .info = {.collective = "bcast",
             .name = "mesh",
             .title = "the root's column of an a x b mesh, then every row, cut in two",
             .paper = "Grama et al. 2003",
             .rounds = "ceil(log2 a) + ceil(log2 b)",
             .blocks = "all blocks travel as one message",
             .ranks = RB_MESH_RANKS,
             .radix = RB_MESH_RADIX,
             .pipelined = false},
    .init = init,
    RB_GRID_BCAST,
    .fits = rb_mesh_fits,
};
