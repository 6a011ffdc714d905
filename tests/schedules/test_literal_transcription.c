/* The literal transcription: against the paper's tables, its two variants against each other, and
 * its counts at ranks where the paper's bounds are known to be reached. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "paper_tables.h"
#include "schedules/literal/oracle.h"

static void check_table(int32_t p, int32_t q, const int8_t *table)
{
    struct oracle oracle;
    oracle_init(&oracle, p);
    assert_int_equal(oracle.q, q);
    for (int32_t r = 0; r < p; r++) {
        int32_t recv[33], send[33];
        oracle_recv(&oracle, r, recv);
        oracle_send(&oracle, r, send);
        assert_int_equal(oracle_baseblock(&oracle, r), table[r]);
        for (int32_t k = 0; k < q; k++) {
            assert_int_equal(recv[k], table[(1 + k) * p + r]);
            assert_int_equal(send[k], table[(1 + q + k) * p + r]);
        }
    }
}

static void tables_of_the_paper(void **state)
{
    (void)state;
    check_table(TABLE_1_P, TABLE_1_Q, &table_1[0][0]);
    check_table(TABLE_2_P, TABLE_2_Q, &table_2[0][0]);
    check_table(TABLE_3_P, TABLE_3_Q, &table_3[0][0]);
}

static void same_with_counting(struct oracle *oracle, int32_t r)
{
    int32_t plain[33], counted[33];
    oracle_recv(oracle, r, plain);
    oracle_recv_counting(oracle, r, counted);
    assert_memory_equal(plain, counted, (size_t)oracle->q * sizeof *plain);
    oracle_send(oracle, r, plain);
    oracle_send_counting(oracle, r, counted);
    assert_memory_equal(plain, counted, (size_t)oracle->q * sizeof *plain);
}

static void counting_changes_nothing(void **state)
{
    static const int32_t large[] = {16385, 65537, 131071, 1000003, (1 << 30) - 17, 1 << 30};
    struct oracle oracle;
    (void)state;
    for (int32_t p = 1; p <= 300; p++) {
        oracle_init(&oracle, p);
        for (int32_t r = 0; r < p; r++)
            same_with_counting(&oracle, r);
    }
    for (size_t i = 0; i < sizeof large / sizeof large[0]; i++) {
        oracle_init(&oracle, large[i]);
        for (int64_t r = 0; r < large[i]; r += 1 + large[i] / 1000)
            same_with_counting(&oracle, (int32_t)r);
    }
}

/* The first p at which some rank has so many violations: 3 at 65, 4 at 2049 (found when Theorem 3's
 * bound was checked over all p up to 2^25). */
static void violations_are_counted(void **state)
{
    int32_t block[33], most = 0;
    (void)state;
    for (int32_t p = 1; p <= 2049; p++) {
        struct oracle oracle;
        int32_t here = 0;
        oracle_init(&oracle, p);
        for (int32_t r = 0; r < p; r++) {
            oracle_send_counting(&oracle, r, block);
            here = oracle.violations > here ? oracle.violations : here;
        }
        if (here > most && here >= 3)
            assert_int_equal(p, here == 3 ? 65 : 2049);
        most = here > most ? here : most;
    }
    assert_int_equal(most, 4);
}

/* p = 257, r = 2 is where Lemma 6's 2q + R iterations are exceeded first: 25, with R = 6. */
static void calls_and_iterations_are_counted(void **state)
{
    struct oracle oracle;
    int32_t block[33];
    (void)state;
    oracle_init(&oracle, 257);
    for (int32_t i = 0; i < 2; i++) { /* from the start each time */
        oracle_recv_counting(&oracle, 2, block);
        assert_int_equal(oracle.q, 9);
        assert_int_equal(oracle.calls, 6);
        assert_int_equal(oracle.iterations, 25);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_of_the_paper),
        cmocka_unit_test(counting_changes_nothing),
        cmocka_unit_test(violations_are_counted),
        cmocka_unit_test(calls_and_iterations_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
