/* test_topologies.c - rings, meshes, hypercubes and trees: the exact links of all routes, and the
 * textbook's statements on contention. */
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
#include "sim/engine/isolate.h"
#include "sim/network/links.h"
#include "sim/simgrid/simgrid.h"
#include "sim/simgrid/simgrid_platform.h"

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

/* True if this link is this direction of the cable between two places. Hosts of a tree are places
 * too; the name of a host's link contains only the host. */
static bool joins(const char *link, const struct topology *topology, int32_t from, int32_t to)
{
    const int32_t a = number_of(link, "link_from_switch-"), b = number_of(link, "_to_switch-");
    const int32_t host = number_of(link, "link_from_host-");
    const bool up = link[strlen(link) - 1] == 'P';
    if (host >= 0)
        return topology->first > 0 && host + topology->first == (up ? from : to);
    return up ? a == from && b == to : a == to && b == from;
}

static int check_route(const struct topology *topology, struct s4u_platform *platform, int32_t from,
                       int32_t to, struct sup_error *error)
{
    struct s4u_route route;
    struct s4u_link link;
    int status = s4u_find_route(platform, from, to, &route, error);
    if (status != RB_OK)
        return status;
    const bool tree = topology->first > 0;
    int32_t at = from + topology->first, i = tree ? 0 : 1;
    for (; at != to + topology->first; i++) {
        const int32_t next = topology->next(topology, at, to + topology->first);
        if (i >= route.count)
            break;
        s4u_link_describe(platform, route.link[i], &link);
        if (!joins(link.name, topology, at, next))
            return sup_fail(error, RB_EWRONG, "%s: from %d to %d: link %d is %s, not %d to %d",
                            topology->text, from, to, i, link.name, at, next);
        at = next;
    }
    const int32_t cables = tree ? i - 2 : i - 1;
    const double latency_s = topology->latency_s + cables * topology->cable_s;
    if (route.count != (tree ? i : i + 1) || fabs(route.latency - latency_s) > 1e-15)
        return sup_fail(error, RB_EWRONG, "%s: from %d to %d: %d links, %g s, not %g",
                        topology->text, from, to, route.count, route.latency, latency_s);
    for (int32_t end = 0; end < 2; end++) { /* the hosts' own */
        s4u_link_describe(platform, route.link[end == 0 ? 0 : route.count - 1], &link);
        if (number_of(link.name, "link_from_host-") != (end == 0 ? from : to))
            return sup_fail(error, RB_EWRONG, "%s: from %d to %d: %s at an end", topology->text,
                            from, to, link.name);
    }
    return RB_OK;
}

static int walk(void *context, FILE *reply, struct sup_error *error)
{
    const struct topology *topology = context;
    struct s4u_platform *platform;
    int status = s4u_platform_load(topology->text, NULL, &platform, error);
    if (status != RB_OK)
        return status;
    const int32_t hosts = s4u_host_count(platform);
    for (int32_t from = 0; from < hosts && status == RB_OK; from++)
        for (int32_t to = 0; to < hosts && status == RB_OK; to++)
            if (from != to)
                status = check_route(topology, platform, from, to, error);
    fprintf(reply, "%" PRId32, hosts);
    s4u_platform_destroy(platform);
    return status;
}

static void test_routes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof topologies / sizeof topologies[0]; i++) {
        struct topology topology = topologies[i];
        struct sup_error error;
        char *reply;
        size_t size;
        if (sim_isolate("SimGrid", walk, &topology, &reply, &size, &error) != RB_OK)
            fail_msg("%s: %s", topology.text, error.text);
        assert_int_equal(atoi(reply), topology.hosts);
        free(reply);
    }
}

/* ---- Contention: the most messages of one round on any link ---- */

struct claim {
    const char *collective, *algorithm;
    int32_t q, last_q; /* shifts by q .. last_q; 0: no shift */
    int32_t p;
    const char *platform;
    int32_t most; /* of all rounds and links */
};

static int count_one(const struct claim *claim, int32_t q, struct platform_network *network,
                     int32_t *most, struct sup_error *error)
{
    enum { MOST_RANKS = 64 };
    char instance[32];
    int32_t host[MOST_RANKS];
    snprintf(instance, sizeof instance, "q=%" PRId32, q);
    const struct rb_plan_spec spec = {.collective = claim->collective,
                                      .algorithm = claim->algorithm,
                                      .p = claim->p,
                                      .n = 1,
                                      .instance = q > 0 ? instance : NULL};
    struct rb_plan *plan;
    struct net_link_rounds rounds;
    char why[256];
    for (int32_t r = 0; r < claim->p; r++)
        host[r] = r;
    if (rb_plan_create(&spec, &plan, why, sizeof why) != RB_OK)
        return sup_fail(error, RB_EWRONG, "%s", why);
    int status = net_link_rounds_count(plan, NULL, network, host, &rounds, error);
    *most = status == RB_OK ? rounds.fullest_messages : 0;
    if (status == RB_OK && rounds.most[rounds.fullest] != rounds.fullest_messages)
        status =
            sup_fail(error, RB_EWRONG, "%s %s: %d messages on the fullest link, but its most: %d",
                     claim->collective, claim->algorithm, rounds.fullest_messages,
                     rounds.most[rounds.fullest]);
    net_link_rounds_free(&rounds);
    rb_plan_destroy(plan);
    return status;
}

