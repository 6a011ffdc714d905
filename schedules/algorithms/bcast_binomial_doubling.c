/* bcast_binomial_doubling.c - the binomial tree with rising distances: every rank that has a block
 * sends it on, first to the next rank.
 *
 * Source: Open MPI's tree for its algorithm `binomial` (coll/base,
 * ompi_coll_base_topo_build_bmtree). The parent of relative rank v is v without its highest bit;
 * v's children have one bit more, above that one. The root has q = ceil(log2 p) children, and the
 * last ranks get block 0 in round q - 1. Rounds: q n (tree.h). Volume: n (p - 1) blocks. In the
 * model of one port n = 1 is best, because the root sends in every round. `binomial` has the same
 * rounds with falling distances. State per rank: its place in the tree.
 *
 * p = 5, n = 1: 0 -> 1; 0 -> 2, 1 -> 3; 0 -> 4. */
#include "schedules/patterns/tree.h"

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    const int64_t q = rb_ceil_log2(plan->p);
    return rb_tree_init(plan, q > 0 ? q : 1, q - 1, why, why_size);
}

static void place(const struct rb_plan *plan, struct rb_rank *state)
{
    const int32_t v = state->relative, highest = v > 0 ? rb_floor_log2(v) : -1;
    const int32_t more = plan->p - 1 - v; /* v + 2^j is a rank up to this 2^j */
    const int32_t largest = more > 0 ? rb_floor_log2(more) : -1;
    state->state.number[RB_TREE_ARRIVAL] = highest;
    state->state.number[RB_TREE_PARENT] = v > 0 ? v - ((int32_t)1 << highest) : -1;
    state->state.number[RB_TREE_CHILDREN] = largest > highest ? largest - highest : 0;
}

static int32_t child(const struct rb_plan *plan, const struct rb_rank *state, int32_t j)
{
    (void)plan;
    return state->relative + ((int32_t)1 << (state->state.number[RB_TREE_ARRIVAL] + 1 + j));
}

static int32_t round_(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                      struct rb_op ops[])
{
    return rb_tree_round(plan, state, t, child, ops);
}

RB_ROW(rb_bcast_binomial_doubling, "bcast", "binomial-doubling",
       "pipelined binomial tree, the nearest ranks first", "Open MPI 4.1", "n ceil(log2 p)",
       RB_PIPELINED(""), RB_TREE(init, place, round_));
