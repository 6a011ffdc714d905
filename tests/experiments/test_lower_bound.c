/* test_lower_bound.c - bounds on times: known values, and no simulated time below them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/point/lower_bound.h"
#include "platforms/network.h"
#include "sim/engine/engine.h"
#include "support/names.h"

/* A request in the command line's words. */
struct request {
    const char *collective, *algorithm;
    int32_t p, root, ports, ppn;
    int64_t n, m;
    const char *counts, *placement, *overlap, *platform, *engine;
    const char *instance, *groups;
    const char *options[2];
};

static const char *describe(const struct request *request, char text[512])
{
    snprintf(text, 512,
             "roundabout simulate --collective %s --algorithm %s -p %d --root %d --ports %d --ppn "
             "%d -n %d -m %d --element-bytes 1 --counts %s --placement %s --overlap %s --platform "
             "%s --engine %s%s%s%s%s",
             request->collective, request->algorithm, request->p, request->root, request->ports,
             request->ppn, (int)request->n, (int)request->m, request->counts, request->placement,
             request->overlap, request->platform, request->engine,
             request->groups != NULL ? " --groups " : "",
             request->groups != NULL ? request->groups : "",
             request->options[0] != NULL ? " --engine-option " : "",
             request->options[0] != NULL ? request->options[0] : "");
    return text;
}

/* The bounds that were found before on a platform, by all tests of this program. */
static struct point_bounds *bounds_of(const char *platform)
{
    static struct {
        char platform[200];
        struct point_bounds *bounds;
    } known[512];
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (known[i].bounds == NULL) {
            snprintf(known[i].platform, sizeof known[i].platform, "%s", platform);
            known[i].bounds = point_bounds_make();
        }
        if (strcmp(known[i].platform, platform) == 0)
            return known[i].bounds;
    }
    return NULL; /* so many are not needed */
}

/* The bound, and the simulated time if `time_s` is not NULL. False: there is no such plan, or the
 * engine does not do it. */
static bool find(const struct request *request, struct point_bound *bound, double *time_s)
{
    struct rb_plan_spec wanted = {.collective = request->collective,
                                  .algorithm = request->algorithm,
                                  .p = request->p,
                                  .root = request->root,
                                  .n = request->n,
                                  .ports = request->ports,
                                  .instance = request->instance,
                                  .groups = request->groups};
    struct rb_layout layout = {.bytes = request->m, .element = 1};
    struct sim_spec spec = {.layout = &layout,
                            .platform = request->platform,
                            .ppn = request->ppn,
                            .options = request->options,
                            .option_count =
                                (request->options[0] != NULL) + (request->options[1] != NULL)};
    const struct sim_engine *engine = sim_engine_find(request->engine);
    struct sim_result result = {0};
    struct sup_counts counts;
    struct rb_plan *plan = NULL;
    struct sup_error error = {""};
    int64_t *first = NULL;
    char text[512];
    if (rb_plan_create(&wanted, &plan, NULL, 0) != RB_OK)
        return false;
    spec.plan = plan;
    assert_int_equal(sup_counts_parse(request->counts, &counts, &error), RB_OK);
    assert_int_equal(
        sup_counts_apply(&counts, rb_plan_collective(plan), request->p, &layout, &first, &error),
        RB_OK);
    assert_int_equal(sim_placement_parse(request->placement, &spec.placement, &error), RB_OK);
    assert_int_equal(sim_overlap_parse(request->overlap, &spec.overlap, &error), RB_OK);
    struct platform_cuts cuts = {0};
    int status = platform_find_cuts(spec.platform, &cuts, &error);
    if (status == RB_OK)
        status = point_bound_find(&spec, engine, &cuts, NULL, NULL, bound, &error);
    for (int times = 0; times < 2 && status == RB_OK; times++) { /* found anew, and remembered */
        struct point_bound again;
        status =
            point_bound_find(&spec, engine, &cuts, NULL, bounds_of(spec.platform), &again, &error);
        assert_true(again.time_s == bound->time_s || isnan(bound->time_s));
        assert_string_equal(again.part, bound->part);
    }
    if (status == RB_OK && time_s != NULL) {
        status = sim_run(engine, &spec, &result, &error);
        *time_s = result.time_s;
    }
    if (status != RB_OK)
        fail_msg("%s: %s", describe(request, text), error.text);
    sim_result_free(&result);
    free(first);
    rb_plan_destroy(plan);
    return true;
}

static struct request usual(const char *collective, const char *algorithm, int32_t p,
                            const char *platform, int64_t m)
{
    return (struct request){.collective = collective,
                            .algorithm = algorithm,
                            .p = p,
                            .ports = 1,
                            .ppn = 1,
                            .n = 1,
                            .m = m,
                            .counts = "regular",
                            .placement = "block",
                            .overlap = "blocking",
                            .platform = platform,
                            .engine = "flow"};
}

static void expect_near(double found, double expected, double within)
{
    if (!(fabs(found - expected) <= within))
        fail_msg("%.15g is not %.15g", found, expected);
}

static void expect(const struct request *request, double time_s, const char *part)
{
    struct point_bound bound;
    char text[512];
    if (!find(request, &bound, NULL))
        fail_msg("%s: there is no such plan", describe(request, text));
    if (!(fabs(bound.time_s - time_s) <= 1e-12 * time_s) || strcmp(bound.part, part) != 0)
        fail_msg("%s: the bound is %.15g (%s), not %.15g (%s)", describe(request, text),
                 bound.time_s, bound.part, time_s, part);
}

/* ---- Known values ---------------------------------------------------------------------------- */

static const double alpha = 1e-6, beta = 1 / 12.5e9, inner = 200e-9, inner_beta = 1 / 25e9;
static const int64_t mib = 1 << 20;

/* Broadcast and reduction, hosts of one rank: with beta m = 83.88608 alpha, the root of 17 sends
 * messages of about 44.6, 21.8, .. alpha, and the first is behind 3 others for 4 alpha then. */
