/* wiring.c - a wired platform as a SimGrid zone: hosts, switches, cables and steps
 * (generator.h).
 *
 * Links are named as in SimGrid's clusters, link_from_A_to_B: the platform's check then knows that
 * each is one direction of a cable. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "generator.h"
#include "network.h"
#include "roundabout.h"

struct platform_wiring {
    xmlTextWriterPtr writer;
    const struct platform_cluster *cluster;
};

enum { NAME = 64 };

static void name_host(char name[NAME], int32_t host)
{
    platform_generated_host_name(NULL, host, name, NAME);
}

static void name_stop(char name[NAME], struct platform_stop stop)
{
    snprintf(name, NAME, "switch-%" PRId32 "-stage-%" PRId32, stop.node, stop.stage);
}

static void name_host_link(char name[NAME], int32_t host)
{
    snprintf(name, NAME, "link_from_host-%" PRId32 "_to_switch", host);
}

static void name_loopback(char name[NAME], int32_t host)
{
    snprintf(name, NAME, "loopback-%" PRId32, host);
}

static void name_memory(char name[NAME], int32_t host)
{
    snprintf(name, NAME, "memory-%" PRId32, host);
}

static void name_cable(char name[NAME], int32_t from, int32_t to)
{
    snprintf(name, NAME, "link_from_switch-%" PRId32 "_to_switch-%" PRId32, from, to);
}

static void write_link(xmlTextWriterPtr writer, const char *name, double bandwidth,
                       double latency_s, const char *policy)
{
    platform_begin(writer, "link");
    platform_write_text(writer, "id", name);
    platform_write_number(writer, "bandwidth", bandwidth, "Bps");
    platform_write_number(writer, "latency", latency_s, "s");
    platform_write_text(writer, "sharing_policy", policy);
    platform_end(writer);
}

static void begin_route(xmlTextWriterPtr writer, const char *from, const char *to)
{
    platform_begin(writer, "route");
    platform_write_text(writer, "src", from);
    platform_write_text(writer, "dst", to);
    platform_write_text(writer, "symmetrical", "NO");
}

/* A link in one direction; direction NULL: the link has none. */
static void cross(xmlTextWriterPtr writer, const char *link, const char *direction)
{
    platform_begin(writer, "link_ctn");
    platform_write_text(writer, "id", link);
    if (direction != NULL)
        platform_write_text(writer, "direction", direction);
    platform_end(writer);
}

/* The memory, where messages between hosts use it: upwards it is read, downwards written. */
static void cross_memory(const struct platform_wiring *wiring, int32_t host, const char *direction)
{
    char name[NAME];
    name_memory(name, host);
    if (wiring->cluster->memory_of_all)
        cross(wiring->writer, name, direction);
}

static void write_host(struct platform_wiring *wiring, int32_t host)
{
    const struct platform_cluster *cluster = wiring->cluster;
    char name[NAME];
    platform_begin(wiring->writer, "host");
    name_host(name, host);
    platform_write_text(wiring->writer, "id", name);
    platform_write_text(wiring->writer, "speed", "1Gf");
    platform_end(wiring->writer);
    name_host_link(name, host);
    write_link(wiring->writer, name, cluster->bandwidth * (cluster->ports > 1 ? cluster->ports : 1),
               cluster->latency_s / 2, "SPLITDUPLEX");
    name_loopback(name, host);
    write_link(wiring->writer, name, cluster->loopback_bandwidth, cluster->loopback_latency_s,
               "FATPIPE");
    name_memory(name, host);
    if (cluster->memory_bandwidth > 0)
        write_link(wiring->writer, name, cluster->memory_bandwidth, 0,
                   cluster->memory_of_all ? "SPLITDUPLEX" : "SHARED");
}

void platform_wire_switch(struct platform_wiring *wiring, int32_t node, int32_t stages)
{
    for (int32_t stage = 0; stage < stages; stage++) {
        char name[NAME];
        name_stop(name, (struct platform_stop){node, stage});
        platform_begin(wiring->writer, "router");
        platform_write_text(wiring->writer, "id", name);
        platform_end(wiring->writer);
    }
}

void platform_wire_cable(struct platform_wiring *wiring, int32_t from, int32_t to)
{
    char name[NAME];
    name_cable(name, from, to);
    write_link(wiring->writer, name, wiring->cluster->bandwidth, wiring->cluster->hop_latency_s,
               "SPLITDUPLEX");
}

