/* tofu.c - a torus of any number of dimensions whose hosts have links of their own, so that all
 * routes have the same latency and shares are even (Ajima, Sumimoto, Shimizu, Tofu: a 6D mesh/torus
 * interconnect for exascale computers, 2009; Fugaku's last three sides are 2x3x2).
 *
 * Each host is at a switch of its own. Routes go dimension by dimension, the first number's first,
 * the shorter direction, upwards where both are equally long. A side of 2 has one cable, as in
 * Tofu, a longer one is a ring. Worked example, tofu:4x2: host 0 to host 6, (0, 0) to (2, 1):
 * switches 1, 2, 6. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "platforms/generator.h"
#include "roundabout.h"

static const struct platform_option options[] = {
    PLATFORM_WIRED_PORTS_OPTION, PLATFORM_LINK_OPTIONS("1us", PLATFORM_LATENCY_HELP)};

static int shape(const struct platform_request *request, struct platform_cluster *cluster,
                 struct sup_error *error)
{
    int status = platform_request_torus(request, cluster, error);
    if (status == RB_OK)
        status = platform_request_int(request, "ports", 1, &cluster->ports, error);
    if (status != RB_OK)
        return status;
    snprintf(cluster->note, sizeof cluster->note,
             "%" PRId32 " hosts, each at a switch of its own, in a torus of %s switches",
             cluster->hosts, request->size);
    cluster->sharers = 1;
    return RB_OK;
}

/* ---- Routes ----------------------------------------------------------------------------------
 *
 * After the hosts' own links come those along the first side, then those along the second; along a
 * side, row by row; in a row, the cables from each switch upwards, with the way back. */

static int32_t cables_of_row(int32_t side)
{
    return side == 2 ? 1 : side;
}

static int32_t find_way(const struct platform_network *network, int32_t from, int32_t to,
                        uint64_t key, int32_t link[])
{
    const int32_t dimensions = network->shape[0], *side = network->shape + 1;
    int32_t here = from, count = 0, first = 3 * network->hosts;
    (void)key; /* the dimensions in their order */
    link[count++] = network->hosts + 2 * from;
    for (int32_t i = 0, stride = 1; i < dimensions; stride *= side[i++]) {
        const int32_t cables = cables_of_row(side[i]), target = to / stride % side[i];
        const int32_t row = here / stride / side[i] * stride + here % stride;
        int32_t at = here / stride % side[i];
        const bool up = (target - at + side[i]) % side[i] <= side[i] / 2 && (cables > 1 || at == 0);
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

static void find_ends(const struct platform_network *network, int32_t link, int32_t ends[2])
{
    const int32_t *side = network->shape + 1, hosts = network->hosts;
    int32_t inner = (link - 3 * hosts) / 2, stride = 1;
    for (; inner >= hosts / *side * cables_of_row(*side); side++) {
        inner -= hosts / *side * cables_of_row(*side);
        stride *= *side;
    }
    const int32_t cables = cables_of_row(*side), row = inner / cables, at = inner % cables;
    const int32_t start = row / stride * stride * *side + row % stride;
    ends[0] = start + at * stride;
    ends[1] = start + (at + 1) % *side * stride;
}

static void name_link(const struct platform_network *network, int32_t link, char *name, size_t size)
{
    platform_name_switch_link(network, link, 1, name, size);
}

static void place(const struct platform_network *network, int32_t link,
                  struct platform_place *place)
{
    const int32_t *side = network->shape + 1;
    int32_t inner = (link - 3 * network->hosts) / 2, i = 0;
    for (; inner >= network->hosts / side[i] * cables_of_row(side[i]); i++)
        inner -= network->hosts / side[i] * cables_of_row(side[i]);
    place->level += i;
    snprintf(place->name, sizeof place->name, "side %d", i + 1);
}

static int lay(const struct platform_cluster *cluster, struct platform_network **made)
{
    const int32_t dimensions = cluster->shape[0], *side = cluster->shape + 1;
    int64_t links = 3 * (int64_t)cluster->hosts;
    int32_t longest = 2;
    for (int32_t i = 0; i < dimensions; i++) {
        links += 2 * (int64_t)(cluster->hosts / side[i]) * cables_of_row(side[i]);
        longest += side[i] / 2;
    }
    return platform_network_alloc(cluster, links, longest, made);
}

const struct platform_maker platform_tofu = {
    .face = {.name = "tofu",
             .title =
                 "a torus of switches of any number of dimensions, each with a host of its own",
             .sizes = "tofu:AxBxC, one number or more, each at least 2",
             .options = options},
    .shape = shape,
    PLATFORM_FORMULA(lay, find_way, name_link, find_ends, place),
    .cut = platform_cut_torus,
};
