/* test_machines.c - the machines: their size, where their nodes are, and real allocations on them.
 *
 * Known answers: PICO's map of Leonardo's nodes and LUMI's own names of places (data/pico/alloc),
 * and the figures that docs/machine-presets.md cites. */
#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/network.h"
#include "platforms/platform.h"
#include "roundabout.h"
#include "sim/engine/engine.h"
#include "sim/engine/host_file.h"

#define ALLOC ROUNDABOUT_SOURCE_DIR "/data/pico/alloc/"

static struct platform_hosts hosts_of(const char *text)
{
    struct platform_hosts hosts;
    struct sup_error error;
    if (platform_find_hosts(text, &hosts, &error) != RB_OK)
        fail_msg("%s: %s", text, error.text);
    return hosts;
}

/* The part of a cut, "leaf" or "group", where the host is. */
static int32_t part_of(const struct platform_cuts *cuts, const char *what, int32_t host)
{
    for (int32_t i = 0; i < cuts->count; i++)
        if (strcmp(cuts->cut[i].name, what) == 0)
            return platform_host_terminal(&cuts->who, host) / cuts->cut[i].terminals;
    fail_msg("no cut into %s", what);
    return -1;
}

static double cut_bandwidth(const char *text, const char *what)
{
    struct platform_cuts cuts;
    assert_int_equal(platform_find_cuts(text, &cuts, NULL), RB_OK);
    for (int32_t i = 0; i < cuts.count; i++)
        if (strcmp(cuts.cut[i].name, what) == 0)
            return cuts.cut[i].bandwidth;
    fail_msg("%s: no cut into %s", text, what);
    return NAN;
}

/* ---- Sizes and figures ----------------------------------------------------------------------- */

static void machines_have_their_sizes(void **state)
{
    /* Links without the hosts' own: Leonardo 23 cells of 18 x 18 cables and 253 pairs of cells with
     * 18; LUMI 24 groups of 32 x 31 / 2 and 276 pairs with 20; MareNostrum 5 160 x 7 hosts and 7 x
     * 320 uplinks; Tofu three rings of 8 x 64. All in both directions. */
    static const struct {
        const char *text;
        int32_t hosts, links;
    } machines[] = {
        {"leonardo", 4992, 3 * 4992 + 2 * (23 * 324 + 253 * 18)},
        {"leonardo:256", 256, 3 * 256 + 2 * (23 * 324 + 253 * 18)},
        {"lumi", 2978, 3 * 2978 + 2 * (24 * 496 + 276 * 20)},
        {"marenostrum5", 1120, 3 * 1120 + 2 * 7 * 320},
        {"marenostrum5:32,routing=ecmp:2", 32, 3 * 32 + 2 * 7 * 320},
        {"fugaku:8x8x8", 512, 3 * 512 + 2 * 3 * 512},
        {"dgx-h100", 128, 5 * 128},
        {"dgx-b200:40", 320, 5 * 320 + 2 * 2 * 8 * 32}, /* 2 pods of 8 switches with 32 uplinks */
        {"gb200-nvl72:9", 648, 5 * 648 + 2 * 2 * 4 * 144},
        {"polaris", 1120, 5 * 1120},
        {"leonardo-rails", 13824, 5 * 13824 + 2 * 20 * 720},
        {"marenostrum5-rails", 4480, 5 * 4480 + 2 * 7 * 320},
        {"lumi-rails:125", 500, 5 * 500 + 2 * 2 * 496},
        {"fugaku", 158976, 3 * 158976 + 158976 * (2 + 2 + 2 + 1 + 2 + 1)},
    };
    (void)state;
    for (size_t i = 0; i < sizeof machines / sizeof machines[0]; i++) {
        struct platform_network *network;
        struct platform_links links;
        assert_true(platform_is_generated(machines[i].text));
        assert_int_equal(platform_find_links(machines[i].text, &links, NULL), RB_OK);
        assert_int_equal(links.hosts, machines[i].hosts);
        assert_true(links.contended);
        assert_int_equal(platform_network_create(machines[i].text, &network, NULL), RB_OK);
        assert_int_equal(network->hosts, machines[i].hosts);
        assert_int_equal(network->links, machines[i].links);
        platform_network_destroy(network);
    }
}

