/* scan_halving.c - scans of shares of the vector, one for each rank: 2 q rounds, and 2 m instead of
 * m q (halving.h).
 *
 * Source: this project. Rounds: 2 q, q = ceil(log2 p). Volume: less than 2 n (p - 1) blocks sent
 * per rank, of shares of n blocks each: 2 (p - 1)/p of the vector. Rank order is kept. No state per
 * rank.
 *
 * A rank has p - 1 values T in all, and its share o has one for each child: so they are in slots of
 * TMP, named after the child. V is in the buffer of the contributions, E in the other one. Of an
 * exclusive scan E is the result; in an inclusive one it is combined into V. Rank 0 has no result
 * of an exclusive scan and keeps E where V was. */
#include "schedules/patterns/halving.h"
#include "schedules/plan/plan.h"

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    plan->rounds = 2 * rb_ceil_log2(plan->p);
    plan->max_ops = 3 * (plan->p / 2) + 1;
    plan->slot_blocks = plan->n;
    plan->buffers |= 1u << RB_SRC | 1u << RB_TMP;
    const int status = rb_need_one_port(plan, why, why_size);
    return status != RB_OK ? status : rb_multiply_blocks(plan, plan->p, why, why_size);
}

static int32_t round_(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                      struct rb_op ops[])
{
    const bool inclusive = plan->collective == &rb_scan;
    const struct rb_halving halving = {
        .plan = plan,
        .nodes = plan->p,
        .node = state->rank,
        .rank = state->rank,
        .value.buffer = inclusive ? RB_DST : RB_SRC,
        .earlier.buffer = inclusive || state->rank == 0 ? RB_SRC : RB_DST,
        .first_kept = -1,
        .inclusive = inclusive,
    };
    const int64_t q = plan->rounds / 2;
    return t < q ? rb_halving_up(&halving, (int32_t)t, ops)
                 : rb_halving_down(&halving, (int32_t)(plan->rounds - 1 - t), ops);
}

static double cost(const struct rb_plan *plan, double bytes, double alpha_s, double beta_s_per_byte)
{
    return (double)plan->rounds * alpha_s + 2 * beta_s_per_byte * bytes * (plan->p - 1) / plan->p;
}

#define HALVING(collective_)                                                                       \
    RB_ROW(rb_##collective_##_halving, #collective_, "halving",                                    \
           "shares of the vector up and down a tree each", "this project", "2 ceil(log2 p)",       \
           .info.blocks = "blocks in each share, which travel together", .init = init,             \
           .round = round_, .next = rb_never_idle, .cost = cost, .ordered_for_root_0 = true)

HALVING(scan);
HALVING(exscan);
