/* test_late.c - the allreduce for a late rank: what docs/bounds.md, "One late rank", claims. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "roundabout.h"

static struct rb_plan *make(int32_t p, int32_t root, int64_t n)
{
    const struct rb_plan_spec spec = {
        .collective = "allreduce", .algorithm = "late", .p = p, .root = root, .n = n};
    struct rb_plan *plan;
    char why[256];
    if (rb_plan_create(&spec, &plan, why, sizeof why) != RB_OK)
        fail_msg("p %d n %d root %d: %s", p, (int)n, root, why);
    return plan;
}

/* n - 1 + q rounds from the late rank's first one on, of the stated number, and a right plan. */
static void expect_right(int32_t p, int32_t root, int64_t n)
{
    const int64_t after = n - 1 + rb_ceil_log2(p);
    const int64_t uneven = n == 1 && ((p - 1) & (p - 2)) != 0;
    struct rb_plan *plan = make(p, root, n);
    const int64_t rounds = rb_plan_rounds(plan);
    struct rb_rank late;
    struct rb_verdict verdict;
    rb_plan_rank(plan, root, &late);
    if (rounds != (p == 2 ? n : 2 * n - 3 + 2 * rb_ceil_log2(p) + uneven) ||
        rb_plan_next(plan, &late, 0) != rounds - after)
        fail_msg("p %d n %d: %d rounds, from round %d on with the late rank", p, (int)n,
                 (int)rounds, (int)rb_plan_next(plan, &late, 0));
    if (rb_verify_plan(plan, NULL, &verdict) != RB_OK)
        fail_msg("p %d n %d root %d: %s", p, (int)n, root, verdict.what);
    assert_int_equal(verdict.moves, 2 * n * (p - 1));
    rb_plan_destroy(plan);
}

static void rounds_after_the_arrival_are_the_fewest(void **state)
{
    (void)state;
    static const int32_t larger[] = {127, 128, 129, 130, 255, 256, 257, 258, 513, 700, 1025};
    for (int32_t p = 2; p <= 40; p++)
        for (int64_t n = 1; n <= 2 * rb_ceil_log2(p) + 2; n++)
            expect_right(p, p * 3 / 5, n);
    for (size_t i = 0; i < sizeof larger / sizeof *larger; i++)
        for (int64_t n = 1; n <= 13; n += 4)
            expect_right(larger[i], 5, n);
}

/* The steps of the proof, on the schedules alone. */
static void schedules_have_what_the_proof_needs(void **state)
{
    (void)state;
    for (int32_t p = 2; p <= 2000; p++) {
        struct rb_circulant all, others;
        int8_t block[RB_MAX_Q + 1];
        uint32_t seen = 0;
        rb_circulant_init(&all, p);
        rb_circulant_init(&others, p - 1);
        rb_circulant_recv(&all, 0, block);
        for (int32_t k = 0; k < all.q; k++) {
            assert_in_range(-block[k], 1, all.q);
            seen |= 1u << (-block[k] - 1);
        }
        assert_int_equal(seen, (1u << all.q) - 1); /* -q .. -1, each once */
        int32_t even = all.q;
        while (all.skip[even] % 2 != 0)
            even--;
        const int32_t s = all.skip[even] - 1;
        assert_int_equal(s == 1, p == 2 || others.q < all.q);
        for (int32_t k = 0; k < all.q && s > 1; k++) {
            assert_int_not_equal(all.skip[k], s);
            assert_int_equal(others.skip[k], all.skip[k] - (all.skip[k] > s));
        }
    }
}

static void only_algorithms_with_a_root_take_one(void **state)
{
    (void)state;
    struct rb_plan_spec spec = {
        .collective = "allreduce", .algorithm = "ring", .p = 4, .root = 2, .n = 1};
    struct rb_plan *plan;
    char why[256];
    assert_int_equal(rb_plan_create(&spec, &plan, why, sizeof why), RB_EINVAL);
    assert_string_equal(why, "allreduce has no root");
    assert_false(rb_takes_root(rb_algorithm_find("allreduce", "ring")));
    assert_true(rb_takes_root(rb_algorithm_find("allreduce", "late")));
    assert_true(rb_takes_root(rb_algorithm_find("bcast", "binomial")));
    spec.algorithm = "late";
    spec.ordered = true;
    assert_int_equal(rb_plan_create(&spec, &plan, why, sizeof why), RB_EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rounds_after_the_arrival_are_the_fewest),
        cmocka_unit_test(schedules_have_what_the_proof_needs),
        cmocka_unit_test(only_algorithms_with_a_root_take_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
