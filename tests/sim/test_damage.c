/* test_damage.c - platforms with fail= and slow=: simgrid and flow take equally long on random ones
 * of all generators; routes are the healthy ones while these are whole, and have fewest links
 * otherwise.
 *
 * usage: test_damage [PLATFORMS [SEED]] */
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
#include "schedules/plan/random.h"
#include "sim/engine/engine.h"
#include "support/memory.h"

static int platforms = 60;
static uint64_t seed = 1;

static const char *const healthy[] = {
    "fat-tree:24,down=4x3x2",
    "fat-tree:32,down=8x4,taper=2",
    "fat-tree:32,down=4x8,routing=ecmp:3",
    "dragonfly:72",
    "dragonfly:24,spread=yes,groups=3,routers=4,global=4",
    "dragonfly:36,groups=3,routers=6,routing=valiant-pairs:2",
    "dragonfly+:36",
    "dragonfly+:36,routing=ecmp:5",
    "hyperx:4x3,hosts=2",
    "hyperx:3x3x2,hosts=1,routing=valiant-pairs:4",
    "slimfly:36,hosts=2",
    "slimfly:50,hosts=1",
    "tofu:4x2x3",
    "torus:4x5,latency=250ns",
    "torus:3x3x3",
    "crossbar:20,ports=2",
    "crossbar:20",
    "rails:4x4,rails=2",
    "rails:6x4,cross=spines,radix=6,hop-latency=10ns",
    "ring:12,hop-latency=10ns",
    "mesh:4x5",
    "hypercube:16",
    "tree:16",
    "leonardo:40,spines=2,global=1",
    "lumi:20",
    "fugaku:2x2x2",
    "marenostrum5:40",
    "dgx-h100:3",
    "crossbar:16,memory-bandwidth=30GBps,memory-traffic=all",
};
enum { HEALTHY = sizeof healthy / sizeof *healthy };

static int below(uint64_t *random, int count)
{
    return (int)rb_random_below(random, (uint32_t)count);
}

/* The i-th healthy platform with damage that leaves it whole; some have cables alone that fail. */
static void damage(char *text, size_t size, int i, uint64_t *random)
{
    static const char *const some[] = {"links:5%", "links:20%", "links:1", "hosts:2", "hosts:10%"};
    struct platform_hosts hosts;
    struct sup_error error;
    do {
        const char *fail = some[below(random, 5)], *slow = some[below(random, 5)];
        char fails[64] = "", slows[64] = "";
        const bool star = strncmp(healthy[i], "crossbar", 8) == 0;
        if (below(random, 4) > 0)
            snprintf(fails, sizeof fails, ",fail=%s:%d", star ? "hosts:1" : fail,
                     below(random, 100));
        if (below(random, 3) > 0 || *fails == '\0')
            snprintf(slows, sizeof slows, ",slow=%s:%d:%d%%+host:1:30%%", star ? "hosts:3" : slow,
                     below(random, 100), 1 + below(random, 99));
        snprintf(text, size, "%s%s%s", healthy[i], fails, slows);
    } while (platform_find_hosts(text, &hosts, &error) != RB_OK);
}

/* ---- Times ----------------------------------------------------------------------------------- */

static void simulate(const char *engine, struct sim_spec spec, struct sim_result *result)
{
    static const char *const precise[] = {"surf/precision:1e-18", "network/optim:Full"};
    struct sup_error error;
    if (strcmp(engine, "simgrid") == 0) {
        spec.options = precise;
        spec.option_count = spec.ppn > 1 ? 1 : 2;
    }
    if (sim_run(sim_engine_find(engine), &spec, result, &error) != RB_OK)
        fail_msg("%s: %s", spec.platform, error.text);
}

