/* network.h - the network of a generated platform: its links and, by formula, the route of a
 * message. Links, routes and names are those that SimGrid makes of the platform's XML, without
 * SimGrid.
 *
 * Generators whose routes SimGrid's shortest paths find (ring, mesh, hypercube, tree) have no such
 * formula yet. */
#ifndef PLATFORMS_NETWORK_H
#define PLATFORMS_NETWORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "support/error.h"

#ifdef __cplusplus
extern "C" {
#endif

struct platform_link {
    double bandwidth; /* bytes per second */
    double latency_s;
    bool shared; /* false: every message has the whole bandwidth (FATPIPE) */
};

enum { PLATFORM_MOST_SHAPE = 20 };

struct platform_network {
    char zone[24]; /* the generator's name, from which SimGrid makes names of links */
    int32_t hosts;
    int32_t links;
    int32_t longest; /* links on a route, at most */
    struct platform_link *link;
    /* Link h is host h's loopback. Where hosts have links of their own, hosts + 2 h is the one from
     * host h into the network, and hosts + 2 h + 1 the one to it. */
    int32_t shape[PLATFORM_MOST_SHAPE]; /* the generator's own */

    /* The generator's: of two different hosts. key chooses where there are several ways. */
    int32_t (*find)(const struct platform_network *network, int32_t from, int32_t to, uint64_t key,
                    int32_t link[]);
    /* The name of a link that isn't a loopback. */
    void (*describe)(const struct platform_network *network, int32_t link, char *name, size_t size);
};

/* The network of a generator's text; free it with platform_network_destroy. RB_ENOTSUP: the
 * generator has no formula; RB_EINVAL for the text, RB_ENOMEM. */
int platform_network_create(const char *text, struct platform_network **network,
                            struct sup_error *error);
void platform_network_destroy(struct platform_network *network); /* NULL is fine */

/* The links that a message between two hosts crosses, in order: into link[], which has room for
 * `longest`. Returns their number. A function of its arguments alone; O(links). */
int32_t platform_network_route(const struct platform_network *network, int32_t from, int32_t to,
                               uint64_t key, int32_t link[]);
/* SimGrid's name of a link; returns `name`. */
const char *platform_network_link_name(const struct platform_network *network, int32_t link,
                                       char *name, size_t size);

#ifdef __cplusplus
}
#endif
#endif
