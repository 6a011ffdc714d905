/* Shares of links: after every event the repaired rates are those of plain water-filling, which
 * raises all levels together and stops those that cross a full link. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "schedules/plan/random.h"
#include "sim/flow/flow.h"

enum { MOST_LINKS = 60, MOST_FLOWS = 120, LONGEST = 15 };

struct flow_of_test {
    bool is_there, is_done;
    int32_t id, links, link[LONGEST];
    double weight, level, told;
};

struct world {
    int32_t links;
    struct platform_link link[MOST_LINKS];
    struct flow_of_test flow[MOST_FLOWS];
};

/* Links whose levels differ by no more are full at once. */
#define ALL_AT_ONCE (1 + 1e-13)

/* Sets every flow's level. */
static void fill_with_water(struct world *world)
{
    for (int f = 0; f < MOST_FLOWS; f++)
        world->flow[f].is_done = !world->flow[f].is_there;
    for (;;) {
        double least = INFINITY, full[MOST_LINKS];
        for (int32_t l = 0; l < world->links; l++) {
            double room = world->link[l].bandwidth, weight = 0;
            for (int f = 0; f < MOST_FLOWS; f++)
                for (int i = 0; i < world->flow[f].links && world->flow[f].is_there; i++)
                    if (world->flow[f].link[i] != l)
                        continue;
                    else if (!world->flow[f].is_done)
                        weight = world->link[l].shared ? weight + world->flow[f].weight
                                                       : fmax(weight, world->flow[f].weight);
                    else if (world->link[l].shared)
                        room -= world->flow[f].level * world->flow[f].weight;
            full[l] = weight > 0 ? room / weight : INFINITY;
            least = fmin(least, full[l]);
        }
        if (least == INFINITY)
            return;
        for (int f = 0; f < MOST_FLOWS; f++)
            for (int i = 0; i < world->flow[f].links; i++)
                if (!world->flow[f].is_done &&
                    full[world->flow[f].link[i]] <= least * ALL_AT_ONCE) {
                    world->flow[f].level = least;
                    world->flow[f].is_done = true;
                }
    }
}

/* A share of the draws is of few values, so that many levels tie. */
static double draw(uint64_t *random, bool ties)
{
    return ties ? (double)(1 + rb_random_below(random, 3))
                : 0.1 + (double)rb_random_below(random, 1000003) / 1e5;
}

/* The first `alone` have one flow each. */
static struct flow_shares *make(int32_t links, struct platform_link link[], int32_t alone,
                                int32_t flows)
{
    static struct platform_network network;
    network = (struct platform_network){.links = links, .link = link};
    struct flow_shares *shares = flow_shares_create(&network, alone, flows);
    assert_non_null(shares);
    return shares;
}

static void add_flow(struct world *world, struct flow_shares *shares, uint64_t *random, int f,
                     bool ties, bool weighted)
{
    struct flow_of_test *flow = &world->flow[f];
    *flow = (struct flow_of_test){.is_there = true, .weight = 1};
    flow->links = 1 + (int32_t)rb_random_below(random, LONGEST);
    for (int32_t i = 0; i < flow->links; i++) /* some links several times */
        flow->link[i] = (int32_t)rb_random_below(random, (uint32_t)world->links);
    if (weighted)
        flow->weight = draw(random, ties);
    flow->id = f;
    assert_true(flow_shares_route(shares, f, flow->links, flow->link));
    for (int32_t i = 0; i < flow->links; i++)
        assert_int_equal(flow_shares_link(shares, f, i), flow->link[i]);
    assert_int_equal(flow_shares_link(shares, f, flow->links), -1);
    double limit = INFINITY;
    for (int32_t i = 0; i < flow->links; i++)
        limit = fmin(limit, world->link[flow->link[i]].bandwidth);
    flow_shares_add(shares, f, flow->weight, limit);
}

static void compare(struct world *world, struct flow_shares *shares)
{
    const int32_t *changed;
    const int32_t changes = flow_shares_solve(shares, &changed);
    for (int32_t i = 0; i < changes; i++)
        for (int32_t j = 0; j < i; j++)
            assert_int_not_equal(changed[i], changed[j]);
    fill_with_water(world);
    for (int f = 0; f < MOST_FLOWS; f++) {
        struct flow_of_test *flow = &world->flow[f];
        if (!flow->is_there)
            continue;
        const double rate = flow_shares_rate(shares, flow->id), want = flow->level * flow->weight;
        if (fabs(rate - want) > 3e-12 * want)
            fail_msg("flow %d of weight %g: rate %.17g instead of %.17g", f, flow->weight, rate,
                     want);
        bool is_told = false;
        for (int32_t i = 0; i < changes; i++)
            is_told = is_told || changed[i] == flow->id;
        assert_true(is_told || rate == flow->told);
        flow->told = rate;
    }
}

