/* allgather_turns.c - the allgather for ranks that share ports: in a round each group of ranks
 * takes in one message at most, and sends out one; and so do groups of groups.
 *
 * Source: this project; docs/groups.md, "An allgather through shared ports", where it is proved. A
 * stage for each level of the tree of ports, from the ranks up. Before the stage of a node's N
 * children all ranks of a child have the child's blocks, a bundle; after it all have all. Bundles
 * are counted from the child's own one, round the children. The last rank of a child is its leader.
 *
 *   First the leaders double: in round t < a a leader gets the bundles 2^t .. 2^(t+1) - 1 from the
 *   leader 2^t further, until it has g = 2^a.
 *   Then for J = ceil(N/g) - 1 rounds leaders send the g bundles that they have to the children j g
 *   before, j = J .. 1. Inside a child these messages, slots 0 .. J - 1, and as slot J the g - 1
 *   bundles that only the leader has, are a broadcast of J + 1 blocks by turns (port_tree.h), whose
 * root is the leader; what the root would send as slot u < J comes from outside, and it gets these
 *   slots back as a child of its last cube does.
 *
 * Or a bundle is cut into f parts (g = 1/f): the leader sends them one after the other, a = 0 and
 * J = f (N - 1). With n blocks a rank the stage with most to gain has f = n, other ones less, in
 * proportion to the root of h K / N, K the most ranks of a child and h the height of its tree: so
 * what is in flight in a child at the end and start-ups are in balance in all. The radix sets g for
 * all stages instead. Among ranks all rounds double.
 *
 * Rounds of a stage: a + J + h, h the largest sum of ceil(log2 k) below a child; with one level of
 * N groups of K, 2 ceil(log2 K) + a + J. Volume: n (p - 1) blocks received per rank, optimal.
 * Memory of the plan: as for bcast_hosts.c. No state per rank.
 *
 * p = 6, groups of 2, n = 1: t = 0: both ranks of each group exchange their blocks. t = 1: leaders
 * 1, 3, 5 send both to 2, 4, 0. t = 2: 0, 2, 4 pass these on to their leaders, which send their own
 * group's to 4, 0, 2. t = 3: so do 0, 2, 4 again. */
#include <math.h>
#include <stdlib.h>

#include "schedules/patterns/port_tree.h"
#include "schedules/patterns/sequence.h"

/* The exchange among the children of nodes at a depth, which are at the next one. */
struct stage {
    int32_t depth; /* of the children */
    int32_t most;  /* children of a node */
    int32_t height, doublings;
    int64_t parts; /* f; 1: whole bundles */
    int64_t first; /* round */
};

struct turns {
    struct rb_port_tree tree;
    int32_t count;
    struct stage stage[RB_MOST_CUBES / 2 + 1];
};

static int32_t node_end(const struct rb_port_tree *tree, int32_t depth, int32_t node)
{
    return depth == 0             ? tree->p
           : depth > tree->levels ? node + 1
                                  : rb_group_first(tree->level[depth - 1], node + 1);
}

static int32_t node_first(const struct rb_port_tree *tree, int32_t depth, int32_t node)
{
    return node == 0 ? 0 : node_end(tree, depth, node - 1);
}

/* A child and its place among its siblings. */
struct child {
    const struct stage *stage;
    int32_t first, children; /* the node's */
    int32_t own;             /* by number */
    struct rb_port_root root;
};

static int32_t leader_of(const struct child *child, int32_t number)
{
    return node_end(child->root.tree, child->stage->depth, child->first + number) - 1;
}

static struct child child_at(struct rb_port_tree *tree, const struct stage *stage, int32_t place)
{
    const int32_t depth = stage->depth, node = rb_port_node(tree, depth - 1, place);
    struct child child = {.stage = stage, .root = {.tree = tree, .depth = depth}};
    child.first = rb_port_node(tree, depth, node_first(tree, depth - 1, node));
    child.children =
        rb_port_node(tree, depth, node_end(tree, depth - 1, node) - 1) + 1 - child.first;
    child.own = rb_port_node(tree, depth, place) - child.first;
    child.root.place = leader_of(&child, child.own);
    return child;
}

