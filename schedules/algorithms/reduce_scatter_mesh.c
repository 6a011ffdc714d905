/* reduce_scatter_mesh.c - the allgather on a mesh read backwards: partial results go round the
 * columns, then round the rows.
 *
 * Source: Grama et al. 2003, "all-to-all reduction". Rounds on a rows of b: a + b - 2. Volume: n (p
 * - 1) blocks sent per rank, optimal. The order is cyclic on each line: commutative operators only.
 * p = 6 (2 rows of 3): one round along the columns, two along the rows. */
#include "schedules/patterns/grid.h"
#include "schedules/patterns/reversed.h"

extern const struct rb_algorithm rb_allgather_mesh;

const struct rb_algorithm rb_reduce_scatter_mesh = {
    .info = {.collective = "reduce-scatter",
             .name = "mesh",
             .title = "partial results round the columns of an a x b mesh, then round its rows",
             .paper = "Grama et al. 2003",
             .rounds = "a + b - 2",
             .blocks = "all blocks for a rank travel together",
             .ranks = RB_MESH_RANKS,
             .radix = RB_MESH_RADIX,
             .pipelined = false},
    RB_REVERSED(rb_allgather_mesh),
    .fits = rb_mesh_fits,
};
