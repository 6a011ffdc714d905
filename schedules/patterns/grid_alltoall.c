/* grid_alltoall.c - all-to-all personalised communication: on the lines of one dimension after the
 * other, all that has to go further in it goes on to the next rank as one message.
 *
 * Source: Grama et al. 2003 (grid.h), "all-to-all personalized communication". Rounds: the sum of
 * extent - 1 over the dimensions: p - 1 on a ring, a + b - 2 on a mesh, log2 p on a hypercube.
 * Volume: in a dimension of extent e (p/e) e (e - 1)/2 parts, of n blocks each, leave a rank:
 * formulas (4), (5) and (6). No state per rank.
 *
 * Before step i of a dimension a rank has, besides what was and what need not be moved in it, the
 * parts that are i steps from their owners in it and have more to go, and sends all of them. What
 * it has is from owners that agree with it in the dimensions to come, and for ranks that agree with
 * it in those that are done. So any two parts that are in TMP at once lie in different rows of it,
 * (destination - owner) mod p: those in whose dimensions below this one owner and rank differ
 * otherwise have different remainders by the stride; else those that have other distances to go in
 * this dimension, by the stride of the next; else they are from one owner. 2 rows of 3, rank 4
 * sends {4, 0}, {4, 2}, {4, 3}, {4, 5} to 5; {3, 2}, {3, 5} there; {3, 1}, {4, 1}, {5, 1} to 1. */
#include "grid_alltoall.h"

int rb_grid_alltoall_init(struct rb_plan *plan, struct rb_grid grid, char *why, size_t why_size)
{
    int32_t most = 0; /* parts of a message: those of the first step of a dimension */
    for (int32_t i = 0; i < 2 && i < grid.dimensions; i++) {
        const int32_t parts = plan->p / grid.extent[i] * (grid.extent[i] - 1);
        most = parts > most ? parts : most;
    }
    plan->data.grid = grid;
    plan->rounds = plan->p > 1 ? rb_grid_steps(&grid) : 1;
    plan->max_ops = 2 * most + 1;
    plan->buffers |= 1u << RB_TMP;
    return rb_need_one_port(plan, why, why_size);
}

/* Where a part lies at a rank: only what is on its way is in TMP. */
static struct rb_range at_rank(const struct rb_plan *plan, int32_t rank, int32_t owner, int32_t to)
{
    return rb_addressed(plan, owner == rank ? RB_SRC : to == rank ? RB_DST : RB_TMP, owner, to);
}

/* The message of a rank in a step, as the operations of `rank`, which sends or receives it. */
static int32_t pack(const struct rb_plan *plan, const struct rb_line *line, int32_t sender,
                    int32_t step, enum rb_op_kind kind, int32_t rank, int32_t peer,
                    struct rb_op ops[])
{
    const int32_t below = sender % line->stride, next_stride = line->stride * line->extent;
    const int32_t owners = rb_line_rank(line, sender, line->at - step) - below;
    int32_t count = 0;
    for (int32_t further = 1; further < line->extent - step; further++) {
        const int32_t to = rb_line_rank(line, sender, line->at + further) % next_stride;
        for (int32_t owner = owners; owner < owners + line->stride; owner++)
            for (int32_t above = 0; above < plan->p; above += next_stride)
                ops[count++] = (struct rb_op){
                    .kind = kind, .peer = peer, .at = at_rank(plan, rank, owner, above + to)};
    }
    return count;
}

int32_t rb_grid_alltoall_round(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                               struct rb_op ops[])
{
    const struct rb_grid *grid = &plan->data.grid;
    const int32_t rank = state->rank;
    int32_t count = 0;
    if (plan->p > 1) {
        int64_t step = t;
        const int32_t dimension = rb_grid_dimension(grid, &step);
        const struct rb_line here = rb_grid_line(grid, dimension, rank);
        const int32_t next = rb_line_rank(&here, rank, here.at + 1);
        const int32_t last = rb_line_rank(&here, rank, here.at - 1);
        const struct rb_line there = rb_grid_line(grid, dimension, last);
        count = pack(plan, &here, rank, (int32_t)step, RB_SEND, rank, next, ops);
        count += pack(plan, &there, last, (int32_t)step, RB_RECV, rank, last, ops + count);
    }
    if (t == 0)
        ops[count++] = rb_keep_own(plan, rank);
    return count;
}

double rb_grid_alltoall_cost(const struct rb_plan *plan, double bytes, double alpha_s,
                             double beta_s_per_byte)
{
    const double p = plan->p;
    return (double)plan->rounds * (alpha_s + bytes / p / 2 * beta_s_per_byte);
}
