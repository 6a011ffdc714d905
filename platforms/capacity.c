/* capacity.c - see network.h. Maximum flows by Dinic's algorithm. */
#include "network.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/memory.h"

void platform_arcs_free(struct platform_arcs *arcs)
{
    free(arcs->from);
    free(arcs->to);
    free(arcs->bandwidth);
    *arcs = (struct platform_arcs){0};
}

bool platform_arcs_find(const struct platform_network *network, struct platform_arcs *arcs)
{
    const size_t most = (size_t)network->links;
    *arcs = (struct platform_arcs){.hosts = network->hosts,
                                   .nodes = platform_network_nodes(network),
                                   .from = sup_malloc(most * sizeof *arcs->from),
                                   .to = sup_malloc(most * sizeof *arcs->to),
                                   .bandwidth = sup_malloc(most * sizeof *arcs->bandwidth)};
    bool known = true;
    for (int32_t l = network->hosts; l < network->links - network->memory_links && known; l++) {
        const struct platform_link *link = &network->link[l];
        int32_t ends[2];
        known = platform_network_ends(network, l, ends) || link->failed;
        if (!known || link->failed || ends[0] == ends[1])
            continue;
        arcs->from[arcs->count] = ends[0];
        arcs->to[arcs->count] = ends[1];
        arcs->bandwidth[arcs->count++] = link->bandwidth;
    }
    if (!known)
        platform_arcs_free(arcs);
    return known;
}

/* ---- Flows ----------------------------------------------------------------------------------- */

/* Node `nodes` is the source, from which an edge leads to each node. Edge e and its backward edge
 * e ^ 1 follow each other: first those of the arcs, then those of the source. */
struct flow {
    const struct platform_arcs *arcs;
    double *left;                /* per edge: what it can still carry; owned */
    int32_t *to, *next;          /* per edge: its head, and the next one of its tail; owned */
    int32_t *first, *level, *at; /* per node; owned, with: */
    int32_t *queue;
    double least; /* so little doesn't count */
};

static void begin(struct flow *flow, const struct platform_arcs *arcs)
{
    const int32_t nodes = arcs->nodes + 1, edges = 2 * (arcs->count + arcs->nodes);
    *flow = (struct flow){.arcs = arcs,
                          .left = sup_malloc((size_t)edges * sizeof *flow->left),
                          .to = sup_malloc(2 * (size_t)edges * sizeof *flow->to),
                          .first = sup_malloc(4 * (size_t)nodes * sizeof *flow->first)};
    flow->next = flow->to + edges;
    flow->level = flow->first + nodes;
    flow->at = flow->level + nodes;
    flow->queue = flow->at + nodes;
    memset(flow->first, 0xff, (size_t)nodes * sizeof *flow->first); /* -1 */
    for (int32_t e = 0; e < edges; e++) {
        const int32_t arc = e / 2, own = arc - arcs->count;
        const int32_t tail = own < 0 ? arcs->from[arc] : arcs->nodes;
        const int32_t head = own < 0 ? arcs->to[arc] : own;
        flow->to[e] = e % 2 == 0 ? head : tail;
        flow->next[e] = flow->first[e % 2 == 0 ? tail : head];
        flow->first[e % 2 == 0 ? tail : head] = e;
    }
}

/* Levels by hops from the source over edges that have room; false: the sink has none. */
static bool find_levels(struct flow *flow, int32_t sink)
{
    const int32_t source = flow->arcs->nodes;
    int32_t queued = 1;
    for (int32_t n = 0; n <= source; n++) {
        flow->level[n] = n == source ? 0 : -1;
        flow->at[n] = flow->first[n];
    }
    flow->queue[0] = source;
    for (int32_t i = 0; i < queued; i++)
        for (int32_t e = flow->first[flow->queue[i]]; e >= 0; e = flow->next[e]) {
            if (flow->left[e] <= flow->least || flow->level[flow->to[e]] >= 0)
                continue;
            flow->level[flow->to[e]] = flow->level[flow->queue[i]] + 1;
            flow->queue[queued++] = flow->to[e];
        }
    return flow->level[sink] >= 0;
}

