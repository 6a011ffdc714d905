/* mesh.c - hosts in rows and columns (and further sides) without wrap-around, each at a switch of
 * its own; routes go along the row first, then along the column. */
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
    int32_t given[PLATFORM_MOST_DIMENSIONS], count;
    int status =
        platform_parse_dimensions(request->face->name, request->size, 1, given, &count, error);
    if (status != RB_OK)
        return status;
    /* The last number belongs to adjacent hosts. Sides of 1 would have stages that no route
     * reaches. */
    for (int32_t i = count; i-- > 0;)
        if (given[i] > 1)
            cluster->side[cluster->sides++] = given[i];
    const int64_t hosts = platform_product(given, count);
    cluster->hosts = hosts < INT32_MAX ? (int32_t)hosts : INT32_MAX;
    if (hosts < 2)
        return sup_fail(error, RB_EINVAL, "%s:%s: one host is not a mesh: %s", request->face->name,
                        request->size, request->face->sizes);
    status = platform_wired_shape(request, cluster, platform_wire_grid, error);
    snprintf(cluster->note, sizeof cluster->note,
             "%" PRId32 " hosts, each at a switch of its own, %s without wrap-around; the last "
             "number's neighbours are hosts 0 and 1, and routes go along it first",
             cluster->hosts, request->size);
    return status;
}

const struct platform_maker platform_mesh = {
    .face = {.name = "mesh",
             .title = "rows and columns without wrap-around; routes go along the row first",
             .sizes = "mesh:AxB, A rows of B hosts; or any number of sides, together at most 4096 "
                      "hosts",
             .options = options},
    .shape = shape,
    PLATFORM_GRID_FORMULA(platform_wired_name),
    .cut = platform_cut_mesh,
};
