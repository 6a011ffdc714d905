/* Scripts: a rank's written-out rounds equal the plan, for every algorithm: the same peers, and
 * element by element the same moves in the same order; plans that are too large have no script. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "mpi/executor/script.h"
#include "mpi_plans.h"
#include "tests/fitting.h"

enum { MOST_RANKS = 9, LENGTH = 3 }; /* elements of a block, about */

/* One element of an operation. */
struct move {
    enum rb_op_kind kind;
    bool left;
    int peer;
    enum rb_buffer buffer, from_buffer;
    int64_t at, from;
};

/* The moves of operations that are ranges: fills move[], returns how many. */
static int spread(struct move move[], struct move first, int64_t count)
{
    for (int64_t i = 0; i < count; i++, first.at++, first.from++)
        move[i] = first;
    return (int)count;
}

static int moves_of_round(const struct rb_plan *plan, const struct rb_layout *layout,
                          const struct exec_rows rows[], const struct rb_op ops[], int32_t count,
                          struct move move[])
{
    int moves = 0;
    for (int32_t i = 0; i < count; i++) {
        const bool local = ops[i].kind == RB_COPY || ops[i].kind == RB_REDUCE;
        const struct rb_range *at = &ops[i].at, *from = local ? &ops[i].from : at;
        const struct move first = {ops[i].kind,
                                   ops[i].incoming_is_left,
                                   local ? -1 : ops[i].peer,
                                   at->buffer,
                                   local ? from->buffer : RB_DST,
                                   exec_rows_place(&rows[at->buffer], plan, layout, at),
                                   local ? exec_rows_place(&rows[from->buffer], plan, layout, from)
                                         : 0};
        moves += spread(move + moves, first, exec_rows_count(&rows[at->buffer], plan, layout, at));
    }
    return moves;
}

static int moves_of_step(const struct exec_script_step *step, const struct exec_script_op op[],
                         struct move move[])
{
    const int32_t count = step->sends + step->receives + step->locals;
    int64_t sent = 0, received = 0;
    int moves = 0;
    for (int32_t i = 0; i < count; i++) {
        const bool sends = i < step->sends, local = i >= step->sends + step->receives;
        const struct move first = {op[i].kind,
                                   op[i].incoming_is_left,
                                   local   ? -1
                                   : sends ? step->to
                                           : step->from,
                                   op[i].buffer,
                                   local ? op[i].from_buffer : RB_DST,
                                   op[i].at,
                                   local ? op[i].from : 0};
        moves += spread(move + moves, first, op[i].count);
        sent += sends ? op[i].count : 0;
        received += sends || local ? 0 : op[i].count;
    }
    assert_int_equal(step->sent, sent);
    assert_int_equal(step->received, received);
    return moves;
}

static void assert_same_moves(const struct move a[], const struct move b[], int count, bool direct)
{
    for (int i = 0; i < count; i++) {
        assert_int_equal(a[i].kind, b[i].kind);
        assert_int_equal(a[i].left, b[i].left);
        assert_int_equal(a[i].peer, b[i].peer);
        assert_int_equal(a[i].buffer, b[i].buffer);
        assert_int_equal(a[i].at, b[i].at);
        assert_int_equal(a[i].from_buffer, b[i].from_buffer);
        if (a[i].peer < 0)
            assert_int_equal(a[i].from, b[i].from);
        /* Nothing that is received directly may be where this round's sends read. */
        for (int j = 0; direct && a[i].kind == RB_RECV && j < i; j++)
            assert_false(a[j].kind == RB_SEND && a[j].buffer == a[i].buffer && a[j].at == a[i].at);
    }
}

static void check_rank(const struct rb_plan *plan, int32_t rank, const struct rb_layout *layout,
                       struct exec_script *script, struct move room[2][4096])
{
    const struct exec_rows rows[RB_BUFFERS] = {0};
    struct rb_rank state;
    struct rb_op *ops = malloc((size_t)rb_plan_max_ops(plan) * sizeof *ops + 1);
    rb_plan_rank(plan, rank, &state);
    assert_true(exec_script_make(script, plan, &state, layout, rows));
    const struct exec_script_op *op = script->op;
    int32_t steps = 0;
    for (int64_t t = 0; t < rb_plan_rounds(plan); t++) {
        const int32_t count = rb_layout_round(plan, layout, &state, t, ops);
        if (count == 0)
            continue;
        assert_true(steps < script->steps);
        const struct exec_script_step *step = &script->step[steps++];
        const int moves = moves_of_round(plan, layout, rows, ops, count, room[0]);
        assert_int_equal(moves_of_step(step, op, room[1]), moves);
        assert_same_moves(room[0], room[1], moves, step->direct);
        assert_true(step->sends <= 1 || step->sent <= script->most_sent);
        assert_true(step->direct || step->received <= script->most_received);
        op += step->sends + step->receives + step->locals;
    }
    assert_int_equal(steps, script->steps);
    assert_ptr_equal(op, script->op + script->ops);
    free(ops);
}