static void expect_equal_times(const char *text, uint64_t *random)
{
    static const char *const algorithms[][2] = {{"bcast", "circulant"},
                                                {"allgather", "ring"},
                                                {"alltoall", "bruck"},
                                                {"allgather", "circulant"}};
    const char *const *algorithm = algorithms[below(random, 4)];
    struct platform_hosts hosts;
    struct sup_error error;
    char why[200];
    assert_int_equal(platform_find_hosts(text, &hosts, &error), RB_OK);
    const int32_t ppn = 1 + below(random, 2), room = hosts.count * ppn;
    const struct rb_plan_spec wanted = {.collective = algorithm[0],
                                        .algorithm = algorithm[1],
                                        .p = room - below(random, 3),
                                        .n = algorithm == algorithms[0] ? 4 : 1};
    struct rb_plan *plan;
    if (rb_plan_create(&wanted, &plan, why, sizeof why) != RB_OK)
        fail_msg("%s", why);
    const struct rb_layout layout = {.bytes = (1 + below(random, 1000)) * (int64_t)room,
                                     .element = 1};
    const struct sim_overlap rules[] = {{SIM_LOCKSTEP, 1}, {SIM_BLOCKING, 1}, {SIM_DATA, 1}};
    const struct sim_spec spec = {.plan = plan,
                                  .layout = &layout,
                                  .platform = text,
                                  .ppn = ppn,
                                  .overlap = rules[below(random, 3)],
                                  .want_finish = true};
    struct sim_result flow, simgrid;
    simulate("flow", spec, &flow);
    simulate("simgrid", spec, &simgrid);
    for (int32_t r = 0; r < rb_plan_ranks(plan); r++)
        if (fabs(flow.finish_s[r] - simgrid.finish_s[r]) > 1e-9 * simgrid.time_s)
            fail_msg("%s %s on %s, rule %d: rank %d after %.15g s instead of %.15g", algorithm[0],
                     algorithm[1], text, (int)spec.overlap.rule, r, flow.finish_s[r],
                     simgrid.finish_s[r]);
    sim_result_free(&flow);
    sim_result_free(&simgrid);
    rb_plan_destroy(plan);
}

static void flow_takes_simgrid_s_times(void **state)
{
    uint64_t random = seed;
    char text[300];
    (void)state;
    for (int i = 0; i < platforms; i++) {
        damage(text, sizeof text, i % HEALTHY, &random);
        expect_equal_times(text, &random);
    }
}

/* ---- Routes ---------------------------------------------------------------------------------- */

/* Links from any node to `to`, by going over all links again and again. */
static int32_t *distances(const struct platform_network *network, int32_t nodes, int32_t to)
{
    int32_t *far = sup_malloc((size_t)nodes * sizeof *far), ends[2];
    for (int32_t n = 0; n < nodes; n++)
        far[n] = n == to ? 0 : nodes;
    for (bool changed = true; changed;) {
        changed = false;
        for (int32_t l = network->hosts; l < network->links; l++)
            if (platform_network_ends(network, l, ends) && far[ends[1]] + 1 < far[ends[0]]) {
                far[ends[0]] = far[ends[1]] + 1;
                changed = true;
            }
    }
    return far;
}

/* The names of a route's links, or "" if one of them has failed in the damaged network. */
static void name_route(struct platform_network *network, int32_t from, int32_t to, char *names,
                       size_t size)
{
    struct platform_route route;
    char name[128];
    size_t used = 0;
    assert_int_equal(platform_network_route(network, from, to, 0, &route, NULL), RB_OK);
    names[0] = '\0';
    for (int32_t i = 0; i < route.count; i++) {
        platform_network_link_name(network, route.link[i], name, sizeof name);
        used += (size_t)snprintf(names + used, size - used, "%s ", name);
        assert_true(used < size);
    }
}

