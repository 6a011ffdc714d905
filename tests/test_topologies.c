/* test_topologies.c - rings, meshes, hypercubes and trees: the very links of all routes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "roundabout.h"
#include "sim/isolate.h"
#include "sim/simgrid_platform.h"

/* ---- Routes, written down by hand ---- */

struct topology {
    const char *text;
    int32_t hosts, side[3]; /* mesh: the last number first */
    int32_t first;          /* number of the first leaf: 0, or of a tree */
    int32_t (*next)(const struct topology *topology, int32_t at, int32_t to);
    double latency_s, cable_s; /* of all cables but the hosts' own links; per cable */
};

/* Upwards if that is not longer. */
static int32_t next_on_ring(const struct topology *topology, int32_t at, int32_t to)
{
    const int32_t p = topology->hosts, up = ((to - at) % p + p) % p;
    return (at + (2 * up <= p ? 1 : p - 1)) % p;
}

/* Along the row, then along the column, then along the layer. */
static int32_t next_on_mesh(const struct topology *topology, int32_t at, int32_t to)
{
    int32_t stride = 1;
    for (int32_t i = 0; i < 3; stride *= topology->side[i++]) {
        const int32_t apart = to / stride % topology->side[i] - at / stride % topology->side[i];
        if (apart != 0)
            return apart > 0 ? at + stride : at - stride;
    }
    return at;
}

/* The lowest bit that differs. */
static int32_t next_on_hypercube(const struct topology *topology, int32_t at, int32_t to)
{
    (void)topology;
    const int32_t differ = at ^ to;
    return at ^ (differ & -differ);
}

/* Up unless `to` is below. Leaves count from hosts on, so that the parent of i is i / 2. */
static int32_t next_on_tree(const struct topology *topology, int32_t at, int32_t to)
{
    (void)topology;
    for (int32_t below = to; below > at; below /= 2)
        if (below / 2 == at)
            return below;
    return at / 2;
}

static const struct topology topologies[] = {
    {"ring:7", 7, .next = next_on_ring, .latency_s = 1e-6},
    {"ring:8,latency=2us,hop-latency=100ns", 8, .next = next_on_ring, 2e-6, 1e-7},
    {"mesh:3x4", 12, {4, 3, 1}, .next = next_on_mesh, .latency_s = 1e-6},
    {"mesh:1x6", 6, {6, 1, 1}, .next = next_on_mesh, .latency_s = 1e-6},
    {"mesh:2x3x4,hop-latency=10ns", 24, {4, 3, 2}, .next = next_on_mesh, 1e-6, 1e-8},
    {"hypercube:2", 2, .next = next_on_hypercube, .latency_s = 1e-6},
    {"hypercube:32", 32, .next = next_on_hypercube, .latency_s = 1e-6},
    {"tree:2", 2, .first = 2, .next = next_on_tree, .latency_s = 1e-6},
    {"tree:16", 16, .first = 16, .next = next_on_tree, .latency_s = 1e-6},
};

static int32_t number_of(const char *link, const char *before)
{
    const char *at = strstr(link, before);
    return at != NULL ? (int32_t)strtol(at + strlen(before), NULL, 10) : -1;
}

/* Is this link one direction of the cable between two places, this one? Hosts of a tree are places,
 * too; a host's link says the host only. */
static bool joins(const char *link, const struct topology *topology, int32_t from, int32_t to)
{
    const int32_t a = number_of(link, "link_from_switch-"), b = number_of(link, "_to_switch-");
    const int32_t host = number_of(link, "link_from_host-");
    const bool up = link[strlen(link) - 1] == 'P';
    if (host >= 0)
        return topology->first > 0 && host + topology->first == (up ? from : to);
    return up ? a == from && b == to : a == to && b == from;
}

static int check_route(const struct topology *topology, struct rb_simgrid *platform, int32_t from,
                       int32_t to, struct rb_error *error)
{
    struct rb_simgrid_route route;
    struct rb_simgrid_link link;
    int status = rb_simgrid_find_route(platform, from, to, &route, error);
    if (status != RB_OK)
        return status;
    const bool tree = topology->first > 0;
    int32_t at = from + topology->first, i = tree ? 0 : 1;
    for (; at != to + topology->first; i++) {
        const int32_t next = topology->next(topology, at, to + topology->first);
        if (i >= route.count)
            break;
        rb_simgrid_link_describe(platform, route.link[i], &link);
        if (!joins(link.name, topology, at, next))
            return rb_fail(error, RB_EWRONG, "%s: from %d to %d: link %d is %s, not %d to %d",
                           topology->text, from, to, i, link.name, at, next);
        at = next;
    }
    const int32_t cables = tree ? i - 2 : i - 1;
    const double latency_s = topology->latency_s + cables * topology->cable_s;
    if (route.count != (tree ? i : i + 1) || fabs(route.latency - latency_s) > 1e-15)
        return rb_fail(error, RB_EWRONG, "%s: from %d to %d: %d links, %g s, not %g",
                       topology->text, from, to, route.count, route.latency, latency_s);
    for (int32_t end = 0; end < 2; end++) { /* the hosts' own */
        rb_simgrid_link_describe(platform, route.link[end == 0 ? 0 : route.count - 1], &link);
        if (number_of(link.name, "link_from_host-") != (end == 0 ? from : to))
            return rb_fail(error, RB_EWRONG, "%s: from %d to %d: %s at an end", topology->text,
                           from, to, link.name);
    }
    return RB_OK;
}

static int walk(void *context, FILE *reply, struct rb_error *error)
{
    const struct topology *topology = context;
    struct rb_simgrid *platform;
    int status = rb_simgrid_load(topology->text, NULL, 0, &platform, error);
    if (status != RB_OK)
        return status;
    const int32_t hosts = rb_simgrid_host_count(platform);
    for (int32_t from = 0; from < hosts && status == RB_OK; from++)
        for (int32_t to = 0; to < hosts && status == RB_OK; to++)
            if (from != to)
                status = check_route(topology, platform, from, to, error);
    fprintf(reply, "%" PRId32, hosts);
    rb_simgrid_destroy(platform);
    return status;
}

static void test_routes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof topologies / sizeof topologies[0]; i++) {
        struct topology topology = topologies[i];
        struct rb_error error;
        char *reply;
        size_t size;
        if (rb_isolate("SimGrid", walk, &topology, &reply, &size, &error) != RB_OK)
            fail_msg("%s: %s", topology.text, error.text);
        assert_int_equal(atoi(reply), topology.hosts);
        free(reply);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_routes),
    };
    return cmocka_run_group_tests_name("topologies", tests, NULL, NULL);
}
