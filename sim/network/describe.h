/* describe.h - the part of a result that describes the network: alpha, beta, contention. */
#ifndef SIM_NETWORK_DESCRIBE_H
#define SIM_NETWORK_DESCRIBE_H

#include "links.h"
#include "platforms/network.h"
#include "sim/engine/engine.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Fills alpha_s, beta_s_per_byte and uncontended for ranks on these hosts, and network->altered;
 * result->hosts must be set. RB_EINVAL if ranks share a host that has no way to itself;
 * RB_EFAILED. */
int net_describe(const struct sim_spec *spec, struct platform_network *network,
                 const int32_t host[], struct sim_result *result, struct sup_error *error);

/* Fills links and fullest: the load of the links, in all and in one round of the spec's plan; of a
 * workload, which has no rounds of its own, in all. host[r] for each rank. RB_EFAILED. */
int net_take_links(struct net_link_load *load, const struct sim_spec *spec, const int32_t host[],
                   struct sim_result *result, struct sup_error *error);

/* How long a message of so many bytes takes from one host to another if it shares no link; 0 if the
 * network is altered, or there is no route. The key chooses the route. net_describe comes first. */
double net_alone_s(struct platform_network *network, int32_t from, int32_t to, uint64_t key,
                   int64_t bytes);

#ifdef __cplusplus
}
#endif
#endif
