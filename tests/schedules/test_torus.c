/* test_torus.c - broadcasts and reductions on tori (bcast_torus.c): proved for all small tori,
 * roots and orders of the ranks; who sends to whom and when, and the rounds, counted here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "schedules/plan/plan.h"

enum { MOST = 5 };

static const int32_t tori[][MOST] = {
    {1},       {2},       {7},       {2, 2},       {2, 5},       {5, 2},          {4, 6},
    {3, 3},    {5, 4},    {2, 2, 2}, {3, 3, 3},    {4, 4, 4},    {2, 3, 5},       {4, 4, 8},
    {8, 2, 4}, {5, 1, 3}, {6, 4, 2}, {2, 2, 2, 2}, {2, 3, 2, 3}, {2, 2, 2, 2, 2}, {3, 2, 2, 2, 2}};

/* The sizes of groups, the smallest first, and an order of the ranks if `turned`. */
static int32_t name_groups(const int32_t side[MOST], bool turned, char *text, size_t room)
{
    int32_t p = 1;
    size_t length = (size_t)snprintf(text, room, "%d", (int)side[0]);
    for (int32_t a = 0; a < MOST && side[a] > 0; a++) {
        p *= side[a];
        if (a > 0)
            length += (size_t)snprintf(text + length, room - length, "/%d", (int)p);
    }
    for (int32_t place = 0; turned && place < p; place++)
        length += (size_t)snprintf(text + length, room - length, "%s%d", place == 0 ? "@" : ",",
                                   (int)((p - 1 + p - place) % p));
    return p;
}

/* The rounds by the step: pause rounds more wherever a multiple of g is passed. */
static int64_t stated_rounds(const int32_t side[MOST], int64_t n)
{
    int32_t d = 0, common = 0, steps = 0;
    for (int32_t a = 0; a < MOST && side[a] > 0; a++)
        if (side[a] > 1) {
            d++;
            steps += side[a] - 1;
            common = (int32_t)rb_common_divisor(common, side[a]);
        }
    if (d < 2)
        return d == 0 ? 0 : n - 1 + steps;
    int64_t rounds = n + d;
    for (int32_t s = 1; s <= steps; s++)
        rounds += s % common != 0 ? 1 : 1 + (d - common % d) % d;
    return rounds;
}

/* The axis along which `to` is the next one after `from`; fails if there is none. */
static int32_t axis_between(const int32_t side[MOST], int32_t from, int32_t to)
{
    int32_t axis = -1;
    for (int32_t a = 0, stride = 1; a < MOST && side[a] > 0; stride *= side[a++]) {
        const int32_t step = (to / stride - from / stride) % side[a];
        if (from / stride % side[a] == to / stride % side[a])
            continue;
        assert_int_equal((step + side[a]) % side[a], 1);
        assert_int_equal(axis, -1);
        axis = a;
    }
    assert_int_not_equal(axis, -1);
    return axis;
}

/* Each link has its messages in one round of every d, and each rank sends once along each axis in d
 * rounds. */
static void follow_links(const struct rb_plan *plan, const int32_t side[MOST])
{
    const struct rb_groups *groups = rb_plan_groups(plan);
    int32_t d = 0;
    for (int32_t a = 0; a < MOST && side[a] > 0; a++)
        d += side[a] > 1;
    for (int32_t rank = 0; rank < plan->p; rank++) {
        int64_t phase[MOST] = {-1, -1, -1, -1, -1};
        struct rb_rank state;
        rb_plan_rank(plan, rank, &state);
        for (int64_t t = rb_plan_next(plan, &state, 0); t < plan->rounds;
             t = rb_plan_next(plan, &state, t + 1)) {
            struct rb_op ops[2];
            for (int32_t i = rb_plan_round(plan, &state, t, ops) - 1; i >= 0; i--) {
                if (ops[i].kind != RB_SEND)
                    continue;
                const int32_t axis = axis_between(side, rb_groups_place(groups, rank),
                                                  rb_groups_place(groups, ops[i].peer));
                if (phase[axis] < 0)
                    phase[axis] = t % d;
                assert_int_equal(phase[axis], t % d);
            }
        }
    }
}

