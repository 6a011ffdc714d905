/* test_neighbours.c - whom ranks can send to on a platform, and the plans by neighbours. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "experiments/point/words.h"

static struct point point_on(const char *platform, int32_t p, const struct sim_placement *placement)
{
    struct point point = {
        .plan = {.collective = "allgather", .algorithm = "greedy", .p = p, .n = 1, .ports = 1},
        .platform_text = platform,
        .ppn = 1,
        .placement_rule = placement};
    point_resolve(&point);
    return point;
}

static const struct sim_placement block = {.rule = SIM_BLOCK};

/* By hand: on torus:4x3 host 4 y + x has x - 1, x + 1 (mod 4), and y - 1, y + 1 (mod 3). */
static void test_the_neighbours_of_a_torus(void **state)
{
    (void)state;
    static const int32_t of_5[] = {1, 4, 6, 9};
    struct point point = point_on("torus:4x3", 12, &block);
    struct point_neighbours *kept = NULL;
    struct sup_error error;
    assert_int_equal(point_find_neighbours(&point, false, &kept, &error), RB_OK);
    const struct rb_neighbours *on = point.plan.neighbours;
    assert_int_equal(point.plan.ports, 4);
    assert_int_equal(on->ranks, 12);
    assert_int_equal(on->pairs, 48);
    assert_int_equal(on->links, 48);
    for (int32_t i = 0; i < 4; i++) {
        assert_int_equal(on->pair[20 + i].from, 5);
        assert_int_equal(on->pair[20 + i].to, of_5[i]);
        assert_int_equal(on->pair[20 + i].link[1], -1);
        assert_int_equal(on->capacity[on->pair[20 + i].link[0]], 1);
    }
    point.plan.ports = 7;
    assert_int_equal(point_find_neighbours(&point, true, &kept, &error), RB_OK);
    assert_int_equal(point.plan.ports, 7);
    assert_ptr_equal(point.plan.neighbours, on); /* they are kept */
    point_neighbours_free(kept);
}

/* Two boxes of 8 GPUs: 7 others inside, over links of 300 GB/s, and one over NICs of 25. */
static void test_links_of_boxes_carry_what_they_are_worth(void **state)
{
    (void)state;
    struct point point = point_on("rails:2x8,bandwidth=25GBps,inner-bandwidth=300GBps", 16, &block);
    struct point_neighbours *kept = NULL;
    struct sup_error error;
    assert_int_equal(point_find_neighbours(&point, false, &kept, &error), RB_OK);
    const struct rb_neighbours *on = point.plan.neighbours;
    assert_int_equal(point.plan.ports, 8);
    assert_int_equal(on->pairs, 16 * 8);
    assert_int_equal(on->links, 16 * 4);
    for (int32_t i = 0; i < on->pairs; i++)
        for (int32_t l = 0; l < 2; l++)
            assert_int_equal(on->capacity[on->pair[i].link[l]],
                             on->pair[i].from / 8 == on->pair[i].to / 8 ? 12 : 1);
    point_neighbours_free(kept);
    /* 371 over 48 is 7.7: eight blocks and one, of which the NIC loses 3 %. */
    kept = NULL;
    point.platform_text = "rails:2x8";
    assert_int_equal(point_find_neighbours(&point, false, &kept, &error), RB_OK);
    assert_int_equal(point.plan.neighbours->capacity[point.plan.neighbours->pair[0].link[0]], 8);
    point_neighbours_free(kept);
}

