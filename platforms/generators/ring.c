/* ring.c - hosts in a ring, each at a switch of its own; messages go the shorter way round, and
 * upwards where both are equally long.
 *
 * Stage 0 goes upwards, stage 1 downwards. SimGrid takes the first of equals that it finds, in the
 * order in which steps are written: upwards (tests/platforms/test_platforms.c walks them). */
#include <inttypes.h>
#include <stdio.h>

#include "platforms/generator.h"
#include "roundabout.h"

static const struct platform_option options[] = {
    PLATFORM_WIRED_PORTS_OPTION, PLATFORM_HOP_OPTION,
    PLATFORM_LINK_OPTIONS("1us", PLATFORM_LATENCY_HELP)};

static void wire(const struct platform_cluster *cluster, struct platform_wiring *wiring)
{
    const int32_t hosts = cluster->hosts;
    for (int32_t node = 0; node < hosts; node++) {
        platform_wire_switch(wiring, node, 2);
        platform_wire_cable(wiring, node, (node + 1) % hosts);
    }
    for (int32_t stage = 0; stage < 2; stage++) {
        const bool down = stage == 1;
        for (int32_t node = 0; node < hosts; node++) {
            const struct platform_stop here = {node, stage};
            const int32_t next = (down ? node + hosts - 1 : node + 1) % hosts;
            platform_wire_leave(wiring, node, here);
            platform_wire_step(wiring, here, (struct platform_stop){next, stage}, down);
            platform_wire_arrive(wiring, here, node);
        }
    }
}

static int shape(const struct platform_request *request, struct platform_cluster *cluster,
                 struct sup_error *error)
{
    int status = platform_request_hosts(request, 2, &cluster->hosts, error);
    cluster->side[0] = cluster->hosts;
    cluster->sides = 1;
    if (status == RB_OK)
        status = platform_wired_shape(request, cluster, wire, error);
    snprintf(cluster->note, sizeof cluster->note,
             "%" PRId32 " hosts in a ring, each at a switch of its own; the shorter way round, "
             "upwards where both are equally long",
             cluster->hosts);
    return status;
}

const struct platform_maker platform_ring = {
    .face = {.name = "ring",
             .title = "each host is joined to its two neighbours; routes take the shorter "
                      "direction",
             .sizes = "ring:N, N from 2 to 4096",
             .options = options},
    .shape = shape,
    PLATFORM_GRID_FORMULA(platform_wired_name),
    .cut = platform_cut_torus,
};
