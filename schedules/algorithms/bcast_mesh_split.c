/* bcast_mesh_split.c - scatter, then allgather, on a mesh.
 *
 * Source: Grama et al. 2003, "improving performance of operations". Rounds on a rows of b: a + b -
 * 2 + ceil(log2 a) + ceil(log2 b). Bytes on the longest path: 2 (p - 1)/p of the message. */
#include "schedules/patterns/composed.h"
#include "schedules/patterns/grid.h"

extern const struct rb_algorithm rb_scatter_mesh, rb_allgather_mesh;

const struct rb_algorithm rb_bcast_mesh_split = {
    .info = {.collective = "bcast",
             .name = "mesh-split",
             .title = "scatter, then allgather, on an a x b mesh",
             .paper = "Grama et al. 2003",
             .rounds = "a + b - 2 + ceil(log2 a) + ceil(log2 b)",
             .blocks = "blocks of each of the p shares, which travel together",
             .ranks = RB_MESH_RANKS,
             .radix = RB_MESH_RADIX,
             .pipelined = false},
    RB_COMPOSED(rb_scatter_mesh, rb_allgather_mesh),
    .fits = rb_mesh_fits,
};