static void test_single_ranks(void **state)
{
    static const char *const all[] = {"bcast", "reduce"};
    static const char *const algorithms[] = {"binomial", "binomial"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct request request = usual(all[i], algorithms[i], 17, "crossbar:17", mib);
        expect(&request, 94.31284317460316 * alpha, "root");
        request.m = 1; /* twice: from the root, and to the last */
        expect(&request, 5 * alpha + 2 * beta, "root");
        request.engine = "smpi"; /* any number of messages at once */
        request.m = mib;
        expect(&request, alpha + beta * (double)mib, "host");
    }
    struct request request = usual("bcast", "circulant", 1, "crossbar:4", mib);
    expect(&request, 0, ""); /* nothing to do */
    request = usual("bcast", "circulant", 4, "crossbar:4", 0);
    expect(&request, 0, "");
    /* Two ports each: 3^2 < 10 <= 3^3. The model has two links per host, the platform one. */
    request = usual("allgather", "bruck", 10, "crossbar:10", 10);
    request.ports = 2;
    expect(&request, 3 * alpha + beta, "latency");
    request.m = 10 * mib;
    expect(&request, alpha + 9 * beta * (double)mib, "host");
    request.engine = "model";
    expect(&request, alpha + 9 * beta * (double)mib / 2, "host");
}

/* docs/bounds.md, "An example". In hosts of four ranks, with alpha = 5 inner, 1, 4 and 8, 15, 32
 * and 48, .. hosts are reached: the spread is checked against a plain simulation of the tree. */
static int64_t hosts_by(int64_t tick, int32_t alpha_ticks, int32_t inner_ticks, int32_t per_host,
                        int32_t ports)
{
    int64_t fresh[256] = {0}, sum = 0;
    assert_true(tick < 256);
    fresh[0] = 1;
    for (int64_t t = 0; t <= tick; t++) {
        int64_t told = 0, level = 0;
        for (int64_t ranks = 1; told < per_host; ranks *= 1 + ports, level++) {
            const int64_t all = ranks < per_host ? ranks : per_host, news = all - told;
            told = all;
            for (int64_t at = t + level * inner_ticks + alpha_ticks; at <= tick; at += alpha_ticks)
                fresh[at] += fresh[t] * news * ports;
        }
        sum += fresh[t];
    }
    return sum;
}

static void test_spread(void **state)
{
    static const int32_t ticks[][2] = {{5, 1}, {3, 2}, {1, 1}, {2, 3}, {7, 1}};
    (void)state;
    for (size_t i = 0; i < sizeof ticks / sizeof *ticks; i++)
        for (int32_t per_host = 1; per_host <= 9; per_host++)
            for (int32_t ports = 1; ports <= 3; ports++)
                for (int64_t hosts = 1; hosts <= 700; hosts = hosts * 3 / 2 + 1) {
                    const struct point_spread spread = {ticks[i][0], ticks[i][1], ports, per_host};
                    int64_t tick = 0;
                    while (hosts_by(tick, ticks[i][0], ticks[i][1], per_host, ports) < hosts)
                        tick++;
                    expect_near(point_bound_spread(&spread, hosts, hosts).hosts_s, (double)tick,
                                1e-9);
                }
    /* One host more than 4, 24 and 124 hosts can reach: one generation more. */
    const struct point_spread quick = {1, 0, 1, 4};
    expect_near(point_bound_spread(&quick, 5, 5).hosts_s, 1, 0);
    expect_near(point_bound_spread(&quick, 6, 6).hosts_s, 2, 0);
    expect_near(point_bound_spread(&quick, 25, 100).ranks_s, 2, 0);
    expect_near(point_bound_spread(&quick, 25, 101).ranks_s, 3, 0);
    /* A single rank per host, at a distance of 20 doublings. */
    const struct point_spread lone = {1, 1, 1, 1};
    expect_near(point_bound_spread(&lone, 1 << 20, 1 << 20).hosts_s, 20, 0);
}

static void hosts_of_several_ranks_have_two_latencies(void **state)
{
    const double m = 16.0 * (double)mib;
    struct request request = usual("bcast", "hosts", 800, "crossbar:200", 16 * mib);
    (void)state;
    request.ppn = 4;
    const struct point_spread spread = {alpha, inner, 1, 4};
    const double hosts_s = point_bound_spread(&spread, 200, 800).hosts_s;
    expect_near(hosts_s, 4 * alpha + 2 * inner, 1e-15);
    expect(&request, hosts_s + m * beta + 1.25 * inner, "host");
    request.engine = "model";
    expect(&request, hosts_s + m * beta + 1.25 * inner, "host");
    request.collective = "reduce";
    expect(&request, hosts_s + m * beta + 1.25 * inner, "host");
    /* The others' data through the link of a host of ranks with the smaller shares. */
    request = usual("allgather", "hosts", 36 * 32, "crossbar:36", 8 * mib);
    request.ppn = 32;
    const double others_s = (8.0 * (double)mib - 32 * 7281) * beta;
    expect(&request, alpha + others_s + (5 - 31.0 / 32) * inner, "host");
    request.collective = "reduce-scatter";
    expect(&request, alpha + others_s + (5 - 31.0 / 32) * inner, "host");
    /* Five hosts' shares, which four ranks can have brought to one, enter before the second
     * start-up has passed. */
    request = usual("allgather", "hosts", 400, "crossbar:100", 400 * 160);
    request.ppn = 4;
    expect(&request, 2 * alpha + 95 * 640 * beta + 1.25 * inner, "host");
    request = usual("allgather", "bruck", 400, "crossbar:100", 400 * 160);
    request.ppn = 4;
    request.ports = 2; /* nine hosts' shares */
    expect(&request, 2 * alpha + 91 * 640 * beta + inner, "host");
    /* One host: ranks have ports of their own. */
    request = usual("bcast", "binomial", 5, "crossbar:1", mib);
    request.ppn = 5;
    expect(&request, 3 * inner + (double)mib * inner_beta, "rank");
}