/* Rounds: a rank's p - 1 others' n blocks over its links, which a prototype found, too. */
static void test_plans_are_right_and_have_few_rounds(void **state)
{
    (void)state;
    static const struct {
        const char *platform;
        int32_t p;
        int64_t n, least, most;
    } known[] = {
        {"torus:4x4", 16, 4, 15, 15},
        {"torus:4x4x4", 64, 6, 63, 63},
        {"torus:4x4x4", 64, 2, 21, 22},
        {"torus:8x8x8", 512, 1, 86, 86},
        {"torus:4x3x2", 24, 5, 23, 24},
        {"torus:2x2", 4, 1, 2, 2},
        {"torus:7", 7, 2, 6, 7},
        {"torus:5x5", 3, 2, 0, 9},
        {"crossbar:9", 9, 1, 8, 8},
        {"tofu:3x3", 9, 1, 8, 10},
        {"torus:3x3", 9, 600000, 0, 0},
        {"rails:2x8,bandwidth=25GBps,inner-bandwidth=300GBps", 16, 13, 15, 16},
        {"rails:4x4", 16, 9, 0, 0},
        {"torus:3x5", 1, 3, 0, 0},
    };
    static const char *const collectives[] = {"allgather", "reduce-scatter", "allreduce"};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        struct point_neighbours *kept = NULL;
        for (int c = 0; c < (known[i].p < 500 && known[i].n < 1000 ? 3 : 1); c++) {
            struct point point = point_on(known[i].platform, known[i].p, &block);
            struct sup_error error;
            struct rb_plan *plan;
            struct rb_verdict verdict;
            char why[300];
            point.plan.collective = collectives[c];
            point.plan.n = known[i].n;
            if (point_find_neighbours(&point, false, &kept, &error) != RB_OK)
                fail_msg("%s: %s", known[i].platform, error.text);
            if (rb_plan_create(&point.plan, &plan, why, sizeof why) != RB_OK)
                fail_msg("%s: %s", known[i].platform, why);
            if (known[i].n < 1000 && rb_verify_plan(plan, NULL, &verdict) != RB_OK)
                fail_msg("%s, %s: %s", known[i].platform, collectives[c], verdict.what);
            if (known[i].n < 1000)
                assert_int_equal(verdict.redundant, 0);
            if (known[i].least > 0) {
                assert_int_equal(rb_bound_rounds(plan), known[i].least * (c / 2 + 1));
                assert_in_range(rb_plan_rounds(plan), known[i].least, known[i].most * (c / 2 + 1));
            }
            rb_plan_destroy(plan);
        }
        point_neighbours_free(kept);
    }
}

static void expect_why(const struct rb_neighbours *on, int32_t ports, const char *part)
{
    const struct rb_plan_spec spec = {.collective = "allgather",
                                      .algorithm = "greedy",
                                      .p = 3,
                                      .n = 1,
                                      .ports = ports,
                                      .neighbours = on};
    struct rb_plan *plan;
    char why[300];
    assert_int_not_equal(rb_plan_create(&spec, &plan, why, sizeof why), RB_OK);
    if (strstr(why, part) == NULL)
        fail_msg("\"%s\" has no \"%s\"", why, part);
}

static void test_wrong_neighbours_are_refused(void **state)
{
    (void)state;
    static const int32_t one[] = {1, 1, 1, 1}, none[] = {1, 0, 1, 1};
    static const struct rb_pair ring[] = {
        {0, 1, {0, -1}}, {1, 2, {1, -1}}, {2, 0, {2, -1}}, {2, 1, {3, -1}}};
    static const struct rb_pair bad[][2] = {
        {{0, 3, {0, -1}}, {1, 2, {1, -1}}},  {{0, 1, {4, -1}}, {1, 2, {1, -1}}},
        {{1, 2, {0, -1}}, {0, 1, {1, -1}}},  {{0, 1, {0, -1}}, {0, 1, {1, -1}}},
        {{0, 1, {-1, -1}}, {1, 2, {1, -1}}}, {{0, 1, {0, -1}}, {2, 2, {1, -1}}}};
    expect_why(NULL, 1, "give a platform");
    expect_why(&(struct rb_neighbours){4, 4, one, 4, ring}, 2, "of the 3 ranks");
    expect_why(&(struct rb_neighbours){3, 4, none, 4, ring}, 2, "carry a block");
    expect_why(&(struct rb_neighbours){3, 4, one, 4, ring}, 1, "needs 2 ports");
    expect_why(&(struct rb_neighbours){3, 4, one, 2, ring}, 2, "do not join all ranks");
    expect_why(&(struct rb_neighbours){3, 0, one, 0, ring}, 2, "do not join all ranks");
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        expect_why(&(struct rb_neighbours){3, 4, one, 2, bad[i]}, 2, "in order");
}

static void test_platforms_without_neighbours_are_refused(void **state)
{
    (void)state;
    struct point point = point_on("torus:4x4", 16, &block);
    struct point_neighbours *kept = NULL;
    struct sup_error error;
    point.ppn = 2;
    assert_int_equal(point_find_neighbours(&point, false, &kept, &error), RB_ENOTSUP);
    point.ppn = 1;
    point.platform_text = "cluster.xml";
    assert_int_equal(point_find_neighbours(&point, false, &kept, &error), RB_ENOTSUP);
    point.platform_text = "torus:2x2"; /* too small */
    assert_int_equal(point_find_neighbours(&point, false, &kept, &error), RB_OK);
    assert_null(point.plan.neighbours);
    point_neighbours_free(kept);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_neighbours_of_a_torus),
        cmocka_unit_test(test_links_of_boxes_carry_what_they_are_worth),
        cmocka_unit_test(test_plans_are_right_and_have_few_rounds),
        cmocka_unit_test(test_wrong_neighbours_are_refused),
        cmocka_unit_test(test_platforms_without_neighbours_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
