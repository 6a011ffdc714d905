/* All-to-all on k ports against what Bruck et al. 1997 state: the measures C1 and C2 of the index
 * and concatenation algorithms, the bounds of Section 2, and Table 1. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "schedules/patterns/concatenation.h"

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
static int64_t critical_volume(const struct rb_plan *plan)
{
    struct rb_verdict verdict;
    int64_t stated;
    if (rb_verify_plan(plan, NULL, &verdict) != RB_OK)
        fail_msg("%s p %d k %d r %d n %d: %s", rb_plan_algorithm(plan)->name, rb_plan_ranks(plan),
                 rb_plan_ports(plan), rb_plan_radix(plan), (int)rb_plan_n(plan), verdict.what);
    assert_int_equal(rb_plan_critical_volume(plan, &stated), RB_OK);
    assert_int_equal(stated, verdict.critical_volume);
    assert_true(verdict.critical_volume >= rb_bound_critical_volume(plan, verdict.rounds));
    assert_true(verdict.rounds >= rb_bound_rounds(plan));
    return verdict.critical_volume;
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
    for (int32_t p = 1; p <= 22; p++)
        for (int32_t k = 1; k <= 4; k++)
            for (int32_t r = 2; r <= (p > 2 ? p : 2); r++) {
                struct rb_plan *plan = make("alltoall", "bruck", p, k, r, 2);
                const int64_t rounds = ceil_of(r - 1, k) * rb_ceil_log(p, r);
                assert_int_equal(rb_plan_radix(plan), r);
                assert_true(rb_plan_rounds(plan) <= (p > 1 ? rounds : 1));
                const int64_t stated = 2 * ceil_of(p, r) * rounds;
                assert_true(critical_volume(plan) <= stated || k > 1);
                if (k == 2 && p == 6 && r == 3)
                    assert_int_equal(critical_volume(plan), stated + 2);
                rb_plan_destroy(plan);
            }
}

/* Section 3.3 and Theorem 2.5: r = k + 1 takes the fewest rounds, and for n = (k + 1)^d no more
 * volume than they cost; r = n the least volume, and for that the fewest rounds (Theorem 2.6). */
