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
 * Where p is no whole number of groups, the torus is followed by boxes: whole planes are a torus,
 * then the whole rows of the last plane, then the ranks of the last row. Nobody sends to the root,
 * though it could take in each block once more, in a round of its own: those who would send it send
 * it to the next box's root instead, who begins when it has all in time. The planes, or rows, that
 * are too many for a multiple of some number come in a box before it, if g is larger so and fewer
 * rounds are needed.
 *
 * 2 x 2, n = 2, ranks x + 2 y, root 0: t = 0: 0 -> 1 block 0. t = 1: 0 -> 2 block 1. t = 2: 1 -> 3
 * block 0. t = 3: 2 -> 3 block 1. t = 4: 3 -> 2 block 0. t = 5: 3 -> 1 block 1. */
#include <stdlib.h>
#include <string.h>

#include "schedules/plan/plan.h"

enum { MOST_AXES = 16, MOST_BOXES = 2 * MOST_AXES, MOST_MULTIPLE = 16, FAR_ROUNDS = 4 };

/* A torus of d >= 1 axes, all above 1 but that of a rank alone. */
struct box {
    int32_t from, d; /* its first place */
    int32_t extent[MOST_AXES], stride[MOST_AXES];
    int32_t root[MOST_AXES]; /* the coordinates of its root */
    int32_t period, pause;   /* g, and -g mod d */
    int64_t start;           /* the round in which its root sends block 0 */
};

struct torus {
    int32_t levels, size[MOST_AXES + 1]; /* of groups, from 1 up, and of all */
    int32_t boxes;                       /* the plan's root is that of the first one */
    struct box box[MOST_BOXES];
};

struct node {
    int32_t box;
    int32_t at[MOST_AXES]; /* from the box's root */
    int32_t sum;
};

static const struct torus *torus_of(const struct rb_plan *plan)
{
    return plan->data.own;
}

/* F(s) */
static int64_t start_of(const struct box *box, int32_t sum)
{
    return sum + (int64_t)box->pause * (sum / box->period);
}

static bool find_sizes(const struct rb_plan *plan, struct torus *torus)
{
    torus->size[torus->levels++] = 1;
    for (const struct rb_groups *at = &plan->groups; at != NULL && at->size < plan->p;
         at = at->above) {
        const int32_t before = torus->size[torus->levels - 1];
        if (at->size == before)
            continue;
        if (at->size == 0 || at->size % before != 0 || torus->levels == MOST_AXES)
            return false;
        torus->size[torus->levels++] = at->size;
    }
    torus->size[torus->levels] = plan->p;
    return true;
}

/* One axis more, unless it has one node. */
static void add_axis(struct box *box, int32_t stride, int32_t extent, int32_t root)
{
    if (extent == 1)
        return;
    box->stride[box->d] = stride;
    box->extent[box->d] = extent;
    box->root[box->d++] = root / stride % extent;
    box->period = (int32_t)rb_common_divisor(box->period, extent);
}

/* The box of whole groups of a level in places from .. end - 1, behind the others. Its root is as
 * near to theirs as it can be: to `place`, which becomes its own. */
static void add_box(struct torus *torus, int32_t level, int32_t from, int32_t end, int32_t *place)
{
    struct box *box = &torus->box[torus->boxes++];
    const int32_t size = torus->size[level], first = torus->size[level + 1];
    const int32_t least = from % first / size, most = least + (end - from) / size - 1;
    const int32_t near = *place % first / size;
    const int32_t count = near < least ? 0 : near > most ? most - least : near - least;
    const int32_t root = *place % size + count * size;
    *box = (struct box){.from = from};
    for (int32_t i = 0; i < level; i++)
        add_axis(box, torus->size[i], torus->size[i + 1] / torus->size[i], root);
    add_axis(box, size, (end - from) / size, root);
    if (box->d == 0) { /* a rank alone is a line of one */
        box->stride[0] = box->extent[0] = box->period = 1;
        box->d = 1;
    }
    box->pause = (box->d - box->period % box->d) % box->d;
    *place = from + root;
}

