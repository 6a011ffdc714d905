#include "halving.h"

/* A node of one share's tree, on one level. */
struct node {
    const struct rb_halving *of;
    int32_t e, level;
};

/* The node so far behind, cyclically. */
static int32_t behind(const struct rb_halving *halving, int32_t distance)
{
    const int32_t to_end = halving->nodes - halving->node;
    return distance < to_end ? halving->node + distance : distance - to_end;
}

static int32_t covered(const struct node *node, int32_t level)
{
    const int32_t length = (int32_t)1 << level, left = node->of->nodes - node->e;
    return length < left ? length : left;
}

/* The first node that it covers on this level; not positive if they pass node 0. */
static int32_t first_covered(const struct node *node, int32_t level)
{
    return node->of->node - covered(node, level) + 1;
}

static struct rb_range share_in(const struct node *node, struct rb_range range)
{
    const int64_t n = node->of->plan->n;
    range.first = node->of->before + behind(node->of, node->e) * n;
    range.count = n;
    return range;
}

static struct rb_range value_of(const struct node *node)
{
    return share_in(node, node->of->value);
}

static struct rb_range earlier_of(const struct node *node)
{
    return share_in(node, node->of->earlier);
}

static struct rb_range kept_of(const struct node *node)
{
    const int32_t first = node->of->first_kept;
    const int32_t slot = first < 0 ? node->e + ((int32_t)1 << node->level) : first + node->level;
    return share_in(node, (struct rb_range){.buffer = RB_TMP, .owner = slot});
}

static struct rb_op local(const struct node *node, enum rb_op_kind kind, struct rb_range at,
                          struct rb_range from, bool left)
{
    return (struct rb_op){
        .kind = kind, .peer = node->of->rank, .at = at, .from = from, .incoming_is_left = left};
}

/* Nodes first, first + 2^(level + 1), .. below `end` one after the other. */
struct walk {
    struct node node;
    int32_t end;
};

static struct walk children(const struct rb_halving *halving, int32_t level)
{
    const int32_t length = (int32_t)1 << level;
    return (struct walk){{halving, length - 2 * length, level}, halving->nodes};
}

static struct walk parents(const struct rb_halving *halving, int32_t level)
{
    const int32_t length = (int32_t)1 << level;
    return (struct walk){{halving, -2 * length, level}, halving->nodes - length};
}

static bool next_node(struct walk *walk)
{
    walk->node.e += (int32_t)2 << walk->node.level;
    return walk->node.e < walk->end;
}

int32_t rb_halving_up(const struct rb_halving *halving, int32_t k, struct rb_op ops[])
{
    const int32_t length = (int32_t)1 << k, last = halving->nodes - 1;
    const int32_t above = behind(halving, length), below = behind(halving, last + 1 - length);
    int32_t count = 0;
    if (halving->node != last)
        for (struct walk walk = children(halving, k); next_node(&walk);)
            ops[count++] = (struct rb_op){RB_SEND, above, .at = value_of(&walk.node)};
    if (below != last)
        for (struct walk walk = parents(halving, k); next_node(&walk);)
            ops[count++] = (struct rb_op){RB_RECV, below, .at = kept_of(&walk.node)};
    if (halving->node >= length)
        for (struct walk walk = parents(halving, k); next_node(&walk);)
            ops[count++] =
                local(&walk.node, RB_REDUCE, value_of(&walk.node), kept_of(&walk.node), true);
    const struct node root = {halving, 0, k};
    const bool begins = 2 * length > last && halving->node != last;
    if (begins && halving->earlier.buffer != halving->value.buffer)
        ops[count++] = local(&root, RB_COPY, earlier_of(&root), value_of(&root), false);
    return count;
}

/* A node's E for the ranks that it covers on level k. False: it is not needed. */
static bool pass(const struct node *node, struct rb_op *op)
{
    const int32_t first = first_covered(node, node->level + 1),
                  rest = first_covered(node, node->level);
    if (rest == 0 || (node->level == 0 && node->of->inclusive))
        return false;
    *op = local(node, first <= 0 && rest > 0 ? RB_COPY : RB_REDUCE, earlier_of(node), kept_of(node),
                false);
    return true;
}

int32_t rb_halving_down(const struct rb_halving *halving, int32_t k, struct rb_op ops[])
{
    const int32_t length = (int32_t)1 << k;
    const int32_t above = behind(halving, length), below = behind(halving, halving->nodes - length);
    const bool inclusive = halving->inclusive;
    int32_t count = 0;
    for (struct walk walk = parents(halving, k); next_node(&walk);)
        if (first_covered(&walk.node, k + 1) != 0)
            ops[count++] = (struct rb_op){RB_SEND, below, .at = earlier_of(&walk.node)};
    for (struct walk walk = children(halving, k); next_node(&walk);) {
        const bool ends = inclusive && covered(&walk.node, k) == 1;
        if (first_covered(&walk.node, k) != 0)
            ops[count++] =
                (struct rb_op){ends ? RB_RECV_REDUCE : RB_RECV, above, .incoming_is_left = ends,
                               .at = ends ? value_of(&walk.node) : earlier_of(&walk.node)};
    }
    for (struct walk walk = children(halving, k); inclusive && next_node(&walk);)
        if (covered(&walk.node, k) > 1 && first_covered(&walk.node, k) > 0)
            ops[count++] =
                local(&walk.node, RB_REDUCE, value_of(&walk.node), earlier_of(&walk.node), true);
    for (struct walk walk = parents(halving, k); next_node(&walk);)
        count += pass(&walk.node, &ops[count]);
    return count;
}
