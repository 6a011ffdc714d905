/* grid_bcast.c - one-to-all broadcast and scatter: the highest dimension first, in which a line is
 * halved, and its halves, until each rank of it has its own.
 *
 * Source: Grama et al. 2003 (grid.h), "one-to-all broadcast", "scatter and gather". Rounds: the sum
 * of ceil(log2 extent) over the dimensions. Volume: bcast n (p - 1) blocks; the scatter's root
 * sends (p - 1)/p of the data, as it must. No state per rank; O(log p) work per round.
 *
 * In each dimension those ranks take part that agree with the root in all lower ones. A part of a
 * line whose one rank (its holder) has the data is cut in two: the holder stays in the larger half
 * if there is one, and sends to the rank of the other half that stands there as it does in its own,
 * or to the last. So the root's part is always among the largest, and its messages are among the
 * longest. With extents that are powers of two the two ranks differ in one bit, for any root.
 * Messages of a round stay within parts, which share no link; a part is a row of neighbours, so
 * reversed, what meets are the partial results of neighbouring ranks: rank order can be kept. 5 on
 * a line from rank 1: 1 -> 4; 1 -> 2, 4 -> 3; 1 -> 0. */
#include "grid_bcast.h"

static int init(struct rb_plan *plan, struct rb_grid grid, char *why, size_t why_size)
{
    plan->data.grid = grid;
    for (int32_t dimension = 0; dimension < grid.dimensions; dimension++)
        plan->rounds += rb_ceil_log2(grid.extent[dimension > 0]);
    return rb_need_one_port(plan, why, why_size);
}

/* Neighbours on a line. */
struct part {
    int32_t first, size;
    int32_t holder;
};

/* The half of a part without its holder; and what is left of the part. */
static struct part cut(struct part *part)
{
    const int32_t less = part->size / 2, more = part->size - less;
    const int32_t before = part->holder - part->first;
    const bool right = before < more;
    struct part other = {.first = right ? part->first + more : part->first, .size = less};
    const int32_t same = right ? before : before - less;
    other.holder = other.first + (same < less ? same : less - 1);
    part->first = right ? part->first : part->first + less;
    part->size = more;
    return other;
}

static bool is_in(const struct part *part, int32_t coordinate)
{
    return part->first <= coordinate && coordinate < part->first + part->size;
}

/* What a rank does in a round: nothing (count is 0), or hands on to, or gets from, a peer what is
 * for ranks first .. first + count - 1. */
struct hand {
    enum rb_op_kind kind;
    int32_t peer, first, count;
};

static struct hand hand_of(const struct rb_plan *plan, int32_t rank, int64_t t)
{
    const struct rb_grid *grid = &plan->data.grid;
    int32_t dimension = grid->dimensions - 1;
    for (; t >= rb_ceil_log2(grid->extent[dimension > 0]); dimension--)
        t -= rb_ceil_log2(grid->extent[dimension > 0]);
    const struct rb_line line = rb_grid_line(grid, dimension, rank);
    struct part part = {0, line.extent, plan->root / line.stride % line.extent};
    struct part other = cut(&part);
    if (rank % line.stride != plan->root % line.stride)
        return (struct hand){.count = 0};
    for (; t > 0; t--) {
        if (is_in(&other, line.at))
            part = other;
        other = cut(&part);
    }
    if (other.size == 0 || (line.at != part.holder && line.at != other.holder))
        return (struct hand){.count = 0};
    const bool sends = line.at == part.holder;
    const int32_t peer = sends ? other.holder : part.holder;
    return (struct hand){
        .kind = sends ? RB_SEND : RB_RECV,
        .peer = rb_line_rank(&line, rank, peer),
        .first = rb_line_rank(&line, rank, other.first) - rank % line.stride,
        .count = other.size * line.stride,
    };
}

int rb_grid_bcast_init(struct rb_plan *plan, struct rb_grid grid, char *why, size_t why_size)
{
    plan->max_ops = 1;
    return init(plan, grid, why, why_size);
}

int32_t rb_grid_bcast_round(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                            struct rb_op ops[])
{
    const struct hand hand = hand_of(plan, state->rank, t);
    if (hand.count == 0)
        return 0;
    ops[0] = (struct rb_op){
        .kind = hand.kind, .peer = hand.peer, .at = {RB_DST, plan->root, 0, plan->n}};
    return 1;
}

double rb_grid_bcast_cost(const struct rb_plan *plan, double bytes, double alpha_s,
                          double beta_s_per_byte)
{
    return (double)plan->rounds * (alpha_s + beta_s_per_byte * bytes);
}

/* A message has the parts of half of all ranks at most. */
int rb_grid_scatter_init(struct rb_plan *plan, struct rb_grid grid, char *why, size_t why_size)
{
    plan->max_ops = plan->p > 3 ? plan->p / 2 : 1;
    return init(plan, grid, why, why_size);
}

int32_t rb_grid_scatter_round(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                              struct rb_op ops[])
{
    const struct hand hand = hand_of(plan, state->rank, t);
    for (int32_t i = 0; i < hand.count; i++)
        ops[i] = (struct rb_op){
            .kind = hand.kind, .peer = hand.peer, .at = {RB_DST, hand.first + i, 0, plan->n}};
    return hand.count;
}

int64_t rb_grid_scatter_next(const struct rb_plan *plan, const struct rb_rank *state, int64_t t)
{
    while (t < plan->rounds && hand_of(plan, state->rank, t).count == 0)
        t++;
    return t;
}

double rb_grid_scatter_cost(const struct rb_plan *plan, double bytes, double alpha_s,
                            double beta_s_per_byte)
{
    const double p = plan->p;
    return (double)plan->rounds * alpha_s + (p - 1) / p * bytes * beta_s_per_byte;
}
