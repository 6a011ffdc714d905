/* network.h - a network for engines: its links, and the links that a message between two hosts
 * crosses. Simulation, link loads and the test for contention use this interface, both for a
 * generator's formula and for SimGrid's routes.
 *
 * The formulas give the links, routes and names that SimGrid makes of the platform's XML, where
 * SimGrid knows such routes. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "platform.h"
#include "support/error.h"

/* ---- How fast a part of a platform can exchange data with the rest --------------------------- */

/* A cut divides the terminals of hosts (platform.h), in their order, into parts of equally many
 * (the last one may have fewer). Its bandwidth is that of all links together that leave a part,
 * which is also that of the links that enter it. No routing gets data faster out of a part, or
 * into it. docs/bounds.md says what follows from this. */

struct platform_cut {
    char name[32];     /* of a part: "host", "leaf", "router", "block of 8 hosts" */
    int32_t terminals; /* of a part, >= 1 */
    double bandwidth;  /* bytes per second in each direction, of the part that has most */
};

enum { PLATFORM_MOST_CUTS = 40, PLATFORM_MOST_SIDES = 16 };

struct platform_cuts {
    struct platform_hosts who; /* in the terminals */
    double message_bandwidth;  /* bytes per second, the most that a message between hosts gets */
    double latency_s;          /* of a message between hosts, the least */
    double loopback_bandwidth, loopback_latency_s; /* of a message inside a host */
    int32_t node_terminals; /* of hosts that are nearer to each other than to others; 0: all are
                             * equally near */
    double node_latency_s;  /* of a message between such nodes, the least, and in bytes per second
                             * the most that it gets */
    double node_message_bandwidth;
    double memory_bandwidth; /* bytes per second that a host's messages inside share; 0: none */
    bool memory_of_all;      /* a host's messages from, and to, others share it, too */
    struct platform_grid {   /* of terminals, along side[0] first; 0 sides: none */
        int32_t sides, side[PLATFORM_MOST_SIDES];
        bool wraps;
        double hop_s; /* the latency of each hop of a message but one, which is in latency_s */
    } grid;
    bool irregular; /* some links have less bandwidth than the cuts say, or none */
    int32_t count;
    struct platform_cut cut[PLATFORM_MOST_CUTS]; /* the first: each host alone */
};

/* The cuts of a generator's text. RB_EINVAL if it is wrong, or names a file, whose cuts are not
 * known. O(hosts) at most, to find the generator's shape. */
int platform_find_cuts(const char *text, struct platform_cuts *cuts, struct sup_error *error);

/* The hops of a shortest way between two terminals of the grid; 1 where there is none. */
int32_t platform_cuts_hops(const struct platform_cuts *cuts, int32_t from, int32_t to);
/* Where the number-th of the grid's first `count` parts of so many terminals, which are such as
 * rows and planes, comes on a way round these that ends with the last one. Parts that follow one
 * another there are neighbours, or two hops apart where their number is odd or the grid leaves no
 * other way; so are the last and the first if it wraps. Its number where a part is none of the
 * grid's. */
int64_t platform_cuts_cycle(const struct platform_cuts *cuts, int32_t terminals, int32_t count,
                            int32_t number);

/* ---- For generators ----
 *
 * Adds a cut into parts of so many terminals; none if there is no room left, if a part is one
 * terminal or if there would be one part. name: NULL for the number of terminals. */
void platform_cuts_add(struct platform_cuts *cuts, const char *name, int64_t terminals,
                       double bandwidth);
/* Keeps the grid, and adds its cuts into blocks, of cables of this bandwidth: hosts count along
 * side[0] first. `wraps`: its first and last are joined too, but sides of two have one cable only.
 */
void platform_cuts_add_grid(struct platform_cuts *cuts, const int32_t side[], int32_t sides,
                            bool wraps, double bandwidth);

struct platform_link {
    double bandwidth; /* bytes per second */
    double latency_s;
    bool shared; /* false: every message has the whole bandwidth (FATPIPE) */
    bool failed; /* nothing can go over it, and no route does */
    bool slow;   /* it has less than the generator says */
};

struct platform_route {
    const int32_t *link; /* in the order in which a message crosses them */
    int32_t count;
    double latency_s; /* the sum */
    double bandwidth; /* bytes per second, the least; 0 for no links */
};

enum { PLATFORM_MOST_SHAPE = 20, PLATFORM_MOST_KINDS = 16 };

