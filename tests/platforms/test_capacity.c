/* test_capacity.c - the worst set of nodes: the values of ForestColl's networks, and all sets of
 * small random ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/network.h"

enum { MOST_NODES = 64, MOST_ARCS = 1024, ALL_WORK = 1 << 30 };

struct graph {
    struct platform_arcs arcs;
    int32_t from[MOST_ARCS], to[MOST_ARCS];
    double bandwidth[MOST_ARCS];
    double weight[MOST_NODES];
    bool sink[MOST_NODES], in[MOST_NODES];
};

/* Hosts of weight 1, which all have to hear of. */
static void begin(struct graph *graph, int32_t hosts, int32_t nodes)
{
    *graph = (struct graph){.arcs = {.hosts = hosts, .nodes = nodes}};
    graph->arcs.from = graph->from;
    graph->arcs.to = graph->to;
    graph->arcs.bandwidth = graph->bandwidth;
    for (int32_t h = 0; h < hosts; h++) {
        graph->weight[h] = 1;
        graph->sink[h] = true;
    }
}

static void join_one_way(struct graph *graph, int32_t from, int32_t to, double bandwidth)
{
    const int32_t arc = graph->arcs.count++;
    assert_true(arc < MOST_ARCS);
    graph->from[arc] = from;
    graph->to[arc] = to;
    graph->bandwidth[arc] = bandwidth;
}

static void join(struct graph *graph, int32_t a, int32_t b, double bandwidth)
{
    join_one_way(graph, a, b, bandwidth);
    join_one_way(graph, b, a, bandwidth);
}

static double worst(struct graph *graph, int64_t work)
{
    return platform_worst_set(&graph->arcs, graph->weight, graph->sink, work, graph->in);
}

static int32_t hosts_in(const struct graph *graph)
{
    int32_t count = 0;
    for (int32_t h = 0; h < graph->arcs.hosts; h++)
        count += graph->in[h];
    return count;
}

/* The algorithmic bandwidth of an allgather, in GB/s: hosts over what the worst set says. */
static void expect_bandwidth(struct graph *graph, double expected, int32_t hosts)
{
    const double found = graph->arcs.hosts / worst(graph, ALL_WORK);
    if (!(fabs(found - expected) <= 1e-9 * expected))
        fail_msg("the bandwidth is %.12g, not %.12g", found, expected);
    assert_int_equal(hosts_in(graph), hosts);
}

/* ---- The authors' networks (github.com/liangyuRain/ForestColl, topologies.py) ---------------- */

/* Eight GPUs at an NVSwitch of 300 GB/s each; network interfaces of 25 GB/s at two switches. */
static void boxes_of_a100(void **state)
{
    /* All but a GPU, whose links take in 300 or 325; with four boxes, all but a box: 24 / 200. */
    static const struct {
        int32_t boxes, hosts;
        double bandwidth;
    } all[] = {{1, 7, 8 * 300 / 7.0}, {2, 15, 16 * 325 / 15.0}, {4, 24, 32 * 200 / 24.0}};
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const int32_t boxes = all[i].boxes, gpus = 8 * boxes;
        struct graph graph;
        begin(&graph, gpus, gpus + boxes + 2);
        for (int32_t gpu = 0; gpu < gpus; gpu++) {
            join(&graph, gpu, gpus + gpu / 8, 300);
            if (boxes > 1)
                join(&graph, gpu, gpus + boxes + gpu % 2, 25);
        }
        expect_bandwidth(&graph, all[i].bandwidth, all[i].hosts);
    }
}

/* The xGMI links of a box of MI250s, 50 GB/s each: between two GPUs, so many. */
static const struct {
    int8_t a, b, links;
} xgmi[] = {{0, 1, 4},   {0, 4, 2},   {0, 8, 1},   {1, 5, 1},   {1, 9, 1},   {1, 10, 1},
            {2, 3, 4},   {2, 6, 1},   {2, 9, 1},   {2, 10, 1},  {3, 7, 2},   {3, 11, 1},
            {4, 5, 4},   {4, 6, 1},   {5, 6, 1},   {5, 7, 1},   {6, 7, 4},   {8, 9, 4},
            {8, 12, 2},  {9, 13, 1},  {10, 11, 4}, {10, 14, 1}, {11, 15, 2}, {12, 13, 4},
            {12, 14, 1}, {13, 14, 1}, {13, 15, 1}, {14, 15, 4}};