/* J */
static int64_t slots_of(const struct stage *stage, int32_t children)
{
    return stage->parts > 1 ? stage->parts * (children - 1)
                            : (children - 1) >> stage->doublings; /* ceil(N/g) - 1 */
}

/* ---- The plan -------------------------------------------------------------------------------- */

static void fini(struct rb_plan *plan)
{
    struct turns *turns = plan->data.own;
    rb_port_tree_free(&turns->tree);
    free(turns);
}

/* Measures the nodes of a stage; *weight becomes h K / N. */
static int measure(struct turns *turns, struct stage *stage, double *weight, char *why,
                   size_t why_size)
{
    struct rb_port_tree *tree = &turns->tree;
    int32_t largest = 0;
    int status = RB_OK;
    for (int32_t place = 0; place < tree->p && status == RB_OK;) {
        const struct child child = child_at(tree, stage, place);
        const int32_t end = child.root.place + 1;
        if (stage->depth <= tree->levels)
            status = rb_port_tree_add(&child.root, &stage->height, why, why_size);
        stage->most = child.children > stage->most ? child.children : stage->most;
        largest = end - place > largest ? end - place : largest;
        place = end;
    }
    *weight = (double)stage->height * largest / stage->most;
    return status;
}

static int make_stages(struct rb_plan *plan, struct turns *turns, char *why, size_t why_size)
{
    double weight[RB_MOST_CUBES / 2 + 1], most = 0;
    turns->count = turns->tree.levels + 1;
    for (int32_t s = 0; s < turns->count; s++) {
        turns->stage[s].depth = turns->count - s;
        const int status = measure(turns, &turns->stage[s], &weight[s], why, why_size);
        if (status != RB_OK)
            return status;
        most = weight[s] > most ? weight[s] : most;
    }
    for (int32_t s = 0; s < turns->count; s++) {
        struct stage *stage = &turns->stage[s];
        const int32_t q = rb_ceil_log2(stage->most);
        const int32_t wanted = plan->radix == 0 ? 0 : rb_ceil_log2(plan->radix / 2 + 1);
        stage->doublings = s == 0 || q < wanted ? q : wanted;
        stage->parts = s == 0 || plan->radix > 0 || most <= 0
                           ? 1
                           : (int64_t)ceil((double)plan->n * sqrt(weight[s] / most));
        stage->first = plan->rounds;
        if (stage->most > 1)
            plan->rounds += stage->doublings + slots_of(stage, stage->most) + stage->height;
    }
    return RB_OK;
}

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    int status = rb_need_one_port(plan, why, why_size);
    if (status != RB_OK)
        return status;
    struct turns *turns = plan->data.own = calloc(1, sizeof *turns);
    if (turns == NULL)
        return rb_why(why, why_size, RB_ENOMEM, "out of memory for the tree of ports");
    plan->max_ops = plan->p == 1 ? 1 : 2 * (plan->p - 1);
    plan->rounds = 0;
    status = rb_port_tree_init(&turns->tree, plan, why, why_size);
    if (status == RB_OK)
        status = make_stages(plan, turns, why, why_size);
    if (status != RB_OK)
        fini(plan);
    return status;
}

/* ---- Messages -------------------------------------------------------------------------------- */

/* Without operations only whether there are any is sought. */
struct message {
    const struct rb_plan *plan;
    struct rb_op *ops;
    int32_t count;
};

