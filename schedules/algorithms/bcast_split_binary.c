/* bcast_split_binary.c - one half of the message down each half of a binary tree, then pairs of
 * ranks exchange their halves.
 *
 * Source: Open MPI's algorithm `split_binary_tree` (coll/base,
 * ompi_coll_base_bcast_intra_split_bintree and ompi_coll_base_topo_build_tree). Relative rank v of
 * depth d has the children v + 2^d and v + 2^(d+1), so odd ranks are below the root's first child
 * and even ranks below its second. Each half of the message has n blocks; the root sends the first
 * half's blocks to its first child and the second half's to its second, in turn. At the end ranks
 * 2 i - 1 and 2 i exchange their halves, in one message each; if the last rank has no partner, the
 * root sends it the second half. Rounds: those of `binary` (tree.h), and one more. Each rank
 * receives 2 n blocks, and the last round moves n of them at once. State per rank: its place in the
 * tree.
 *
 * p = 4, n = 1: 0 -> 1 the first half; 0 -> 2 the second, 1 -> 3 the first; 1 <-> 2, 0 -> 3. */
#include "schedules/patterns/tree.h"

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    const int status = rb_binary_init(plan, why, why_size);
    plan->blocks = 2 * plan->n;
    plan->rounds += plan->p > 1 ? 1 : 0;
    return status;
}

static void place(const struct rb_plan *plan, struct rb_rank *state)
{
    const int64_t v = state->relative, level = INT64_C(1) << rb_floor_log2(state->relative + 1);
    state->state.number[RB_TREE_ARRIVAL] = rb_binary_arrival(state->relative);
    state->state.number[RB_TREE_PARENT] =
        v > 0 ? (v - level + 1) % (level / 2) + level / 2 - 1 : -1;
    state->state.number[RB_TREE_CHILDREN] = (v + level < plan->p) + (v + 2 * level < plan->p);
}

static int32_t child(const struct rb_rank *state, int32_t j)
{
    return state->relative + ((int32_t)1 << (rb_floor_log2(state->relative + 1) + j));
}

/* Many blocks of a half from one on, to or from a relative rank. */
static struct rb_op move(const struct rb_plan *plan, enum rb_op_kind kind, int32_t peer,
                         int32_t half, int64_t first, int64_t many)
{
    return rb_root_op(plan, kind, peer, half * plan->n + first, many);
}

/* 0 for the ranks below the root's first child, 1 for the others. */
static int32_t half_of(int32_t v)
{
    return 1 - v % 2;
}

static int32_t exchange(const struct rb_plan *plan, int32_t v, struct rb_op ops[])
{
    const int32_t lone = plan->p % 2 == 0 ? plan->p - 1 : -1;
    if (v == 0 && lone < 0)
        return 0;
    if (v == 0 || v == lone) {
        ops[0] = move(plan, v == 0 ? RB_SEND : RB_RECV, v == 0 ? lone : 0, 1, 0, plan->n);
        return 1;
    }
    const int32_t half = half_of(v), partner = half == 0 ? v + 1 : v - 1;
    ops[0] = move(plan, RB_SEND, partner, half, 0, plan->n);
    ops[1] = move(plan, RB_RECV, partner, 1 - half, 0, plan->n);
    return 2;
}

static int32_t round_(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                      struct rb_op ops[])
{
    const int32_t v = state->relative;
    if (t == plan->rounds - 1)
        return exchange(plan, v, ops);
    const struct rb_tree_turn turn = rb_tree_turn(plan, state, t);
    int32_t count = 0;
    if (turn.sent >= 0)
        ops[count++] = move(plan, RB_SEND, child(state, turn.child),
                            v == 0 ? turn.child : half_of(v), turn.sent, 1);
    if (turn.received >= 0)
        ops[count++] = move(plan, RB_RECV, (int32_t)state->state.number[RB_TREE_PARENT], half_of(v),
                            turn.received, 1);
    return count;
}

/* Only the root of an odd number of ranks is idle in the last round. */
static int64_t next(const struct rb_plan *plan, const struct rb_rank *state, int64_t t)
{
    const int64_t last = plan->rounds - 1, in_tree = rb_tree_next(plan, state, t);
    if (in_tree < last || (state->relative == 0 && plan->p % 2 == 1))
        return in_tree < last ? in_tree : plan->rounds;
    return t <= last ? last : plan->rounds;
}

static double cost(const struct rb_plan *plan, double bytes, double alpha_s, double beta_s_per_byte)
{
    const double half_s = bytes / 2 * beta_s_per_byte;
    return (double)plan->rounds * alpha_s +
           ((double)(plan->rounds - 1) / (double)plan->n + 1) * half_s;
}

/* A block is half as long as in other pipelines with this n. */
static void pipeline(const struct rb_plan *plan, int64_t *per_block, int64_t *fixed)
{
    rb_tree_pipeline(plan, per_block, fixed);
    *per_block *= 2;
}

RB_ROW(rb_bcast_split_binary, "bcast", "split-binary",
       "each half down half of a binary tree, then pairs exchange", "Open MPI 4.1",
       RB_BINARY_PERIOD " + " RB_BINARY_FIRST " + 1" RB_BINARY_DEPTH, RB_PIPELINED(" of each half"),
       .init = init, .rank = place, .round = round_, .next = next, .cost = cost,
       .pipeline = pipeline, .partly_pipelined = true);