/* Adds the box that has, or those that don't have, the place of the plan's root. */
static void add_boxes(struct torus *torus, int32_t multiple, int32_t root, bool has, int32_t *place)
{
    const int32_t p = torus->size[torus->levels];
    int32_t from = 0;
    for (int32_t level = torus->levels - 1; level >= 0; level--)
        for (int32_t part = 0; part < 2; part++) {
            const int32_t size = torus->size[level], count = (p - from) / size;
            const int32_t rest = count < multiple || part == 1 ? 0 : count % multiple;
            const int32_t end = from + (rest > 0 ? rest : count) * size;
            if (from < end && (from <= root && root < end) == has)
                add_box(torus, level, from, end, place);
            from = end;
        }
}

/* Of sums of coordinates the largest, and the largest on an axis. */
static int32_t last_sum(const struct box *box, int32_t *longest)
{
    int32_t last = *longest = 0;
    for (int32_t axis = 0; axis < box->d; axis++) {
        last += box->extent[axis] - 1;
        *longest = box->extent[axis] > *longest + 1 ? box->extent[axis] - 1 : *longest;
    }
    return last;
}

/* Returns the rounds. A box's root has a block from the one before when it sends it. */
static int64_t time_boxes(struct torus *torus, int64_t n)
{
    int64_t start = 0, rounds = 0;
    for (int32_t i = 0; i < torus->boxes; i++) {
        struct box *box = &torus->box[i];
        int32_t longest;
        const int32_t last = last_sum(box, &longest);
        const int64_t end = start + n + (box->d == 1 ? last - 1 : box->d + start_of(box, last));
        box->start = start;
        rounds = end > rounds ? end : rounds;
        start += start_of(box, longest) + box->d + 1;
    }
    return rounds;
}

/* What a level has too many for such a multiple is a box of its own. Returns a cost: rounds, and
 * some for each box, whose root is far from those that send to it. */
static int64_t lay_boxes(const struct rb_plan *plan, struct torus *torus, int32_t multiple)
{
    const int32_t root = rb_groups_place(&plan->groups, plan->root);
    int32_t place = root;
    torus->boxes = 0;
    add_boxes(torus, multiple, root, true, &place);
    add_boxes(torus, multiple, root, false, &place);
    return time_boxes(torus, plan->n) + FAR_ROUNDS * torus->boxes;
}

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    int status = rb_need_one_port(plan, why, why_size);
    if (status != RB_OK)
        return status;
    struct torus *torus = plan->data.own = calloc(1, sizeof *torus);
    if (torus == NULL)
        return rb_why(why, why_size, RB_ENOMEM, "out of memory for the torus");
    if (!find_sizes(plan, torus)) {
        free(torus);
        return rb_why(why, why_size, RB_ENOTSUP,
                      "torus: groups must be of one size, and make whole larger ones");
    }
    int32_t best = 1;
    for (int32_t multiple = 2; multiple <= MOST_MULTIPLE; multiple++)
        if (lay_boxes(plan, torus, multiple) < lay_boxes(plan, torus, best))
            best = multiple;
    plan->max_ops = 2;
    lay_boxes(plan, torus, best);
    plan->rounds = plan->p == 1 ? 0 : time_boxes(torus, plan->n);
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
    struct node node = {0};
    for (int32_t i = 1; i < torus->boxes; i++)
        if (torus->box[i].from <= place &&
            (torus->box[node.box].from > place || torus->box[i].from > torus->box[node.box].from))
            node.box = i;
    const struct box *box = &torus->box[node.box];
    for (int32_t axis = 0; axis < box->d; axis++) {
        const int32_t extent = box->extent[axis];
        const int32_t from_root =
            (place - box->from) / box->stride[axis] % extent - box->root[axis];
        node.at[axis] = from_root < 0 ? from_root + extent : from_root;
        node.sum += node.at[axis];
    }
    _Static_assert(sizeof node <= sizeof state->state, "the node fits");
    memcpy(&state->state, &node, sizeof node);
}

/* Moves along an axis, forwards or backwards. */
static void move(const struct box *box, struct node *node, int32_t axis, bool forwards)
{
    const int32_t extent = box->extent[axis], before = node->at[axis];
    node->at[axis] = (before + (forwards ? 1 : extent - 1)) % extent;
    node->sum += node->at[axis] - before;
}

