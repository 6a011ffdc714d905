/* test_schedule_faults.c - the checks of schedules find faults. All schedules are right, so the
 * functions that make them are replaced (ld --wrap) by ones that plant a fault. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "roundabout.h"
#include "schedules/verify/verify.h"

/* The fault: one entry of one rank's receive or send schedule is another block. */
struct fault {
    int32_t r, k;      /* r = ALL: of every rank */
    int8_t recv, send; /* what it is to be; NONE: as it is */
};
enum { NONE = 127, ALL = -2 };
static struct fault fault;

void __real_rb_circulant_recv(const struct rb_circulant *graph, int32_t r, int8_t block[]);
void __real_rb_circulant_send(const struct rb_circulant *graph, int32_t r, int8_t block[]);
void __wrap_rb_circulant_recv(const struct rb_circulant *graph, int32_t r, int8_t block[]);
void __wrap_rb_circulant_send(const struct rb_circulant *graph, int32_t r, int8_t block[]);

void __wrap_rb_circulant_recv(const struct rb_circulant *graph, int32_t r, int8_t block[])
{
    __real_rb_circulant_recv(graph, r, block);
    if ((r == fault.r || fault.r == ALL) && fault.recv != NONE)
        block[fault.k] = fault.recv;
}

void __wrap_rb_circulant_send(const struct rb_circulant *graph, int32_t r, int8_t block[])
{
    __real_rb_circulant_send(graph, r, block);
    if ((r == fault.r || fault.r == ALL) && fault.send != NONE)
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
         "condition 4 fails at p = 17: rank 6 sends block -4 in round 1 to rank 8, which it has "
         "not "
         "received before: that block comes in round 2 from rank 3"},
        {{6, 1, NONE, 99},
         6,
         "condition 4 fails at p = 17: rank 6 sends block 99 in round 1 to rank 8, which it has "
         "not "
         "received before: that block never comes"},
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
         "-q..-1 but -5, and 0, once: in round 4 rank 14 sends it block -2 again, and block -1 "
         "never comes"},
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

/* A table of all ranks, its faults, and what every variant of the check must say. */
static void make_table(struct rb_circulant *graph, struct rb_schedule_room *room, int32_t p)
{
    assert_int_equal(rb_circulant_init(graph, p), RB_OK);
    const size_t entries = (size_t)p * (size_t)(graph->q + 1);
    *room = (struct rb_schedule_room){malloc(entries), malloc(entries), malloc(entries), entries};
    assert_true(room->base != NULL && room->recv != NULL && room->send != NULL);
    rb_circulant_table(graph, room->base, room->recv, room->send);
}

static void expect(const struct rb_circulant *graph, const struct rb_schedule_room *room,
                   int expected, const char *what)
{
    int32_t tried = 0;
    for (const struct rb_schedule_check *check = rb_schedule_checks; check->name != NULL; check++) {
        struct rb_verdict verdict = {0};
        if (!check->usable())
            continue;
        const int status = rb_verify_table(graph, room, check, &verdict);
        if (status != expected || strcmp(verdict.what, what) != 0)
            fail_msg("%s: status %d, \"%s\"; it should be %d, \"%s\"", check->name, status,
                     verdict.what, expected, what);
        tried++;
    }
    assert_true(tried >= 1);
}

/* p = 17 again; ranks and blocks as in Table 1. */
static void words_about_tables(void **state)
{
    (void)state;
    enum { BASE, RECV, SEND };
    static const struct {
        int which;
        int32_t r, k;
        int8_t block;
        const char *what;
    } cases[] = {
        {BASE, 3, 0, 1,
         "condition 4 fails at p = 17: rank 3 sends block -3 in round 0 to rank 4, which it has "
         "not "
         "received before: that block never comes"},
        {BASE, 3, 0, 5, "condition 3 fails at p = 17: rank 3 has baseblock 5"},
        {BASE, 0, 0, 4, "condition 3 fails at p = 17: rank 0 has baseblock 4"},
        {SEND, 0, 3, 2,
         "condition 4 fails at p = 17: the root, rank 0, sends block 2 in round 3, not block 3"},
        {SEND, 6, 1, -4,
         "condition 4 fails at p = 17: rank 6 sends block -4 in round 1 to rank 8, which it has "
         "not "
         "received before: that block comes in round 2 from rank 3"},
        {RECV, 16, 4, 3,
         "condition 3 fails at p = 17: rank 16, baseblock 1, does not receive each of the blocks "
         "-q..-1 but -4, and 1, once: in round 4 rank 7 sends it block 3, and block 1 never comes"},
        {RECV, 16, 4, -4,
         "condition 3 fails at p = 17: rank 16, baseblock 1, does not receive each of the blocks "
         "-q..-1 but -4, and 1, once: in round 4 rank 7 sends it block -4, and block 1 never "
         "comes"},
        {RECV, 16, 4, -128,
         "condition 3 fails at p = 17: rank 16 receives block -128 in round 4, which is outside "
         "-q..q-1"},
        {SEND, 6, 1, -2,
         "conditions 1 and 2 fail at p = 17: in round 1 rank 6 sends block -2, but rank 8 receives "
         "block -5"},
    };
    struct rb_circulant graph;
    struct rb_schedule_room room;
    make_table(&graph, &room, 17);
    expect(&graph, &room, RB_OK, "");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int8_t *const rows[] = {room.base, room.recv, room.send};
        int8_t *entry = rows[cases[i].which] + cases[i].k * 17 + cases[i].r;
        const int8_t right = *entry;
        *entry = cases[i].block;
        expect(&graph, &room, RB_EWRONG, cases[i].what);
        *entry = right;
    }
    rb_schedule_room_free(&room);
}

