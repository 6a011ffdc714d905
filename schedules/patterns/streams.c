/* streams.c - see streams.h. */
#include "streams.h"

#include <stdlib.h>

/* Ages are below 2 q + 1 <= 61. */
enum { AGES = 64 };

/* ---- Delays ---------------------------------------------------------------------------------- */

/* The ages that the last node of round k, nodes - skip[k], may lack. */
static uint64_t missing_in_round(const struct rb_circulant *graph, int32_t k)
{
    const int32_t q = graph->q;
    int8_t recv[RB_MAX_Q + 1];
    uint64_t missing = 0;
    rb_circulant_recv(graph, graph->p - graph->skip[k], recv);
    for (int32_t other = 0; other < q; other++)
        for (int32_t age = k - recv[other] - (other < k ? q : 0); age >= 0; age -= q)
            missing |= UINT64_C(1) << age;
    return missing;
}

struct rb_stream_delays rb_stream_delays(int32_t nodes)
{
    struct rb_circulant graph;
    struct rb_stream_delays delays = {0};
    if (nodes == 1)
        return delays;
    rb_circulant_init(&graph, nodes);
    for (int32_t k = 0; k < graph.q; k++)
        delays.missing |= missing_in_round(&graph, k);
    for (int32_t node = 1; node < nodes; node++) {
        int8_t recv[RB_MAX_Q + 1];
        rb_circulant_recv(&graph, node, recv);
        for (int32_t k = 0; k < graph.q; k++)
            if (k - recv[k] > delays.drain)
                delays.drain = k - recv[k];
    }
    return delays;
}

/* RB_TURNS: the leader on the port has the slots of its own class, whose ages are even. */
#define ODD_AGES UINT64_C(0xaaaaaaaaaaaaaaaa)

/* The delays of streams in port rounds. */
struct outer_delays {
    uint64_t missing;       /* by the way out */
    uint64_t inner_missing; /* RB_TURNS: of the streams inside, by a last node */
    bool turns;             /* any are of RB_TURNS */
    int32_t drain;          /* but for the slots that leaders take back */
};

/* Two leaders need a third rank, which passes on what they have. */
static enum rb_stream_kind kind_of(int32_t size, enum rb_stream_kind kind)
{
    return size <= 2 ? RB_LEADER : kind;
}

static struct outer_delays outer_delays(int32_t size, enum rb_stream_kind wanted)
{
    if (size == 1)
        return (struct outer_delays){0};
    const enum rb_stream_kind kind = kind_of(size, wanted);
    const bool turns = kind != RB_LEADER;
    const int32_t deputies = kind == RB_DEPUTY;
    const struct rb_stream_delays inner = rb_stream_delays(size - turns - deputies);
    return (struct outer_delays){.missing = turns ? ODD_AGES : inner.missing << 1,
                                 .inner_missing = turns ? inner.missing << deputies : 0,
                                 .turns = turns,
                                 .drain = inner.drain + 1 + deputies};
}

/* The least of first, first + 2, ... whose slot no last node lacks: inner round w is port round
 * w + 1. */
static int32_t least_back(uint64_t missing, int32_t first)
{
    int32_t back = first;
    while (missing >> (back - 1) & 1)
        back += 2;
    return back;
}

/* B. */
static int32_t back_of(const struct outer_delays *delays)
{
    return delays->turns ? least_back(delays->inner_missing, 2) : 0;
}

/* F. */
static int32_t drain_of(const struct outer_delays *delays)
{
    const int32_t back = back_of(delays);
    return delays->drain > back ? delays->drain : back;
}

/* True if none of the ages from `first` on, by steps of `classes`, is missing. */
static bool has_ages(uint64_t missing, int32_t first, int32_t classes)
{
    for (int32_t age = first; age < AGES; age += classes)
        if (missing >> age & 1)
            return false;
    return true;
}

static struct rb_stream_root delays_of_root(const struct rb_stream_delays *inner, int32_t classes)
{
    struct rb_stream_root root = {.kind = RB_ROOT, .drain = inner->drain};
    while (!has_ages(inner->missing, root.lead, classes))
        root.lead++;
    return root;
}

/* For an even D: slot u is sent by the root in port round u - 1, and inside from port round u + 1
 * on. */
static struct rb_stream_root delays_of_source(int32_t size)
{
    const struct rb_stream_delays inner = rb_stream_delays(size - 2);
    struct rb_stream_root root = {.kind = RB_SOURCE, .lead = 1, .drain = inner.drain + 2};
    root.back = size == 3 ? 1 : least_back(inner.missing, 3);
    if (root.back + 1 > root.drain)
        root.drain = root.back + 1;
    return root;
}

int64_t rb_streams_extra(const struct rb_streams *streams)
{
    const int64_t extra =
        streams->root.lead + (int64_t)streams->classes * (streams->over.q - 1) + streams->drain;
    return extra > streams->root.drain ? extra : streams->root.drain;
}