/* Scans: 2 (p - 1) values of each byte, or fewer if D of them follow each other. On 400 ranks of
 * 100 hosts only bytes occupy the links. */
static void scans_carry_two_values_or_are_chains(void **state)
{
    static const char *const both[] = {"scan", "exscan"};
    const double bytes = (double)mib * beta / alpha, saved = 3 - 2 * sqrt(2);
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct request request = usual(both[i], "halving", 100, "crossbar:100", mib);
        expect(&request, alpha * 198 * bytes / (100 + saved * bytes), "rank");
        request.m = 16 * mib; /* in a chain: 99 start-ups */
        expect(&request, alpha * 99 * (1 + 16 * bytes / 100), "rank");
        request.m = 65536;
        expect(&request, 14.42043428571429 * alpha, "root");
        request = usual(both[i], "halving", 400, "crossbar:100", mib);
        request.ppn = 4;
        expect(&request, alpha * 198 * bytes / (100 + bytes), "host");
    }
}

/* In lockstep, to 99 others in d rounds. A pair has 1250 bytes, worth 0.1 start-ups. */
static void test_lockstep(void **state)
{
    (void)state;
    struct request request = usual("alltoall", "pairwise", 100, "crossbar:100", 10000 * 1250);
    expect(&request, alpha + 99 * 1250 * beta, "host");
    request.overlap = "lockstep"; /* d = 13: to 13, 78 and 8 by 1, 2 and 3 messages */
    expect(&request, 13 * alpha + 193 * 1250 * beta, "rank");
    request.ports = 2; /* d = 7: to 14, 84 and 1 */
    request.platform = "crossbar:100,ports=2";
    expect(&request, 7 * alpha + 185 * 1250 * beta / 2, "rank");
}

/* All divisions into G parts have 2 (G - 1) m in all to carry. */
static void allreduces_carry_both_halves(void **state)
{
    (void)state;
    struct request request = usual("allreduce", "ring", 64, "crossbar:64", mib);
    expect(&request, alpha + 2.0 * 63 / 64 * (double)mib * beta, "host");
    request.m = 64;
    expect(&request, 6 * alpha + 2 * 64 * beta, "root");
    request.m = 16 * mib;
    request.ppn = 4;
    expect(&request, alpha + 2.0 * 15 / 16 * 16 * (double)mib * beta, "host");
}

static void test_rooted_shares(void **state)
{
    static const char *const both[] = {"scatter", "gather"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct request request = usual(both[i], "binomial", 16, "crossbar:16", mib);
        expect(&request, alpha + 15.0 / 16 * (double)mib * beta, "host");
        request.ppn = 4;
        expect(&request, alpha + 12.0 / 16 * (double)mib * beta, "host");
        request.counts = "degenerate"; /* the root has everything already */
        expect(&request, 0, "");
        request.root = 5; /* rank 0 is elsewhere */
        expect(&request, alpha + (double)mib * beta, "host");
        request.root = 1; /* and here next door */
        expect(&request, inner + (double)mib * inner_beta, "rank");
        request = usual(both[i], "binomial", 16, "crossbar:16", 3); /* three ranks have a byte */
        expect(&request, 2 * alpha, "latency");
        request.m = 4;
        request.root = 5; /* besides the four that have a byte */
        expect(&request, 3 * alpha, "latency");
    }
}

static void test_degenerate_allgather(void **state)
{
    (void)state;
    struct request request = usual("allgather", "circulant", 16, "crossbar:16", mib);
    request.counts = "degenerate"; /* a broadcast */
    expect(&request, 93.31284317460316 * alpha, "root");
    /* Of 13 bytes, three of ten ranks have two; a rank that has one gets the others. */
    request = usual("allgather", "ring", 10, "crossbar:10,latency=0.001ns", 13);
    expect(&request, 1e-12 + 12 * beta, "host");
}

static void parts_for_all_pairs_cross_each_cut(void **state)
{
    (void)state;
    struct request request = usual("alltoall", "pairwise", 16, "crossbar:16", mib);
    expect(&request, alpha + 15.0 / 16 / 16 * (double)mib * beta, "host");
    /* One cable joins the halves of a tree: 8 x 8 of 16 x 16 parts cross it each way. */
    request.platform = "tree:16";
    expect(&request, alpha + (double)mib / 4 * beta, "block of 8 hosts");
    /* Rank 0 has an element for ranks 0 to 4 only. */
    request = usual("alltoall", "pairwise", 16, "crossbar:16", 5);
    expect(&request, 3 * alpha, "latency");
    /* Of 300 elements on 256 pairs rank 0 has 32, at most 2 of them its own. */
    request.m = 300;
    expect(&request, 4 * alpha, "latency");
    request.platform = "crossbar:16,latency=0.001ns";
    expect(&request, 1e-12 + 30 * beta, "host");
    request.counts = "degenerate"; /* a scatter of rank 0 */
    request.m = 16 * 16;
    request.platform = "crossbar:16";
    expect(&request, 4 * alpha, "latency");
}

static void shifts_carry_what_leaves_a_host(void **state)
{
    (void)state;
    struct request request = usual("shift", "direct", 12, "crossbar:12", 12 * 1000);
    request.instance = "q=3";
    expect(&request, alpha + 1000 * beta, "host");
    request.ppn = 4; /* three of four leave their host */
    expect(&request, alpha + 3000 * beta, "host");
    request.instance = "q=0";
    expect(&request, 0, "");
    request.ppn = 12;
    request.instance = "q=1";
    expect(&request, inner + 1000 * inner_beta, "rank");
}

/* ---- Cuts ------------------------------------------------------------------------------------ */