/* Blocks `from` .. `to` - 1 of those of consecutive places from `first` on. */
static void add_blocks(struct message *message, enum rb_op_kind kind, int32_t peer, int32_t first,
                       int64_t from, int64_t to)
{
    const struct rb_plan *plan = message->plan;
    for (int64_t n = plan->n, next; from < to; from = next) {
        next = rb_smaller((from / n + 1) * n, to);
        if (message->ops != NULL)
            message->ops[message->count] = (struct rb_op){
                .kind = kind,
                .peer = rb_groups_rank(&plan->groups, peer),
                .at = {RB_DST, rb_groups_rank(&plan->groups, first + (int32_t)(from / n)), from % n,
                       next - from}};
        message->count++;
        if (message->ops == NULL)
            return;
    }
}

/* Bundles, counted from the child's own one; or, of one, a part. */
static void add_bundles(struct message *message, enum rb_op_kind kind, int32_t peer,
                        const struct child *child, int32_t bundle, int32_t count, int64_t part)
{
    for (int32_t i = 0; i < count; i++) {
        const int32_t node = child->first + (child->own + bundle + i) % child->children;
        const int32_t first = node_first(child->root.tree, child->stage->depth, node);
        const int32_t end = node_end(child->root.tree, child->stage->depth, node);
        const int64_t blocks = message->plan->n * (end - first), parts = child->stage->parts;
        add_blocks(message, kind, peer, first, rb_deal_before(blocks, parts, part),
                   rb_deal_before(blocks, parts, part + 1));
    }
}

/* How much further the child is from which slot u comes. */
static int32_t distance_of(const struct child *child, int64_t u)
{
    const struct stage *stage = child->stage;
    const int64_t slots = slots_of(stage, child->children);
    return (int32_t)(stage->parts > 1 ? child->children - 1 - u / stage->parts
                                      : (slots - u) << stage->doublings);
}

static void add_slot(struct message *message, enum rb_op_kind kind, int32_t peer,
                     const struct child *child, int64_t u)
{
    const int32_t bundles = (int32_t)1 << child->stage->doublings;
    if (u == slots_of(child->stage, child->children)) {
        const int32_t all = bundles < child->children ? bundles : child->children;
        add_bundles(message, kind, peer, child, 1, all - 1, 0);
        return;
    }
    const int32_t bundle = distance_of(child, u), rest = child->children - bundle;
    add_bundles(message, kind, peer, child, bundle, bundles < rest ? bundles : rest,
                u % child->stage->parts);
}

/* The place that takes in slot u of a child: its taker, the leader's partner. */
static int32_t entry_of(const struct child *child, int64_t u)
{
    const struct rb_way way = rb_port_way(&child->root, child->root.place);
    const int64_t n = slots_of(child->stage, child->children) + 1;
    if (way.shape->cube < 0)
        return child->root.place;
    const struct rb_turn out = rb_way_sends(&way, n, u);
    return rb_port_peer(&child->root, child->root.place, &way, &out, false, u);
}

static void double_up(struct message *message, const struct child *child, int32_t t)
{
    const int32_t h = (int32_t)1 << t, rest = child->children - h, many = h < rest ? h : rest;
    if (rest <= 0)
        return;
    const int32_t to = leader_of(child, (child->own + rest) % child->children);
    const int32_t from = leader_of(child, (child->own + h) % child->children);
    add_bundles(message, RB_SEND, to, child, 0, many, 0);
    if (message->ops != NULL || message->count == 0)
        add_bundles(message, RB_RECV, from, child, h, many, 0);
}

static void send(struct message *message, const struct child *child, const struct rb_way *way,
                 int32_t place, int64_t u)
{
    const int64_t slots = slots_of(child->stage, child->children);
    if (place == child->root.place && u < slots) {
        const int32_t distance = distance_of(child, u), number = child->own - distance;
        const struct child to =
            child_at(child->root.tree, child->stage,
                     leader_of(child, number < 0 ? number + child->children : number));
        add_slot(message, RB_SEND, message->ops == NULL ? 0 : entry_of(&to, u), &to, u);
    } else if (way->shape->cube >= 0) {
        const struct rb_turn out = rb_way_sends(way, slots + 1, u);
        if (out.block >= 0)
            add_slot(message, RB_SEND,
                     message->ops == NULL ? 0
                                          : rb_port_peer(&child->root, place, way, &out, false, u),
                     child, out.block);
    }
}

