/* test_flow.c - the engine flow takes as long as SimGrid does, for every rank: where links are
 * shared and where not, all overlap rules, several ranks per host, several ports.
 *
 * Blocking under irregular contention amplifies differences in the last bit, so random placements
 * are short runs. SimGrid compares times with a precision of 1e-18 here: with less it merges what
 * isn't at one moment. And it solves all of its system each time (optim:Full), which the engine
 * asks for by itself where ranks share hosts: by its default, Lazy, SimGrid misses changes there
 * (docs/simgrid.md).
 */
#define _POSIX_C_SOURCE 200809L /* mkstemp */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "platforms/network.h"
#include "platforms/platform.h"
#include "roundabout.h"
#include "schedules/plan/random.h"
#include "sim/engine/engine.h"
#include "sim/simgrid/simgrid.h"
#include "tests/fitting.h"

static struct rb_plan *plan_of(const char *collective, const char *algorithm, int32_t p, int64_t n,
                               int32_t ports)
{
    const struct rb_plan_spec spec = {
        .collective = collective, .algorithm = algorithm, .p = p, .n = n, .ports = ports};
    struct rb_plan *plan;
    char why[200];
    if (rb_plan_create(&spec, &plan, why, sizeof why) != RB_OK)
        fail_msg("%s", why);
    return plan;
}

struct seen {
    int64_t messages, bytes;
    double sum_s;
    double alone_s; /* of the last */
};

static void see(void *context, const struct sim_message *message)
{
    struct seen *seen = context;
    seen->messages++;
    seen->bytes += message->bytes;
    seen->sum_s += message->end_s - message->start_s;
    seen->alone_s = message->alone_s;
}

static void simulate(const char *engine, struct sim_spec spec, struct sim_result *result)
{
    static const char *const precise[] = {"surf/precision:1e-18", "network/optim:Full"};
    struct sup_error error;
    if (strcmp(engine, "simgrid") == 0) {
        spec.options = precise;
        spec.option_count = spec.ppn > 1 ? 1 : 2;
        spec.variant = "signals";
    }
    if (sim_run(sim_engine_find(engine), &spec, result, &error) != RB_OK)
        fail_msg("%s", error.text);
}

/* The busiest links are the same, though equals may come in another order. */
static void compare_links(const struct sim_result *flow, const struct sim_result *simgrid)
{
    assert_int_equal(flow->link_count, simgrid->link_count);
    for (int32_t i = 0; i < flow->link_count; i++) {
        const struct sim_link *a = &flow->links[i], *b = &simgrid->links[i];
        assert_true(fabs((double)a->bytes / a->bandwidth - (double)b->bytes / b->bandwidth) <=
                    1e-12 * (double)b->bytes / b->bandwidth);
    }
    assert_int_equal(flow->fullest.messages, simgrid->fullest.messages);
    assert_int_equal(flow->fullest.round, simgrid->fullest.round);
    assert_true(fabs(flow->fullest.load - simgrid->fullest.load) <= 1e-12 * flow->fullest.load);
}

/* Where nobody looks at messages, the times of a plan of which none meet are computed without
 * events. */
static void compare_unseen(struct sim_spec spec, const struct sim_result *seen)
{
    struct sim_result unseen;
    spec.observer = NULL;
    simulate("flow", spec, &unseen);
    for (int32_t r = 0; r < rb_plan_ranks(spec.plan); r++)
        if (fabs(unseen.finish_s[r] - seen->finish_s[r]) > 1e-12 * seen->time_s)
            fail_msg("%s %s on %s: rank %d after %.15g s, by events %.15g s",
                     rb_plan_collective(spec.plan)->name, rb_plan_algorithm(spec.plan)->name,
                     spec.platform, r, unseen.finish_s[r], seen->finish_s[r]);
    assert_int_equal(unseen.messages, seen->messages);
    assert_int_equal(unseen.bytes, seen->bytes);
    assert_int_equal(unseen.rounds, seen->rounds);
    compare_links(&unseen, seen);
    sim_result_free(&unseen);
}

static void compare(const struct rb_plan *plan, const char *platform, struct sim_overlap overlap,
                    int32_t ppn, struct sim_placement placement, int64_t bytes)
{
    const struct rb_layout layout = {.bytes = bytes, .element = 1};
    struct seen flow_seen = {0}, simgrid_seen = {0};
    struct sim_observer observer = {.message = see, .context = &flow_seen};
    struct sim_spec spec = {.plan = plan,
                            .layout = &layout,
                            .platform = platform,
                            .ppn = ppn,
                            .placement = placement,
                            .overlap = overlap,
                            .want_finish = true,
                            .want_links = 5,
                            .observer = &observer};
    struct sim_result flow, simgrid;
    simulate("flow", spec, &flow);
    observer.context = &simgrid_seen;
    simulate("simgrid", spec, &simgrid);
    const double tolerance = 1e-9 * simgrid.time_s;
    for (int32_t r = 0; r < rb_plan_ranks(plan); r++)
        if (fabs(flow.finish_s[r] - simgrid.finish_s[r]) > tolerance)
            fail_msg("%s %s on %s, rule %d, ppn %d: rank %d of %d after %.15g s instead of %.15g",
                     rb_plan_collective(plan)->name, rb_plan_algorithm(plan)->name, platform,
                     (int)overlap.rule, ppn, r, rb_plan_ranks(plan), flow.finish_s[r],
                     simgrid.finish_s[r]);
    assert_true(fabs(flow.time_s - simgrid.time_s) <= tolerance);
    assert_int_equal(flow.messages, simgrid.messages);
    assert_int_equal(flow.bytes, simgrid.bytes);
    assert_int_equal(flow.hosts, simgrid.hosts);
    assert_true(flow.alpha_s == simgrid.alpha_s);
    assert_true(fabs(flow.beta_s_per_byte - simgrid.beta_s_per_byte) <= 1e-24);
    assert_int_equal(flow_seen.messages, simgrid_seen.messages);
    assert_int_equal(flow_seen.bytes, simgrid_seen.bytes);
    assert_true(fabs(flow_seen.sum_s - simgrid_seen.sum_s) <= 1e-9 * simgrid_seen.sum_s);
    compare_links(&flow, &simgrid);
    compare_unseen(spec, &flow);
    sim_result_free(&flow);
    sim_result_free(&simgrid);
}

