/* The load of links over time and by rounds: sums equal what was sent, and cases worked by hand. */
#define _POSIX_C_SOURCE 200809L /* mkstemp, fdopen */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/network/links.h"
#include "tests/diagnosed_run.h"

struct contended {
    const char *platform, *collective, *algorithm;
    int32_t p;
    int64_t n, bytes;
    struct sim_overlap overlap;
    uint64_t seed; /* of the placement; 0: in order */
};

static void contend(struct run *run, const struct contended *contended)
{
    const struct request request = {contended->collective,
                                    contended->algorithm,
                                    contended->p,
                                    contended->n,
                                    contended->bytes,
                                    contended->overlap,
                                    NULL,
                                    NULL,
                                    0};
    start(run, &request);
    if (contended->seed != 0) {
        run->spec.placement.rule = SIM_RANDOM;
        run->spec.placement.seed = contended->seed;
    }
    run->spec.want_contention = true;
    run->spec.want_links = 1000000;
    simulate(run, "flow", contended->platform);
}

/* Bytes of a link, or of a bin. */
static bool alike(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b)) + 1e-6;
}

static const struct sim_link *find_link(const struct run *run, const char *name)
{
    for (int32_t i = 0; i < run->result.link_count; i++)
        if (strcmp(run->result.links[i].name, name) == 0)
            return &run->result.links[i];
    return NULL;
}

/* Each link's bins add up to the bytes of the messages that crossed it, and no bin has more than
 * the link can carry. */