static void prove(const int32_t side[MOST], int64_t n, bool turned)
{
    char text[1024];
    const int32_t p = name_groups(side, turned, text, sizeof text);
    static const char *const collectives[] = {"bcast", "reduce"};
    for (int32_t root = 0; root < p; root += 1 + p / 7)
        for (int32_t c = 0; c < 2; c++) {
            struct rb_plan_spec spec = {
                .collective = collectives[c], .algorithm = "torus", .p = p, .root = root, .n = n};
            struct rb_plan *plan;
            struct rb_verdict verdict;
            char why[256];
            spec.groups = text;
            if (rb_plan_create(&spec, &plan, why, sizeof why) != RB_OK)
                fail_msg("torus groups %s: %s", text, why);
            if (rb_verify_plan(plan, NULL, &verdict) != RB_OK)
                fail_msg("%s torus p=%d n=%d root %d groups %s: %s", spec.collective, (int)p,
                         (int)n, (int)root, text, verdict.what);
            assert_int_equal(verdict.redundant, 0);
            assert_int_equal(verdict.moves, rb_bound_moves(plan));
            /* Fewer in two boxes, of which links are used as they come. */
            assert_true(rb_plan_rounds(plan) <= stated_rounds(side, n));
            if (c == 0 && rb_plan_rounds(plan) == stated_rounds(side, n))
                follow_links(plan, side);
            rb_plan_destroy(plan);
        }
}

static void small_tori(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof tori / sizeof tori[0]; i++)
        for (int64_t n = 1; n < 12; n += n < 4 ? 1 : 3)
            prove(tori[i], n, (n + (int64_t)i) % 2 == 1);
}

/* The torus of docs/textbook.md: n + 35 rounds. */
static void eight_by_eight_by_sixteen(void **state)
{
    static const int32_t side[MOST] = {8, 8, 16};
    (void)state;
    assert_int_equal(stated_rounds(side, 1), 36);
    prove(side, 7, false);
}

/* What a plan is for other p: proved, each block sent once to each rank. */
static int64_t prove_part(const char *collective, const char *groups, int32_t p, int32_t root,
                          int64_t n)
{
    const struct rb_plan_spec spec = {.collective = collective,
                                      .algorithm = "torus",
                                      .p = p,
                                      .root = root,
                                      .n = n,
                                      .groups = groups};
    struct rb_plan *plan;
    struct rb_verdict verdict;
    char why[256];
    if (rb_plan_create(&spec, &plan, why, sizeof why) != RB_OK)
        fail_msg("torus groups %s p=%d: %s", groups, (int)p, why);
    if (rb_verify_plan(plan, NULL, &verdict) != RB_OK)
        fail_msg("%s torus p=%d n=%d root %d groups %s: %s", collective, (int)p, (int)n, (int)root,
                 groups, verdict.what);
    assert_int_equal(verdict.redundant, 0);
    assert_int_equal(verdict.moves, rb_bound_moves(plan));
    const int64_t rounds = rb_plan_rounds(plan);
    rb_plan_destroy(plan);
    return rounds;
}

/* Whole planes, then rows, then ranks. */
static void parts_of_tori(void **state)
{
    static const char *const groups[] = {"1", "2", "5", "2/4", "3/9", "4/8", "2/4/12", "6"};
    (void)state;
    for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++)
        for (int32_t p = 1; p <= 40; p++)
            for (int32_t root = 0; root < p; root += 1 + p / 9)
                for (int64_t n = 1; n < 8; n += 3)
                    prove_part(root % 2 == 0 ? "bcast" : "reduce", groups[i], p, root, n);
}

/* The rounds above n. 100 = 8 x 8 + 4 x 8 + 4: boxes begin after 10 and 10 more; 777 = 12 x 8 x 8
 * + 8 + 1: the largest takes longest; 1000 = (1 + 14) x 8 x 8 + 5 x 8. */
static void parts_of_the_large_torus(void **state)
{
    static const int32_t ranks[] = {100, 512, 777, 1000}, above[] = {22, 26, 40, 57};
    (void)state;
    for (size_t i = 0; i < 4; i++)
        for (int64_t n = 2; n < 60; n += 57) {
            assert_int_equal(prove_part("bcast", "8/64", ranks[i], 0, n), n + above[i]);
            prove_part("reduce", "8/64", ranks[i], ranks[i] - 1, n);
        }
}

static void other_groups_are_refused(void **state)
{
    (void)state;
    static const char *const groups[] = {"3,1", "2/3", "2/5"};
    for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++) {
        const struct rb_plan_spec spec = {
            .collective = "bcast", .algorithm = "torus", .p = 6, .n = 1, .groups = groups[i]};
        struct rb_plan *plan;
        char why[256];
        assert_int_equal(rb_plan_create(&spec, &plan, why, sizeof why), RB_ENOTSUP);
        assert_non_null(strstr(why, "of one size"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_tori),
        cmocka_unit_test(eight_by_eight_by_sixteen),
        cmocka_unit_test(parts_of_tori),
        cmocka_unit_test(parts_of_the_large_torus),
        cmocka_unit_test(other_groups_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
