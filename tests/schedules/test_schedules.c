/* The circulant schedules against the paper's tables, a literal transcription of its algorithms,
 * and the four correctness conditions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "paper_tables.h"
#include "roundabout.h"
#include "schedules/literal/oracle.h"

static void check_table(int32_t p, int32_t q, const int8_t *table)
{
    struct rb_circulant graph;
    assert_int_equal(rb_circulant_init(&graph, p), RB_OK);
    assert_int_equal(graph.q, q);
    for (int32_t r = 0; r < p; r++) {
        int8_t recv[RB_MAX_Q + 1], send[RB_MAX_Q + 1];
        rb_circulant_recv(&graph, r, recv);
        rb_circulant_send(&graph, r, send);
        assert_int_equal(rb_circulant_baseblock(&graph, r), table[r]);
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

static void skips_halve_and_round_up(void **state)
{
    (void)state;
    static const int32_t expected[] = {1, 2, 3, 5, 9, 17}; /* Section 2, p = 17 */
    struct rb_circulant graph;
    assert_int_equal(rb_circulant_init(&graph, 17), RB_OK);
    for (int32_t k = 0; k <= 5; k++)
        assert_int_equal(graph.skip[k], expected[k]);
    assert_int_equal(rb_circulant_init(&graph, 0), RB_EINVAL);
    assert_int_equal(rb_circulant_init(&graph, -5), RB_EINVAL);
    assert_int_equal(rb_circulant_init(&graph, RB_MAX_RANKS + 1), RB_EINVAL);
    assert_int_equal(rb_circulant_init(&graph, INT32_MAX), RB_EINVAL);
    assert_int_equal(rb_circulant_init(&graph, RB_MAX_RANKS), RB_OK);
    assert_int_equal(graph.q, 30);
    assert_int_equal(rb_circulant_init(&graph, 1), RB_OK);
    assert_int_equal(graph.q, 0);
}

static void same_as_oracle(int32_t p, int32_t r)
{
    struct oracle oracle;
    struct rb_circulant graph;
    int32_t recv[33], send[33];
    int8_t our_recv[RB_MAX_Q + 1], our_send[RB_MAX_Q + 1];
    oracle_init(&oracle, p);
    assert_int_equal(rb_circulant_init(&graph, p), RB_OK);
    oracle_recv(&oracle, r, recv);
    oracle_send(&oracle, r, send);
    rb_circulant_recv(&graph, r, our_recv);
    rb_circulant_send(&graph, r, our_send);
    assert_int_equal(rb_circulant_baseblock(&graph, r), oracle_baseblock(&oracle, r));
    for (int32_t k = 0; k < graph.q; k++) {
        if (our_recv[k] != recv[k] || our_send[k] != send[k])
            fail_msg("p %d, r %d, k %d: receive %d, oracle %d; send %d, oracle %d", p, r, k,
                     our_recv[k], recv[k], our_send[k], send[k]);
    }
}

static void literal_transcription_all_ranks(void **state)
{
    (void)state;
    for (int32_t p = 1; p <= 600; p++) {
        for (int32_t r = 0; r < p; r++)
            same_as_oracle(p, r);
    }
}

/* Where a well-known implementation went wrong, and the paper's own counter-examples. */
static const int32_t delicate[] = {33,   65,   66,   67,    69,    257,   513,   1023,   1025,
                                   2049, 4097, 8191, 16385, 32769, 65535, 65537, 131071, 131073};

static void literal_transcription_delicate_p(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof delicate / sizeof delicate[0]; i++) {
        int32_t p = delicate[i];
        for (int32_t r = 0; r < p; r += p < 5000 ? 1 : 7)
            same_as_oracle(p, r);
    }
}

