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

static void name_link(const struct platform_network *network, int32_t link, char *name, size_t size)
{
    platform_name_switch_link(network, link, 1, name, size);
}

const struct platform_maker platform_tofu = {
    .face = {.name = "tofu",
             .title =
                 "a torus of switches of any number of dimensions, each with a host of its own",
             .sizes = "tofu:AxBxC, one number or more, each at least 2",
             .options = options},
    .shape = shape,
    PLATFORM_GRID_FORMULA(name_link),
    .cut = platform_cut_torus,
};
