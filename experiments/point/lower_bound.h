/* lower_bound.h - the least time in which any algorithm can do a point's collective on its
 * platform: with its ranks per host, placement, ports and counts, under every overlap rule.
 *
 * docs/bounds.md proves it. The bound knows nothing of the plan: neither its algorithm nor n. It
 * is the largest of these, m being the bytes that have to arrive:
 *   latency  how soon data can have reached all hosts and ranks, if messages carry nothing;
 *   host     what has to cross a host's link, behind the latency of the message that begins it;
 *   rank     what has to go through a rank's ports, and the start-ups for it;
 *   a cut    what has to leave or enter a leaf, a router, a block, .. (platforms/network.h);
 *   a set    of nodes where links differ, the worst of all (platforms/network.h);
 *   routes   what all pairs' data cost on them, and on any others by relays. */
#pragma once

#include "platforms/network.h"
#include "sim/engine/engine.h"

struct point_bound {
    double time_s; /* NAN: none is known, because of the platform (a file), the engine or its
                    * options, or the collective */
    char part[64]; /* which part of the machine binds: "latency", "host", "rank", the name of a cut,
                    * or of one part: "leaf 3's links"; where pairs differ a line of their
                    * matrix, "rank 7's row"; "" where the time is 0 or not known */
};

/* Bounds that were found before on one platform, for points that differ in nothing but what the
 * bound doesn't know, as algorithms and n. NULL: out of memory. */
struct point_bounds;
struct point_bounds *point_bounds_make(void);
void point_bounds_free(struct point_bounds *bounds); /* NULL is fine */

/* Of the spec its plan (collective, p, root, ports, instance) or native collective, layout, ppn,
 * placement and options are read. O(p) for each cut of the platform; O(p^2) for irregular counts of
 * a personalized collective. host[r] is the host of each rank in a result (sim_result); NULL: as
 * the spec's placement says, by a rule. bounds: of this platform; NULL: nothing is known.
 * RB_ENOMEM; RB_EINVAL if the ranks don't fit on the hosts.
 */
int point_bound_find(const struct sim_spec *spec, const struct sim_engine *engine,
                     const struct platform_cuts *cuts, const int32_t host[],
                     struct point_bounds *bounds, struct point_bound *bound,
                     struct sup_error *error);

/* The time over the bound; NAN unless the bound is positive. */
double point_bound_ratio(double time_s, const struct point_bound *bound);

/* The least times after which data of one rank can be at so many hosts, and at so many ranks: a
 * message takes alpha_s between hosts and inner_s inside, a rank sends `ports` messages at once,
 * and at most per_host ranks are on a host. Both counts are at least 1 and include the first.
 * per_host 1: each host has one rank. O(hosts' generations^2 log per_host). */
struct point_spread {
    double alpha_s, inner_s;
    int32_t ports, per_host;
};
struct point_spread_times {
    double hosts_s, ranks_s;
};
struct point_spread_times point_bound_spread(const struct point_spread *spread, int64_t hosts,
                                             int64_t ranks);

/* True if the collective's results are prefixes, of ranks in their order. */
bool point_is_scan(const char *collective);
