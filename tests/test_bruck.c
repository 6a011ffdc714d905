/* All-to-all on k ports against what Bruck et al. 1997 state: the index algorithm's measures C1 and
 * C2, and the bounds of Section 2. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "roundabout.h"

static struct rb_plan *make(const char *collective, const char *algorithm, int32_t p, int32_t ports,
                            int32_t radix, int64_t n)
{
    const struct rb_plan_spec spec = {.collective = collective,
                                      .algorithm = algorithm,
                                      .p = p,
                                      .n = n,
                                      .ports = ports,
                                      .radix = radix};
    struct rb_plan *plan;
    char why[256];
    if (rb_plan_create(&spec, &plan, why, sizeof why) != RB_OK)
        fail_msg("%s %s p %d k %d r %d: %s", collective, algorithm, p, ports, radix, why);
    return plan;
}

/* C2, counted; the formula says the same. */
static int64_t in_sequence(const struct rb_plan *plan)
{
    struct rb_verdict verdict;
    int64_t stated;
    if (rb_verify_plan(plan, NULL, &verdict) != RB_OK)
        fail_msg("%s p %d k %d r %d n %d: %s", rb_plan_algorithm(plan)->name, rb_plan_ranks(plan),
                 rb_plan_ports(plan), rb_plan_radix(plan), (int)rb_plan_n(plan), verdict.what);
    assert_int_equal(rb_plan_in_sequence(plan, &stated), RB_OK);
    assert_int_equal(stated, verdict.in_sequence);
    assert_true(verdict.in_sequence >= rb_bound_in_sequence(plan, verdict.rounds));
    assert_true(verdict.rounds >= rb_bound_rounds(plan));
    return verdict.in_sequence;
}

static int64_t ceil_of(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

/* Section 3.4: C1 <= ceil((r - 1)/k) ceil(log_r n), C2 <= b ceil(n / r) times that. The latter
 * holds on one port; on several the last digit, whose values need not be even, can have longer
 * messages than b ceil(n / r): on two ports first for n = 6, r = 3, where distances 3, 4 and 5 move
 * at once.
 */
static void index_keeps_to_its_formulas(void **state)
{
    (void)state;
    for (int32_t p = 1; p <= 30; p++)
        for (int32_t k = 1; k <= 4; k++)
            for (int32_t r = 2; r <= (p > 2 ? p : 2); r++) {
                struct rb_plan *plan = make("alltoall", "bruck", p, k, r, 2);
                const int64_t rounds = ceil_of(r - 1, k) * rb_ceil_log(p, r);
                assert_int_equal(rb_plan_radix(plan), r);
                assert_true(rb_plan_rounds(plan) <= (p > 1 ? rounds : 1));
                const int64_t stated = 2 * ceil_of(p, r) * rounds;
                assert_true(in_sequence(plan) <= stated || k > 1);
                if (k == 2 && p == 6 && r == 3)
                    assert_int_equal(in_sequence(plan), stated + 2);
                rb_plan_destroy(plan);
            }
}

/* Section 3.3 and Theorem 2.5: r = k + 1 takes the fewest rounds, and for n = (k + 1)^d no more
 * volume than they cost; r = n the least volume, and for that the fewest rounds (Theorem 2.6). */
static void index_meets_the_bounds_at_both_ends(void **state)
{
    (void)state;
    for (int32_t k = 1; k <= 4; k++)
        for (int32_t p = 2, d = 0; p <= 130; p++) {
            struct rb_plan *few = make("alltoall", "bruck", p, k, 0, 1);
            struct rb_plan *direct = make("alltoall", "bruck", p, k, p, 1);
            const int64_t all = rb_ceil_log(p, k + 1), others = p - 1;
            assert_int_equal(rb_plan_radix(few), k + 1 < p ? k + 1 : p);
            assert_int_equal(rb_plan_rounds(few), all);
            int64_t power = 1;
            for (d = 0; power < p; d++)
                power *= k + 1;
            if (power == p) {
                assert_int_equal(rb_bound_in_sequence(few, all), p / (k + 1) * d);
                assert_int_equal(in_sequence(few), p / (k + 1) * d);
            }
            assert_int_equal(rb_plan_rounds(direct), ceil_of(others, k));
            assert_int_equal(in_sequence(direct), ceil_of(others, k));
            assert_int_equal(rb_bound_in_sequence(direct, ceil_of(others, k)), ceil_of(others, k));
            if (others % k == 0 && others / k > all)
                assert_true(rb_bound_in_sequence(direct, others / k - 1) > others / k);
            rb_plan_destroy(few);
            rb_plan_destroy(direct);
        }
}

/* Section 3.2's example: distance 5 is "12" in base 3, so it moves by 2 and later by 3. Five ranks
 * of radix 2 move as in Figure 3: distances 1 and 3, then 2 and 3, then 4. */
static void index_moves_by_digits(void **state)
{
    (void)state;
    static const struct {
        int32_t p, radix, rounds;
        struct {
            int32_t by, count;
        } round[5];
    } known[] = {{5, 2, 3, {{1, 2}, {2, 2}, {4, 1}}},
                 {6, 3, 3, {{1, 2}, {2, 2}, {3, 3}}},
                 {5, 5, 4, {{1, 1}, {2, 1}, {3, 1}, {4, 1}}}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        struct rb_plan *plan = make("alltoall", "bruck", known[i].p, 1, known[i].radix, 1);
        struct rb_op *ops = malloc((size_t)rb_plan_max_ops(plan) * sizeof *ops);
        struct rb_rank rank;
        rb_plan_rank(plan, 1, &rank);
        assert_int_equal(rb_plan_rounds(plan), known[i].rounds);
        for (int32_t t = 0; t < known[i].rounds; t++) {
            const int32_t count = rb_plan_round(plan, &rank, t, ops);
            assert_int_equal(count, 2 * known[i].round[t].count + (t == 0));
            assert_int_equal(ops[0].peer, (1 + known[i].round[t].by) % known[i].p);
        }
        free(ops);
        rb_plan_destroy(plan);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(index_keeps_to_its_formulas),
        cmocka_unit_test(index_meets_the_bounds_at_both_ends),
        cmocka_unit_test(index_moves_by_digits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