static void expect_routes(const char *text, int i)
{
    struct platform_network *network, *whole;
    struct platform_hosts hosts;
    struct platform_route route;
    struct sup_error error;
    char names[4096], wholes[4096];
    assert_int_equal(platform_find_hosts(text, &hosts, &error), RB_OK);
    assert_int_equal(platform_network_create(text, &network, &error), RB_OK);
    assert_int_equal(platform_network_create(healthy[i], &whole, &error), RB_OK);
    const int32_t nodes = platform_network_nodes(network);
    assert_int_equal(hosts.count, network->hosts);
    assert_int_equal(hosts.count + hosts.gones, whole->hosts);
    for (int32_t to = 0; to < network->hosts; to++) {
        int32_t *far = distances(network, nodes, to), gone = 0, ends[2];
        for (int32_t from = 0; from < network->hosts; from++) {
            if (from == to)
                continue;
            /* Whose number was from, and to, in the healthy network. */
            int32_t was[2] = {from, to};
            for (int k = 0; k < 2; k++)
                for (gone = 0; gone < hosts.gones && hosts.gone[gone] <= was[k]; gone++)
                    was[k]++;
            name_route(network, from, to, names, sizeof names);
            name_route(whole, was[0], was[1], wholes, sizeof wholes);
            const bool same = strcmp(names, wholes) == 0;
            assert_int_equal(platform_network_route(network, from, to, 0, &route, NULL), RB_OK);
            int32_t at = from, hops = 0;
            for (int32_t l = 0; l < route.count; l++) {
                assert_false(network->link[route.link[l]].failed);
                if (!network->link[route.link[l]].shared ||
                    route.link[l] >= network->links - network->memory_links)
                    continue;
                assert_true(platform_network_ends(network, route.link[l], ends));
                assert_int_equal(ends[0], at);
                at = ends[1];
                hops++;
            }
            assert_int_equal(at, to);
            if (!same && hops != far[from])
                fail_msg("%s: from %d to %d over %d links instead of %d", text, from, to, hops,
                         far[from]);
            if (!same) { /* the healthy route is no more */
                int32_t failed = 0;
                char name[130];
                for (int32_t l = network->hosts; l < network->links; l++) {
                    platform_network_link_name(network, l, name, sizeof name - 1);
                    strcat(name, " ");
                    failed += network->link[l].failed && strstr(wholes, name) != NULL;
                }
                if (failed == 0 && hosts.gones == 0)
                    fail_msg("%s: from %d to %d: the healthy route is whole", text, from, to);
            }
        }
        free(far);
    }
    platform_network_destroy(network);
    platform_network_destroy(whole);
}

static void routes_go_around(void **state)
{
    uint64_t random = seed + 1;
    char text[300];
    (void)state;
    for (int i = 0; i < HEALTHY; i++) {
        damage(text, sizeof text, i, &random);
        expect_routes(text, i);
    }
}

/* ---- By hand --------------------------------------------------------------------------------- */

static int count_failed(const char *text, bool slow)
{
    struct platform_network *network;
    struct sup_error error;
    int count = 0;
    if (platform_network_create(text, &network, &error) != RB_OK)
        fail_msg("%s", error.text);
    for (int32_t l = 0; l < network->links; l++)
        count += slow ? network->link[l].slow : network->link[l].failed;
    platform_network_destroy(network);
    return count;
}

/* dragonfly:1056 has 11 groups of 12 routers: 11 x 66 + 55 = 781 cables, of which 5 % are 39. */
static void counts_are_those_asked_for(void **state)
{
    char hash[2][17];
    struct sup_error error;
    struct platform_hosts hosts;
    (void)state;
    assert_int_equal(platform_find_hosts("fat-tree:16,fail=leaves:1:3", &hosts, &error), RB_OK);
    assert_int_equal(hosts.count, 12); /* without those of one leaf */
    assert_int_equal(count_failed("dragonfly:1056,fail=links:5%:1", false), 2 * 39);
    assert_int_equal(count_failed("dragonfly:1056,slow=links:5%:1:25%", true), 2 * 39);
    assert_int_equal(count_failed("rails:2x8,fail=nic:3", false), 2);
    assert_int_equal(platform_hash_of("fat-tree:16,slow=host:3:10%", hash[0], &error), RB_OK);
    assert_int_equal(platform_hash_of("fat-tree:16,slow=host:3:11%", hash[1], &error), RB_OK);
    assert_string_not_equal(hash[0], hash[1]);
}

/* A ring of 4 that lost the cable between 0 and 1: from 0 to 1 the other way round. */
static void a_route_by_hand(void **state)
{
    char names[500];
    struct platform_network *network;
    struct sup_error error;
    (void)state;
    assert_int_equal(
        platform_network_create("ring:4,fail=link:link_from_switch-0_to_switch-1,slow=host:2:10%",
                                &network, &error),
        RB_OK);
    name_route(network, 0, 1, names, sizeof names);
    assert_string_equal(names, "link_from_host-0_to_switch_UP link_from_switch-3_to_switch-0_DOWN "
                               "link_from_switch-2_to_switch-3_DOWN "
                               "link_from_switch-1_to_switch-2_DOWN "
                               "link_from_host-1_to_switch_DOWN ");
    struct platform_route route;
    assert_int_equal(platform_network_route(network, 2, 3, 0, &route, NULL), RB_OK);
    assert_true(fabs(route.bandwidth - 1.25e9) < 1);
    platform_network_destroy(network);
}

