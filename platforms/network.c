/* network.c - the common part of all generators' networks. */
#include "network.h"

#include <stdio.h>
#include <stdlib.h>

#include "generator.h"
#include "roundabout.h"

int platform_network_alloc(const struct platform_cluster *cluster, int64_t links, int32_t longest,
                           struct platform_network **made)
{
    const bool has_own = !cluster->latency_per_hop;
    const int32_t hosts = cluster->hosts, ports = cluster->ports > 1 ? cluster->ports : 1;
    struct platform_network *network = links > INT32_MAX ? NULL : calloc(1, sizeof *network);
    if (network == NULL)
        return RB_ENOMEM;
    snprintf(network->zone, sizeof network->zone, "%s", cluster->name);
    network->hosts = hosts;
    network->links = (int32_t)links;
    network->longest = longest;
    network->link = malloc((size_t)links * sizeof *network->link);
    if (network->link == NULL) {
        free(network);
        return RB_ENOMEM;
    }
    for (int32_t l = 0; l < network->links; l++) {
        struct platform_link *link = &network->link[l];
        *link = (struct platform_link){.bandwidth = cluster->bandwidth, .shared = true};
        if (l < hosts)
            *link = (struct platform_link){.bandwidth = cluster->loopback_bandwidth,
                                           .latency_s = cluster->loopback_latency_s};
        else if (!has_own)
            link->latency_s = cluster->latency_s;
        else if (l < 3 * hosts)
            *link = (struct platform_link){.bandwidth = cluster->bandwidth * ports,
                                           .latency_s = cluster->latency_s / 2,
                                           .shared = true};
    }
    *made = network;
    return RB_OK;
}

void platform_network_destroy(struct platform_network *network)
{
    if (network == NULL)
        return;
    free(network->link);
    free(network);
}

int32_t platform_network_route(const struct platform_network *network, int32_t from, int32_t to,
                               uint64_t key, int32_t link[])
{
    if (from != to)
        return network->find(network, from, to, key, link);
    link[0] = from;
    return 1;
}

const char *platform_network_link_name(const struct platform_network *network, int32_t link,
                                       char *name, size_t size)
{
    if (link < network->hosts)
        snprintf(name, size, "%s_link_%d_loopback", network->zone, link);
    else
        network->describe(network, link, name, size);
    return name;
}