/* D with the fewest rounds that suits the other groups, and what follows from it. */
static void choose(struct rb_streams *streams, const struct outer_delays *others, int32_t root_size)
{
    const bool turns = kind_of(root_size, streams->kind) == RB_TURNS;
    const struct rb_stream_delays whole = rb_stream_delays(root_size);
    const struct rb_stream_root source =
        turns ? delays_of_source(root_size) : (struct rb_stream_root){.kind = RB_ROOT};
    int64_t fewest = INT64_MAX;
    streams->drain = drain_of(others);
    streams->back = back_of(others);
    for (int32_t classes = 1; classes < AGES; classes++) {
        struct rb_streams with = *streams;
        if (!has_ages(others->missing, classes, classes))
            continue;
        with.classes = classes;
        with.root = turns && classes % 2 == 0 ? source : delays_of_root(&whole, classes);
        if (rb_streams_extra(&with) >= fewest)
            continue;
        fewest = rb_streams_extra(&with);
        *streams = with;
    }
}

struct rb_stream_figures rb_stream_figures(int32_t k, enum rb_stream_kind kind)
{
    const struct outer_delays others = outer_delays(k, kind);
    struct rb_streams streams = {.kind = kind,
                                 .over.q = RB_MAX_Q}; /* so that the least D is best */
    choose(&streams, &others, k);
    return (struct rb_stream_figures){streams.classes, streams.drain, streams.back, streams.root};
}

/* ---- Making streams -------------------------------------------------------------------------- */

/* The delays of all groups but the root's: what any of them lacks, and the longest drain. Groups as
 * large as one of those before them have nothing new. */
static struct outer_delays delays_of_others(const struct rb_streams *streams)
{
    const struct rb_groups *groups = &streams->groups;
    struct outer_delays all = {0};
    int32_t known[16] = {0}, next = 0; /* sizes */
    for (int32_t group = 0; group < groups->count; group++) {
        const int32_t size = rb_group_size(groups, group);
        bool is_known = group == streams->root_group;
        for (int32_t i = 0; i < 16 && !is_known; i++)
            is_known = known[i] == size;
        if (is_known)
            continue;
        const struct outer_delays one = outer_delays(size, streams->kind);
        all.missing |= one.missing;
        all.inner_missing |= one.inner_missing;
        all.turns |= one.turns;
        all.drain = one.drain > all.drain ? one.drain : all.drain;
        known[next++ % 16] = size;
    }
    return all;
}

void rb_streams_set_classes(struct rb_streams *streams, int32_t classes_)
{
    const int64_t classes = classes_, q = streams->over.q, n = streams->n;
    streams->classes = classes_;
    streams->port_rounds = n + classes * (q - 1);
    for (int i = 0; i < 2; i++) {
        streams->class_n[i] = n / classes + (i == 0);
        streams->class_before[i] =
            streams->class_n[i] == 0 ? 0 : (q - (streams->class_n[i] - 1) % q) % q;
    }
}

int rb_streams_init(struct rb_plan *plan, bool rooted, enum rb_stream_kind kind, char *why,
                    size_t why_size)
{
    plan->data.own = NULL;
    struct rb_streams *streams = calloc(1, sizeof *streams);
    if (streams == NULL)
        return rb_why(why, why_size, RB_ENOMEM, "out of memory");
    streams->groups = plan->groups;
    if (plan->groups.count == 1)
        streams->groups = (struct rb_groups){.ranks = plan->p, .count = plan->p, .size = 1};
    streams->root_group = rooted ? rb_group_of(&streams->groups, plan->root) : -1;
    streams->kind = kind;
    rb_circulant_init(&streams->over, streams->groups.count);
    const struct outer_delays others = delays_of_others(streams);
    choose(streams, &others, rooted ? rb_group_size(&streams->groups, streams->root_group) : 1);
    streams->n = plan->n;
    rb_streams_set_classes(streams, streams->classes);
    plan->data.own = streams;
    return RB_OK;
}

void rb_streams_fini(struct rb_plan *plan)
{
    struct rb_streams *streams = plan->data.own;
    if (streams == NULL)
        return;
    free(streams->table);
    free(streams);
}

/* ---- Rounds ---------------------------------------------------------------------------------- */

struct rb_slot rb_streams_slot(const struct rb_streams *streams, int64_t u)
{
    const int64_t classes = streams->classes, q = streams->over.q;
    if (u < 0 || u >= streams->port_rounds)
        return (struct rb_slot){.any = false};
    const int64_t i = u / classes, c = u - i * classes;
    const int rest = c < streams->n % classes ? 0 : 1;
    const int64_t n = streams->class_n[rest], before = streams->class_before[rest];
    const int64_t k = (i + before) % q;
    return (struct rb_slot){.any = n > 0 && i < n - 1 + q,
                            .k = (int32_t)k,
                            .first = (int32_t)c,
                            .shift = i - k,
                            .last = n - 1};
}