static const struct sim_placement block = {.rule = SIM_BLOCK},
                                  scattered = {.rule = SIM_RANDOM, .seed = 7};

static void test_topologies(void **state)
{
    static const char *const platforms[] = {
        "crossbar:48",
        "crossbar:48,ports=2",
        "fat-tree:48",
        "fat-tree:48,taper=2",
        "fat-tree:96,down=4x2x3x4,taper=2",
        "fat-tree:48,taper=2,routing=s-mod-k",
        "fat-tree:48,taper=2,routing=ecmp:3",
        "dragonfly:72",
        "dragonfly:72,spread=yes",
        "dragonfly:72,routing=valiant-pairs:2",
        "dragonfly+:64",
        "hyperx:4x4,hosts=3",
        "slimfly:54",
        "tofu:3x4x2x2",
        "rails:12x4",
        "rails:12x4,radix=6,taper=2,hop-latency=20ns",
        "rails:24x2,cross=spines,taper=4",
        "torus:7x7",
        "torus:4x3x4,latency=1us",
        "mesh:7x7",
        "ring:50,hop-latency=10ns",
        ROUNDABOUT_SOURCE_DIR "/platforms/xml/crossbar-64.xml",
        "crossbar:48,memory-bandwidth=30GBps",
        "dragonfly:72,memory-bandwidth=30GBps,memory-traffic=all",
        "torus:7x7,memory-bandwidth=9GBps,memory-traffic=all",
        "mesh:7x7,memory-bandwidth=30GBps",
        "ring:50,memory-bandwidth=30GBps,memory-traffic=all",
        "lumi:48,memory-bandwidth=30GBps,memory-traffic=all",
    };
    static const struct sim_overlap rules[] = {
        {SIM_LOCKSTEP, 1}, {SIM_BLOCKING, 1}, {SIM_WINDOW, 3}, {SIM_DATA, 1}};
    (void)state;
    struct rb_plan *bcast = plan_of("bcast", "circulant", 47, 5, 0);
    struct rb_plan *exchange = plan_of("alltoall", "bruck", 48, 1, 2);
    /* Two of the rules each; with sanitizers one. */
    for (size_t i = 0; i < sizeof platforms / sizeof *platforms; i++)
        for (size_t rule = i / 2 % 2; rule < sizeof rules / sizeof *rules; rule += 1 + ONE_OF) {
            if ((i + rule) % 2 == 0) {
                compare(bcast, platforms[i], rules[rule], 1, block, 1000003);
                compare(exchange, platforms[i], rules[rule], 1, block, 48 * 48 * 1000);
            } else {
                compare(bcast, platforms[i], rules[rule], 1, scattered, 300007);
                compare(bcast, platforms[i], rules[rule], 4, block, 1000003);
            }
        }
    rb_plan_destroy(bcast);
    rb_plan_destroy(exchange);
}

/* The file that lists all routes has the memory, too. */
static void test_memory_in_files(void **state)
{
    static const char *const platforms[] = {"fat-tree:16,memory-bandwidth=30GBps",
                                            "tofu:4x4,memory-bandwidth=30GBps,memory-traffic=all",
                                            "mesh:4x4,memory-bandwidth=30GBps,memory-traffic=all"};
    static const struct sim_overlap blocking = {SIM_BLOCKING, 1};
    const struct rb_layout layout = {.bytes = 1000003, .element = 1};
    (void)state;
    struct rb_plan *plan = plan_of("bcast", "circulant", 47, 5, 0);
    for (size_t i = 0; i < sizeof platforms / sizeof *platforms; i++) {
        char path[] = "/tmp/test_flow-XXXXXX", *xml;
        size_t size;
        struct sup_error error;
        const int file = mkstemp(path);
        if (platform_make_xml(platforms[i], &xml, &size, &error) != RB_OK)
            fail_msg("%s", error.text);
        assert_int_equal(write(file, xml, size), size);
        close(file);
        free(xml);
        compare(plan, path, blocking, 4, block, 1000003);
        struct sim_result made, listed;
        struct sim_spec spec = {.plan = plan,
                                .layout = &layout,
                                .platform = platforms[i],
                                .ppn = 4,
                                .overlap = blocking};
        simulate("flow", spec, &made);
        spec.platform = path;
        simulate("flow", spec, &listed);
        assert_true(fabs(made.time_s - listed.time_s) <= 1e-12 * made.time_s);
        sim_result_free(&made);
        sim_result_free(&listed);
        unlink(path);
    }
    rb_plan_destroy(plan);
}

