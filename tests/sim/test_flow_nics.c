/* test_flow_nics.c - the engine flow with nic:queue: network interfaces work on their messages one
 * after another. Small cases are computed by hand. For many more, a plain simulation starts the
 * messages when the engine did, and must find the same ends; it knows interfaces by their names,
 * sorts each one's messages by their starts, and shares links by water-filling. */
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
#include "schedules/plan/random.h"
#include "sim/engine/engine.h"
#include "sim/flow/flow.h"
#include "support/names.h"

enum { MOST_MESSAGES = 6000, LONGEST = 16 };

struct trip {
    struct sim_message told;
    int32_t nic, links, link[LONGEST];
    double latency_s, weight, rest, rate, end_s;
    bool is_full, is_done; /* its rate is found; it has arrived */
};

struct traffic {
    int32_t count;
    struct trip trip[MOST_MESSAGES];
};

static void record(void *context, const struct sim_message *message)
{
    struct traffic *traffic = context;
    assert_true(traffic->count < MOST_MESSAGES);
    traffic->trip[traffic->count++] = (struct trip){.told = *message, .end_s = -1};
}

/* What a run is asked for, in the command line's words. */
struct request {
    const char *platform, *collective, *algorithm, *overlap, *counts;
    int32_t p, ports, ppn;
    int64_t n, m;
    uint64_t jitter;
    const char *option; /* NULL: none */
};

static double run(const struct request *request, struct traffic *traffic, double finish_s[])
{
    const struct rb_plan_spec wanted = {.collective = request->collective,
                                        .algorithm = request->algorithm,
                                        .p = request->p,
                                        .n = request->n,
                                        .ports = request->ports};
    const struct sim_observer observer = {.message = record, .context = traffic};
    struct rb_layout layout = {.bytes = request->m, .element = 1};
    struct sim_spec spec = {.layout = &layout,
                            .platform = request->platform,
                            .ppn = request->ppn,
                            .placement = {.rule = SIM_BLOCK},
                            .options = &request->option,
                            .option_count = request->option != NULL,
                            .jitter = request->jitter,
                            .want_finish = true,
                            .observer = &observer};
    struct sim_result result;
    struct sup_error error;
    struct sup_counts counts;
    struct rb_plan *plan;
    int64_t *first = NULL;
    char why[200];
    if (rb_plan_create(&wanted, &plan, why, sizeof why) != RB_OK)
        fail_msg("%s", why);
    spec.plan = plan;
    traffic->count = 0;
    assert_int_equal(sup_counts_parse(request->counts, &counts, &error), RB_OK);
    assert_int_equal(
        sup_counts_apply(&counts, rb_plan_collective(plan), request->p, &layout, &first, &error),
        RB_OK);
    assert_int_equal(sim_overlap_parse(request->overlap, &spec.overlap, &error), RB_OK);
    if (sim_run(sim_engine_find("flow"), &spec, &result, &error) != RB_OK)
        fail_msg("%s", error.text);
    const double time_s = result.time_s;
    if (finish_s != NULL)
        memcpy(finish_s, result.finish_s, (size_t)request->p * sizeof *finish_s);
    sim_result_free(&result);
    free(first);
    rb_plan_destroy(plan);
    return time_s;
}

static struct traffic seen;

/* ---- By hand --------------------------------------------------------------------------------- */

static const double alpha = 1e-6, beta = 1 / 12.5e9;

static void expect_end(int32_t to, double end_s)
{
    for (int32_t i = 0; i < seen.count; i++)
        if (seen.trip[i].told.to == to && fabs(seen.trip[i].told.end_s - end_s) > 1e-12 * end_s)
            fail_msg("the message to %d arrived after %.15g s, not %.15g", to,
                     seen.trip[i].told.end_s, end_s);
}

static struct request scatter_of(int32_t p, const char *option)
{
    return (struct request){.platform = "crossbar:9",
                            .collective = "scatter",
                            .algorithm = "linear-sync",
                            .overlap = "data",
                            .counts = "regular",
                            .p = p,
                            .ports = 2,
                            .ppn = 1,
                            .n = 1,
                            .m = 12500 * (int64_t)p, /* 1 us each */
                            .option = option};
}

static void a_message_alone_takes_its_time(void **state)
{
    struct request request = scatter_of(2, "nic:queue");
    (void)state;
    assert_true(fabs(run(&request, &seen, NULL) - (alpha + 12500 * beta)) < 1e-18);
    request.m = 0;
    assert_true(run(&request, &seen, NULL) <= alpha); /* without bytes nothing waits */
}