static int count(void *context, FILE *reply, struct sup_error *error)
{
    const struct claim *claim = context;
    struct s4u_platform *platform;
    struct platform_network *network;
    int32_t most;
    int status = s4u_platform_load(claim->platform, NULL, &platform, error);
    if (status == RB_OK)
        network = s4u_network_create(platform);
    if (status != RB_OK)
        return status;
    for (int32_t q = claim->q; status == RB_OK && q <= claim->last_q; q++) {
        status = count_one(claim, q, network, &most, error);
        if (status == RB_OK && most != claim->most)
            status = sup_fail(
                error, RB_EWRONG, "%s %s, q = %d, on %s: %d messages of a round on a link, not %d",
                claim->collective, claim->algorithm, q, claim->platform, most, claim->most);
    }
    fputs("counted", reply);
    s4u_platform_destroy(platform);
    return status;
}

static void expect_claims(const struct claim claims[], size_t number)
{
    for (size_t i = 0; i < number; i++) {
        struct claim claim = claims[i];
        struct sup_error error;
        char *reply;
        size_t size;
        if (sim_isolate("SimGrid", count, &claim, &reply, &size, &error) != RB_OK)
            fail_msg("%s", error.text);
        free(reply);
    }
}

/* Grama et al.: all-to-all personalized communication on a hypercube, optimal algorithm: in no step
 * does a link carry more than one message in the same direction. */
static void test_xor_is_free_of_contention(void **state)
{
    (void)state;
    static const struct claim claims[] = {
        {"alltoall", "xor", 0, 0, 8, "hypercube:8", 1},
        {"alltoall", "xor", 0, 0, 16, "hypercube:16", 1},
        {"alltoall", "xor", 0, 0, 32, "hypercube:32", 1},
        {"alltoall", "xor", 0, 0, 64, "hypercube:64", 1},
        /* On a ring it is not: with partners p / 2 apart all cross half of it, upwards. */
        {"alltoall", "xor", 0, 0, 16, "ring:16", 8},
    };
    expect_claims(claims, sizeof claims / sizeof claims[0]);
}

/* Likewise: circular q-shifts on a hypercube with E-cube routing. On a ring a shift by q puts
 * min(q, p - q) messages on each link one way. */
static void test_shifts_are_free_of_contention(void **state)
{
    (void)state;
    static const struct claim claims[] = {
        {"shift", "direct", 1, 7, 8, "hypercube:8", 1},
        {"shift", "direct", 1, 15, 16, "hypercube:16", 1},
        {"shift", "direct", 1, 31, 32, "hypercube:32", 1},
        {"shift", "direct", 1, 63, 64, "hypercube:64", 1},
        {"shift", "direct", 5, 5, 16, "ring:16", 5},
        {"shift", "direct", 11, 11, 16, "ring:16", 5},
    };
    expect_claims(claims, sizeof claims / sizeof claims[0]);
}

/* Likewise: the all-to-all broadcast of the hypercube, mapped on a ring: partners are 2^i apart, so
 * that 2^i messages share the links between them. */
static void test_doubling_contends_on_a_ring(void **state)
{
    (void)state;
    static const struct claim claims[] = {
        {"allgather", "recursive-doubling", 0, 0, 8, "hypercube:8", 1},
        {"allgather", "recursive-doubling", 0, 0, 64, "hypercube:64", 1},
        {"allgather", "recursive-doubling", 0, 0, 8, "ring:8", 4},
        {"allgather", "recursive-doubling", 0, 0, 64, "ring:64", 32},
        {"allgather", "ring", 0, 0, 64, "ring:64", 1},
    };
    expect_claims(claims, sizeof claims / sizeof claims[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_routes),
        cmocka_unit_test(test_xor_is_free_of_contention),
        cmocka_unit_test(test_shifts_are_free_of_contention),
        cmocka_unit_test(test_doubling_contends_on_a_ring),
    };
    return cmocka_run_group_tests_name("topologies", tests, NULL, NULL);
}
