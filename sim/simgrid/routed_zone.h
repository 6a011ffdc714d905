/* routed_zone.h - a zone of SimGrid whose routes come from a network's formula. */
#ifndef SIM_SIMGRID_ROUTED_ZONE_H
#define SIM_SIMGRID_ROUTED_ZONE_H

#include "platforms/network.h"

/* Makes the running engine's platform of this network, which the zone destroys. Throws what SimGrid
 * throws. */
void s4u_routed_zone_create(struct platform_network *network);

#endif
