/* link_use.h - the bytes that each link carries in each bin of time, while a run goes on whose end
 * is not known: when the time exceeds the bins, pairs of them are merged and the bins are twice as
 * wide. So memory is bounded: 2 KiB for each link that carries anything. */
#ifndef SIM_NETWORK_LINK_USE_H
#define SIM_NETWORK_LINK_USE_H

#include "platforms/network.h"
#include "sim/engine/contention.h"
#include "sim/engine/engine.h"

#ifdef __cplusplus
extern "C" {
#endif

struct net_link_use {
    struct platform_network *network;
    double bin_s;     /* 0: nothing yet */
    double **carried; /* per link: bytes per bin, or NULL for none; owned */
};

/* The network must outlive it. */
void net_link_use_init(struct net_link_use *use, struct platform_network *network);
void net_link_use_free(struct net_link_use *use); /* safe on a zeroed struct */

/* All links of a route carried so many bytes from from_s to to_s, at a constant rate. O(links x
 * bins between these times). */
void net_link_use_add(struct net_link_use *use, const struct platform_route *route, double from_s,
                      double to_s, double bytes);

/* After the run: fills result->contention, for which the bins move to the result; its time must be
 * set. host[r] for each rank. Walks over the plan once more for the rounds. RB_EFAILED.
 */
int net_link_use_take(struct net_link_use *use, const struct sim_spec *spec, const int32_t host[],
                      struct sim_result *result, struct sup_error *error);

#ifdef __cplusplus
}
#endif
#endif