static void the_healthy_text_lacks_damage(void **state)
{
    static const char *const cases[][2] = {
        {"fat-tree:16,fail=host:1,slow=host:2:10%", "fat-tree:16"},
        {"fat-tree:16,taper=2,slow=host:2:10%,up=4", "fat-tree:16,taper=2,up=4"},
        {"lumi,fail=host:1", "lumi"},
        {"fat-tree:16,taper=2", NULL},
        {"fat-tree:16,fail=none,slow=none", NULL},
        {"fat-tree:16,fail=none,slow=host:2:10%", "fat-tree:16,fail=none"},
        {"none.xml", NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *healthy_text = platform_healthy(cases[i][0]);
        if (cases[i][1] == NULL)
            assert_null(healthy_text);
        else
            assert_string_equal(healthy_text, cases[i][1]);
        free(healthy_text);
    }
}

static void others_are_refused(void **state)
{
    static const struct {
        const char *text, *why;
    } cases[] = {
        {"ring:8,fail=links:2:1", "ring: the network falls apart: "},
        {"crossbar:8,fail=link:crossbar_link_3_UP",
         "crossbar: the network falls apart: 1 of 8 hosts are cut off: host-3; fail=host:.. leaves "
         "hosts out"},
        {"fat-tree:16,fail=host:99", "fat-tree: fail: 'host:99': there are fewer, numbered from 0"},
        {"fat-tree:16,fail=links:nan%:1", "fat-tree: fail: 'links:nan%:1': give more than 0 %"},
        {"fat-tree:16,fail=links:-1:1", "fat-tree: fail: 'links:-1:1': give a share in % or a"},
        {"fat-tree:16,fail=links:5%:x", "fat-tree: fail: 'links:5%:x': seed: "},
        {"fat-tree:16,fail=+", "fat-tree: fail: '': write PART:WHICH"},
        {"fat-tree:16,slow=host:3", "fat-tree: slow: 'host:3': write PART:WHICH:SHARE"},
        {"fat-tree:16,slow=host:3:0%", "fat-tree: slow: 'host:3:0%': what is left"},
        {"fat-tree:16,slow=links:5%:1", "fat-tree: slow: 'links:5%:1': what is left"},
        {"fat-tree:16,slow=host:3:inf", "fat-tree: slow: 'host:3:inf': what is left"},
        {"fat-tree:16,fail=boats:3", "fat-tree: fail: 'boats:3': parts are "},
        {"fat-tree:16,fail=link:", "fat-tree: fail: 'link:': "},
        {"crossbar:8,fail=links:1:1", "crossbar: fail: 'links:1:1': the platform has none"},
        {"crossbar:4,fail=hosts:4", "crossbar: fail: 'hosts:4': no host is left"},
        {"torus:3x3,fail=nic:1", "torus: fail: 'nic:1': there are fewer"},
    };
    struct platform_network *network;
    struct sup_error error;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(platform_network_create(cases[i].text, &network, &error), RB_EINVAL);
        if (strncmp(error.text, cases[i].why, strlen(cases[i].why)) != 0)
            fail_msg("%s: %s", cases[i].text, error.text);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(routes_go_around),
        cmocka_unit_test(counts_are_those_asked_for),
        cmocka_unit_test(a_route_by_hand),
        cmocka_unit_test(others_are_refused),
        cmocka_unit_test(flow_takes_simgrid_s_times),
        cmocka_unit_test(the_healthy_text_lacks_damage),
    };
    platforms = argc > 1 ? atoi(argv[1]) : platforms;
    seed = argc > 2 ? strtoull(argv[2], NULL, 10) : seed;
    print_message("%d platforms, seed %llu\n", platforms, (unsigned long long)seed);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