static void sums_are_the_messages_bytes(void **state)
{
    static const struct contended cases[] = {
        {"crossbar:17", "bcast", "circulant", 17, 9, 1000003, {SIM_BLOCKING, 1}, 0},
        {"crossbar:8,ports=2", "alltoall", "pairwise", 8, 1, 64007, {SIM_DATA, 1}, 0},
        {"fat-tree:64,down=4x4x4,taper=4",
         "bcast",
         "circulant",
         60,
         30,
         3000017,
         {SIM_BLOCKING, 1},
         3},
        {"fat-tree:15", "allreduce", "ring", 15, 1, 999, {SIM_LOCKSTEP, 1}, 0},
        {"dragonfly:72,routing=ugal", "bcast", "circulant", 70, 20, 5000000, {SIM_WINDOW, 4}, 1},
        {"dragonfly:72", "alltoall", "bruck", 72, 1, 72 * 72 * 1000, {SIM_BLOCKING, 1}, 7},
        {"torus:4x5", "bcast", "chain", 20, 50, 700001, {SIM_BLOCKING, 1}, 2},
        {"mesh:4x4", "bcast", "circulant", 16, 7, 70001, {SIM_BLOCKING, 1}, 2},
        /* A file's run is in a process of its own. */
        {ROUNDABOUT_SOURCE_DIR "/platforms/xml/crossbar-64.xml",
         "bcast",
         "chain",
         9,
         4,
         900001,
         {SIM_BLOCKING, 1},
         0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct run run;
        int32_t found = 0;
        contend(&run, &cases[i]);
        const struct sim_contention *contention = run.result.contention;
        assert_non_null(contention);
        assert_true(contention->time_s == run.result.time_s);
        assert_in_range(contention->bins, SIM_CONTENTION_BINS / 2, SIM_CONTENTION_BINS);
        assert_true(contention->bins * contention->bin_s >= contention->time_s * (1 - 1e-9));
        for (int32_t l = 0; l < contention->links; l++) {
            const struct sim_carrier *link = &contention->link[l];
            const struct sim_link *load = find_link(&run, link->name);
            double sum = 0;
            for (int32_t bin = 0; link->carried != NULL && bin < contention->bins; bin++) {
                assert_true(link->carried[bin] > -1e-6);
                assert_true(link->carried[bin] <=
                            link->bandwidth * contention->bin_s * (1 + 1e-9) + 1e-6);
                sum += link->carried[bin];
            }
            if (!alike(sum, load != NULL ? (double)load->bytes : 0))
                fail_msg("%s, %s: %.17g", cases[i].platform, link->name, sum);
            found += load != NULL;
        }
        for (int32_t l = 0; l < run.result.link_count;
             l++) /* loopbacks and backbones are left out */
            found += strstr(run.result.links[l].name, "loopback") != NULL ||
                     strstr(run.result.links[l].name, "backbone") != NULL;
        assert_int_equal(found, run.result.link_count);
        end(&run);
    }
}

/* Hosts 0 and 1 send 1000 bytes each over the one cable between the leaves to hosts 2 and 3, and
 * these to them. Latency 1 us, then 1000 bytes at 1 GB/s take 1 us alone; here 2 us. */
static void two_messages_share_a_cable(void **state)
{
    (void)state;
    static const struct contended contended = {"fat-tree:4,down=2x2,taper=2,bandwidth=1GBps",
                                               "alltoall",
                                               "pairwise",
                                               4,
                                               1,
                                               16000,
                                               {SIM_LOCKSTEP, 1},
                                               0};
    static const char *const names[] = {"host up", "leaf up", "leaf down", "host down"};
    static const int counts[] = {4, 2, 2, 4};
    static const int64_t fullest[3][4] = {{1, 1, 1, 1}, {1, 2, 2, 1}, {1, 1, 1, 1}};
    struct run run;
    contend(&run, &contended);
    const struct sim_contention *contention = run.result.contention;
    assert_int_equal(contention->levels, 4);
    for (int32_t level = 0; level < 4; level++) {
        assert_string_equal(contention->level[level].name, names[level]);
        assert_int_equal(contention->level[level].count, counts[level]);
    }
    assert_int_equal(contention->rounds, 3);
    assert_int_equal(contention->columns, 3);
    for (int32_t t = 0; t < 3; t++)
        for (int32_t level = 0; level < 4; level++) {
            assert_int_equal(contention->round[4 * t + level].messages, fullest[t][level]);
            assert_true(contention->round[4 * t + level].load == (double)fullest[t][level]);
        }
    /* Rounds of 2 us, 3 us, 2 us: the leaf's cable is full in all of the second round but its
     * latency. */
    const struct sim_carrier *cable = &contention->link[contention->level[1].first];
    const struct sim_carrier *host = &contention->link[0];
    assert_true(fabs(contention->time_s - 7e-6) < 1e-15);
    for (int32_t bin = 0; bin < contention->bins; bin++) {
        const double from_s = bin * contention->bin_s, to_s = from_s + contention->bin_s;
        const double full = contention->bin_s * 1e9;
        if (from_s > 3e-6 && to_s < 5e-6) {
            assert_true(alike(cable->carried[bin], full));
            assert_true(alike(host->carried[bin], full / 2));
        }
        if (to_s < 1e-6 || (from_s > 2e-6 && to_s < 3e-6) || (from_s > 5e-6 && to_s < 6e-6))
            assert_true(fabs(cable->carried[bin]) < 1e-6 && fabs(host->carried[bin]) < 1e-6);
    }
    end(&run);
}

/* Engines tell how long a message would take alone; flow and simgrid the same. */
static void messages_know_their_time_alone(void **state)
{
    static const char *const engines[] = {"flow", "simgrid"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        const struct request request = {"alltoall",
                                        "pairwise",
                                        4,
                                        1,
                                        16000,
                                        lockstep,
                                        "fat-tree:4,down=2x2,taper=2,bandwidth=1GBps",
                                        engines[i],
                                        0};
        struct run run;
        diagnose(&run, &request);
        assert_int_equal(run.recording.count, 12);
        for (int32_t m = 0; m < 12; m++) {
            const struct sim_message *message = &run.recording.message[m];
            const double took_s = message->end_s - message->start_s;
            assert_true(fabs(message->alone_s - 2e-6) < 1e-15);
            assert_true(fabs(took_s - (message->round == 1 ? 3e-6 : 2e-6)) < 1e-14);
        }
        end(&run);
    }
}

/* Bins of doubling width hold what bins of the last width would have held from the start. */
static void merged_bins_are_wider_bins(void **state)
{
    enum { PIECES = 400 };
    static double from_s[PIECES], to_s[PIECES], bytes[PIECES];
    struct platform_network *network;
    struct net_link_use use;
    struct platform_route route;
    struct sup_error error;
    double now_s = 0;
    (void)state;
    assert_int_equal(platform_network_create("crossbar:2", &network, &error), RB_OK);
    net_link_use_init(&use, network);
    assert_int_equal(platform_network_route(network, 0, 1, 0, &route, &error), RB_OK);
    srand(7);
    for (int i = 0; i < PIECES; i++) {
        to_s[i] = now_s += 1e-6 * (1 + i * i) * rand() / RAND_MAX;
        from_s[i] = now_s * rand() / RAND_MAX;
        bytes[i] = rand();
        net_link_use_add(&use, &route, from_s[i], to_s[i], bytes[i]);
    }
    assert_true(use.bin_s * SIM_CONTENTION_BINS >= now_s &&
                use.bin_s * SIM_CONTENTION_BINS / 2 < now_s);
    for (int bin = 0; bin < SIM_CONTENTION_BINS; bin++) {
        double expected = 0;
        for (int i = 0; i < PIECES; i++) {
            const double begin_s = fmax(from_s[i], bin * use.bin_s);
            const double end_s = fmin(to_s[i], (bin + 1) * use.bin_s);
            expected += bytes[i] * fmax(end_s - begin_s, 0) / (to_s[i] - from_s[i]);
        }
        for (int32_t i = 0; i < route.count; i++)
            if (!alike(use.carried[route.link[i]][bin], expected))
                fail_msg("bin %d: %.17g instead of %.17g", bin, use.carried[route.link[i]][bin],
                         expected);
    }
    assert_null(use.carried[0]); /* a loopback, over which nothing went */
    net_link_use_free(&use);
    platform_network_destroy(network);
}

/* Ranks 1 and 2, which tell each other nothing, have no route: SimGrid throws where it is asked. */
static void pairs_without_a_route_that_nothing_takes(void **state)
{
    char path[] = "/tmp/test_contention.xml.XXXXXX";
    const struct contended contended = {path, "bcast", "binomial", 3, 1, 1000, blocking, 0};
    FILE *file = fdopen(mkstemp(path), "w");
    struct run run;
    (void)state;
    assert_non_null(file);
    fputs(
        "<?xml version='1.0'?><!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
        "<platform version=\"4.1\"><zone id=\"w\" routing=\"Floyd\">"
        "<host id=\"a\" speed=\"1Gf\"/><host id=\"b\" speed=\"1Gf\"/><host id=\"c\" speed=\"1Gf\"/>"
        "<link id=\"bus\" bandwidth=\"1GBps\" latency=\"1us\"/>"
        "<route src=\"a\" dst=\"b\" symmetrical=\"NO\"><link_ctn id=\"bus\"/></route>"
        "<route src=\"a\" dst=\"c\" symmetrical=\"NO\"><link_ctn id=\"bus\"/></route>"
        "</zone></platform>\n",
        file);
    assert_int_equal(fclose(file), 0);
    contend(&run, &contended);
    const struct sim_link *bus = find_link(&run, "bus");
    assert_true(bus != NULL && bus->bytes == 2000 && bus->messages == 2 && bus->most_in_round == 1);
    assert_true(alike(run.result.fullest.load, 1));
    end(&run);
    unlink(path);
}

static void other_engines_refuse(void **state)
{
    static const char *const engines[] = {"model", "simgrid"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        const struct request request = {"bcast", "chain", 4, 6, 6000, blocking, NULL, NULL, 0};
        struct run run;
        struct sup_error error;
        start(&run, &request);
        run.spec.platform = "crossbar:4";
        run.spec.want_contention = true;
        assert_int_equal(sim_run(sim_engine_find(engines[i]), &run.spec, &run.result, &error),
                         RB_EINVAL);
        assert_non_null(strstr(error.text, "how busy links are"));
        end(&run);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_the_messages_bytes),
        cmocka_unit_test(two_messages_share_a_cable),
        cmocka_unit_test(messages_know_their_time_alone),
        cmocka_unit_test(merged_bins_are_wider_bins),
        cmocka_unit_test(pairs_without_a_route_that_nothing_takes),
        cmocka_unit_test(other_engines_refuse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