static void expect_s(const char *platform, int32_t p, int32_t distance, int64_t bytes,
                     double expected_s)
{
    const struct rb_layout layout = {.bytes = bytes * p, .element = 1};
    char instance[16];
    struct rb_plan *plan = NULL;
    snprintf(instance, sizeof instance, "q=%d", distance);
    const struct rb_plan_spec wanted = {.collective = "shift",
                                        .algorithm = "direct",
                                        .p = p,
                                        .n = 1,
                                        .ports = 1,
                                        .instance = instance};
    assert_int_equal(rb_plan_create(&wanted, &plan, NULL, 0), RB_OK);
    const struct sim_spec spec = {.plan = plan,
                                  .layout = &layout,
                                  .platform = platform,
                                  .ppn = 8,
                                  .overlap = {SIM_BLOCKING, 1}};
    for (int i = 0; i < 2; i++) {
        struct sim_result result;
        simulate(i == 0 ? "flow" : "simgrid", spec, &result);
        if (fabs(result.time_s - expected_s) > 1e-9 * expected_s)
            fail_msg("%s: %.12g s instead of %.12g", platform, result.time_s, expected_s);
        sim_result_free(&result);
    }
    rb_plan_destroy(plan);
}

/* Eight ranks of a host send 1 MB each: inside together at the memory's bandwidth, but each at most
 * at the loopback's; to another host at that of the link, unless those messages use the memory,
 * from which they are read while as many are written. */
static void test_memory_times(void **state)
{
    (void)state;
    expect_s("crossbar:1", 8, 1, 1000000, 200e-9 + 1e6 / 25e9);
    expect_s("crossbar:1,memory-bandwidth=40GBps", 8, 1, 1000000, 200e-9 + 8e6 / 40e9);
    expect_s("crossbar:1,memory-bandwidth=300GBps", 8, 1, 1000000, 200e-9 + 1e6 / 25e9);
    expect_s("crossbar:1,memory-bandwidth=40GBps,memory-traffic=all", 8, 1, 1000000,
             200e-9 + 8e6 / 40e9);
    expect_s("crossbar:2,memory-bandwidth=4GBps", 16, 8, 1000000, 1e-6 + 8e6 / 12.5e9);
    expect_s("crossbar:2,memory-bandwidth=4GBps,memory-traffic=all", 16, 8, 1000000,
             1e-6 + 8e6 / 4e9);
    expect_s("mesh:1x2,memory-bandwidth=4GBps", 16, 8, 1000000, 1e-6 + 8e6 / 12.5e9);
    expect_s("mesh:1x2,memory-bandwidth=4GBps,memory-traffic=all", 16, 8, 1000000,
             1e-6 + 8e6 / 4e9);
}

/* Every algorithm once; with sanitizers some. */
static void test_algorithms(void **state)
{
    static const struct sim_overlap lockstep = {SIM_LOCKSTEP, 1};
    int32_t plans = 0;
    (void)state;
    for (int32_t i = 0; rb_algorithm_at(i) != NULL; i++) {
        const struct rb_algorithm_info *algorithm = rb_algorithm_at(i);
        if (i % ONE_OF != 0)
            continue;
        const int32_t p = fitting_ranks(algorithm, 24);
        if (p < 2 || strcmp(algorithm->collective, "redistribute") == 0)
            continue;
        struct rb_plan *plan =
            plan_of(algorithm->collective, algorithm->name, p, algorithm->pipelined ? 3 : 1, 0);
        compare(plan, "dragonfly:72", lockstep, 1, block, 100000);
        plans++;
        rb_plan_destroy(plan);
    }
    assert_true(plans > 60 / ONE_OF);
}

/* Plans for a network interface per rank on clusters of GPUs, 3 nodes of each; in the last the
 * hosts of an inner switch have two ranks each. */
static void plans_on_rails_take_simgrid_s_times(void **state)
{
    (void)state;
    static const struct {
        const char *platform, *groups;
        int32_t ranks, ppn;
    } clusters[] = {{"dgx-h100:3", "8", 24, 1},
                    {"dgx-b200:3", "8", 24, 1},
                    {"polaris:3", "2", 6, 1},
                    {"leonardo-rails:3", "4", 12, 1},
                    {"marenostrum5-rails:3", "4", 12, 1},
                    {"lumi-rails:3", "4", 12, 1},
                    {"rails:3x4", "8", 24, 2}};
    static const char *const plans[][2] = {{"bcast", "rails"},
                                           {"bcast", "spread"},
                                           {"bcast", "rails-direct"},
                                           {"allreduce", "rails-direct"},
                                           {"alltoall", "rails"}};
    for (size_t i = 0; i < sizeof clusters / sizeof *clusters; i++)
        for (size_t k = i % ONE_OF; k < sizeof plans / sizeof *plans; k += ONE_OF) {
            const struct rb_plan_spec spec = {.collective = plans[k][0],
                                              .algorithm = plans[k][1],
                                              .p = clusters[i].ranks,
                                              .n = k == 1 ? 1 : 3,
                                              .ports = 9,
                                              .groups = clusters[i].groups};
            const struct sim_overlap overlap = {.rule = k % 2 == 0 ? SIM_BLOCKING : SIM_WINDOW,
                                                .window = 2};
            struct rb_plan *plan;
            assert_int_equal(rb_plan_create(&spec, &plan, NULL, 0), RB_OK);
            compare(plan, clusters[i].platform, overlap, clusters[i].ppn,
                    (struct sim_placement){.rule = SIM_BLOCK}, 1000003);
            rb_plan_destroy(plan);
        }
}

