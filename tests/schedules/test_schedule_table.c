/* test_schedule_table.c - whole tables of circulant schedules against a literal transcription of
 * the paper's algorithms, entry by entry.
 *
 * Without arguments: what ctest runs. With two, FIRST LAST: all ranks of these p, for checks by
 * hand that take longer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "roundabout.h"
#include "schedules/literal/oracle.h"

struct table {
    struct rb_circulant graph;
    struct oracle oracle;
    int8_t *base, *recv, *send;
};

static void make_table(struct table *table, int32_t p)
{
    assert_int_equal(rb_circulant_init(&table->graph, p), RB_OK);
    oracle_init(&table->oracle, p);
    const size_t entries = (size_t)p * (size_t)(table->graph.q + 1);
    table->base = malloc(entries);
    table->recv = malloc(entries);
    table->send = malloc(entries);
    assert_true(table->base != NULL && table->recv != NULL && table->send != NULL);
    rb_circulant_table(&table->graph, table->base, table->recv, table->send);
}

static void free_table(struct table *table)
{
    free(table->base);
    free(table->recv);
    free(table->send);
}

static void compare_rank(struct table *table, int64_t r)
{
    int32_t recv[33], send[33];
    int8_t our_recv[RB_MAX_Q + 1], our_send[RB_MAX_Q + 1];
    const int64_t p = table->graph.p;
    oracle_recv(&table->oracle, (int32_t)r, recv);
    oracle_send(&table->oracle, (int32_t)r, send);
    rb_circulant_recv(&table->graph, (int32_t)r, our_recv);
    rb_circulant_send(&table->graph, (int32_t)r, our_send);
    const int32_t b = oracle_baseblock(&table->oracle, (int32_t)r);
    if (table->base[r] != b)
        fail_msg("p %d, r %d: baseblock %d, literally %d", (int)p, (int)r, table->base[r], b);
    for (int64_t k = 0; k < table->graph.q; k++) {
        if (table->recv[k * p + r] != recv[k] || table->send[k * p + r] != send[k])
            fail_msg("p %d, r %d, k %d: receive %d, literally %d; send %d, literally %d", (int)p,
                     (int)r, (int)k, table->recv[k * p + r], recv[k], table->send[k * p + r],
                     send[k]);
        if (our_recv[k] != recv[k] || our_send[k] != send[k])
            fail_msg("p %d, r %d alone, k %d: receive %d, literally %d; send %d, literally %d",
                     (int)p, (int)r, (int)k, our_recv[k], recv[k], our_send[k], send[k]);
    }
}

static void compare_all_ranks(int32_t p)
{
    struct table table;
    make_table(&table, p);
    for (int32_t r = 0; r < p; r++)
        compare_rank(&table, r);
    free_table(&table);
}

static uint64_t next_random(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

/* The ranks around every skip, where rows are corrected, and some at random. */
static void compare_some_ranks(int32_t p)
{
    struct table table;
    uint64_t seed = 20240722u + (uint64_t)p;
    make_table(&table, p);
    for (int32_t k = 0; k <= table.graph.q; k++) {
        for (int32_t r = table.graph.skip[k] - 40; r < table.graph.skip[k] + 40; r++) {
            if (r >= 0 && r < p)
                compare_rank(&table, r);
        }
    }
    for (int32_t sample = 0; sample < 1000; sample++)
        compare_rank(&table, (int64_t)(next_random(&seed) % (uint64_t)p));
    free_table(&table);
}

static void all_small_p(void **state)
{
    (void)state;
    for (int32_t p = 1; p <= 1500; p++)
        compare_all_ranks(p);
}

/* Around sums of two powers of two there are the most, and the fewest, odd skips. */
static void delicate_p(void **state)
{
    (void)state;
    for (int32_t m = 11; m <= 20; m += 3) {
        for (int32_t j = 0; j < m; j += 4) {
            for (int32_t near = -1; near <= 1; near++)
                compare_some_ranks((1 << m) + (1 << j) + near);
        }
        compare_some_ranks((1 << m) - 1);
    }
    compare_all_ranks(2049);
    compare_all_ranks(16385);
}

static void random_p(void **state)
{
    (void)state;
    uint64_t seed = 17;
    for (int32_t i = 0; i < 60; i++)
        compare_some_ranks((int32_t)(1500u + next_random(&seed) % 1000000u));
}

static int by_hand(int32_t first, int32_t last)
{
    for (int32_t p = first; p <= last; p++)
        compare_all_ranks(p);
    printf("all entries of p = %d..%d are the literal ones\n", first, last);
    return 0;
}

int main(int argc, char *argv[])
{
    if (argc == 3)
        return by_hand(atoi(argv[1]), atoi(argv[2]));
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_small_p),
        cmocka_unit_test(delicate_p),
        cmocka_unit_test(random_p),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
