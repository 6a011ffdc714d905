/* shares.c - see shares.h. */
#include "shares.h"

#include "reversal.h"

static int32_t shares_of(const struct rb_plan *plan)
{
    return plan->radix > 0 ? plan->radix : 1;
}

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    plan->rounds = rb_ceil_log2(plan->p);
    plan->max_ops = 4;
    return rb_need_one_port(plan, why, why_size);
}

/* The shares of the ranks first .. first + many - 1, which may go round: none, or in one range or
 * two. */
static int32_t put(const struct rb_plan *plan, enum rb_op_kind kind, int32_t peer, int32_t first,
                   int32_t many, struct rb_op ops[])
{
    const int32_t p = plan->p, shares = shares_of(plan);
    const int32_t ends[2][2] = {{first, first + many < p ? first + many : p},
                                {0, first + many < p ? 0 : first + many - p}};
    const int64_t blocks = plan->n / shares;
    int32_t count = 0;
    for (int i = 0; i < 2; i++) {
        const int64_t from = rb_shares_before(p, shares, ends[i][0]);
        const int64_t end = rb_shares_before(p, shares, ends[i][1]);
        if (from < end)
            ops[count++] = rb_root_op(plan, kind, peer, from * blocks, (end - from) * blocks);
    }
    return count;
}

static int32_t round_(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                      struct rb_op ops[])
{
    const int32_t p = plan->p, h = (int32_t)1 << t, many = h < p - h ? h : p - h, r = state->rank;
    const int32_t to = rb_after(plan, r, p - h), from = rb_after(plan, r, h);
    const int32_t sent = put(plan, RB_SEND, to, r, many, ops);
    return sent + put(plan, RB_RECV, from, from, many, ops + sent);
}

static int64_t next(const struct rb_plan *plan, const struct rb_rank *state, int64_t t)
{
    struct rb_op ops[4];
    while (t < plan->rounds && round_(plan, state, t, ops) == 0)
        t++;
    return t;
}

int32_t rb_shares_in_round(const struct rb_plan *plan, int64_t t)
{
    const int64_t forward = plan->algorithm->forward != NULL ? plan->rounds - 1 - t : t;
    const int32_t h = (int32_t)1 << forward, many = h < plan->p - h ? h : plan->p - h;
    return rb_shares_before(plan->p, shares_of(plan), many);
}

const struct rb_algorithm rb_gathered_shares = {
    .info = {.collective = "allreduce", .name = "dissemination", .radix = "shares"},
    .init = init,
    .round = round_,
    .next = next,
};
const struct rb_algorithm rb_reduced_shares = {
    .info = {.collective = "allreduce", .name = "dissemination", .radix = "shares"},
    RB_REVERSED_UNPRICED(rb_gathered_shares),
};
