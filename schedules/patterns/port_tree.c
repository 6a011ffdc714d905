#include "port_tree.h"

#include <stdlib.h>

enum { MOST_PERIOD = 1 << 20 };

static uint32_t rotate(uint32_t word, int32_t left, int32_t d)
{
    const uint32_t all = (UINT32_C(1) << d) - 1;
    return left == 0 ? word : ((word << left) | (word >> (d - left))) & all;
}

static uint32_t top_bit(int32_t d)
{
    return UINT32_C(1) << (d - 1);
}

/* ---- Shapes ---------------------------------------------------------------------------------- */

/* Registers of the shape's cubes, one round later. */
static void step(const int32_t d[], int32_t cubes, uint32_t reg[])
{
    uint32_t left_above = 0;
    for (int32_t i = 0; i < cubes; i++) {
        const uint32_t left = reg[i] >> (d[i] - 1);
        reg[i] = ((reg[i] ^ left << (d[i] - 1)) << 1) | (left ^ left_above);
        left_above = left;
    }
}

static void find_responses(struct rb_shape *shape)
{
    int32_t d[RB_MOST_CUBES];
    for (const struct rb_shape *at = shape; at->cube >= 0; at = at->above)
        d[at->cube] = at->d;
    for (int32_t i = 0; i < shape->cube; i++) {
        uint32_t reg[RB_MOST_CUBES] = {0};
        reg[i] = top_bit(d[i]);
        for (int32_t t = 0; t < shape->period; t++) {
            shape->response[(int64_t)i * shape->period + t] = reg[shape->cube];
            step(d, shape->cube + 1, reg);
        }
    }
}

struct rb_shape *rb_shape_below(struct rb_shape *above, int32_t d, bool *too_long)
{
    if (above->below[d] != NULL)
        return above->below[d];
    const int32_t cube = above->cube + 1;
    int64_t multiple = d;
    for (const struct rb_shape *at = above; at->cube >= 0; at = at->above)
        multiple = multiple / rb_common_divisor(multiple, at->d) * at->d;
    const int64_t period = multiple << rb_ceil_log2(cube + 1);
    *too_long = cube >= RB_MOST_CUBES || period > MOST_PERIOD;
    struct rb_shape *shape = *too_long ? NULL : calloc(1, sizeof *shape);
    if (shape == NULL)
        return NULL;
    *shape = (struct rb_shape){.above = above,
                               .cube = cube,
                               .d = d,
                               .before = above->before + above->d,
                               .period = (int32_t)period};
    if (cube > 0) {
        shape->response = malloc((size_t)cube * (size_t)period * sizeof *shape->response);
        if (shape->response == NULL) {
            free(shape);
            return NULL;
        }
        find_responses(shape);
    }
    return above->below[d] = shape;
}

void rb_shapes_free(struct rb_shape *top)
{
    for (size_t d = 0; d < sizeof top->below / sizeof top->below[0]; d++)
        if (top->below[d] != NULL) {
            rb_shapes_free(top->below[d]);
            free(top->below[d]->response);
            free(top->below[d]);
            top->below[d] = NULL;
        }
}

/* ---- Roles ----------------------------------------------------------------------------------- */

/* The role in the shape's cube before round u. */
static uint32_t role(const struct rb_shape *shape, const int32_t number[], int64_t u)
{
    const int32_t d = shape->d, period = shape->period;
    uint32_t y = rotate((uint32_t)number[shape->cube], (int32_t)(u % d), d);
    for (const struct rb_shape *at = shape->above; at->cube >= 0; at = at->above) {
        const uint32_t *response = shape->response + (int64_t)at->cube * period;
        const int32_t first = (int32_t)((u + period + 1 - at->d) % period);
        for (uint32_t rest = (uint32_t)number[at->cube]; rest != 0; rest &= rest - 1) {
            const int32_t t = first + __builtin_ctz(rest);
            y ^= response[t < period ? t : t - period];
        }
    }
    return y;
}

/* The number in a cube, which is entered, that has a role in round u. */
static int32_t choose(struct rb_way *way, int32_t d, bool gate, int64_t u)
{
    rb_way_enter(way, d, 0);
    const uint32_t turned = (gate ? 0 : top_bit(d)) ^ role(way->shape, way->number, u);
    const int32_t number = (int32_t)rotate(turned, (int32_t)((d - u % d) % d), d);
    way->number[way->shape->cube] = number;
    return number;
}