static uint64_t next_random(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

static void literal_transcription_random_large_p(void **state)
{
    (void)state;
    uint64_t seed = 20240722;
    for (int32_t i = 0; i < 30000; i++) {
        int32_t bits = 10 + (int32_t)(next_random(&seed) % 21);
        int32_t p = (int32_t)((next_random(&seed) & ((UINT64_C(1) << bits) - 1u)) + 1u);
        same_as_oracle(p, (int32_t)(next_random(&seed) % (uint64_t)p));
    }
    for (int32_t i = 0; i < 2000; i++)
        same_as_oracle(RB_MAX_RANKS - i % 3, (int32_t)(next_random(&seed) % (RB_MAX_RANKS - 3)));
}

/* Close to sums of few skips, where a search is needed. The p have the most odd skips, the fewest,
 * and some. */
static void literal_transcription_delicate_ranks_of_large_p(void **state)
{
    (void)state;
    uint64_t seed = 17;
    for (int32_t m = 11; m <= 30; m++) {
        for (int32_t i = 0; i < 12; i++) {
            const int64_t power = INT64_C(1) << m;
            const int64_t p =
                i < 5   ? power - 2 + i
                : i < 8 ? power / 3 * 2 - 6 + i
                        : power / 2 + (int64_t)(next_random(&seed) % (uint64_t)(power / 2));
            struct rb_circulant graph;
            if (rb_circulant_init(&graph, (int32_t)p) != RB_OK)
                continue; /* beyond RB_MAX_RANKS */
            for (int32_t n = 0; n < 200; n++) {
                int64_t r = (int64_t)(next_random(&seed) % 70) - 35;
                for (int32_t terms = 1 + n % 3; terms > 0; terms--)
                    r += graph.skip[next_random(&seed) % (uint64_t)graph.q];
                same_as_oracle((int32_t)p, (int32_t)((r + p) % p));
            }
        }
    }
}

/* Whole tables are the single schedules, entry by entry: what is verified is what plans use. */
static void tables_are_the_single_schedules(void **state)
{
    (void)state;
    enum { MOST = 1100 };
    static int8_t base[MOST], recv[MOST * 11], send[MOST * 11];
    for (int32_t p = 1; p <= MOST; p++) {
        struct rb_circulant graph;
        assert_int_equal(rb_circulant_init(&graph, p), RB_OK);
        rb_circulant_table(&graph, base, recv, send);
        for (int32_t r = 0; r < p; r++) {
            int8_t one[2][RB_MAX_Q + 1];
            rb_circulant_recv(&graph, r, one[0]);
            rb_circulant_send(&graph, r, one[1]);
            assert_true(p == 1 || base[r] == rb_circulant_baseblock(&graph, r));
            for (int32_t k = 0; k < graph.q; k++) {
                assert_int_equal(recv[k * p + r], one[0][k]);
                assert_int_equal(send[k * p + r], one[1][k]);
            }
        }
    }
}

/* Single ranks: all of them for small p, some where p is too large for a table. */
static void four_conditions_of_single_ranks(void **state)
{
    (void)state;
    uint64_t seed = 17;
    struct rb_verdict verdict;
    static const int32_t huge[] = {RB_MAX_RANKS, RB_MAX_RANKS - 1, (1 << 29) + 1, 33554433,
                                   999999937};
    for (int32_t p = 1; p <= 200; p++) {
        for (int32_t r = 0; r < p; r++)
            assert_int_equal(rb_verify_schedule_rank(p, r, &verdict), RB_OK);
        assert_int_equal(verdict.rounds, rb_ceil_log2(p));
    }
    for (size_t i = 0; i < sizeof huge / sizeof huge[0]; i++) {
        for (int32_t sample = 0; sample < 300; sample++) {
            int32_t r = (int32_t)(next_random(&seed) % (uint64_t)huge[i]);
            assert_int_equal(rb_verify_schedule_rank(huge[i], r, &verdict), RB_OK);
        }
        assert_int_equal(rb_verify_schedule_rank(huge[i], 0, &verdict), RB_OK);
        assert_int_equal(rb_verify_schedule_rank(huge[i], huge[i] - 1, &verdict), RB_OK);
    }
    assert_int_equal(rb_verify_schedule_rank(0, 0, &verdict), RB_EINVAL);
    assert_int_equal(rb_verify_schedule_rank(5, 5, &verdict), RB_EINVAL);
    assert_int_equal(rb_verify_schedule_rank(5, -1, &verdict), RB_EINVAL);
}

static void four_conditions(void **state)
{
    (void)state;
    struct rb_schedule_room room = {0};
    struct rb_verdict verdict;
    for (int32_t p = 1; p <= 3000; p++)
        assert_int_equal(rb_verify_schedule(p, &room, &verdict), RB_OK);
    for (size_t i = 0; i < sizeof delicate / sizeof delicate[0]; i++)
        assert_int_equal(rb_verify_schedule(delicate[i], &room, &verdict), RB_OK);
    assert_int_equal(rb_verify_schedule(0, &room, &verdict), RB_EINVAL);
    rb_schedule_room_free(&room);
    rb_schedule_room_free(&room);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_of_the_paper),
        cmocka_unit_test(skips_halve_and_round_up),
        cmocka_unit_test(literal_transcription_all_ranks),
        cmocka_unit_test(literal_transcription_delicate_p),
        cmocka_unit_test(literal_transcription_random_large_p),
        cmocka_unit_test(literal_transcription_delicate_ranks_of_large_p),
        cmocka_unit_test(tables_are_the_single_schedules),
        cmocka_unit_test(four_conditions_of_single_ranks),
        cmocka_unit_test(four_conditions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
