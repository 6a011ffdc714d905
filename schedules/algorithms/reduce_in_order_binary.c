/* reduce_in_order_binary.c - a pipelined binary tree in which partial results of neighbours meet,
 * so that operands stay in rank order for any root.
 *
 * Source: Open MPI's algorithm `in-order_binary` (coll/base,
 * ompi_coll_base_reduce_intra_in_order_binary and ompi_coll_base_topo_build_in_order_bintree). The
 * tree is that of tree.h. A rank combines the results of the nearer subtree with its own
 * data, and then those of the farther one. The top of all ranks is p - 1; if that is not the root,
 * it sends the result to the root in one message.
 *
 * This is tree.h read backwards, with the farther subtree as child 0. Rounds: 2 (n - 1) + f(p + 1),
 * f of tree.h, n for p = 2, and one more if the root is not p - 1. Volume: n (p - 1) blocks,
 * and n more for this message. State per rank: its place in the tree.
 *
 * p = 5, root 4, n = 1: 2 -> 3; 0 -> 1, 3 -> 4; 1 -> 4. */
#include "schedules/patterns/tree.h"

/* In the plan's numbers, after those of tree.h: the rounds of the tree. In a rank's state: child
 * 0. */
enum { IN_TREE = 2, FARTHER = RB_TREE_OWN };

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    const int64_t latest = rb_post_order_latest(plan->p) - 1;
    const int status = rb_tree_init(plan, plan->p > 2 ? 2 : 1, latest, why, why_size);
    plan->data.number[IN_TREE] = plan->rounds;
    plan->rounds += plan->root != plan->p - 1 ? 1 : 0;
    return status;
}

static void place(const struct rb_plan *plan, struct rb_rank *state)
{
    const struct rb_post_order here = rb_post_order(0, plan->p - 1, state->rank);
    int64_t *number = state->state.number;
    number[RB_TREE_ARRIVAL] = here.far + 2 * here.near - 1;
    number[RB_TREE_PARENT] = here.parent;
    number[RB_TREE_CHILDREN] = (here.farther >= 0) + (here.nearer >= 0);
    number[FARTHER] = here.farther;
}

/* An operation on blocks of the vector with a rank, not a relative one. */
static struct rb_op move(const struct rb_plan *plan, enum rb_op_kind kind, int32_t peer,
                         int64_t first, int64_t count)
{
    return (struct rb_op){.kind = kind,
                          .peer = peer,
                          .incoming_is_left = kind == RB_RECV_REDUCE,
                          .at = {RB_DST, plan->root, first, count}};
}

static int32_t round_(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                      struct rb_op ops[])
{
    const int32_t top = plan->p - 1, rank = state->rank;
    const int64_t in_tree = plan->data.number[IN_TREE];
    int32_t count = 0;
    if (t == in_tree) {
        if (rank == top)
            ops[count++] = move(plan, RB_SEND, plan->root, 0, plan->n);
        else if (rank == plan->root)
            ops[count++] = move(plan, RB_RECV, top, 0, plan->n);
        return count;
    }
    const struct rb_tree_turn turn = rb_tree_turn(plan, state, in_tree - 1 - t);
    const int64_t *number = state->state.number;
    if (turn.received >= 0)
        ops[count++] = move(plan, RB_SEND, (int32_t)number[RB_TREE_PARENT], turn.received, 1);
    if (turn.sent >= 0)
        ops[count++] = move(plan, RB_RECV_REDUCE,
                            turn.child == 0 ? (int32_t)number[FARTHER] : rank - 1, turn.sent, 1);
    return count;
}

static int64_t next(const struct rb_plan *plan, const struct rb_rank *state, int64_t t)
{
    const int64_t in_tree = plan->data.number[IN_TREE];
    const int64_t before = t < in_tree ? rb_tree_before(plan, state, in_tree - 1 - t) : -1;
    const bool at_end = state->rank == plan->root || state->rank == plan->p - 1;
    if (before >= 0)
        return in_tree - 1 - before;
    return t <= in_tree && at_end ? in_tree : plan->rounds;
}

static double cost(const struct rb_plan *plan, double bytes, double alpha_s, double beta_s_per_byte)
{
    const double in_tree = (double)plan->data.number[IN_TREE];
    return (double)plan->rounds * alpha_s +
           (in_tree / (double)plan->n + ((double)plan->rounds - in_tree)) * bytes * beta_s_per_byte;
}

RB_ROW(rb_reduce_in_order_binary, "reduce", "in-order-binary",
       "pipelined binary tree that keeps rank order", "Open MPI 4.1",
       "min(2, p - 1) (n - 1) + floor(log2(p + 1)) + floor(log2(2 (p + 1) / 3)) - 1, or 1 more",
       RB_PIPELINED(""), .init = init, .rank = place, .round = round_, .next = next, .cost = cost,
       .pipeline = rb_tree_pipeline, .partly_pipelined = true, .ordered_for_every_root = true);
