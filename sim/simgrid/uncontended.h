/* uncontended.h - checks that all pairs of hosts have the same cost and share no inner links. */
#ifndef SIM_SIMGRID_UNCONTENDED_H
#define SIM_SIMGRID_UNCONTENDED_H

#include "simgrid_platform.h"

#ifdef __cplusplus
extern "C" {
#endif

/* *uncontended: all routes between different hosts have the same latency and bandwidth, and each
 * consists of one link that only its source sends over, one that only its destination receives
 * over, and otherwise of links that aren't shared. Looks at all pairs of up to 128 hosts; of more
 * hosts at the pairs whose distance is a power of two or of three, from every host, and stops at
 * the first that differs. With one host there is nothing to contend for: true. RB_ENOMEM,
 * RB_EFAILED. */
int s4u_uncontended(struct s4u_platform *platform, bool *uncontended, struct sup_error *error);

#ifdef __cplusplus
}
#endif
#endif