/* Sizes that leave messages empty, one rank, one host. */
static void empty_messages_take_simgrid_s_times(void **state)
{
    static const struct sim_overlap blocking = {SIM_BLOCKING, 1};
    (void)state;
    struct rb_plan *one = plan_of("bcast", "circulant", 1, 3, 0);
    struct rb_plan *some = plan_of("bcast", "circulant", 9, 16, 0);
    compare(one, "crossbar:1", blocking, 1, block, 1000);
    compare(some, "crossbar:1", blocking, 9, block, 1000);
    compare(some, "fat-tree:16", blocking, 1, block, 5);
    compare(some, "fat-tree:16", blocking, 1, block, 0);
    compare(some, "fat-tree:16,latency=0s", blocking, 2, block, 999);
    rb_plan_destroy(one);
    rb_plan_destroy(some);
}

/* ---- Routes that depend on the message: SimGrid has none ---- */

/* ---- Random platforms ------------------------------------------------------------------------ */

enum { ZONES = 3, ZONE_HOSTS = 3, ZONE_LINKS = 4 };

static const char *const policies[] = {"SHARED", "FATPIPE", "SPLITDUPLEX"};

/* After 3.32 the last bit decides how fast messages are whose narrowest link is a fat one
 * (docs/flow.md): then these are wider than all others. */
static double fat_link_factor(void)
{
    const struct s4u_versions versions = s4u_find_versions();
    return versions.running[0] > 3 || versions.running[1] > 32 ? 100 : 1;
}

/* Four links of a zone, whose policies begin with `first`. Some have no latency. */
static void write_links(FILE *file, uint64_t *random, int32_t zone, uint32_t first)
{
    for (uint32_t l = 0; l < ZONE_LINKS; l++)
        fprintf(
            file, "<link id='%d-%d' bandwidth='%.9gGBps' latency='%.9gus' sharing_policy='%s'/>\n",
            zone, (int)l,
            (0.5 + (double)rb_random_below(random, 1000003) / 2e5) *
                ((first + l) % 3 == 1 ? fat_link_factor() : 1),
            rb_random_below(random, 3) == 0 ? 0 : (double)rb_random_below(random, 1000003) / 1e5,
            policies[(first + l) % 3]);
}

/* One to five links of the zone, some several times. */
static void write_route(FILE *file, uint64_t *random, int32_t zone, uint32_t first)
{
    const uint32_t count = 1 + rb_random_below(random, 5);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t l = rb_random_below(random, ZONE_LINKS);
        fprintf(file, "<link_ctn id='%d-%d'%s/>", zone, (int)l,
                (first + l) % 3 != 2              ? ""
                : rb_random_below(random, 2) == 0 ? " direction='UP'"
                                                  : " direction='DOWN'");
    }
}

/* Zones of hosts and a router, of which the last host is one. The way back is another one. */
static void write_zone(FILE *file, uint64_t *random, int32_t zone)
{
    const uint32_t first = rb_random_below(random, 3);
    fprintf(file, "<zone id='zone-%d' routing='Full'>\n", zone);
    for (int32_t h = 0; h < ZONE_HOSTS; h++)
        fprintf(file, "<host id='host-%d-%d' speed='1Gf'/>\n", zone, h);
    write_links(file, random, zone, first);
    for (int32_t a = 0; a < ZONE_HOSTS; a++)
        for (int32_t b = 0; b < ZONE_HOSTS; b++) {
            if (a == b)
                continue;
            fprintf(file, "<route src='host-%d-%d' dst='host-%d-%d' symmetrical='NO'>", zone, a,
                    zone, b);
            write_route(file, random, zone, first);
            fprintf(file, "</route>\n");
        }
    fprintf(file, "</zone>\n");
}

static void write_platform(char path[], uint64_t seed)
{
    uint64_t random = seed;
    FILE *file = fdopen(mkstemp(path), "w");
    assert_non_null(file);
    fprintf(file, "<?xml version='1.0'?>\n"
                  "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
                  "<platform version='4.1'><zone id='all' routing='Full'>\n");
    for (int32_t zone = 0; zone < ZONES; zone++)
        write_zone(file, &random, zone);
    write_links(file, &random, ZONES, (uint32_t)seed);
    for (int32_t a = 0; a < ZONES; a++)
        for (int32_t b = 0; b < ZONES; b++) {
            if (a == b)
                continue;
            fprintf(file,
                    "<zoneRoute src='zone-%d' dst='zone-%d' gw_src='host-%d-2' gw_dst='host-%d-2' "
                    "symmetrical='NO'>",
                    a, b, a, b);
            write_route(file, &random, ZONES, (uint32_t)seed);
            fprintf(file, "</zoneRoute>\n");
        }
    fprintf(file, "</zone></platform>\n");
    assert_int_equal(fclose(file), 0);
}

/* Links that are shared, shared by direction, and not shared; several zones; ways back of their
 * own; links that a route crosses several times; routes with and without latency. */
