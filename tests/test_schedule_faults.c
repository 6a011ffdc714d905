/* test_schedule_faults.c - the checks of schedules find what is wrong. All schedules are right, so
 * the functions that make them are replaced (ld --wrap) by ones that plant a fault. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "roundabout.h"

/* The fault: one entry of one rank's receive or send schedule is another block. */
struct fault {
    int32_t r, k;
    int8_t recv, send; /* what it is to be; NONE: as it is */
};
enum { NONE = 127 };
static struct fault fault;

void __real_rb_circulant_recv(const struct rb_circulant *graph, int32_t r, int8_t block[]);
void __real_rb_circulant_send(const struct rb_circulant *graph, int32_t r, int8_t block[]);
void __wrap_rb_circulant_recv(const struct rb_circulant *graph, int32_t r, int8_t block[]);
void __wrap_rb_circulant_send(const struct rb_circulant *graph, int32_t r, int8_t block[]);

void __wrap_rb_circulant_recv(const struct rb_circulant *graph, int32_t r, int8_t block[])
{
    __real_rb_circulant_recv(graph, r, block);
    if (r == fault.r && fault.recv != NONE)
        block[fault.k] = fault.recv;
}

void __wrap_rb_circulant_send(const struct rb_circulant *graph, int32_t r, int8_t block[])
{
    __real_rb_circulant_send(graph, r, block);
    if (r == fault.r && fault.send != NONE)
        block[fault.k] = fault.send;
}

static int no_fault(void **state)
{
    (void)state;
    fault = (struct fault){.r = -1};
    return 0;
}

/* p = 17 (Table 1 of the paper): rank 6, baseblock 0, receives -2 -3 -4 0 -1 and sends
 * -5 -5 -2 -2 -1. */
static void single_ranks(void **state)
{
    (void)state;
    struct rb_verdict verdict;
    static const struct {
        struct fault fault;
        int32_t r; /* the rank that is checked */
        const char *what;
    } cases[] = {
        {{6, 1, NONE, -4},
         6,
         "condition 4 fails at p = 17: rank 6 sends block -4 in round 1, which it has not received "
         "before"},
        {{6, 1, NONE, 99},
         6,
         "condition 4 fails at p = 17: rank 6 sends block 99 in round 1, which it has not received "
         "before"},
        {{0, 2, NONE, 1},
         0,
         "condition 4 fails at p = 17: the root, rank 0, sends block 1 in round 2, not block 2"},
        {{6, 2, -6, NONE},
         6,
         "condition 3 fails at p = 17: rank 6 receives block -6 in round 2, which is outside "
         "-q..q-1"},
        {{6, 4, 5, NONE},
         6,
         "condition 3 fails at p = 17: rank 6 receives block 5 in round 4, which is outside "
         "-q..q-1"},
        {{6, 4, -2, NONE},
         6,
         "condition 3 fails at p = 17: rank 6, baseblock 0, does not receive each of the blocks "
         "-q..-1 but -5, and 0, once"},
        {{6, 1, NONE, -2},
         6,
         "conditions 1 and 2 fail at p = 17: in round 1 rank 6 sends block -2, but rank 8 receives "
         "block -5"},
        {{8, 1, -3, NONE},
         6,
         "conditions 1 and 2 fail at p = 17: in round 1 rank 6 sends block -5, but rank 8 receives "
         "block -3"},
        {{3, 2, NONE, -5},
         6,
         "conditions 1 and 2 fail at p = 17: in round 2 rank 3 sends block -5, but rank 6 receives "
         "block -4"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        fault = cases[i].fault;
        assert_int_equal(rb_verify_schedule_rank(17, cases[i].r, &verdict), RB_EWRONG);
        assert_string_equal(verdict.what, cases[i].what);
    }
    fault = (struct fault){.r = -1};
    assert_int_equal(rb_verify_schedule_rank(17, 6, &verdict), RB_OK);
    assert_string_equal(verdict.what, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(single_ranks, no_fault),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