static void expect_cuts(const char *platform, const char *expected)
{
    struct platform_cuts cuts;
    struct sup_error error;
    char text[1024] = "";
    if (platform_find_cuts(platform, &cuts, &error) != RB_OK)
        fail_msg("%s", error.text);
    for (int32_t i = 0; i < cuts.count; i++) {
        const size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s%s: %d x %g", i == 0 ? "" : "; ",
                 cuts.cut[i].name, cuts.cut[i].terminals, cuts.cut[i].bandwidth / 12.5e9);
    }
    assert_string_equal(text, expected);
}

static void platforms_are_cut_at_hosts_and_switches(void **state)
{
    struct platform_cuts cuts;
    struct sup_error error;
    (void)state;
    expect_cuts("crossbar:7", "host: 1 x 1");
    expect_cuts("crossbar:7,ports=3", "host: 1 x 3");
    expect_cuts("fat-tree:12,down=4x3", "host: 1 x 1; leaf: 4 x 4");
    expect_cuts("fat-tree:12,down=4x3,taper=4", "host: 1 x 1; leaf: 4 x 1");
    expect_cuts("fat-tree:24,down=4x3x2,taper=2", "host: 1 x 1; leaf: 4 x 2; block of 12 hosts: "
                                                  "12 x 6");
    expect_cuts("dragonfly:18,groups=3,routers=3,hosts=2,global=2,local=3",
                "host: 1 x 1; router: 2 x 8; group: 6 x 4");
    expect_cuts("dragonfly:24,groups=4,routers=3,hosts=2,global=2,spread=yes",
                "host: 1 x 1; router: 2 x 4; group: 6 x 6");
    expect_cuts("dragonfly+:18,groups=3,leaves=3,spines=2,hosts=2,global=3",
                "host: 1 x 1; leaf: 2 x 2; group: 6 x 6");
    expect_cuts(
        "hyperx:3x4,hosts=2,width=2",
        "host: 1 x 1; router: 2 x 10; block of 6 hosts: 6 x 18; block of 12 hosts: 12 x 24");
    expect_cuts("slimfly:54", "host: 1 x 1; router: 3 x 5");
    expect_cuts("slimfly:50,hosts=1", "host: 1 x 1");
    expect_cuts("hyperx:5,hosts=1", "host: 1 x 1; block of 3 hosts: 3 x 6");
    expect_cuts("tofu:4x2,ports=2",
                "host: 1 x 2; block of 4 hosts: 4 x 4; block of 2 hosts: 2 x 4");
    expect_cuts("torus:3x4", "host: 1 x 4; block of 3 hosts: 3 x 6; block of 6 hosts: 6 x 6");
    expect_cuts("torus:2x2", "host: 1 x 2; block of 2 hosts: 2 x 2");
    expect_cuts("torus:8", "host: 1 x 2; block of 4 hosts: 4 x 2; block of 2 hosts: 2 x 2");
    expect_cuts("ring:9", "host: 1 x 1; block of 5 hosts: 5 x 2; block of 3 hosts: 3 x 2; block of "
                          "2 hosts: 2 x 2");
    expect_cuts("mesh:4x4", "host: 1 x 1; block of 4 hosts: 4 x 8; block of 2 hosts: 2 x 5; block "
                            "of 8 hosts: 8 x 4");
    /* Of the blocks of two, those in the middle have a neighbour on either side. */
    expect_cuts("mesh:8", "host: 1 x 1; block of 4 hosts: 4 x 1; block of 2 hosts: 2 x 2");
    expect_cuts("hypercube:8", "host: 1 x 1; block of 2 hosts: 2 x 4; block of 4 hosts: 4 x 4");
    expect_cuts("rails:9x4,inner-bandwidth=50GBps,bandwidth=12.5GBps,radix=8,taper=2",
                "host: 1 x 5; node: 4 x 4; pod: 20 x 12");
    expect_cuts("rails:1x8,inner-bandwidth=25GBps", "host: 1 x 2");
    expect_cuts("rails:6x1,bandwidth=25GBps", "host: 1 x 2");
    expect_cuts("tree:8", "host: 1 x 1; block of 4 hosts: 4 x 1; block of 2 hosts: 2 x 1");
    assert_int_equal(platform_find_cuts("no-such-file.xml", &cuts, &error), RB_EINVAL);
    assert_int_equal(platform_find_cuts("fat-tree:7", &cuts, &error), RB_EINVAL);
}

/* Long routes don't weaken a cut: a leaf's four hosts get 12/16 of the data by one uplink. */
static void test_bound_of_cuts(void **state)
{
    (void)state;
    struct request request =
        usual("allgather", "ring", 16, "fat-tree:16,down=4x4,taper=4", 16 * mib);
    expect(&request, 4 * alpha + 15 * (double)mib * beta, "rank");
    request.collective = "alltoall";
    request.algorithm = "pairwise";
    request.m = 16 * 16 * 5000;
    expect(&request, alpha + 4 * 12 * 5000 * beta, "leaf");
    request = usual("alltoall", "pairwise", 18, "dragonfly:18,groups=3,routers=3,hosts=2,global=1",
                    18 * 18 * 5000);
    expect(&request, alpha + 6 * 12 * 5000 * beta / 2, "group");
    /* The first 30 nodes of Leonardo are at three leaf switches, though not in the order of their
     * numbers. With one spine switch, a leaf's ten nodes have one uplink of 25 GB/s. */
    request = usual("alltoall", "pairwise", 30, "leonardo:30,spines=1", 30 * 30 * 5000);
    expect(&request, alpha + 10 * 20 * 5000 * beta / 2, "leaf");
    /* Without any damage a node with one port has a link of 12.5 GB/s, others of 25. */
    request = usual("bcast", "circulant", 2, "leonardo", mib);
    request.placement = "random:1";
    expect(&request, alpha + (double)mib * beta, "lrdn4674's links");
    request.placement = "block";
    expect(&request, alpha + (double)mib * beta / 2, "host");
}

