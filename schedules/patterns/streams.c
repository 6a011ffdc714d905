/* streams.c - see streams.h. */
#include "streams.h"

#include <stdlib.h>

/* Ages are below 2 q + 1 <= 61. */
enum { AGES = 64 };

/* ---- Delays ---------------------------------------------------------------------------------- */

/* The ages that the way out of round k, node nodes - skip[k], may lack. */
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

/* The delays of a stream in port rounds. */
static struct rb_stream_delays outer_delays(int32_t size, enum rb_stream_kind kind)
{
    struct rb_stream_delays delays = rb_stream_delays(kind == RB_PORT ? size + 1 : size);
    if (kind == RB_LEADER) {
        delays.missing <<= 1;
        delays.drain++;
    }
    return delays;
}

/* A group of one rank is its own port. */
static enum rb_stream_kind kind_of(int32_t size, enum rb_stream_kind kind)
{
    return size == 1 ? RB_PORT : kind;
}

/* True if none of the ages from `first` on, by steps of `classes`, is missing. */
static bool has_ages(uint64_t missing, int32_t first, int32_t classes)
{
    for (int32_t age = first; age < AGES; age += classes)
        if (missing >> age & 1)
            return false;
    return true;
}

/* E for this D. */
static int32_t lead_of(const struct rb_stream_delays *root, int32_t classes)
{
    int32_t lead = 0;
    while (!has_ages(root->missing, lead, classes))
        lead++;
    return lead;
}

struct rb_stream_figures rb_stream_figures(int32_t k, enum rb_stream_kind kind)
{
    const struct rb_stream_delays outer = outer_delays(k, kind_of(k, kind));
    const struct rb_stream_delays root = rb_stream_delays(k);
    struct rb_stream_figures figures = {
        .classes = 1, .drain = outer.drain, .root_drain = root.drain};
    while (!has_ages(outer.missing, figures.classes, figures.classes))
        figures.classes++;
    figures.lead = lead_of(&root, figures.classes);
    return figures;
}

/* ---- Making streams -------------------------------------------------------------------------- */

/* The delays of all groups but the root's: what any of them lacks, and the longest drain. Groups as
 * large as the one before them have nothing new. */
static struct rb_stream_delays delays_of_all(const struct rb_streams *streams)
{
    const struct rb_groups *groups = &streams->groups;
    struct rb_stream_delays all = {0};
    int32_t known = 0;
    for (int32_t group = 0; group < groups->count; group++) {
        const int32_t size = rb_group_size(groups, group);
        if (group == streams->root_group || size == known)
            continue;
        const struct rb_stream_delays one = outer_delays(size, kind_of(size, streams->kind));
        all.missing |= one.missing;
        all.drain = one.drain > all.drain ? one.drain : all.drain;
        known = size;
    }
    return all;
}

/* D with the fewest rounds, and what follows from it. */
static void choose(struct rb_streams *streams)
{
    const struct rb_stream_delays all = delays_of_all(streams);
    struct rb_stream_delays root = {0};
    int64_t fewest = INT64_MAX;
    if (streams->root_group >= 0)
        root = rb_stream_delays(rb_group_size(&streams->groups, streams->root_group));
    streams->drain = all.drain;
    streams->root_drain = root.drain;
    for (int32_t classes = 1; classes < AGES; classes++) {
        struct rb_streams with = *streams;
        if (!has_ages(all.missing, classes, classes))
            continue;
        with.classes = classes;
        with.lead = lead_of(&root, classes);
        if (rb_streams_extra(&with) >= fewest)
            continue;
        fewest = rb_streams_extra(&with);
        *streams = with;
    }
}

int64_t rb_streams_extra(const struct rb_streams *streams)
{
    const int64_t extra =
        streams->lead + (int64_t)streams->classes * (streams->over.q - 1) + streams->drain;
    return extra > streams->root_drain ? extra : streams->root_drain;
}

/* The rounds over groups for the D chosen. */
static void set_classes(struct rb_streams *streams)
{
    const int64_t classes = streams->classes, q = streams->over.q, n = streams->n;
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
    choose(streams);
    streams->n = plan->n;
    set_classes(streams);
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
        inside.kind = RB_ROOT;
        inside.node_0 = plan->root - inside.first;
        inside.delay = -streams->lead;
    } else {
        inside.kind = kind_of(inside.size, streams->kind);
        inside.delay = inside.kind == RB_LEADER;
    }
    inside.nodes = inside.size + (inside.kind == RB_PORT);
    inside.q = rb_ceil_log2(inside.nodes);
    return inside;
}

/* The round of a phase; phases continue backwards before the first one. */
static int32_t phase_round(const struct rb_inside *inside, int64_t w)
{
    const int32_t k = (int32_t)(w % inside->q);
    return k < 0 ? k + inside->q : k;
}

int32_t rb_inside_entry(const struct rb_inside *inside, int64_t u)
{
    return rb_inside_rank(
        inside, inside->kind == RB_PORT ? rb_inside_skip(inside, phase_round(inside, u)) : 0);
}

int32_t rb_inside_exit(const struct rb_inside *inside, int64_t u)
{
    if (inside->nodes == 1)
        return rb_inside_rank(inside, 0);
    const int32_t k = phase_round(inside, u - inside->delay);
    return rb_inside_rank(inside, inside->nodes - rb_inside_skip(inside, k));
}

struct rb_inside_step rb_inside_step(const struct rb_inside *inside, int32_t node,
                                     const int8_t recv[], const int8_t send[], int64_t u)
{
    struct rb_inside_step step = {.enters = inside->kind == RB_LEADER && node == 0,
                                  .leaves = inside->nodes == 1,
                                  .to = -1,
                                  .from = -1};
    const int64_t w = u - inside->delay;
    if (inside->nodes == 1)
        return step;
    const int32_t k = phase_round(inside, w), skip = rb_inside_skip(inside, k);
    const int32_t to = node < inside->nodes - skip ? node + skip : node - (inside->nodes - skip);
    const int32_t from = node >= skip ? node - skip : node + (inside->nodes - skip);
    step.leaves = to == 0;
    if (to != 0) {
        step.to = rb_inside_rank(inside, to);
        step.out = w - k + send[k];
    }
    if (inside->kind == RB_PORT && from == 0) {
        step.enters = true;
    } else if (node != 0) {
        step.from = rb_inside_rank(inside, from);
        step.in = w - k + recv[k];
    }
    return step;
}
