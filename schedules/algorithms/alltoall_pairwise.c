/* alltoall_pairwise.c - every rank sends each other rank its data itself.
 *
 * Source: textbook; the extreme r = p of J. Bruck, C.-T. Ho, S. Kipnis, E. Upfal, D. Weathersby
 * 1997, Section 3. Rounds: p - 1. Volume: n (p - 1) blocks sent and received per rank, optimal;
 * nothing is forwarded. No state per rank.
 *
 * In round t rank r sends to r + t + 1 and receives from r - t - 1; in round 0 it also copies what
 * is for itself, so that a rank alone has one round too. p = 3: to the right neighbour, then to the
 * left one. */
#include "../plan.h"

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    plan->rounds = plan->p > 1 ? plan->p - 1 : 1;
    plan->max_ops = 3;
    return rb_need_one_port(plan, why, why_size);
}

static int32_t round_(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                      struct rb_op ops[])
{
    const int64_t p = plan->p, r = state->rank;
    const int32_t to = (int32_t)((r + t + 1) % p), from = (int32_t)((r - t - 1 + p) % p);
    int32_t count = 0;
    if (p > 1) {
        ops[count++] = (struct rb_op){
            .kind = RB_SEND, .peer = to, .at = rb_addressed(plan, RB_SRC, state->rank, to)};
        ops[count++] = (struct rb_op){
            .kind = RB_RECV, .peer = from, .at = rb_addressed(plan, RB_DST, from, state->rank)};
    }
    if (t == 0)
        ops[count++] = rb_keep_own(plan, state->rank);
    return count;
}

static double cost(const struct rb_plan *plan, double bytes, double alpha_s, double beta_s_per_byte)
{
    const double p = plan->p;
    return (p - 1) * (alpha_s + beta_s_per_byte * bytes / (p * p));
}

const struct rb_algorithm rb_alltoall_pairwise = {
    .info = {.collective = "alltoall",
             .name = "pairwise",
             .title = "each rank sends to one other after the other",
             .paper = "textbook",
             .rounds = "p - 1",
             .blocks = "all blocks for a rank travel together",
             .pipelined = false},
    .init = init,
    .round = round_,
    .next = rb_never_idle,
    .cost = cost,
};
