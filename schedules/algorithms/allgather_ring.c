/* allgather_ring.c - everybody passes on to the next rank what it got from the last.
 *
 * Source: textbook; what MPI libraries take for long messages. Rounds: p - 1. Volume: n (p - 1)
 * blocks received per rank, optimal. No state per rank.
 *
 * In round t rank r sends the data of r - t to r + 1. p = 3: everybody its own, then its left
 * neighbour's. */
#include "../plan.h"

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    plan->rounds = plan->p - 1;
    plan->max_ops = 2;
    return rb_need_one_port(plan, why, why_size);
}

static int32_t round_(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                      struct rb_op ops[])
{
    const int32_t p = plan->p, r = state->rank;
    const int32_t left = r > 0 ? r - 1 : p - 1, right = r < p - 1 ? r + 1 : 0;
    const int32_t out = (int32_t)((r - t + p) % p), in = (int32_t)((left - t + p) % p);
    ops[0] = (struct rb_op){.kind = RB_SEND, .peer = right, .at = {RB_DST, out, 0, plan->n}};
    ops[1] = (struct rb_op){.kind = RB_RECV, .peer = left, .at = {RB_DST, in, 0, plan->n}};
    return 2;
}

static double cost(const struct rb_plan *plan, double bytes, double alpha_s, double beta_s_per_byte)
{
    return (double)plan->rounds * (alpha_s + beta_s_per_byte * bytes / plan->p);
}

const struct rb_algorithm rb_allgather_ring = {
    .info = {.collective = "allgather",
             .name = "ring",
             .title = "each rank's data go round a ring",
             .paper = "textbook",
             .rounds = "p - 1",
             .blocks = "all blocks of a rank travel together",
             .pipelined = false},
    .init = init,
    .round = round_,
    .cost = cost,
};