/* Bytes per second in each direction. */
static void cuts_are_the_published_ones(void **state)
{
    (void)state;
    /* 22 ports of 18 spine switches of 200 Gb/s lead out of a cell; 18 out of a leaf switch. */
    assert_true(cut_bandwidth("leonardo", "group") == 22 * 18 * 200e9 / 8);
    assert_true(cut_bandwidth("leonardo:20", "leaf") == 18 * 200e9 / 8);
    /* 276 TB/s between all groups, counted in both directions: 24 groups have twice as much. */
    assert_true(cut_bandwidth("lumi", "group") * 24 == 276e12);
    /* Half of 160 nodes with 800 Gb/s each. */
    assert_true(cut_bandwidth("marenostrum5", "leaf") == 160 * 800e9 / 8 / 2);
    /* Half of a torus of 8 x 8 x 8: two faces of 64 links. */
    assert_true(fabs(cut_bandwidth("fugaku:8x8x8", "block of 256 hosts") / (2 * 64 * 6.8e9) - 1) <
                1e-12);
    assert_true(fabs(cut_bandwidth("fugaku:8x8x8", "host") / 40.8e9 - 1) < 1e-12);
    /* A DGX H100 has 8 network interfaces, and a scalable unit as much outwards as its 32 nodes. */
    assert_true(cut_bandwidth("dgx-h100", "node") == 8 * 48e9);
    assert_true(cut_bandwidth("dgx-h100:64", "pod") == 32 * 8 * 48e9);
    assert_true(cut_bandwidth("marenostrum5-rails", "pod") ==
                cut_bandwidth("marenostrum5", "leaf"));
    /* Options go before the machine's own. */
    assert_true(cut_bandwidth("leonardo,bandwidth=1GBps,global=36", "group") == 22 * 36 * 1e9);
}

/* ---- Nodes ----------------------------------------------------------------------------------- */

/* No two hosts have a terminal, and names lead back to hosts. */
static void terminals_are_the_hosts_own(void **state)
{
    static const char *const machines[] = {"leonardo", "lumi", "lumi:100", "marenostrum5",
                                           "fugaku:3x2x4"};
    (void)state;
    for (size_t i = 0; i < sizeof machines / sizeof machines[0]; i++) {
        const struct platform_hosts hosts = hosts_of(machines[i]);
        bool *taken = calloc((size_t)hosts.terminals, sizeof *taken);
        assert_non_null(taken);
        for (int32_t h = 0; h < hosts.count; h++) {
            const int32_t terminal = platform_host_terminal(&hosts, h);
            assert_in_range(terminal, 0, hosts.terminals - 1);
            assert_false(taken[terminal]);
            taken[terminal] = true;
        }
        free(taken);
    }
}

