/* torus.c - hosts in a ring, a grid of rings, ..., each its own switch; routes go dimension by
 * dimension, the shorter way round.
 *
 * SimGrid's torus has no host links: a host sends in all directions at once, and the latency of a
 * route is that of its hops. */
#include <inttypes.h>
#include <stdio.h>

#include "platforms/generator.h"
#include "roundabout.h"

static const struct platform_option options[] = {
    PLATFORM_LINK_OPTIONS("100ns", "latency of each hop, because a torus has no host links")};

static int shape(const struct platform_request *request, struct platform_cluster *cluster,
                 struct sup_error *error)
{
    const int status = platform_request_torus(request, cluster, error);
    if (status != RB_OK)
        return status;
    cluster->topology = "TORUS";
    cluster->latency_per_hop = true;
    platform_format_dimensions(cluster->side, cluster->sides, ',', cluster->parameters,
                               sizeof cluster->parameters);
    snprintf(cluster->note, sizeof cluster->note, "%" PRId32 " hosts, each its own switch, %s",
             cluster->hosts, request->size);
    return RB_OK;
}

/* ---- Routes: from host h along dimension i, the link hosts + 2 (h * dimensions + i), and back. */

/* True if the way up along a side is taken: it is the shorter one, or as short. */
static bool goes_up(int32_t from, int32_t to, int32_t side)
{
    return (to > from && to <= from + side / 2) ||
           (from > side / 2 && (from + side / 2) % side >= to);
}

static int32_t find_way(const struct platform_network *network, int32_t from, int32_t to,
                        uint64_t key, int32_t link[])
{
    const int32_t dimensions = network->shape[0], *side = network->shape + 1;
    int32_t here = from, count = 0;
    (void)key; /* the dimensions in their order */
    for (int32_t i = 0, stride = 1; i < dimensions; stride *= side[i++]) {
        const int32_t target = to / stride % side[i];
        int32_t at = from / stride % side[i];
        const bool up = goes_up(at, target, side[i]);
        while (at != target) {
            const int32_t next = (up ? at + 1 : at + side[i] - 1) % side[i];
            const int32_t there = here + (next - at) * stride;
            link[count++] = network->hosts + 2 * ((up ? here : there) * dimensions + i) + !up;
            here = there;
            at = next;
        }
    }
    return count;
}

static void find_ends(const struct platform_network *network, int32_t link, int32_t ends[2])
{
    const int32_t dimensions = network->shape[0], *side = network->shape + 1;
    const int32_t number = (link - network->hosts) / 2, from = number / dimensions;
    int32_t stride = 1, i = 0;
    while (i < number % dimensions)
        stride *= side[i++];
    const bool is_last = from / stride % side[i] == side[i] - 1;
    ends[0] = from;
    ends[1] = from + (is_last ? 1 - side[i] : 1) * stride;
}

static void name_link(const struct platform_network *network, int32_t link, char *name, size_t size)
{
    int32_t ends[2];
    find_ends(network, link, ends);
    snprintf(name, size, "%s_link_from_%d_to_%d_%s", network->zone, ends[0], ends[1],
             (link - network->hosts) % 2 == 0 ? "UP" : "DOWN");
}

static void place(const struct platform_network *network, int32_t link,
                  struct platform_place *place)
{
    const int32_t side = (link - network->hosts) / 2 % network->shape[0];
    place->level += side;
    snprintf(place->name, sizeof place->name, "side %d", side + 1);
}

static int lay(const struct platform_cluster *cluster, struct platform_network **made)
{
    const int32_t dimensions = cluster->shape[0];
    int32_t longest = 0;
    for (int32_t i = 0; i < dimensions; i++)
        longest += cluster->shape[1 + i] / 2;
    return platform_network_alloc(cluster, cluster->hosts * (1 + 2 * (int64_t)dimensions), longest,
                                  made);
}

/* There are no hosts' own links: a host sends in all directions at once. */
static void cut(const struct platform_cluster *cluster, struct platform_cuts *cuts)
{
    const int32_t sides = cluster->shape[0], *side = cluster->shape + 1;
    int32_t cables = 0;
    for (int32_t i = 0; i < sides; i++)
        cables += side[i] > 2 ? 2 : 1;
    cuts->cut[0].bandwidth = cluster->bandwidth * cables;
    platform_cuts_add_grid(cuts, side, sides, true, cluster->bandwidth);
}

const struct platform_maker platform_torus = {
    .face = {.name = "torus",
             .title = "a grid of rings, each host its own switch",
             .sizes = "torus:AxBxC, one number or more, each at least 2",
             .options = options},
    .shape = shape,
    PLATFORM_FORMULA(lay, find_way, name_link, find_ends, place),
    .cut = cut,
};
