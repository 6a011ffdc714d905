/* bcast_chain.c - the pipelined chain: every rank passes every block on to the next.
 *
 * Source: textbook ("pipeline" in MPI libraries). Rounds: n + p - 2. Volume: n (p - 1) blocks.
 * No state per rank.
 *
 * Relative rank r > 0 receives block i in round r - 1 + i; r < p - 1 sends it on in round r + i.
 * p = 3, n = 2: 0 -> 1 block 0; 0 -> 1 block 1, 1 -> 2 block 0; 1 -> 2 block 1. */
#include "../plan.h"

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    plan->rounds = plan->p == 1 ? 0 : plan->n + plan->p - 2;
    plan->max_ops = 2;
    return rb_need_one_port(plan, why, why_size);
}

static int32_t round_(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                      struct rb_op ops[])
{
    const int32_t r = state->relative;
    int32_t count = 0;
    int64_t i = t - r;
    if (r < plan->p - 1 && 0 <= i && i < plan->n)
        ops[count++] = rb_root_op(plan, RB_SEND, r + 1, i, 1);
    i++;
    if (r > 0 && 0 <= i && i < plan->n)
        ops[count++] = rb_root_op(plan, RB_RECV, r - 1, i, 1);
    return count;
}

/* A rank's rounds have no gap: from its first receive to its last send. */
static int64_t next(const struct rb_plan *plan, const struct rb_rank *state, int64_t t)
{
    const int64_t r = state->relative;
    const int64_t first = r > 0 ? r - 1 : 0;
    const int64_t last = r < plan->p - 1 ? r + plan->n - 1 : r + plan->n - 2;
    return t > last ? plan->rounds : t > first ? t : first;
}

static double cost(const struct rb_plan *plan, double bytes, double alpha_s, double beta_s_per_byte)
{
    return (double)plan->rounds * (alpha_s + beta_s_per_byte * bytes / (double)plan->n);
}

static void pipeline(const struct rb_plan *plan, int64_t *per_block, int64_t *fixed)
{
    *per_block = 1;
    *fixed = plan->p - 2;
}

const struct rb_algorithm rb_bcast_chain = {
    .info = {.collective = "bcast",
             .name = "chain",
             .title = "pipelined chain, each rank to the next",
             .paper = "textbook",
             .rounds = "n + p - 2",
             .blocks = "pipelined blocks",
             .pipelined = true},
    .init = init,
    .round = round_,
    .next = next,
    .cost = cost,
    .pipeline = pipeline,
};
