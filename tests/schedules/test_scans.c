/* test_scans.c - scans by halving: in rank order, with 2 q rounds and 2 (p - 1) shares per rank,
 * for p up to 48; with the argument "long" up to 320. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <string.h>

#include "roundabout.h"

static int32_t most_ranks = 48;

static void verify(const char *collective, int32_t p, int64_t n)
{
    const struct rb_plan_spec spec = {
        .collective = collective, .algorithm = "halving", .p = p, .n = n, .ordered = true};
    struct rb_plan *plan;
    struct rb_verdict verdict;
    double cost_s;
    const struct rb_layout layout = {.bytes = n * p, .element = 1};
    assert_int_equal(rb_plan_create(&spec, &plan, NULL, 0), RB_OK);
    if (rb_verify_plan(plan, NULL, &verdict) != RB_OK)
        fail_msg("roundabout verify --collective %s --algorithm halving -p %d -n %d --ordered: %s",
                 collective, p, (int)n, verdict.what);
    assert_int_equal(verdict.rounds, 2 * rb_ceil_log2(p));
    assert_int_equal(verdict.critical_volume, 2 * n * (p - 1));
    if (p > 1) { /* in lockstep */
        assert_int_equal(rb_plan_cost(plan, &layout, 1, 1, &cost_s), RB_OK);
        assert_float_equal(cost_s, (double)(2 * rb_ceil_log2(p) + 2 * n * (p - 1)), 1e-6);
    }
    /* Rank p - 1 sends nothing up, and nothing goes down to ranks that begin with rank 0. */
    assert_true(verdict.moves <= 2 * n * (p - 1) * p);
    rb_plan_destroy(plan);
}

static void every_number_of_ranks(void **state)
{
    (void)state;
    for (int32_t p = 1; p <= most_ranks; p++)
        for (int64_t n = 1; n <= (p <= 17 ? 3 : 1); n += 2) {
            verify("scan", p, n);
            verify("exscan", p, n);
        }
}

/* What is kept for another share in a slot is not what is there by its own name. */
static void slots_have_places_of_their_own(void **state)
{
    const struct rb_plan_spec spec = {.collective = "scan", .algorithm = "halving", .p = 6, .n = 4};
    struct rb_plan *plan;
    (void)state;
    assert_int_equal(rb_plan_create(&spec, &plan, NULL, 0), RB_OK);
    assert_int_equal(rb_plan_slot_blocks(plan), 4);
    const struct rb_range one = {RB_TMP, 2, 20, 4}, same = {RB_TMP, 2, 4, 1},
                          after = {RB_TMP, 3, 20, 4}, named = {RB_DST, 0, 20, 4};
    assert_true(rb_plan_overlap(plan, &one, &same));
    assert_false(rb_plan_overlap(plan, &one, &after));
    assert_false(rb_plan_overlap(plan, &one, &named));
    assert_int_equal(rb_plan_location(plan, &one).first, 8);
    assert_int_equal(rb_plan_location(plan, &after).first, 12);
    assert_int_equal(rb_plan_location(plan, &named).first, 20);
    rb_plan_destroy(plan);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_number_of_ranks),
        cmocka_unit_test(slots_have_places_of_their_own),
    };
    if (argc > 1 && strcmp(argv[1], "long") == 0)
        most_ranks = 320;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
