/* capacity.h - what sets of a network's nodes can exchange with the rest, and which set is worst.
 *
 * The worst set is ForestColl's (Zhao et al., arXiv 2402.06787, Section 4): an allgather takes at
 * least the largest of weight(S) / bandwidth(S), the weight of a host being its share, over all
 * sets S of hosts and switches that lack a host. docs/bounds.md has the proof for plans of any
 * routing. */
#ifndef PLATFORMS_CAPACITY_H
#define PLATFORMS_CAPACITY_H

#include <stdbool.h>
#include <stdint.h>

#include "network.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Links as arcs between nodes; nodes 0 .. hosts - 1 are hosts, switches follow. */
struct platform_arcs {
    int32_t hosts, nodes, count;
    int32_t *from, *to; /* owned */
    double *bandwidth;  /* bytes per second, > 0; owned */
};

/* Those of the network that messages between hosts share, without failed ones. False: it isn't
 * known which nodes links join. O(links). */
bool platform_arcs_find(const struct platform_network *network, struct platform_arcs *arcs);
void platform_arcs_free(struct platform_arcs *arcs); /* safe on a zeroed struct */

/* Of all sets of nodes that lack a sink, in[] becomes one for which weight(S) / bandwidth(S) is
 * largest, the bandwidth being that of the arcs that leave S; returns this quotient, 0 if all
 * weights are. weight[n] >= 0 and sink[n] of each node; there must be a sink.
 *
 * Newton's method on the quotient: maximum flows from all weights to each sink either prove that no
 * set is worse, or the least cut of one is, to 1e-10. Where a single sink hangs by the narrowest of
 * all arcs no set is worse, and no flow is needed. Where `work` flows times arcs do not suffice, it
 * is the worst set that was seen. */
double platform_worst_set(const struct platform_arcs *arcs, const double weight[],
                          const bool sink[], int64_t work, bool in[]);

#ifdef __cplusplus
}
#endif
#endif
