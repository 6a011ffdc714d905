/* crossbar.c - every host on one ideal switch: nothing inside is shared.
 *
 * SimGrid's FLAT cluster without a backbone: a message crosses the sender's link and the
 * receiver's link, each with half the latency, so that alone it takes exactly latency +
 * bytes / bandwidth. With ports=K a host's link has K times the bandwidth, and a backbone that
 * nobody shares keeps each message to one: K messages leave, and K arrive, at once as fast as one
 * alone. */
#include <stdio.h>

#include "platforms/generator.h"
#include "roundabout.h"

static const struct rb_platform_option options[] = {
    {"ports", "1", "messages that a host sends, and receives, at once at full bandwidth each"},
    RB_LINK_OPTIONS("1us", RB_LATENCY_HELP)};

static int shape(const struct rb_platform_request *request, struct rb_cluster *cluster,
                 struct rb_error *error)
{
    cluster->topology = "FLAT";
    int status = rb_request_hosts(request, 1, &cluster->hosts, error);
    if (status == RB_OK)
        status = rb_request_int(request, "ports", 1, &cluster->ports, error);
    if (status != RB_OK)
        return status;
    snprintf(cluster->note, sizeof cluster->note, "%d hosts on one ideal switch", cluster->hosts);
    if (cluster->ports > 1)
        snprintf(cluster->note, sizeof cluster->note, "%d hosts with %d ports on one ideal switch",
                 cluster->hosts, cluster->ports);
    return RB_OK;
}

const struct rb_platform_maker rb_platform_crossbar = {
    .face = {.name = "crossbar",
             .title = "one ideal switch: only the hosts' own links are ever shared",
             .sizes = "crossbar:N, any N from 1",
             .options = options},
    .shape = shape,
};
