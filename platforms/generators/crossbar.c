/* crossbar.c - every host on one ideal switch: nothing inside is shared.
 *
 * SimGrid's FLAT cluster without a backbone: a message crosses the sender's link and the receiver's
 * link, each with half the latency, so that alone it takes exactly latency + bytes / bandwidth.
 * With ports=K a host's link has K times the bandwidth, and a backbone that nobody shares keeps
 * each message to one: K messages leave, and K arrive, at once as fast as one alone. */
#include <stdio.h>

#include "platforms/generator.h"
#include "roundabout.h"

static const struct platform_option options[] = {
    {"ports", "1", "messages that a host can send and receive at once, each at full bandwidth"},
    PLATFORM_LINK_OPTIONS("1us", PLATFORM_LATENCY_HELP)};

static int shape(const struct platform_request *request, struct platform_cluster *cluster,
                 struct sup_error *error)
{
    cluster->topology = "FLAT";
    int status = platform_request_hosts(request, 1, &cluster->hosts, error);
    if (status == RB_OK)
        status = platform_request_int(request, "ports", 1, &cluster->ports, error);
    if (status != RB_OK)
        return status;
    snprintf(cluster->note, sizeof cluster->note, "%d hosts on one ideal switch", cluster->hosts);
    if (cluster->ports > 1)
        snprintf(cluster->note, sizeof cluster->note, "%d hosts with %d ports on one ideal switch",
                 cluster->hosts, cluster->ports);
    return RB_OK;
}

static int32_t find_way(const struct platform_network *network, int32_t from, int32_t to,
                        uint64_t key, int32_t link[])
{
    const int32_t hosts = network->hosts;
    int32_t count = 0;
    (void)key; /* there is one way */
    link[count++] = hosts + 2 * from;
    if (network->links - network->memory_links > 3 * hosts)
        link[count++] = 3 * hosts;
    link[count++] = hosts + 2 * to + 1;
    return count;
}

static void name_link(const struct platform_network *network, int32_t link, char *name, size_t size)
{
    const int32_t own = link - network->hosts;
    if (link == 3 * network->hosts)
        snprintf(name, size, "%s_backbone", network->zone);
    else
        snprintf(name, size, "%s_link_%d_%s", network->zone, own / 2, own % 2 == 0 ? "UP" : "DOWN");
}

static int lay(const struct platform_cluster *cluster, struct platform_network **made)
{
    const bool has_backbone = cluster->ports > 1;
    const int32_t hosts = cluster->hosts;
    const int status =
        platform_network_alloc(cluster, 3 * (int64_t)hosts + has_backbone, 2 + has_backbone, made);
    if (status == RB_OK && has_backbone)
        (*made)->link[3 * hosts].shared = false;
    return status;
}

const struct platform_maker platform_crossbar = {
    .face = {.name = "crossbar",
             .title = "one ideal switch: only the hosts' own links are ever shared",
             .sizes = "crossbar:N, any N from 1",
             .options = options},
    .shape = shape,
    PLATFORM_FORMULA(lay, find_way, name_link, NULL, NULL),
};
