/* scatter_bine.c - the Bine tree, distances halving: the parts of a subtree travel together.
 *
 * Source: De Sensi et al. 2025; bine.h. Rounds: q = ceil(log2 p), optimal. Of p = 2^q the root
 * sends (p - 1)/p of the data, as it must, and all ranks together n p q / 2 blocks. Subtrees are
 * intervals of relative ranks modulo p, so the parts of a message are one or two pieces of memory.
 * No state per rank; O(log p) work per round besides its operations.
 *
 * p = 5 (numbers -1 .. 3 are relative ranks 4, 0, 1, 2, 3): 0 -> 3 parts 2, 3; 0 -> 4 part 4; 0 ->
 * 1 part 1, 3 -> 2 part 2. */
#include "schedules/patterns/bine.h"

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    const struct rb_bine_tree tree = rb_bine_tree_of(plan->p);
    plan->rounds = tree.q;
    plan->max_ops = 1;
    for (int32_t s = 0; s < tree.q; s++) {
        const int32_t longest = rb_bine_longest(&tree, s);
        plan->max_ops = longest > plan->max_ops ? longest : plan->max_ops;
    }
    return rb_need_one_port(plan, why, why_size);
}

static int32_t round_(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                      struct rb_op ops[])
{
    const struct rb_bine_tree tree = rb_bine_tree_of(plan->p);
    struct rb_bine_edge edge;
    if (!rb_bine_edge(&tree, state->relative, (int32_t)(plan->rounds - 1 - t), &edge))
        return 0;
    const bool sends = state->relative == edge.from;
    for (int32_t i = 0; i < edge.count; i++)
        ops[i] = rb_part_op(plan, sends ? RB_SEND : RB_RECV, sends ? edge.to : edge.from,
                            rb_bine_rank(&tree, edge.first + i));
    return edge.count;
}

/* Whether a round is idle must not take a message's time. */
static int64_t next(const struct rb_plan *plan, const struct rb_rank *state, int64_t t)
{
    const struct rb_bine_tree tree = rb_bine_tree_of(plan->p);
    struct rb_bine_edge edge;
    while (t < plan->rounds &&
           !rb_bine_edge(&tree, state->relative, (int32_t)(plan->rounds - 1 - t), &edge))
        t++;
    return t;
}

static double cost(const struct rb_plan *plan, double bytes, double alpha_s, double beta_s_per_byte)
{
    const struct rb_bine_tree tree = rb_bine_tree_of(plan->p);
    double parts = 0;
    for (int32_t s = 0; s < tree.q; s++)
        parts += rb_bine_longest(&tree, s);
    return (double)plan->rounds * alpha_s + parts / plan->p * bytes * beta_s_per_byte;
}

RB_ROW(rb_scatter_bine, "scatter", "bine",
       "Bine tree, distances halving, the parts of a subtree together", "De Sensi et al. 2025",
       "ceil(log2 p)", RB_FOR_RANK, .init = init, .round = round_, .next = next, .cost = cost);