void platform_wire_leave(struct platform_wiring *wiring, int32_t host, struct platform_stop to)
{
    char from[NAME], stop[NAME], link[NAME];
    name_host(from, host);
    name_stop(stop, to);
    name_host_link(link, host);
    begin_route(wiring->writer, from, stop);
    cross_memory(wiring, host, "UP");
    cross(wiring->writer, link, "UP");
    platform_end(wiring->writer);
}

void platform_wire_arrive(struct platform_wiring *wiring, struct platform_stop from, int32_t host)
{
    char to[NAME], stop[NAME], link[NAME];
    name_host(to, host);
    name_stop(stop, from);
    name_host_link(link, host);
    begin_route(wiring->writer, stop, to);
    cross(wiring->writer, link, "DOWN");
    cross_memory(wiring, host, "DOWN");
    platform_end(wiring->writer);
}

void platform_wire_step(struct platform_wiring *wiring, struct platform_stop from,
                        struct platform_stop to, bool backwards)
{
    char start[NAME], end[NAME], cable[NAME];
    name_stop(start, from);
    name_stop(end, to);
    if (backwards)
        name_cable(cable, to.node, from.node);
    else
        name_cable(cable, from.node, to.node);
    begin_route(wiring->writer, start, end);
    cross(wiring->writer, cable, backwards ? "DOWN" : "UP");
    platform_end(wiring->writer);
}

static void write_loopbacks(const struct platform_wiring *wiring)
{
    const struct platform_cluster *cluster = wiring->cluster;
    for (int32_t host = 0; host < cluster->hosts; host++) {
        char name[NAME], link[NAME];
        name_host(name, host);
        begin_route(wiring->writer, name, name);
        name_loopback(link, host);
        cross(wiring->writer, link, NULL);
        name_memory(link, host);
        if (cluster->memory_bandwidth > 0 && !cluster->memory_of_all)
            cross(wiring->writer, link, NULL);
        cross_memory(wiring, host, "UP");
        cross_memory(wiring, host, "DOWN");
        platform_end(wiring->writer);
    }
}

void platform_wiring_write(xmlTextWriterPtr writer, const struct platform_cluster *cluster)
{
    struct platform_wiring wiring = {.writer = writer, .cluster = cluster};
    platform_begin(writer, "zone");
    platform_write_text(writer, "id", cluster->name);
    platform_write_text(writer, "routing", "DijkstraCache");
    for (int32_t host = 0; host < cluster->hosts; host++)
        write_host(&wiring, host);
    cluster->wire(cluster, &wiring);
    write_loopbacks(&wiring);
    platform_end(writer);
}

bool platform_is_wired_power(int32_t hosts, const void *unused)
{
    (void)unused;
    return hosts >= 2 && hosts <= PLATFORM_MOST_WIRED_HOSTS && (hosts & (hosts - 1)) == 0;
}

int platform_wired_shape(const struct platform_request *request, struct platform_cluster *cluster,
                         void (*wire)(const struct platform_cluster *cluster,
                                      struct platform_wiring *wiring),
                         struct sup_error *error)
{
    if (cluster->hosts > PLATFORM_MOST_WIRED_HOSTS)
        return sup_fail(error, RB_EINVAL,
                        "%s:%s: more than %d hosts: SimGrid would look for its "
                        "shortest paths too long",
                        request->face->name, request->size, PLATFORM_MOST_WIRED_HOSTS);
    cluster->wire = wire;
    cluster->inner_links = true;
    if (cluster->sides > 0) {
        cluster->sharers = 1;
        cluster->shape[0] = cluster->sides;
        memcpy(cluster->shape + 1, cluster->side, (size_t)cluster->sides * sizeof *cluster->side);
        cluster->shape[PLATFORM_GRID_ROWS] =
            wire == platform_wire_grid ? PLATFORM_OPEN_ROWS : PLATFORM_RING_ROWS;
    }
    return platform_request_int(request, "ports", 1, &cluster->ports, error);
}

/* ---- Internal to this folder: the descriptor of a platform generator and its helpers --------- */

/* A group counts its cables by the other group, then by the cable's number, and deals them out to
 * its switches in turn. Worked example, 3 groups of 4 switches, 2 cables per pair: group 0 has the
 * cables to group 1 at its switches 0 and 1, those to group 2 at its switches 2 and 3. */

/* The number of the pair (i, j), i < j, among the pairs of `count`. */
static int32_t pair_number(int32_t count, int32_t i, int32_t j)
{
    return i * (2 * count - i - 1) / 2 + j - i - 1;
}

int32_t platform_pair_link(int32_t count, int32_t from, int32_t to)
{
    return from < to ? 2 * pair_number(count, from, to) : 2 * pair_number(count, to, from) + 1;
}