struct rb_inside rb_streams_inside(const struct rb_plan *plan, int32_t group)
{
    const struct rb_streams *streams = rb_streams_of(plan);
    struct rb_inside inside = {.group = group,
                               .first = rb_group_first(&streams->groups, group),
                               .size = rb_group_size(&streams->groups, group)};
    if (group == streams->root_group) {
        inside.kind = streams->root.kind;
        inside.index_0 = plan->root - inside.first;
        inside.leaders = 1;
        inside.delay = inside.kind == RB_ROOT ? -streams->root.lead : 1;
        inside.back = streams->root.back;
    } else {
        inside.kind = kind_of(inside.size, streams->kind);
        inside.delay = inside.kind == RB_DEPUTY ? 2 : 1;
        inside.back = streams->back;
    }
    inside.nodes = inside.size - (rb_inside_turns(&inside) ? inside.delay + inside.leaders : 0);
    inside.q = rb_ceil_log2(inside.nodes);
    return inside;
}

void rb_inside_schedules(const struct rb_inside *inside, int32_t rank, int8_t bytes[])
{
    const int32_t node = rb_inside_node(inside, rank);
    struct rb_circulant graph;
    rb_circulant_init(&graph, inside->nodes);
    rb_circulant_recv(&graph, node, bytes);
    rb_circulant_send(&graph, node, bytes + graph.q);
}

/* The round of a phase; phases continue backwards before the first one. */
static int32_t phase_round(const struct rb_inside *inside, int64_t w)
{
    const int32_t k = inside->q == 0 ? 0 : (int32_t)(w % inside->q);
    return k < 0 ? k + inside->q : k;
}

int32_t rb_inside_entry(const struct rb_inside *inside, int64_t u)
{
    return rb_inside_turns(inside) ? rb_inside_on_port(inside, u) : rb_inside_rank(inside, 0, u);
}

/* The leader that receives the other one's slots: whose port is free for that. */
static int32_t takes_back(const struct rb_inside *inside, int64_t u)
{
    return inside->kind == RB_SOURCE ? rb_inside_on_port(inside, u) : rb_inside_off_port(inside, u);
}

/* The last node of the inner round. */
static int32_t last_rank(const struct rb_inside *inside, int64_t u)
{
    const int32_t skip = rb_inside_skip(inside, phase_round(inside, u - inside->delay));
    return rb_inside_rank(inside, inside->nodes - skip, u);
}

int32_t rb_inside_exit(const struct rb_inside *inside, int64_t u)
{
    return rb_inside_turns(inside) ? rb_inside_on_port(inside, u) : last_rank(inside, u);
}

/* A node's round of the broadcast inside. */
static struct rb_inside_step node_step(const struct rb_inside *inside, int32_t node,
                                       const int8_t recv[], const int8_t send[], int64_t u)
{
    struct rb_inside_step step = {.to = -1, .from = -1};
    const int64_t w = u - inside->delay;
    const int32_t k = phase_round(inside, w), skip = rb_inside_skip(inside, k);
    const int32_t to = node < inside->nodes - skip ? node + skip : node - (inside->nodes - skip);
    const int32_t from = node >= skip ? node - skip : node + (inside->nodes - skip);
    if (to != 0) {
        step.to = rb_inside_rank(inside, to, u);
        step.out = w - k + send[k];
    } else if (rb_inside_turns(inside)) {
        step.to = takes_back(inside, u);
        step.out = u - inside->back;
    } else {
        step.leaves = true;
    }
    if (node != 0) {
        step.from = rb_inside_rank(inside, from, u);
        step.in = w - k + recv[k];
    }
    return step;
}

/* What node 0 receives: slots from outside or from the root, or another leader's. */
static void node_0_receives(const struct rb_inside *inside, int32_t rank, int64_t u,
                            struct rb_inside_step *step)
{
    if (rb_inside_turns(inside) && rank == takes_back(inside, u)) {
        step->from = last_rank(inside, u);
        step->in = u - inside->back;
    } else if (inside->kind == RB_SOURCE) {
        step->from = rb_inside_at(inside, 0);
        step->in = u + 1;
    } else {
        step->enters = inside->kind != RB_ROOT;
    }
}

struct rb_inside_step rb_inside_step(const struct rb_inside *inside, int32_t rank,
                                     const int8_t recv[], const int8_t send[], int64_t u)
{
    struct rb_inside_step step = {.to = -1, .from = -1};
    const int32_t node = rb_inside_node(inside, rank);
    if (inside->kind == RB_SOURCE && rank == rb_inside_at(inside, 0)) {
        step.to = rb_inside_off_port(inside, u);
        step.out = u + 1;
        return step;
    }
    const bool to_deputy = inside->kind == RB_DEPUTY && rank == rb_inside_off_port(inside, u);
    if (rb_inside_turns(inside) && rank == rb_inside_on_port(inside, u)) {
        step.leaves = true;
    } else if (to_deputy) {
        step.to = rb_inside_rank(inside, 0, u);
        step.out = u - 1;
    } else {
        step = node_step(inside, node, recv, send, u);
    }
    if (inside->kind == RB_DEPUTY && rank == rb_inside_rank(inside, 0, u)) {
        step.from = rb_inside_off_port(inside, u);
        step.in = u - 1;
    } else if (node == 0) {
        node_0_receives(inside, rank, u, &step);
    }
    return step;
}
