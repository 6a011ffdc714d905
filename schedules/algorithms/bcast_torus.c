/* bcast_torus.c - pipelined broadcast on a torus of any dimensions, by messages to neighbours
 * alone: in a round every rank sends at most one block and receives one, and each link has one
 * message in d rounds.
 *
 * Source: this project; docs/textbook.md, "Broadcast on a torus", where it is proved. The sides are
 * A_0, .., A_(d-1), all above 1, from the sizes of the groups: places of a row are consecutive,
 * then rows of a plane, and so on. A node is its coordinates relative to the root. There are d
 * trees; the root sends block u in round u along axis u mod d, into tree u mod d. All messages go
 * up one axis by 1, mod its side. In tree i a node gets its blocks
 *
 *   along axis i  if its coordinate i is 0: from the last node of its line;
 *   along the last of the axes i, i + 1, .. (mod d) in which its coordinate is not 0, otherwise.
 *
 * So a message along axis a from v is of tree a if v is at the end of axis a, and else of the first
 * tree behind a, mod d, in whose axis v is not 0: of one tree for each link. Let g be the greatest
 * common divisor of the sides, s the sum of v's coordinates and F(s) = s + (-g mod d) floor(s/g). v
 * sends along axis a in rounds t = F(s) + a mod d: block t - F(s) - l, if there is one; l is d at
 * the end of the axis, otherwise the number of axes from the tree's to a.
 *
 * Rounds: n + d + F(A_0 + .. + A_(d-1) - d), which is n - 1 + S + 2 d for S steps to the farthest
 * node if d divides g; n + A_0 - 2 for d = 1. Volume: n (p - 1) blocks. State per rank: its
 * coordinates. O(d) per round, nothing prepared.
 *
 * 2 x 2, n = 2, ranks x + 2 y, root 0: t = 0: 0 -> 1 block 0. t = 1: 0 -> 2 block 1. t = 2: 1 -> 3
 * block 0. t = 3: 2 -> 3 block 1. t = 4: 3 -> 2 block 0. t = 5: 3 -> 1 block 1. */
#include <stdlib.h>
#include <string.h>

#include "schedules/plan/plan.h"

enum { MOST_AXES = 16 };

struct torus {
    int32_t d;
    int32_t extent[MOST_AXES], stride[MOST_AXES];
    int32_t root[MOST_AXES]; /* its coordinates */
    int32_t period, pause;   /* g, and -g mod d */
};

struct node {
    int32_t at[MOST_AXES]; /* from the root */
    int32_t sum;
};

static const struct torus *torus_of(const struct rb_plan *plan)
{
    return plan->data.own;
}

/* F(s) */
static int64_t start_of(const struct torus *torus, int32_t sum)
{
    return sum + (int64_t)torus->pause * (sum / torus->period);
}

/* One axis more; false: lines of `size` don't have whole ones of the axis before. */
static bool add_axis(struct torus *torus, int32_t p, int32_t size)
{
    const int32_t last = torus->d - 1;
    const int32_t before = last < 0 ? 1 : torus->stride[last] * torus->extent[last];
    if (size == before)
        return true;
    if (size == 0 || size % before != 0 || p % size != 0 || torus->d == MOST_AXES)
        return false;
    torus->stride[torus->d] = before;
    torus->extent[torus->d++] = size / before;
    torus->period = (int32_t)rb_common_divisor(torus->period, size / before);
    return true;
}

static bool find_axes(const struct rb_plan *plan, struct torus *torus)
{
    bool whole = true;
    for (const struct rb_groups *at = &plan->groups; at != NULL && whole; at = at->above)
        whole = add_axis(torus, plan->p, at->size);
    return whole && add_axis(torus, plan->p, plan->p);
}

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    int status = rb_need_one_port(plan, why, why_size);
    if (status != RB_OK)
        return status;
    struct torus *torus = plan->data.own = calloc(1, sizeof *torus);
    if (torus == NULL)
        return rb_why(why, why_size, RB_ENOMEM, "out of memory for the torus");
    if (!find_axes(plan, torus)) {
        free(torus);
        return rb_why(why, why_size, RB_ENOTSUP,
                      "torus: groups must be of one size, and make whole larger ones");
    }
    const int32_t place = rb_groups_place(&plan->groups, plan->root), d = torus->d;
    int32_t last = 0; /* the farthest node's sum */
    for (int32_t axis = 0; axis < d; axis++) {
        torus->root[axis] = place / torus->stride[axis] % torus->extent[axis];
        last += torus->extent[axis] - 1;
    }
    torus->pause = d == 0 ? 0 : (d - torus->period % d) % d;
    plan->max_ops = 2;
    plan->rounds = d == 0 ? 0 : d == 1 ? plan->n - 1 + last : plan->n + d + start_of(torus, last);
    return RB_OK;
}

static void fini(struct rb_plan *plan)
{
    free(plan->data.own);
}

