/* torus.c - hosts in a ring, a grid of rings, ..., each its own switch; routes go dimension by
 * dimension, the shorter way round.
 *
 * SimGrid's torus has no host links: a host sends in all directions at once, and the latency of a
 * route is that of its hops. */
#include <inttypes.h>
#include <stdio.h>

#include "platforms/generator.h"
#include "roundabout.h"

static const struct rb_platform_option options[] = {
    RB_LINK_OPTIONS("100ns", "latency of each hop: a torus has no host links to put it on")};

static int shape(const struct rb_platform_request *request, struct rb_cluster *cluster,
                 struct rb_error *error)
{
    int32_t side[RB_MOST_DIMENSIONS], count;
    int status = rb_parse_dimensions(request->face->name, request->size, 2, side, &count, error);
    if (status != RB_OK)
        return status;
    int64_t hosts = rb_product(side, count);
    if (hosts > RB_PLATFORM_MOST_HOSTS)
        return rb_fail(error, RB_EINVAL, "%s:%s: more than %d hosts", request->face->name,
                       request->size, RB_PLATFORM_MOST_HOSTS);
    cluster->topology = "TORUS";
    cluster->hosts = (int32_t)hosts;
    cluster->latency_per_hop = true;
    cluster->inner_links = true;
    rb_format_dimensions(side, count, ',', cluster->parameters, sizeof cluster->parameters);
    snprintf(cluster->note, sizeof cluster->note, "%" PRId32 " hosts, each its own switch, %s",
             cluster->hosts, request->size);
    return RB_OK;
}

const struct rb_platform_maker rb_platform_torus = {
    .face = {.name = "torus",
             .title = "a grid of rings, each host its own switch",
             .sizes = "torus:AxBxC, one number or more, each at least 2",
             .options = options},
    .shape = shape,
};
