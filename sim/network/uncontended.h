/* uncontended.h - checks that all pairs of hosts have the same cost and share no inner links. */
#ifndef SIM_NETWORK_UNCONTENDED_H
#define SIM_NETWORK_UNCONTENDED_H

#include "platforms/network.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Sets *uncontended if all routes between different hosts have the same latency and bandwidth, and
 * each consists of one link over which only its source sends, one link over which only its
 * destination receives, and otherwise links that are not shared. Tests all pairs of up to 128
 * hosts; of more hosts, the pairs whose distance is a power of two or of three, from every host;
 * stops at the first pair that differs. True for one host. RB_EFAILED. */
int net_uncontended(struct platform_network *network, bool *uncontended, struct sup_error *error);

#ifdef __cplusplus
}
#endif
#endif
