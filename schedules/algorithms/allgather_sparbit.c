/* allgather_sparbit.c - binomial trees of all ranks at once, with falling distances: what a rank
 * has doubles, and later rounds, with more data, are between near ranks.
 *
 * Source: W. J. Loch, G. P. Koslovski, Sparbit: a new logarithmic-cost and data locality-aware MPI
 * Allgather algorithm, 2021; Open MPI's algorithm `sparbit` (coll/base). Rounds: q = ceil(log2 p),
 * optimal. Volume: n (p - 1) blocks received per rank, optimal. No state per rank.
 *
 * In round t, h = 2^(q-1-t), rank r has the data of r, r - 2 h, r - 4 h, .. (mod p), have(t) of
 * them. It sends them to r + h and receives those of r - h, r - 3 h, .. from r - h. If 2 have(t)
 * data at distance h would be one more than there are, ceil(p / h), the oldest one is left out. So
 * have(t + 1) = ceil(p / h), and message t has the data of ceil(p / h) - ceil(p / 2 h) ranks, which
 * is the same for all ranks. p = 5, rank 0: 1's; 3's; 4's and 2's. */
#include "schedules/plan/plan.h"

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    plan->rounds = rb_ceil_log2(plan->p);
    plan->max_ops = plan->p;
    return rb_need_one_port(plan, why, why_size);
}

static int32_t round_(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                      struct rb_op ops[])
{
    const int64_t p = plan->p, h = INT64_C(1) << (plan->rounds - 1 - t);
    const int32_t have = (int32_t)((p + 2 * h - 1) / (2 * h));
    const int32_t many = (int32_t)((p + h - 1) / h) - have;
    const int32_t to = rb_after(plan, state->rank, (int32_t)h);
    const int32_t from = rb_after(plan, state->rank, (int32_t)(p - h));
    for (int32_t i = 0; i < many; i++) {
        const int32_t back = (int32_t)(p - 2 * i * h);
        ops[i] = (struct rb_op){.kind = RB_SEND,
                                .peer = to,
                                .at = {RB_DST, rb_after(plan, state->rank, back), 0, plan->n}};
        ops[many + i] = (struct rb_op){
            .kind = RB_RECV, .peer = from, .at = {RB_DST, rb_after(plan, from, back), 0, plan->n}};
    }
    return 2 * many;
}

const struct rb_algorithm rb_allgather_sparbit = {
    .info = {.collective = "allgather",
             .name = "sparbit",
             .title = "a rank's data double in every round, near ranks last",
             .paper = "Loch and Koslovski 2021",
             .rounds = "ceil(log2 p)",
             .blocks = "all blocks of a rank travel together"},
    .init = init,
    .round = round_,
    .next = rb_never_idle,
    .cost = rb_cost_of_others,
};
