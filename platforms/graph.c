/* graph.c - a network as nodes and links: routes of fewest hops.
 *
 * Distances to a destination are found by breadth-first search against the direction of links, and
 * kept; routes of one link or two are found without. A node into which all links lead from one
 * other node, as a host at its leaf switch, is reached by way of that one, so hosts of a switch
 * need one search together. */
#include "graph.h"

#include <stdlib.h>
#include <string.h>

#include "support/memory.h"

enum { UNREACHED = UINT16_MAX };
static const size_t most_kept = (size_t)1 << 28; /* bytes of distances, before all are forgotten */

/* The links at one end of each node: those of node n are list[first[n]] .. list[first[n + 1] - 1],
 * in the order of their numbers. */
struct ends {
    int32_t *first, *list;
};

struct platform_graph {
    int32_t nodes, leaves; /* nodes below `leaves` do not forward */
    int32_t *from, *to;
    struct ends in, out;
    uint16_t **far; /* of each node, if they are known: the links from any node to it */
    size_t kept;
    uint16_t *near; /* as `far`, while a short route is found; else UNREACHED everywhere */
    int32_t *queue;
};

static struct ends collect(int32_t nodes, int32_t links, const int32_t end[])
{
    struct ends ends = {.first = sup_calloc((size_t)nodes + 2, sizeof(int32_t)),
                        .list = sup_malloc(((size_t)links + 1) * sizeof(int32_t))};
    int32_t *next = ends.first + 1; /* next[n] becomes first[n + 1] */
    for (int32_t l = 0; l < links; l++)
        if (end[l] >= 0)
            next[end[l] + 1]++;
    for (int32_t n = 0; n < nodes; n++)
        next[n + 1] += next[n];
    for (int32_t l = 0; l < links; l++)
        if (end[l] >= 0)
            ends.list[next[end[l]]++] = l;
    return ends;
}

struct platform_graph *platform_graph_create(int32_t nodes, int32_t links, const int32_t from[],
                                             const int32_t to[])
{
    struct platform_graph *graph = sup_calloc(1, sizeof *graph);
    const size_t room = ((size_t)links + 1) * sizeof(int32_t);
    graph->nodes = nodes;
    graph->from = sup_malloc(room);
    graph->to = sup_malloc(room);
    for (int32_t l = 0; l < links; l++) {
        graph->from[l] = from[l];
        graph->to[l] = from[l] < 0 ? -1 : to[l];
    }
    graph->in = collect(nodes, links, graph->to);
    graph->out = collect(nodes, links, graph->from);
    graph->far = sup_calloc((size_t)nodes + 1, sizeof *graph->far);
    graph->queue = sup_malloc(((size_t)nodes + 1) * sizeof(int32_t));
    graph->near = sup_malloc(((size_t)nodes + 1) * sizeof *graph->near);
    memset(graph->near, 0xff, ((size_t)nodes + 1) * sizeof *graph->near);
    return graph;
}

static void forget(struct platform_graph *graph)
{
    for (int32_t n = 0; n < graph->nodes; n++) {
        free(graph->far[n]);
        graph->far[n] = NULL;
    }
    graph->kept = 0;
}

void platform_graph_only_ends(struct platform_graph *graph, int32_t hosts)
{
    forget(graph);
    graph->leaves = hosts;
}

void platform_graph_destroy(struct platform_graph *graph)
{
    if (graph == NULL)
        return;
    forget(graph);
    free(graph->from);
    free(graph->to);
    free(graph->in.first);
    free(graph->in.list);
    free(graph->out.first);
    free(graph->out.list);
    free(graph->far);
    free(graph->queue);
    free(graph->near);
    free(graph);
}

void platform_graph_ends(const struct platform_graph *graph, int32_t link, int32_t ends[2])
{
    ends[0] = graph->from[link];
    ends[1] = graph->to[link];
}

/* The node by way of which all routes reach this one, which forwards; or the node itself. */
static int32_t entry_of(const struct platform_graph *graph, int32_t node)
{
    const int32_t *link = graph->in.list, end = graph->in.first[node + 1];
    int32_t i = graph->in.first[node];
    if (i == end || graph->from[link[i]] < graph->leaves)
        return node;
    const int32_t entry = graph->from[link[i]];
    while (++i < end)
        if (graph->from[link[i]] != entry)
            return node;
    return entry;
}

/* Links from any node to this one, UNREACHED for none. */
static const uint16_t *distances(struct platform_graph *graph, int32_t to)
{
    const size_t size = (size_t)graph->nodes * sizeof(uint16_t);
    int32_t *queue = graph->queue, head = 0, tail = 0;
    if (graph->far[to] != NULL)
        return graph->far[to];
    if (graph->kept + size > most_kept)
        forget(graph);
    uint16_t *far = graph->far[to] = sup_malloc(size);
    graph->kept += size;
    memset(far, 0xff, size);
    far[to] = 0;
    queue[tail++] = to;
    while (head < tail) {
        const int32_t at = queue[head++];
        if ((at < graph->leaves && at != to) || far[at] == UNREACHED - 1)
            continue;
        for (int32_t i = graph->in.first[at]; i < graph->in.first[at + 1]; i++) {
            const int32_t next = graph->from[graph->in.list[i]];
            if (far[next] != UNREACHED)
                continue;
            far[next] = (uint16_t)(far[at] + 1);
            queue[tail++] = next;
        }
    }
    return far;
}

