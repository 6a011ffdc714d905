/* reduce_mesh.c - the broadcast on a mesh read backwards.
 *
 * Source: Grama et al. 2003, "broadcast and reduction on a mesh". Rounds on a rows of b: ceil(log2
 * a) + ceil(log2 b). Volume: n (p - 1) blocks. Rank order is kept for any root: rows are combined,
 * then their results. p = 6 (2 rows of 3), root 0: 1 -> 0, 4 -> 3; 2 -> 0, 5 -> 3; 3 -> 0. */
#include "schedules/patterns/grid.h"
#include "schedules/patterns/reversed.h"

extern const struct rb_algorithm rb_bcast_mesh;

const struct rb_algorithm rb_reduce_mesh = {
    .info = {.collective = "reduce",
             .name = "mesh",
             .title = "within every row of an a x b mesh, then in the root's column",
             .paper = "Grama et al. 2003",
             .rounds = "ceil(log2 a) + ceil(log2 b)",
             .blocks = "all blocks travel as one message",
             .ranks = RB_MESH_RANKS,
             .radix = RB_MESH_RADIX,
             .pipelined = false},
    RB_REVERSED(rb_bcast_mesh),
    .fits = rb_mesh_fits,
    .ordered_for_every_root = true,
};
