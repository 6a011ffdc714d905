/* ring.c - hosts in a ring, each at a switch of its own; messages go the shorter way round, and
 * upwards where both are equally long.
 *
 * Stage 0 goes upwards, stage 1 downwards. SimGrid takes the first of equals that it finds, in the
 * order in which steps are written: upwards (tests/test_platforms.c walks them). */
#include <inttypes.h>
#include <stdio.h>

#include "platforms/generator.h"
#include "roundabout.h"

static const struct rb_platform_option options[] = {RB_WIRED_PORTS_OPTION, RB_HOP_OPTION,
                                                    RB_LINK_OPTIONS("1us", RB_LATENCY_HELP)};

static void wire(const struct rb_cluster *cluster, struct rb_wiring *wiring)
{
    const int32_t hosts = cluster->hosts;
    for (int32_t node = 0; node < hosts; node++) {
        rb_wire_switch(wiring, node, 2);
        rb_wire_cable(wiring, node, (node + 1) % hosts);
    }
    for (int32_t stage = 0; stage < 2; stage++) {
        const bool down = stage == 1;
        for (int32_t node = 0; node < hosts; node++) {
            const struct rb_stop here = {node, stage};
            const int32_t next = (down ? node + hosts - 1 : node + 1) % hosts;
            rb_wire_leave(wiring, node, here);
            rb_wire_step(wiring, here, (struct rb_stop){next, stage}, down);
            rb_wire_arrive(wiring, here, node);
        }
    }
}

static int shape(const struct rb_platform_request *request, struct rb_cluster *cluster,
                 struct rb_error *error)
{
    int status = rb_request_hosts(request, 2, &cluster->hosts, error);
    if (status == RB_OK)
        status = rb_wired_shape(request, cluster, wire, error);
    if (status == RB_OK)
        status = rb_request_int(request, "ports", 1, &cluster->ports, error);
    snprintf(cluster->note, sizeof cluster->note,
             "%" PRId32 " hosts in a ring, each at a switch of its own; the shorter way round, "
             "upwards where both are equally long",
             cluster->hosts);
    return status;
}

const struct rb_platform_maker rb_platform_ring = {
    .face = {.name = "ring",
             .title = "each host is joined to the next and the one before; the shorter way round",
             .sizes = "ring:N, N from 2 to 4096",
             .options = options},
    .shape = shape,
};
