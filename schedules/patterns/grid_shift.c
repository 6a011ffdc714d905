/* grid_shift.c - circular shifts on rings and meshes: along the rows, one row further what went
 * over their ends, then along the columns.
 *
 * Source: Grama et al. 2003 (grid.h), "circular shift on a mesh". On a rows of b the shift by q is
 * C columns and R rows, q = R b + C modulo p; C and R may be negative, and of the two C for a q the
 * one is taken that needs fewer rounds. Rounds: min(q, p - q) on a ring; |C| + |R|, and 1 more if C
 * is not 0, on a mesh: at most a/2 + b/2 + 1. Volume: n blocks per rank and round. No state per
 * rank.
 *
 * A rank and all others send what they have to the next rank of the row |C| times. What has gone
 * over a row's end is then in the row it came from, and one row short: that is made up for in one
 * round, in which the others are idle. Then all go |R| ranks along their columns, over whose ends
 * there is nothing to make up for. 2 rows of 3, q = 4, so C = R = 1: 0's data go to 1, to 4; those
 * of 2 to 0, in the round between to 3, then back to 0, modulo 6 where they belong. */
#include "grid_shift.h"

#include <stdlib.h>

int rb_shift_init(struct rb_plan *plan, int64_t rounds, char *why, size_t why_size)
{
    plan->rounds = rounds > 0 ? rounds : 1;
    plan->max_ops = 2;
    if (rounds > 1)
        plan->buffers |= 1u << RB_TMP;
    return rb_need_one_port(plan, why, why_size);
}

/* Where a rank has an owner's data before round t: all have moved in round 0. */
static struct rb_range held(const struct rb_plan *plan, int32_t rank, int32_t owner, int64_t t)
{
    const bool arrived = rb_after(plan, owner, plan->problem.shift) == rank;
    return (struct rb_range){t == 0 ? RB_SRC : arrived ? RB_DST : RB_TMP, owner, 0, plan->n};
}

int32_t rb_shift_round(const struct rb_plan *plan, int32_t rank, int64_t t,
                       struct rb_way (*way)(const struct rb_plan *plan, int32_t rank, int64_t t),
                       struct rb_op ops[])
{
    int32_t count = 0;
    if (plan->problem.shift == 0) {
        ops[0] = (struct rb_op){.kind = RB_COPY,
                                .peer = rank,
                                .at = held(plan, rank, rank, 1),
                                .from = held(plan, rank, rank, 0)};
        return 1;
    }
    const struct rb_way here = way(plan, rank, t);
    if (here.to != rank)
        ops[count++] =
            (struct rb_op){.kind = RB_SEND, .peer = here.to, .at = held(plan, rank, here.owner, t)};
    if (here.from != rank) {
        const int32_t owner = way(plan, here.from, t).owner;
        ops[count++] = (struct rb_op){
            .kind = RB_RECV, .peer = here.from, .at = held(plan, rank, owner, t + 1)};
    }
    return count;
}

double rb_shift_cost(const struct rb_plan *plan, double bytes, double alpha_s,
                     double beta_s_per_byte)
{
    if (plan->problem.shift == 0)
        return 0;
    return (double)plan->rounds * (alpha_s + beta_s_per_byte * bytes / plan->p);
}

/* A shift as steps along rows and columns; negative: towards lower ranks. */
struct steps {
    int32_t columns, rows;
    int32_t between; /* rounds that make up for rows' ends */
};

static int32_t rounds_of(struct steps steps)
{
    return abs(steps.columns) + steps.between + abs(steps.rows);
}

static struct steps steps_by(const struct rb_grid *grid, int32_t columns, int32_t rows)
{
    const int32_t all = grid->extent[1], forward = rows % all;
    return (struct steps){.columns = columns,
                          .rows = forward <= all - forward ? forward : forward - all,
                          .between = columns != 0 && all > 1};
}

static struct steps steps_of(const struct rb_grid *grid, int32_t q)
{
    const int32_t columns = q % grid->extent[0], rows = q / grid->extent[0];
    const struct steps up = steps_by(grid, columns, rows);
    const struct steps down = steps_by(grid, columns - grid->extent[0], rows + 1);
    return columns == 0 || rounds_of(up) <= rounds_of(down) ? up : down;
}

int rb_grid_shift_init(struct rb_plan *plan, struct rb_grid grid, char *why, size_t why_size)
{
    plan->data.grid = grid;
    return rb_shift_init(plan, rounds_of(steps_of(&grid, plan->problem.shift)), why, why_size);
}

/* distance ranks further modulo p, -p <= distance <= p. */
static int32_t further(const struct rb_plan *plan, int32_t rank, int32_t distance)
{
    return rb_after(plan, rank, distance < 0 ? distance + plan->p : distance);
}

struct rb_way rb_grid_shift_way(const struct rb_plan *plan, int32_t rank, int64_t t)
{
    const struct rb_grid *grid = &plan->data.grid;
    const struct steps steps = steps_of(grid, plan->problem.shift);
    const struct rb_line row = rb_grid_line(grid, 0, rank);
    const int32_t along = abs(steps.columns), side = steps.columns < 0 ? -1 : 1;
    const int32_t down = (steps.rows < 0 ? -1 : 1) * row.extent, done = (int32_t)t - along;
    if (done < 0)
        return (struct rb_way){rb_line_rank(&row, rank, row.at - side * (int32_t)t),
                               rb_line_rank(&row, rank, row.at + side),
                               rb_line_rank(&row, rank, row.at - side)};
    if (done < steps.between) {
        const int32_t owner = rb_line_rank(&row, rank, row.at - steps.columns);
        const bool over = side > 0 ? row.at < along : row.at >= row.extent - along;
        const int32_t by = over ? side * row.extent : 0;
        return (struct rb_way){owner, further(plan, rank, by), further(plan, rank, -by)};
    }
    const int32_t rows = (done - steps.between) * down;
    return (struct rb_way){further(plan, further(plan, rank, -steps.columns), -rows),
                           further(plan, rank, down), further(plan, rank, -down)};
}

int32_t rb_grid_shift_round(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                            struct rb_op ops[])
{
    return rb_shift_round(plan, state->rank, t, rb_grid_shift_way, ops);
}