static void test_random_platforms(void **state)
{
    static const struct sim_overlap rules[] = {
        {SIM_LOCKSTEP, 1}, {SIM_BLOCKING, 1}, {SIM_WINDOW, 3}, {SIM_DATA, 1}};
    (void)state;
    struct rb_plan *shift = plan_of("shift", "direct", ZONES * ZONE_HOSTS, 1, 0);
    struct rb_plan *bcast = plan_of("bcast", "circulant", ZONES * ZONE_HOSTS, 2, 0);
    for (uint64_t seed = 0; seed < 24; seed += ONE_OF) {
        char path[] = "/tmp/test_flow-XXXXXX";
        write_platform(path, seed);
        for (size_t rule = seed % 2; rule < sizeof rules / sizeof *rules; rule += 2) {
            compare(shift, path, rules[rule], 1, block, 9000000);
            compare(bcast, path, rules[rule], 1, block, 1000003);
        }
        unlink(path);
    }
    rb_plan_destroy(shift);
    rb_plan_destroy(bcast);
}

/* Three hosts. `about` is in a link's element, `config` in <config>, `last` at the end of the zone.
 */
static void write_special(char path[], const char *config, const char *about, const char *last)
{
    FILE *file = fdopen(mkstemp(path), "w");
    assert_non_null(file);
    fprintf(file,
            "<?xml version='1.0'?>\n"
            "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
            "<platform version='4.1'><config><prop %s/></config><zone id='all' routing='Full'>\n"
            "<host id='a' speed='1Gf'/><host id='b' speed='1Gf'/><host id='c' speed='1Gf'/>\n"
            "<link id='near' bandwidth='1GBps' latency='100us' %s/>\n"
            "<link id='far' bandwidth='0.7GBps' latency='30us'/>\n"
            "<route src='a' dst='b'><link_ctn id='near'/></route>\n"
            "<route src='a' dst='c'><link_ctn id='near'/><link_ctn id='far'/></route>\n"
            "<route src='b' dst='c'><link_ctn id='near'/><link_ctn id='far'/></route>\n"
            "%s</zone></platform>\n",
            config, about, last);
    assert_int_equal(fclose(file), 0);
}

#define NO_CONFIG      "id='cpu/optim' value='Full'"
#define SET(key, text) "id='" key "' value='" text "'", "", ""
#define CONNECT(kind)                                                                              \
    NO_CONFIG, "",                                                                                 \
        "<trace id='t' periodicity='1'>0.0 1</trace><trace_connect kind='" kind                    \
        "' trace='t' element='a'/>"

/* What SimGrid obeys in a platform's file is obeyed, or refused with the line that it is in. */
static void test_special_platforms(void **state)
{
    static const struct {
        const char *config, *about, *last;
        const char *wrong; /* NULL: the times are SimGrid's */
    } cases[] = {
        {SET("network/model", "LV08"), NULL}, /* SimGrid keeps what the engine passes */
        {SET("network/crosstraffic", "1"), NULL},
        {SET("network/TCP-gamma", "100000"), NULL},
        {SET("surf/precision", "1e-3"), NULL},
        {SET("network/optim", "Full"), NULL},
        {SET("network/loopback-bw", "1000000"), NULL},
        {SET("cpu/solver", "maxmin"), NULL},
        {SET("smpi/lat-factor", "0:10"), NULL},
        {SET("network/latency-factor", "1.0"), NULL},
        {SET("network/weight-S", "0"), NULL},
        {SET("network/solver", "maxmin"), NULL},
        {SET("host/model", "compound"), NULL},
        {SET("maxmin/precision", "1e-9"), NULL},
        {SET("network/latency-factor", "13"), ":3: the engine flow takes network/latency-factor to "
                                              "be 1, not 13: only --engine simgrid obeys it"},
        {SET("network/bandwidth-factor", "0.5"), ":3: the engine flow takes network/bandwidth-f"},
        {SET("network/bandwidth-factor", "0:1;9:2"), "to be 1, not 0:1;9:2: only"},
        {SET("network/weight-S", "20537"), "takes network/weight-S to be 0, not 20537: only"},
        {SET("network/solver", "bmf"), "takes network/solver to be maxmin, not bmf: only"},
        {SET("host/model", "default"), "takes host/model to be compound, not default: only"},
        {SET("maxmin/precision", "0.5"), "takes maxmin/precision to be 1e-5, not 0.5: only"},
        {SET("maxmin/concurrency-limit", "1"), "takes maxmin/concurrency-limit to be -1, not 1"},
        {SET("network/unheard-of", "1"), ":3: the engine flow does not know network/unheard-of: "},
        {NO_CONFIG, "bandwidth_file='profile'", "",
         ":5: the engine flow knows no bandwidth_file=\"profile\": only --engine simgrid obeys it"},
        {NO_CONFIG, "latency_file='profile'", "", ":5: the engine flow knows no latency_file="},
        {NO_CONFIG, "state_file='profile'", "", ":5: the engine flow knows no state_file="},
        {NO_CONFIG, "state_file=''", "", NULL},
        {NO_CONFIG, "sharing_policy='WIFI'", "",
         ":5: the engine flow knows no sharing_policy=\"WIFI\""},
        {CONNECT("BANDWIDTH"),
         ":10: the engine flow knows no <trace_connect kind=\"BANDWIDTH\">: only"},
        {CONNECT("LATENCY"), "kind=\"LATENCY\">: only"},
        {CONNECT("LINK_AVAIL"), "kind=\"LINK_AVAIL\">: only"},
        {CONNECT("HOST_AVAIL"), "kind=\"HOST_AVAIL\">: only"},
        {NO_CONFIG, "",
         "<trace id='t' periodicity='1'>0.0 1</trace><trace_connect trace='t' element='a'/>",
         "flow knows no <trace_connect kind=\"HOST_AVAIL\">: only"},
        {CONNECT("SPEED"), NULL},
    };
    static const struct sim_overlap blocking = {SIM_BLOCKING, 1};
    const struct rb_layout layout = {.bytes = 6000000, .element = 1};
    (void)state;
    struct rb_plan *shift = plan_of("shift", "direct", 3, 1, 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char path[] = "/tmp/test_flow-XXXXXX";
        const struct sim_spec spec = {
            .plan = shift, .layout = &layout, .platform = path, .ppn = 1, .overlap = blocking};
        struct sim_result result;
        struct sup_error error = {""};
        write_special(path, cases[i].config, cases[i].about, cases[i].last);
        if (cases[i].wrong == NULL)
            compare(shift, path, blocking, 1, block, layout.bytes);
        else if (sim_run(sim_engine_find("flow"), &spec, &result, &error) != RB_EINVAL ||
                 strncmp(error.text, path, strlen(path)) != 0 ||
                 strstr(error.text, cases[i].wrong) == NULL)
            fail_msg("case %d: \"%s\", not \"%s\"", (int)i, error.text, cases[i].wrong);
        unlink(path);
    }
    rb_plan_destroy(shift);
}

