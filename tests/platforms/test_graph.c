/* test_graph.c - routes of fewest hops on random graphs, against distances by Floyd's algorithm. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "platforms/graph.h"

enum { MOST_NODES = 14, MOST_LINKS = 60, FAR = 1000, CASES = 3000 };

struct random_graph {
    int32_t nodes, hosts, links, from[MOST_LINKS], to[MOST_LINKS];
    bool forward; /* hosts do */
    int far[MOST_NODES][MOST_NODES];
};

static uint64_t next(uint64_t *seed, uint64_t below)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (*seed >> 33) % below;
}

/* One-way links, parallel ones and missing ones, or cables. */
static void make(struct random_graph *g, uint64_t *seed)
{
    const bool cables = next(seed, 2) == 0;
    g->nodes = 2 + (int32_t)next(seed, MOST_NODES - 1);
    g->hosts = 1 + (int32_t)next(seed, (uint64_t)g->nodes);
    g->forward = next(seed, 2) == 0;
    g->links = 2 * (int32_t)next(seed, MOST_LINKS / 2 + 1);
    for (int32_t l = 0; l < g->links; l++) {
        g->from[l] = next(seed, 9) == 0 ? -1 : (int32_t)next(seed, (uint64_t)g->nodes);
        g->to[l] = (int32_t)next(seed, (uint64_t)g->nodes);
        if (cables && l % 2 == 1) {
            g->from[l] = g->from[l - 1] < 0 ? -1 : g->to[l - 1];
            g->to[l] = g->from[l - 1];
        }
        if (g->from[l] == g->to[l])
            g->from[l] = -1;
    }
    for (int i = 0; i < g->nodes; i++)
        for (int j = 0; j < g->nodes; j++)
            g->far[i][j] = i == j ? 0 : FAR;
    for (int32_t l = 0; l < g->links; l++)
        if (g->from[l] >= 0)
            g->far[g->from[l]][g->to[l]] = 1;
    for (int k = g->forward ? 0 : g->hosts; k < g->nodes; k++)
        for (int i = 0; i < g->nodes; i++)
            for (int j = 0; j < g->nodes; j++)
                if (g->far[i][k] + g->far[k][j] < g->far[i][j])
                    g->far[i][j] = g->far[i][k] + g->far[k][j];
}

static void check_way(const struct random_graph *g, struct platform_graph *graph, int from, int to,
                      uint64_t choice)
{
    int32_t way[MOST_LINKS], at = from;
    const int32_t count = platform_graph_way(graph, from, to, choice, way);
    assert_int_equal(count, g->far[from][to] >= FAR ? -1 : g->far[from][to]);
    for (int32_t i = 0; i < count; i++) {
        assert_int_equal(g->from[way[i]], at);
        /* Of the links on routes this short, the one of that number. */
        uint64_t ways = 0, chosen = UINT64_MAX;
        for (int32_t l = 0; l < g->links; l++)
            if (g->from[l] == at && 1 + g->far[g->to[l]][to] == g->far[at][to] &&
                (g->forward || g->to[l] >= g->hosts || g->to[l] == to)) {
                chosen = l == way[i] ? ways : chosen;
                ways++;
            }
        assert_int_equal(chosen, choice % ways);
        choice /= ways;
        at = g->to[way[i]];
    }
    assert_true(count < 0 || at == to);
}

/* The largest sets of hosts that all reach one another need not be unique. */
static void check_longest(const struct random_graph *g, struct platform_graph *graph)
{
    bool cut_off[MOST_NODES];
    int longest = 0, left = 0;
    for (int i = 0; i < g->hosts; i++)
        for (int j = 0; j < g->hosts; j++)
            longest = g->far[i][j] > longest ? g->far[i][j] : longest;
    const int32_t found = platform_graph_longest(graph, g->hosts, cut_off);
    assert_int_equal(found, longest >= FAR ? -1 : longest);
    for (int i = 0; i < g->hosts; i++)
        left += !cut_off[i];
    assert_true(longest >= FAR ? left < g->hosts : left == g->hosts);
    assert_true(left > 0);
}

static void test_random(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < CASES; i++) {
        uint64_t seed = i;
        struct random_graph g;
        make(&g, &seed);
        struct platform_graph *graph = platform_graph_create(g.nodes, g.links, g.from, g.to);
        if (!g.forward)
            platform_graph_only_ends(graph, g.hosts);
        check_longest(&g, graph);
        for (int from = 0; from < g.nodes; from++)
            for (int to = 0; to < g.nodes; to++)
                if (from != to)
                    check_way(&g, graph, from, to, next(&seed, 1000));
        platform_graph_destroy(graph);
    }
}

/* Cables 0-1, 1-2, 3-4, and 5 to which nothing leads. */
static void test_parts(void **state)
{
    (void)state;
    const int32_t from[] = {0, 1, 1, 2, 3, 4, 5}, to[] = {1, 0, 2, 1, 4, 3, 1};
    const bool expected[] = {false, false, false, true, true, true};
    bool cut_off[6];
    struct platform_graph *graph = platform_graph_create(6, 7, from, to);
    assert_int_equal(platform_graph_longest(graph, 6, cut_off), -1);
    assert_memory_equal(cut_off, expected, sizeof cut_off);
    platform_graph_destroy(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random), cmocka_unit_test(test_parts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
