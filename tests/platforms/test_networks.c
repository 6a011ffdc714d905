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
#include "platforms/platform.h"
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
    /* A wired platform's file has another name for it. */
    const bool is_inside = strncmp(link.name, "loopback-", 9) == 0;
    if ((!is_inside && strcmp(link.name, name) != 0) || link.shared != own->shared ||
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
        status = s4u_platform_load(text, NULL, &platform, error);
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
        "fat-tree:60,down=5x3x4,routing=s-mod-k",
        "fat-tree:128,taper=2,routing=ecmp:9",
        "torus:7",
        "torus:2",
        "torus:2x3x4,latency=250ns",
        "torus:5x6",
        "dragonfly:18,groups=3,routers=3",
        "dragonfly:120,groups=5,routers=8,local=2,global=3",
        "dragonfly:72,loopback-bandwidth=9GBps",
        "dragonfly:72,groups=9,routers=4,spread=yes,global=3,bandwidth=2GBps",
        "dragonfly:72,routing=valiant-pairs:3",
        "dragonfly+:96,leaves=4,spines=3,global=5,bandwidth=2GBps",
        "dragonfly+:36,routing=ecmp:3",
        "hyperx:4x3,hosts=3,width=2,latency=3us",
        "hyperx:3x3x3,routing=valiant-pairs:3",
        "slimfly:50,hosts=1,latency=3us",
        "slimfly:54,bandwidth=2GBps",
        "tofu:2x3x4x2,ports=3",
        ROUNDABOUT_SOURCE_DIR "/examples/two-servers.topology",
        "edges:" ROUNDABOUT_SOURCE_DIR "/examples/two-servers.topology,routing=ecmp:2",
        "dragonfly:18,groups=3,routers=3,ports=2",
        "fat-tree:12,down=4x3,up=6",
        "fat-tree:12,down=4x3,up=6,ports=4",
        "rails:1x1",
        "rails:1x8",
        "rails:2x1",
        "rails:13x3,inner-latency=300ns,bandwidth=3GBps",
        "rails:7x2,radix=6,hop-latency=10ns",
        "rails:6x4,rails=2,cross=spines,taper=3",
        "leonardo:40,spines=2,global=1",
        "lumi:20,global=1",
        "marenostrum5:40,ports=2",
        "fugaku:3x2x4",
        "crossbar:5,ports=3,memory-bandwidth=90GBps",
        "crossbar:1,memory-bandwidth=90GBps,memory-traffic=all",
        "torus:3x4,memory-bandwidth=9GBps,memory-traffic=all",
        "leonardo:40,spines=2,global=1,memory-bandwidth=90GBps,memory-traffic=all",
        "rails:3x2,memory-bandwidth=90GBps,memory-traffic=all",
        "polaris:6",
        "dgx-h100:5,pod=2",
        "ring:2",
        "ring:9,hop-latency=10ns",
        "mesh:3x4,ports=2",
        "mesh:2x3x1x5,bandwidth=3GBps",
        "hypercube:32",
        "tree:2",
        "tree:32,hop-latency=10ns,bandwidth=3GBps",
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

/* ---- Routes that SimGrid does not know --------------------------------------------------------
 *
 * Where links meet follows from the routes: a link begins where the one before it ended. If a route
 * jumps, places are taken for one, and there are too few of them. */

struct walk {
    struct platform_network *network;
    int32_t
        *place; /* of 2 ends per link, then of hosts: another end at the same place, or itself */
};

static int32_t place_of(const struct walk *walk, int32_t i)
{
    while (walk->place[i] != i)
        i = walk->place[i] = walk->place[walk->place[i]];
    return i;
}

static void meet(struct walk *walk, int32_t i, int32_t j)
{
    walk->place[place_of(walk, i)] = place_of(walk, j);
}

static void follow(struct walk *walk, int32_t from, int32_t to, uint64_t key)
{
    const struct platform_network *network = walk->network;
    struct platform_route route;
    assert_int_equal(platform_network_route(walk->network, from, to, key, &route, NULL), RB_OK);
    assert_true(route.count >= 2);
    if (strcmp(network->zone, "rails") != 0) { /* where a host has two links */
        assert_int_equal(route.link[0], network->hosts + 2 * from);
        assert_int_equal(route.link[route.count - 1], network->hosts + 2 * to + 1);
    }
    int32_t here = 2 * network->links + from;
    for (int32_t i = 0; i < route.count; i++) {
        const int32_t link = route.link[i];
        assert_in_range(link, network->hosts, network->links - 1);
        for (int32_t j = 0; j < i; j++)
            assert_int_not_equal(route.link[j], link);
        meet(walk, here, 2 * link);
        here = 2 * link + 1;
    }
    meet(walk, here, 2 * network->links + to);
}

/* All pairs, with keys 0 to keys - 1 and with the detours of adaptive routing. Each pair of links
 * from hosts on is one cable. */
static void expect_switches(const char *text, uint64_t keys, int32_t switches)
{
    struct walk walk;
    struct sup_error error;
    int32_t places = 0;
    if (platform_network_create(text, &walk.network, &error) != RB_OK)
        fail_msg("%s", error.text);
    const int32_t hosts = walk.network->hosts, links = walk.network->links;
    const int32_t ends = 2 * links + hosts;
    walk.place = malloc((size_t)ends * sizeof *walk.place);
    for (int32_t i = 0; i < ends; i++)
        walk.place[i] = i;
    for (int32_t link = hosts; link < links; link += 2) {
        meet(&walk, 2 * link, 2 * link + 3);
        meet(&walk, 2 * link + 1, 2 * link + 2);
    }
    for (int32_t from = 0; from < hosts; from++)
        for (int32_t to = 0; to < hosts; to++)
            for (uint64_t key = 0; key < keys && from != to; key++)
                follow(&walk, from, to, key % 2 == 0 ? key : key | PLATFORM_DETOUR);
    for (int32_t i = 2 * hosts; i < ends; i++)
        places += place_of(&walk, i) == i;
    if (places != hosts + switches)
        fail_msg("%s: %d switches instead of %d", text, places - hosts, switches);
    free(walk.place);
    platform_network_destroy(walk.network);
}

static void test_routes_are_connected(void **state)
{
    static const struct {
        const char *text;
        uint64_t keys;
        int32_t switches;
    } known[] = {
        {"fat-tree:60,down=5x3x4", 1, 12 + 20 + 15},
        {"fat-tree:60,down=5x3x4,routing=s-mod-k", 1, 12 + 20 + 15},
        {"fat-tree:60,down=5x3x4,routing=ecmp:3", 1, 12 + 20 + 15},
        {"dragonfly:72", 1, 4 * 6},
        {"dragonfly:72,routing=valiant", 6, 4 * 6},
        {"dragonfly:72,routing=valiant-pairs:4", 1, 4 * 6},
        {"dragonfly:120,groups=5,routers=8,routing=ugal,spread=yes", 6, 5 * 8},
        {"dragonfly:84,groups=7,routers=4,routing=ugal-l:8,spread=yes,global=2", 6, 7 * 4},
        {"dragonfly+:128", 1, 4 * (4 + 8)},
        {"dragonfly+:128,routing=ecmp:2", 1, 4 * (4 + 8)},
        {"dragonfly+:96,groups=4,leaves=6,spines=2,global=1,routing=valiant", 6, 4 * (6 + 2)},
        {"dragonfly+:60,groups=5,leaves=3,spines=3,global=7,routing=ugal", 6, 5 * (3 + 3)},
        {"hyperx:3x4x2", 1, 3 * 4 * 2},
        {"hyperx:5x3,hosts=2,width=3,routing=valiant", 6, 5 * 3},
        {"slimfly:98,hosts=1", 1, 2 * 7 * 7},
        {"slimfly:54", 1, 2 * 3 * 3},
        {"tofu:3x4x2x2", 1, 3 * 4 * 2 * 2},
        {"tofu:6x2x5,ports=2", 1, 6 * 2 * 5},
        {"dragonfly:8,groups=2,routers=2,routing=valiant,spread=yes", 6, 2 * 2},
        {"rails:13x3", 1, 13 + 3},
        {"rails:8x3,radix=4", 1, 8 + 3 * 4 + 3 * 2},
        {"rails:8x2,cross=spines,taper=4", 1, 8 + 2 + 2},
        {"rails:12x4,rails=2,cross=spines,radix=12", 1, 12 + 2 * 4 + 6},
    };
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        expect_switches(known[i].text, known[i].keys, known[i].switches);
}

static struct platform_network *network_of(const char *text)
{
    struct platform_network *network;
    struct sup_error error;
    if (platform_network_create(text, &network, &error) != RB_OK)
        fail_msg("%s: %s", text, error.text);
    return network;
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static void expect_route(struct platform_network *network, int32_t from, int32_t to,
                         const char *expected)
{
    struct platform_route route;
    struct platform_place place;
    char text[512] = "", name[64];
    assert_int_equal(platform_network_route(network, from, to, 0, &route, NULL), RB_OK);
    for (int32_t i = 0; i < route.count; i++) {
        const size_t used = strlen(text);
        platform_network_link_name(network, route.link[i], name, sizeof name);
        snprintf(text + used, sizeof text - used, "%s%s", i == 0 ? "" : " ", name);
        platform_network_place(network, route.link[i], &place);
        assert_int_equal(strstr(name, "memory") != NULL, strcmp(place.name, "memory") == 0);
        if (strstr(name, "memory") != NULL)
            assert_true(network->link[route.link[i]].shared &&
                        network->link[route.link[i]].latency_s == 0);
    }
    assert_string_equal(text, expected);
}

/* Inside a host behind the loopback; with memory-traffic=all around the route between hosts, too.
 * The longest route has room. */
static void test_memory(void **state)
{
    (void)state;
    struct platform_network *network = network_of("crossbar:3,memory-bandwidth=60GBps");
    expect_route(network, 1, 1, "crossbar_link_1_loopback crossbar_memory_1");
    expect_route(network, 1, 2, "crossbar_link_1_UP crossbar_link_2_DOWN");
    assert_true(network->link[network->links - 1].bandwidth == 60e9);
    platform_network_destroy(network);
    network = network_of("crossbar:3,ports=2,memory-bandwidth=60GBps,memory-traffic=all");
    expect_route(network, 2, 2,
                 "crossbar_link_2_loopback crossbar_memory_2_read crossbar_memory_2_write");
    expect_route(network, 0, 2,
                 "crossbar_memory_0_read crossbar_link_0_UP crossbar_backbone crossbar_link_2_DOWN "
                 "crossbar_memory_2_write");
    platform_network_destroy(network);
    network = network_of("torus:2,memory-bandwidth=6MBps,memory-traffic=all");
    expect_route(network, 1, 0,
                 "torus_memory_1_read torus_link_from_0_to_1_DOWN torus_memory_0_write");
    platform_network_destroy(network);
    network = network_of("fugaku:2x2,memory-bandwidth=6GBps,memory-traffic=all");
    expect_route(network, 3, 3,
                 "fugaku_link_3_loopback fugaku_memory_3_read fugaku_memory_3_write");
    platform_network_destroy(network);
}

/* ---- Levels ---------------------------------------------------------------------------------- */

/* "host up 4, host down 4": the levels in their order, and the number of links of each; every link
 * of a level has an order of its own, and the level that SimGrid's name for it says. */
static void describe_levels(const struct platform_network *network, char *text, size_t size)
{
    struct platform_place place, other;
    int32_t count = 0;
    text[0] = '\0';
    for (int32_t level = 0; level <= 1000; level++, count = 0) {
        char name[sizeof place.name] = "";
        for (int32_t link = 0; link < network->links; link++) {
            platform_network_place(network, link, &place);
            if (place.level != level)
                continue;
            assert_true(count++ == 0 || strcmp(name, place.name) == 0);
            memcpy(name, place.name, sizeof name);
            for (int32_t l = 0; l < link; l++) {
                platform_network_place(network, l, &other);
                assert_true(other.level != level || other.order != place.order);
            }
        }
        if (count > 0)
            snprintf(text + strlen(text), size - strlen(text), "%s%s %d",
                     text[0] == '\0' ? "" : ", ", name, count);
    }
}

/* The route's levels: "host up, local, host down". */
static void describe_route(struct platform_network *network, int32_t from, int32_t to, char *text,
                           size_t size)
{
    struct platform_route route;
    platform_network_route(network, from, to, 0, &route, NULL);
    text[0] = '\0';
    for (int32_t i = 0; i < route.count; i++) {
        struct platform_place place;
        platform_network_place(network, route.link[i], &place);
        snprintf(text + strlen(text), size - strlen(text), "%s%s", i == 0 ? "" : ", ", place.name);
    }
}

static void test_levels(void **state)
{
    static const struct {
        const char *text, *levels;
        int32_t to; /* from host 0 */
        const char *route;
    } known[] = {
        {"crossbar:3", "loopback 3, host up 3, host down 3", 2, "host up, host down"},
        {"fat-tree:15", "loopback 15, host up 15, leaf up 15, leaf down 15, host down 15", 14,
         "host up, leaf up, leaf down, host down"},
        {"fat-tree:60,down=5x3x4",
         "loopback 60, host up 60, leaf up 60, spine up 60, spine down 60, leaf down 60, host down "
         "60",
         59, "host up, leaf up, spine up, spine down, leaf down, host down"},
        {"dragonfly:18,groups=3,routers=3",
         "loopback 18, host up 18, local 18, global 6, host down 18", 17,
         "host up, local, global, local, host down"},
        {"dragonfly:84,groups=7,routers=4,spread=yes,global=2",
         "loopback 84, host up 84, local 84, global 84, host down 84", 1, "host up, host down"},
        {"dragonfly+:36,leaves=3,spines=2,global=1",
         "loopback 36, host up 36, leaf up 18, global 6, leaf down 18, host down 36", 35,
         "host up, leaf up, global, leaf down, host down"},
        {"hyperx:4x3,hosts=3", "loopback 36, host up 36, side 1 36, side 2 24, host down 36", 35,
         "host up, side 1, side 2, host down"},
        {"slimfly:54", "loopback 54, host up 54, network 90, host down 54", 2,
         "host up, host down"},
        {"tofu:2x3x4", "loopback 24, host up 24, side 1 24, side 2 48, side 3 48, host down 24", 23,
         "host up, side 1, side 2, side 3, host down"},
        {"torus:2x3", "loopback 6, side 1 12, side 2 12", 5, "side 1, side 2"},
        {"rails:3x2", "loopback 6, host up 6, nic up 6, nic down 6, host down 6", 1,
         "host up, host down"},
        {"rails:4x2,radix=3",
         "loopback 8, host up 8, nic up 8, rail up 8, rail down 8, nic down 8, host down 8", 7,
         "host up, host down, nic up, rail up, rail down, nic down"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        char text[200];
        struct platform_network *network = network_of(known[i].text);
        describe_levels(network, text, sizeof text);
        assert_string_equal(text, known[i].levels);
        describe_route(network, 0, known[i].to, text, sizeof text);
        assert_string_equal(text, known[i].route);
        platform_network_destroy(network);
    }
}

/* Links of a level are in the order of their sending ends: a dragonfly's by group and router. */
static void test_order_is_the_senders(void **state)
{
    (void)state;
    struct platform_network *network = network_of("dragonfly:72,routers=9,groups=4");
    for (int32_t from = 0; from < 72; from++)
        for (int32_t to = 0; to < 72; to++) {
            struct platform_route route;
            struct platform_place place;
            platform_network_route(network, from, to, 0, &route, NULL);
            for (int32_t i = 0; i < route.count; i++) {
                platform_network_place(network, route.link[i], &place);
                if (strcmp(place.name, "global") == 0)
                    assert_int_equal(place.order / 3, from / 18); /* to each of 3 groups */
                if (strcmp(place.name, "local") == 0 && i == 1)
                    assert_int_equal(place.order / 8, from / 2); /* to each of 8 routers */
            }
        }
    platform_network_destroy(network);
}

/* The routes of s-mod-k are those of d-mod-k, backwards. */
static void test_source_routing_is_destination_routing_backwards(void **state)
{
    (void)state;
    struct platform_network *by_source = network_of("fat-tree:96,down=4x2x3x4,routing=s-mod-k");
    struct platform_network *by_destination = network_of("fat-tree:96,down=4x2x3x4");
    for (int32_t from = 0; from < 96; from++)
        for (int32_t to = 0; to < 96; to++) {
            struct platform_route forth, back;
            platform_network_route(by_source, from, to, 0, &forth, NULL);
            platform_network_route(by_destination, to, from, 0, &back, NULL);
            assert_int_equal(forth.count, back.count);
            for (int32_t i = 0; i < forth.count && from != to; i++)
                assert_int_equal(forth.link[i] - 96, (back.link[back.count - 1 - i] - 96) ^ 1);
        }
    platform_network_destroy(by_source);
    platform_network_destroy(by_destination);
}

/* How many routes differ between two networks of the same links. */
static int32_t count_differences(const char *text, const char *other_text, uint64_t key,
                                 uint64_t other_key)
{
    struct platform_network *network = network_of(text), *other = network_of(other_text);
    int32_t differences = 0;
    assert_int_equal(network->links, other->links);
    for (int32_t from = 0; from < network->hosts; from++)
        for (int32_t to = 0; to < network->hosts; to++) {
            struct platform_route a, b;
            platform_network_route(network, from, to, key, &a, NULL);
            platform_network_route(other, from, to, other_key, &b, NULL);
            differences +=
                a.count != b.count || memcmp(a.link, b.link, (size_t)a.count * sizeof *a.link) != 0;
        }
    platform_network_destroy(network);
    platform_network_destroy(other);
    return differences;
}

static void seeds_choose_other_routes(void **state)
{
    (void)state;
    char hash[17], other[17];
    assert_int_equal(
        count_differences("dragonfly:72,routing=valiant:5", "dragonfly:72,routing=valiant:5", 7, 7),
        0);
    assert_true(count_differences("dragonfly:72,routing=valiant:5",
                                  "dragonfly:72,routing=valiant:5", 7, 8) > 1000);
    assert_true(count_differences("dragonfly:72,routing=valiant:5",
                                  "dragonfly:72,routing=valiant:6", 7, 7) > 1000);
    assert_int_equal(count_differences("dragonfly:72,routing=valiant-pairs:5",
                                       "dragonfly:72,routing=valiant-pairs:5", 7, 8),
                     0);
    assert_int_equal(count_differences("dragonfly:72", "dragonfly:72,routing=ugal", 0, 8), 0);
    /* Of 64 x 56 pairs of different leaf switches, one in 8 has the same uplink by chance. */
    const int32_t differences =
        count_differences("fat-tree:64,routing=ecmp:1", "fat-tree:64,routing=ecmp:2", 0, 0);
    assert_in_range(differences, 3000, 3300);
    assert_int_equal(
        count_differences("fat-tree:64,routing=ecmp", "fat-tree:64,routing=ecmp:1", 0, 0), 0);
    assert_int_equal(
        count_differences("fat-tree:64,routing=ecmp:5", "fat-tree:64,routing=ecmp:5", 0, 99), 0);
    assert_int_equal(platform_hash_of("fat-tree:64,routing=ecmp:1", hash, NULL), RB_OK);
    assert_int_equal(platform_hash_of("fat-tree:64,routing=ecmp", other, NULL), RB_OK);
    assert_string_equal(hash, other);
    assert_int_equal(platform_hash_of("fat-tree:64,routing=ecmp:2", other, NULL), RB_OK);
    assert_string_not_equal(hash, other);
    assert_int_equal(platform_hash_of("fat-tree:64,routing=d-mod-k", hash, NULL), RB_OK);
    assert_int_equal(platform_hash_of("fat-tree:64", other, NULL), RB_OK);
    assert_string_equal(hash, other);
}

/* ---- Lengths and worked examples of topologies that SimGrid does not have ---- */

static int32_t dragonfly_plus_length(int32_t from,
                                     int32_t to) /* 96 = 4 groups, 6 leaves, 4 hosts */
{
    return from / 4 == to / 4 ? 2 : from / 24 == to / 24 ? 4 : 5;
}

static int32_t hyperx_length(int32_t from, int32_t to) /* 5x3 switches of 2 hosts */
{
    const int32_t a = from / 2, b = to / 2;
    return 2 + (a % 5 != b % 5) + (a / 5 != b / 5);
}

static int32_t tofu_length(int32_t from, int32_t to)
{
    static const int32_t side[] = {3, 4, 2, 2, 3, 2};
    int32_t length = 2;
    for (int32_t i = 0; i < 6; from /= side[i], to /= side[i], i++) {
        const int32_t apart = abs(from % side[i] - to % side[i]);
        length += apart < side[i] - apart ? apart : side[i] - apart;
    }
    return length;
}

static void test_lengths(void **state)
{
    static const struct {
        const char *text;
        int32_t (*length)(int32_t from, int32_t to);
    } known[] = {
        {"dragonfly+:96,groups=4,leaves=6", dragonfly_plus_length},
        {"dragonfly+:96,groups=4,leaves=6,spines=3,global=2,routing=ecmp:5", dragonfly_plus_length},
        {"hyperx:5x3,hosts=2", hyperx_length},
        {"tofu:3x4x2x2x3x2", tofu_length},
    };
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct platform_network *network = network_of(known[i].text);
        for (int32_t from = 0; from < network->hosts; from++)
            for (int32_t to = 0; to < network->hosts; to++) {
                struct platform_route route;
                platform_network_route(network, from, to, 0, &route, NULL);
                assert_int_equal(route.count, from == to ? 1 : known[i].length(from, to));
                assert_true(from == to || route.latency_s == 1e-6);
            }
        platform_network_destroy(network);
    }
}

/* Those of the generators' files. */
static void test_worked_examples(void **state)
{
    static const struct {
        const char *text;
        int32_t from, to;
        const char *link[7];
    } known[] = {
        {"dragonfly+:18,groups=3,leaves=3,spines=3,hosts=2,global=3",
         0,
         17,
         {"link_from_host-0_to_leaf-0_UP", "link_from_leaf-0_to_spine-2_UP",
          "link_from_spine-2_to_spine-8_cable-2_UP", "link_from_leaf-8_to_spine-8_DOWN",
          "link_from_host-17_to_leaf-8_DOWN"}},
        {"hyperx:3x3,hosts=1",
         0,
         5,
         {"link_from_host-0_to_switch-0_UP", "link_from_switch-0_to_switch-2_UP",
          "link_from_switch-2_to_switch-5_UP", "link_from_host-5_to_switch-5_DOWN"}},
        {"tofu:4x2",
         0,
         6,
         {"link_from_host-0_to_switch-0_UP", "link_from_switch-0_to_switch-1_UP",
          "link_from_switch-1_to_switch-2_UP", "link_from_switch-2_to_switch-6_UP",
          "link_from_host-6_to_switch-6_DOWN"}},
        {"rails:7x2,radix=6",
         1,
         8,
         {"link_from_host-1_to_node-0_UP", "link_from_host-0_to_node-0_DOWN",
          "link_from_nic-0-0_to_switch-0_UP", "link_from_switch-0_to_spine-1_UP",
          "link_from_switch-2_to_spine-1_DOWN", "link_from_nic-4-0_to_switch-2_DOWN"}},
        {"rails:7x2,radix=28,cross=spines",
         1,
         8,
         {"link_from_nic-0-1_to_switch-1_UP", "link_from_switch-1_to_spine-4_UP",
          "link_from_switch-0_to_spine-4_DOWN", "link_from_nic-4-0_to_switch-0_DOWN"}},
        {"tofu:4x2",
         7,
         0,
         {"link_from_host-7_to_switch-7_UP", "link_from_switch-7_to_switch-4_UP",
          "link_from_switch-0_to_switch-4_DOWN", "link_from_host-0_to_switch-0_DOWN"}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct platform_network *network = network_of(known[i].text);
        struct platform_route route;
        char name[128];
        platform_network_route(network, known[i].from, known[i].to, 0, &route, NULL);
        for (int32_t j = 0; j < route.count; j++)
            assert_string_equal(
                platform_network_link_name(network, route.link[j], name, sizeof name),
                known[i].link[j]);
        assert_null(known[i].link[route.count]);
        platform_network_destroy(network);
    }
}

/* ---- Slim Fly ---------------------------------------------------------------------------------
 *
 * By the cables alone: routers have the degree, any two have a distance of 2 at most, and routes
 * take it, over the neighbour in common that the destination's number chooses. */

struct routers {
    int32_t count;
    bool *joined;  /* [a * count + b] */
    int32_t *hops; /* in the same way, by breadth-first search */
};

static void find_hops(struct routers *routers, int32_t from)
{
    const int32_t count = routers->count;
    int32_t *hops = routers->hops + from * count, head = 0, tail = 0;
    int32_t *queue = malloc((size_t)count * sizeof *queue);
    for (int32_t r = 0; r < count; r++)
        hops[r] = -1;
    hops[from] = 0;
    queue[tail++] = from;
    while (head < tail) {
        const int32_t at = queue[head++];
        for (int32_t r = 0; r < count; r++)
            if (routers->joined[at * count + r] && hops[r] < 0) {
                hops[r] = hops[at] + 1;
                queue[tail++] = r;
            }
    }
    free(queue);
}

static struct routers routers_of(const struct platform_network *network)
{
    const int32_t hosts = network->hosts, count = platform_network_nodes(network) - hosts;
    const size_t pairs = (size_t)count * (size_t)count;
    struct routers routers = {count, calloc(pairs, sizeof(bool)), calloc(pairs, sizeof(int32_t))};
    for (int32_t link = 3 * hosts; link < network->links; link++) {
        int32_t ends[2];
        assert_true(platform_network_ends(network, link, ends));
        assert_in_range(ends[0], hosts, hosts + count - 1);
        assert_in_range(ends[1], hosts, hosts + count - 1);
        bool *joined = &routers.joined[(ends[0] - hosts) * count + ends[1] - hosts];
        assert_false(*joined); /* no cable twice, and none from a router to itself */
        assert_int_not_equal(ends[0], ends[1]);
        *joined = true;
    }
    for (int32_t r = 0; r < count; r++)
        find_hops(&routers, r);
    return routers;
}

/* The neighbours in common, in the order of their numbers. */
static int32_t find_common(const struct routers *routers, int32_t a, int32_t b, int32_t common[])
{
    int32_t found = 0;
    for (int32_t r = 0; r < routers->count; r++)
        if (routers->joined[a * routers->count + r] && routers->joined[r * routers->count + b])
            common[found++] = r;
    return found;
}

static void check_routes(struct platform_network *network, const struct routers *routers,
                         int32_t each)
{
    int32_t *common = malloc((size_t)routers->count * sizeof *common);
    for (int32_t from = 0; from < network->hosts; from += each)
        for (int32_t to = 0; to < network->hosts; to++) {
            const int32_t a = from / each, b = to / each;
            const int32_t hops = routers->hops[a * routers->count + b];
            struct platform_route route;
            int32_t ends[2];
            assert_in_range(hops, a != b, a == b ? 0 : 2);
            platform_network_route(network, from, to, 0, &route, NULL);
            assert_int_equal(route.count, from == to ? 1 : 2 + hops);
            if (hops < 2)
                continue;
            const int32_t found = find_common(routers, a, b, common);
            assert_true(platform_network_ends(network, route.link[1], ends));
            assert_int_equal(ends[1] - network->hosts, common[to % found]);
        }
    free(common);
}

/* (3 q - 1)/2 cables for q = 4w + 1, (3 q + 1)/2 for q = 4w - 1. That of q = 5 is the graph of
 * Hoffman and Singleton (On Moore graphs with diameters 2 and 3, 1960), the only one of 50 routers
 * with 7 cables each in which two that are joined have no neighbour in common, and all others one.
 * The authors' network has q = 19, 722 routers of 29 cables, and 15 hosts at each. */
static void test_slim_fly(void **state)
{
    static const struct {
        const char *text;
        int32_t q, degree, each;
    } known[] = {
        {"slimfly:54", 3, 5, 3},
        {"slimfly:200", 5, 7, 4},
        {"slimfly:98,hosts=1", 7, 11, 1},
        {"slimfly:588", 7, 11, 6},
        {"slimfly:484,hosts=2", 11, 17, 2},
        {"slimfly:338,hosts=1", 13, 19, 1},
        {"slimfly:578,hosts=1", 17, 25, 1},
        {"slimfly:10830", 19, 29, 15},
    };
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct platform_network *network = network_of(known[i].text);
        struct routers routers = routers_of(network);
        const int32_t count = routers.count, degree = known[i].degree;
        int32_t common[50];
        assert_int_equal(count, 2 * known[i].q * known[i].q);
        assert_int_equal(network->hosts, count * known[i].each);
        assert_int_equal(network->links, 3 * network->hosts + count * degree);
        for (int32_t a = 0; a < count; a++) {
            int32_t cables = 0;
            for (int32_t b = 0; b < count; b++) {
                cables += routers.joined[a * count + b];
                assert_int_equal(routers.joined[a * count + b], routers.joined[b * count + a]);
                if (count == 50 && a != b)
                    assert_int_equal(find_common(&routers, a, b, common),
                                     !routers.joined[a * count + b]);
            }
            assert_int_equal(cables, degree);
        }
        if (known[i].q < 19)
            check_routes(network, &routers, known[i].each);
        free(routers.joined);
        free(routers.hops);
        platform_network_destroy(network);
    }
}

/* ---- Rails by their definition (platforms/generators/rails.c) -------------------------------- */

struct rails {
    int32_t nodes, nics, rails, pod, radix, taper; /* pod, radix: 0: not given */
    bool by_spines;
};

/* Nodes of a pod, and uplinks of a rail switch (0: there are no spines); false: nothing fits. */
static bool pods_of(const struct rails *rails, int32_t *pod, int32_t *uplinks)
{
    const int32_t ports = rails->nics / rails->rails;
    const int32_t radix = rails->radix > 0 ? rails->radix : rails->pod > 0 ? INT32_MAX : 64;
    const bool one_switch = rails->nodes * ports <= radix &&
                            (rails->pod == 0 || rails->pod >= rails->nodes) &&
                            !(rails->by_spines && rails->rails > 1);
    *pod = rails->nodes;
    *uplinks = 0;
    if (rails->nodes == 1 || one_switch)
        return true;
    int32_t most = rails->pod == 0 || rails->pod > rails->nodes ? rails->nodes : rails->pod;
    for (*pod = most; *pod > 0; --*pod) {
        *uplinks = (*pod * ports + rails->taper - 1) / rails->taper;
        if (*pod * ports + *uplinks <= radix)
            return true;
        if (rails->pod > 0)
            return false;
    }
    return false;
}

/* The names of a route's links, each with a blank behind it. */
static void rails_route(const struct rails *rails, int32_t pod, int32_t uplinks, int32_t from,
                        int32_t to, char *text)
{
    const int32_t nics = rails->nics, ports = nics / rails->rails;
    const int32_t node = from / nics, there = to / nics, place = to % nics;
    const bool inside = node == there;
    const bool crosses =
        !inside && !rails->by_spines && from % nics % rails->rails != place % rails->rails;
    const int32_t via = inside || crosses ? node * nics + place : from;
    const int32_t up = node / pod * rails->rails + via % nics % rails->rails;
    const int32_t down = there / pod * rails->rails + place % rails->rails;
    *text = '\0';
    if (via != from)
        text += sprintf(text, "link_from_host-%d_to_node-%d_UP link_from_host-%d_to_node-%d_DOWN ",
                        (int)from, (int)node, (int)via, (int)node);
    if (inside)
        return;
    text += sprintf(text, "link_from_nic-%d-%d_to_switch-%d_UP ", (int)node, (int)(via % nics),
                    (int)up);
    if (up != down) {
        const int32_t spine = (there % pod * ports + place / rails->rails) % uplinks;
        text += sprintf(text,
                        "link_from_switch-%d_to_spine-%d_UP link_from_switch-%d_to_spine-%d_DOWN ",
                        (int)up, (int)spine, (int)down, (int)spine);
    }
    sprintf(text, "link_from_nic-%d-%d_to_switch-%d_DOWN ", (int)there, (int)place, (int)down);
}

/* Inside 3 us, or 8 us with uplinks for half of the ports; over rails 5 us, and 7 ns to a spine and
 * from it. */
static double rails_latency_s(const struct rails *rails, const char *route)
{
    return (strstr(route, "node") != NULL ? rails->taper == 2 ? 8e-6 : 3e-6 : 0) +
           (strstr(route, "nic") != NULL ? 5e-6 : 0) + (strstr(route, "spine") != NULL ? 14e-9 : 0);
}

static void check_rails_of(const struct rails *rails, const char *text)
{
    int32_t pod, uplinks;
    struct platform_network *network = NULL;
    struct sup_error error;
    const bool fits = pods_of(rails, &pod, &uplinks);
    const int status = platform_network_create(text, &network, &error);
    if (status != (fits ? RB_OK : RB_EINVAL))
        fail_msg("%s: %s", text, status == RB_OK ? "accepted" : error.text);
    if (!fits)
        return;
    const int32_t pods = (rails->nodes + pod - 1) / pod;
    double least_s = INFINITY;
    assert_int_equal(network->hosts, rails->nodes * rails->nics);
    assert_int_equal(network->links, 5 * network->hosts + 2 * pods * rails->rails * uplinks);
    for (int32_t from = 0; from < network->hosts; from++)
        for (int32_t to = 0; to < network->hosts; to++) {
            char expected[400], got[800] = "", name[128];
            struct platform_route route;
            if (from == to)
                continue;
            rails_route(rails, pod, uplinks, from, to, expected);
            platform_network_route(network, from, to, 0, &route, NULL);
            for (int32_t i = 0; i < route.count; i++)
                sprintf(got + strlen(got), "%s ",
                        platform_network_link_name(network, route.link[i], name, sizeof name));
            least_s = fmin(least_s, route.latency_s);
            if (strcmp(got, expected) != 0 ||
                fabs(route.latency_s - rails_latency_s(rails, got)) > 1e-15)
                fail_msg("%s, %d to %d: %s instead of %s", text, (int)from, (int)to, got, expected);
        }
    platform_network_destroy(network);
    /* No message is faster than the least latency, which may leave out spines; data leave a pod
     * over all of its uplinks. */
    struct platform_cuts cuts;
    assert_int_equal(platform_find_cuts(text, &cuts, &error), RB_OK);
    if (rails->nodes * rails->nics > 1)
        assert_true(cuts.latency_s < least_s + 1e-15 && cuts.latency_s > least_s - 15e-9);
    for (int32_t i = 0; i < cuts.count; i++)
        if (strcmp(cuts.cut[i].name, "pod") == 0) {
            assert_int_equal(cuts.cut[i].terminals, pod * rails->nics);
            assert_true(cuts.cut[i].bandwidth == rails->rails * uplinks * 1e9);
            assert_true(pods > 1);
        }
}

/* All numbers of nodes and of network interfaces with pods and radices, also where they don't
 * divide. */
static void test_rails_go_by_pods(void **state)
{
    (void)state;
    for (int32_t i = 0; i < 7 * 4 * 4 * 5 * 3 * 2; i++) {
        static const int32_t given[] = {0, 1, 2, 3, 5}, radices[] = {0, 3, 6, 7};
        struct rails rails = {.nodes = 1 + i % 7,
                              .nics = 1 + i / 7 % 4,
                              .pod = given[i / 28 % 5],
                              .radix = radices[i / 140 % 4],
                              .taper = 1 + i / 560 % 3,
                              .by_spines = i / 1680 % 2};
        for (rails.rails = 1; rails.rails <= rails.nics; rails.rails++) {
            char text[200];
            int length = snprintf(text, sizeof text,
                                  "rails:%dx%d,rails=%d,taper=%d,bandwidth=1GBps,"
                                  "latency=5us,hop-latency=7ns,inner-latency=%dus",
                                  (int)rails.nodes, (int)rails.nics, (int)rails.rails,
                                  (int)rails.taper, rails.taper == 2 ? 8 : 3);
            if (rails.nics % rails.rails != 0)
                continue;
            if (rails.pod > 0)
                length += snprintf(text + length, sizeof text - (size_t)length, ",pod=%d",
                                   (int)rails.pod);
            if (rails.radix > 0)
                length += snprintf(text + length, sizeof text - (size_t)length, ",radix=%d",
                                   (int)rails.radix);
            snprintf(text + length, sizeof text - (size_t)length, "%s",
                     rails.by_spines ? ",cross=spines" : "");
            check_rails_of(&rails, text);
        }
    }
}

/* Valiant's way between groups: five links and, unless the third group is the number of the router
 * at an end, where the cable to it is, a local link at that end. */
static void test_valiant_lengths(void **state)
{
    enum { GROUPS = 5, ROUTERS = 8, HOSTS = 3, KEYS = 50 };
    struct platform_network *network =
        network_of("dragonfly:120,groups=5,routers=8,routing=valiant");
    double links = 0, expected = 0;
    (void)state;
    for (int32_t from = 0; from < network->hosts; from++)
        for (int32_t to = 0; to < network->hosts; to++) {
            const int32_t group = from / HOSTS / ROUTERS, end = to / HOSTS / ROUTERS;
            const int32_t router = from / HOSTS % ROUTERS, end_router = to / HOSTS % ROUTERS;
            for (uint64_t key = 0; key < KEYS && from != to; key++) {
                struct platform_route route;
                platform_network_route(network, from, to, key, &route, NULL);
                if (group == end) { /* over a third router */
                    assert_int_equal(route.count, router == end_router ? 2 : 4);
                    continue;
                }
                assert_in_range(route.count, 5, 7);
                links += route.count;
                for (int32_t third = 0; third < GROUPS; third++)
                    if (third != group && third != end)
                        expected += (5. + (third != router) + (third != end_router)) / (GROUPS - 2);
            }
        }
    assert_true(fabs(links - expected) < 1e-3 * expected);
    platform_network_destroy(network);
}

static int32_t inner_link(struct platform_network *network, uint64_t key, int32_t i)
{
    struct platform_route route;
    assert_int_equal(platform_network_route(network, 0, network->hosts - 1, key, &route, NULL),
                     RB_OK);
    assert_true(i + 1 < route.count - 1);
    return route.link[1 + i];
}

/* From the first to the last host, with so many messages on the second link between switches of the
 * minimal route and on the first of the detour. */
static bool takes_detour(const char *text, int32_t second, int32_t detour)
{
    struct platform_network *network = network_of(text);
    int32_t *in_flight = calloc((size_t)network->links, sizeof *in_flight);
    in_flight[inner_link(network, 4, 1)] += second;
    in_flight[inner_link(network, 4 | PLATFORM_DETOUR, 0)] += detour;
    const uint64_t key = platform_network_choose(network, 0, network->hosts - 1, 4, in_flight);
    assert_int_equal(key & ~PLATFORM_DETOUR, 4);
    free(in_flight);
    platform_network_destroy(network);
    return key != 4;
}

/* Routers 0 and 5 have no cable of their own to the last group and the first one. The minimal route
 * has 3 links between switches, the detour 5. */
static void test_adaptive_routes(void **state)
{
    (void)state;
    assert_false(takes_detour("dragonfly:72,routing=ugal,global=1", 0, 0));
    assert_true(takes_detour("dragonfly:72,routing=ugal,global=1", 1, 0));
    assert_false(takes_detour("dragonfly:72,routing=ugal,global=1", 1, 1));
    assert_true(takes_detour("dragonfly:72,routing=ugal,global=1", 2, 1));
    assert_false(takes_detour("dragonfly:72,routing=ugal,global=1", 4, 3)); /* 3 x 4 < 5 x 3 */
    /* A cable of two links carries two messages without a queue. */
    assert_false(takes_detour("dragonfly:72,routing=ugal,global=2", 1, 0));
    assert_true(takes_detour("dragonfly:72,routing=ugal,global=2", 2, 0));
    /* It does not see the second link. */
    assert_false(takes_detour("dragonfly:72,routing=ugal-l,global=1", 9, 0));
    assert_false(takes_detour("dragonfly:72,routing=minimal,global=1", 9, 0));
}

/* Idle networks: the minimal routes, for all pairs. */
static void test_adaptive_is_minimal_when_idle(void **state)
{
    static const char *const platforms[] = {
        "dragonfly:72,routing=ugal", "dragonfly:72,routing=ugal-l,spread=yes",
        "dragonfly+:128,routing=ugal", "hyperx:4x4,routing=ugal"};
    (void)state;
    for (size_t i = 0; i < sizeof platforms / sizeof *platforms; i++) {
        struct platform_network *network = network_of(platforms[i]);
        int32_t *in_flight = calloc((size_t)network->links, sizeof *in_flight);
        for (int32_t from = 0; from < network->hosts; from++)
            for (int32_t to = 0; to < network->hosts; to++)
                assert_int_equal(platform_network_choose(network, from, to, 3, in_flight), 3);
        free(in_flight);
        platform_network_destroy(network);
    }
}

/* Uniform traffic loads the cables between groups about equally. */
static void test_spread_cables(void **state)
{
    enum { ROUTERS = 6, HOSTS = 3, GLOBAL = 6 };
    struct platform_network *network = network_of("dragonfly:72,spread=yes");
    const int32_t group_hosts = ROUTERS * HOSTS, cables = 4 * 3 * GLOBAL;
    int32_t *messages = calloc((size_t)network->links, sizeof *messages);
    (void)state;
    for (int32_t from = 0; from < network->hosts; from++)
        for (int32_t to = 0; to < network->hosts; to++) {
            struct platform_route route;
            platform_network_route(network, from, to, 0, &route, NULL);
            assert_true(route.count <= 5);
            for (int32_t i = 0; i < route.count; i++)
                messages[route.link[i]]++;
        }
    for (int32_t cable = network->links - cables; cable < network->links; cable++) {
        assert_true(network->link[cable].bandwidth == 12.5e9);
        assert_in_range(messages[cable], 0.8 * group_hosts * group_hosts / GLOBAL,
                        1.2 * group_hosts * group_hosts / GLOBAL);
    }
    free(messages);
    platform_network_destroy(network);
}

static void test_refusals(void **state)
{
    struct platform_network *network;
    struct sup_error error;
    (void)state;
    assert_int_equal(platform_network_create("fat-tree:13", &network, &error), RB_EINVAL);
    platform_network_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_like_simgrid),
        cmocka_unit_test(test_routes_are_connected),
        cmocka_unit_test(test_source_routing_is_destination_routing_backwards),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(seeds_choose_other_routes),
        cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_worked_examples),
        cmocka_unit_test(test_slim_fly),
        cmocka_unit_test(test_rails_go_by_pods),
        cmocka_unit_test(test_valiant_lengths),
        cmocka_unit_test(test_adaptive_routes),
        cmocka_unit_test(test_adaptive_is_minimal_when_idle),
        cmocka_unit_test(test_spread_cables),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_levels),
        cmocka_unit_test(test_order_is_the_senders),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
