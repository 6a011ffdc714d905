/* grid_exchange.c - allreduce, scan and exscan: whole vectors go round the lines of one dimension
 * after the other, and are combined on arrival.
 *
 * Source: Grama et al. 2003 (grid.h), "all-reduce and prefix-sum operations", and procedure
 * PREFIX_SUMS_HCUBE. Rounds: the sum of extent - 1 over the dimensions: p - 1 on a ring, a + b - 2
 * on a mesh, ceil(log2 p) on a hypercube. Volume: up to n blocks sent per rank and round. No state
 * per rank.
 *
 * A rank keeps the sum of its group, the ranks that agree with it in this dimension and above: an
 * allreduce needs only this sum, which the slides call msg. In scans it also keeps the prefix, the
 * group's sum up to itself (exscan: before itself), which at the end is the result. In step 0 of a
 * dimension it sends the sum to the next rank of its line, then what it got from the last.
 *
 * Rank order. On a line of e, rank c first gets the sums of c - 1 .. 0, each of which is a left
 * operand. Then those of e - 1 .. c + 1 would follow, each of which belongs between others. So rank
 * 0, where they enter, combines them before it sends them on, with the new one on the left. The
 * last sum that another rank gets from above is the complete sum of c + 1 .. e - 1; the rank uses
 * only this one, as the right operand.
 *
 * Vectors that no rank needs are not sent. In scans the sum of a line is needed if ranks follow the
 * line; otherwise vectors only move upwards. So a hypercube may lack the ranks from p on: if a rank
 * r uses the sum of a lower group, all ranks of that group are below r, so the sum is complete; and
 * because it was needed, none of the exchanges that led to it was left out. No rank follows a group
 * that lacks ranks.
 *
 * Scan, p = 6 on a hypercube: 0 <-> 1, 2 <-> 3, 4 -> 5; 0 <-> 2, 1 <-> 3; 0 -> 4, 1 -> 5. On a ring
 * of 4 rank 2 sends its own vector to 3, then 1's, then 0's. */
#include "schedules/patterns/grid.h"
#include "schedules/plan/plan.h"

/* The buffers of a collective of this kind. */
struct places {
    enum rb_buffer own; /* a rank's contribution */
    enum rb_buffer sum; /* of its group */
    bool prefix;        /* the plan computes a prefix, which is in DST */
};
static struct places places_of(const struct rb_plan *plan)
{
    const bool prefix = plan->collective->contributors != NULL;
    const bool apart = (plan->collective->buffers & 1u << RB_SRC) != 0;
    return (struct places){apart ? RB_SRC : RB_DST, prefix ? RB_SRC : RB_DST, prefix};
}

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    const struct places places = places_of(plan);
    const struct rb_grid grid = plan->data.grid = rb_grid_of(plan);
    plan->rounds = rb_grid_steps(&grid);
    plan->max_ops = 5;
    if (grid.extent[0] < plan->p)
        plan->buffers |= 1u << places.sum;
    if (grid.extent[0] > 2 || grid.extent[1] > 2 || places.prefix)
        plan->buffers |= 1u << RB_TMP;
    return rb_need_one_port(plan, why, why_size);
}

/* A rank's part in a step of a dimension. */
struct exchange {
    struct rb_line line;
    int32_t step;
    bool whole; /* the sum of the whole line is needed */
};

static struct exchange exchange_of(const struct rb_plan *plan, int32_t rank, int64_t t)
{
    const struct rb_grid *grid = &plan->data.grid;
    const int32_t dimension = rb_grid_dimension(grid, &t);
    const struct rb_line line = rb_grid_line(grid, dimension, rank);
    const int32_t all = line.stride * line.extent;
    return (struct exchange){line, (int32_t)t,
                             !places_of(plan).prefix || rank - rank % all < plan->p - all};
}

/* True if the vector that arrives in this step started below, or is needed for another reason. */
static bool receives(const struct exchange *x)
{
    return x->step < x->line.at || x->whole;
}

static bool sends(const struct rb_plan *plan, int32_t rank, const struct exchange *x)
{
    const bool up = x->line.at < x->line.extent - 1;
    return x->whole || (up && x->step <= x->line.at && rank < plan->p - x->line.stride);
}

