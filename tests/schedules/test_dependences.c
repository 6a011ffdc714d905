/* Which operations are a message; and what a message must wait for, by block_needs and
 * sim/model/touches, against going through all earlier operations of the rank. The operations are
 * random ones, on a plan with all buffers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "schedules/dependences/window.h"
#include "sim/model/model.h"

enum { ROUNDS = 200, OPS = 3, SIDES = 2, LOCAL = SIDES };

struct history {
    struct rb_plan *plan;
    struct rb_op op[ROUNDS][OPS]; /* a send, a receive and a local one; some are missing: */
    bool has[ROUNDS][OPS];
    double done_s[ROUNDS][SIDES + 1];
};

static struct rb_range random_range(const struct rb_plan *plan)
{
    const int32_t parts = rb_plan_parts(plan);
    const int64_t blocks = rb_plan_blocks(plan) / parts, first = rand() % blocks;
    return (struct rb_range){.buffer = (enum rb_buffer)(rand() % RB_BUFFERS),
                             .owner = rand() % rb_plan_ranks(plan),
                             .first = rand() % parts * blocks + first,
                             .count = 1 + rand() % (blocks - first)};
}

/* Times that a rank's ports could have had: each side's grow, but one may lag far behind. */
static void make(struct history *history, unsigned seed, double lag)
{
    static const enum rb_op_kind kinds[OPS] = {RB_SEND, RB_RECV, RB_COPY};
    const struct rb_plan_spec spec = {
        .collective = "alltoall", .algorithm = "bruck", .p = 4, .n = 2 + seed % 5};
    double end_s[SIDES] = {0, lag}, through_s = 0;
    assert_int_equal(rb_plan_create(&spec, &history->plan, NULL, 0), RB_OK);
    for (int b = 0; b < RB_BUFFERS; b++)
        assert_true(rb_plan_has(history->plan, (enum rb_buffer)b));
    srand(seed);
    for (int t = 0; t < ROUNDS; t++) {
        for (int k = 0; k < OPS; k++) {
            history->has[t][k] = rand() % 3 > 0;
            history->op[t][k] = (struct rb_op){.kind = kinds[k],
                                               .at = random_range(history->plan),
                                               .from = random_range(history->plan)};
        }
        for (int side = 0; side < SIDES; side++) {
            if (history->has[t][side])
                end_s[side] += 1 + rand() % 5;
            history->done_s[t][side] = end_s[side];
            if (history->has[t][side] && end_s[side] > through_s)
                through_s = end_s[side];
        }
        history->done_s[t][LOCAL] = through_s;
    }
}

static bool overlap(const struct history *history, const struct rb_range *a,
                    const struct rb_range *b)
{
    return rb_plan_overlap(history->plan, a, b);
}

/* True if a message must wait for an earlier operation. */
static bool conflict(const struct history *history, const struct rb_op *op,
                     const struct rb_op *older)
{
    const bool writes = op->kind != RB_SEND;
    return ((writes || older->kind != RB_SEND) && overlap(history, &op->at, &older->at)) ||
           (writes && older->kind == RB_COPY && overlap(history, &op->at, &older->from));
}

/* dep_conflict for operations, and the same for the accesses noted of them. */
static void conflicts_are_right(void **state)
{
    (void)state;
    int64_t conflicts = 0;
    for (unsigned seed = 1; seed <= 5; seed++) {
        struct history history;
        make(&history, seed, 0);
        for (int t = 0; t < ROUNDS; t++)
            for (int k = 0; k < SIDES; k++)
                for (int i = 0; i < OPS; i++) {
                    const struct rb_op *op = &history.op[t][k];
                    const struct rb_op *older = &history.op[rand() % ROUNDS][i];
                    struct dep_access mine[2], its[2];
                    const bool expected = conflict(&history, op, older);
                    assert_int_equal(dep_note_accesses(history.plan, op, SIDES, mine), 1);
                    const int count = dep_note_accesses(history.plan, older, SIDES, its);
                    assert_int_equal(count, i == LOCAL ? 2 : 1);
                    assert_int_equal(its[0].side, i);
                    assert_int_equal(dep_conflict(history.plan, op, older), expected);
                    assert_int_equal(dep_accesses_conflict(&mine[0], &its[0]) ||
                                         (count > 1 && dep_accesses_conflict(&mine[0], &its[1])),
                                     expected);
                    conflicts += expected;
                }
        rb_plan_destroy(history.plan);
    }
    assert_in_range(conflicts, 100, 5900);
}