/* Is this link the next on a route of so many links, of which `far` says how many remain? */
static bool leads(const struct platform_graph *graph, int32_t link, int32_t to,
                  const uint16_t far[], int32_t remain)
{
    const int32_t next = graph->to[link];
    return far[next] == remain && (next == to || next >= graph->leaves);
}

/* Adds the links of a route to a node whose distances these are. */
static int32_t go(const struct platform_graph *graph, int32_t at, int32_t to, const uint16_t far[],
                  uint64_t *choice, int32_t way[])
{
    int32_t count = 0;
    for (int32_t remain = far[at]; remain-- > 0; at = graph->to[way[count++]]) {
        const int32_t first = graph->out.first[at], end = graph->out.first[at + 1];
        uint64_t next = 0, chosen;
        for (int32_t i = first; i < end; i++)
            next += leads(graph, graph->out.list[i], to, far, remain);
        chosen = *choice % next;
        *choice /= next;
        for (int32_t i = first; i < end; i++)
            if (leads(graph, graph->out.list[i], to, far, remain) && chosen-- == 0)
                way[count] = graph->out.list[i];
    }
    return count;
}

/* A route of at most two links. -1: there is none. */
static int32_t go_near(struct platform_graph *graph, int32_t at, int32_t to, uint64_t *choice,
                       int32_t way[])
{
    const int32_t *in = graph->in.list, *out = graph->out.list;
    const int32_t first = graph->in.first[to], end = graph->in.first[to + 1];
    uint16_t *near = graph->near;
    for (int32_t i = first; i < end; i++)
        near[graph->from[in[i]]] = 1;
    near[to] = 0;
    for (int32_t i = graph->out.first[at]; i < graph->out.first[at + 1] && near[at] > 2; i++)
        if (leads(graph, out[i], to, near, 1))
            near[at] = 2;
    const int32_t count = near[at] == UNREACHED ? -1 : go(graph, at, to, near, choice, way);
    near[at] = near[to] = UNREACHED;
    for (int32_t i = first; i < end; i++)
        near[graph->from[in[i]]] = UNREACHED;
    return count;
}

int32_t platform_graph_way(struct platform_graph *graph, int32_t from, int32_t to, uint64_t choice,
                           int32_t way[])
{
    const int32_t entry = entry_of(graph, to), first = graph->in.first[to];
    int32_t count = graph->far[entry] == NULL ? go_near(graph, from, entry, &choice, way) : -1;
    if (count < 0) {
        const uint16_t *far = distances(graph, entry);
        if (far[from] == UNREACHED)
            return -1;
        count = go(graph, from, entry, far, &choice, way);
    }
    if (entry != to)
        way[count++] =
            graph->in.list[first + (int32_t)(choice % (uint64_t)(graph->in.first[to + 1] - first))];
    return count;
}

/* What platform_graph_longest finds of each host. */
struct reach {
    int32_t entry;
    int32_t into, out; /* hosts that reach this one, and that it reaches, itself included */
};

/* The most links of routes to the hosts of an entry: it may be one itself, and is that of `behind`
 * others. */
static int32_t look_at(struct platform_graph *graph, int32_t entry, int32_t behind, int32_t hosts,
                       struct reach reach[])
{
    const bool itself = entry < hosts && reach[entry].entry == entry;
    const uint16_t *far = distances(graph, entry);
    int32_t longest = 0, count = 0;
    for (int32_t h = 0; h < hosts; h++) {
        if (far[h] == UNREACHED)
            continue;
        const int32_t others = behind - (h != entry && reach[h].entry == entry);
        count++;
        reach[h].out += others + (itself && h != entry);
        if (itself || others > 0)
            longest = far[h] + (others > 0) > longest ? far[h] + (others > 0) : longest;
    }
    for (int32_t h = 0; h < hosts; h++)
        if (reach[h].entry == entry)
            reach[h].into = count + (far[h] == UNREACHED);
    return longest;
}

static int32_t score(const struct reach *reach)
{
    return reach->into < reach->out ? reach->into : reach->out;
}

/* Hosts of one entry have the same distances to others, so there is one search for them. */
int32_t platform_graph_longest(struct platform_graph *graph, int32_t hosts, bool cut_off[])
{
    struct reach *reach = sup_calloc((size_t)hosts + 1, sizeof *reach);
    int32_t *behind = sup_calloc((size_t)graph->nodes + 1, sizeof *behind);
    int32_t longest = 0, best = 0;
    for (int32_t h = 0; h < hosts; h++) {
        reach[h] = (struct reach){.entry = entry_of(graph, h), .out = 1};
        behind[reach[h].entry] += reach[h].entry != h;
    }
    for (int32_t n = 0; n < graph->nodes; n++) {
        if (behind[n] == 0 && (n >= hosts || reach[n].entry != n))
            continue;
        const int32_t here = look_at(graph, n, behind[n], hosts, reach);
        longest = here > longest ? here : longest;
    }
    for (int32_t h = 1; h < hosts; h++)
        best = score(&reach[h]) > score(&reach[best]) ? h : best;
    bool joined = true;
    for (int32_t h = 0; h < hosts; h++) {
        cut_off[h] = score(&reach[h]) < score(&reach[best]) ||
                     (h != best && (distances(graph, reach[best].entry)[h] == UNREACHED ||
                                    distances(graph, reach[h].entry)[best] == UNREACHED));
        joined = joined && score(&reach[h]) == hosts;
    }
    free(reach);
    free(behind);
    return joined ? longest : -1;
}
