/* grid.h - rings, meshes and hypercubes as grids of ranks.
 *
 * Source: A. Grama, A. Gupta, G. Karypis, V. Kumar, "Introduction to Parallel Computing", 2003,
 * chapter 4, and its slides: a hypercube is a mesh of two ranks in each dimension, and a mesh
 * algorithm runs a line algorithm in one dimension after the other. So algorithms/grid_*.c has each
 * algorithm once, for any grid; .grid in a descriptor chooses a ring, a mesh or a hypercube.
 *
 * A rank's coordinates are the digits of its number, dimension 0 the lowest: on a mesh of c columns
 * rank r is in column r mod c of row r / c, so that dimension 0 runs along a row. A line of a mesh
 * is not a ring: a message from its last rank to its first goes back over all links of the line,
 * which no other message uses in that direction. */
#pragma once

#include "schedules/plan/plan.h"

/* The grid of a plan, by .grid of its algorithm, or of the algorithm that this one reads
 * backwards. */
struct rb_grid rb_grid_of(struct rb_plan *plan);

/* One dimension of p ranks; any p. */
struct rb_grid rb_grid_ring(struct rb_plan *plan);
/* Rows of plan->radix ranks. A radix of 0 is replaced by the smallest number of columns that
 * divides p and is not below the number of rows, which gives the squarest mesh. */
struct rb_grid rb_grid_mesh(struct rb_plan *plan);
/* ceil(log2 p) dimensions of two; if p is not a power of two, the highest ranks are missing. */
struct rb_grid rb_grid_hypercube(struct rb_plan *plan);

/* An algorithm's `supports`. Meshes: every p that is not a prime, and 2 and 3 as a line; columns
 * must divide p. Hypercubes: powers of two. */
bool rb_mesh_supports(int32_t p, int32_t columns);
bool rb_hypercube_supports(int32_t p, int32_t radix);

#define RB_MESH_RANKS      "p = a b (a, b > 1), or p < 4"
#define RB_HYPERCUBE_RANKS "p = 2^d"
#define RB_MESH_COLUMNS    "r: columns of the mesh, by default the fewest that are no fewer than rows"

/* What the descriptors of algorithms on a mesh, and on a hypercube, have. */
#define RB_ON_MESH                                                                                 \
    .info.ranks = RB_MESH_RANKS, .info.radix = RB_MESH_COLUMNS, .supports = rb_mesh_supports
#define RB_ON_HYPERCUBE .info.ranks = RB_HYPERCUBE_RANKS, .supports = rb_hypercube_supports

/* The line of a rank in one dimension: the ranks that differ from it only in that dimension. */
struct rb_line {
    int32_t extent; /* how many */
    int32_t stride; /* difference of neighbours' numbers: the product of the lower extents */
    int32_t at;     /* this rank's coordinate */
};
static inline struct rb_line rb_grid_line(const struct rb_grid *grid, int32_t dimension,
                                          int32_t rank)
{
    struct rb_line line = {.extent = grid->extent[dimension > 0], .stride = 1};
    for (int32_t below = 0; below < dimension; below++)
        line.stride *= grid->extent[below > 0];
    line.at = rank / line.stride % line.extent;
    return line;
}

/* The rank on the line of `rank` that has this coordinate, modulo the extent; -extent <= coordinate
 * < 2 extent. */
static inline int32_t rb_line_rank(const struct rb_line *line, int32_t rank, int32_t coordinate)
{
    const int32_t wrapped = coordinate < 0              ? coordinate + line->extent
                            : coordinate < line->extent ? coordinate
                                                        : coordinate - line->extent;
    return rank + (wrapped - line->at) * line->stride;
}

/* The number of rounds of an algorithm with extent - 1 steps in each dimension, dimension 0
 * first. */
int64_t rb_grid_steps(const struct rb_grid *grid);
/* The dimension of a round of such an algorithm; *round becomes the step in this dimension. */
int32_t rb_grid_dimension(const struct rb_grid *grid, int64_t *round);
