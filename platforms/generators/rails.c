/* rails.c - nodes with several network interfaces, of which each is on a rail.
 *
 * A host is one network interface with its GPU, or with all ranks next to it; hosts of a node
 * follow one another. It has two links: its own to the node's inner switch (NVLink, PCIe), and that
 * of the network interface to a rail switch. Place j of every node is on rail j modulo `rails`. A
 * rail has one switch, or one for each pod of as many nodes as the radix allows; the last pod may
 * have fewer. Spines join the switches of all rails and pods: a switch has one uplink to each, and
 * the destination's number among those of its switch, modulo the spines, chooses one. A spine has
 * any number of ports: it stands for all levels above, which have no taper.
 *
 * Inside a node a message crosses both hosts' inner links, and nothing else. To another rail it
 * first goes inside to the host of its node that is at the destination's place (cross=inner: NCCL's
 * PXN; NVIDIA, Doubling all2all Performance with NVIDIA Collective Communication Library 2.12,
 * 2022), or over a spine (cross=spines).
 *
 * Worked example, rails:7x2,radix=6: a switch has 3 nodes and 3 uplinks, so pods are nodes 0 to 2,
 * 3 to 5, and 6. Host 1 (node 0, rail 1) to host 8 (node 4, rail 0): inside to host 0, from rail 0
 * of pod 0 over spine 1 to rail 0 of pod 1. With radix=7 there is one pod, and no spine. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "platforms/generator.h"
#include "roundabout.h"

static const struct platform_option options[] = {
    {"nics", NULL, "network interfaces of a node; derived: from the size, otherwise 8"},
    {"topology", NULL,
     "derived: none; a file of NCCL or RCCL (NCCL_TOPO_FILE) with nics and bandwidths of a node, "
     "unless given"},
    {"rails", NULL, "derived: as many as nics; 1: all are on the same switch"},
    {"cross", "inner",
     "how a message reaches another rail: inner (to the GPU on this rail, then over its network "
     "interface, as NCCL's PXN), spines"},
    {"pod", NULL, "nodes with the same rail switches; derived: all, or as many as radix allows"},
    {"radix", NULL,
     "largest number of ports of a rail switch; derived: 64, or what a given pod needs"},
    {"taper", "1", "network interfaces per uplink of a rail switch, rounded up: 2 is half"},
    {"inner-bandwidth", "371GBps",
     "bandwidth of a GPU's link to the others of its node, in each direction"},
    {"inner-latency", "1us", "latency between two hosts of a node"},
    PLATFORM_HOP_OPTION,
    {"bandwidth", "48GBps", "bandwidth of a network interface, in each direction"},
    {"latency", "5us", "latency between two hosts of different nodes on one rail"},
    {"loopback-bandwidth", "371GBps",
     "bandwidth between ranks on the same host; not shared between messages"},
    {"loopback-latency", "1us", "latency between ranks on the same host"},
    PLATFORM_MEMORY_OPTIONS,
    {NULL, NULL, NULL}};

/* In a shape. The first three are the coordinates by which machines name hosts. */
enum { SIDES, NICS, NODES, POD, RAILS, UPLINKS, INNER };

/* The nodes, and their network interfaces. */
static int take_size(const struct platform_request *request, int32_t *nodes, int32_t *nics,
                     struct sup_error *error)
{
    const char *name = request->face->name;
    int32_t side[PLATFORM_MOST_DIMENSIONS], count, asked = 0;
    int status = platform_parse_dimensions(name, request->size, 1, side, &count, error);
    if (status == RB_OK)
        status = platform_request_int(request, "nics", 1, &asked, error);
    if (status != RB_OK)
        return status;
    if (count > 2)
        return sup_fail(error, RB_EINVAL, "%s: '%s' has %" PRId32 " numbers: %s", name,
                        request->size, count, request->face->sizes);
    if (count == 2 && asked > 0 && asked != side[1])
        return sup_fail(error, RB_EINVAL,
                        "%s: '%s': a node has %" PRId32 " network interfaces by nics=%" PRId32,
                        name, request->size, asked, asked);
    *nodes = side[0];
    *nics = count == 2 ? side[1] : asked > 0 ? asked : 8;
    return platform_check_hosts(request, (int64_t)*nodes * *nics, error);
}

static int take_cross(const struct platform_request *request, int32_t shape[],
                      struct sup_error *error)
{
    const char *text = platform_request_detail(request, "cross");
    shape[INNER] = strcmp(text, "inner") == 0;
    if (shape[INNER] == 0 && strcmp(text, "spines") != 0)
        return sup_fail(error, RB_EINVAL, "%s: cross: '%s' is neither inner nor spines",
                        request->face->name, text);
    return RB_OK;
}

/* What was asked for; 0: derived. */
struct asked {
    int32_t pod, radix, taper;
};

