/* grid_alltoall.c - all-to-all personalized communication: on the lines of one dimension after the
 * other, all parts that must move further in this dimension go to the next rank as one message.
 *
 * Source: Grama et al. 2003 (grid.h), "all-to-all personalized communication". Rounds: the sum of
 * extent - 1 over the dimensions: p - 1 on a ring, a + b - 2 on a mesh, log2 p on a hypercube.
 * Volume: in a dimension of extent e (p/e) e (e - 1)/2 parts, of n blocks each, leave a rank:
 * formulas (4), (5) and (6). No state per rank.
 *
 * Before step i of a dimension a rank has the parts that are finished in this dimension, and the
 * parts that are i steps from their owners in it and must move further; it sends all of the latter.
 * Its parts come from owners with the same coordinates in the later dimensions, and are for ranks
 * with the same coordinates in the finished ones. So any two parts in TMP at the same time are in
 * different rows, (destination - owner) mod p: if their owners differ from the rank in different
 * ways in the lower dimensions, the rows have different remainders by the stride; otherwise, if
 * their distances in this dimension differ, the rows differ by the stride of the next dimension;
 * otherwise the parts come from one owner and have different destinations. 2 rows of 3, rank 4
 * sends {4, 0}, {4, 2}, {4, 3}, {4, 5} to 5; {3, 2}, {3, 5} there; {3, 1}, {4, 1}, {5, 1} to 1. */
#include "schedules/patterns/grid.h"
#include "schedules/plan/plan.h"

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    const struct rb_grid grid = plan->data.grid = rb_grid_of(plan);
    int32_t most = 0; /* parts of a message: those of the first step of a dimension */
    for (int32_t i = 0; i < 2 && i < grid.dimensions; i++) {
        const int32_t parts = plan->p / grid.extent[i] * (grid.extent[i] - 1);
        most = parts > most ? parts : most;
    }
    plan->rounds = plan->p > 1 ? rb_grid_steps(&grid) : 1;
    plan->max_ops = 2 * most + 1;
    plan->buffers |= 1u << RB_TMP;
    return rb_need_one_port(plan, why, why_size);
}

/* The location of a part at a rank: only parts in transit are in TMP. */
static struct rb_range at_rank(const struct rb_plan *plan, int32_t rank, int32_t owner, int32_t to)
{
    return rb_part_range(plan, owner == rank ? RB_SRC : to == rank ? RB_DST : RB_TMP, owner, to);
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

static int32_t round_(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
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

/* All that a rank of a ring sends in a step: parts of one owner for the ranks from the next one on.
 */
static bool ring_message(const struct rb_lengths *lengths, int32_t sender, int32_t step, bool sends,
                         int32_t peer, struct rb_envelope *envelope)
{
    const struct rb_plan *plan = lengths->plan;
    const struct rb_layout *layout = lengths->layout;
    const int32_t p = plan->p, owner = sender >= step ? sender - step : sender + (p - step);
    const int32_t first = sender + 1, end = first + (p - step - 1); /* may go round */
    const int64_t blocks = rb_part_blocks(plan);
    const int64_t all = rb_layout_offset(plan, layout, owner, p * blocks) -
                        rb_layout_offset(plan, layout, owner, 0);
    const int64_t begin = rb_layout_offset(plan, layout, owner, first % p * blocks);
    *envelope = (struct rb_envelope){.sends = sends, .peer = peer};
    envelope->bytes = rb_layout_offset(plan, layout, owner, end % p * blocks) - begin;
    envelope->bytes += first < p && end >= p ? all : 0;
    return layout->first == NULL || envelope->bytes > 0;
}

static int32_t envelopes(const struct rb_plan *plan, const struct rb_lengths *lengths,
                         const struct rb_rank *state, int64_t t, struct rb_envelope envelope[])
{
    const int32_t rank = state->rank, next = rb_after(plan, rank, 1),
                  last = rb_after(plan, rank, plan->p - 1);
    if (t == 0 || plan->data.grid.dimensions > 1)
        return -1; /* it copies a block, or is a mesh */
    int32_t count = ring_message(lengths, rank, (int32_t)t, true, next, envelope);
    return count + ring_message(lengths, last, (int32_t)t, false, last, envelope + count);
}

static double cost(const struct rb_plan *plan, double bytes, double alpha_s, double beta_s_per_byte)
{
    const double p = plan->p;
    return (double)plan->rounds * (alpha_s + bytes / p / 2 * beta_s_per_byte);
}

#define ALLTOALL .init = init, .round = round_, .next = rb_never_idle, .cost = cost

/* A rank's data for all others go round a ring and get fewer on the way. Source: Grama et al. 2003,
 * "all-to-all personalized communication on a ring"; formula (4). Rounds: p - 1. Volume: n p (p -
 * 1)/2 blocks sent per rank. p = 3, rank 0 sends {0, 1}, {0, 2} to 1; {2, 1} there. */
RB_ROW(rb_alltoall_ring, "alltoall", "ring", "data for all others round a ring, fewer on the way",
       "Grama et al. 2003", "p - 1", ALLTOALL, RB_FOR_RANK, .envelopes = envelopes,
       .grid = rb_grid_ring);

/* Round the rows of a mesh to the right column, then round the columns. Source: Grama et al. 2003,
 * "all-to-all personalized communication on a mesh"; formula (5) where a = b. Rounds on a rows of
 * b: a + b - 2. Volume: n p (a + b - 2)/2 blocks sent per rank. */
RB_ROW(rb_alltoall_mesh, "alltoall", "mesh",
       "data round the rows of an a x b mesh to their column, then round it", "Grama et al. 2003",
       "a + b - 2", ALLTOALL, RB_FOR_RANK, RB_ON_MESH, .grid = rb_grid_mesh);

/* Half of a rank's data across one dimension of a hypercube after the other. Source: Grama et al.
 * 2003, "all-to-all personalized communication on a hypercube"; formula (6). Rounds: log2 p, p =
 * 2^d. Volume: n p log2 p / 2 blocks sent per rank. xor takes p - 1 rounds and sends less. p = 4,
 * rank 0 sends {0, 1}, {0, 3} to 1; {0, 2}, {1, 2} to 2. */
RB_ROW(rb_alltoall_hypercube, "alltoall", "hypercube",
       "half of the data across each dimension of a hypercube", "Grama et al. 2003", "log2 p",
       ALLTOALL, RB_FOR_RANK, RB_ON_HYPERCUBE, .grid = rb_grid_hypercube);
