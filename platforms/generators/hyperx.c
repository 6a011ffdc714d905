/* hyperx.c - switches in a grid, each joined to all others of its row along every side; `hosts`
 * hosts at each (Ahn, Binkert, Davis, McLaren, Schreiber, HyperX: topology, routing, and packaging
 * of efficient large-scale networks, 2009).
 *
 * Dimension-order routes: one cable along each side in which the switches differ, the first side
 * first. A detour goes to a random third switch first. Worked example, hyperx:3x3,hosts=1: host 0
 * to host 5, switch (0, 0) to (2, 1): over switch (2, 0), which is switch 2. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "platforms/generator.h"
#include "roundabout.h"

static const struct platform_option options[] = {
    {"hosts", NULL, "hosts of a switch; derived: as many as keep full bisection, at least 1"},
    {"width", "1", "bandwidth between two switches, in links"},
    {"routing", "minimal", PLATFORM_DETOUR_RULES_HELP},
    PLATFORM_LINK_OPTIONS("1us", PLATFORM_LATENCY_HELP)};

static const struct platform_rule rules[] = {{.name = "minimal"}, PLATFORM_DETOUR_RULES};

/* In a shape. The sides follow. */
enum { SIDES, HOSTS, WIDTH, SIDE };

static int shape(const struct platform_request *request, struct platform_cluster *cluster,
                 struct sup_error *error)
{
    int32_t side[PLATFORM_MOST_DIMENSIONS], count, hosts = 0, width;
    const struct platform_number numbers[] = {{"hosts", 1, &hosts}, {"width", 1, &width}, {0}};
    int status =
        platform_parse_dimensions(request->face->name, request->size, 2, side, &count, error);
    if (status == RB_OK)
        status = platform_request_ints(request, numbers, error);
    if (status == RB_OK)
        status = platform_request_routing(request, rules, &cluster->routing, error);
    if (status != RB_OK)
        return status;
    int32_t least = side[0];
    for (int32_t i = 1; i < count; i++)
        least = side[i] < least ? side[i] : least;
    /* A half of a side has (side / 2)^2 cables to the other, for side / 2 x hosts. */
    if (hosts == 0)
        hosts = (int32_t)((int64_t)least * width / 2);
    const int64_t switches = platform_product(side, count);
    status = platform_check_hosts(
        request, switches > PLATFORM_MOST_HOSTS ? switches : switches * hosts, error);
    if (status != RB_OK)
        return status;
    cluster->hosts = (int32_t)switches * hosts;
    cluster->inner_links = cluster->full_rows = true;
    cluster->share = "router";
    cluster->sharers = hosts;
    snprintf(cluster->note, sizeof cluster->note,
             "%" PRId32 " hosts, %" PRId32 " at each of %s switches; %" PRId32
             " links' bandwidth between two switches",
             cluster->hosts, hosts, request->size, width);
    cluster->sides = cluster->shape[SIDES] = count;
    memcpy(cluster->side, side, (size_t)count * sizeof *side);
    cluster->shape[HOSTS] = hosts;
    cluster->shape[WIDTH] = width;
    memcpy(cluster->shape + SIDE, side, (size_t)count * sizeof *side);
    return RB_OK;
}

/* ---- Routes ----------------------------------------------------------------------------------
 *
 * After the hosts' own links come those along the first side, then those along the second; along a
 * side, row by row; in a row, by pairs of switches (generator.h). */

static int32_t go_to(const struct platform_network *network, int32_t from, int32_t to,
                     int32_t link[])
{
    const int32_t *side = network->shape + SIDE;
    const int32_t switches = network->hosts / network->shape[HOSTS];
    int32_t first = 3 * network->hosts, count = 0, stride = 1;
    for (int32_t i = 0; i < network->shape[SIDES]; i++) {
        const int32_t at = from / stride % side[i], target = to / stride % side[i];
        const int32_t row = from / stride / side[i] * stride + from % stride;
        if (at != target)
            link[count++] =
                first + row * side[i] * (side[i] - 1) + platform_pair_link(side[i], at, target);
        from += (target - at) * stride;
        first += switches * (side[i] - 1);
        stride *= side[i];
    }
    return count;
}