void platform_pair_find(int32_t count, int32_t pair, int32_t *i, int32_t *j)
{
    *i = 0;
    while (*i + 2 < count && pair >= pair_number(count, *i + 1, *i + 2))
        ++*i;
    *j = pair - pair_number(count, *i, *i + 1) + *i + 1;
}

int32_t platform_pair_order(int32_t count, int32_t link)
{
    int32_t low, high;
    platform_pair_find(count, link / 2, &low, &high);
    return link % 2 == 0 ? low * (count - 1) + high - 1 : high * (count - 1) + low;
}

/* The number of a group's first cable to another group. */
static int32_t first_cable(const struct platform_group_cables *cables, int32_t group, int32_t peer)
{
    return (peer - (peer > group)) * cables->cables;
}

int32_t platform_cable_switch(const struct platform_group_cables *cables, int32_t group,
                              int32_t peer, int32_t cable)
{
    return (first_cable(cables, group, peer) + cable) % cables->switches;
}

int32_t platform_cable_choose(const struct platform_group_cables *cables, int32_t group, int32_t at,
                              int32_t peer, uint64_t k)
{
    const int32_t switches = cables->switches;
    const int32_t offset = first_cable(cables, group, peer) % switches;
    const int32_t own = (at - offset + switches) % switches;
    if (own >= cables->cables)
        return (int32_t)(k % (uint64_t)cables->cables);
    const int32_t count = (cables->cables - own - 1) / switches + 1;
    return own + switches * (int32_t)(k % (uint64_t)count);
}

int32_t platform_cable_link(const struct platform_group_cables *cables, int32_t from, int32_t to,
                            int32_t cable)
{
    const int32_t link = platform_pair_link(cables->groups, from, to);
    return link / 2 * 2 * cables->cables + 2 * cable + link % 2;
}

int32_t platform_cable_order(const struct platform_group_cables *cables, int32_t link)
{
    const int32_t of_pair = 2 * cables->cables;
    const int32_t way = platform_pair_order(cables->groups, link / of_pair * 2 + link % 2);
    return way * cables->cables + link % of_pair / 2;
}

/* ---- The wiring of meshes and hypercubes ----------------------------------------------------- */

/* A grid without wrap-around, whose routes go along one side after the other.
 *
 * Host x is at switch x; side i has the stride side[0] .. side[i - 1]. A message in stage i goes
 * along side i or a later one, and is then in that one's stage: so it can't come back to an
 * earlier side, and the one shortest way is the dimension-ordered one. Worked example, mesh:2x3,
 * which has the sides 3, 2: from 0 to 5 over switches 0, 1, 2 in stage 0, then 5 in stage 1. */

static void wire_steps(const struct platform_cluster *cluster, struct platform_wiring *wiring,
                       int32_t node)
{
    for (int32_t stage = 0; stage < cluster->sides; stage++) {
        const struct platform_stop here = {node, stage};
        platform_wire_arrive(wiring, here, node);
        for (int32_t i = 0, stride = 1; i < cluster->sides; stride *= cluster->side[i++]) {
            const int32_t at = node / stride % cluster->side[i];
            if (i >= stage && at + 1 < cluster->side[i])
                platform_wire_step(wiring, here, (struct platform_stop){node + stride, i}, false);
            if (i >= stage && at > 0)
                platform_wire_step(wiring, here, (struct platform_stop){node - stride, i}, true);
        }
    }
}

void platform_cut_mesh(const struct platform_cluster *cluster, struct platform_cuts *cuts)
{
    platform_cuts_add_grid(cuts, cluster->side, cluster->sides, false, cluster->bandwidth);
}

void platform_cut_torus(const struct platform_cluster *cluster, struct platform_cuts *cuts)
{
    platform_cuts_add_grid(cuts, cluster->side, cluster->sides, true, cluster->bandwidth);
}

void platform_wire_grid(const struct platform_cluster *cluster, struct platform_wiring *wiring)
{
    for (int32_t node = 0; node < cluster->hosts; node++) {
        platform_wire_switch(wiring, node, cluster->sides);
        for (int32_t i = 0, stride = 1; i < cluster->sides; stride *= cluster->side[i++])
            if (node / stride % cluster->side[i] + 1 < cluster->side[i])
                platform_wire_cable(wiring, node, node + stride);
    }
    for (int32_t node = 0; node < cluster->hosts; node++) {
        platform_wire_leave(wiring, node, (struct platform_stop){node, 0});
        wire_steps(cluster, wiring, node);
    }
}

