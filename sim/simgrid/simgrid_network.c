/* simgrid_network.c - see simgrid_network.h. */
#include "simgrid_network.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "roundabout.h"
#include "sim/network/pair_table.h"
#include "support/memory.h"

enum { MOST_PAIRS = 1 << 18 }; /* pairs whose routes are stored */

struct known_route {
    int64_t first; /* in `links` */
    int32_t count;
    double latency_s, bandwidth;
};

struct source {
    struct s4u_platform *platform;
    struct net_pair_table pairs;
    struct known_route *route; /* by number of the pair */
    int32_t *links;            /* of all known routes */
    int64_t used, room;
};

/* Appends a new pair's route to the stored ones. */
static void keep(struct source *source, int64_t pair, const struct s4u_route *found)
{
    sup_grow(&source->route, (size_t)pair, sizeof *source->route);
    if (source->used + found->count > source->room) {
        source->room = 2 * (source->used + found->count) + 1024;
        source->links =
            sup_reallocarray(source->links, (size_t)source->room, sizeof *source->links);
    }
    if (found->count > 0)
        memcpy(source->links + source->used, found->link,
               (size_t)found->count * sizeof *found->link);
    source->route[pair] =
        (struct known_route){source->used, found->count, found->latency, found->bandwidth};
    source->used += found->count;
}

static int find_route(struct platform_network *network, int32_t from, int32_t to, uint64_t key,
                      struct platform_route *route, struct sup_error *error)
{
    struct source *source = network->source;
    struct s4u_route found;
    const int64_t known = source->pairs.count;
    int64_t pair = MOST_PAIRS;
    (void)key; /* SimGrid's routes are the same for all messages */
    if (known < MOST_PAIRS)
        pair = net_pair_table_number(&source->pairs, net_pair_key(from, to));
    if (pair < known) {
        const struct known_route *kept = &source->route[pair];
        *route = (struct platform_route){source->links + kept->first, kept->count, kept->latency_s,
                                         kept->bandwidth};
        return RB_OK;
    }
    const int status = s4u_find_route(source->platform, from, to, &found, error);
    if (status != RB_OK)
        return status;
    if (pair < MOST_PAIRS)
        keep(source, pair, &found);
    *route = (struct platform_route){found.link, found.count, found.latency, found.bandwidth};
    return RB_OK;
}

static void name_link(const struct platform_network *network, int32_t link, char *name, size_t size)
{
    const struct source *source = network->source;
    struct s4u_link description;
    s4u_link_describe(source->platform, link, &description);
    snprintf(name, size, "%s", description.name);
}

static void name_host(const struct platform_network *network, int32_t host, char *name, size_t size)
{
    const struct source *source = network->source;
    snprintf(name, size, "%s", s4u_host_name(source->platform, host));
}

static void destroy(struct platform_network *network)
{
    struct source *source = network->source;
    net_pair_table_free(&source->pairs);
    free(source->route);
    free(source->links);
    free(source);
    free(network->link);
    free(network);
}

struct platform_network *s4u_network_create(struct s4u_platform *platform)
{
    const int32_t links = s4u_link_count(platform);
    struct platform_network *network = sup_calloc(1, sizeof *network);
    struct source *source = sup_calloc(1, sizeof *source);
    *network =
        (struct platform_network){.hosts = s4u_host_count(platform),
                                  .links = links,
                                  .link = sup_calloc((size_t)links + 1, sizeof *network->link),
                                  .find_route = find_route,
                                  .name_link = name_link,
                                  .name_host = name_host,
                                  .destroy = destroy,
                                  .source = source};
    source->platform = platform;
    for (int32_t l = 0; l < links; l++) {
        struct s4u_link description;
        s4u_link_describe(platform, l, &description);
        network->link[l] =
            (struct platform_link){description.bandwidth, description.latency, description.shared};
    }
    return network;
}
