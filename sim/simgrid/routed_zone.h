/* routed_zone.h - a zone of SimGrid whose routes come from a network's formula. */
#ifndef SIM_SIMGRID_ROUTED_ZONE_H
#define SIM_SIMGRID_ROUTED_ZONE_H

#include <vector>

#include <simgrid/s4u.hpp>

#include "platforms/network.h"

/* Makes the running engine's platform of this network, which the zone destroys. Returns the hosts
 * in the network's order. Throws what SimGrid throws. */
std::vector<simgrid::s4u::Host *> s4u_routed_zone_create(struct platform_network *network);

#endif
