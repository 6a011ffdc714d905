/* grid_shift.c - circular shifts by hops between neighbours. On rings and meshes data move along
 * the rows, one row further if they crossed a row's end, and then along the columns. On hypercubes
 * they move by powers of two, see below.
 *
 * Source: Grama et al. 2003 (grid.h), "circular shift on a mesh". On a rows of b the shift by q is
 * C columns and R rows, q = R b + C modulo p; C and R may be negative, and of the two possible C
 * for a q, the one with fewer rounds is used. Rounds: min(q, p - q) on a ring; |C| + |R|, and 1
 * more if C is not 0, on a mesh: at most a/2 + b/2 + 1. Volume: n blocks per rank and round. No
 * state per rank.
 *
 * |C| times, all ranks send their data to the next rank of the row. Data that crossed a row's end
 * are then one row short; one further round moves them, and the other ranks are idle in it. Then
 * all data move |R| ranks along their columns, whose ends need no such correction. 2 rows of 3, q =
 * 4, so C = R = 1: 0's data go to 1, to 4; those of 2 to 0, in the round between to 3, then back to
 * 0, modulo 6 where they belong. */
#include "schedules/patterns/grid.h"
#include "schedules/plan/plan.h"

#include <stdlib.h>

/* In a round every rank has the data of one owner and sends them on. */
struct way {
    int32_t owner; /* the owner of the data that a rank has before the round */
    int32_t to;    /* their rank after the round; the rank itself: they stay */
    int32_t from;  /* the rank from which the data after the round come */
};

/* The common members of all shifts, for this number of rounds. */
static int start(struct rb_plan *plan, int64_t rounds, char *why, size_t why_size)
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

/* The operations of a round in which data go this way. For q = 0 the data are copied, in a round
 * without messages. */
