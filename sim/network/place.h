/* place.h - which host each rank is on, for engines that have a network: by a rule, by a file that
 * names hosts, or by a search. */
#ifndef SIM_NETWORK_PLACE_H
#define SIM_NETWORK_PLACE_H

#include "platforms/network.h"
#include "sim/engine/engine.h"

/* Fills host[r] for each rank of the spec's workload, plan or native collective, and of the result
 * host, host_names and searched where they are asked for. As sim_placement_map and
 * net_order_search; RB_EINVAL too for a search without a plan. */
int net_place(const struct sim_spec *spec, struct platform_network *network, int32_t host[],
              struct sim_result *result, struct sup_error *error);

#endif
