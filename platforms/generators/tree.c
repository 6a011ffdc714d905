/* tree.c - a balanced binary tree: hosts at the leaves, switches inside, all cables alike.
 *
 * Switch 1 is the root, switch i has the children 2 i and 2 i + 1, and host h is where the child
 * N + h would be. There is one way between two hosts. Worked example, tree:4: hosts 0 and 1 at
 * switch 2, hosts 2 and 3 at switch 3, both at switch 1. */
#include <inttypes.h>
#include <stdio.h>

#include "platforms/generator.h"
#include "roundabout.h"

static const struct platform_option options[] = {
    PLATFORM_HOP_OPTION, PLATFORM_LINK_OPTIONS("1us", PLATFORM_LATENCY_HELP)};

static void wire(const struct platform_cluster *cluster, struct platform_wiring *wiring)
{
    const int32_t hosts = cluster->hosts;
    for (int32_t node = 1; node < hosts; node++) {
        platform_wire_switch(wiring, node, 1);
        if (node > 1)
            platform_wire_cable(wiring, node, node / 2);
    }
    for (int32_t node = 2; node < hosts; node++) {
        const struct platform_stop here = {node, 0}, parent = {node / 2, 0};
        platform_wire_step(wiring, here, parent, false);
        platform_wire_step(wiring, parent, here, true);
    }
    for (int32_t host = 0; host < hosts; host++) {
        const struct platform_stop leaf = {(hosts + host) / 2, 0};
        platform_wire_leave(wiring, host, leaf);
        platform_wire_arrive(wiring, leaf, host);
    }
}

static int shape(const struct platform_request *request, struct platform_cluster *cluster,
                 struct sup_error *error)
{
    int status = platform_request_hosts(request, 1, &cluster->hosts, error);
    if (status != RB_OK)
        return status;
    if (!platform_is_wired_power(cluster->hosts, NULL))
        return platform_refuse_size(request, cluster->hosts, platform_is_wired_power, NULL, error);
    snprintf(cluster->note, sizeof cluster->note,
             "%" PRId32 " hosts at the leaves of a binary tree of switches, in order",
             cluster->hosts);
    return platform_wired_shape(request, cluster, wire, error);
}

/* One cable leads out of every subtree. */
static void cut(const struct platform_cluster *cluster, struct platform_cuts *cuts)
{
    for (int64_t hosts = cluster->hosts / 2; hosts > 1; hosts /= 2)
        platform_cuts_add(cuts, NULL, hosts, cluster->bandwidth);
}

const struct platform_maker platform_tree = {
    .face = {.name = "tree",
             .title = "a balanced binary tree of switches with the hosts at its leaves",
             .sizes = "tree:N, N = 2, 4, 8, ..., 4096",
             .options = options},
    .shape = shape,
    .cut = cut,
};
