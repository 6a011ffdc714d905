/* graph.h - internal to this folder: a network as nodes and links, with routes of fewest hops.
 *
 * Nodes are hosts, 0 .. hosts - 1, and switches behind them. A link leads from one node to another;
 * a cable is two links. The route between two nodes has the fewest links; of several next links
 * on such routes `choice` decides, among those in the order of their numbers: it is taken modulo
 * their count, and divided by it for the links that follow. So the destination's number gives what
 * d-mod-k gives, and a hash gives ECMP. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct platform_graph;

/* The graph of these links: from[l], to[l] of link l, or from[l] < 0: there is no link l. The
 * arrays are copied. O(nodes + links). The caller frees it with platform_graph_destroy. */
struct platform_graph *platform_graph_create(int32_t nodes, int32_t links, const int32_t from[],
                                             const int32_t to[]);
void platform_graph_destroy(struct platform_graph *graph); /* NULL is fine */
/* From now on no route leads through a node below `hosts`, as in networks with switches. Such a
 * host that is joined to two switches does not forward between them. */
void platform_graph_only_ends(struct platform_graph *graph, int32_t hosts);

/* The links of a route between two different nodes, into way[], in order; returns their number, or
 * -1 if there is none. Distances to a destination are found when they are first asked for, O(nodes
 * + links), and kept; then O(hops x links of a node). Not for several threads at once. */
int32_t platform_graph_way(struct platform_graph *graph, int32_t from, int32_t to, uint64_t choice,
                           int32_t way[]);
/* The nodes from which and to which a link leads. */
void platform_graph_ends(const struct platform_graph *graph, int32_t link, int32_t ends[2]);
/* The most links that a route of any two nodes below `hosts` has; -1 if some are not joined: then
 * cut_off[i] says which of them the largest part lacks.
 * O(s (nodes + links)), where s is the number of switches that have hosts. */
int32_t platform_graph_longest(struct platform_graph *graph, int32_t hosts, bool cut_off[]);

/* Sets that are joined two by two: which nodes hang together. above[n] is a node of n's
 * part, at first n itself; the least node of a part stands for it. */

/* The node that stands for n's part. Ways are halved as they are gone, so that most are short. */
static inline int32_t platform_part_of(int32_t above[], int32_t n)
{
    while (above[n] != n)
        n = above[n] = above[above[n]];
    return n;
}

static inline void platform_part_join(int32_t above[], int32_t a, int32_t b)
{
    a = platform_part_of(above, a);
    b = platform_part_of(above, b);
    if (a < b)
        above[b] = a;
    else
        above[a] = b;
}
