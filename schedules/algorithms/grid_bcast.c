/* grid_bcast.c - one-to-all broadcast and scatter, with the highest dimension first. In a dimension
 * a line is halved, then its halves, until each part is a single rank.
 *
 * Source: Grama et al. 2003 (grid.h), "one-to-all broadcast", "scatter and gather". Rounds: the sum
 * of ceil(log2 extent) over the dimensions. Volume: bcast n (p - 1) blocks; the scatter's root
 * sends (p - 1)/p of the data, as it must. No state per rank; O(log p) work per round.
 *
 * In each dimension the ranks with the root's coordinates in all lower dimensions are active. A
 * part of a line in which one rank (its holder) has the data is cut in two. The holder is in the
 * larger half if the halves differ, and sends to the rank of the other half with the same position
 * as the holder has in its own half, or to the last rank. So the root's part is always among the
 * largest, and its messages are among the longest. With extents that are powers of two the two
 * ranks differ in one bit, for any root. Messages of a round stay within parts, which share no
 * link. A part consists of consecutive ranks, so the reversed algorithm combines partial results of
 * neighbouring ranges of ranks and can keep rank order. 5 on a line from rank 1: 1 -> 4; 1 -> 2, 4
 * -> 3; 1 ->
 * 0. */
#include "schedules/patterns/grid.h"
#include "schedules/plan/plan.h"

static int start(struct rb_plan *plan, char *why, size_t why_size)
{
    const struct rb_grid grid = plan->data.grid = rb_grid_of(plan);
    for (int32_t dimension = 0; dimension < grid.dimensions; dimension++)
        plan->rounds += rb_ceil_log2(grid.extent[dimension > 0]);
    return rb_need_one_port(plan, why, why_size);
}

/* Neighbours on a line. */
struct part {
    int32_t first, size;
    int32_t holder;
};

/* The half of a part without its holder, and the remaining part. */
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

/* A rank's operation in a round: none (count is 0), or it sends to, or receives from, a peer the
 * data for ranks first .. first + count - 1. */
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

static int bcast_init(struct rb_plan *plan, char *why, size_t why_size)
{
    plan->max_ops = 1;
    return start(plan, why, why_size);
}

static int32_t bcast_round(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                           struct rb_op ops[])
{
    const struct hand hand = hand_of(plan, state->rank, t);
    if (hand.count == 0)
        return 0;
    ops[0] = (struct rb_op){
        .kind = hand.kind, .peer = hand.peer, .at = {RB_DST, plan->root, 0, plan->n}};
    return 1;
}

static double bcast_cost(const struct rb_plan *plan, double bytes, double alpha_s,
                         double beta_s_per_byte)
{
    return (double)plan->rounds * (alpha_s + beta_s_per_byte * bytes);
}

/* A message has the parts of half of all ranks at most. */
static int scatter_init(struct rb_plan *plan, char *why, size_t why_size)
{
    plan->max_ops = plan->p > 3 ? plan->p / 2 : 1;
    return start(plan, why, why_size);
}

static int32_t scatter_round(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                             struct rb_op ops[])
{
    const struct hand hand = hand_of(plan, state->rank, t);
    for (int32_t i = 0; i < hand.count; i++)
        ops[i] = (struct rb_op){
            .kind = hand.kind, .peer = hand.peer, .at = {RB_DST, hand.first + i, 0, plan->n}};
    return hand.count;
}

static int64_t scatter_next(const struct rb_plan *plan, const struct rb_rank *state, int64_t t)
{
    while (t < plan->rounds && hand_of(plan, state->rank, t).count == 0)
        t++;
    return t;
}

#define BCAST .init = bcast_init, .round = bcast_round, .cost = bcast_cost
#define SCATTER                                                                                    \
    .init = scatter_init, .round = scatter_round, .next = scatter_next, .cost = rb_cost_of_others

/* The whole message to the other half of a ring, then in both halves. Source: Grama et al. 2003,
 * "one-to-all broadcast on a ring". Rounds: ceil(log2 p). Volume: n (p - 1) blocks. p = 5, root 1:
 * 1 -> 4; 1 -> 2, 4 -> 3; 1 -> 0. */
RB_ROW(rb_bcast_ring, "bcast", "ring", "a ring of p ranks cut in two, and its parts",
       "Grama et al. 2003", "ceil(log2 p)", BCAST, RB_AT_ONCE, .grid = rb_grid_ring);

