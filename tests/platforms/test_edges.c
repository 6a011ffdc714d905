/* test_edges.c - lists of cables: routes, values, and what is refused. */
#define _POSIX_C_SOURCE 200809L /* mkdtemp */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "platforms/map.h"
#include "platforms/network.h"
#include "platforms/platform.h"
#include "roundabout.h"

static char directory[] = "/tmp/test_edges-XXXXXX";
static const char path[] = "cables";

static int enter(void **state)
{
    (void)state;
    return mkdtemp(directory) == NULL || chdir(directory) != 0;
}

static int leave(void **state)
{
    (void)state;
    unlink(path);
    return chdir("/") != 0 || rmdir(directory) != 0;
}

static void write_file(const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* Hosts 0 1 2 5 at the leaves 3 and 4, spines 6 and 7; host 5 is at both leaves. */
#define TWO_LEAVES                                                                                 \
    "8 4 9\n6 7 3\n4\n"                                                                            \
    "0 3 100Gbps 1us 0\n1 3 100Gbps 1us 0\n2 4 100Gbps 1us 0\n5 3 50Gb/s 2us 0\n5 4 50Gbps 2us "   \
    "0\n"                                                                                          \
    "3 6 200Gbps 1us 0\n3 7 200Gbps 1us 0\n4 6 200Gbps 1us 0\n4 7 200Gbps 1us 0\n"

static void expect_route(const char *text, int32_t from, int32_t to, const char *expected)
{
    struct platform_network *network;
    struct platform_route route;
    struct sup_error error;
    char found[400] = "", name[80];
    assert_int_equal(platform_network_create(text, &network, &error), RB_OK);
    assert_int_equal(platform_network_route(network, from, to, 0, &route, &error), RB_OK);
    for (int32_t i = 0; i < route.count; i++) {
        const size_t used = strlen(found);
        platform_network_link_name(network, route.link[i], name, sizeof name);
        int32_t a, b;
        assert_int_equal(sscanf(name, "link_from_node-%d_to_node-%d", &a, &b), 2);
        snprintf(found + used, sizeof found - used, "%d>%d ", a, b);
    }
    const size_t used = strlen(found);
    snprintf(found + used, sizeof found - used, "%.3g us %.4g GBps", route.latency_s * 1e6,
             route.bandwidth / 1e9);
    assert_string_equal(found, expected);
    platform_network_destroy(network);
}

/* By hand. Host 3 is node 5, and does not forward, though that would be as short. */
static void test_routes(void **state)
{
    (void)state;
    write_file(TWO_LEAVES);
    expect_route(path, 0, 1, "0>3 3>1 2 us 12.5 GBps");
    expect_route(path, 0, 2, "0>3 3>6 6>4 4>2 4 us 12.5 GBps");
    expect_route(path, 2, 1, "2>4 4>7 7>3 3>1 4 us 12.5 GBps");
    expect_route(path, 3, 0, "5>3 3>0 3 us 6.25 GBps");
    expect_route(path, 2, 3, "2>4 4>5 3 us 6.25 GBps");
    expect_route("edges:cables", 0, 2, "0>3 3>6 6>4 4>2 4 us 12.5 GBps");
    /* Without switches hosts forward. */
    write_file("3 0 2\n0 1 8Gbps 1us 0\n1 2 8Gbps 1us 0\n");
    expect_route(path, 0, 2, "0>1 1>2 2 us 1 GBps");
    /* SimAI's: NVSwitches 4 and 5, switch 6. */
    write_file("7 2 2 1 8 A100\r\n4 5 6\r\n0 4 80Gbps 0 0\r\n1 4 80Gbps 0 0\r\n2 5 80Gbps 0 0\r\n"
               "3 5 80Gbps 0 0 # inside\r\n\r\n# cables\r\n0 6 8Gbps 1us 0\r\n1 6 8Gbps 1us 0\r\n"
               "2 6 8Gbps 1us 0\r\n3 6 8Gbps 1us 0.5\r\n");
    expect_route(path, 0, 3, "0>6 6>3 2 us 1 GBps");
}

/* ECMP takes both spines, each pair always the same. */
static void test_ecmp(void **state)
{
    (void)state;
    int over[2] = {0};
    write_file(TWO_LEAVES);
    for (int seed = 0; seed < 40; seed++) {
        struct platform_network *network;
        struct platform_route route;
        struct sup_error error;
        char text[60], name[80];
        snprintf(text, sizeof text, "edges:cables,routing=ecmp:%d", seed);
        assert_int_equal(platform_network_create(text, &network, &error), RB_OK);
        assert_int_equal(platform_network_route(network, 0, 2, 0, &route, &error), RB_OK);
        const int32_t second = route.link[1];
        assert_int_equal(platform_network_route(network, 0, 2, 9, &route, &error), RB_OK);
        assert_int_equal(route.link[1], second);
        platform_network_link_name(network, second, name, sizeof name);
        over[strcmp(name, "link_from_node-3_to_node-6") == 0]++;
        platform_network_destroy(network);
    }
    assert_true(over[0] > 5 && over[1] > 5);
}

static void test_values(void **state)
{
    (void)state;
    struct platform_cuts cuts;
    struct platform_map *map;
    struct sup_error error;
    char taken[PLATFORM_TAKEN_SIZE], hash[3][17];
    int32_t terminals;
    write_file(TWO_LEAVES);
    assert_int_equal(platform_find_cuts(path, &cuts, &error), RB_OK);
    assert_int_equal(cuts.who.count, 4);
    assert_true(cuts.message_bandwidth == 12.5e9 && cuts.cut[0].bandwidth == 12.5e9);
    assert_true(cuts.latency_s == 2e-6);
    assert_int_equal(platform_map_create(path, 400, 10, &map, &error), RB_EINVAL);
    assert_non_null(strstr(error.text, "doesn't say where its switches are"));
    assert_int_equal(platform_hash_of(path, hash[0], &error), RB_OK);
    assert_int_equal(platform_hash_of("edges:cables", hash[1], &error), RB_OK);
    assert_string_equal(hash[0], hash[1]);
    write_file("5 2 1 1 4 H20\n3 4\n0 3 80Gbps 0 0.01\n0 4 8Gbps 1us 0\n1 4 8Gbps 1us 0\n"
               "2 4 8Gbps 1us 0\nand so on\n");
    assert_int_equal(platform_hash_of(path, hash[2], &error), RB_OK);
    assert_string_not_equal(hash[0], hash[2]);
    assert_int_equal(platform_find_cuts(path, &cuts, &error), RB_OK);
    assert_true(cuts.message_bandwidth == 10e9 && cuts.cut[0].bandwidth == 11e9);
    assert_int_equal(platform_find_taken(path, taken, &error), RB_OK);
    assert_string_equal(taken, "cables: 3 hosts, 2 switches, 4 cables; error rates (first in line "
                               "3) are ignored; lines behind the last link are ignored");
    assert_int_equal(platform_find_group(path, "node", &terminals, &error), RB_EINVAL);
    write_file("5 2 0 1 4 A100\n4\n0 4 8Gbps 0 0\n1 4 8Gbps 0 0\n2 4 8Gbps 0 0\n3 4 8Gbps 0 0\n");
    assert_int_equal(platform_find_group(path, "node", &terminals, &error), RB_OK);
    assert_int_equal(terminals, 2);
}

#define STAR "3 1 2\n2\n0 2 8Gbps 1us 0\n"

static void test_refused(void **state)
{
    static const struct {
        const char *text, *what;
    } cases[] = {
        {"3\n", "cables:1: the first line of a list of cables has the numbers of nodes, switches"},
        {"3 1 2 4\n", "cables:1: the first line"},
        {"1e99 1 2\n", "cables:1: nodes: "},
        {"0 0 0\n", "cables:1: nodes: "},
        {"-3 1 2\n", "not"},
        {"3 3 2\n", "cables:1: switches: "},
        {"3 1 nan\n", "cables:1: links: "},
        {"3 1 9000000\n", "cables:1: links: "},
        {"2000000 1 1\n", "cables:1: more than 1048576 hosts"},
        {"5 2 3 2 1 A100\n", "cables:1: switches: "},
        {"3 1 2\n", "fewer switches than the 1 of the first line"},
        {"3 1 2\n1 2\n", "cables:2: more switches than the 1 of the first line"},
        {"4 2 2\n3 3\n", "cables:2: switch 3 twice"},
        {"3 1 2\n3\n", "cables:2: switch: "},
        {STAR, "cables:3: the file ends after 1 of the 2 links of the first line"},
        {STAR "1 2 8Gbps 1us\n", "cables:4: a link has two nodes, bandwidth, latency"},
        {STAR "1 2 8Gbps 1us 0 0\n", "cables:4: a link has two nodes"},
        {STAR "1 3 8Gbps 1us 0\n", "cables:4: node: "},
        {STAR "-1 2 8Gbps 1us 0\n", "cables:4: node: "},
        {STAR "1 1 8Gbps 1us 0\n", "cables:4: a link from node 1 to itself"},
        {STAR "1 2 8furlongs 1us 0\n", "cables:4: "},
        {STAR "1 2 0Gbps 1us 0\n", "cables:4: "},
        {STAR "1 2 -8Gbps 1us 0\n", "cables:4: "},
        {STAR "1 2 8Gbps 1fortnight 0\n", "cables:4: "},
        {STAR "1 2 8Gbps -1us 0\n", "cables:4: "},
        {STAR "1 2 8Gbps 1 0\n", "cables:4: "},
        {STAR "1 2 8Gbps 1us nan\n", "cables:4: "},
        {STAR "1 2 8Gbps 1us 2\n", "cables:4: error rate 2 is not in 0..1"},
        {STAR "2 0 8Gbps 1us 0\n", "cables: nodes 0 and 2 have two links"},
        {"4 1 2\n3\n0 3 8Gbps 1us 0\n1 3 8Gbps 1us 0\n",
         "cables: no route joins host 2 of the file to all others"},
        /* Host 1 would have to forward. */
        {"5 2 4\n3 4\n0 3 8Gbps 1us 0\n1 3 8Gbps 1us 0\n1 4 8Gbps 1us 0\n2 4 8Gbps 1us 0\n",
         "cables: no route joins host"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct sup_error error = {.text = ""};
        char hash[17];
        write_file(cases[i].text);
        const char *text = platform_is_generated(path) ? path : "edges:cables";
        assert_int_equal(platform_hash_of(text, hash, &error), RB_EINVAL);
        if (strstr(error.text, cases[i].what) == NULL)
            fail_msg("\"%s\" is not in \"%s\"", cases[i].what, error.text);
    }
    /* Three switches that join three pairs. */
    struct sup_error error = {.text = ""};
    char hash[17];
    write_file("6 3 6\n3 4 5\n0 3 8Gbps 0 0\n1 3 8Gbps 0 0\n1 4 8Gbps 0 0\n2 4 8Gbps 0 0\n"
               "2 5 8Gbps 0 0\n0 5 8Gbps 0 0\n");
    assert_int_equal(platform_hash_of(path, hash, &error), RB_OK);
    assert_int_equal(platform_hash_of("edges:none", hash, &error), RB_EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_routes), cmocka_unit_test(test_ecmp),
                                       cmocka_unit_test(test_values),
                                       cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests(tests, enter, leave);
}