/* Two equal messages at once: one after the other, instead of both at half the bandwidth. */
static void two_messages_take_turns_in_a_queue(void **state)
{
    struct request request = scatter_of(3, "nic:shared");
    (void)state;
    run(&request, &seen, NULL);
    expect_end(1, alpha + 25000 * beta);
    expect_end(2, alpha + 25000 * beta);
    request.option = "nic:queue";
    run(&request, &seen, NULL);
    assert_int_equal(seen.count, 2);
    assert_true(fabs(seen.trip[1].told.alone_s - (alpha + 12500 * beta)) < 1e-18);
    expect_end(1, alpha + 12500 * beta);
    expect_end(2, alpha + 25000 * beta);
}

/* The third starts when the first is complete, after 2 us. Its latency passes while the second
 * moves, which takes as long: it moves when the second has, from 3 us on. The fourth starts then,
 * and so on: no bandwidth is lost. With half the latency the third is ready early, and waits. With
 * twice the latency it comes late: the link is idle for 1 us. */
static void latency_passes_while_others_move(void **state)
{
    static const char *const platforms[] = {"crossbar:5", "crossbar:5,latency=500ns",
                                            "crossbar:5,latency=2us"};
    static const double first_s[] = {1e-6, 0.5e-6, 2e-6}, third_s[] = {4e-6, 3.5e-6, 6e-6};
    (void)state;
    for (int i = 0; i < 3; i++) {
        struct request request = scatter_of(5, "nic:queue");
        request.platform = platforms[i];
        run(&request, &seen, NULL);
        assert_int_equal(seen.count, 4);
        expect_end(1, first_s[i] + 1e-6);
        expect_end(2, first_s[i] + 2e-6);
        expect_end(3, third_s[i]);
        expect_end(4, third_s[i] + 1e-6);
    }
}

/* Every host sends to the next and to the one before, two messages at a time: in the order of the
 * ports, so that nowhere two meet. All bytes pass without a gap, after one latency. */
static void test_sum_of_bytes(void **state)
{
    struct request request = scatter_of(9, "nic:queue");
    (void)state;
    request.collective = "alltoall";
    request.algorithm = "pairwise";
    request.m = 81 * 25000;
    assert_true(fabs(run(&request, &seen, NULL) - (alpha + 8 * 25000 * beta)) < 1e-16);
    request.option = "nic:shared"; /* each round pays a latency */
    assert_true(fabs(run(&request, &seen, NULL) - (4 * alpha + 8 * 25000 * beta)) < 1e-16);
}

/* Ranks of a host share its interface; among themselves they need none. Messages of different
 * hosts don't wait for each other. */
static void test_inside(void **state)
{
    struct request request = scatter_of(5, "nic:queue");
    (void)state;
    request.platform = "crossbar:3";
    request.ports = 4;
    request.ppn = 2; /* rank 1 is beside the root */
    run(&request, &seen, NULL);
    expect_end(1, 200e-9 + 12500 / 25e9);
    for (int32_t to = 2; to < 5; to++)
        expect_end(to, alpha + (to - 1) * 12500 * beta);
}

/* Of messages that start at one moment, one whose bytes move already is not overtaken. */
static void test_moving_stays_first(void **state)
{
    struct flow_nics nics = {0};
    (void)state;
    flow_nics_init(&nics, 1, 3);
    flow_nics_add(&nics, 2, 0, 1.0, 5);
    assert_true(flow_nics_ready(&nics, 2)); /* no latency */
    flow_nics_add(&nics, 0, 0, 1.0, 4);
    flow_nics_add(&nics, 1, 0, 1.0, 3);
    assert_false(flow_nics_ready(&nics, 0));
    assert_false(flow_nics_ready(&nics, 1));
    assert_int_equal(flow_nics_remove(&nics, 2), 1);
    assert_int_equal(flow_nics_remove(&nics, 1), 0);
    assert_int_equal(flow_nics_remove(&nics, 0), -1);
    flow_nics_free(&nics);
}

/* ---- A plain simulation ---------------------------------------------------------------------- */

static bool is_interface(const struct platform_network *network, int32_t link)
{
    const bool rails = strcmp(network->zone, "rails") == 0;
    struct platform_place place;
    platform_network_place(network, link, &place);
    return strcmp(place.name, rails ? "nic up" : "host up") == 0;
}