/* What of `room` gets from the node to the sink, level by level. As deep as there are levels. */
static double push(struct flow *flow, int32_t node, int32_t sink, double room)
{
    double sent = 0;
    if (node == sink)
        return room;
    for (int32_t e; (e = flow->at[node]) >= 0; flow->at[node] = flow->next[e]) {
        if (flow->left[e] <= flow->least || flow->level[flow->to[e]] != flow->level[node] + 1)
            continue;
        const double got = push(flow, flow->to[e], sink, fmin(flow->left[e], room - sent));
        flow->left[e] -= got;
        flow->left[e ^ 1] += got;
        sent += got;
        if (room - sent <= flow->least)
            break; /* the edge may have room left */
    }
    return sent;
}

/* True if the weights, in `worst` seconds, get to the sink. If not, the nodes with levels are a set
 * that is worse. */
static bool reaches(struct flow *flow, const double weight[], double worst, int32_t sink)
{
    const struct platform_arcs *arcs = flow->arcs;
    double wanted = 0, sent = 0;
    for (int32_t a = 0; a < arcs->count + arcs->nodes; a++) {
        const int32_t node = a - arcs->count;
        flow->left[2 * a] = node < 0 ? arcs->bandwidth[a] * worst : weight[node];
        flow->left[2 * a + 1] = 0;
        wanted += node < 0 ? 0 : weight[node];
    }
    flow->least = wanted * 1e-13;
    while (wanted - sent > 1e-10 * wanted && find_levels(flow, sink))
        sent += push(flow, arcs->nodes, sink, wanted - sent);
    return wanted - sent <= 1e-10 * wanted;
}

/* ---- Sets ------------------------------------------------------------------------------------ */

static double weigh(const struct platform_arcs *arcs, const double weight[], const bool in[])
{
    double bytes = 0, bytes_per_s = 0;
    for (int32_t n = 0; n < arcs->nodes; n++)
        bytes += in[n] ? weight[n] : 0;
    for (int32_t a = 0; a < arcs->count; a++)
        bytes_per_s += in[arcs->from[a]] && !in[arcs->to[a]] ? arcs->bandwidth[a] : 0;
    return bytes > 0 ? bytes / bytes_per_s : 0;
}

double platform_worst_set(const struct platform_arcs *arcs, const double weight[],
                          const bool sink[], int64_t work, bool in[])
{
    struct flow flow;
    const size_t size = (size_t)arcs->nodes * sizeof *in;
    bool *set = sup_malloc(size);
    double *enters = sup_calloc((size_t)arcs->nodes, sizeof *enters); /* bytes per second */
    double all = 0, most = 0, narrowest = INFINITY;
    int32_t sinks = 0, shown = 0; /* to the last `shown` sinks in a row everything gets */
    int32_t lone = 0;             /* the first set lacks this sink alone */
    begin(&flow, arcs);
    for (int32_t a = 0; a < arcs->count; a++) {
        enters[arcs->to[a]] += arcs->bandwidth[a];
        narrowest = fmin(narrowest, arcs->bandwidth[a]);
    }
    for (int32_t n = 0; n < arcs->nodes; n++)
        all += weight[n];
    for (int32_t n = 0; n < arcs->nodes; n++) {
        const bool is_worse = (all - weight[n]) * enters[lone] > (all - weight[lone]) * enters[n];
        lone = sink[n] && (sinks == 0 || is_worse) ? n : lone;
        sinks += sink[n];
        most = sink[n] ? fmax(most, (all - weight[n]) / narrowest) : most;
    }
    for (int32_t n = 0; n < arcs->nodes; n++)
        in[n] = n != lone;
    double worst = weigh(arcs, weight, in);
    /* No set is worse than `most`, as each is left by an arc. */
    for (int32_t n = lone; shown < sinks && worst * (1 + 1e-12) < most && work > 0;
         n = n + 1 < arcs->nodes ? n + 1 : 0) {
        if (!sink[n])
            continue;
        work -= arcs->count;
        shown++;
        if (reaches(&flow, weight, worst, n))
            continue;
        for (int32_t i = 0; i < arcs->nodes; i++)
            set[i] = flow.level[i] >= 0;
        const double found = weigh(arcs, weight, set);
        if (found > worst) {
            worst = found;
            memcpy(in, set, size);
            shown = 0;
        }
    }
    free(set);
    free(enters);
    free(flow.left);
    free(flow.to);
    free(flow.first);
    return worst;
}