/* The rounds that rb_round_check allows, with one to three operations for each message. */
static void messages_are_found(void **state)
{
    (void)state;
    enum { PORTS = 3, MOST = 2 * PORTS * 3 + 2, PEERS = 2 };
    srand(7);
    for (int round = 0; round < 2000; round++) {
        struct rb_op ops[MOST];
        int32_t count = 0, messages = 0, first[2 * PORTS + 1], side[2 * PORTS];
        for (int receives = 0; receives < 2; receives++)
            for (int i = 0, start = rand(); i < PORTS; i++) {
                const int32_t port = (start + i) % PORTS, peer = 1 + rand() % PEERS;
                if (rand() % 3 == 0)
                    continue;
                first[messages] = count;
                side[messages++] = 2 * port + receives;
                for (int k = rand() % 3; k >= 0; k--, count++)
                    ops[count] =
                        (struct rb_op){.kind = receives ? RB_RECV + (unsigned)rand() % 2 : RB_SEND,
                                       .peer = peer,
                                       .port = port,
                                       .at = {.count = count}};
            }
        first[messages] = count;
        const int32_t locals = rand() % 3;
        for (int i = 0; i < locals; i++)
            ops[count++] = (struct rb_op){.kind = i == 0 ? RB_COPY : RB_REDUCE};
        struct dep_messages left = dep_messages_of(ops, count), rest = left;
        struct dep_message message;
        for (int i = 0; i < messages; i++) {
            if (side[i] % 2 == DEP_SENDS) {
                assert_true(dep_next_send(&rest, &message));
                assert_ptr_equal(message.ops, &ops[first[i]]);
            }
            assert_true(dep_next_message(&left, &message));
            assert_ptr_equal(message.ops, &ops[first[i]]);
            assert_int_equal(message.count, first[i + 1] - first[i]);
            assert_int_equal(dep_side(message.ops), side[i]);
            int64_t blocks = 0;
            for (int32_t k = first[i]; k < first[i + 1]; k++)
                assert_int_equal(dep_begins(ops, k), k == first[i]);
            for (int32_t k = first[i]; k < first[i + 1]; k++)
                blocks += k;
            assert_int_equal(dep_message_blocks(&message), blocks);
        }
        assert_false(dep_next_send(&rest, &message));
        assert_false(dep_next_message(&left, &message));
        assert_int_equal(left.count, locals);
        assert_ptr_equal(left.ops, &ops[count - locals]);
    }
}

static void needs_by_block_are_right(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed <= 20; seed++) {
        struct history history;
        struct dep_block_needs needs = {0};
        int64_t count[ROUNDS][SIDES] = {{0}}, added[SIDES] = {0};
        make(&history, seed, 0);
        assert_int_equal(dep_block_needs_init(&needs, history.plan), RB_OK);
        for (int t = 0; t < ROUNDS; t++) {
            for (int k = 0; k < SIDES; k++) {
                int64_t expected[SIDES + 1] = {0}, got[SIDES + 1] = {0};
                for (int older = 0; older < t; older++)
                    for (int i = 0; i < OPS; i++)
                        if (history.has[older][i] &&
                            conflict(&history, &history.op[t][k], &history.op[older][i]))
                            expected[i] = i == LOCAL ? older + 1 : count[older][i];
                dep_block_needs_raise(&needs, 1, &history.op[t][k], got);
                for (int i = 0; i <= SIDES; i++)
                    if (got[i] != expected[i])
                        fail_msg("seed %u, round %d, side %d needs %d of %d, not %d", seed, t, k,
                                 (int)expected[i], i, (int)got[i]);
            }
            for (int i = 0; i < OPS; i++) {
                if (!history.has[t][i])
                    continue;
                if (i < SIDES)
                    count[t][i] = ++added[i];
                dep_block_needs_note(&needs, 1, &history.op[t][i],
                                     i == LOCAL ? t + 1 : count[t][i]);
            }
        }
        dep_block_needs_free(&needs);
        rb_plan_destroy(history.plan);
    }
}

/* When the message that is operation k of round t can go on, by all rounds within the window. */
static double ready_s(const struct history *history, int t, int k, int window, double floor_s)
{
    double ready = floor_s;
    for (int older = t < window ? 0 : t - window + 1; older < t; older++)
        for (int i = 0; i < OPS; i++)
            if (history->has[older][i] &&
                conflict(history, &history->op[t][k], &history->op[older][i]) &&
                history->done_s[older][i] > ready)
                ready = history->done_s[older][i];
    return ready;
}

/* Returns whether the touches say that they lost something. */
static bool check_touches(const struct history *history, int window, bool exact)
{
    struct model_accesses touches;
    bool lost = false;
    assert_int_equal(model_accesses_init(&touches, history->plan, window, exact), RB_OK);
    for (int t = 0; t < ROUNDS; t++) {
        struct rb_op ops[OPS];
        int32_t count = 0;
        /* A round enters the window when the one that leaves it is through. */
        const double entered_s = t < window ? 0 : history->done_s[t - window][LOCAL];
        for (int k = 0; k < OPS; k++) {
            if (!history->has[t][k])
                continue;
            ops[count++] = history->op[t][k];
            if (k == LOCAL)
                continue;
            const double floor_s = t > 0 && history->done_s[t - 1][k] > entered_s
                                       ? history->done_s[t - 1][k]
                                       : entered_s;
            const double got = model_accesses_ready_s(&touches, 1, t, &history->op[t][k], floor_s);
            const double expected = ready_s(history, t, k, window, floor_s);
            lost = lost || touches.lost;
            if (!touches.lost && got != expected)
                fail_msg("round %d, side %d, window %d: %g instead of %g", t, k, window, got,
                         expected);
            touches.lost = false;
        }
        model_accesses_add(&touches, 1, t, ops, count);
        model_accesses_finish(&touches, 1, t, history->done_s[t], ops, count);
    }
    model_accesses_free(&touches);
    return lost;
}

/* With few rounds in flight nothing is ever lost; with many, it is if one side lags. */
static void touches_are_right(void **state)
{
    (void)state;
    bool some_lost = false;
    for (unsigned seed = 1; seed <= 20; seed++) {
        struct history history;
        make(&history, seed, seed % 2 == 0 ? 0 : 300);
        for (int window = 2; window <= 16; window += 7)
            assert_false(check_touches(&history, window, false));
        some_lost = check_touches(&history, ROUNDS, false) || some_lost;
        assert_false(check_touches(&history, ROUNDS, true));
        rb_plan_destroy(history.plan);
    }
    assert_true(some_lost);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_are_found),
        cmocka_unit_test(conflicts_are_right),
        cmocka_unit_test(needs_by_block_are_right),
        cmocka_unit_test(touches_are_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