static int32_t find_way(const struct platform_network *network, int32_t from, int32_t to,
                        uint64_t key, int32_t link[])
{
    const int32_t hosts = network->shape[HOSTS], switches = network->hosts / hosts;
    const int32_t target = to / hosts;
    int32_t at = from / hosts, count = 0;
    link[count++] = network->hosts + 2 * from;
    if (platform_takes_detour(&network->routing, key) && at != target && switches > 2) {
        const uint64_t k = platform_route_hash(&network->routing, from, to, key);
        const int32_t third = platform_third(k, switches, at, target);
        count += go_to(network, at, third, link + count);
        at = third;
    }
    count += go_to(network, at, target, link + count);
    link[count++] = network->hosts + 2 * to + 1;
    return count;
}

static void find_ends(const struct platform_network *network, int32_t link, int32_t ends[2])
{
    const int32_t *side = network->shape + SIDE, hosts = network->hosts;
    const int32_t switches = hosts / network->shape[HOSTS];
    int32_t inner = (link - 3 * hosts) / 2, stride = 1, at, to;
    for (; inner >= switches * (*side - 1) / 2; side++) {
        inner -= switches * (*side - 1) / 2;
        stride *= *side;
    }
    const int32_t pairs = *side * (*side - 1) / 2, row = inner / pairs;
    const int32_t start = row / stride * stride * *side + row % stride;
    platform_pair_find(*side, inner % pairs, &at, &to);
    ends[0] = start + at * stride;
    ends[1] = start + to * stride;
}

static void name_link(const struct platform_network *network, int32_t link, char *name, size_t size)
{
    platform_name_switch_link(network, link, network->shape[HOSTS], name, size);
}

static void place(const struct platform_network *network, int32_t link,
                  struct platform_place *place)
{
    const int32_t *side = network->shape + SIDE;
    const int32_t switches = network->hosts / network->shape[HOSTS];
    int32_t inner = link - 3 * network->hosts, i = 0;
    for (; inner >= switches * (side[i] - 1); i++)
        inner -= switches * (side[i] - 1);
    const int32_t links = side[i] * (side[i] - 1); /* of a row */
    place->level += i;
    snprintf(place->name, sizeof place->name, "side %d", i + 1);
    place->order = inner / links * (int64_t)links + platform_pair_order(side[i], inner % links);
}

static int lay(const struct platform_cluster *cluster, struct platform_network **made)
{
    const int32_t *shape = cluster->shape;
    const int64_t outer = 3 * (int64_t)cluster->hosts;
    int64_t links = outer;
    for (int32_t i = 0; i < shape[SIDES]; i++)
        links += (int64_t)(cluster->hosts / shape[HOSTS]) * (shape[SIDE + i] - 1);
    const int status = platform_network_alloc(cluster, links, 2 + 2 * shape[SIDES], made);
    for (int64_t l = outer; status == RB_OK && l < links; l++)
        (*made)->link[l].bandwidth *= shape[WIDTH];
    return status;
}

/* Rows, planes, ..; and the halves of the last side, where each switch of one is joined to all of
 * the other in its row. */
static void cut(const struct platform_cluster *cluster, struct platform_cuts *cuts)
{
    const int32_t sides = cluster->shape[SIDES], *side = cluster->shape + SIDE;
    const double bandwidth = cluster->bandwidth * cluster->shape[WIDTH];
    const int64_t hosts = cluster->shape[HOSTS];
    int64_t switches = 1, beyond = 0; /* of a block; cables of a switch that lead out of it */
    for (int32_t i = 0; i < sides; i++)
        beyond += side[i] - 1;
    platform_cuts_add(cuts, "router", hosts, bandwidth * (double)beyond);
    for (int32_t i = 0; i + 1 < sides; i++) {
        switches *= side[i];
        beyond -= side[i] - 1;
        platform_cuts_add(cuts, NULL, switches * hosts, bandwidth * (double)(switches * beyond));
    }
    const int64_t half = (side[sides - 1] + 1) / 2, rest = side[sides - 1] - half;
    if (half > 1)
        platform_cuts_add(cuts, NULL, switches * half * hosts,
                          bandwidth * (double)(switches * half * rest));
}

const struct platform_maker platform_hyperx = {
    .face = {.name = "hyperx",
             .title = "a grid of switches, each joined to all others of its rows and columns",
             .sizes = "hyperx:AxBxC, the numbers of switches along each side, each at least 2",
             .options = options},
    .shape = shape,
    PLATFORM_FORMULA(lay, find_way, name_link, find_ends, place),
    .cut = cut,
};
