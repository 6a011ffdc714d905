/* network.h - what a result says about the network its ranks are on: alpha, beta, contention. */
#ifndef RB_SIM_SIMGRID_NETWORK_H
#define RB_SIM_SIMGRID_NETWORK_H

#include "sim/engine/engine.h"
#include "simgrid_platform.h"

/* Fills alpha_s, beta_s_per_byte and uncontended for ranks on these hosts; result->hosts must be
 * set. RB_EINVAL if ranks share a host that has no way to itself, RB_EFAILED, RB_ENOMEM. */
int rb_describe_network(const struct rb_sim_spec *spec, struct rb_simgrid *platform,
                        const int32_t host[], struct rb_sim_result *result, struct rb_error *error);

#endif