/* Pods of as many nodes as were asked for or fit, and the uplinks of a rail switch. */
static int find_pods(const struct platform_request *request, const struct asked *asked,
                     int32_t shape[], struct sup_error *error)
{
    const int32_t nodes = shape[NODES], rails = shape[RAILS], ports = shape[NICS] / rails;
    const int32_t radix = asked->radix > 0 ? asked->radix : asked->pod > 0 ? INT32_MAX : 64;
    const int32_t most = asked->pod > 0 ? asked->pod : radix / ports;
    const bool meets_other_rails = shape[INNER] == 0 && rails > 1;
    shape[POD] = nodes;
    if (nodes == 1 || (nodes <= most && nodes * ports <= radix && !meets_other_rails))
        return RB_OK;
    shape[POD] = most < nodes ? most : nodes;
    for (; shape[POD] > 0; shape[POD]--) {
        shape[UPLINKS] = (shape[POD] * ports - 1) / asked->taper + 1;
        if (shape[POD] * ports + shape[UPLINKS] <= radix)
            return RB_OK;
        if (asked->pod > 0)
            break;
    }
    return sup_fail(error, RB_EINVAL,
                    "%s: radix: %" PRId32 " is too small: a rail switch has %" PRId32
                    " ports for each node%s, and at least one uplink",
                    request->face->name, radix, ports, asked->pod > 0 ? " of a pod" : "");
}

static void describe(struct platform_cluster *cluster)
{
    const int32_t *shape = cluster->shape, pods = (shape[NODES] - 1) / shape[POD] + 1;
    snprintf(cluster->note, sizeof cluster->note,
             "%" PRId32 " nodes with %" PRId32 " network interfaces on %" PRId32 " rails; %" PRId32
             " pods of %" PRId32 " nodes; a rail switch has %" PRId32 " uplinks",
             shape[NODES], shape[NICS], shape[RAILS], pods, shape[POD], shape[UPLINKS]);
    cluster->hosts = shape[NODES] * shape[NICS];
    cluster->inner_links = true;
    cluster->share = "node";
    cluster->sharers = shape[NICS];
}

static int shape(const struct platform_request *request, struct platform_cluster *cluster,
                 struct sup_error *error)
{
    int32_t *shape = cluster->shape;
    struct asked asked = {0};
    shape[SIDES] = 2;
    const struct platform_number numbers[] = {{"rails", 1, &shape[RAILS]},
                                              {"pod", 1, &asked.pod},
                                              {"radix", 1, &asked.radix},
                                              {"taper", 1, &asked.taper},
                                              {0}};
    int status = take_size(request, &shape[NODES], &shape[NICS], error);
    shape[RAILS] = shape[NICS];
    if (status == RB_OK)
        status = platform_request_ints(request, numbers, error);
    if (status == RB_OK)
        status = take_cross(request, shape, error);
    if (status != RB_OK)
        return status;
    if (shape[NICS] % shape[RAILS] != 0)
        return sup_fail(error, RB_EINVAL,
                        "%s: rails: %" PRId32 " does not divide the %" PRId32
                        " network interfaces of a node",
                        request->face->name, shape[RAILS], shape[NICS]);
    status = find_pods(request, &asked, shape, error);
    if (status == RB_OK)
        describe(cluster);
    return status;
}

/* ---- Routes ----------------------------------------------------------------------------------
 *
 * After the hosts' own links, which are the inner ones, come those of the network interfaces, host
 * by host, and those between rail switches and spines, switch by switch; up and down in turn.
 * Switch j of pod d has number d rails + j. */

static int32_t rail_switch(const struct platform_network *network, int32_t host)
{
    const int32_t *shape = network->shape;
    return host / shape[NICS] / shape[POD] * shape[RAILS] + host % shape[NICS] % shape[RAILS];
}

/* The number of a host among those of its rail switch. */
static int32_t port_of(const struct platform_network *network, int32_t host)
{
    const int32_t *shape = network->shape;
    return host / shape[NICS] % shape[POD] * (shape[NICS] / shape[RAILS]) +
           host % shape[NICS] / shape[RAILS];
}

static int32_t find_way(const struct platform_network *network, int32_t from, int32_t to,
                        uint64_t key, int32_t link[])
{
    const int32_t *shape = network->shape, hosts = network->hosts, nics = shape[NICS];
    const bool is_inside = from / nics == to / nics;
    int32_t via = from, count = 0; /* the host over whose network interface it leaves */
    (void)key;                     /* there is one way */
    if (is_inside)
        via = to;
    else if (shape[INNER] && from % nics % shape[RAILS] != to % nics % shape[RAILS])
        via = from - from % nics + to % nics;
    if (via != from) {
        link[count++] = hosts + 2 * from;
        link[count++] = hosts + 2 * via + 1;
    }
    if (is_inside)
        return count;
    const int32_t up = rail_switch(network, via), down = rail_switch(network, to);
    link[count++] = 3 * hosts + 2 * via;
    if (up != down) {
        const int32_t uplinks = shape[UPLINKS], spine = port_of(network, to) % uplinks;
        link[count++] = 5 * hosts + 2 * (up * uplinks + spine);
        link[count++] = 5 * hosts + 2 * (down * uplinks + spine) + 1;
    }
    link[count++] = 3 * hosts + 2 * to + 1;
    return count;
}

