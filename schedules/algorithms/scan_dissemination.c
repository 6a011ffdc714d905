/* scan_dissemination.c - partial results double their reach in every round.
 *
 * Source: W. D. Hillis, G. L. Steele 1986, "Data parallel algorithms", partial sums. Rounds:
 * q = ceil(log2 p), optimal. Volume: n (p - 2^k) blocks in round k. Rank order is kept: what comes
 * from below stands left. No state per rank.
 *
 * Before round k rank r has the combination of ranks max(0, r - 2^k + 1) .. r; it sends it to
 * r + 2^k and combines what r - 2^k has, as far as there are such ranks. p = 5, rank 4: 4; 3, 4;
 * 1 .. 4; 0 .. 4. */
#include "schedules/plan/plan.h"

#include "schedules/patterns/chain.h"

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    return rb_on_one_port(plan, rb_ceil_log2(plan->p), 2, why, why_size);
}

static int32_t round_(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                      struct rb_op ops[])
{
    const int32_t r = state->rank, h = (int32_t)1 << t;
    int32_t count = 0;
    if (h < plan->p - r)
        ops[count++] = rb_root_op(plan, RB_SEND, r + h, 0, plan->n);
    if (h <= r) {
        ops[count] = rb_root_op(plan, RB_RECV_REDUCE, r - h, 0, plan->n);
        ops[count++].incoming_is_left = true;
    }
    return count;
}

RB_ROW(rb_scan_dissemination, "scan", "dissemination",
       "partial results double their range in every round", "Hillis, Steele 1986", "ceil(log2 p)",
       RB_AT_ONCE, .init = init, .round = round_, .cost = rb_cost_of_all,
       .ordered_for_root_0 = true);

/* ---- Every rank's data to the next one, then a scan of ranks 1 .. p - 1 ---------------------- */

/* Source: textbook, on W. D. Hillis, G. L. Steele 1986. Rounds: 1 + ceil(log2(p - 1)), at most one
 * more than the bound; 0 for p = 1. Volume: n (p - 1) blocks, then n (p - 1 - 2^k) in round k of
 * the scan. Rank order is kept: what comes from below stands left. No state per rank.
 *
 * p = 5, what rank 4 has: 3; 2, 3; 0 .. 3. */

static int exscan_init(struct rb_plan *plan, char *why, size_t why_size)
{
    return rb_on_one_port(plan, plan->p == 1 ? 0 : 1 + rb_ceil_log2(plan->p - 1), 2, why, why_size);
}

static int32_t exscan_round(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                            struct rb_op ops[])
{
    if (t == 0)
        return rb_exscan_pass(plan, state->rank, 1, 0, RB_SRC, RB_RECV, ops);
    return rb_exscan_pass(plan, state->rank, (int32_t)1 << (t - 1), 1, RB_DST, RB_RECV_REDUCE, ops);
}

RB_ROW(rb_exscan_dissemination, "exscan", "dissemination",
       "data to the next rank, then partial results double their range in every round",
       "textbook; Hillis, Steele 1986", "1 + ceil(log2(p - 1))", RB_AT_ONCE, .init = exscan_init,
       .round = exscan_round, .cost = rb_cost_of_all, .ordered_for_root_0 = true);