/* How adaptive routing measures the load of a route. */
enum platform_load {
    PLATFORM_NO_LOAD,      /* it does not: routing is not adaptive */
    PLATFORM_FULLEST_LINK, /* by the fullest link of the whole route */
    PLATFORM_FIRST_LINK    /* by the first link after the host's own */
};

/* The rule by which routes are chosen, from the generator's option `routing`. */
struct platform_routing {
    int32_t rule; /* in the generator's own list */
    uint64_t seed;
    bool detours;     /* some or all messages go over a random third place */
    bool per_message; /* messages between the same two hosts may take different routes */
    enum platform_load load;
};

/* Where a link is, for reports that show links by levels. */
struct platform_place {
    int32_t level; /* about in the order in which messages cross links of several levels */
    char name[24]; /* of the level: "host up" */
    int64_t order; /* within the level, by the sending end: hosts, switches, groups one by one */
};

struct platform_network;
/* Of a formula: the links between two different hosts, into way[]; returns their number. And the
 * name of a link that isn't a loopback. */
typedef int32_t platform_way_finder(const struct platform_network *network, int32_t from,
                                    int32_t to, uint64_t key, int32_t way[]);
typedef void platform_link_namer(const struct platform_network *network, int32_t link, char *name,
                                 size_t size);
/* Of a formula: the nodes that a link joins which is no host's own. Switches are nodes; where hosts
 * have no links of their own, they are. */
typedef void platform_ends_finder(const struct platform_network *network, int32_t link,
                                  int32_t ends[2]);
/* Of a formula: changes the place of a link that isn't a host's own; it has level 2, and its number
 * as order. */
typedef void platform_link_placer(const struct platform_network *network, int32_t link,
                                  struct platform_place *place);

struct platform_network {
    int32_t hosts, links;
    struct platform_link *link; /* owned; NULL once they are settled: platform_network_link */
    struct platform_routing routing;
    bool damaged; /* by the options fail and slow */
    bool altered; /* options or settings in its file change times: links alone don't give them */

    /* What platform_network_route, _link_name, _host_name and _destroy call. */
    int (*find_route)(struct platform_network *network, int32_t from, int32_t to, uint64_t key,
                      struct platform_route *route, struct sup_error *error);
    void (*name_link)(const struct platform_network *network, int32_t link, char *name,
                      size_t size);
    void (*name_host)(const struct platform_network *network, int32_t host, char *name,
                      size_t size);
    void (*destroy)(struct platform_network *network);
    void *source; /* theirs */

    /* Of formulas. Link h is host h's loopback. Where hosts have links of their own, hosts + 2 h is
     * the one from host h into the network, and hosts + 2 h + 1 the one to it. */
    char zone[24];                      /* the generator's name, of which SimGrid makes names */
    int32_t shape[PLATFORM_MOST_SHAPE]; /* the generator's own */
    struct platform_graph *graph;       /* owned, the generator's own, too; or NULL */
    /* The last links are those of the hosts' memories: of each host in turn one, which messages
     * inside the host cross after its loopback; or two, from which messages are read and to which
     * they are written, which messages between hosts cross, too. */
    int32_t memory_links;
    uint8_t *kind; /* owned, of each link that is settled; or NULL */
    struct platform_link of_kind[PLATFORM_MOST_KINDS];
    int32_t *way;          /* owned: room for the longest route */
    double link_bandwidth; /* bytes per second, of one link */
    platform_way_finder *find_way;
    platform_link_namer *name_inner;
    platform_link_placer *place_inner; /* NULL: all inner links are one level */
    platform_ends_finder *find_ends;   /* NULL: there are only hosts' own links */
    bool own_links;                    /* hosts have links of their own */
    int32_t sharers;         /* hosts of the generator whose own links lead to one switch, those of
                              * its first switch first; 0: all lead to switch 0 */
    const int32_t *terminal; /* of each host, its number among those; NULL: the host's own */
    int32_t nics; /* link nics + 2 h is that by which host h's network interface sends: the host's
                   * own, or on rails one behind it; 0: hosts have none, or it isn't known */
};

/* The network of a generator's text, by formula; free it with platform_network_destroy. RB_EINVAL
 * for the text. */
int platform_network_create(const char *text, struct platform_network **network,
                            struct sup_error *error);
/* True if SimGrid builds the network of a generator's text from XML, with routes of its own. False:
 * only the formula knows the routes. RB_EINVAL for the text. */
int platform_network_is_simgrids(const char *text, bool *yes, struct sup_error *error);
void platform_network_destroy(struct platform_network *network); /* NULL is fine */

