/* scan_halving.c - scans of shares of the vector, each up and down a binomial tree that ends at the
 * rank whose number the share has: 2 q rounds, and 2 m instead of m q.
 *
 * Source: this project; the two sweeps of G. E. Blelloch 1989, "Scans as primitive parallel
 * operations", in p rotated trees. Rounds: 2 q, q = ceil(log2 p). Volume: less than 2 n (p - 1)
 * blocks sent per rank, of shares of n blocks each: 2 (p - 1)/p of the vector. Rank order is kept.
 * No state per rank.
 *
 * Rank r is node e = (o - r) mod p of share o's tree. A node that is a multiple of 2^k covers, on
 * level k, the nodes e .. e + 2^k - 1 below p: ranks up to r, in cyclic order. Where they pass rank
 * p - 1 and 0, values count only the part from 0 on, V.
 *   Up, k = 0 .. q - 1: odd multiples of 2^k send V to e - 2^k, which keeps it as T_k and combines
 *   it from the left. Rank p - 1 does not: no result needs what it would send.
 *   Down, k = q - 1 .. 0: a node sends E, what precedes the ranks that it covers on level k + 1, to
 *   e + 2^k. For the ranks that it covers on level k, this is then E T_k; or T_k, if e + 2^k covers
 *   rank 0; or nothing, if they begin with rank 0.
 *
 * The root's first E is its own V, since rank o + 1 follows rank o.
 *
 * A rank has p - 1 values T in all, and its share o has one for each child: so they are in slots of
 * TMP, named after the child. V is in the buffer of the contributions, E in the other one. Of an
 * exclusive scan E is the result; in an inclusive one it is combined into V. Rank 0 has no result
 * of an exclusive scan and keeps E where V was.
 *
 * p = 3, share 1 (e: rank 1, 0, 2 are 0, 1, 2): 0 -> 1 x0, kept as T_0, V = x0 x1; rank 2 does not
 * send. Then 1 -> 2 E = x0 x1, since rank 2 begins what the root covers; then rank 1's E is T_0. */
#include "schedules/patterns/row.h"

/* A rank as a node of one share's tree, on one level. */
struct node {
    const struct rb_plan *plan;
    int32_t rank, e, level;
};

static int32_t covered(const struct node *node, int32_t level)
{
    const int32_t length = (int32_t)1 << level, left = node->plan->p - node->e;
    return length < left ? length : left;
}

/* The first of the ranks that it covers on this level; not positive if they pass rank 0. */
static int32_t first_rank(const struct node *node, int32_t level)
{
    return node->rank - covered(node, level) + 1;
}

static bool is_inclusive(const struct rb_plan *plan)
{
    return plan->collective == &rb_scan;
}

static struct rb_range share_in(const struct node *node, enum rb_buffer buffer)
{
    const struct rb_plan *plan = node->plan;
    return (struct rb_range){buffer, 0, rb_after(plan, node->rank, node->e) * plan->n, plan->n};
}

static struct rb_range value_of(const struct node *node)
{
    return share_in(node, is_inclusive(node->plan) ? RB_DST : RB_SRC);
}

static struct rb_range earlier_of(const struct node *node)
{
    return share_in(node, is_inclusive(node->plan) || node->rank == 0 ? RB_SRC : RB_DST);
}

static struct rb_range kept_of(const struct node *node)
{
    struct rb_range range = share_in(node, RB_TMP);
    range.owner = node->e + ((int32_t)1 << node->level);
    return range;
}

static struct rb_op local(const struct node *node, enum rb_op_kind kind, struct rb_range at,
                          struct rb_range from, bool left)
{
    return (struct rb_op){
        .kind = kind, .peer = node->rank, .at = at, .from = from, .incoming_is_left = left};
}

/* Nodes first, first + 2^(level + 1), .. below `end` one after the other. */
struct walk {
    struct node node;
    int32_t end;
};

static struct walk children(const struct rb_plan *plan, int32_t rank, int32_t level)
{
    const int32_t length = (int32_t)1 << level;
    return (struct walk){{plan, rank, length - 2 * length, level}, plan->p};
}

static struct walk parents(const struct rb_plan *plan, int32_t rank, int32_t level)
{
    const int32_t length = (int32_t)1 << level;
    return (struct walk){{plan, rank, -2 * length, level}, plan->p - length};
}

static bool next_node(struct walk *walk)
{
    walk->node.e += (int32_t)2 << walk->node.level;
    return walk->node.e < walk->end;
}