static void check_plan(const struct rb_plan *plan)
{
    static struct move room[2][4096];
    const int64_t owners = rb_plan_owners(plan), blocks = rb_plan_blocks(plan);
    const int64_t parts = rb_plan_parts(plan);
    for (int32_t rank = 0; rank < rb_plan_ranks(plan); rank++) {
        struct exec_script script = {0};
        for (int longer = 0; longer < 2; longer++) { /* the script of one size makes room */
            const struct rb_layout layout = {.bytes = parts > 1 ? owners * parts * (LENGTH + longer)
                                                                : owners * blocks * LENGTH -
                                                                      (longer == 0),
                                             .element = 1};
            check_rank(plan, rank, &layout, &script, room);
        }
        exec_script_free(&script);
    }
}

static void scripts_are_the_plans(void **state)
{
    (void)state;
    for (int32_t i = 0; rb_algorithm_at(i) != NULL; i++)
        for (int32_t p = 1; p <= MOST_RANKS; p++) {
            const struct rb_algorithm_info *info = rb_algorithm_at(i);
            const struct rb_plan_spec spec = {.collective = info->collective,
                                              .algorithm = info->name,
                                              .p = p,
                                              .root = p / 2,
                                              .n = info->pipelined ? 3 : 1};
            struct rb_plan *plan;
            if (fitting_ranks(info, p) != p ||
                rb_collective_find(info->collective)->instance != NULL ||
                rb_plan_create(&spec, &plan, NULL, 0) != RB_OK)
                continue;
            check_plan(plan);
            rb_plan_destroy(plan);
        }
}

static void plans_by_hand_too(void **state)
{
    (void)state;
    struct rb_plan *plans[] = {swap_plan(5, 4), late_plan(5, 4), apart_plan(5, 4)};
    for (size_t i = 0; i < sizeof plans / sizeof plans[0]; i++) {
        check_plan(plans[i]);
        rb_plan_destroy(plans[i]);
    }
}

static void others_have_none(void **state)
{
    (void)state;
    const int64_t displacement[4] = {0, 9, 18, 27}, first[5] = {0, 1, 2, 3, 4};
    const struct rb_layout layout = {.bytes = 4, .element = 1};
    const struct rb_layout irregular = {.bytes = 4, .element = 1, .first = first};
    const struct exec_rows rows[RB_BUFFERS] = {0};
    const struct exec_rows displaced[RB_BUFFERS] = {[RB_DST] = {.displacement = displacement}};
    const struct exec_rows turned[RB_BUFFERS] = {[RB_DST] = {.origin = 1}};
    struct rb_plan_spec spec = {.collective = "allgather", .algorithm = "ring", .p = 4, .n = 1};
    struct exec_script script = {0};
    struct rb_rank rank;
    struct rb_plan *plan;
    assert_int_equal(rb_plan_create(&spec, &plan, NULL, 0), RB_OK);
    rb_plan_rank(plan, 1, &rank);
    assert_false(exec_script_make(&script, plan, &rank, &layout, displaced));
    assert_false(exec_script_make(&script, plan, &rank, &irregular, rows));
    for (int64_t origin = 1; origin >= 0; origin--) { /* it is made anew for another origin */
        assert_true(exec_script_make(&script, plan, &rank, &layout, origin == 1 ? turned : rows));
        assert_int_equal(script.op[0].at, 1 - origin);
    }
    rb_plan_destroy(plan);
    exec_script_free(&script);

    spec.p = EXEC_SCRIPT_MOST_STEPS + 2; /* as many rounds, less one */
    assert_int_equal(rb_plan_create(&spec, &plan, NULL, 0), RB_OK);
    rb_plan_rank(plan, 1, &rank);
    assert_false(exec_script_make(&script, plan, &rank, &layout, rows));
    assert_false(exec_script_make(&script, plan, &rank, &layout, rows)); /* said twice */
    rb_plan_destroy(plan);
    exec_script_free(&script);

    struct rb_plan *two_ports = meet_plan(4, 4);
    rb_plan_rank(two_ports, 1, &rank);
    assert_false(exec_script_make(&script, two_ports, &rank, &layout, rows));
    rb_plan_destroy(two_ports);
    exec_script_free(&script);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(scripts_are_the_plans),
                                       cmocka_unit_test(plans_by_hand_too),
                                       cmocka_unit_test(others_have_none)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
