/* hypercube.c - hosts, each at a switch of its own; those whose numbers differ in one bit are
 * neighbours. E-cube routing: the lowest bit that differs is corrected first (Kumar, Grama, Gupta
 * and Karypis, Introduction to Parallel Computing). It is a mesh with sides of 2. */
#include <inttypes.h>
#include <stdio.h>

#include "platforms/generator.h"
#include "roundabout.h"

static const struct platform_option options[] = {
    PLATFORM_WIRED_PORTS_OPTION, PLATFORM_HOP_OPTION,
    PLATFORM_LINK_OPTIONS("1us", PLATFORM_LATENCY_HELP)};

static int shape(const struct platform_request *request, struct platform_cluster *cluster,
                 struct sup_error *error)
{
    int status = platform_request_hosts(request, 1, &cluster->hosts, error);
    if (status != RB_OK)
        return status;
    if (!platform_is_wired_power(cluster->hosts, NULL))
        return platform_refuse_size(request, cluster->hosts, platform_is_wired_power, NULL, error);
    while (1 << cluster->sides < cluster->hosts)
        cluster->side[cluster->sides++] = 2;
    status = platform_wired_shape(request, cluster, platform_wire_grid, error);
    snprintf(cluster->note, sizeof cluster->note,
             "%" PRId32 " hosts, each at a switch of its own; %" PRId32
             " dimensions, corrected from the lowest bit up (E-cube)",
             cluster->hosts, cluster->sides);
    return status;
}

const struct platform_maker platform_hypercube = {
    .face = {.name = "hypercube",
             .title = "hosts whose numbers differ in one bit are joined; E-cube routes",
             .sizes = "hypercube:N, N = 2, 4, 8, ..., 4096",
             .options = options},
    .shape = shape,
    PLATFORM_GRID_FORMULA(platform_wired_name),
    .cut = platform_cut_mesh,
};