static void find_node(const struct rb_plan *plan, struct rb_rank *state)
{
    const struct torus *torus = torus_of(plan);
    const int32_t place = rb_groups_place(&plan->groups, state->rank);
    struct node node = {.sum = 0};
    for (int32_t axis = 0; axis < torus->d; axis++) {
        const int32_t extent = torus->extent[axis];
        const int32_t from_root = place / torus->stride[axis] % extent - torus->root[axis];
        node.at[axis] = from_root < 0 ? from_root + extent : from_root;
        node.sum += node.at[axis];
    }
    _Static_assert(sizeof node <= sizeof state->state, "the node fits");
    memcpy(&state->state, &node, sizeof node);
}

/* Moves along an axis, forwards or backwards. */
static void move(const struct torus *torus, struct node *node, int32_t axis, bool forwards)
{
    const int32_t extent = torus->extent[axis], before = node->at[axis];
    node->at[axis] = (before + (forwards ? 1 : extent - 1)) % extent;
    node->sum += node->at[axis] - before;
}

/* The axis along which a node of this sum sends in a round. */
static int32_t axis_of(const struct torus *torus, int32_t sum, int64_t t)
{
    const int32_t axis = (int32_t)((t - start_of(torus, sum)) % torus->d);
    return axis < 0 ? axis + torus->d : axis;
}

/* The round in which a node would send block 0 along an axis, if that were one for this axis: it
 * sends block i in the i-th behind it. -1: it never sends. */
static int64_t first_along(const struct rb_plan *plan, const struct node *node, int32_t axis)
{
    const struct torus *torus = torus_of(plan);
    const bool ends = node->at[axis] == torus->extent[axis] - 1;
    int32_t behind = 1; /* axes from this one to the tree's */
    while (behind < torus->d && node->at[(axis + behind) % torus->d] == 0)
        behind++;
    return ends && behind == torus->d /* to the root */
               ? -1
               : start_of(torus, node->sum) + torus->d - (ends ? 0 : behind);
}

/* The block that a node sends along an axis in round t, which is one for this axis; -1: none. */
static int64_t block_of(const struct rb_plan *plan, const struct node *node, int32_t axis,
                        int64_t t)
{
    const int64_t first = first_along(plan, node, axis);
    return first >= 0 && t >= first && t - first < plan->n ? t - first : -1;
}

/* The first round from t on in which a node sends along an axis; -1: none. */
static int64_t next_along(const struct rb_plan *plan, const struct node *node, int32_t axis,
                          int64_t t)
{
    const struct torus *torus = torus_of(plan);
    const int64_t first = first_along(plan, node, axis), from = t > first ? t : first;
    const int64_t next = from + (axis + torus->d - axis_of(torus, node->sum, from)) % torus->d;
    return first >= 0 && next - first < plan->n ? next : -1;
}

static int32_t rank_of(const struct rb_plan *plan, const struct node *node)
{
    const struct torus *torus = torus_of(plan);
    int32_t place = 0;
    for (int32_t axis = 0; axis < torus->d; axis++)
        place += (node->at[axis] + torus->root[axis]) % torus->extent[axis] * torus->stride[axis];
    return rb_groups_rank(&plan->groups, place);
}

static int32_t round_(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                      struct rb_op ops[])
{
    const struct torus *torus = torus_of(plan);
    struct node own, peer;
    int32_t count = 0;
    memcpy(&own, &state->state, sizeof own);
    for (int32_t sends = 1; sends >= 0; sends--) {
        const int32_t axis = axis_of(torus, own.sum + (sends ? 0 : torus->period - 1), t);
        peer = own;
        move(torus, &peer, axis, sends);
        const int64_t block = block_of(plan, sends ? &own : &peer, axis, t);
        if (block < 0)
            continue;
        ops[count] = rb_root_op(plan, sends ? RB_SEND : RB_RECV, 0, block, 1);
        ops[count++].peer = rank_of(plan, &peer);
    }
    return count;
}

static int64_t next(const struct rb_plan *plan, const struct rb_rank *state, int64_t t)
{
    const struct torus *torus = torus_of(plan);
    int64_t next = plan->rounds;
    struct node own;
    memcpy(&own, &state->state, sizeof own);
    for (int32_t i = 0; i < 2 * torus->d; i++) {
        const int32_t axis = i / 2;
        struct node peer = own;
        move(torus, &peer, axis, i % 2 == 0);
        const int64_t found = next_along(plan, i % 2 == 0 ? &own : &peer, axis, t);
        next = found >= 0 && found < next ? found : next;
    }
    return next;
}

static void pipeline(const struct rb_plan *plan, int64_t *per_block, int64_t *fixed)
{
    *per_block = 1;
    *fixed = plan->rounds - plan->n;
}

RB_ROW(rb_bcast_torus, "bcast", "torus", "pipeline to neighbours on a torus, d trees in turn",
       "docs/textbook.md", "at most n + 2 (N + K - 1)", RB_PIPELINED(""), .info.groups = true,
       .info.places = true, .init = init, .fini = fini, .rank = find_node, .round = round_,
       .next = next, .pipeline = pipeline);