static void receive(struct message *message, const struct child *child, const struct rb_way *way,
                    int32_t place, int64_t u)
{
    const int64_t slots = slots_of(child->stage, child->children);
    struct rb_turn in = {.block = u < slots ? u : -1};
    int32_t from = child->root.place;
    if (way->shape->cube >= 0) {
        in = rb_way_receives(way, slots + 1, u);
        if (in.block >= 0 && message->ops != NULL)
            from = rb_port_peer(&child->root, place, way, &in, true, u);
    }
    if (in.block < 0)
        return;
    if (from == child->root.place && u < slots) /* in its place the outside */
        from = leader_of(child, (child->own + distance_of(child, u)) % child->children);
    add_slot(message, RB_RECV, from, child, in.block);
}

static int32_t round_(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                      struct rb_op ops[])
{
    struct turns *turns = plan->data.own;
    struct message message = {.plan = plan, .ops = ops};
    const int32_t place = rb_groups_place(&plan->groups, state->rank);
    int32_t s = turns->count - 1;
    while (turns->stage[s].first > t || turns->stage[s].most == 1)
        s--;
    const struct stage *stage = &turns->stage[s];
    const struct child child = child_at(&turns->tree, stage, place);
    const int64_t u = t - stage->first - stage->doublings;
    if (u < 0 && place == child.root.place)
        double_up(&message, &child, (int32_t)(t - stage->first));
    if (u < 0 || child.children == 1)
        return message.count;
    const struct rb_way way = rb_port_way(&child.root, place);
    send(&message, &child, &way, place, u);
    if (ops != NULL || message.count == 0)
        receive(&message, &child, &way, place, u);
    return message.count;
}

static int64_t next(const struct rb_plan *plan, const struct rb_rank *state, int64_t t)
{
    return rb_next_by(round_, plan, state, t);
}

/* Of the stage of the largest groups: N - 1 rounds for each block, which is an N-th of m / n. */
static void pipeline(const struct rb_plan *plan, int64_t *per_block, int64_t *fixed)
{
    const struct turns *turns = plan->data.own;
    const struct stage *top = &turns->stage[turns->count - 1];
    *per_block = (int64_t)top->most * (top->most - 1);
    *fixed = top->height;
}

#define TURNS                                                                                      \
    RB_BY_GROUPS, .info.places = true, .partly_pipelined = true,                                   \
                  .info.radix = "bundles of a group that a message has, instead of a part of one"

RB_ROW(rb_allgather_turns, "allgather", "turns", "over ports that ranks share, by turns inside",
       "docs/groups.md", "at most 2 ceil(log2 K) + n (N - 1)", RB_PIPELINED(" of each rank"),
       .init = init, .fini = fini, .round = round_, .next = next, .pipeline = pipeline, TURNS);
RB_ROW(rb_reduce_scatter_turns, "reduce-scatter", "turns",
       "over ports that ranks share, by turns inside, read backwards", "docs/groups.md",
       "at most 2 ceil(log2 K) + n (N - 1)", RB_REVERSED_UNPRICED(rb_allgather_turns),
       RB_PIPELINED(" of each rank"), .pipeline = rb_reversed_pipeline, TURNS);
RB_ROW(rb_allreduce_turns, "allreduce", "turns",
       "over ports that ranks share, by turns inside, backwards and forwards", "docs/groups.md",
       "at most 4 ceil(log2 K) + 2 n (N - 1)",
       RB_COMPOSED_UNPRICED(rb_reduce_scatter_turns, rb_allgather_turns),
       RB_PIPELINED(" of each share"), .pipeline = rb_composed_pipeline, TURNS);
