/* network.h - the part of a result that describes the network: alpha, beta, contention. */
#ifndef SIM_SIMGRID_NETWORK_H
#define SIM_SIMGRID_NETWORK_H

#include "sim/engine/engine.h"
#include "simgrid_platform.h"

/* Fills alpha_s, beta_s_per_byte and uncontended for ranks on these hosts; result->hosts must be
 * set. RB_EINVAL if ranks share a host that has no route to itself, RB_EFAILED, RB_ENOMEM. */
int s4u_describe_network(const struct sim_spec *spec, struct s4u_platform *platform,
                         const int32_t host[], struct sim_result *result, struct sup_error *error);

#endif