/* Two groups of two routers, joined from one router of each: over the link between a group's
 * routers go the 4 pairs of its hosts and the 8 of one router and the other group, each way. A cut
 * of the router that has most links does not see that; relays don't help. */
static void routes_bind_where_no_cut_does(void **state)
{
    struct request request = usual("alltoall", "pairwise", 8,
                                   "dragonfly:8,groups=2,routers=2,hosts=2,global=8", 64 * 5000);
    struct point_bound bound;
    (void)state;
    for (int32_t ports = 1; ports <= 2; ports++) {
        request.ports = ports;
        assert_true(find(&request, &bound, NULL));
        assert_string_equal(bound.part, "routes over local links");
        expect_near(bound.time_s - alpha, 12 * 5000 * beta, 12 * 5000 * beta * 1e-5);
        assert_true(bound.time_s - alpha <= 12 * 5000 * beta);
    }
    request.p = 16; /* two on a host: four times the pairs */
    request.ppn = 2;
    request.m = 256 * 5000;
    assert_true(find(&request, &bound, NULL));
    expect_near(bound.time_s - alpha, 48 * 5000 * beta, 48 * 5000 * beta * 1e-5);
    request.counts = "mod3"; /* each pair's own bytes: more or less than that */
    assert_true(find(&request, &bound, NULL));
    assert_string_equal(bound.part, "routes over local links");
    /* The whole machine: as detours over hosts of other groups cost less, not what direct messages
     * take, 1.52 times a host's link. */
    request = usual("alltoall", "pairwise", 1056, "dragonfly:1056", 1056 * 1056 * 5000LL);
    assert_true(find(&request, &bound, NULL));
    assert_string_equal(bound.part, "routes over local links");
    assert_true(bound.time_s > 1.30 * 1055 * 5000 * beta &&
                bound.time_s < 1.45 * 1055 * 5000 * beta);
}

/* A slow uplink, a host's slow link, and a torus whose host has lost a cable. */
static void worst_sets_bind_where_links_differ(void **state)
{
    static const char uplink[] = "fat-tree:16,down=4x4,taper=4,slow=link:link_from_30_27_17_UP:10%";
    static const char host[] = "fat-tree:16,down=4x4,slow=host:3:10%";
    const double m = 16.0 * (double)mib;
    (void)state;
    for (int backwards = 0; backwards < 2; backwards++) {
        struct request request =
            usual(backwards ? "reduce-scatter" : "allgather", "ring", 16, uplink, 16 * mib);
        expect(&request, alpha + 0.75 * m * 10 * beta, "leaf 1's links");
        request.platform = host;
        expect(&request, alpha + 15.0 / 16 * m * 10 * beta, "host-3's links");
        request = usual(backwards ? "reduce" : "bcast", "binomial", 16, uplink, 16 * mib);
        expect(&request, alpha + m * 10 * beta, "leaf 1's links");
        request.platform = host;
        expect(&request, alpha + m * 10 * beta, "host-3's links");
        request = usual(backwards ? "gather" : "scatter", "flat", 16, uplink, 16 * mib);
        expect(&request, alpha + 0.25 * m * 10 * beta, "leaf 1's links");
        request.root = 5;
        expect(&request, alpha + 0.75 * m * 10 * beta, "leaf 1's links");
        request = usual("allreduce", "ring", 16, host, 16 * mib);
        expect(&request, alpha + m * 10 * beta, "host-3's links");
    }
    /* Healthy hosts of one link: the same as ever. */
    struct request request =
        usual("allgather", "ring", 16, "fat-tree:16,down=4x4,fail=links:20%:1", 16 * mib);
    expect(&request, 4 * alpha + 15.0 / 16 * m * beta, "rank");
    /* All pairs over it: of 16 x 16 pairs 4 x 12. */
    request = usual("alltoall", "pairwise", 16, uplink, 256 * 5000);
    struct point_bound bound;
    assert_true(find(&request, &bound, NULL));
    expect_near(bound.time_s, alpha + 48 * 5000 * 10 * beta, 48 * 5000 * 10 * beta * 1e-6);
    request =
        usual("allgather", "bruck", 16, "torus:4x4,fail=link:torus_link_from_0_to_1_UP", 16 * mib);
    request.ports = 4;
    expect(&request, 100e-9 + 15.0 / 16 * m * beta / 3, "host-0's links");
}

/* Shares take the start-ups of doubling and all bytes. 16 hops away is the far corner of a torus,
 * behind each of the root's messages. */
static void test_shares_and_hops(void **state)
{
    const double hop = 100e-9;
    (void)state;
    for (int backwards = 0; backwards < 2; backwards++) {
        const char *const collective = backwards ? "reduce-scatter" : "allgather";
        struct request request = usual(collective, "ring", 1024, "crossbar:1024", mib);
        expect(&request, 10 * alpha + 1023.0 / 1024 * (double)mib * beta, "rank");
        request.platform = "torus:8x8x16";
        expect(&request, 10 * hop + 1023.0 / 1024 * (double)mib * beta, "rank");
        request.m = 1024;
        expect(&request, 16 * hop + 2 * beta, "root"); /* of the share to the farthest */
        request = usual(collective, "ring", 8, "crossbar:2", 8 * mib);
        request.ppn = 4; /* on two hosts, ranks' messages take no less than those inside */
        expect(&request, alpha + 4 * (double)mib * beta + 1.25 * inner, "host");
        request.platform = "crossbar:2,bandwidth=100GBps,loopback-bandwidth=10GBps";
        expect(&request, 3 * inner + 7 * (double)mib / 100e9, "rank");
    }
    struct request request = usual("bcast", "binomial", 1024, "torus:8x8x16", 65536);
    expect(&request, (15 + 58.28134193548387) * hop, "root");
    request.m = 1;
    request.root = 700;
    expect(&request, 16 * hop + 2 * beta, "root");
    request = usual("bcast", "binomial", 64, "ring:64,hop-latency=1us", 1);
    expect(&request, 32 * alpha + 2 * beta, "root");
    request.platform = "mesh:4x16,hop-latency=1us"; /* no link leads back */
    expect(&request, 18 * alpha + 2 * beta, "root");
}

