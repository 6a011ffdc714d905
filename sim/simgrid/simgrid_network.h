/* simgrid_network.h - a platform that SimGrid has loaded, as a network. */
#ifndef SIM_SIMGRID_SIMGRID_NETWORK_H
#define SIM_SIMGRID_SIMGRID_NETWORK_H

#include "platforms/network.h"
#include "simgrid_platform.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Links and hosts have the platform's numbers. The network keeps the routes of up to 2^18 pairs of
 * hosts, because SimGrid takes long to find one. It must not outlive the platform; free it with
 * platform_network_destroy. */
struct platform_network *s4u_network_create(struct s4u_platform *platform);

#ifdef __cplusplus
}
#endif
#endif