/* Where a file changes SimGrid's times, links alone don't say how long a message takes alone. */
static void test_special_alone(void **state)
{
    static const char *const configs[] = {"id='network/latency-factor' value='1'",
                                          "id='network/latency-factor' value='13'"};
    const struct rb_layout layout = {.bytes = 6000000, .element = 1};
    (void)state;
    struct rb_plan *shift = plan_of("shift", "direct", 3, 1, 0);
    for (int i = 0; i < 2; i++) {
        char path[] = "/tmp/test_flow-XXXXXX";
        struct seen seen = {0};
        struct sim_observer observer = {.message = see, .context = &seen};
        const struct sim_spec spec = {.plan = shift,
                                      .layout = &layout,
                                      .platform = path,
                                      .ppn = 1,
                                      .overlap = {SIM_BLOCKING, 1},
                                      .observer = &observer};
        struct sim_result result;
        struct sup_error error;
        write_special(path, configs[i], "", "");
        assert_int_equal(sim_run(sim_engine_find("simgrid"), &spec, &result, &error), RB_OK);
        sim_result_free(&result);
        assert_int_equal(seen.messages, 3);
        assert_int_equal(seen.alone_s > 0, i == 0);
        unlink(path);
    }
    rb_plan_destroy(shift);
}

enum { MOST_ROUNDS = 32 };

struct rounds {
    struct platform_network *network;
    int64_t *bytes; /* per round and link */
};

static void count_round(void *context, const struct sim_message *message)
{
    struct rounds *rounds = context;
    struct platform_route route;
    assert_in_range(message->round, 0, MOST_ROUNDS - 1);
    platform_network_route(rounds->network, message->from, message->to, (uint64_t)message->round,
                           &route, NULL);
    for (int32_t i = 0; i < route.count; i++)
        rounds->bytes[message->round * rounds->network->links + route.link[i]] += message->bytes;
}

/* In lockstep, a round of equal messages takes as long as its fullest link needs. */
static void test_valiant(void **state)
{
    static const char platform[] = "dragonfly:72,routing=valiant:4";
    const struct rb_layout layout = {.bytes = 500000, .element = 1};
    struct rounds rounds;
    struct sim_observer observer = {.message = count_round, .context = &rounds};
    struct sim_result result, again;
    struct sup_error error;
    double expected_s = 0;
    (void)state;
    struct rb_plan *plan = plan_of("bcast", "circulant", 72, 5, 0);
    assert_int_equal(platform_network_create(platform, &rounds.network, &error), RB_OK);
    const int32_t links = rounds.network->links;
    rounds.bytes = calloc((size_t)links * MOST_ROUNDS, sizeof *rounds.bytes);
    struct sim_spec spec = {.plan = plan,
                            .layout = &layout,
                            .platform = platform,
                            .ppn = 1,
                            .overlap = {SIM_LOCKSTEP, 1},
                            .observer = &observer};
    simulate("flow", spec, &result);
    for (int32_t t = 0; t < MOST_ROUNDS; t++) {
        double round_s = 0;
        for (int32_t l = 0; l < links; l++)
            round_s = fmax(round_s,
                           (double)rounds.bytes[t * links + l] / rounds.network->link[l].bandwidth);
        expected_s += round_s > 0 ? 1e-6 + round_s : 0;
    }
    assert_true(fabs(result.time_s - expected_s) <= 1e-9 * expected_s);
    spec.observer = NULL;
    simulate("flow", spec, &again);
    assert_true(result.time_s == again.time_s);
    spec.platform = "dragonfly:72,routing=valiant:5";
    simulate("flow", spec, &again);
    assert_true(result.time_s != again.time_s);
    free(rounds.bytes);
    platform_network_destroy(rounds.network);
    rb_plan_destroy(plan);
}

