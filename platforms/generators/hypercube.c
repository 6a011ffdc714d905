/* hypercube.c - hosts, each at a switch of its own; those whose numbers differ in one bit are
 * neighbours. E-cube routing: the lowest bit that differs is corrected first (Kumar, Grama, Gupta
 * and Karypis, Introduction to Parallel Computing). It is a mesh with sides of 2. */
#include <inttypes.h>
#include <stdio.h>

#include "platforms/generator.h"
#include "roundabout.h"

static const struct rb_platform_option options[] = {RB_WIRED_PORTS_OPTION, RB_HOP_OPTION,
                                                    RB_LINK_OPTIONS("1us", RB_LATENCY_HELP)};

static int shape(const struct rb_platform_request *request, struct rb_cluster *cluster,
                 struct rb_error *error)
{
    int status = rb_request_hosts(request, 1, &cluster->hosts, error);
    if (status != RB_OK)
        return status;
    if (!rb_is_wired_power(cluster->hosts, NULL))
        return rb_refuse_size(request, cluster->hosts, rb_is_wired_power, NULL, error);
    while (1 << cluster->sides < cluster->hosts)
        cluster->side[cluster->sides++] = 2;
    status = rb_wired_shape(request, cluster, rb_wire_grid, error);
    if (status == RB_OK)
        status = rb_request_int(request, "ports", 1, &cluster->ports, error);
    snprintf(cluster->note, sizeof cluster->note,
             "%" PRId32 " hosts, each at a switch of its own; %" PRId32
             " dimensions, corrected from the lowest bit up (E-cube)",
             cluster->hosts, cluster->sides);
    return status;
}

const struct rb_platform_maker rb_platform_hypercube = {
    .face = {.name = "hypercube",
             .title = "hosts whose numbers differ in one bit are joined; E-cube routes",
             .sizes = "hypercube:N, N = 2, 4, 8, ..., 4096",
             .options = options},
    .shape = shape,
};
