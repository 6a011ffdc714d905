/* bcast_chains.c - several pipelined chains: the root sends every block to the first rank of each
 * chain.
 *
 * Source: Open MPI's algorithm `chain` (coll/base, ompi_coll_base_topo_build_chain), with the
 * number of chains as its fan-out, 4 unless set. There are m = min(r, p - 1) chains of consecutive
 * relative ranks, of c = ceil((p - 1)/m) or c - 1 ranks each, the longer ones first. Rank i of
 * chain j gets block 0 in round i + j. Rounds: m (n - 1) + c + max(p - 2 - m (c - 1), m - 2)
 * (tree.h): p - 1 - m (c - 1) chains are longer. Volume: n (p - 1) blocks. One chain is `chain`; r
 * = p is the flat tree. State per rank: its place in the tree.
 *
 * p = 6, r = 2, n = 1: 0 -> 1; 0 -> 4, 1 -> 2; 2 -> 3, 4 -> 5. */
#include "schedules/patterns/tree.h"

/* In the plan's numbers, after those of tree.h: c, and the number of chains of c ranks. */
enum { LENGTH = 2, LONGER };

static int64_t chains_of(const struct rb_plan *plan)
{
    return plan->radix < plan->p ? plan->radix : plan->p > 1 ? plan->p - 1 : 1;
}

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    if (plan->radix == 0)
        plan->radix = plan->p >= 4 ? 4 : plan->p > 2 ? plan->p : 2;
    const int64_t m = chains_of(plan), length = (plan->p - 1 + m - 1) / m;
    const int64_t longer = plan->p - 1 - m * (length - 1);
    plan->data.number[LENGTH] = length;
    plan->data.number[LONGER] = longer;
    return rb_tree_init(plan, m, length - 1 + (longer - 1 > m - 2 ? longer - 1 : m - 2), why,
                        why_size);
}

/* The first rank of a chain; for the number of chains, p. */
static int64_t first_of(const struct rb_plan *plan, int64_t chain)
{
    const int64_t longer = plan->data.number[LONGER];
    return 1 + chain * (plan->data.number[LENGTH] - 1) + (chain < longer ? chain : longer);
}

static void place(const struct rb_plan *plan, struct rb_rank *state)
{
    const int64_t length = plan->data.number[LENGTH], longer = plan->data.number[LONGER];
    int64_t *number = state->state.number;
    const int64_t i = (int64_t)state->relative - 1, in_longer = longer * length;
    if (i < 0) {
        number[RB_TREE_ARRIVAL] = number[RB_TREE_PARENT] = -1;
        number[RB_TREE_CHILDREN] = plan->p > 1 ? chains_of(plan) : 0;
        return;
    }
    const int64_t chain =
        i < in_longer ? i / length : longer + (i - in_longer) / (length > 1 ? length - 1 : 1);
    const int64_t first = first_of(plan, chain), end = first_of(plan, chain + 1);
    number[RB_TREE_ARRIVAL] = chain + state->relative - first;
    number[RB_TREE_PARENT] = state->relative == first ? 0 : i;
    number[RB_TREE_CHILDREN] = state->relative + 1 < end ? 1 : 0;
}

static int32_t child(const struct rb_plan *plan, const struct rb_rank *state, int32_t j)
{
    return state->relative == 0 ? (int32_t)first_of(plan, j) : state->relative + 1;
}

static int32_t round_(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                      struct rb_op ops[])
{
    return rb_tree_round(plan, state, t, child, ops);
}

RB_ROW(rb_bcast_chains, "bcast", "chains", "several pipelined chains from the root", "Open MPI 4.1",
       RB_CHAINS_ROUNDS, RB_PIPELINED(""), .info.radix = "number of chains",
       RB_TREE(init, place, round_));