/* An operation on the whole vector in a buffer. */
static struct rb_op vector(const struct rb_plan *plan, enum rb_op_kind kind, int32_t peer,
                           enum rb_buffer at, bool left)
{
    return (struct rb_op){
        .kind = kind, .peer = peer, .incoming_is_left = left, .at = {at, plan->root, 0, plan->n}};
}

static struct rb_op local(const struct rb_plan *plan, enum rb_op_kind kind, int32_t rank,
                          enum rb_buffer at, enum rb_buffer from, bool left)
{
    struct rb_op op = vector(plan, kind, rank, at, left);
    op.from = op.at;
    op.from.buffer = from;
    return op;
}

/* Received data go to the locations that need them: directly if there is one location and they are
 * not forwarded, otherwise through TMP. */
static int32_t arrive(const struct rb_plan *plan, int32_t rank, const struct exchange *x, int64_t t,
                      struct rb_op ops[])
{
    const struct places places = places_of(plan);
    const struct exchange then = {x->line, x->step + 1, x->whole};
    const int32_t last = rb_line_rank(&x->line, rank, x->line.at - 1);
    const bool ends = then.step == x->line.extent - 1;
    const bool passes = !ends && sends(plan, rank, &then);
    const bool below = x->step < x->line.at;
    const bool into_sum = x->whole && (below || ends), into_prefix = places.prefix && below;
    const bool first = places.own != RB_DST && x->step == 0 && rank % x->line.stride == 0;
    const bool gathers = !below && x->line.at == 0 && x->step > 0;
    const bool copies = places.own != places.sum && t == 0 && x->whole;
    int32_t count = 0;
    if (!passes && !gathers && !copies && into_sum != into_prefix) {
        const enum rb_buffer at = into_sum ? places.sum : RB_DST;
        ops[0] = vector(plan, into_prefix && first ? RB_RECV : RB_RECV_REDUCE, last, at, below);
        ops[0].incoming_is_left = ops[0].kind == RB_RECV_REDUCE && below;
        return 1;
    }
    ops[count++] = vector(plan, gathers ? RB_RECV_REDUCE : RB_RECV, last, RB_TMP, gathers);
    if (copies)
        ops[count++] = local(plan, RB_COPY, rank, places.sum, places.own, false);
    if (into_sum)
        ops[count++] = local(plan, RB_REDUCE, rank, places.sum, RB_TMP, below);
    if (into_prefix)
        ops[count++] =
            local(plan, first ? RB_COPY : RB_REDUCE, rank, RB_DST, RB_TMP, !first && below);
    return count;
}

static int32_t round_(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                      struct rb_op ops[])
{
    const struct places places = places_of(plan);
    const int32_t rank = state->rank;
    const struct exchange x = exchange_of(plan, rank, t);
    int32_t count = 0;
    if (sends(plan, rank, &x))
        ops[count++] = vector(plan, RB_SEND, rb_line_rank(&x.line, rank, x.line.at + 1),
                              x.step > 0 ? RB_TMP
                              : t > 0    ? places.sum
                                         : places.own,
                              false);
    return receives(&x) ? count + arrive(plan, rank, &x, t, ops + count) : count;
}

/* A rank that is idle in a step is so for the rest of the dimension. */
static int64_t next(const struct rb_plan *plan, const struct rb_rank *state, int64_t t)
{
    while (t < plan->rounds) {
        const struct exchange x = exchange_of(plan, state->rank, t);
        if (sends(plan, state->rank, &x) || receives(&x))
            return t;
        t += x.line.extent - 1 - x.step;
    }
    return t;
}

#define EXCHANGE                                                                                   \
    .init = init, .round = round_, .next = next, .cost = rb_cost_of_all, .ordered_for_root_0 = true

/* Whole vectors go round a ring and are combined on arrival. Source: Grama et al. 2003, "all-reduce
 * and prefix-sum operations", the pattern of all-to-all broadcast on a ring. Rounds: p - 1. Volume:
 * n (p - 1) blocks sent per rank. Rank order is kept. */
RB_ROW(rb_allreduce_ring_exchange, "allreduce", "ring-exchange",
       "whole vectors round a ring, combined on arrival", "Grama et al. 2003", "p - 1", EXCHANGE,
       RB_AT_ONCE, .grid = rb_grid_ring);