/* Hosts of a node hear sooner from each other: with two nodes of two, the second host after 1 us,
 * the first of the other node after 5 us, the last host after 6 us. */
static void hosts_of_a_node_hear_sooner(void **state)
{
    (void)state;
    struct request request = usual("bcast", "binomial", 4, "rails:2x2", 1);
    expect(&request, 6e-6 + 1 / 371e9, "latency");
    request.m = mib;
    expect(&request, 5e-6 + (double)mib / 96e9 + .5e-6, "node");
    request.platform = "rails:2x4";
    expect(&request, 6.435133872416892e-6, "root"); /* in one node: 2.826 us of bytes */
    request.platform = "rails:4x1";
    request.m = 1;
    expect(&request, 10e-6 + 2 / 48e9, "root");
}

/* Of 8 ranks on each of 4 hosts, what enters a host passes its memory or its link. */
static void test_memory(void **state)
{
    static const char inside[] = "crossbar:4,memory-bandwidth=10GBps",
                      all[] = "crossbar:4,memory-bandwidth=10GBps,memory-traffic=all";
    static const char *const one_way[] = {"bcast", "reduce"};
    static const char *const shared[] = {"scatter", "gather"};
    const double m = 32.0 * (double)mib, from_memory = 1 / 10e9, from_both = 1 / 22.5e9;
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct request request = usual(one_way[i], "binomial", 32, inside, 32 * mib);
        request.ppn = 8;
        expect(&request, inner + 8 * m * from_both, "memory");
        request.platform = all;
        expect(&request, inner + 8 * m * from_memory, "memory");
        request.platform = "crossbar:1,memory-bandwidth=10GBps";
        request.p = 8; /* the root has it already */
        expect(&request, inner + 7 * m * from_memory, "memory");
        /* A quarter of the shares enters; the root has all to send. */
        request = usual(shared[i], "binomial", 32, all, 32 * mib);
        request.ppn = 8;
        request.platform = "crossbar:4,memory-bandwidth=1GBps,memory-traffic=all";
        expect(&request, inner + m / 4 / 1e9, "memory");
        request.platform = inside;
        expect(&request, inner + 31.0 / 32 * m * beta, "rank");
    }
    /* All but their own: 31/32 of m for each of 8; and 2 (p - 1) m enter 4 hosts in all. */
    struct request request = usual("allgather", "ring", 32, inside, 32 * mib);
    request.ppn = 8;
    expect(&request, inner + 8 * 31.0 / 32 * m * from_both, "memory");
    request.collective = "allreduce";
    expect(&request, inner + 2 * 31.0 / 4 * m * from_both, "memory");
    request = usual("alltoall", "pairwise", 8, "crossbar:1,memory-bandwidth=10GBps", 8 * 8 * 5000);
    request.ppn = 8;
    expect(&request, inner + 56 * 5000 * from_memory, "memory");
    request = usual("shift", "direct", 8, "crossbar:1,memory-bandwidth=10GBps", 8 * 5000);
    request.ppn = 8;
    request.instance = "q=3";
    expect(&request, inner + 8 * 5000 * from_memory, "memory");
    /* A message alone gets no more than the memory has. */
    request = usual("bcast", "binomial", 2, "crossbar:1,memory-bandwidth=2GBps", mib);
    request.ppn = 2;
    expect(&request, inner + (double)mib / 2e9, "rank");
}

/* Shares of 2, 1 and 1 bytes: what leaves the root is more for another root. What was remembered of
 * the first one is compared in find. */
static void what_leaves_the_root_counts(void **state)
{
    struct request request = usual("scatter", "flat", 3, "crossbar:3", 4);
    (void)state;
    expect(&request, alpha * 2, "latency");
    request.m = 4 * mib + 1;
    expect(&request, alpha + (double)(2 * (4 * mib / 3) + 1) * beta, "host");
    request.root = 2;
    expect(&request, alpha + (double)(2 * (4 * mib / 3) + 2) * beta, "host");
}

/* ---- Where none is known --------------------------------------------------------------------- */

static void test_unknown(void **state)
{
    static const struct {
        const char *engine, *option;
        bool known;
    } all[] = {{"model", "gamma:1ns", true},
               {"model", "noise:0.1", true},
               {"model", "L:1ns", false},
               {"model", "o:1ns", false},
               {"model", "calibration:x.json", false},
               {"simgrid", "contexts/stack-size:128", true},
               {"simgrid", "network/model:LV08", false},
               {"flow", "nic:shared", true},
               {"flow", "nic:queue", true},
               {"flow", NULL, true}};
    struct point_bound bound;
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct request request = usual("bcast", "circulant", 16, "crossbar:16", mib);
        request.engine = all[i].engine;
        request.options[0] = all[i].option;
        assert_true(find(&request, &bound, NULL));
        assert_true(all[i].known == (bound.time_s > 0));
        assert_true(all[i].known || isnan(bound.time_s));
        assert_true(isnan(point_bound_ratio(1, &bound)) == !all[i].known);
    }
    /* One harmless option does not excuse another. */
    struct request request = usual("bcast", "circulant", 16, "crossbar:16", mib);
    request.engine = "model";
    request.options[0] = "gamma:1ns";
    request.options[1] = "G:1ps";
    assert_true(find(&request, &bound, NULL));
    assert_true(isnan(bound.time_s));
}

/* ---- No time is below ------------------------------------------------------------------------ */

