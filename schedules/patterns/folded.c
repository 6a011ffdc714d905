/* folded.c - see folded.h. */
#include "folded.h"

struct rb_folded rb_folded_of(int32_t p)
{
    const int32_t steps = 31 - __builtin_clz((uint32_t)p);
    const int32_t participants = (int32_t)1 << steps;
    return (struct rb_folded){participants, p - participants, steps};
}

int rb_shares_init(struct rb_plan *plan, int32_t whole_rounds, char *why, size_t why_size)
{
    const struct rb_folded folded = rb_folded_of(plan->p);
    plan->blocks = plan->n * folded.participants;
    plan->rounds = 2 * folded.steps + (folded.folded > 0 ? whole_rounds : 0);
    plan->max_ops = 2;
    return rb_need_one_port(plan, why, why_size);
}

double rb_shares_cost(const struct rb_plan *plan, double bytes, double alpha_s,
                      double beta_s_per_byte)
{
    const struct rb_folded folded = rb_folded_of(plan->p);
    const double s = folded.participants, whole = (double)(plan->rounds - 2 * folded.steps);
    return (double)plan->rounds * alpha_s + (2 * (s - 1) / s + whole) * bytes * beta_s_per_byte;
}

/* Whole vector between 2 i and 2 i + 1. */
static int32_t between_pair(const struct rb_plan *plan, const struct rb_folded *folded, int32_t r,
                            enum rb_op_kind of_even, enum rb_op_kind of_odd, struct rb_op ops[])
{
    if (r >= 2 * folded->folded)
        return 0;
    ops[0] = rb_root_op(plan, r % 2 == 0 ? of_even : of_odd, r ^ 1, 0, plan->blocks);
    return 1;
}

int32_t rb_fold(const struct rb_plan *plan, const struct rb_folded *folded, int32_t r,
                struct rb_op ops[])
{
    return between_pair(plan, folded, r, RB_RECV_REDUCE, RB_SEND, ops);
}

int32_t rb_unfold(const struct rb_plan *plan, const struct rb_folded *folded, int32_t r,
                  struct rb_op ops[])
{
    return between_pair(plan, folded, r, RB_SEND, RB_RECV, ops);
}

/* h shares from share `first` on, to or from participant `other`. */
static struct rb_op move_shares(const struct rb_plan *plan, const struct rb_folded *folded,
                                enum rb_op_kind kind, int32_t other, int32_t first, int32_t h)
{
    const int64_t per_share = plan->blocks / folded->participants;
    return rb_root_op(plan, kind, rb_folded_rank(folded, other), first * per_share, h * per_share);
}

int32_t rb_shares_halve(const struct rb_plan *plan, const struct rb_folded *folded, int32_t r,
                        int32_t h, struct rb_op ops[])
{
    const int32_t i = rb_folded_number(folded, r);
    if (i < 0)
        return 0;
    ops[0] = move_shares(plan, folded, RB_SEND, i ^ h, (i ^ h) & -h, h);
    ops[1] = move_shares(plan, folded, RB_RECV_REDUCE, i ^ h, i & -h, h);
    return 2;
}

int32_t rb_shares_double(const struct rb_plan *plan, const struct rb_folded *folded, int32_t r,
                         int32_t h, struct rb_op ops[])
{
    const int32_t i = rb_folded_number(folded, r);
    if (i < 0)
        return 0;
    ops[0] = move_shares(plan, folded, RB_SEND, i ^ h, i & -h, h);
    ops[1] = move_shares(plan, folded, RB_RECV, i ^ h, (i ^ h) & -h, h);
    return 2;
}

static int32_t on_tree(const struct rb_plan *plan, const struct rb_folded *folded, int32_t r,
                       int32_t h, enum rb_op_kind of_upper, enum rb_op_kind of_lower,
                       struct rb_op ops[])
{
    const int32_t i = rb_folded_number(folded, r);
    if (i < 0 || (i & (h - 1)) != 0)
        return 0;
    if ((i & h) != 0)
        ops[0] = move_shares(plan, folded, of_upper, i - h, i, h);
    else
        ops[0] = move_shares(plan, folded, of_lower, i + h, i + h, h);
    return 1;
}

int32_t rb_shares_gather(const struct rb_plan *plan, const struct rb_folded *folded, int32_t r,
                         int32_t h, struct rb_op ops[])
{
    return on_tree(plan, folded, r, h, RB_SEND, RB_RECV, ops);
}

int32_t rb_shares_scatter(const struct rb_plan *plan, const struct rb_folded *folded, int32_t r,
                          int32_t h, struct rb_op ops[])
{
    return on_tree(plan, folded, r, h, RB_RECV, RB_SEND, ops);
}