/* Messages that follow one another find the network idle: all take the minimal route. */
static void test_adaptive_sees_only_messages_in_flight(void **state)
{
    static const char platform[] = "dragonfly:72,routing=ugal,global=1";
    const struct rb_layout layout = {.bytes = 500000, .element = 1};
    struct sim_placement placement = {.rule = SIM_RANDOM};
    struct platform_network *network;
    struct platform_route route = {.count = 0};
    struct sim_result result;
    struct sup_error error;
    (void)state;
    assert_int_equal(platform_network_create(platform, &network, &error), RB_OK);
    while (route.count < 5) { /* two hosts that are far from each other */
        int32_t host[2];
        placement.seed++;
        assert_int_equal(
            sim_placement_map(&placement, 2, 1, &(struct sim_hosts){.count = 72}, host, &error),
            RB_OK);
        platform_network_route(network, host[0], host[1], 0, &route, &error);
    }
    struct rb_plan *plan = plan_of("bcast", "circulant", 2, 50, 0);
    const struct sim_spec spec = {.plan = plan,
                                  .layout = &layout,
                                  .platform = platform,
                                  .ppn = 1,
                                  .placement = placement,
                                  .overlap = {SIM_BLOCKING, 1},
                                  .want_links = 100};
    simulate("flow", spec, &result);
    assert_int_equal(result.link_count, 5);
    assert_int_equal(result.links[0].messages, 50);
    platform_network_destroy(network);
    sim_result_free(&result);
    rb_plan_destroy(plan);
}

/* The fullest link of a round is counted on the routes that UGAL takes: it evens out the load. */
static void test_adaptive_rounds(void **state)
{
    static const char *const platforms[] = {"dragonfly:72,global=1",
                                            "dragonfly:72,routing=ugal,global=1"};
    const struct rb_layout layout = {.bytes = 500000, .element = 1};
    struct sim_result result[2];
    (void)state;
    struct rb_plan *plan = plan_of("bcast", "circulant", 72, 5, 0);
    for (int i = 0; i < 2; i++) {
        const struct sim_spec spec = {.plan = plan,
                                      .layout = &layout,
                                      .platform = platforms[i],
                                      .ppn = 1,
                                      .overlap = {SIM_LOCKSTEP, 1},
                                      .want_links = 1};
        simulate("flow", spec, &result[i]);
    }
    assert_int_equal(result[0].fullest.messages, 18); /* one cable for all hosts of a group */
    assert_true(result[1].fullest.messages < 18);
    assert_true(result[1].time_s < result[0].time_s);
    for (int i = 0; i < 2; i++)
        sim_result_free(&result[i]);
    rb_plan_destroy(plan);
}

/* A run is given up when its time is longer than what is of interest, and no other run changes. */
static void what_takes_too_long_is_given_up(void **state)
{
    static const char *const platforms[] = {"dragonfly:72,global=1", "fat-tree:96,taper=4",
                                            "torus:4x4x4", "rails:8x8", "crossbar:64"};
    static const char *const algorithms[][2] = {
        {"alltoall", "pairwise"},   {"bcast", "circulant"}, {"bcast", "chain"},
        {"allgather", "bruck"},     {"reduce", "two-tree"}, {"scan", "halving"},
        {"allreduce", "circulant"}, {"scatter", "binomial"}};
    static const struct sim_overlap overlap[] = {
        {SIM_BLOCKING, 1}, {SIM_LOCKSTEP, 1}, {SIM_DATA, 1}};
    struct sim_result result, again;
    uint64_t random = 3;
    (void)state;
    for (int i = 0; i < 240; i += ONE_OF) {
        const int a = i % 8;
        const int64_t n = a == 1 || a == 2 || a == 4 ? 1 + rb_random_below(&random, 9) : 1;
        struct rb_plan *plan = plan_of(algorithms[a][0], algorithms[a][1],
                                       2 + (int32_t)rb_random_below(&random, 62), n, 0);
        const struct rb_layout layout = {.bytes = rb_random_below(&random, 500000), .element = 1};
        struct sim_spec spec = {.plan = plan,
                                .layout = &layout,
                                .platform = platforms[i % 5],
                                .ppn = i % 2 == 0 ? 1 : 4,
                                .placement = {.rule = SIM_RANDOM, .seed = (uint64_t)i},
                                .overlap = overlap[i % 3]};
        simulate("flow", spec, &result);
        for (int longer = 0; longer < 2; longer++) {
            spec.most_s = result.time_s * (longer ? 1 + 1e-6 : 1 - 1e-6);
            simulate("flow", spec, &again);
            if (longer ? again.time_s != result.time_s : !isinf(again.time_s))
                fail_msg("%s %s on %s, case %d: %g, given up %g", algorithms[a][0],
                         algorithms[a][1], spec.platform, i, result.time_s, again.time_s);
        }
        rb_plan_destroy(plan);
    }
}

/* The times that arithmetic finds, from the beginning or where events hand over to it, are those of
 * events alone: it takes no part where somebody watches the messages. */
static void compare_with_events(const struct rb_plan *plan, const struct rb_layout *layout,
                                const char *platform, enum sim_placement_rule places)
{
    struct sim_result result, watched;
    struct seen seen = {0};
    const struct sim_observer observer = {.message = see, .context = &seen};
    struct sim_spec spec = {.plan = plan,
                            .layout = layout,
                            .platform = platform,
                            .ppn = 1,
                            .placement = {.rule = places, .seed = 1},
                            .want_finish = true,
                            .overlap = {SIM_BLOCKING, 1}};
    simulate("flow", spec, &result);
    spec.observer = &observer;
    simulate("flow", spec, &watched);
    assert_int_equal(result.messages, watched.messages);
    assert_int_equal(result.messages, seen.messages);
    assert_int_equal(result.bytes, watched.bytes);
    assert_int_equal(result.rounds, watched.rounds);
    for (int32_t r = 0; r < rb_plan_ranks(plan); r++)
        assert_true(fabs(result.finish_s[r] - watched.finish_s[r]) <= 1e-11 * watched.finish_s[r]);
    sim_result_free(&result);
    sim_result_free(&watched);
}

