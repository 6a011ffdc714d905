/* scatter_binomial.c - the binomial tree: the parts of a subtree travel together.
 *
 * Source: textbook; Grama et al. 2003, "scatter and gather"; what MPI libraries take. Rounds:
 * q = ceil(log2 p), optimal. The root sends (p - 1)/p of the data, as it must; all ranks together
 * at most n p q / 2 blocks. No state per rank.
 *
 * In round t, h = 2^(q-1-t): the relative ranks r that are multiples of 2h send the parts of ranks
 * r + h .. min(r + 2h, p) - 1 to rank r + h. p = 5: 0 -> 4 part 4; 0 -> 2 parts 2, 3; 0 -> 1 part
 * 1, 2 -> 3 part 3. */
#include "schedules/plan/plan.h"

/* A message has the parts of half of all ranks at most. */
static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    return rb_on_one_port(plan, rb_ceil_log2(plan->p), plan->p > 3 ? plan->p / 2 : 1, why,
                          why_size);
}

static int32_t distance(const struct rb_plan *plan, int64_t t)
{
    return (int32_t)1 << (plan->rounds - 1 - t);
}

/* The parts of `many` relative ranks, or as many as there are, from `first` on. */
static int32_t pack(const struct rb_plan *plan, enum rb_op_kind kind, int32_t peer, int32_t first,
                    int32_t many, struct rb_op ops[])
{
    const int32_t count = many < plan->p - first ? many : plan->p - first;
    for (int32_t i = 0; i < count; i++)
        ops[i] = rb_part_op(plan, kind, peer, first + i);
    return count;
}

static int32_t round_(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                      struct rb_op ops[])
{
    const int32_t r = state->relative, h = distance(plan, t);
    const int32_t within = r & (2 * h - 1);
    if (within == h)
        return pack(plan, RB_RECV, r - h, r, h, ops);
    if (within == 0 && h < plan->p - r)
        return pack(plan, RB_SEND, r + h, r + h, h, ops);
    return 0;
}

/* A rank receives from the rank whose number has the rank's lowest bit cleared, and then sends to
 * the ranks that exist at all smaller distances. */
static int64_t next(const struct rb_plan *plan, const struct rb_rank *state, int64_t t)
{
    const int32_t r = state->relative;
    const int64_t receives = r == 0 ? -1 : plan->rounds - 1 - __builtin_ctz((uint32_t)r);
    if (t <= receives)
        return receives;
    while (t < plan->rounds && distance(plan, t) >= plan->p - r)
        t++;
    return t;
}

RB_ROW(rb_scatter_binomial, "scatter", "binomial", "binomial tree, the parts of a subtree together",
       "textbook; Grama et al. 2003", "ceil(log2 p)", RB_FOR_RANK, .init = init, .round = round_,
       .next = next, .cost = rb_cost_of_others);
