/* exscan_doubling_123.c - distances 1, 2, 3, then doubling: as few rounds as an inclusive scan, or
 * nearly.
 *
 * Source: J. L. Traeff 2025, "Communication Round and Computation Efficient Exclusive Prefix-Sums
 * Algorithms (for MPI_Exscan)", arXiv 2507.04785. Rounds: ceil(log2(p - 1) + log2(4/3)) for p > 2,
 * never more than by dissemination. Volume: n (p - 1), n (p - 2), then n (p - 1 - distance) blocks.
 * Rank order is kept: what comes from below stands left. No state per rank.
 *
 * Round 0 gives rank r what r - 1 has. Round 1 gives it what r - 2 has combined with what that got;
 * that makes three. From then on it gets the result so far of rank r - 3, r - 6, r - 12, ..., and
 * has twice as much. p = 8, rank 7: 6; 4 .. 6; 1 .. 6; 0 .. 6. */
#include "schedules/patterns/chain.h"

static int32_t distance(int64_t t)
{
    return t < 2 ? (int32_t)t + 1 : (int32_t)3 << (t - 2);
}

/* Before round t a rank has the data of this many ranks, or of all below it. */
static int64_t reach(int64_t t)
{
    return t < 2 ? t : distance(t);
}

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    while (reach(plan->rounds) < plan->p - 1)
        plan->rounds++;
    plan->max_ops = 3;
    return rb_need_one_port(plan, why, why_size);
}

static int32_t round_(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                      struct rb_op ops[])
{
    const int32_t r = state->rank;
    if (t > 0)
        return rb_exscan_pass(plan, r, distance(t), t == 1 ? 0 : 1, t == 1 ? RB_SRC : RB_DST,
                              RB_RECV_REDUCE, ops);
    int32_t count = rb_exscan_pass(plan, r, 1, 0, RB_SRC, RB_RECV, ops);
    if (r > 0 && r < plan->p - 2) { /* for round 1 */
        ops[count] = rb_root_op(plan, RB_REDUCE, r, 0, plan->n);
        ops[count].from = ops[count].at;
        ops[count].at.buffer = RB_SRC;
        ops[count++].incoming_is_left = true;
    }
    return count;
}

RB_ROW(rb_exscan_doubling_123, "exscan", "doubling-123",
       "partial results from distances 1, 2, 3, 6, 12, ...", "Traeff 2025",
       "ceil(log2(p - 1) + log2(4/3))", RB_AT_ONCE, .init = init, .round = round_,
       .cost = rb_cost_of_all, .ordered_for_root_0 = true);