/* The nodes' inner switches, the rail switches, the spines. */
static void find_ends(const struct platform_network *network, int32_t link, int32_t ends[2])
{
    const int32_t *shape = network->shape, hosts = network->hosts, nodes = shape[NODES];
    const int32_t switches = rail_switch(network, hosts - shape[NICS]) + shape[RAILS];
    if (link < 5 * hosts) {
        const int32_t host = (link - 3 * hosts) / 2;
        ends[0] = host / shape[NICS];
        ends[1] = nodes + rail_switch(network, host);
    } else {
        const int32_t cable = (link - 5 * hosts) / 2;
        ends[0] = nodes + cable / shape[UPLINKS];
        ends[1] = nodes + switches + cable % shape[UPLINKS];
    }
}

static void name_link(const struct platform_network *network, int32_t link, char *name, size_t size)
{
    const int32_t *shape = network->shape, hosts = network->hosts,
                  host = (link - hosts) / 2 % hosts;
    const char *way = (link - hosts) % 2 == 0 ? "UP" : "DOWN";
    const int node = host / shape[NICS], place = host % shape[NICS];
    int32_t ends[2];
    if (link < 3 * hosts) {
        snprintf(name, size, "link_from_host-%d_to_node-%d_%s", host, node, way);
        return;
    }
    find_ends(network, link, ends);
    if (link < 5 * hosts)
        snprintf(name, size, "link_from_nic-%d-%d_to_switch-%d_%s", node, place,
                 ends[1] - shape[NODES], way);
    else
        snprintf(name, size, "link_from_switch-%d_to_spine-%d_%s", ends[0] - shape[NODES],
                 (link - 5 * hosts) / 2 % shape[UPLINKS], way);
}

static void place(const struct platform_network *network, int32_t link,
                  struct platform_place *place)
{
    const bool goes_up = (link - network->hosts) % 2 == 0, is_nic = link < 5 * network->hosts;
    place->level += is_nic ? (goes_up ? 0 : 3) : (goes_up ? 1 : 2);
    snprintf(place->name, sizeof place->name, "%s %s", is_nic ? "nic" : "rail",
             goes_up ? "up" : "down");
}

static int lay(const struct platform_cluster *cluster, struct platform_network **made)
{
    const int32_t *shape = cluster->shape, pods = (shape[NODES] - 1) / shape[POD] + 1;
    const int64_t hosts = cluster->hosts;
    const int64_t links = 5 * hosts + 2 * (int64_t)pods * shape[RAILS] * shape[UPLINKS];
    const int status = platform_network_alloc(cluster, links, 6, made);
    if (status != RB_OK)
        return status;
    (*made)->nics = 3 * cluster->hosts;
    for (int64_t l = hosts; l < links; l++) {
        struct platform_link *link = &(*made)->link[l];
        link->bandwidth = l < 3 * hosts ? cluster->inner_bandwidth : cluster->bandwidth;
        link->latency_s = l < 3 * hosts   ? cluster->inner_latency_s / 2
                          : l < 5 * hosts ? cluster->latency_s / 2
                                          : cluster->hop_latency_s;
    }
    return RB_OK;
}

/* Data leave a host over both of its links, where there is something to reach. */
static void cut(const struct platform_cluster *cluster, struct platform_cuts *cuts)
{
    const int32_t *shape = cluster->shape;
    const double inner = shape[NICS] > 1 ? cluster->inner_bandwidth : 0;
    const double outer = shape[NODES] > 1 ? cluster->bandwidth : 0;
    if (inner > 0 && (outer == 0 || cluster->inner_latency_s < cluster->latency_s))
        cuts->latency_s = cluster->inner_latency_s;
    cuts->message_bandwidth = inner > outer ? inner : outer;
    cuts->cut[0].bandwidth = inner + outer;
    if (inner > 0 && outer > 0) {
        cuts->node_terminals = shape[NICS];
        cuts->node_latency_s = cluster->latency_s;
        cuts->node_message_bandwidth = outer;
    }
    platform_cuts_add(cuts, "node", shape[NICS], shape[NICS] * outer);
    platform_cuts_add(cuts, "pod", (int64_t)shape[NICS] * shape[POD],
                      (double)shape[RAILS] * shape[UPLINKS] * outer);
}

const struct platform_maker platform_rails = {
    .face = {.name = "rails",
             .title = "nodes of GPUs with a network interface each; those of one place in all "
                      "nodes are on one rail",
             .sizes = "rails:NODESxNICS, or rails:NODES with nics=",
             .options = options},
    .shape = shape,
    PLATFORM_FORMULA(lay, find_way, name_link, find_ends, place),
    .cut = cut,
};