static uint32_t draw(uint64_t *seed, uint32_t below)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*seed >> 33) % below;
}

/* Of a test, the least time over the bound. */
static double nearest;

/* False: there is no such plan. */
static bool expect_above(const struct request *request)
{
    struct point_bound bound;
    double time_s;
    char text[512];
    if (!find(request, &bound, &time_s))
        return false;
    if (!(bound.time_s >= 0))
        fail_msg("%s: there is no bound", describe(request, text));
    if (time_s < bound.time_s * (1 - 1e-9))
        fail_msg("%s: takes %.12g s, which is below the bound of %.12g s (%s)",
                 describe(request, text), time_s, bound.time_s, bound.part);
    if (bound.time_s > 0 && time_s / bound.time_s < nearest)
        nearest = time_s / bound.time_s;
    return true;
}

/* Every `step`-th algorithm on this platform, with other parameters each time. option: NULL for
 * none. */
static void walk_with(const char *option, const char *platform, int32_t hosts, const char *engine,
                      int32_t step, uint64_t seed)
{
    static const char *const overlap[] = {"blocking", "data", "window:2", "lockstep"};
    static const char *const placement[] = {"block", "block", "cyclic", "random:7"};
    static const char *const counts[] = {"regular",    "mod3",     "random:3",
                                         "degenerate", "zipf:1:2", "hot:1:8:1"};
    static const int64_t sizes[] = {1, 40, 5000, 400000};
    static const int32_t per_host[] = {1, 3, 4};
    static const char *const groups[] = {NULL, NULL, NULL, "3", "4"};
    int64_t runs = 0;
    for (int32_t i = (int32_t)seed % step; rb_algorithm_at(i) != NULL; i += step) {
        const struct rb_algorithm_info *info = rb_algorithm_at(i);
        const struct rb_collective_info *collective = rb_collective_find(info->collective);
        struct request request =
            usual(info->collective, info->name, 0, platform, sizes[draw(&seed, 4)]);
        struct rb_plan_spec fits = {.collective = info->collective, .algorithm = info->name};
        request.ppn = per_host[draw(&seed, 3)];
        request.engine = engine;
        request.options[0] = option;
        request.groups = fits.groups = groups[draw(&seed, 2) == 0 ? 0 : request.ppn];
        fits.p = hosts * request.ppn - (int32_t)draw(&seed, (uint32_t)hosts);
        while (fits.p > 1 && !rb_plan_is_supported(&fits))
            fits.p--;
        request.p = fits.p;
        request.root = collective->rooted ? (int32_t)draw(&seed, (uint32_t)request.p) : 0;
        request.n = draw(&seed, 2) == 0 ? 1 : 5;
        request.overlap = overlap[draw(&seed, 4)];
        request.placement = placement[draw(&seed, 4)];
        if (collective->distributed && collective->instance == NULL)
            request.counts = counts[draw(&seed, 6)];
        request.ports = draw(&seed, 3) == 0 ? 2 : 1;
        if (!expect_above(&request)) {
            request.ports = 1; /* what some only do */
            runs += expect_above(&request);
        } else {
            runs++;
        }
    }
    assert_true(runs > 60 / step);
}

static void walk(const char *platform, int32_t hosts, const char *engine, int32_t step,
                 uint64_t seed)
{
    walk_with(NULL, platform, hosts, engine, step, seed);
}

static void no_plan_beats_the_bound_by_model(void **state)
{
    (void)state;
    nearest = INFINITY;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        walk("crossbar:12", 12, "model", 1, seed);
        walk("crossbar:9,ports=2", 9, "model", 1, seed);
        walk("crossbar:8,latency=100ns,loopback-latency=300ns", 8, "model", 1, seed);
    }
    assert_true(nearest < 1.01); /* some algorithm comes near */
}

static void no_plan_beats_the_bound_by_flow(void **state)
{
    (void)state;
    nearest = INFINITY;
    walk("crossbar:12", 12, "flow", 1, 4);
    walk("crossbar:9,ports=2", 9, "flow", 1, 5);
    walk("fat-tree:12,down=4x3", 12, "flow", 1, 6);
    walk("fat-tree:16,down=4x4,taper=4", 16, "flow", 1, 7);
    walk("dragonfly:18,groups=3,routers=3,hosts=2,global=1", 18, "flow", 1, 8);
    walk("torus:3x4", 12, "flow", 1, 9);
    walk("torus:2x2x2", 8, "flow", 1, 10);
    walk("dragonfly:24,groups=4,routers=3,hosts=2,global=1,spread=yes,routing=valiant:1", 24,
         "flow", 2, 18);
    walk("dragonfly+:18,groups=3,leaves=3,spines=2,hosts=2,global=1", 18, "flow", 2, 19);
    walk("hyperx:3x3,hosts=2", 18, "flow", 2, 20);
    walk("slimfly:36,hosts=2", 36, "flow", 6, 43);
    walk("tofu:4x3", 12, "flow", 2, 21);
    walk("rails:4x3", 12, "flow", 1, 23);
    walk("rails:4x3,radix=2,inner-bandwidth=20GBps,bandwidth=5GBps,latency=2us", 12, "flow", 1, 24);
    walk("rails:3x4,cross=spines,taper=3,inner-latency=9us", 12, "flow", 1, 25);
    walk("leonardo:36,spines=2,global=1", 36, "flow", 6, 22);
    walk("ring:9", 9, "flow", 3, 11);
    walk("crossbar:8,memory-bandwidth=30GBps", 8, "flow", 1, 23);
    walk("rails:4x3,memory-bandwidth=30GBps,memory-traffic=all", 12, "flow", 1, 26);
    walk("crossbar:8,memory-bandwidth=3GBps,memory-traffic=all", 8, "flow", 1, 24);
    walk("torus:3x4,memory-bandwidth=3GBps", 12, "flow", 1, 25);
    walk("mesh:3x4", 12, "flow", 3, 12);
    walk("hypercube:8,ports=3", 8, "flow", 3, 13);
    walk("tree:8", 8, "flow", 3, 14);
    assert_true(nearest < 1.01);
}