/* Whole vectors go round the rows of a mesh, then the rows' sums round the columns. Source: Grama
 * et al. 2003, "all-reduce and prefix-sum operations", the pattern of all-to-all broadcast on a
 * mesh. Rounds on a rows of b: a + b - 2. Volume: n (a + b - 2) blocks sent per rank. Rank order is
 * kept. */
RB_ROW(rb_allreduce_mesh_exchange, "allreduce", "mesh-exchange",
       "whole vectors round the rows of an a x b mesh, their sums round its columns",
       "Grama et al. 2003", "a + b - 2", EXCHANGE, RB_AT_ONCE, RB_ON_MESH, .grid = rb_grid_mesh);

/* Whole vectors exchanged across the dimensions of a hypercube. Source: Grama et al. 2003,
 * "all-reduce and prefix-sum operations": (ts + tw m) log p. Rounds: log2 p, p = 2^d. Volume: n
 * log2 p blocks sent per rank. Rank order is kept. recursive-doubling is the same for these p. */
RB_ROW(rb_allreduce_hypercube_exchange, "allreduce", "hypercube-exchange",
       "whole vectors across the dimensions of a hypercube", "Grama et al. 2003", "log2 p",
       EXCHANGE, RB_AT_ONCE, RB_ON_HYPERCUBE, .grid = rb_grid_hypercube);

/* Each rank's vector goes up to the last rank, one after the other. Source: Grama et al. 2003,
 * "all-reduce and prefix-sum operations", the pattern of all-to-all broadcast on a ring without
 * what isn't needed. Rounds: p - 1. Volume: rank r sends n (r + 1) blocks, the last one none. Rank
 * order is kept. */
RB_ROW(rb_scan_ring, "scan", "ring", "vectors up a ring of p ranks, combined on arrival",
       "Grama et al. 2003", "p - 1", EXCHANGE, RB_AT_ONCE, .grid = rb_grid_ring);

/* Prefixes in the rows of a mesh and the rows' sums, then prefixes of these. Source: Grama et al.
 * 2003, "all-reduce and prefix-sum operations", the pattern of all-to-all broadcast on a mesh.
 * Rounds on a rows of b: a + b - 2. Volume: up to n (a + b - 2) blocks sent per rank. Rank order is
 * kept. */
RB_ROW(rb_scan_mesh, "scan", "mesh",
       "prefixes and sums of the rows of an a x b mesh, then of its columns", "Grama et al. 2003",
       "a + b - 2", EXCHANGE, RB_AT_ONCE, RB_ON_MESH, .grid = rb_grid_mesh);

/* Prefixes and sums of larger and larger subcubes. Source: Grama et al. 2003, procedure
 * PREFIX_SUMS_HCUBE, for any p: the ranks from p on are missing, and nobody needs them. Rounds:
 * ceil(log2 p), optimal. Volume: up to n ceil(log2 p) blocks sent per rank. Rank order is kept. */
RB_ROW(rb_scan_hypercube, "scan", "hypercube", "prefixes and sums of larger and larger subcubes",
       "Grama et al. 2003", "ceil(log2 p)", EXCHANGE, RB_AT_ONCE, .grid = rb_grid_hypercube);

/* Each rank's vector goes up to the last rank, one after the other. The scan of this name without a
 * rank's own vector. */
RB_ROW(rb_exscan_ring, "exscan", "ring", "vectors up a ring of p ranks, combined on arrival",
       "Grama et al. 2003", "p - 1", EXCHANGE, RB_AT_ONCE, .grid = rb_grid_ring);

/* Computes prefixes in the rows of a mesh and the rows' sums, then prefixes of these sums. This is
 * the scan of this name without a rank's own vector. */
RB_ROW(rb_exscan_mesh, "exscan", "mesh",
       "prefixes and sums of the rows of an a x b mesh, then of its columns", "Grama et al. 2003",
       "a + b - 2", EXCHANGE, RB_AT_ONCE, RB_ON_MESH, .grid = rb_grid_mesh);

/* Prefixes and sums of larger and larger subcubes. The scan of this name without a rank's own
 * vector. */
RB_ROW(rb_exscan_hypercube, "exscan", "hypercube",
       "prefixes and sums of larger and larger subcubes", "Grama et al. 2003", "ceil(log2 p)",
       EXCHANGE, RB_AT_ONCE, .grid = rb_grid_hypercube);
