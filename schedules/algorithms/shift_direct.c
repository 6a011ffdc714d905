/* shift_direct.c - every rank sends its data where they belong, as one message.
 *
 * Source: textbook (Grama, Gupta, Karypis, Kumar 2003, Section 4.6): with E-cube routing on a
 * hypercube no two of these messages share a link in the same direction. Rounds: 1. Volume: n
 * blocks per rank, optimal. No state per rank. p = 3, q = 2: 0 -> 2, 1 -> 0, 2 -> 1. */
#include "schedules/plan/plan.h"

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    return rb_on_one_port(plan, 1, 2, why, why_size);
}

static int32_t round_(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                      struct rb_op ops[])
{
    (void)t;
    const int32_t r = state->rank, q = plan->problem.shift;
    const int32_t to = rb_after(plan, r, q), from = rb_after(plan, r, plan->p - q);
    const struct rb_range mine = {RB_SRC, r, 0, plan->n}, theirs = {RB_DST, from, 0, plan->n};
    if (q == 0) {
        ops[0] = (struct rb_op){.kind = RB_COPY, .peer = r, .at = theirs, .from = mine};
        return 1;
    }
    ops[0] = (struct rb_op){.kind = RB_SEND, .peer = to, .at = mine};
    ops[1] = (struct rb_op){.kind = RB_RECV, .peer = from, .at = theirs};
    return 2;
}

static double cost(const struct rb_plan *plan, double bytes, double alpha_s, double beta_s_per_byte)
{
    return plan->problem.shift == 0 ? 0 : alpha_s + beta_s_per_byte * bytes / plan->p;
}

RB_ROW(rb_shift_direct, "shift", "direct",
       "every rank sends its data directly to their destination", "textbook", "1", RB_AT_ONCE,
       .init = init, .round = round_, .next = rb_never_idle, .cost = cost);
