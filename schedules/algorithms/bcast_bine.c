/* bcast_bine.c - the Bine tree, distances halving: a binomial tree whose edges are shorter.
 *
 * Source: De Sensi et al. 2025; bine.h. Rounds: q = ceil(log2 p). Volume: n (p - 1) blocks. No
 * state per rank; O(log p) work per round.
 *
 * In round t, s = q - 1 - t: if all numbers are there, a number whose digits in base -2 are equal
 * from digit s on down sends to the one that is d(s) away. p = 5, numbers -1 .. 3 for relative
 * ranks 4, 0, 1, 2, 3: 0 -> 3; 0 -> 4; 0 -> 1, 3 -> 2. The binomial tree sends 0 -> 4; 0 -> 2; 0 ->
 * 1, 2
 * -> 3. */
#include "schedules/patterns/bine.h"

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    return rb_on_one_port(plan, rb_ceil_log2(plan->p), 1, why, why_size);
}

static int32_t round_(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                      struct rb_op ops[])
{
    const struct rb_bine_tree tree = rb_bine_tree_of(plan->p);
    struct rb_bine_edge edge;
    if (!rb_bine_edge(&tree, state->relative, (int32_t)(plan->rounds - 1 - t), &edge))
        return 0;
    const bool sends = state->relative == edge.from;
    ops[0] = rb_root_op(plan, sends ? RB_SEND : RB_RECV, sends ? edge.to : edge.from, 0, plan->n);
    return 1;
}

RB_ROW(rb_bcast_bine, "bcast", "bine", "Bine tree, distances halving, the whole message at once",
       "De Sensi et al. 2025", "ceil(log2 p)", RB_AT_ONCE, .init = init, .round = round_,
       .cost = rb_cost_of_all);
