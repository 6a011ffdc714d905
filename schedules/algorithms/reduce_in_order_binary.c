/* reduce_in_order_binary.c - a pipelined binary tree in which partial results of neighbours meet,
 * so that operands stay in rank order for any root.
 *
 * Source: Open MPI's algorithm `in-order_binary` (coll/base,
 * ompi_coll_base_reduce_intra_in_order_binary and ompi_coll_base_topo_build_in_order_bintree). The
 * ranks a .. b of a subtree have their results combined at b, the subtree's top: the first
 * floor((b - a + 1) / 2) of them are one subtree, and those between that subtree and b are the
 * other. Rank b combines the results of the nearer subtree with its own data, and then those of the
 * other one. The top of all ranks is p - 1; if that is not the root, it sends the result to the
 * root in one message.
 *
 * This is tree.h read backwards, with the farther subtree as child 0. If f(N) is the latest arrival
 * of N - 1 ranks, plus 1, then f(N) = max(1 + f(ceil(N/2)), 2 + f(floor(N/2))), f(2) = 0, and by
 * induction f(N) = floor(log2 N) + floor(log2 (2 N / 3)) - 1. Rounds: 2 (n - 1) + f(p + 1), n for
 * p = 2, and one more if the root is not p - 1. Volume: n (p - 1) blocks, and n more for this
 * message. State per rank: its place in the tree.
 *
 * p = 5, root 4, n = 1: 2 -> 3; 0 -> 1, 3 -> 4; 1 -> 4. */
#include "schedules/patterns/tree.h"

/* In the plan's numbers, after those of tree.h: the rounds of the tree. In a rank's state: child
 * 0. */
enum { IN_TREE = 2, FARTHER = RB_TREE_OWN };

static int64_t floor_log2(int64_t x)
{
    return 63 - __builtin_clzll((unsigned long long)x);
}

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    const int64_t n = (int64_t)plan->p + 1;
    const int64_t rounds_of_one = floor_log2(n) + floor_log2(2 * n / 3) - 1;
    const int status = rb_tree_init(plan, plan->p > 2 ? 2 : 1, rounds_of_one - 1, why, why_size);
    plan->data.number[IN_TREE] = plan->rounds;
    plan->rounds += plan->root != plan->p - 1 ? 1 : 0;
    return status;
}

static void place(const struct rb_plan *plan, struct rb_rank *state)
{
    int64_t *number = state->state.number;
    int32_t first = 0, top = plan->p - 1;
    number[RB_TREE_ARRIVAL] = number[RB_TREE_PARENT] = -1;
    while (state->rank != top) {
        const int32_t nearer = first + (top - first + 1) / 2; /* its first rank */
        number[RB_TREE_PARENT] = top;
        number[RB_TREE_ARRIVAL] += state->rank < nearer ? 1 : 2;
        if (state->rank < nearer)
            top = nearer - 1;
        else
            first = nearer, top--;
    }
    number[RB_TREE_CHILDREN] = (top > first) + (top > first + 1);
    number[FARTHER] = first + (top - first + 1) / 2 - 1;
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

const struct rb_algorithm rb_reduce_in_order_binary = {
    .info = {.collective = "reduce",
             .name = "in-order-binary",
             .title = "pipelined binary tree that keeps rank order",
             .paper = "Open MPI 4.1",
             .rounds =
                 "min(2, p - 1) (n - 1) + floor(log2(p + 1)) + floor(log2(2 (p + 1) / 3)) - 1,"
                 " or 1 more",
             .blocks = "pipelined blocks",
             .pipelined = true},
    .init = init,
    .rank = place,
    .round = round_,
    .next = next,
    .cost = cost,
    .pipeline = rb_tree_pipeline,
    .partly_pipelined = true,
    .ordered_for_every_root = true,
};
