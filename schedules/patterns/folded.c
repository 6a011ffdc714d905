#include "folded.h"

#include "bine.h"

struct rb_folded rb_folded_of(int32_t p)
{
    const int32_t steps = 31 - __builtin_clz((uint32_t)p);
    const int32_t participants = (int32_t)1 << steps;
    return (struct rb_folded){participants, p - participants, steps, RB_HALVING};
}

struct rb_folded rb_folded_by(int32_t p, enum rb_exchange exchange)
{
    struct rb_folded folded = rb_folded_of(p);
    folded.exchange = exchange;
    return folded;
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

/* The share of relative rank r, -1 if it is folded away, and the relative rank of a share. */
static int32_t share_of(const struct rb_folded *folded, int32_t r)
{
    const int32_t i = rb_folded_number(folded, r);
    if (i < 0 || folded->exchange == RB_HALVING)
        return i;
    return folded->exchange == RB_BINE ? rb_bine_share(i, folded->steps)
                                       : rb_turned_bits(i, folded->steps);
}

static int32_t rank_of(const struct rb_folded *folded, int32_t share)
{
    return rb_folded_rank(folded, folded->exchange == RB_HALVING ? share
                                  : folded->exchange == RB_BINE
                                      ? rb_bine_participant(share, folded->steps)
                                      : rb_turned_bits(share, folded->steps));
}

/* h shares from share `first` on, to or from the relative rank `peer`. */
static struct rb_op move_shares(const struct rb_plan *plan, const struct rb_folded *folded,
                                enum rb_op_kind kind, int32_t peer, int32_t first, int32_t h)
{
    const int64_t per_share = plan->blocks / folded->participants;
    return rb_root_op(plan, kind, peer, first * per_share, h * per_share);
}

/* The relative rank with which r, which has this share, exchanges h shares. */
static int32_t partner(const struct rb_folded *folded, int32_t r, int32_t share, int32_t h)
{
    if (folded->exchange != RB_BINE)
        return rank_of(folded, share ^ h);
    const int32_t step = folded->steps - 1 - __builtin_ctz((uint32_t)h);
    return rb_folded_rank(folded,
                          rb_bine_partner(folded->participants, rb_folded_number(folded, r), step));
}

int32_t rb_shares_halve(const struct rb_plan *plan, const struct rb_folded *folded, int32_t r,
                        int32_t h, struct rb_op ops[])
{
    const int32_t share = share_of(folded, r);
    if (share < 0)
        return 0;
    const int32_t peer = partner(folded, r, share, h);
    ops[0] = move_shares(plan, folded, RB_SEND, peer, (share ^ h) & -h, h);
    ops[1] = move_shares(plan, folded, RB_RECV_REDUCE, peer, share & -h, h);
    return 2;
}

int32_t rb_shares_double(const struct rb_plan *plan, const struct rb_folded *folded, int32_t r,
                         int32_t h, struct rb_op ops[])
{
    const int32_t share = share_of(folded, r);
    if (share < 0)
        return 0;
    const int32_t peer = partner(folded, r, share, h);
    ops[0] = move_shares(plan, folded, RB_SEND, peer, share & -h, h);
    ops[1] = move_shares(plan, folded, RB_RECV, peer, (share ^ h) & -h, h);
    return 2;
}

int32_t rb_shares_complete(const struct rb_plan *plan, const struct rb_folded *folded, int32_t r,
                           int32_t h, struct rb_op ops[])
{
    const int32_t count = rb_shares_double(plan, folded, r, h, ops);
    if (count == 0)
        return 0;
    const int32_t within = share_of(folded, r) & (2 * h - 1);
    if (within == h) /* it has its shares from this partner */
        ops[0] = ops[1];
    return within == 0 || within == h ? 1 : 2;
}

static int32_t on_tree(const struct rb_plan *plan, const struct rb_folded *folded, int32_t r,
                       int32_t h, enum rb_op_kind of_upper, enum rb_op_kind of_lower,
                       struct rb_op ops[])
{
    const int32_t share = share_of(folded, r);
    if (share < 0 || (share & (h - 1)) != 0)
        return 0;
    const bool upper = (share & h) != 0;
    ops[0] = move_shares(plan, folded, upper ? of_upper : of_lower, rank_of(folded, share ^ h),
                         share | h, h);
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

int64_t rb_folded_next(const struct rb_plan *plan, const struct rb_rank *state, int64_t t)
{
    const struct rb_folded folded = rb_folded_of(plan->p);
    const int64_t last = plan->rounds - 1;
    if (folded.folded == 0 || t > last)
        return t;
    if (rb_folded_number(&folded, state->rank) < 0)
        return t == 0 ? 0 : last;
    if (state->rank < 2 * folded.folded)
        return t;
    return t == 0 ? 1 : t == last ? plan->rounds : t;
}