static void nodes_have_their_names(void **state)
{
    static const struct {
        const char *text;
        int32_t host;
        const char *name;
    } nodes[] = {
        {"leonardo", 0, "lrdn0001"},
        {"leonardo", 4991, "lrdn4992"},
        {"lumi", 0, "nid005000"},
        {"lumi", 2977, "nid007977"},
        {"marenostrum5", 0, "as01r1b01"},
        {"marenostrum5", 32, "as01r2b01"},
        {"marenostrum5", 1119, "as07r5b32"},
        {"fugaku:8x4x2", 1, "fugaku-1-0-0"},
        {"fugaku:8x4x2", 63, "fugaku-7-3-1"},
        {"fugaku", 158975, "fugaku-23-22-23-1-2-1"},
        {"fat-tree:64", 63, "host-63"},
        {"dgx-h100", 8, "dgx-h100-1-0"},
        {"polaris:2", 3, "polaris-1-1"},
        {"gb200-nvl72", 575, "gb200-nvl72-7-71"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof nodes / sizeof nodes[0]; i++) {
        const struct platform_hosts hosts = hosts_of(nodes[i].text);
        char name[64], cut[7];
        assert_string_equal(platform_host_name(&hosts, nodes[i].host, name, sizeof name),
                            nodes[i].name);
        platform_host_name(&hosts, nodes[i].host, cut, sizeof cut);
        assert_int_equal(strlen(cut), 6);
    }
}

/* PICO's map: nodes at a leaf switch in a cell. */
static void leonardos_nodes_are_at_their_switches(void **state)
{
    struct platform_cuts cuts;
    char line[512];
    int32_t nodes = 0, switches = 0;
    FILE *file = fopen(ALLOC "leonardo-nodes.csv", "r");
    bool *seen = calloc(16560, sizeof *seen); /* leaf switches with nodes, by number */
    (void)state;
    assert_non_null(file);
    assert_non_null(seen);
    assert_int_equal(platform_find_cuts("leonardo", &cuts, NULL), RB_OK);
    assert_non_null(fgets(line, sizeof line, file));
    for (; fgets(line, sizeof line, file) != NULL; switches++) {
        int cell, from, to, used, leaf = -1;
        const char *at = strrchr(line, ',') + 1;
        assert_int_equal(sscanf(line, "%d", &cell), 1);
        for (; sscanf(at, "%d%n", &from, &used) == 1; at += used) {
            const bool is_range = at[used] == '-';
            to = from;
            if (is_range)
                assert_int_equal(sscanf(at, "%d-%d%n", &from, &to, &used), 2);
            for (int node = from; node <= to; node++, nodes++) {
                assert_int_equal(part_of(&cuts, "group", node - 1), cell - 1);
                if (leaf < 0) {
                    leaf = part_of(&cuts, "leaf", node - 1);
                    assert_false(seen[leaf]);
                    seen[leaf] = true;
                }
                assert_int_equal(part_of(&cuts, "leaf", node - 1), leaf);
            }
        }
    }
    fclose(file);
    free(seen);
    assert_int_equal(nodes, 4992);
    assert_int_equal(switches, 392);
}

/* LUMI's own names of places: a cabinet is a group, and a chassis has four switches. */
static void lumis_nodes_are_in_their_places(void **state)
{
    struct platform_cuts cuts;
    glob_t found;
    int32_t rows = 0;
    (void)state;
    assert_int_equal(platform_find_cuts("lumi", &cuts, NULL), RB_OK);
    assert_int_equal(glob(ALLOC "lumi-*.csv", 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        char line[128];
        FILE *file = fopen(found.gl_pathv[i], "r");
        assert_non_null(file);
        assert_non_null(fgets(line, sizeof line, file));
        for (; fgets(line, sizeof line, file) != NULL; rows++) {
            int rank, node, cabinet, chassis, blade, board;
            assert_int_equal(sscanf(line, "%d,nid%d,x%dc%ds%db%dn0", &rank, &node, &cabinet,
                                    &chassis, &blade, &board),
                             6);
            const int group = cabinet / 100 * 6 + cabinet % 100 - 66;
            const int32_t terminal = platform_host_terminal(&cuts.who, node - 5000);
            assert_int_equal(part_of(&cuts, "group", node - 5000), group);
            assert_int_equal(part_of(&cuts, "router", node - 5000) / 4, group * 8 + chassis);
            assert_int_equal(terminal % 16, 2 * blade + board);
        }
        fclose(file);
    }
    globfree(&found);
    assert_int_equal(rows, 192);
}

/* Routes lead over the switches of the nodes, and a data-centric node has half the bandwidth. */
static void routes_are_the_nodes(void **state)
{
    static const struct {
        const char *from, *to;
        int32_t links;
        double bandwidth;
    } routes[] = {
        {"lrdn0001", "lrdn0008", 2, 25e9},   {"lrdn0001", "lrdn0009", 4, 25e9},
        {"lrdn0009", "lrdn0020", 2, 25e9},   {"lrdn0001", "lrdn0180", 4, 25e9},
        {"lrdn0180", "lrdn0181", 5, 25e9},   {"lrdn0001", "lrdn3457", 5, 12.5e9},
        {"lrdn3439", "lrdn3457", 4, 12.5e9}, {"lrdn4369", "lrdn4992", 4, 12.5e9},
    };
    struct platform_network *network;
    (void)state;
    assert_int_equal(platform_network_create("leonardo", &network, NULL), RB_OK);
    for (size_t i = 0; i < sizeof routes / sizeof routes[0]; i++) {
        const int32_t from = atoi(routes[i].from + 4) - 1, to = atoi(routes[i].to + 4) - 1;
        struct platform_route route;
        char name[128], wanted[64];
        struct platform_place place;
        assert_int_equal(platform_network_route(network, from, to, 0, &route, NULL), RB_OK);
        assert_int_equal(route.count, routes[i].links);
        assert_true(route.bandwidth == routes[i].bandwidth);
        assert_true(fabs(route.latency_s - 1e-6) < 1e-15);
        snprintf(wanted, sizeof wanted, "link_from_%s_UP", routes[i].from);
        platform_network_link_name(network, route.link[0], name, sizeof name);
        assert_string_equal(name, wanted);
        snprintf(wanted, sizeof wanted, "link_from_%s_DOWN", routes[i].to);
        platform_network_link_name(network, route.link[route.count - 1], name, sizeof name);
        assert_string_equal(name, wanted);
        platform_network_place(network, route.link[1], &place);
        assert_string_equal(place.name, route.count == 2 ? "host down" : "leaf up");
    }
    platform_network_destroy(network);
}

/* The links by which hosts send to others: the hosts' own, but for those that are on rails. */
static void interfaces_are_the_hosts(void **state)
{
    static const struct {
        const char *text;
        int32_t nics;
        double bandwidth;
    } known[] = {
        {"leonardo:40", 40, 25e9},
        {"fugaku:3x2x4", 24, 6 * 6.8e9},
        {"dgx-h100:4", 3 * 32, 48e9},
        {"polaris:6", 3 * 12, 25e9},
    };
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        struct platform_network *network;
        assert_int_equal(platform_network_create(known[i].text, &network, NULL), RB_OK);
        assert_int_equal(network->nics, known[i].nics);
        assert_true(fabs(network->link[network->nics].bandwidth / known[i].bandwidth - 1) < 1e-12);
        platform_network_destroy(network);
    }
}

/* ---- Allocations ----------------------------------------------------------------------------- */

/* Every allocation is placed, and its ranks are where it says; written as a table, it is read back
 * the same. */
static void allocations_are_placed(void **state)
{
    static const struct {
        const char *machine, *files;
        int32_t ranks; /* of all files */
    } machines[] = {{"leonardo", ALLOC "leonardo-20*.csv", 4 + 128 + 32 + 16 + 256 + 254 + 1024},
                    {"lumi", ALLOC "lumi-20*.csv", 192}};
    (void)state;
    for (size_t m = 0; m < 2; m++) {
        const struct platform_hosts hosts = hosts_of(machines[m].machine);
        const struct sim_hosts named = {hosts.count, platform_host_name, &hosts};
        int32_t ranks = 0;
        glob_t found;
        assert_int_equal(glob(machines[m].files, 0, NULL, &found), 0);
        for (size_t i = 0; i < found.gl_pathc; i++) {
            struct sim_placement placement;
            struct sim_host_file file;
            struct sup_error error;
            char text[512], name[64];
            snprintf(text, sizeof text, "file:%s", found.gl_pathv[i]);
            if (sim_placement_parse(text, &placement, &error) != RB_OK)
                fail_msg("%s", error.text);
            assert_int_equal(sim_host_file_read(found.gl_pathv[i], &file, NULL), RB_OK);
            int32_t *host = calloc((size_t)file.ranks, sizeof *host);
            assert_non_null(host);
            if (sim_placement_map(&placement, file.ranks, 4, &named, host, &error) != RB_OK)
                fail_msg("%s", error.text);
            for (int32_t r = 0; r < file.ranks; r++) {
                platform_host_name(&hosts, host[r], name, sizeof name);
                assert_int_equal(strncmp(file.host[r], name, strlen(name)), 0);
            }
            ranks += file.ranks;
            sim_host_file_free(&file);
            free(host);
        }
        globfree(&found);
        assert_int_equal(ranks, machines[m].ranks);
    }
}

/* ---- Refusals -------------------------------------------------------------------------------- */

static void wrong_names_are_refused(void **state)
{
    static const struct {
        const char *text, *said;
    } names[] = {
        {"leonardo:0", "leonardo: number of hosts: \"0\" is not a whole number from 1 to 1048576"},
        {"leonardo:4993", "leonardo:4993: the machine has 4992 nodes"},
        {"leonardo:",
         "leonardo needs a size after ':': leonardo, 4992 nodes; leonardo:N, the first N of them"},
        {"leonardo,groups=3", "leonardo: groups is the machine's own, because each node has its "
                              "place: take the generator dragonfly+ for another"},
        {"leonardo,rooting=ecmp", "leonardo has no option 'rooting': did you mean 'routing'?"},
        {"lumi:10,,", "lumi: '' is not an option: options are written name=value, separated by "
                      "commas, which no value has"},
        {"dgx-h100:4,topology=x.xml",
         "dgx-h100: topology is the machine's own, because each node has "
         "its place: take the generator rails for another"},
        {"marenostrum5,taper=2",
         "marenostrum5: up and taper both say how many uplinks there are: give one"},
        {"dgx-h100:4x4", "dgx-h100: '4x4': a node has 8 network interfaces by nics=8"},
        {"polaris:5,nics=4", "polaris: nics is the machine's own, because each node has its place: "
                             "take the generator rails for another"},
        {"fugaku:1x8", "fugaku: '1x8': \"1\" is not a whole number from 2 to 1048576"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct platform_hosts hosts;
        struct sup_error error;
        assert_int_equal(platform_find_hosts(names[i].text, &hosts, &error), RB_EINVAL);
        assert_string_equal(error.text, names[i].said);
    }
    assert_false(platform_is_generated("leonard"));
    assert_false(platform_is_generated("leonardo.xml"));
    assert_false(platform_is_generated("here/leonardo"));
    assert_true(platform_is_generated("leonardo,routing=ecmp:2"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(machines_have_their_sizes),
        cmocka_unit_test(cuts_are_the_published_ones),
        cmocka_unit_test(terminals_are_the_hosts_own),
        cmocka_unit_test(nodes_have_their_names),
        cmocka_unit_test(leonardos_nodes_are_at_their_switches),
        cmocka_unit_test(lumis_nodes_are_in_their_places),
        cmocka_unit_test(routes_are_the_nodes),
        cmocka_unit_test(interfaces_are_the_hosts),
        cmocka_unit_test(allocations_are_placed),
        cmocka_unit_test(wrong_names_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