int32_t rb_way_choose(struct rb_way *way, int32_t k, bool gate, int64_t u)
{
    const struct rb_split split = rb_split(k);
    const int32_t number = choose(way, split.d, gate, u);
    return number < split.pairs ? number + (choose(way, 1, gate, u) << split.d) : number;
}

/* ---- Rounds ---------------------------------------------------------------------------------- */

/* The last round in which the cube takes in or sends out anything. */
static int64_t last_in(const struct rb_shape *shape, int64_t n)
{
    return n - 2 + shape->before;
}

/* What a node of this role sends; -1: nothing. */
static int64_t block_of(const struct rb_shape *shape, uint32_t y, int64_t n, int64_t u)
{
    if (y == 0)
        return rb_smaller(u, n - 1);
    const int64_t block = u - 1 - (31 - __builtin_clz(y)) - shape->before;
    return block < 0 ? -1 : rb_smaller(block, n - 1);
}

/* The message of the way's node, or if that leaves its cube, or enters it, of the node that the
 * cube is, and so on up. */
static struct rb_turn find_turn(const struct rb_way *way, bool sends, int64_t n, int64_t u)
{
    const struct rb_shape *shape = way->shape;
    if (u > last_in(shape, n) + shape->d)
        return (struct rb_turn){.block = -1};
    uint32_t y = role(shape, way->number, u);
    while (y == (sends ? 0 : top_bit(shape->d)) && shape->cube > 0 && u <= last_in(shape, n)) {
        shape = shape->above;
        y = role(shape, way->number, u);
    }
    const int32_t d = shape->d;
    return (struct rb_turn){.block = block_of(shape, sends ? y : y ^ top_bit(d), n, u),
                            .cube = shape->cube,
                            .number = way->number[shape->cube] ^ 1 << (d - 1 - (int32_t)(u % d))};
}

struct rb_turn rb_way_sends(const struct rb_way *way, int64_t n, int64_t u)
{
    return find_turn(way, true, n, u);
}

struct rb_turn rb_way_receives(const struct rb_way *way, int64_t n, int64_t u)
{
    return find_turn(way, false, n, u);
}

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

/* The first of a node's children; of the node behind the last one, the end of all. */
static int32_t first_child(const struct rb_port_tree *tree, int32_t depth, int32_t node)
{
    if (depth == tree->levels)
        return depth == 0 ? node * tree->p : rb_group_first(tree->level[depth - 1], node);
    return depth == 0 ? node * tree->level[0]->count : tree->child[depth - 1][node];
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
    struct children children = {.first = first_child(tree, depth, node)};
    children.k = first_child(tree, depth, node + 1) - children.first;
    if (root->place > span.first && root->place < span.end) /* else it is in the first one */
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

/* ---- Nodes and their cubes ------------------------------------------------------------------- */

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
            number = own->number[cube];
            if (number < split.pairs)
                number += (cube + 1 == turn->cube ? turn->number : own->number[cube + 1])
                          << split.d;
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

static bool find_children(struct rb_port_tree *tree, int32_t level)
{
    const struct rb_groups *groups = tree->level[level];
    int32_t *child = tree->child[level] = malloc(((size_t)groups->count + 1) * sizeof *child);
    if (child == NULL)
        return false;
    for (int32_t group = 0; group < groups->count; group++)
        child[group] = rb_group_of(tree->level[level + 1], rb_group_first(groups, group));
    child[groups->count] = tree->level[level + 1]->count;
    return true;
}

int rb_port_tree_init(struct rb_port_tree *tree, const struct rb_plan *plan, char *why,
                      size_t why_size)
{
    *tree = (struct rb_port_tree){.top.cube = -1, .p = plan->p};
    for (const struct rb_groups *at = &plan->groups; at != NULL; at = at->above)
        tree->levels += is_shared(at);
    int32_t level = tree->levels;
    for (const struct rb_groups *at = &plan->groups; at != NULL; at = at->above)
        if (is_shared(at))
            tree->level[--level] = at;
    for (int32_t i = 0; i + 1 < tree->levels; i++)
        if (!find_children(tree, i))
            return rb_why(why, why_size, RB_ENOMEM, "out of memory for the tree of ports");
    return RB_OK;
}

void rb_port_tree_free(struct rb_port_tree *tree)
{
    rb_shapes_free(&tree->top);
    for (int32_t i = 0; i < tree->levels; i++)
        free(tree->child[i]);
}

int rb_port_tree_add(const struct rb_port_root *root, int32_t *height, char *why, size_t why_size)
{
    return add_shapes(root, &root->tree->top, root->depth,
                      rb_port_node(root->tree, root->depth, root->place), height, why, why_size);
}