/* ---- Routes of grids by formula --------------------------------------------------------------
 *
 * After the hosts' own links come those along the first side, then those along the second; along a
 * side, row by row; in a row, the cables from each switch upwards, with the way back. Routes go
 * along one side after the other, where rows are rings the shorter way, upwards where both are
 * equally long. */

static int32_t cables_of_row(const int32_t shape[], int32_t side)
{
    const int32_t rows = shape[PLATFORM_GRID_ROWS];
    return rows == PLATFORM_OPEN_ROWS || (rows == PLATFORM_TOFU_ROWS && side == 2) ? side - 1
                                                                                   : side;
}

int32_t platform_grid_way(const struct platform_network *network, int32_t from, int32_t to,
                          uint64_t key, int32_t link[])
{
    const int32_t dimensions = network->shape[0], *side = network->shape + 1;
    int32_t here = from, count = 0, first = 3 * network->hosts;
    (void)key; /* the dimensions in their order */
    link[count++] = network->hosts + 2 * from;
    for (int32_t i = 0, stride = 1; i < dimensions; stride *= side[i++]) {
        const int32_t cables = cables_of_row(network->shape, side[i]);
        const int32_t target = to / stride % side[i];
        const int32_t row = here / stride / side[i] * stride + here % stride;
        int32_t at = here / stride % side[i];
        const bool up =
            cables < side[i] ? target > at : (target - at + side[i]) % side[i] <= side[i] / 2;
        here += (target - at) * stride;
        while (at != target) {
            const int32_t next = (up ? at + 1 : at + side[i] - 1) % side[i];
            link[count++] = first + 2 * (row * cables + (up ? at : next)) + !up;
            at = next;
        }
        first += 2 * (network->hosts / side[i]) * cables;
    }
    link[count++] = network->hosts + 2 * to + 1;
    return count;
}

/* The side along which a link lies; *inner becomes the number of its cable among those. */
static int32_t side_of(const struct platform_network *network, int32_t link, int32_t *inner)
{
    const int32_t *side = network->shape + 1;
    int32_t i = 0;
    *inner = (link - 3 * network->hosts) / 2;
    for (;; i++) {
        const int32_t cables = network->hosts / side[i] * cables_of_row(network->shape, side[i]);
        if (*inner < cables)
            return i;
        *inner -= cables;
    }
}

void platform_grid_ends(const struct platform_network *network, int32_t link, int32_t ends[2])
{
    int32_t inner;
    const int32_t i = side_of(network, link, &inner), *side = network->shape + 1;
    const int32_t cables = cables_of_row(network->shape, side[i]);
    const int32_t stride = (int32_t)platform_product(side, i), row = inner / cables;
    const int32_t start = row / stride * stride * side[i] + row % stride, at = inner % cables;
    ends[0] = start + at * stride;
    ends[1] = start + (at + 1) % side[i] * stride;
}

void platform_grid_place(const struct platform_network *network, int32_t link,
                         struct platform_place *place)
{
    int32_t inner;
    const int32_t i = side_of(network, link, &inner);
    place->level += i;
    snprintf(place->name, sizeof place->name, "side %" PRId32, i + 1);
}

void platform_wired_name(const struct platform_network *network, int32_t link, char *name,
                         size_t size)
{
    const int32_t hosts = network->hosts;
    const char *way = (link - hosts) % 2 == 0 ? "UP" : "DOWN";
    char cable[NAME];
    int32_t ends[2];
    if (link < 3 * hosts) {
        name_host_link(cable, (link - hosts) / 2);
    } else {
        network->find_ends(network, link, ends);
        name_cable(cable, ends[0], ends[1]);
    }
    snprintf(name, size, "%s_%s", cable, way);
}

int platform_wired_lay(const struct platform_cluster *cluster, int64_t cables, int32_t longest,
                       struct platform_network **made)
{
    const int64_t outer = 3 * (int64_t)cluster->hosts;
    const int status = platform_network_alloc(cluster, outer + 2 * cables, longest, made);
    for (int64_t l = outer; status == RB_OK && l < outer + 2 * cables; l++)
        (*made)->link[l].latency_s = cluster->hop_latency_s;
    return status;
}

int platform_grid_lay(const struct platform_cluster *cluster, struct platform_network **made)
{
    int64_t cables = 0;
    int32_t longest = 2;
    for (int32_t i = 0; i < cluster->shape[0]; i++) {
        const int32_t side = cluster->shape[1 + i];
        cables += (int64_t)(cluster->hosts / side) * cables_of_row(cluster->shape, side);
        longest += side;
    }
    return platform_wired_lay(cluster, cables, longest, made);
}