/* Failed and slow links, hosts and switches, by twelve seeds. */
static void no_plan_beats_the_bound_of_damaged_networks(void **state)
{
    static const struct {
        const char *platform;
        int32_t hosts;
    } all[] = {
        {"fat-tree:16,down=4x4", 16},
        {"fat-tree:16,down=4x4,taper=2", 16},
        {"dragonfly:24,groups=4,routers=3,hosts=2,global=2,spread=yes", 24},
        {"dragonfly+:18,groups=3,leaves=3,spines=2,hosts=2,global=2", 18},
        {"hyperx:3x3,hosts=2", 18},
        {"torus:3x4", 12},
        {"tofu:4x3", 12},
        {"rails:3x4,cross=spines,taper=3", 12},
        {"hypercube:8,ports=3", 8},
        {"mesh:3x4", 12},
        {"leonardo:36,spines=2,global=2", 36},
    };
    (void)state;
    nearest = INFINITY;
    for (int seed = 1; seed <= 12; seed++)
        for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
            char platform[160];
            snprintf(platform, sizeof platform,
                     seed % 4 == 0   ? "%s,slow=links:30%%:%d:25%%"
                     : seed % 4 == 1 ? "%s,slow=hosts:3:%d:10%%"
                     : seed % 4 == 2 ? "%s,slow=links:20%%:%d:40%%,fail=links:1:7"
                                     : "%s,fail=hosts:1:%d",
                     all[i].platform, seed);
            walk(platform, all[i].hosts - (seed % 4 == 3), "flow", 12, (uint64_t)seed);
        }
    walk("fat-tree:16,down=4x4,slow=hosts:3:1:25%", 16, "simgrid", 8, 40);
    walk("torus:3x4,fail=links:1:5", 12, "simgrid", 8, 41);
    assert_true(nearest < 1.01);
}

/* Interfaces that keep queues send no byte before its latency, and none faster. */
static void test_flow_queues(void **state)
{
    static const char option[] = "nic:queue";
    (void)state;
    nearest = INFINITY;
    walk_with(option, "crossbar:12", 12, "flow", 1, 26);
    walk_with(option, "tofu:4x3,ports=1", 12, "flow", 2, 27);
    walk_with(option, "fat-tree:16,down=4x4,taper=4", 16, "flow", 2, 28);
    walk_with(option, "dragonfly:18,groups=3,routers=3,hosts=2,global=1,routing=ugal:1", 18, "flow",
              2, 29);
    walk_with(option, "dragonfly+:18,groups=3,leaves=3,spines=2,hosts=2", 18, "flow", 3, 30);
    walk_with(option, "hyperx:3x3,hosts=2", 18, "flow", 3, 31);
    walk_with(option, "rails:4x3", 12, "flow", 1, 32);
    walk_with(option, "rails:3x4,cross=spines,taper=3,inner-latency=9us", 12, "flow", 1, 33);
    walk_with(option, "rails:4x3,inner-bandwidth=20GBps,bandwidth=20GBps,inner-latency=5us", 12,
              "flow", 1, 34);
    walk_with(option, "leonardo:36,spines=2,global=1", 36, "flow", 6, 35);
    walk_with(option, "crossbar:8,memory-bandwidth=3GBps,memory-traffic=all", 8, "flow", 1, 36);
    assert_true(nearest < 1.01);
}

static void test_simgrid(void **state)
{
    (void)state;
    walk("crossbar:12", 12, "simgrid", 4, 15);
    walk("fat-tree:16,down=4x4,taper=4", 16, "simgrid", 4, 16);
    walk("torus:3x4", 12, "simgrid", 4, 17);
}

/* Where ranks are is remembered, for points of the same placement alone: find() compares. */
static void placements_are_not_mixed_up(void **state)
{
    static const char *const placements[] = {"random:1", "random:2", "block", "random:1", "cyclic"};
    (void)state;
    for (int i = 0; i < 20; i++) {
        struct request request = usual("bcast", "binomial", 3 + i / 10, "torus:8x8x8", 64 + i);
        struct point_bound bound;
        request.placement = placements[i % 5];
        request.ppn = 1 + i / 5 % 2;
        assert_true(find(&request, &bound, NULL));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_single_ranks),
        cmocka_unit_test(test_spread),
        cmocka_unit_test(hosts_of_several_ranks_have_two_latencies),
        cmocka_unit_test(allreduces_carry_both_halves),
        cmocka_unit_test(scans_carry_two_values_or_are_chains),
        cmocka_unit_test(test_lockstep),
        cmocka_unit_test(test_rooted_shares),
        cmocka_unit_test(test_degenerate_allgather),
        cmocka_unit_test(parts_for_all_pairs_cross_each_cut),
        cmocka_unit_test(shifts_carry_what_leaves_a_host),
        cmocka_unit_test(platforms_are_cut_at_hosts_and_switches),
        cmocka_unit_test(test_bound_of_cuts),
        cmocka_unit_test(routes_bind_where_no_cut_does),
        cmocka_unit_test(worst_sets_bind_where_links_differ),
        cmocka_unit_test(test_shares_and_hops),
        cmocka_unit_test(hosts_of_a_node_hear_sooner),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(what_leaves_the_root_counts),
        cmocka_unit_test(test_unknown),
        cmocka_unit_test(placements_are_not_mixed_up),
        cmocka_unit_test(no_plan_beats_the_bound_by_model),
        cmocka_unit_test(no_plan_beats_the_bound_by_flow),
        cmocka_unit_test(no_plan_beats_the_bound_of_damaged_networks),
        cmocka_unit_test(test_flow_queues),
        cmocka_unit_test(test_simgrid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
