/* allreduce_mesh_split.c - reduce-scatter, then allgather, on a mesh.
 *
 * Source: Grama et al. 2003, "improving performance of operations". Rounds on a rows of b: 2 (a + b
 * - 2). Volume: 2 n (p - 1) blocks sent per rank, of shares of n blocks each: optimal. Commutative
 * operators only. */
#include "schedules/patterns/composed.h"
#include "schedules/patterns/grid.h"

extern const struct rb_algorithm rb_reduce_scatter_mesh, rb_allgather_mesh;

const struct rb_algorithm rb_allreduce_mesh_split = {
    .info = {.collective = "allreduce",
             .name = "mesh-split",
             .title = "reduce-scatter, then allgather, on an a x b mesh",
             .paper = "Grama et al. 2003",
             .rounds = "2 (a + b - 2)",
             .blocks = "blocks of each of the p shares, which travel together",
             .ranks = RB_MESH_RANKS,
             .radix = RB_MESH_RADIX,
             .pipelined = false},
    RB_COMPOSED(rb_reduce_scatter_mesh, rb_allgather_mesh),
    .fits = rb_mesh_fits,
};