static int32_t up(const struct rb_plan *plan, int32_t r, int32_t k, struct rb_op ops[])
{
    const int32_t length = (int32_t)1 << k, above = rb_after(plan, r, length),
                  below = rb_after(plan, r, plan->p - length);
    int32_t count = 0;
    if (r != plan->p - 1)
        for (struct walk walk = children(plan, r, k); next_node(&walk);)
            ops[count++] = (struct rb_op){RB_SEND, above, .at = value_of(&walk.node)};
    if (below != plan->p - 1)
        for (struct walk walk = parents(plan, r, k); next_node(&walk);)
            ops[count++] = (struct rb_op){RB_RECV, below, .at = kept_of(&walk.node)};
    if (r >= length)
        for (struct walk walk = parents(plan, r, k); next_node(&walk);)
            ops[count++] =
                local(&walk.node, RB_REDUCE, value_of(&walk.node), kept_of(&walk.node), true);
    const struct node root = {plan, r, 0, k};
    const bool begins = 2 * length >= plan->p && r != plan->p - 1;
    if (begins && earlier_of(&root).buffer != value_of(&root).buffer)
        ops[count++] = local(&root, RB_COPY, earlier_of(&root), value_of(&root), false);
    return count;
}

/* A node's E for the ranks that it covers on level k. False: it is not needed. */
static bool pass(const struct node *node, struct rb_op *op)
{
    const int32_t first = first_rank(node, node->level + 1), rest = first_rank(node, node->level);
    if (rest == 0 || (node->level == 0 && is_inclusive(node->plan)))
        return false;
    *op = local(node, first <= 0 && rest > 0 ? RB_COPY : RB_REDUCE, earlier_of(node), kept_of(node),
                false);
    return true;
}

static int32_t down(const struct rb_plan *plan, int32_t r, int32_t k, struct rb_op ops[])
{
    const int32_t length = (int32_t)1 << k, above = rb_after(plan, r, length),
                  below = rb_after(plan, r, plan->p - length);
    const bool inclusive = is_inclusive(plan);
    int32_t count = 0;
    for (struct walk walk = parents(plan, r, k); next_node(&walk);)
        if (first_rank(&walk.node, k + 1) != 0)
            ops[count++] = (struct rb_op){RB_SEND, below, .at = earlier_of(&walk.node)};
    for (struct walk walk = children(plan, r, k); next_node(&walk);) {
        const bool ends = inclusive && covered(&walk.node, k) == 1;
        if (first_rank(&walk.node, k) != 0)
            ops[count++] =
                (struct rb_op){ends ? RB_RECV_REDUCE : RB_RECV, above, .incoming_is_left = ends,
                               .at = ends ? value_of(&walk.node) : earlier_of(&walk.node)};
    }
    for (struct walk walk = children(plan, r, k); inclusive && next_node(&walk);)
        if (covered(&walk.node, k) > 1 && first_rank(&walk.node, k) > 0)
            ops[count++] =
                local(&walk.node, RB_REDUCE, value_of(&walk.node), earlier_of(&walk.node), true);
    for (struct walk walk = parents(plan, r, k); next_node(&walk);)
        count += pass(&walk.node, &ops[count]);
    return count;
}

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    plan->rounds = 2 * rb_ceil_log2(plan->p);
    plan->max_ops = 3 * (plan->p / 2) + 1;
    plan->slot_blocks = plan->n;
    plan->buffers |= 1u << RB_SRC | 1u << RB_TMP;
    const int status = rb_need_one_port(plan, why, why_size);
    return status != RB_OK ? status : rb_multiply_blocks(plan, plan->p, why, why_size);
}

static int32_t round_(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                      struct rb_op ops[])
{
    const int32_t q = (int32_t)(plan->rounds / 2);
    return t < q ? up(plan, state->rank, (int32_t)t, ops)
                 : down(plan, state->rank, (int32_t)(plan->rounds - 1 - t), ops);
}

static double cost(const struct rb_plan *plan, double bytes, double alpha_s, double beta_s_per_byte)
{
    return (double)plan->rounds * alpha_s + 2 * beta_s_per_byte * bytes * (plan->p - 1) / plan->p;
}

#define HALVING(collective_)                                                                       \
    RB_ROW(rb_##collective_##_halving, #collective_, "halving",                                    \
           "shares of the vector up and down a tree each", "this project", "2 ceil(log2 p)",       \
           .info.blocks = "blocks in each share, which travel together", .init = init,             \
           .round = round_, .next = rb_never_idle, .cost = cost, .ordered_for_root_0 = true)

HALVING(scan);
HALVING(exscan);