/* The axis along which a node of this sum sends in a round of the box. */
static int32_t axis_of(const struct box *box, int32_t sum, int64_t t)
{
    const int32_t axis = (int32_t)((t - start_of(box, sum)) % box->d);
    return axis < 0 ? axis + box->d : axis;
}

/* The round of the box in which a node would send block 0 along an axis, if that were one for this
 * axis: it sends block i in the i-th behind it. */
static int64_t first_along(const struct box *box, const struct node *node, int32_t axis)
{
    const bool ends = node->at[axis] == box->extent[axis] - 1;
    int32_t behind = 1; /* axes from this one to the tree's */
    while (behind < box->d && node->at[(axis + behind) % box->d] == 0)
        behind++;
    return start_of(box, node->sum) + box->d - (ends ? 0 : behind);
}

/* A message in its box: what would go to its root goes to the next one's, if there is one. */
struct way {
    const struct box *box;
    struct node from, peer;
};

/* What a rank sends or receives along an axis, which is found for round t if it is negative; false:
 * nothing. */
static bool find_way(const struct torus *torus, const struct rb_rank *state, bool sends,
                     int32_t *axis, int64_t t, struct way *way)
{
    struct node own;
    memcpy(&own, &state->state, sizeof own);
    if (!sends && own.sum == 0 && own.box-- == 0) /* a root takes in what the one before would */
        return false;
    const struct box *box = way->box = &torus->box[own.box];
    way->peer = own;
    if (*axis < 0)
        *axis = axis_of(box, own.sum + (sends ? 0 : box->period - 1), t - box->start);
    if (*axis >= box->d)
        return false;
    move(box, &way->peer, *axis, sends);
    way->from = sends ? own : way->peer;
    if (!sends || way->peer.sum > 0)
        return true;
    way->peer = (struct node){.box = own.box + 1};
    return way->peer.box < torus->boxes;
}

static int32_t rank_of(const struct rb_plan *plan, const struct node *node)
{
    const struct box *box = &torus_of(plan)->box[node->box];
    int32_t place = box->from;
    for (int32_t axis = 0; axis < box->d; axis++)
        place += (node->at[axis] + box->root[axis]) % box->extent[axis] * box->stride[axis];
    return rb_groups_rank(&plan->groups, place);
}

static int32_t round_(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                      struct rb_op ops[])
{
    int32_t count = 0;
    for (int32_t sends = 1; sends >= 0; sends--) {
        int32_t axis = -1;
        struct way way;
        if (!find_way(torus_of(plan), state, sends, &axis, t, &way))
            continue;
        const int64_t block = t - way.box->start - first_along(way.box, &way.from, axis);
        if (block < 0 || block >= plan->n)
            continue;
        ops[count] = rb_root_op(plan, sends ? RB_SEND : RB_RECV, 0, block, 1);
        ops[count++].peer = rank_of(plan, &way.peer);
    }
    return count;
}

static int64_t next(const struct rb_plan *plan, const struct rb_rank *state, int64_t t)
{
    int64_t next = plan->rounds;
    for (int32_t i = 0; i < 2 * torus_of(plan)->levels; i++) {
        int32_t axis = i / 2;
        struct way way;
        if (!find_way(torus_of(plan), state, i % 2 == 0, &axis, t, &way))
            continue;
        const struct box *box = way.box;
        const int64_t first = box->start + first_along(box, &way.from, axis);
        const int64_t from = t > first ? t : first;
        const int32_t at = axis_of(box, way.from.sum, from - box->start);
        const int64_t found = from + (axis + box->d - at) % box->d;
        next = found - first < plan->n && found < next ? found : next;
    }
    return next;
}

static void pipeline(const struct rb_plan *plan, int64_t *per_block, int64_t *fixed)
{
    *per_block = 1;
    *fixed = plan->rounds - plan->n;
}

RB_ROW(rb_bcast_torus, "bcast", "torus", "pipeline to neighbours on a torus, d trees in turn",
       "docs/textbook.md", "at most n + 2 (N + K - 1) on whole groups", RB_PIPELINED(""),
       .info.groups = true, .info.places = true, .init = init, .fini = fini, .rank = find_node,
       .round = round_, .next = next, .pipeline = pipeline);