static void arithmetic_takes_the_time_of_events(void **state)
{
    static const struct {
        const char *platform;
        int32_t p;
    } cases[] = {{"fat-tree:250", 250},  {"fat-tree:250", 199}, {"fat-tree:96,taper=2", 96},
                 {"dragonfly:72", 61},   {"torus:4x4x4", 64},   {"fat-tree:600", 600},
                 {"dragonfly:336", 300}, {"crossbar:40", 33}};
    static const char *const algorithms[][2] = {
        {"bcast", "circulant"}, {"bcast", "chain"},     {"bcast", "binary"},
        {"bcast", "two-tree"},  {"bcast", "binomial"},  {"scatter", "binomial"},
        {"gather", "binomial"}, {"allgather", "bruck"}, {"scan", "dissemination"}};
    uint64_t random = 5;
    (void)state;
    for (int32_t i = 0; i < 360; i += ONE_OF) {
        const int32_t c = i % 8;
        const uint32_t a = rb_random_below(&random, 9);
        const int64_t n = a < 4 ? rb_random_below(&random, 40) + 1 : 1;
        /* Blocks of one or two: then rounds don't begin when all before them have ended. */
        const int64_t element = i % 5 == 0 ? 1 << 16 : 1;
        const int64_t least = element > 1 ? 1 : 1 << rb_random_below(&random, 20);
        const int64_t more = rb_random_below(&random, element > 1 ? (uint32_t)n : 5);
        const struct rb_layout layout = {.bytes = (n * least + more) * element, .element = element};
        struct rb_plan *plan = plan_of(algorithms[a][0], algorithms[a][1], cases[c].p, n, 0);
        compare_with_events(plan, &layout, cases[c].platform, i % 3 == 0 ? SIM_RANDOM : SIM_BLOCK);
        rb_plan_destroy(plan);
    }
}

/* Messages meet some of a round that was played as a whole. */
static void arithmetic_looks_back_at_whole_rounds(void **state)
{
    const struct rb_layout layout = {.bytes = 63 << 18, .element = 1 << 18};
    struct rb_plan *plan = plan_of("bcast", "circulant", 600, 34, 0);
    (void)state;
    compare_with_events(plan, &layout, "fat-tree:600", SIM_BLOCK);
    rb_plan_destroy(plan);
}

static void refuses(struct sim_spec spec, const char *why)
{
    struct sim_result result;
    struct sup_error error;
    assert_int_equal(sim_run(sim_engine_find("flow"), &spec, &result, &error), RB_EINVAL);
    assert_string_equal(error.text, why);
}

static void test_refusals(void **state)
{
    static const char *const options[] = {"nic:queue", "nic:fifo", "speed:11"};
    const struct rb_layout layout = {.bytes = 100, .element = 1};
    (void)state;
    struct rb_plan *plan = plan_of("bcast", "circulant", 9, 2, 0);
    struct sim_spec spec = {.plan = plan,
                            .layout = &layout,
                            .platform = "crossbar:9",
                            .ppn = 1,
                            .overlap = {SIM_BLOCKING, 1}};
    spec.variant = "fast";
    refuses(spec, "the flow engine has no variants: leave out 'fast'");
    spec.variant = NULL;
    spec.options = options;
    spec.option_count = 2;
    refuses(spec, "the flow engine has no option 'nic:fifo': there are nic:shared and nic:queue");
    spec.options = options + 2;
    spec.option_count = 1;
    refuses(spec, "the flow engine has no option 'speed:11': there are nic:shared and nic:queue");
    static const char *const without[] = {"torus:3x3",
                                          ROUNDABOUT_SOURCE_DIR "/platforms/xml/crossbar-64.xml"};
    char why[400];
    spec.options = options;
    for (size_t i = 0; i < sizeof without / sizeof *without; i++) {
        snprintf(why, sizeof why,
                 "%s: nic:queue needs a platform whose hosts have a network interface of their "
                 "own, such as crossbar, fat-tree, dragonfly or rails: leave it out",
                 without[i]);
        spec.platform = without[i];
        refuses(spec, why);
    }
    spec.platform = "tofu:3x3,ports=6";
    refuses(spec,
            "tofu:3x3,ports=6: nic:queue knows one network interface of each host, not 6: give the "
            "platform ports=1, or leave nic:queue out");
    spec.option_count = 0;
    spec.platform = "crossbar:8";
    refuses(spec,
            "9 ranks at 1 per host need 9 hosts, but the platform has 8: take a larger platform or "
            "at least 2 ranks per host");
    rb_plan_destroy(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_topologies),
        cmocka_unit_test(test_memory_in_files),
        cmocka_unit_test(test_memory_times),
        cmocka_unit_test(test_algorithms),
        cmocka_unit_test(plans_on_rails_take_simgrid_s_times),
        cmocka_unit_test(empty_messages_take_simgrid_s_times),
        cmocka_unit_test(test_random_platforms),
        cmocka_unit_test(test_special_platforms),
        cmocka_unit_test(test_special_alone),
        cmocka_unit_test(test_valiant),
        cmocka_unit_test(test_adaptive_rounds),
        cmocka_unit_test(test_adaptive_sees_only_messages_in_flight),
        cmocka_unit_test(what_takes_too_long_is_given_up),
        cmocka_unit_test(arithmetic_takes_the_time_of_events),
        cmocka_unit_test(arithmetic_looks_back_at_whole_rounds),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