/* The links don't change any more. Millions of them have few kinds, as a rule, which stay in a
 * cache where the links do not; then only the number of its kind is kept of each. O(links). */
void platform_network_settle(struct platform_network *network);

/* A link, settled or not. */
static inline const struct platform_link *
platform_network_link(const struct platform_network *network, int32_t link)
{
    return network->kind == NULL ? &network->link[link] : &network->of_kind[network->kind[link]];
}

/* The route of a message from one host to another or to itself; valid until the next call. Where
 * there are several ways, key chooses, the number of the message's round. A function of these
 * arguments alone; O(links of the route).
 * RB_EFAILED if there is none. */
static inline int platform_network_route(struct platform_network *network, int32_t from, int32_t to,
                                         uint64_t key, struct platform_route *route,
                                         struct sup_error *error)
{
    return network->find_route(network, from, to, key, route, error);
}

/* A key with this bit takes the detour of adaptive routing; one without it, the minimal route. */
#define PLATFORM_DETOUR (UINT64_C(1) << 63)

/* The key of the route that a message takes that starts now: `key`, which must be less than
 * PLATFORM_DETOUR; with adaptive routing, key or key | PLATFORM_DETOUR, by the number of messages
 * in flight over each link (docs/platforms.md has the rule). O(links of the routes). */
uint64_t platform_network_choose(struct platform_network *network, int32_t from, int32_t to,
                                 uint64_t key, const int32_t in_flight[]);

/* The name of a link, or of a host, cut to size; returns `name`. */
const char *platform_network_link_name(const struct platform_network *network, int32_t link,
                                       char *name, size_t size);
const char *platform_network_host_name(const struct platform_network *network, int32_t host,
                                       char *name, size_t size);

/* Of a formula: the nodes from which and to which a link leads. Nodes are hosts, 0 .. hosts - 1,
 * and behind them switches, in the generator's order; where hosts have no links of their own there
 * are no switches. Both are a host for its loopback and memory, and the switch for a crossbar's
 * backbone. On rails a network interface is the host's. False: the link has failed, or there is no
 * formula; then both are -1. */
bool platform_network_ends(const struct platform_network *network, int32_t link, int32_t ends[2]);
/* The number of nodes; some switches may have no links. O(links). */
int32_t platform_network_nodes(const struct platform_network *network);

/* The level of a link. Networks without a formula have one level. */
void platform_network_place(const struct platform_network *network, int32_t link,
                            struct platform_place *place);

/* The name of a host of a generator's platform that is no machine's, cut to size; returns `name`.
 * The context isn't used. */
const char *platform_generated_host_name(const void *context, int32_t host, char *name,
                                         size_t size);

/* ---- Capacity -------------------------------------------------------------------------------- */

/* What sets of a network's nodes can exchange with the rest, and which set is worst.
 *
 * The worst set is ForestColl's (Zhao et al., arXiv 2402.06787, Section 4): an allgather takes at
 * least the largest of weight(S) / bandwidth(S), the weight of a host being its share, over all
 * sets S of hosts and switches that lack a host. docs/bounds.md has the proof for plans of any
 * routing. */

/* Links as arcs between nodes; nodes 0 .. hosts - 1 are hosts, switches follow. */
struct platform_arcs {
    int32_t hosts, nodes, count;
    int32_t *from, *to; /* owned */
    double *bandwidth;  /* bytes per second, > 0; owned */
};

/* Those of the network that messages between hosts share, without failed ones. False: it isn't
 * known which nodes links join. O(links). */
bool platform_arcs_find(const struct platform_network *network, struct platform_arcs *arcs);
void platform_arcs_free(struct platform_arcs *arcs); /* safe on a zeroed struct */

/* Of all sets of nodes that lack a sink, in[] becomes one for which weight(S) / bandwidth(S) is
 * largest, the bandwidth being that of the arcs that leave S; returns this quotient, 0 if all
 * weights are. weight[n] >= 0 and sink[n] of each node; there must be a sink.
 *
 * Newton's method on the quotient: maximum flows from all weights to each sink either prove that no
 * set is worse, or the least cut of one is, to 1e-10. Where a single sink hangs by the narrowest of
 * all arcs no set is worse, and no flow is needed. Where `work` flows times arcs do not suffice, it
 * is the worst set that was seen. */
double platform_worst_set(const struct platform_arcs *arcs, const double weight[],
                          const bool sink[], int64_t work, bool in[]);
