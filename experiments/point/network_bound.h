/* network_bound.h - what the links and routes of one network say of the least time. Private to this
 * folder; docs/bounds.md has the proofs ("The worst set", "Routes"). */
#ifndef EXPERIMENTS_POINT_NETWORK_BOUND_H
#define EXPERIMENTS_POINT_NETWORK_BOUND_H

#include "experiments/point/bound_problem.h"
#include "experiments/point/lower_bound.h"

/* What is found once for all points on a platform: for pairs, which includes alltoall, the routes,
 * O(hosts^2 links of a route); for other needs the links, where they differ. */
struct point_network;
struct point_network *point_network_make(const char *platform, const struct platform_cuts *cuts,
                                         bool pairs);
void point_network_free(struct point_network *network); /* NULL is fine */

/* A bound, and in part what binds. The time is 0 if there is none. O(p) and some maximum flows; for
 * pairs O(hosts^2 + places^3), of irregular counts O(p^2). */
void point_network_bound(const struct point_network *network, const struct point_problem *problem,
                         struct point_bound *bound);

#endif