static void index_meets_the_bounds_at_both_ends(void **state)
{
    (void)state;
    for (int32_t k = 1; k <= 4; k++)
        for (int32_t p = 2, d = 0; p <= 81; p++) {
            struct rb_plan *few = make("alltoall", "bruck", p, k, 0, 1);
            struct rb_plan *direct = make("alltoall", "bruck", p, k, p, 1);
            const int64_t all = rb_ceil_log(p, k + 1), others = p - 1;
            assert_int_equal(rb_plan_radix(few), k + 1 < p ? k + 1 : p);
            assert_int_equal(rb_plan_rounds(few), all);
            int64_t power = 1;
            for (d = 0; power < p; d++)
                power *= k + 1;
            if (power == p) {
                assert_int_equal(rb_bound_critical_volume(few, all), p / (k + 1) * d);
                assert_int_equal(critical_volume(few), p / (k + 1) * d);
            }
            assert_int_equal(rb_plan_rounds(direct), ceil_of(others, k));
            assert_int_equal(critical_volume(direct), ceil_of(others, k));
            assert_int_equal(rb_bound_critical_volume(direct, ceil_of(others, k)),
                             ceil_of(others, k));
            if (others % k == 0 && others / k > all)
                assert_true(rb_bound_critical_volume(direct, others / k - 1) > others / k);
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

/* The SP-1 of Section 3.5: 64 nodes, 29 us and 0.12 us per byte. With r = 2^i and 64 = r^w a time
 * is (r - 1) w (29 us + 64 b / r 0.12 us): at b = 106.8 bytes direct messages overtake r = 2. */
static void the_best_radix_is_the_sp1s(void **state)
{
    (void)state;
    static const int32_t powers[] = {2, 4, 8, 64}, digits[] = {6, 3, 2, 1};
    double at[4][2];
    for (size_t i = 0; i < 4; i++)
        for (int64_t b = 106; b <= 107; b++) {
            struct rb_plan *plan = make("alltoall", "bruck", 64, 1, powers[i], 1);
            const struct rb_layout layout = {.bytes = 64 * 64 * b, .element = 1};
            const double messages = (powers[i] - 1) * digits[i];
            double time_s;
            assert_int_equal(rb_plan_cost(plan, &layout, 29e-6, 0.12e-6, &time_s), RB_OK);
            at[i][b - 106] = messages * (29e-6 + 64.0 * (double)b / powers[i] * 0.12e-6);
            assert_float_equal(time_s, at[i][b - 106], 1e-12);
            rb_plan_destroy(plan);
        }
    assert_true(at[0][0] < at[3][0] && at[0][1] > at[3][1]);

    const struct rb_plan_spec spec = {
        .collective = "alltoall", .algorithm = "bruck", .p = 64, .n = 1};
    static const struct {
        int64_t b;
        int32_t power;
    } known[] = {{1, 2}, {32, 4}, {107, 8}, {10000, 64}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        const int64_t bytes = 64 * 64 * known[i].b;
        int32_t power, any;
        double best_s = 1, any_s = 1;
        assert_int_equal(rb_best_radix(&spec, bytes, 29e-6, 0.12e-6, true, &power), RB_OK);
        assert_int_equal(power, known[i].power);
        assert_int_equal(rb_best_radix(&spec, bytes, 29e-6, 0.12e-6, false, &any), RB_OK);
        for (int32_t r = 2; r <= 64; r++) {
            struct rb_plan *plan = make("alltoall", "bruck", 64, 1, r, 1);
            const struct rb_layout layout = {.bytes = bytes, .element = 1};
            double time_s;
            assert_int_equal(rb_plan_cost(plan, &layout, 29e-6, 0.12e-6, &time_s), RB_OK);
            best_s = time_s < best_s ? time_s : best_s;
            any_s = r == any ? time_s : any_s;
            rb_plan_destroy(plan);
        }
        assert_true(any_s == best_s);
    }
    int32_t none;
    const struct rb_plan_spec pairwise = {
        .collective = "alltoall", .algorithm = "pairwise", .p = 64, .n = 1};
    assert_int_equal(rb_best_radix(&pairwise, 64, 1, 1, false, &none), RB_ENOTSUP);
}

/* The last round's table for n1 = 3, n2 = 7, b = 3, k = 3. */
static void table_1_is_the_papers(void **state)
{
    (void)state;
    static const int32_t paper[3][7] = {
        {1, 1, 1, 2, 2, 3, 3}, {1, 1, 2, 2, 2, 3, 3}, {1, 1, 2, 2, 3, 3, 3}};
    static const int64_t offsets[] = {3, 5, 7};
    struct rb_table table = {.have = 3, .columns = 7, .rows = 3};
    table.area = rb_table_cut(&table, 3);
    assert_int_equal(table.area, 7);
    assert_int_equal(rb_table_areas(&table), 3);
    for (int32_t i = 2; i >= 0; i--) {
        const struct rb_area area = rb_table_area(&table, i, i == 2 ? INT64_MAX : offsets[i + 1]);
        assert_int_equal(area.offset, offsets[i]);
        assert_int_equal(area.end - area.first, 7);
        for (int64_t x = area.first; x < area.end; x++)
            assert_int_equal(paper[x % 3][x / 3], i + 1);
    }
}

static bool is_hard(int32_t p, int32_t k, int64_t n)
{
    int64_t power = 1;
    while (power < p)
        power *= k + 1;
    return n >= 3 && k >= 3 && power - k < p && p < power;
}

/* Theorem 4.3 and the remark after it: rounds and volume are both the least outside the hard range;
 * in it, of the two algorithms one keeps the rounds at the least and the other the volume. */
static void concatenation_meets_the_bounds(void **state)
{
    (void)state;
    static const int64_t blocks[] = {1, 2, 3, 8};
    int32_t hard = 0, missed = 0;
    for (int32_t p = 1; p <= 400; p++)
        for (int32_t k = 1; k <= 8; k++)
            for (size_t b = 0; b < 4; b++) {
                struct rb_plan *rounds = make("allgather", "bruck", p, k, 0, blocks[b]);
                struct rb_plan *volume = make("allgather", "bruck-volume", p, k, 0, blocks[b]);
                const int32_t used = k < p ? k : p > 1 ? p - 1 : 1;
                const int64_t least = rb_ceil_log(p, used + 1), n = blocks[b];
                const int64_t least_volume = ceil_of(n * (p - 1), used);
                int64_t of_rounds, of_volume;
                assert_int_equal(rb_plan_critical_volume(rounds, &of_rounds), RB_OK);
                assert_int_equal(rb_plan_critical_volume(volume, &of_volume), RB_OK);
                assert_int_equal(rb_bound_rounds(rounds), least);
                assert_int_equal(rb_bound_critical_volume(rounds, least), least_volume);
                assert_int_equal(rb_plan_rounds(rounds), least);
                assert_int_equal(of_volume, least_volume);
                assert_in_range(rb_plan_rounds(volume), least, least + is_hard(p, used, n));
                assert_in_range(of_rounds, least_volume,
                                least_volume + (is_hard(p, used, n) ? n - 1 : 0));
                hard += is_hard(p, used, n);
                missed += of_rounds > least_volume;
                rb_plan_destroy(rounds);
                rb_plan_destroy(volume);
            }
    assert_int_equal(hard, 2 * 43); /* the p of the range for k = 3 .. 8, by hand, for two b */
    assert_int_equal(missed, 41);
}

/* The cut is the smallest that fits, found by trying all. */
static void tables_are_cut_no_larger_than_need_be(void **state)
{
    (void)state;
    int32_t larger = 0;
    for (int32_t k = 1; k <= 8; k++)
        for (int64_t rows = 1; rows <= 13; rows++)
            for (int64_t columns = 1; columns <= k * (k + 1); columns++) {
                struct rb_table table = {.have = k + 1, .columns = columns, .rows = rows};
                const int64_t cut = rb_table_cut(&table, k), least = ceil_of(rows * columns, k);
                for (table.area = least; !rb_table_fits(&table);)
                    table.area++;
                assert_int_equal(cut, table.area);
                larger += cut > least && cut < rows * (k + 1);
            }
    assert_true(larger > 10); /* ones that are no whole columns either */
}

/* A rank's messages of a round go to different ranks, as the paper's model has it. */
static void expect_different_peers(const struct rb_plan *plan)
{
    struct rb_op *ops = malloc((size_t)rb_plan_max_ops(plan) * sizeof *ops);
    struct rb_rank rank;
    rb_plan_rank(plan, 0, &rank);
    for (int64_t t = 0; t < rb_plan_rounds(plan); t++) {
        const int32_t count = rb_plan_round(plan, &rank, t, ops);
        for (int32_t i = 0; i < count && ops[i].kind == RB_SEND; i++)
            for (int32_t j = 0; j < i; j++)
                assert_int_equal(ops[i].peer == ops[j].peer, ops[i].port == ops[j].port);
    }
    free(ops);
}

static void concatenation_is_right(void **state)
{
    (void)state;
    static const char *const names[] = {"bruck", "bruck-volume"};
    for (size_t i = 0; i < 2; i++)
        for (int32_t p = 1; p <= 66; p += p < 18 ? 1 : 3)
            for (int32_t k = 1; k <= 8; k++)
                for (int64_t n = 1; n <= 8; n += n < 3 ? 1 : 5) {
                    struct rb_plan *plan = make("allgather", names[i], p, k, 0, n);
                    critical_volume(plan);
                    expect_different_peers(plan);
                    rb_plan_destroy(plan);
                }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(index_keeps_to_its_formulas),
        cmocka_unit_test(index_meets_the_bounds_at_both_ends),
        cmocka_unit_test(index_moves_by_digits),
        cmocka_unit_test(the_best_radix_is_the_sp1s),
        cmocka_unit_test(table_1_is_the_papers),
        cmocka_unit_test(concatenation_meets_the_bounds),
        cmocka_unit_test(tables_are_cut_no_larger_than_need_be),
        cmocka_unit_test(concatenation_is_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
