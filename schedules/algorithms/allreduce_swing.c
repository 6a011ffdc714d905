/* allreduce_swing.c - Swing on a torus: vectors halved, then doubled, or exchanged whole, between
 * ranks that swing from one side to the other in one dimension after the other; on several ports.
 *
 * Source: D. De Sensi, T. Bonato, D. Saam, T. Hoefler, Swing: Short-cutting Rings for Higher
 * Bandwidth Allreduce, NSDI 2024 (arXiv 2401.09356). Its distances are those of bine.h: 1, -1, 3,
 * -5, .., from even ranks; odd ranks are their mirror. Ranks are numbered row by row of r columns;
 * steps take the dimensions in turn until one has no more. The vector is cut into c parts, one for
 * each port up to two in each dimension: part j starts in dimension j mod 2, and the parts of the
 * second half go the other way round. Rounds: swing 2 log2 p, swing-doubling log2 p. Volume, in
 * each part: swing 2 n (p - 1) blocks sent per rank, of shares of n blocks, optimal; swing-doubling
 * n log2 p. Commutative operators only. No state per rank. On one port and one row these are `bine`
 * and `bine-doubling`, which serve any p; the paper serves any even extents.
 *
 * p = 8, r = 8, rank 0: with 1, 7, 3; the other way round with 7, 1, 5. p = 8, r = 4: with 1, 4, 3;
 * starting in the columns with 4, 1, 3. */
#include "schedules/patterns/bine.h"
#include "schedules/patterns/grid.h"
#include "schedules/plan/plan.h"

static bool supports(int32_t p, int32_t columns)
{
    return rb_hypercube_supports(p, 0) && (columns == 0 || p == 1 || p % columns == 0);
}

static int32_t parts_of(const struct rb_plan *plan)
{
    const int32_t ports = rb_used_ports(plan), sides = plan->data.grid.extent[1] > 1 ? 4 : 2;
    return ports < sides ? ports : sides;
}

static bool is_whole(const struct rb_plan *plan)
{
    return plan->algorithm == &rb_allreduce_swing_doubling;
}

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    plan->data.grid = rb_grid_mesh(plan);
    plan->rounds = (is_whole(plan) ? 1 : 2) * rb_ceil_log2(plan->p);
    plan->max_ops = 2 * parts_of(plan);
    const int64_t shares = is_whole(plan) ? 1 : plan->p;
    return rb_multiply_blocks(plan, shares * parts_of(plan), why, why_size);
}

/* In step s of a part: its dimension, and which step it is there. */
struct turn {
    int32_t dimension, step;
};
static struct turn turn_of(const struct rb_grid *grid, int32_t part, int32_t s)
{
    const int32_t q[2] = {rb_ceil_log2(grid->extent[0]), rb_ceil_log2(grid->extent[1])};
    const int32_t both = q[0] < q[1] ? q[0] : q[1];
    if (s >= 2 * both)
        return (struct turn){q[1] > q[0], s - both};
    return (struct turn){(part + s) % 2, s / 2};
}

/* The rank's place in a dimension, as a part counts. */
static int32_t place(const struct rb_line *line, bool turned)
{
    return turned && line->at > 0 ? line->extent - line->at : line->at;
}

static int32_t partner(const struct rb_plan *plan, int32_t part, bool turned, int32_t rank,
                       int32_t s)
{
    const struct turn turn = turn_of(&plan->data.grid, part, s);
    const struct rb_line line = rb_grid_line(&plan->data.grid, turn.dimension, rank);
    const int32_t other = rb_bine_partner(line.extent, place(&line, turned), turn.step);
    return rb_line_rank(&line, rank, turned ? line.extent - other : other);
}

/* The rank's share: the highest bit is that of step 0, each bit that of bine.h in its dimension. */
static int32_t share_of(const struct rb_plan *plan, int32_t part, bool turned, int32_t rank)
{
    int32_t share = 0;
    for (int32_t s = 0; s < rb_ceil_log2(plan->p); s++) {
        const struct turn turn = turn_of(&plan->data.grid, part, s);
        const struct rb_line line = rb_grid_line(&plan->data.grid, turn.dimension, rank);
        const int32_t q = rb_ceil_log2(line.extent);
        const int32_t number = rb_bine_share(place(&line, turned), q);
        share = 2 * share + (number >> (q - 1 - turn.step) & 1);
    }
    return share;
}

static int32_t round_(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                      struct rb_op ops[])
{
    const int32_t q = rb_ceil_log2(plan->p), s = (int32_t)(t < q ? t : 2 * q - 1 - t);
    const int32_t parts = parts_of(plan), many = is_whole(plan) ? 1 : plan->p >> (s + 1);
    const enum rb_op_kind in = t < q ? RB_RECV_REDUCE : RB_RECV;
    for (int32_t part = 0; part < parts; part++) {
        const bool turned = part >= (plan->data.grid.extent[1] > 1 ? 2 : 1);
        const int32_t peer = partner(plan, part, turned, state->rank, s);
        const int64_t share = is_whole(plan) ? 0 : share_of(plan, part, turned, state->rank);
        const int64_t own = share & -many, other = is_whole(plan) ? 0 : (share ^ many) & -many;
        const int64_t first = plan->blocks / parts * part, count = plan->n * many;
        ops[part] = rb_root_op(plan, RB_SEND, peer, first + plan->n * (t < q ? other : own), count);
        ops[parts + part] =
            rb_root_op(plan, in, peer, first + plan->n * (t < q ? own : other), count);
        ops[part].port = ops[parts + part].port = part;
    }
    return 2 * parts;
}

static double cost(const struct rb_plan *plan, double bytes, double alpha_s, double beta_s_per_byte)
{
    const double whole = is_whole(plan) ? (double)plan->rounds : 2 - 2.0 / plan->p;
    return (double)plan->rounds * alpha_s + whole * bytes / parts_of(plan) * beta_s_per_byte;
}

#define ON_TORUS                                                                                   \
    .info.ranks = RB_HYPERCUBE_RANKS, .supports = supports,                                        \
    .info.radix = "r: columns of the torus, by default the fewest that are no fewer than rows",    \
    .init = init, .round = round_, .next = rb_never_idle, .cost = cost

RB_ROW(rb_allreduce_swing, "allreduce", "swing",
       "vectors halved, then doubled, swinging round a torus", "De Sensi et al. 2024", "2 log2 p",
       .info.blocks = "blocks of each share on each port, which travel together", ON_TORUS);

RB_ROW(rb_allreduce_swing_doubling, "allreduce", "swing-doubling",
       "whole vectors exchanged, swinging round a torus", "De Sensi et al. 2024", "log2 p",
       .info.blocks = "blocks on each port, which travel together", ON_TORUS);
