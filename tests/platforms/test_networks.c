/* test_networks.c - the networks that are known by formula have the links that SimGrid makes of the
 * same platforms: by name, bandwidth, latency and sharing, and in the same order on every route. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/network.h"
#include "roundabout.h"
#include "sim/engine/isolate.h"
#include "sim/simgrid/simgrid_platform.h"

static int compare_link(const struct platform_network *network, int32_t ours,
                        struct s4u_platform *platform, int32_t theirs, struct sup_error *error)
{
    char name[128];
    struct s4u_link link;
    const struct platform_link *own = &network->link[ours];
    s4u_link_describe(platform, theirs, &link);
    platform_network_link_name(network, ours, name, sizeof name);
    if (strcmp(link.name, name) != 0 || link.shared != own->shared ||
        fabs(link.bandwidth - own->bandwidth) > 1e-12 * link.bandwidth ||
        fabs(link.latency - own->latency_s) > 1e-18)
        return sup_fail(error, RB_EWRONG, "link %s, %d, %g, %g instead of %s, %d, %g, %g", name,
                        own->shared, own->bandwidth, own->latency_s, link.name, link.shared,
                        link.bandwidth, link.latency);
    return RB_OK;
}

static int compare_route(struct platform_network *network, struct s4u_platform *platform,
                         int32_t from, int32_t to, struct sup_error *error)
{
    struct s4u_route route;
    struct platform_route ours;
    struct sup_error why;
    int status = s4u_find_route(platform, from, to, &route, error);
    if (status == RB_OK)
        status = platform_network_route(network, from, to, 0, &ours, error);
    if (status == RB_OK && ours.count != route.count)
        status = sup_fail(error, RB_EWRONG, "%d links from %d to %d instead of %d", ours.count,
                          from, to, route.count);
    for (int32_t i = 0; i < route.count && status == RB_OK; i++)
        if (compare_link(network, ours.link[i], platform, route.link[i], &why) != RB_OK)
            status = sup_fail(error, RB_EWRONG, "from %d to %d: %s", from, to, why.text);
    if (status == RB_OK && (fabs(ours.latency_s - route.latency) > 1e-18 ||
                            fabs(ours.bandwidth - route.bandwidth) > 1e-12 * route.bandwidth))
        status = sup_fail(error, RB_EWRONG, "from %d to %d: latency %g instead of %g", from, to,
                          ours.latency_s, route.latency);
    return status;
}

/* In a child. All pairs of hosts. */
static int compare(void *context, FILE *reply, struct sup_error *error)
{
    const char *text = context;
    struct s4u_platform *platform = NULL;
    struct platform_network *network;
    int status = platform_network_create(text, &network, error);
    if (status == RB_OK)
        status = s4u_platform_load(text, NULL, 0, &platform, error);
    if (status != RB_OK)
        return status;
    if (network->hosts != s4u_host_count(platform) ||
        network->links != s4u_link_count(platform) - 1) /* SimGrid's __loopback__ */
        return sup_fail(error, RB_EWRONG, "%d hosts, %d links instead of %d, %d", network->hosts,
                        network->links, s4u_host_count(platform), s4u_link_count(platform) - 1);
    for (int32_t from = 0; from < network->hosts && status == RB_OK; from++)
        for (int32_t to = 0; to < network->hosts && status == RB_OK; to++)
            status = compare_route(network, platform, from, to, error);
    platform_network_destroy(network);
    s4u_platform_destroy(platform);
    fputs("alike", reply);
    return status;
}

static void test_like_simgrid(void **state)
{
    static const char *const platforms[] = {
        "crossbar:1",
        "crossbar:9,bandwidth=1GBps,latency=3us,loopback-latency=7ns",
        "crossbar:5,ports=3",
        "fat-tree:4,levels=1",
        "fat-tree:15",
        "fat-tree:128,taper=2,bandwidth=3GBps",
        "fat-tree:60,down=5x3x4",
        "fat-tree:96,down=4x2x3x4,taper=2",
        "torus:7",
        "torus:2",
        "torus:2x3x4,latency=250ns",
        "torus:5x6",
        "dragonfly:18,groups=3,routers=3",
        "dragonfly:120,groups=5,routers=8,local=2,global=3",
        "dragonfly:72,loopback-bandwidth=9GBps",
    };
    (void)state;
    for (size_t i = 0; i < sizeof platforms / sizeof *platforms; i++) {
        char *reply, text[100];
        size_t size;
        struct sup_error error;
        snprintf(text, sizeof text, "%s", platforms[i]);
        if (sim_isolate("SimGrid", compare, text, &reply, &size, &error) != RB_OK)
            fail_msg("%s: %s", text, error.text);
        free(reply);
    }
}

static void test_refusals(void **state)
{
    struct platform_network *network;
    struct sup_error error;
    (void)state;
    assert_int_equal(platform_network_create("mesh:3x3", &network, &error), RB_ENOTSUP);
    assert_string_equal(error.text, "mesh: its routes are not known by formula");
    assert_int_equal(platform_network_create("fat-tree:13", &network, &error), RB_EINVAL);
    platform_network_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_like_simgrid),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
