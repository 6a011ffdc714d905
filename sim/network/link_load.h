/* link_load.h - what each link carried, by adding a message's bytes to all links of its route. */
#ifndef SIM_NETWORK_LINK_LOAD_H
#define SIM_NETWORK_LINK_LOAD_H

#include "link_rounds.h"
#include "platforms/network.h"
#include "sim/engine/engine.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { NET_NAME = 256 }; /* bytes that a link's name is cut to */

struct net_traffic {
    int64_t bytes;
    int64_t messages;
};

struct net_link_load {
    struct platform_network *network;
    struct net_traffic *link; /* by number of the link */
};

/* The network must outlive it. */
void net_link_load_init(struct net_link_load *load, struct platform_network *network);
void net_link_load_free(struct net_link_load *load); /* safe on a zeroed struct */

/* One message on this route. */
void net_link_load_add(struct net_link_load *load, const struct platform_route *route,
                       int64_t bytes);
/* The same between two hosts, on the route that key chooses. RB_EFAILED if there is none. */
int net_link_load_add_between(struct net_link_load *load, int32_t from, int32_t to, uint64_t key,
                              int64_t bytes, struct sup_error *error);

/* Bytes over links that are no host's own. O(links). */
int64_t net_link_load_inner(const struct net_link_load *load);

/* Up to `wanted` links that carried messages, busiest (most bytes per bandwidth) first, allocated,
 * with allocated names, and the most messages of a round that each carries. RB_EFAILED.
 */
void net_link_load_busiest(struct net_link_load *load, const struct net_link_rounds *rounds,
                           int32_t wanted, struct sim_link **links, int32_t *count);

#ifdef __cplusplus
}
#endif
#endif