/* So many of the 16 GPUs of each box, with network interfaces of 16 GB/s at one switch. In the file
 * each link is named from both its ends, and has its bandwidth once. */
static void boxes_of_mi250(void **state)
{
    static const struct {
        int32_t boxes, of_box;
        double bandwidth;
    } all[] = {{1, 16, 342.857142857}, {2, 16, 354.13}, {2, 8, 208}};
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const int32_t boxes = all[i].boxes, of_box = all[i].of_box, gpus = boxes * of_box;
        struct graph graph;
        begin(&graph, gpus, gpus + 1);
        for (int32_t box = 0; box < boxes; box++)
            for (size_t k = 0; k < sizeof xgmi / sizeof *xgmi; k++)
                if (xgmi[k].a < of_box && xgmi[k].b < of_box)
                    join(&graph, box * of_box + xgmi[k].a, box * of_box + xgmi[k].b,
                         50.0 * xgmi[k].links);
        for (int32_t gpu = 0; gpu < gpus && boxes > 1; gpu++)
            join(&graph, gpu, gpus, 16);
        const double found = gpus / worst(&graph, ALL_WORK);
        if (!(fabs(found - all[i].bandwidth) <= 0.005))
            fail_msg("%d x %d: the bandwidth is %.9g, not %.9g", boxes, of_box, found,
                     all[i].bandwidth);
    }
}

/* ---- All sets -------------------------------------------------------------------------------- */

static uint32_t draw(uint64_t *seed, uint32_t below)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*seed >> 33) % below;
}

static double quotient(const struct graph *graph, uint32_t set)
{
    double weight = 0, leaves = 0;
    for (int32_t n = 0; n < graph->arcs.nodes; n++)
        weight += set >> n & 1 ? graph->weight[n] : 0;
    for (int32_t a = 0; a < graph->arcs.count; a++)
        if ((set >> graph->from[a] & 1) != 0 && (set >> graph->to[a] & 1) == 0)
            leaves += graph->bandwidth[a];
    return weight > 0 ? weight / leaves : 0;
}

/* Weights and bandwidths of any size, nodes that are no sinks, one-way arcs. */
static void no_set_of_small_networks_is_worse(void **state)
{
    uint64_t seed = 1;
    int32_t lone = 0;
    (void)state;
    for (int32_t time = 0; time < 400; time++) {
        struct graph graph;
        const int32_t hosts = 2 + (int32_t)draw(&seed, 6);
        const int32_t nodes = hosts + (int32_t)draw(&seed, 5);
        uint32_t sinks = 0;
        begin(&graph, hosts, nodes);
        for (int32_t n = 0; n < nodes; n++) /* a ring joins all */
            join_one_way(&graph, n, (n + 1) % nodes, 1 + draw(&seed, 5) * 2.5);
        for (int32_t k = (int32_t)draw(&seed, 20); k > 0; k--)
            join(&graph, (int32_t)draw(&seed, (uint32_t)nodes),
                 (int32_t)draw(&seed, (uint32_t)nodes), 1e9 / (1 + draw(&seed, 7)));
        for (int32_t h = 0; h < hosts; h++) {
            graph.weight[h] = draw(&seed, 3) == 0 ? 0 : 1 + draw(&seed, 1 << 20) / 7.0;
            graph.sink[h] = h == 0 || draw(&seed, 3) > 0;
            sinks |= graph.sink[h] ? 1u << h : 0;
        }
        double most = 0;
        for (uint32_t set = 0; set < 1u << nodes; set++)
            if ((set & sinks) != sinks)
                most = fmax(most, quotient(&graph, set));
        const double found = worst(&graph, ALL_WORK);
        uint32_t in = 0;
        for (int32_t n = 0; n < nodes; n++)
            in |= graph.in[n] ? 1u << n : 0;
        if (!(fabs(found - most) <= 1e-9 * most))
            fail_msg("network %d: %.12g is not the most, %.12g", time, found, most);
        if (most > 0) {
            assert_true(fabs(quotient(&graph, in) - found) <= 1e-12 * found);
            assert_true((in & sinks) != sinks);
        }
        lone += worst(&graph, 1) < found; /* too little work: never more */
        assert_true(worst(&graph, 1) <= found);
    }
    assert_true(lone > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_of_a100),
        cmocka_unit_test(boxes_of_mi250),
        cmocka_unit_test(no_set_of_small_networks_is_worse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