static void rates_are_max_min_fair(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 16; seed++) {
        uint64_t random = seed;
        struct world world = {.links = 1 + (int32_t)rb_random_below(&random, MOST_LINKS)};
        const bool ties = seed % 2 == 0, weighted = seed / 2 % 2 == 0;
        const int flows = 1 + (int)rb_random_below(&random, MOST_FLOWS);
        for (int32_t l = 0; l < world.links; l++)
            world.link[l] = (struct platform_link){.bandwidth = draw(&random, ties),
                                                   .shared = rb_random_below(&random, 3) > 0};
        struct flow_shares *shares = make(world.links, world.link, 0, MOST_FLOWS);
        for (int event = 0; event < 100; event++) {
            const int changes = 1 + (int)rb_random_below(&random, event % 3 == 0 ? 20 : 2);
            for (int i = 0; i < changes; i++) {
                const int f = (int)rb_random_below(&random, (uint32_t)flows);
                if (world.flow[f].is_there) {
                    flow_shares_remove(shares, world.flow[f].id);
                    world.flow[f].is_there = false;
                } else {
                    add_flow(&world, shares, &random, f, ties, weighted);
                }
            }
            compare(&world, shares);
        }
        flow_shares_destroy(shares);
    }
}

/* A flow that came and went unsolved leaves nothing; the same place is told of once. */
static void test_brief_flows(void **state)
{
    (void)state;
    struct platform_link only = {.bandwidth = 6, .shared = true};
    const int32_t link[] = {0}, *changed;
    struct flow_shares *shares = make(1, &only, 0, 2);
    assert_true(flow_shares_route(shares, 0, 1, link));
    assert_true(flow_shares_route(shares, 1, 1, link));
    for (int i = 0; i < 1000; i++) {
        flow_shares_add(shares, 0, 1, 6);
        flow_shares_remove(shares, 0);
    }
    assert_int_equal(flow_shares_solve(shares, &changed), 0);
    flow_shares_add(shares, 0, 1, 6);
    flow_shares_remove(shares, 0);
    flow_shares_add(shares, 0, 2, 6);
    flow_shares_add(shares, 1, 1, 6);
    assert_int_equal(flow_shares_solve(shares, &changed), 2);
    assert_true(flow_shares_rate(shares, 0) == 4);
    assert_true(flow_shares_rate(shares, 1) == 2);
    flow_shares_destroy(shares);
}

/* Flows at their limits that are more than the link carries by very little share it anyway. */
static void test_slight_overload(void **state)
{
    (void)state;
    for (double excess = 1e-11; excess < 1e-3; excess *= 10) {
        struct platform_link link[] = {{.bandwidth = 6, .shared = true},
                                       {.bandwidth = 3, .shared = true},
                                       {.bandwidth = 3 * (1 + excess), .shared = true}};
        const int32_t route[][2] = {{0, 1}, {0, 2}}, *changed;
        struct flow_shares *shares = make(3, link, 0, 2);
        for (int32_t f = 0; f < 2; f++) {
            assert_true(flow_shares_route(shares, f, 2, route[f]));
            flow_shares_add(shares, f, 1, link[f + 1].bandwidth);
        }
        flow_shares_solve(shares, &changed);
        const double sum = flow_shares_rate(shares, 0) + flow_shares_rate(shares, 1);
        if (fabs(sum - 6) > 6e-12)
            fail_msg("an excess of %g: the rates are %.17g in all, on a link of 6", excess, sum);
        flow_shares_destroy(shares);
    }
}

/* Links 0 and 1 are crossed by one flow each: they bind it, and leave the other its share of link
 * 2. */
static void links_of_one_flow(void **state)
{
    (void)state;
    struct platform_link link[] = {{.bandwidth = 1, .shared = true},
                                   {.bandwidth = 9, .shared = true},
                                   {.bandwidth = 6, .shared = true}};
    const int32_t route[][2] = {{0, 2}, {2, 1}}, *changed;
    struct flow_shares *shares = make(3, link, 2, 2);
    for (int32_t f = 0; f < 2; f++) {
        assert_true(flow_shares_route(shares, f, 2, route[f]));
        assert_int_equal(flow_shares_link(shares, f, 0), 2);
        assert_int_equal(flow_shares_link(shares, f, 1), -1);
        flow_shares_add(shares, f, 1, fmin(6, link[f].bandwidth));
    }
    assert_int_equal(flow_shares_solve(shares, &changed), 2);
    assert_true(flow_shares_rate(shares, 0) == 1);
    assert_true(flow_shares_rate(shares, 1) == 5);
    flow_shares_destroy(shares);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates_are_max_min_fair),
        cmocka_unit_test(test_brief_flows),
        cmocka_unit_test(test_slight_overload),
        cmocka_unit_test(links_of_one_flow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
