/* grid_allgather.c - all-to-all broadcast: every rank sends to the next rank of its line the data
 * that it received in the preceding step, dimension after dimension.
 *
 * Source: Grama et al. 2003 (grid.h), "all-to-all broadcast". Rounds: the sum of extent - 1 over
 * the dimensions: p - 1 on a ring, a + b - 2 on a mesh, log2 p on a hypercube. Volume: n (p - 1)
 * blocks received per rank, optimal; formula (2) on the hypercube. No state per rank.
 *
 * In a dimension of stride s a rank begins with the data of the s ranks that agree with it there
 * and above; in step i it sends those of the group i before its own. 2 rows of 3, rank 4: 3; 5; 0,
 * 1, 2. */
#include "schedules/patterns/grid.h"
#include "schedules/plan/plan.h"

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    const struct rb_grid grid = plan->data.grid = rb_grid_of(plan);
    const int32_t highest = grid.dimensions - 1;
    plan->rounds = rb_grid_steps(&grid);
    plan->max_ops = 2 * (highest > 0 ? rb_grid_line(&grid, highest, 0).stride : 1);
    return rb_need_one_port(plan, why, why_size);
}

/* The data of the group with this coordinate. */
static int32_t pack(const struct rb_plan *plan, const struct rb_line *line, int32_t rank,
                    enum rb_op_kind kind, int32_t peer, int32_t coordinate, struct rb_op ops[])
{
    const int32_t first = rb_line_rank(line, rank, coordinate) - rank % line->stride;
    for (int32_t i = 0; i < line->stride; i++)
        ops[i] = (struct rb_op){.kind = kind, .peer = peer, .at = {RB_DST, first + i, 0, plan->n}};
    return line->stride;
}

static int32_t round_(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                      struct rb_op ops[])
{
    const struct rb_grid *grid = &plan->data.grid;
    const int32_t rank = state->rank, dimension = rb_grid_dimension(grid, &t);
    const struct rb_line line = rb_grid_line(grid, dimension, rank);
    const int32_t sent = line.at - (int32_t)t;
    const int32_t next = rb_line_rank(&line, rank, line.at + 1);
    const int32_t last = rb_line_rank(&line, rank, line.at - 1);
    const int32_t count = pack(plan, &line, rank, RB_SEND, next, sent, ops);
    return count + pack(plan, &line, rank, RB_RECV, last, sent - 1, ops + count);
}

/* The strides of all steps add up to p - 1. */
#define ALLGATHER .init = init, .round = round_, .next = rb_never_idle, .cost = rb_cost_of_others

/* Every rank sends to the next rank the data that it received in the preceding round. Source:
 * textbook; Grama et al. 2003, procedure ALL_TO_ALL_BC_RING. MPI libraries use it for long
 * messages. Rounds: p - 1. Volume: n (p - 1) blocks received per rank, optimal.
 *
 * In round t rank r sends the data of r - t to r + 1. p = 3: every rank sends its own data, then
 * its left neighbour's. */
RB_ROW(rb_allgather_ring, "allgather", "ring", "each rank's data go round a ring",
       "textbook; Grama et al. 2003", "p - 1", ALLGATHER, RB_OF_RANK, .grid = rb_grid_ring);

/* Round the rows of a mesh, then what a row has round the columns. Source: Grama et al. 2003,
 * procedure ALL_TO_ALL_BC_MESH. Rounds on a rows of b: a + b - 2. Volume: n (p - 1) blocks received
 * per rank, optimal. p = 6 (2 rows of 3), rank 4 gets 3; 5; 0, 1, 2. */
RB_ROW(rb_allgather_mesh, "allgather", "mesh",
       "round the rows of an a x b mesh, then round its columns", "Grama et al. 2003", "a + b - 2",
       ALLGATHER, RB_OF_RANK, RB_ON_MESH, .grid = rb_grid_mesh);

/* Across the dimensions of a hypercube, the data doubling. Source: Grama et al. 2003, procedure
 * ALL_TO_ALL_BC_HCUBE; formula (2). Rounds: log2 p, p = 2^d. Volume: n (p - 1) blocks received per
 * rank, optimal. p = 8, rank 5 gets 4; 6, 7; 0 .. 3. recursive-doubling is the same for these p. */
RB_ROW(rb_allgather_hypercube, "allgather", "hypercube",
       "across the dimensions of a hypercube, the data doubling", "Grama et al. 2003", "log2 p",
       ALLGATHER, RB_OF_RANK, RB_ON_HYPERCUBE, .grid = rb_grid_hypercube);
