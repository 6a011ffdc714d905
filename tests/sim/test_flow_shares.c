/* Shares of links: after every event the repaired rates are those of plain water-filling, which
 * raises all rates together and stops those that cross a full link. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "schedules/plan/random.h"
#include "sim/flow/shares.h"

enum { MOST_LINKS = 60, MOST_FLOWS = 120, LONGEST = 15 };

struct flow_of_test {
    bool is_there, is_done;
    int32_t id, links, link[LONGEST];
    double weight, limit, level, told;
};

struct world {
    int32_t links;
    double capacity[MOST_LINKS];
    struct flow_of_test flow[MOST_FLOWS];
};

/* Sets every flow's level. */
static void fill_with_water(struct world *world)
{
    for (int f = 0; f < MOST_FLOWS; f++)
        world->flow[f].is_done = !world->flow[f].is_there;
    for (;;) {
        double least = INFINITY;
        int32_t fullest = -1;
        for (int32_t l = 0; l < world->links; l++) {
            double room = world->capacity[l], weight = 0;
            for (int f = 0; f < MOST_FLOWS; f++)
                for (int i = 0; i < world->flow[f].links && world->flow[f].is_there; i++)
                    if (world->flow[f].link[i] == l && world->flow[f].is_done)
                        room -= world->flow[f].level * world->flow[f].weight;
                    else if (world->flow[f].link[i] == l)
                        weight += world->flow[f].weight;
            if (weight > 0 && room / weight < least) {
                least = room / weight;
                fullest = l;
            }
        }
        int32_t limited = -1;
        for (int f = 0; f < MOST_FLOWS; f++)
            if (!world->flow[f].is_done && world->flow[f].limit / world->flow[f].weight < least) {
                least = world->flow[f].limit / world->flow[f].weight;
                limited = f;
            }
        if (least == INFINITY)
            return;
        if (limited >= 0) {
            world->flow[limited].level = least;
            world->flow[limited].is_done = true;
            continue;
        }
        for (int f = 0; f < MOST_FLOWS; f++)
            for (int i = 0; i < world->flow[f].links; i++)
                if (world->flow[f].link[i] == fullest && !world->flow[f].is_done) {
                    world->flow[f].level = least;
                    world->flow[f].is_done = true;
                    break;
                }
    }
}

/* A share of the draws is of few values, so that many levels tie. */
static double draw(uint64_t *random, bool ties)
{
    return ties ? (double)(1 + rb_random_below(random, 3))
                : 0.1 + (double)rb_random_below(random, 1000003) / 1e5;
}

static void add_flow(struct world *world, struct flow_shares *shares, uint64_t *random, int f,
                     bool ties, bool weighted)
{
    struct flow_of_test *flow = &world->flow[f];
    *flow = (struct flow_of_test){.is_there = true, .weight = 1, .limit = INFINITY};
    flow->links = (int32_t)rb_random_below(random, LONGEST + 1);
    for (int32_t i = 0; i < flow->links; i++) /* some links several times */
        flow->link[i] = (int32_t)rb_random_below(random, (uint32_t)world->links);
    if (weighted)
        flow->weight = draw(random, ties);
    if (flow->links == 0 || rb_random_below(random, 4) == 0)
        flow->limit = draw(random, ties) / 4;
    flow->id = f;
    assert_true(flow_shares_route(shares, f, flow->links, flow->link));
    for (int32_t i = 0; i < flow->links; i++)
        assert_int_equal(flow_shares_link(shares, f, i), flow->link[i]);
    assert_int_equal(flow_shares_link(shares, f, flow->links), -1);
    flow_shares_add(shares, f, flow->weight, flow->limit);
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

static void test_rates(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 16; seed++) {
        uint64_t random = seed;
        struct world world = {.links = 1 + (int32_t)rb_random_below(&random, MOST_LINKS)};
        const bool ties = seed % 2 == 0, weighted = seed / 2 % 2 == 0;
        const int flows = 1 + (int)rb_random_below(&random, MOST_FLOWS);
        for (int32_t l = 0; l < world.links; l++)
            world.capacity[l] = draw(&random, ties);
        struct flow_shares *shares = flow_shares_create(world.links, world.capacity, MOST_FLOWS);
        assert_non_null(shares);
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
    const double capacity[] = {6};
    const int32_t link[] = {0}, *changed;
    struct flow_shares *shares = flow_shares_create(1, capacity, 2);
    assert_non_null(shares);
    assert_true(flow_shares_route(shares, 0, 1, link));
    assert_true(flow_shares_route(shares, 1, 1, link));
    for (int i = 0; i < 1000; i++) {
        flow_shares_add(shares, 0, 1, INFINITY);
        flow_shares_remove(shares, 0);
    }
    assert_int_equal(flow_shares_solve(shares, &changed), 0);
    flow_shares_add(shares, 0, 1, INFINITY);
    flow_shares_remove(shares, 0);
    flow_shares_add(shares, 0, 2, INFINITY);
    flow_shares_add(shares, 1, 1, INFINITY);
    assert_int_equal(flow_shares_solve(shares, &changed), 2);
    assert_true(flow_shares_rate(shares, 0) == 4);
    assert_true(flow_shares_rate(shares, 1) == 2);
    flow_shares_destroy(shares);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rates),
        cmocka_unit_test(test_brief_flows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