static void find_way(struct platform_network *network, int32_t ppn, struct trip *trip)
{
    struct platform_route route;
    assert_int_equal(platform_network_route(network, trip->told.from / ppn, trip->told.to / ppn,
                                            (uint64_t)trip->told.round, &route, NULL),
                     RB_OK);
    assert_in_range(route.count, 1, LONGEST);
    trip->nic = -1;
    trip->links = route.count;
    for (int32_t i = 0; i < route.count; i++) {
        trip->link[i] = route.link[i];
        if (is_interface(network, route.link[i]))
            trip->nic = route.link[i];
    }
    trip->latency_s = route.latency_s;
    trip->weight = 1 / route.latency_s;
    trip->rest = (double)trip->told.bytes;
}

/* By their starts; at one moment by round, sender and port. */
static int compare_trips(const void *a, const void *b)
{
    const struct sim_message *one = &((const struct trip *)a)->told,
                             *two = &((const struct trip *)b)->told;
    if (one->start_s != two->start_s)
        return one->start_s < two->start_s ? -1 : 1;
    if (one->round != two->round)
        return one->round < two->round ? -1 : 1;
    return one->from != two->from ? one->from - two->from : one->port - two->port;
}

static bool is_first(int32_t i)
{
    for (int32_t k = 0; k < i && seen.trip[i].nic >= 0; k++)
        if (!seen.trip[k].is_done && seen.trip[k].nic == seen.trip[i].nic &&
            seen.trip[k].told.bytes > 0)
            return false;
    return true;
}

/* Of the flows, none of which `is_full` yet, those that cross the link that fills first. False:
 * none is left. room, weight: per link. */
static bool fill_one(const struct platform_network *network, int32_t flows, const int32_t flow[],
                     double room[], double weight[])
{
    double level = INFINITY;
    int32_t full = -1;
    memset(weight, 0, (size_t)network->links * sizeof *weight);
    for (int32_t i = 0; i < flows; i++)
        for (int32_t k = 0; k < seen.trip[flow[i]].links && !seen.trip[flow[i]].is_full; k++) {
            const int32_t l = seen.trip[flow[i]].link[k];
            weight[l] = (network->link[l].shared ? weight[l] : 0) + seen.trip[flow[i]].weight;
            full = l;
        }
    if (full < 0)
        return false;
    for (int32_t l = 0; l < network->links; l++)
        if (weight[l] > 0 && room[l] / weight[l] < level) {
            level = room[l] / weight[l];
            full = l;
        }
    for (int32_t i = 0; i < flows; i++) {
        struct trip *trip = &seen.trip[flow[i]];
        bool crosses = false;
        for (int32_t k = 0; k < trip->links; k++)
            crosses = crosses || trip->link[k] == full;
        if (trip->is_full || !crosses)
            continue;
        trip->is_full = true;
        trip->rate = level * trip->weight;
        for (int32_t k = 0; k < trip->links; k++)
            if (network->link[trip->link[k]].shared)
                room[trip->link[k]] -= trip->rate;
    }
    return true;
}

/* The messages whose bytes move now, into flow[]; and when the next latency ends. */
static int32_t list_flows(double now_s, int32_t flow[], double *next_s)
{
    int32_t flows = 0;
    *next_s = INFINITY;
    for (int32_t i = 0; i < seen.count; i++) {
        struct trip *trip = &seen.trip[i];
        const double ready_s = trip->told.start_s + trip->latency_s;
        if (trip->is_done)
            continue;
        if (ready_s > now_s * (1 + 1e-13)) {
            *next_s = fmin(*next_s, ready_s);
        } else if (trip->told.bytes == 0) {
            trip->is_done = true;
            trip->end_s = ready_s;
        } else if (is_first(i)) {
            trip->is_full = false;
            flow[flows++] = i;
        }
    }
    return flows;
}

/* From one change of rates to the next. */
static void play(const struct platform_network *network)
{
    double *room = malloc((size_t)network->links * sizeof *room),
           *weight = malloc((size_t)network->links * sizeof *weight), next_s;
    int32_t *flow = malloc(MOST_MESSAGES * sizeof *flow), flows;
    for (double now_s = 0; now_s < INFINITY; now_s = next_s) {
        flows = list_flows(now_s, flow, &next_s);
        for (int32_t l = 0; l < network->links; l++)
            room[l] = network->link[l].bandwidth;
        while (fill_one(network, flows, flow, room, weight))
            ;
        for (int32_t i = 0; i < flows; i++) {
            const struct trip *trip = &seen.trip[flow[i]];
            next_s = fmin(next_s, now_s + trip->rest / trip->rate);
        }
        for (int32_t i = 0; i < flows; i++) {
            struct trip *trip = &seen.trip[flow[i]];
            trip->is_done = now_s + trip->rest / trip->rate <= next_s * (1 + 1e-13);
            trip->rest -= trip->rate * (next_s - now_s);
            trip->end_s = next_s;
        }
    }
    free(flow);
    free(weight);
    free(room);
}