static int32_t shift_round(const struct rb_plan *plan, int32_t rank, int64_t t,
                           struct way (*way)(const struct rb_plan *plan, int32_t rank, int64_t t),
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
    const struct way here = way(plan, rank, t);
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

static double cost(const struct rb_plan *plan, double bytes, double alpha_s, double beta_s_per_byte)
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

static int grid_init(struct rb_plan *plan, char *why, size_t why_size)
{
    const struct rb_grid grid = plan->data.grid = rb_grid_of(plan);
    return start(plan, rounds_of(steps_of(&grid, plan->problem.shift)), why, why_size);
}

/* distance ranks further modulo p, -p <= distance <= p. */
static int32_t further(const struct rb_plan *plan, int32_t rank, int32_t distance)
{
    return rb_after(plan, rank, distance < 0 ? distance + plan->p : distance);
}

static struct way grid_way(const struct rb_plan *plan, int32_t rank, int64_t t)
{
    const struct rb_grid *grid = &plan->data.grid;
    const struct steps steps = steps_of(grid, plan->problem.shift);
    const struct rb_line row = rb_grid_line(grid, 0, rank);
    const int32_t along = abs(steps.columns), side = steps.columns < 0 ? -1 : 1;
    const int32_t down = (steps.rows < 0 ? -1 : 1) * row.extent, done = (int32_t)t - along;
    if (done < 0)
        return (struct way){rb_line_rank(&row, rank, row.at - side * (int32_t)t),
                            rb_line_rank(&row, rank, row.at + side),
                            rb_line_rank(&row, rank, row.at - side)};
    if (done < steps.between) {
        const int32_t owner = rb_line_rank(&row, rank, row.at - steps.columns);
        const bool over = side > 0 ? row.at < along : row.at >= row.extent - along;
        const int32_t by = over ? side * row.extent : 0;
        return (struct way){owner, further(plan, rank, by), further(plan, rank, -by)};
    }
    const int32_t rows = (done - steps.between) * down;
    return (struct way){further(plan, further(plan, rank, -steps.columns), -rows),
                        further(plan, rank, down), further(plan, rank, -down)};
}

static int32_t grid_round(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                          struct rb_op ops[])
{
    return shift_round(plan, state->rank, t, grid_way, ops);
}

#define SHIFT .init = grid_init, .round = grid_round, .cost = cost

/* The data go round a ring, the shorter way. Source: Grama et al. 2003, "circular shift". Rounds:
 * min(q, p - q), or one, to copy, if q = 0. Volume: n blocks per rank and round. p = 5, q = 3: two
 * rounds to the left neighbour. */
RB_ROW(rb_shift_ring, "shift", "ring", "round a ring, the shorter way", "Grama et al. 2003",
       "max(1, min(q, p - q))", SHIFT, RB_AT_ONCE, .grid = rb_grid_ring);

/* Along the rows of a mesh, then along its columns. Source: Grama et al. 2003, "circular shift on a
 * mesh". Rounds on a rows of b: at most a/2 + b/2 + 1. Volume: up to n blocks per rank and round. p
 * = 16, q = 5: a round along the rows, one along the first column, one along all columns. */
RB_ROW(rb_shift_mesh, "shift", "mesh", "along the rows of an a x b mesh, then along its columns",
       "Grama et al. 2003", "at most a/2 + b/2 + 1", SHIFT, RB_AT_ONCE, RB_ON_MESH,
       .grid = rb_grid_mesh);

/* ---- Hypercubes ------------------------------------------------------------------------------
 *
 * A shift by powers of two, each of two hops on a hypercube. Source: Grama et al. 2003 (grid.h),
 * "circular shift on a hypercube"; formula (8). q is the sum of distinct powers of two, and the
 * data are shifted by one after the other, the largest first. Rounds: 2 for each power but 2^0,
 * which takes 1: at most 2 log2 p - 1, p = 2^d. Volume: n blocks per rank and round. No state per
 * rank.
 *
 * Numbering. Ranks are those of the linear array, whose rank i is on node G(i) = i ^ (i >> 1) of
 * the hypercube, the binary-reflected Gray code: so the ranks must be placed accordingly on a
 * platform whose hosts are numbered as nodes. Then each message goes between neighbours: i + 2^j
 * differs from i in bits j .. k, where k is the first bit from j on that is 0, and their nodes
 * differ in bits j - 1 and k. The first hop flips bit j - 1 of the node, which flips bits 0 .. j -
 * 1 of the rank; for j = 0 there is no first hop.
 *
 * p = 8, q = 5, rank 0: by 4 over 3 (nodes 000, 010, 110), by 1 to 5 (node 111). */

/* A round: the power 2^j that it belongs to, and whether it is the second hop. */
struct hop {
    int32_t shifted; /* by the powers before */
    int32_t power;
    bool second;
};

static struct hop hop_of(int32_t q, int64_t t)
{
    int32_t power = (int32_t)1 << 29, shifted = 0;
    for (;; power /= 2) {
        const int32_t hops = (q & power) == 0 ? 0 : power > 1 ? 2 : 1;
        if (t < hops)
            return (struct hop){shifted, power, power == 1 || t == 1};
        t -= hops;
        shifted += q & power;
    }
}

static int hypercube_init(struct rb_plan *plan, char *why, size_t why_size)
{
    const int32_t q = plan->problem.shift;
    return start(plan, 2 * __builtin_popcount((uint32_t)q) - (q & 1), why, why_size);
}

static struct way hypercube_way(const struct rb_plan *plan, int32_t rank, int64_t t)
{
    const struct hop hop = hop_of(plan->problem.shift, t);
    const int32_t first = hop.power - 1, all = plan->p - 1;   /* as a mask: bits 0 .. j - 1 */
    const int32_t shifted = hop.second ? rank ^ first : rank; /* after the powers before */
    const int32_t owner = (shifted - hop.shifted) & all;
    if (!hop.second)
        return (struct way){owner, rank ^ first, rank ^ first};
    return (struct way){owner, (shifted + hop.power) & all, ((rank - hop.power) & all) ^ first};
}

static int32_t hypercube_round(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                               struct rb_op ops[])
{
    return shift_round(plan, state->rank, t, hypercube_way, ops);
}

RB_ROW(rb_shift_hypercube, "shift", "hypercube",
       "by powers of two, each two hops on a hypercube in Gray code", "Grama et al. 2003",
       "at most 2 log2 p - 1", RB_AT_ONCE, RB_ON_HYPERCUBE, .init = hypercube_init,
       .round = hypercube_round, .cost = cost);
