/* alltoall_bine.c - few rounds: data travel by the steps of a Bine butterfly.
 *
 * Source: De Sensi et al. 2025; bine.h; for even p that are no powers of two the choice of numbers
 * is ours. Rounds: q = ceil(log2 p). Volume in sequence: n p q / 2 blocks for p = 2^q, as in
 * Bruck's algorithm with radix 2. No state per rank.
 *
 * What rank o has for d travels along the path by which 0 reaches number d - o (even o) or o - d
 * (odd o), in rising steps; so each rank sends as much as each other. Of the numbers that are the
 * same modulo p we take those of the tree for p (rb_bine_tree_of), where even numbers count times
 * -1. Of data on the way of which d - o is the same, those of an even o can be at the same rank as
 * those of an odd one: odd owners have
 * rows of their own (rb_row_mirrored). p = 4, numbers -2 .. 1, 0's data: round 0, to
 * 1: those for 1 and 2; round 1, to 3: those for 3, and 1 sends those for 2 to 2. */
#include "schedules/patterns/bine.h"

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    plan->rounds = plan->p == 1 ? 1 : rb_ceil_log2(plan->p);
    plan->max_ops = 2 * plan->p + 1;
    plan->buffers |= 1u << RB_TMP;
    plan->tmp_row = rb_row_mirrored;
    return rb_need_one_port(plan, why, why_size);
}

static bool supports(int32_t p, int32_t radix)
{
    (void)radix;
    return p == 1 || p % 2 == 0;
}

static int32_t wrapped(const struct rb_plan *plan, int32_t rank)
{
    const int32_t rest = rank % plan->p;
    return rest < 0 ? rest + plan->p : rest;
}

/* What `rank` sends in step s, in the order of the numbers: to `peer`, or as `peer` receives it. */
static int32_t pack(const struct rb_plan *plan, enum rb_op_kind kind, int32_t rank, int32_t peer,
                    int32_t s, struct rb_op ops[])
{
    const struct rb_bine_tree tree = rb_bine_tree_of(plan->p);
    int32_t count = 0;
    for (int32_t number = tree.low; number <= tree.high; number++) {
        const int32_t way = number % 2 == 0 ? -number : number;
        const uint32_t steps = rb_bine_steps(way);
        if ((steps >> s & 1u) == 0)
            continue;
        const uint32_t made = steps & (((uint32_t)1 << s) - 1u);
        const int32_t so_far = rb_bine_number(made);
        const bool from_even = (rank - so_far) % 2 == 0;
        const int32_t owner = wrapped(plan, from_even ? rank - so_far : rank + so_far);
        const int32_t to = wrapped(plan, from_even ? owner + way : owner - way);
        const enum rb_buffer buffer = kind == RB_RECV ? (steps >> s == 1u ? RB_DST : RB_TMP)
                                      : made == 0     ? RB_SRC
                                                      : RB_TMP;
        ops[count++] = (struct rb_op){
            .kind = kind, .peer = peer, .at = rb_part_range(plan, buffer, owner, to)};
    }
    return count;
}

static int32_t round_(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                      struct rb_op ops[])
{
    int32_t count = 0;
    if (plan->p > 1) {
        const int32_t peer = rb_bine_partner(plan->p, state->rank, (int32_t)t);
        count = pack(plan, RB_SEND, state->rank, peer, (int32_t)t, ops);
        count += pack(plan, RB_RECV, peer, peer, (int32_t)t, ops + count);
    }
    if (t == 0)
        ops[count++] = rb_keep_own(plan, state->rank);
    return count;
}

/* How many numbers below `end` have step s, but for a constant. With the s lowest digits cut off,
 * digits s and s + 1 differ for every second and third of four numbers. */
static int64_t having_step(int32_t s, int32_t end)
{
    const int64_t unit = (int64_t)1 << s, turn = 4 * unit;
    const int64_t at = end - rb_bine_lowest(s) - (s % 2 == 0 ? unit : 2 * unit);
    const int64_t turns = at >= 0 ? at / turn : -((turn - 1 - at) / turn);
    const int64_t rest = at - turns * turn;
    return turns * 2 * unit + (rest < 2 * unit ? rest : 2 * unit);
}

static double cost(const struct rb_plan *plan, double bytes, double alpha_s, double beta_s_per_byte)
{
    const struct rb_bine_tree tree = rb_bine_tree_of(plan->p);
    const double p = plan->p;
    double parts = 0;
    for (int32_t s = 0; s < tree.q; s++)
        parts += (double)(having_step(s, tree.high + 1) - having_step(s, tree.low));
    return (double)plan->rounds * alpha_s + parts * bytes / (p * p) * beta_s_per_byte;
}

RB_ROW(rb_alltoall_bine, "alltoall", "bine", "by the steps of a Bine butterfly",
       "De Sensi et al. 2025", "ceil(log2 p)", RB_FOR_RANK, .info.ranks = "p even, or 1",
       .supports = supports, .init = init, .round = round_, .next = rb_never_idle, .cost = cost);