/* The whole message along the root's column of a mesh, then along all rows. Source: Grama et al.
 * 2003, "broadcast and reduction on a mesh", figure of 16 nodes, where ranks are numbered along
 * what are columns here. Rounds on a rows of b: ceil(log2 a) + ceil(log2 b). Volume: n (p - 1)
 * blocks. p = 6 (2 rows of 3), root 0: 0 -> 3; 0 -> 2, 3 -> 5; 0 -> 1, 3 -> 4. */
RB_ROW(rb_bcast_mesh, "bcast", "mesh",
       "the root's column of an a x b mesh, then every row, cut in two", "Grama et al. 2003",
       "ceil(log2 a) + ceil(log2 b)", BCAST, RB_AT_ONCE, RB_ON_MESH, .grid = rb_grid_mesh);

/* The whole message across one dimension of a hypercube after the other. Source: Grama et al. 2003,
 * procedure GENERAL_ONE_TO_ALL_BC; formula (1). Rounds: log2 p, p = 2^d. Volume: n (p - 1) blocks.
 * Ranks are numbered by their exclusive or with the root, so that all messages go to neighbours. p
 * = 4, root 3: 3 -> 1; 3 -> 2, 1 -> 0. */
RB_ROW(rb_bcast_hypercube, "bcast", "hypercube", "the dimensions of a hypercube, the highest first",
       "Grama et al. 2003", "log2 p", BCAST, RB_AT_ONCE, RB_ON_HYPERCUBE,
       .grid = rb_grid_hypercube);

/* The whole message to the other subtree of a balanced binary tree, then in both. Source: Grama et
 * al. 2003, "broadcast and reduction on a balanced binary tree": ranks are leaves, what is inside
 * only passes messages on; formula (1). Rounds: log2 p, p = 2^d. Volume: n (p - 1) blocks. A
 * message stays inside the least subtree of both its ranks, which no other uses in that round. p =
 * 4, root 0: 0 -> 2; 0 -> 1, 2 -> 3. */
RB_ROW(rb_bcast_tree, "bcast", "tree", "the two halves of a balanced binary tree, then theirs",
       "Grama et al. 2003", "log2 p", BCAST, RB_AT_ONCE, RB_ON_HYPERCUBE, .grid = rb_grid_ring);

/* The parts of the other half of a ring, then in both halves. Source: Grama et al. 2003, "scatter
 * and gather"; formula (3). Rounds: ceil(log2 p), optimal. The root sends (p - 1)/p of the data, as
 * it must. p = 5, root 1: 1 -> 4 parts 3, 4; 1 -> 2 part 2, 4 -> 3 part 3; 1 -> 0 part 0. */
RB_ROW(rb_scatter_ring, "scatter", "ring",
       "a ring of p ranks cut in two, and its parts, each half's data together",
       "Grama et al. 2003", "ceil(log2 p)", SCATTER, RB_FOR_RANK, .grid = rb_grid_ring);

/* Along the root's column of a mesh the parts of rows, then along all rows. Source: Grama et al.
 * 2003, "scatter and gather"; formula (3) where a and b are powers of two. Rounds on a rows of b:
 * ceil(log2 a) + ceil(log2 b). The root sends (p - 1)/p of the data, as it must. p = 6 (2 rows of
 * 3), root 0: 0 -> 3 parts 3, 4, 5; 0 -> 2, 3 -> 5; 0 -> 1, 3 -> 4. */
RB_ROW(rb_scatter_mesh, "scatter", "mesh",
       "the root's column of an a x b mesh, then every row, cut in two", "Grama et al. 2003",
       "ceil(log2 a) + ceil(log2 b)", SCATTER, RB_FOR_RANK, RB_ON_MESH, .grid = rb_grid_mesh);

/* Across one dimension of a hypercube after the other the parts of the other half. Source: Grama et
 * al. 2003, "scatter and gather"; formula (3). Rounds: log2 p, p = 2^d. The root sends (p - 1)/p of
 * the data, as it must. Ranks are numbered by their exclusive or with the root, so that all
 * messages go to neighbours. p = 4, root 3: 3 -> 1 parts 0, 1; 3 -> 2 part 2, 1 -> 0 part 0. */
RB_ROW(rb_scatter_hypercube, "scatter", "hypercube",
       "the dimensions of a hypercube, the highest first, the data halving", "Grama et al. 2003",
       "log2 p", SCATTER, RB_FOR_RANK, RB_ON_HYPERCUBE, .grid = rb_grid_hypercube);
