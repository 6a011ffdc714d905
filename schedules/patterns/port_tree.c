#include "port_tree.h"

#include <stdlib.h>

/* A node's first place and the place after its last one. */
struct span {
    int32_t first, end;
};
static struct span span_of(const struct rb_port_tree *tree, int32_t depth, int32_t node)
{
    if (depth == 0)
        return (struct span){0, tree->p};
    if (depth > tree->levels)
        return (struct span){node, node + 1};
    const struct rb_groups *groups = tree->level[depth - 1];
    return (struct span){rb_group_first(groups, node), rb_group_first(groups, node + 1)};
}

int32_t rb_port_node(const struct rb_port_tree *tree, int32_t depth, int32_t place)
{
    return depth == 0             ? 0
           : depth > tree->levels ? place
                                  : rb_group_of(tree->level[depth - 1], place);
}

/* The children of a node: k of them from `first` on, of which the number 0 has the root, if any has
 * it. */
struct children {
    int32_t first, k, root;
};
static struct children children_of(const struct rb_port_root *root, int32_t depth, int32_t node)
{
    const struct rb_port_tree *tree = root->tree;
    const struct span span = span_of(tree, depth, node);
    struct children children = {.first = rb_port_node(tree, depth + 1, span.first)};
    children.k = rb_port_node(tree, depth + 1, span.end - 1) + 1 - children.first;
    if (root->place >= span.first && root->place < span.end)
        children.root = rb_port_node(tree, depth + 1, root->place) - children.first;
    return children;
}

static int32_t child_at(const struct children *children, int32_t number)
{
    const int32_t to_end = children->k - children->root;
    return children->first + (number < to_end ? number + children->root : number - to_end);
}

static int32_t number_of(const struct children *children, int32_t child)
{
    const int32_t number = child - children->first - children->root;
    return number < 0 ? number + children->k : number;
}

/* ---- Shapes ---------------------------------------------------------------------------------- */

/* True if the children of a node below a depth are alike, but for its last one. */
static bool is_even(const struct rb_port_tree *tree, int32_t depth)
{
    for (int32_t i = depth; i < tree->levels; i++)
        if (tree->level[i]->size == 0)
            return false;
    return true;
}

static int refuse(bool too_long, char *why, size_t why_size)
{
    return too_long ? rb_why(why, why_size, RB_ENOTSUP,
                             "the sizes of these groups differ so much that their turns "
                             "come again only after a million rounds")
                    : rb_why(why, why_size, RB_ENOMEM, "out of memory for the groups' turns");
}

/* Makes the shapes of all ways through a node. */
static int add_shapes(const struct rb_port_root *root, struct rb_shape *shape, int32_t depth,
                      int32_t node, int32_t *height, char *why, size_t why_size)
{
    bool too_long = false;
    if (depth > root->tree->levels) {
        if (shape->cube >= 0 && shape->before + shape->d > *height)
            *height = shape->before + shape->d;
        return RB_OK;
    }
    const struct children children = children_of(root, depth, node);
    if (children.k == 1)
        return add_shapes(root, shape, depth + 1, children.first, height, why, why_size);
    const struct rb_split split = rb_split(children.k);
    struct rb_shape *cube = rb_shape_below(shape, split.d, &too_long), *pair = cube;
    if (cube != NULL && split.pairs > 0)
        pair = rb_shape_below(cube, 1, &too_long);
    if (cube == NULL || pair == NULL)
        return refuse(too_long, why, why_size);
    /* Of children that are alike, two of the pairs and two others; and the last one. */
    const int32_t some[] = {0,
                            1,
                            split.pairs,
                            split.pairs + 1,
                            1 << split.d,
                            (1 << split.d) + 1,
                            number_of(&children, children.first + children.k - 1)};
    const int32_t many = sizeof some / sizeof some[0];
    const bool few = children.k > many && is_even(root->tree, depth);
    int status = RB_OK;
    for (int32_t i = 0; i < (few ? many : children.k) && status == RB_OK; i++) {
        const int32_t number = few ? some[i] : i;
        if (number < children.k)
            status = add_shapes(root, number >> split.d > 0 || number < split.pairs ? pair : cube,
                                depth + 1, child_at(&children, number), height, why, why_size);
    }
    return status;
}

/* ---- Ways ------------------------------------------------------------------------------------ */

/* Enters a child, by its number. */
static void enter(struct rb_way *way, int32_t k, int32_t number)
{
    const struct rb_split split = rb_split(k);
    const int32_t in_cube = number & ((INT32_C(1) << split.d) - 1);
    rb_way_enter(way, split.d, in_cube);
    if (in_cube < split.pairs)
        rb_way_enter(way, 1, number >> split.d);
}

struct rb_way rb_port_way(const struct rb_port_root *root, int32_t place)
{
    const struct rb_port_tree *tree = root->tree;
    struct rb_way way = {.shape = &tree->top};
    for (int32_t depth = root->depth; depth <= tree->levels; depth++) {
        const struct children children = children_of(root, depth, rb_port_node(tree, depth, place));
        if (children.k > 1)
            enter(&way, children.k, number_of(&children, rb_port_node(tree, depth + 1, place)));
    }
    return way;
}

int32_t rb_port_peer(const struct rb_port_root *root, int32_t place, const struct rb_way *own,
                     const struct rb_turn *turn, bool gate, int64_t u)
{
    const struct rb_port_tree *tree = root->tree;
    struct rb_way way = {.shape = &tree->top};
    int32_t depth = root->depth, node = rb_port_node(tree, depth, place);
    for (; depth <= tree->levels; depth++) {
        const struct children children = children_of(root, depth, node);
        if (children.k == 1) {
            node = children.first;
            continue;
        }
        const struct rb_split split = rb_split(children.k);
        const int32_t cube = way.shape->cube + 1;
        int32_t number;
        if (cube > turn->cube) {
            number = rb_way_choose(&way, children.k, gate, u);
        } else if (cube == turn->cube) {
            rb_way_enter(&way, split.d, number = turn->number);
            if (number < split.pairs)
                number += rb_way_choose(&way, 2, gate, u) << split.d;
        } else {
            number = number_of(&children, rb_port_node(tree, depth + 1, place));
            const bool in_pair = (number & ((1 << split.d) - 1)) < split.pairs;
            if (in_pair && cube + 1 == turn->cube)
                number = own->number[cube] + (turn->number << split.d);
            enter(&way, children.k, number);
        }
        node = child_at(&children, number);
    }
    return node;
}

/* ---- The tree -------------------------------------------------------------------------------- */

/* True if groups have a port that neither all ranks share nor each has for itself. */
static bool is_shared(const struct rb_groups *groups)
{
    return groups->count > 1 && groups->count < groups->ranks;
}

void rb_port_tree_init(struct rb_port_tree *tree, const struct rb_plan *plan)
{
    *tree = (struct rb_port_tree){.top.cube = -1, .p = plan->p};
    for (const struct rb_groups *at = &plan->groups; at != NULL; at = at->above)
        tree->levels += is_shared(at);
    int32_t level = tree->levels;
    for (const struct rb_groups *at = &plan->groups; at != NULL; at = at->above)
        if (is_shared(at))
            tree->level[--level] = at;
}

int rb_port_tree_add(const struct rb_port_root *root, int32_t *height, char *why, size_t why_size)
{
    return add_shapes(root, &root->tree->top, root->depth,
                      rb_port_node(root->tree, root->depth, root->place), height, why, why_size);
}
