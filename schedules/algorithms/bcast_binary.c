/* bcast_binary.c - the pipelined binary tree: every block goes to the left child, then to the
 * right.
 *
 * Source: textbook. The tree is the complete one: the children of relative rank r are 2r + 1 and
 * 2r + 2. With one port a rank needs two rounds to send a block, so rounds = 2 (n - 1) + d + 1,
 * where d is the latest round in which any rank gets block 0: the largest sum along a path from the
 * root, with 1 for each left and 2 for each right step, minus 1. Volume: n (p - 1) blocks. State
 * per rank: the round a in which it gets block 0; it receives block i in round a + 2i and sends it
 * in a + 2i + 1 and a + 2i + 2, the latter at the same time as it receives block i + 1. With p = 2
 * no rank has two children, and blocks follow each other in every round: n rounds.
 *
 * p = 5: a of ranks 1 to 4 is 0, 1, 1, 2 (d = 2); n = 2 takes 5 rounds. */
#include "schedules/plan/plan.h"

/* The round in which relative rank r gets block 0; -1 for the root, which has it. */
static int64_t arrival(int32_t r)
{
    int64_t a = -1;
    for (; r > 0; r = (r - 1) / 2)
        a += r % 2 == 1 ? 1 : 2;
    return a;
}

/* The latest arrival among ranks 0 .. p - 1: at depth D the rank with path bits x (1 = right) has
 * arrival D - 1 + popcount(x). Candidates: in the last, partly filled level those x that agree with
 * the last rank's down to a 1, have 0 there and ones below; the last rank itself; and the rightmost
 * rank of the level above. */
static int64_t latest_arrival(int32_t p)
{
    int64_t latest = arrival(p - 1);
    int32_t depth = 31 - __builtin_clz((uint32_t)p);
    int32_t level = (int32_t)(((uint32_t)1 << depth) - 1u); /* first rank at that depth */
    uint32_t x = (uint32_t)(p - 1 - level);
    if (depth > 0 && 2 * depth - 3 > latest)
        latest = 2 * (int64_t)depth - 3;
    for (uint32_t bits = x; bits != 0; bits &= bits - 1u) {
        uint32_t lowest = bits & (~bits + 1u);
        uint32_t candidate = (x & ~(2u * lowest - 1u)) | (lowest - 1u);
        int64_t a = depth - 1 + (int64_t)__builtin_popcount(candidate);
        if (a > latest)
            latest = a;
    }
    return latest;
}

/* In the plan's numbers: the latest arrival, and the rounds from one block to the next. */
enum { LATEST, STRIDE };

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    const int64_t stride = plan->p == 2 ? 1 : 2;
    plan->data.number[LATEST] = latest_arrival(plan->p);
    plan->data.number[STRIDE] = stride;
    plan->rounds = plan->p == 1 ? 0 : stride * (plan->n - 1) + plan->data.number[LATEST] + 1;
    plan->max_ops = 2;
    return rb_need_one_port(plan, why, why_size);
}

static void schedule(const struct rb_plan *plan, struct rb_rank *state)
{
    (void)plan;
    state->state.number[0] = arrival(state->relative);
}

/* The block that is due `since` rounds after block 0, or -1. */
static int64_t due(const struct rb_plan *plan, int64_t since)
{
    const int64_t stride = plan->data.number[STRIDE];
    return since >= 0 && since % stride == 0 && since / stride < plan->n ? since / stride : -1;
}

static int32_t round_(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                      struct rb_op ops[])
{
    const int64_t r = state->relative;
    const int64_t since = t - state->state.number[0];
    int32_t count = 0;
    for (int32_t child = 1; child <= 2; child++) {
        int64_t i = due(plan, since - child);
        if (i >= 0 && 2 * r + child < plan->p)
            ops[count++] = rb_root_op(plan, RB_SEND, (int32_t)(2 * r + child), i, 1);
    }
    int64_t i = due(plan, since);
    if (r > 0 && i >= 0)
        ops[count++] = rb_root_op(plan, RB_RECV, (int32_t)((r - 1) / 2), i, 1);
    return count;
}

/* Between its first operation and its last only a leaf is ever idle: when other ranks serve their
 * left child. */
static int64_t next(const struct rb_plan *plan, const struct rb_rank *state, int64_t t)
{
    const int64_t r = state->relative;
    const int64_t a = state->state.number[0];
    const int64_t children = 2 * r + 2 < plan->p ? 2 : 2 * r + 1 < plan->p ? 1 : 0;
    const int64_t first = r > 0 ? a : 0;
    const int64_t last = a + children + plan->data.number[STRIDE] * (plan->n - 1);
    if (t < first)
        t = first;
    if (children == 0 && (t - a) % plan->data.number[STRIDE] != 0)
        t++;
    return t > last ? plan->rounds : t;
}

static double cost(const struct rb_plan *plan, double bytes, double alpha_s, double beta_s_per_byte)
{
    return (double)plan->rounds * (alpha_s + beta_s_per_byte * bytes / (double)plan->n);
}

static void pipeline(const struct rb_plan *plan, int64_t *per_block, int64_t *fixed)
{
    *per_block = plan->data.number[STRIDE];
    *fixed = plan->data.number[LATEST] + 1 - *per_block;
}

const struct rb_algorithm rb_bcast_binary = {
    .info = {.collective = "bcast",
             .name = "binary",
             .title = "pipelined complete binary tree",
             .paper = "textbook",
             .rounds = "2 (n - 1) + d + 1, d about 2 log2 p; n for p = 2",
             .blocks = "pipelined blocks",
             .pipelined = true},
    .init = init,
    .rank = schedule,
    .round = round_,
    .next = next,
    .cost = cost,
    .pipeline = pipeline,
};
