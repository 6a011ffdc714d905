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
    cluster->sharers = 2;
    snprintf(cluster->note, sizeof cluster->note,
             "%" PRId32 " hosts at the leaves of a binary tree of switches, in order",
             cluster->hosts);
    return platform_wired_shape(request, cluster, wire, error);
}

/* ---- Routes ----------------------------------------------------------------------------------
 *
 * After the hosts' own links come those from switch 2 to its parent and back, from switch 3, .. As
 * an end, switch i has the number i + N / 2 modulo N, so that the leaves' count from 0. */

static int32_t first_up(const struct platform_network *network, int32_t node)
{
    return 3 * network->hosts + 2 * (node - 2);
}

static int32_t find_way(const struct platform_network *network, int32_t from, int32_t to,
                        uint64_t key, int32_t link[])
{
    const int32_t hosts = network->hosts;
    int32_t up = (hosts + from) / 2, down = (hosts + to) / 2, height = 0;
    (void)key; /* there is one way */
    link[0] = hosts + 2 * from;
    for (; up >> height != down >> height; height++)
        link[1 + height] = first_up(network, up >> height);
    for (int32_t i = 0; i < height; i++)
        link[2 * height - i] = first_up(network, down >> i) + 1;
    link[2 * height + 1] = hosts + 2 * to + 1;
    return 2 * height + 2;
}

static void find_ends(const struct platform_network *network, int32_t link, int32_t ends[2])
{
    const int32_t hosts = network->hosts, node = (link - 3 * hosts) / 2 + 2;
    ends[0] = (node + hosts / 2) % hosts;
    ends[1] = (node / 2 + hosts / 2) % hosts;
}

static void name_link(const struct platform_network *network, int32_t link, char *name, size_t size)
{
    const int32_t node = (link - 3 * network->hosts) / 2 + 2;
    if (link < 3 * network->hosts)
        platform_wired_name(network, link, name, size);
    else
        snprintf(name, size, "link_from_switch-%" PRId32 "_to_switch-%" PRId32 "_%s", node,
                 node / 2, link % 2 == network->hosts % 2 ? "UP" : "DOWN");
}

static void place(const struct platform_network *network, int32_t link,
                  struct platform_place *place)
{
    int32_t node = (link - 3 * network->hosts) / 2 + 2, depth = 0, levels = 0;
    const bool goes_up = (link - network->hosts) % 2 == 0;
    for (; node >> depth > 1; depth++)
        ;
    for (; network->hosts >> levels > 1; levels++)
        ;
    place->level += goes_up ? levels - 1 - depth : levels - 2 + depth;
    snprintf(place->name, sizeof place->name, "depth %" PRId32 " %s", depth,
             goes_up ? "up" : "down");
}

static int lay(const struct platform_cluster *cluster, struct platform_network **made)
{
    return platform_wired_lay(cluster, cluster->hosts - 2, 2 + 2 * 12, made);
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
    PLATFORM_FORMULA(lay, find_way, name_link, find_ends, place),
    .cut = cut,
};
