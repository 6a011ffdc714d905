/* allgather_gather_bcast.c - rank 0 collects all data, one rank after the other, and broadcasts
 * them by a binomial tree.
 *
 * Source: textbook; `linear` of Open MPI's allgather and `default` of its allgatherv (coll/base)
 * are a gather to rank 0 and a broadcast, by the algorithms that the library chooses for these.
 * Rounds: p - 1 + ceil(log2 p). Volume: n (p - 1) blocks received per rank, because a rank's own
 * data are left out of its message in the tree; rank 0 receives and sends more than its share. No
 * state per rank. Read backwards, it reduces to rank 0 by a binomial tree and scatters the results.
 *
 * p = 3: 1 -> 0; 2 -> 0; 0 -> 2 the data of 0 and 1; 0 -> 1 those of 0 and 2. */
#include "schedules/plan/plan.h"

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    return rb_on_one_port(plan, plan->p == 1 ? 0 : (int64_t)plan->p - 1 + rb_ceil_log2(plan->p),
                          plan->p, why, why_size);
}

static struct rb_op move(const struct rb_plan *plan, enum rb_op_kind kind, int32_t peer,
                         int32_t owner)
{
    return (struct rb_op){.kind = kind, .peer = peer, .at = {RB_DST, owner, 0, plan->n}};
}

/* All data but the receiver's. */
static int32_t others(const struct rb_plan *plan, enum rb_op_kind kind, int32_t peer,
                      int32_t receiver, struct rb_op ops[])
{
    int32_t count = 0;
    for (int32_t owner = 0; owner < plan->p; owner++)
        if (owner != receiver)
            ops[count++] = move(plan, kind, peer, owner);
    return count;
}

static int32_t round_(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                      struct rb_op ops[])
{
    const int32_t r = state->rank, turn = (int32_t)(t + 1);
    if (turn < plan->p) {
        if (r == 0)
            ops[0] = move(plan, RB_RECV, turn, turn);
        else if (r == turn)
            ops[0] = move(plan, RB_SEND, 0, r);
        return r == 0 || r == turn;
    }
    const int32_t h = (int32_t)1 << (plan->rounds - 1 - t), within = r & (2 * h - 1);
    if (within == h)
        return others(plan, RB_RECV, r - h, r, ops);
    if (within == 0 && h < plan->p - r)
        return others(plan, RB_SEND, r + h, r + h, ops);
    return 0;
}

static int64_t next(const struct rb_plan *plan, const struct rb_rank *state, int64_t t)
{
    const int32_t r = state->rank;
    if (r == 0)
        return t;
    if (t <= r - 1)
        return r - 1;
    /* Its parent is the rank whose number has the rank's lowest bit cleared; its children are at
     * all smaller distances. */
    const int64_t receives = plan->rounds - 1 - __builtin_ctz((uint32_t)r);
    if (t <= receives)
        return receives;
    while (t < plan->rounds && INT64_C(1) << (plan->rounds - 1 - t) >= plan->p - r)
        t++;
    return t;
}

static double cost(const struct rb_plan *plan, double bytes, double alpha_s, double beta_s_per_byte)
{
    const double p = plan->p, whole = (double)plan->rounds - (p - 1);
    return (double)plan->rounds * alpha_s + (1 + whole) * (p - 1) / p * bytes * beta_s_per_byte;
}

RB_ROW(rb_allgather_gather_bcast, "allgather", "gather-bcast",
       "a flat gather to rank 0, then a binomial broadcast", "textbook; Open MPI 4.1",
       "p - 1 + ceil(log2 p)", RB_OF_RANK, .init = init, .round = round_, .next = next,
       .cost = cost);
