/* order_search.h - an order of the hosts in which a plan's rounds meet little contention.
 *
 * The load of a round is the load of its fullest link (link_rounds.h), at least 1 where each
 * message has its host's link. The search lowers the sum of the loads over the rounds by exchanging
 * hosts at random, and keeps an exchange that makes the sum smaller, or that leaves it as it is and
 * doesn't make the squares of all links' loads larger. Hosts are exchanged in units: the hosts of a
 * group of the plan stay together, in their order, and so do those that one host's ranks connect.
 * Only units with the same numbers of ranks on their hosts are exchanged, so every host keeps its
 * number of ranks.
 *
 * Rounds with the same messages are counted once, with their number. Messages take the route of
 * their round; where routing is adaptive, the minimal one. */
#ifndef SIM_NETWORK_ORDER_SEARCH_H
#define SIM_NETWORK_ORDER_SEARCH_H

#include "platforms/network.h"
#include "sim/engine/engine.h"

/* Reorders host[r], one for each rank of spec->plan, and describes the search. The result depends
 * on the plan, the network, host and the seed alone; its sum is never larger than at the start.
 * Its work is bounded, not its time. RB_EINVAL for a plan of too many ranks, RB_EFAILED if there is
 * no route. */
int net_order_search(const struct sim_spec *spec, struct platform_network *network, int32_t host[],
                     struct sim_searched *searched, struct sup_error *error);

#endif