/* What rank after rank has to say, and then row after row: the slow way. */
static void say_what_is_wrong(const struct rb_circulant *graph, const struct rb_schedule_room *room,
                              struct rb_verdict *verdict)
{
    const size_t p = (size_t)graph->p, q = (size_t)graph->q;
    for (size_t r = 0; r < p; r++) {
        if (rb_check_rank(graph, (int32_t)r, room->base[r], room->recv + r, room->send + r, p,
                          verdict) != RB_OK)
            return;
    }
    for (size_t k = 0; k < q; k++) {
        for (size_t r = 0; r < p; r++) {
            const size_t to = (r + (size_t)graph->skip[k]) % p;
            if (room->send[k * p + r] != room->recv[k * p + to]) {
                rb_ends_differ(graph, (int32_t)k, (int32_t)r, room->send[k * p + r], (int32_t)to,
                               room->recv[k * p + to], verdict);
                return;
            }
        }
    }
}

/* One wrong entry anywhere, any block: each variant finds it and says the same. */
static void any_fault_in_a_table(void **state)
{
    (void)state;
    static const int32_t ranks[] = {2, 3, 17, 64, 65, 1000, 2048, 2049, 2050, 4200, 6145};
    uint32_t random = 20240722;
    for (size_t i = 0; i < sizeof ranks / sizeof ranks[0]; i++) {
        struct rb_circulant graph;
        struct rb_schedule_room room;
        make_table(&graph, &room, ranks[i]);
        expect(&graph, &room, RB_OK, "");
        for (int32_t n = 0; n < 60; n++) {
            const uint32_t p = (uint32_t)ranks[i], q = (uint32_t)graph.q;
            random = random * 1664525u + 1013904223u;
            const uint32_t at = (random >> 8) % ((2 * q + 1) * p);
            random = random * 1664525u + 1013904223u;
            int8_t *entry = at < q * p       ? room.recv + at
                            : at < 2 * q * p ? room.send + (at - q * p)
                                             : room.base + (at - 2 * q * p);
            const int8_t right = *entry;
            const uint32_t kind = random >> 30; /* 0: any byte; else most often a block */
            *entry = (int8_t)((int32_t)(random >> 8) % (kind == 0 ? 128 : (int32_t)q + 1) -
                              (kind == 1 ? (int32_t)q : 0));
            if (*entry == right)
                *entry = (int8_t)(right ^ 1);
            struct rb_verdict verdict = {0};
            say_what_is_wrong(&graph, &room, &verdict);
            assert_string_not_equal(verdict.what, "");
            expect(&graph, &room, RB_EWRONG, verdict.what);
            *entry = right;
        }
        rb_schedule_room_free(&room);
    }
}

/* The variants themselves know: rank by rank is asked only if one of them says no. */
static void variants_find_faults(void **state)
{
    (void)state;
    struct rb_circulant graph;
    struct rb_schedule_room room;
    make_table(&graph, &room, 5000);
    for (const struct rb_schedule_check *check = rb_schedule_checks; check->name != NULL; check++) {
        if (!check->usable())
            continue;
        assert_true(check->all_right(&graph, &room));
        for (size_t r = 1; r < 5000; r += r == 1 ? 2046 : 1 + r % 50) {
            int8_t *const row[] = {room.base + r, room.recv + 7 * 5000 + r,
                                   room.send + 11 * 5000 + r};
            for (size_t i = 0; i < 3; i++) {
                const int8_t right = *row[i];
                *row[i] = i == 2 ? 12 : (int8_t)(right < 0 ? 12 : -right - 1);
                assert_false(check->all_right(&graph, &room));
                *row[i] = right;
            }
        }
        /* The root's receive schedule and baseblock, which no other rank may have. */
        room.base[4321] = 13;
        for (size_t k = 0; k < 13; k++) {
            room.recv[k * 5000 + 4321] = room.recv[k * 5000];
            room.send[k * 5000 + 4321] = 0;
        }
        assert_false(check->all_right(&graph, &room));
        rb_circulant_table(&graph, room.base, room.recv, room.send);
        assert_true(check->all_right(&graph, &room));
    }
    rb_schedule_room_free(&room);
}

/* Single schedules that are not the table's are noticed. With p = 1024 no table needs any. */
static void single_schedules_and_tables(void **state)
{
    (void)state;
    struct rb_schedule_room room = {0};
    struct rb_verdict verdict;
    assert_int_equal(rb_verify_schedule(1024, &room, &verdict), RB_OK);
    fault = (struct fault){ALL, 7, 3, NONE};
    assert_int_equal(rb_verify_schedule(1024, &room, &verdict), RB_EWRONG);
    assert_non_null(strstr(verdict.what, "the table is wrong at p = 1024: in round 7 rank "));
    fault = (struct fault){ALL, 9, NONE, 3};
    assert_int_equal(rb_verify_schedule(1024, &room, &verdict), RB_EWRONG);
    assert_non_null(strstr(verdict.what, "the table is wrong at p = 1024: in round 9 rank "));
    rb_schedule_room_free(&room);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(single_ranks, no_fault),
        cmocka_unit_test_setup(words_about_tables, no_fault),
        cmocka_unit_test_setup(any_fault_in_a_table, no_fault),
        cmocka_unit_test_setup(variants_find_faults, no_fault),
        cmocka_unit_test_setup(single_schedules_and_tables, no_fault),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