static void compare(const struct request *request)
{
    struct platform_network *network;
    struct sup_error error;
    run(request, &seen, NULL);
    assert_int_equal(platform_network_create(request->platform, &network, &error), RB_OK);
    for (int32_t i = 0; i < seen.count; i++)
        find_way(network, request->ppn, &seen.trip[i]);
    qsort(seen.trip, (size_t)seen.count, sizeof *seen.trip, compare_trips);
    play(network);
    for (int32_t i = 0; i < seen.count; i++) {
        const struct trip *trip = &seen.trip[i];
        if (!(fabs(trip->end_s - trip->told.end_s) <= 1e-9 * trip->told.end_s))
            fail_msg(
                "%s %s on %s, p %d, ppn %d, ports %d, n %d, m %d, %s, %s: the message of round "
                "%d from %d to %d, started at %.15g s, ended at %.15g s, not %.15g",
                request->collective, request->algorithm, request->platform, request->p,
                request->ppn, request->ports, (int)request->n, (int)request->m, request->counts,
                request->overlap, (int)trip->told.round, trip->told.from, trip->told.to,
                trip->told.start_s, trip->told.end_s, trip->end_s);
    }
    platform_network_destroy(network);
}

static void draw_request(uint64_t *random, struct request *request)
{
    static const char *const platforms[] = {
        "crossbar:12",
        "tofu:4x3,ports=1",
        "fat-tree:12,down=4x3,taper=4",
        "dragonfly:18,groups=3,routers=3,hosts=2,global=1",
        "rails:4x3",
        "rails:4x3,radix=2,inner-bandwidth=20GBps,bandwidth=5GBps,latency=2us",
        "rails:3x4,cross=spines,taper=3",
        "crossbar:12,memory-bandwidth=15GBps,memory-traffic=all",
        "hyperx:3x2,hosts=2",
        "leonardo:12,spines=2,global=1",
    };
    static const char *const traffic[][2] = {{"alltoall", "pairwise"},
                                             {"alltoall", "linear-sync"},
                                             {"allgather", "bruck"},
                                             {"scatter", "linear-sync"},
                                             {"bcast", "circulant"}};
    static const char *const overlap[] = {"blocking", "data", "window:2", "lockstep"};
    static const char *const counts[] = {"regular", "mod3", "random:3"};
    const uint32_t t = rb_random_below(random, 5);
    *request = (struct request){.platform = platforms[rb_random_below(random, 10)],
                                .collective = traffic[t][0],
                                .algorithm = traffic[t][1],
                                .overlap = overlap[rb_random_below(random, 4)],
                                .counts = t == 4 ? "regular" : counts[rb_random_below(random, 3)],
                                .ports = t == 4 ? 1 : 1 + (int32_t)rb_random_below(random, 3),
                                .ppn = 1 + (int32_t)rb_random_below(random, 3),
                                .n = t == 4 ? 5 : 1,
                                .m = 1 + (int64_t)rb_random_below(random, 8000000),
                                .option = "nic:queue"};
    request->p = 12 * request->ppn - (int32_t)rb_random_below(random, 11);
}

static void test_random_traffic(void **state)
{
    uint64_t random = 5;
    struct request request;
    (void)state;
    for (int i = 0; i < 150; i++) {
        draw_request(&random, &request);
        compare(&request);
    }
}

/* nic:shared changes no bit, nic:queue does. */
static void test_shared_is_as_without(void **state)
{
    uint64_t random = 77;
    struct request request;
    double without[64], with[64];
    int different = 0;
    (void)state;
    for (int i = 0; i < 60; i++) {
        draw_request(&random, &request);
        request.jitter = (uint64_t)i % 3;
        if (strcmp(request.overlap, "lockstep") == 0)
            request.jitter = 0;
        request.option = NULL;
        run(&request, &seen, without);
        request.option = "nic:shared";
        run(&request, &seen, with);
        assert_memory_equal(with, without, (size_t)request.p * sizeof *with);
        request.option = "nic:queue";
        run(&request, &seen, with);
        different += memcmp(with, without, (size_t)request.p * sizeof *with) != 0;
    }
    assert_true(different > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_message_alone_takes_its_time),
        cmocka_unit_test(two_messages_take_turns_in_a_queue),
        cmocka_unit_test(latency_passes_while_others_move),
        cmocka_unit_test(test_sum_of_bytes),
        cmocka_unit_test(test_inside),
        cmocka_unit_test(test_moving_stays_first),
        cmocka_unit_test(test_random_traffic),
        cmocka_unit_test(test_shared_is_as_without),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
