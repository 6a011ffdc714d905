/* links.h - what the links of a network carry: by round, in all, and by time. */
#pragma once

#include "platforms/network.h"
#include "sim/engine/contention.h"
#include "sim/engine/engine.h"

/* ---- What a message could have ----------------------------------------------------------------
 */

/* The bandwidth of routes by their number of links, the best of some between these hosts: what a
 * message gets on hosts' own links where no link in between is slow. */
enum { NET_LENGTHS = 64 };
struct net_alone {
    double bandwidth[NET_LENGTHS];
};
/* host[r] for each rank. A pair without a route, over which no message may go, is left out. O(p).
 */
void net_find_alone(struct platform_network *network, const int32_t host[], int32_t p,
                    struct net_alone *alone);
/* Never less than the route's own. */
double net_alone_bandwidth(const struct net_alone *alone, const struct platform_route *route);

/* ---- Rounds ---------------------------------------------------------------------------------- */

/* Counts the messages of one round on each link, to find out whether a plan is free of contention
 * on these hosts. The counts come from the plan and the routes alone and hold for every overlap
 * rule; in lockstep these messages share the link at the same time. Adaptive routing is taken to
 * route the messages of a round in the order of their senders. */

struct net_link_rounds {
    int32_t *most;   /* per link: the largest number of messages of one round; owned */
    int32_t fullest; /* the shared link with the highest load in a round, the first of several; -1:
                      * no link is used */
    int64_t fullest_round; /* the first */
    int32_t fullest_messages;
    double load; /* the time that the link needs for these messages, over that which the longest
                  * message of the round needs alone (net_alone_bandwidth) */
};

/* host[r] for each rank of the plan; layout as for rb_layout_round. O(messages x links
 * of a route), memory O(p + links). RB_EFAILED if there is no route. */
int net_link_rounds_count(const struct rb_plan *plan, const struct rb_layout *layout,
                          struct platform_network *network, const int32_t host[],
                          struct net_link_rounds *rounds, struct sup_error *error);
/* One round of a plan. Arrays by number of the link have values for these links only. */
struct net_round {
    int64_t round;
    int32_t count;
    const int32_t *link;     /* those that carry a message in this round */
    const int32_t *messages; /* by number of the link */
    const double *load;      /* by number of the link, as struct net_link_rounds has it */
};
typedef void net_round_visitor(void *context, const struct net_round *round);

void net_link_rounds_free(struct net_link_rounds *rounds); /* safe on a zeroed struct */

/* ---- Loads ----------------------------------------------------------------------------------- */

/* What each link carried, by adding a message's bytes to all links of its route. */

enum { NET_NAME = 256 }; /* bytes that a link's name is cut to */

struct net_traffic {
    int64_t bytes;
    int64_t messages;
};

struct net_link_load {
    struct platform_network *network;
    struct net_traffic *link; /* by number of the link */
};

/* The network must outlive it. */
void net_link_load_init(struct net_link_load *load, struct platform_network *network);
void net_link_load_free(struct net_link_load *load); /* safe on a zeroed struct */

/* One message on this route. */
void net_link_load_add(struct net_link_load *load, const struct platform_route *route,
                       int64_t bytes);
/* The same between two hosts, on the route that key chooses. RB_EFAILED if there is none. */
int net_link_load_add_between(struct net_link_load *load, int32_t from, int32_t to, uint64_t key,
                              int64_t bytes, struct sup_error *error);

/* ---- Bins of time ---------------------------------------------------------------------------- */

/* The bytes that each link carries in each bin of time, while a run goes on whose end is not
 * known: when the time exceeds the bins, pairs of them are merged and the bins are twice as wide.
 * So memory is bounded: 2 KiB for each link that carries anything. */

struct net_link_use {
    struct platform_network *network;
    double bin_s;     /* 0: nothing yet */
    double **carried; /* per link: bytes per bin, or NULL for none; owned */
};

/* The network must outlive it. */
void net_link_use_init(struct net_link_use *use, struct platform_network *network);
void net_link_use_free(struct net_link_use *use); /* safe on a zeroed struct */

/* All links of a route carried so many bytes from from_s to to_s, at a constant rate. O(links x
 * bins between these times). */
void net_link_use_add(struct net_link_use *use, const struct platform_route *route, double from_s,
                      double to_s, double bytes);

/* After the run: fills result->contention, for which the bins move to the result; its time must be
 * set. host[r] for each rank. Walks over the plan once more for the rounds. RB_EFAILED.
 */
int net_link_use_take(struct net_link_use *use, const struct sim_spec *spec, const int32_t host[],
                      struct sim_result *result, struct sup_error *error);

/* ---- What a result says of the network ------------------------------------------------------- */

/* The part of a result that describes the network: alpha, beta, contention. */

/* Fills alpha_s, beta_s_per_byte and uncontended for ranks on these hosts, and network->altered;
 * result->hosts must be set. RB_EINVAL if ranks share a host that has no way to itself;
 * RB_EFAILED. */
int net_describe(const struct sim_spec *spec, struct platform_network *network,
                 const int32_t host[], struct sim_result *result, struct sup_error *error);

/* Fills links and fullest: the load of the links, in all and in one round of the spec's plan; of a
 * workload, which has no rounds of its own, in all. host[r] for each rank. RB_EFAILED. */
int net_take_links(struct net_link_load *load, const struct sim_spec *spec, const int32_t host[],
                   struct sim_result *result, struct sup_error *error);

/* How long a message of so many bytes takes from one host to another if it shares no link; 0 if the
 * network is altered, or there is no route. The key chooses the route. net_describe comes first. */
double net_alone_s(struct platform_network *network, int32_t from, int32_t to, uint64_t key,
                   int64_t bytes);
