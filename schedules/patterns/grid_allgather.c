/* grid_allgather.c - all-to-all broadcast: everybody passes on to the next rank of its line what it
 * got from the last, dimension after dimension.
 *
 * Source: Grama et al. 2003 (grid.h), "all-to-all broadcast". Rounds: the sum of extent - 1 over
 * the dimensions: p - 1 on a ring, a + b - 2 on a mesh, log2 p on a hypercube. Volume: n (p - 1)
 * blocks received per rank, optimal; formula (2) on the hypercube. No state per rank.
 *
 * In a dimension of stride s a rank begins with the data of the s ranks that agree with it there
 * and above; in step i it sends those of the group i before its own. 2 rows of 3, rank 4: 3; 5; 0,
 * 1, 2. */
#include "grid_allgather.h"

int rb_grid_allgather_init(struct rb_plan *plan, struct rb_grid grid, char *why, size_t why_size)
{
    const int32_t highest = grid.dimensions - 1;
    plan->data.grid = grid;
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

int32_t rb_grid_allgather_round(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
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
double rb_grid_allgather_cost(const struct rb_plan *plan, double bytes, double alpha_s,
                              double beta_s_per_byte)
{
    const double p = plan->p;
    return (double)plan->rounds * alpha_s + (p - 1) / p * bytes * beta_s_per_byte;
}
