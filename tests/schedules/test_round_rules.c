/* The rules of a round (roundabout.h, rb_op): right plans with one wrong operation, one kind of
 * fault at a time. The verifier must name each fault, and everything that uses plans must refuse
 * them. */
#define _XOPEN_SOURCE 700 /* mkdtemp */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "schedules/plan/plan.h"

#ifdef TEST_CONSUMERS
#include <stdio.h>
#include <unistd.h>

#include "interchange/export/export.h"
#include "schedules/dependences/window.h"
#include "sim/engine/engine.h"
#endif

/* ---- A right plan ----------------------------------------------------------------------------
 *
 * Three ranks combine four blocks, two in a round, on two ports: each sends its own to both others,
 * receives theirs into tmp, and combines. */
enum { P = 3, N = 4, MOST = 6 };

struct fault {
    const char *says;
    int32_t (*spoil)(struct rb_op ops[], int32_t count);
};

static const struct fault *present; /* of rank 1 in round 1 */

static int32_t good_round(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                          struct rb_op ops[])
{
    const int32_t r = state->rank, next = (r + 1) % P, last = (r + 2) % P;
    const struct rb_range own = {RB_DST, 0, 2 * t, 2}, low = {RB_TMP, 0, 0, 2},
                          high = {RB_TMP, 0, 2, 2};
    (void)plan;
    ops[0] = (struct rb_op){.kind = RB_SEND, .peer = next, .port = 0, .at = own};
    ops[1] = (struct rb_op){.kind = RB_SEND, .peer = last, .port = 1, .at = own};
    ops[2] = (struct rb_op){.kind = RB_RECV, .peer = last, .port = 0, .at = low};
    ops[3] = (struct rb_op){.kind = RB_RECV, .peer = next, .port = 1, .at = high};
    ops[4] = (struct rb_op){.kind = RB_REDUCE, .peer = r, .at = own, .from = low};
    ops[5] = (struct rb_op){.kind = RB_REDUCE, .peer = r, .at = own, .from = high};
    return MOST;
}

static int32_t spoilt_round(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                            struct rb_op ops[])
{
    const int32_t count = good_round(plan, state, t, ops);
    return present != NULL && state->rank == 1 && t == 1 ? present->spoil(ops, count) : count;
}

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    (void)why, (void)why_size;
    plan->rounds = 2;
    plan->max_ops = MOST;
    plan->buffers |= 1u << RB_TMP;
    return RB_OK;
}

static const struct rb_algorithm by_hand = {
    .info = {.collective = "allreduce", .name = "by-hand"},
    .init = init,
    .round = spoilt_round,
    .next = rb_never_idle,
};

static struct rb_plan *make(const struct rb_algorithm *algorithm)
{
    const struct rb_plan_spec spec = {.p = P, .n = N, .ports = 2};
    struct rb_plan *plan;
    assert_int_equal(rb_plan_make(&rb_allreduce, algorithm, &spec, &plan, NULL, 0), RB_OK);
    return plan;
}

/* ---- The ways -------------------------------------------------------------------------------- */

#define WAY(name, ...)                                                                             \
    static int32_t name(struct rb_op ops[], int32_t count)                                         \
    {                                                                                              \
        __VA_ARGS__;                                                                               \
        return count;                                                                              \
    }

static void swap(struct rb_op ops[], int32_t a, int32_t b)
{
    const struct rb_op op = ops[a];
    ops[a] = ops[b];
    ops[b] = op;
}

WAY(too_many, ops[6] = ops[5]; count = 7)
WAY(fewer_than_none, (void)ops; count = -1)
WAY(unknown_kind, ops[3].kind = RB_OP_KINDS)
WAY(send_after_receive, swap(ops, 1, 2))
WAY(send_after_reduction, swap(ops, 1, 5))
WAY(send_after_copy, ops[4].kind = RB_COPY; ops[3] = ops[1]; swap(ops, 1, 4); ops[2] = ops[3];
    count = 3)
WAY(receive_after_copy, ops[4].kind = RB_COPY; swap(ops, 3, 4))
WAY(receive_after_reduction, swap(ops, 3, 4))
WAY(send_to_p, ops[0].peer = P)
WAY(send_below_0, ops[1].peer = -1)
WAY(send_to_itself, ops[0].peer = 1)
WAY(receive_from_p, ops[2].peer = P)
WAY(receive_from_itself, ops[3].peer = 1)
WAY(send_port_beyond, ops[1].port = 2)
WAY(send_port_below, ops[1].port = -1)
WAY(receive_port_beyond, ops[3].port = 2)
WAY(local_peer, ops[4].peer = 0)
WAY(local_port, ops[5].port = 1)
WAY(busy_send_port, ops[1].port = 0)
WAY(busy_receive_port, ops[3].port = 0)
WAY(message_apart, ops[5] = ops[0]; ops[2] = ops[5]; ops[2].at.first++;
    ops[0].at.count = ops[2].at.count = 1; count = 3)
WAY(no_blocks, ops[0].at.count = 0)
WAY(negative_count, ops[2].at.count = -1)
WAY(below_the_first, ops[0].at.first = -1)
WAY(beyond_the_last, ops[3].at.first = 3)
WAY(beyond_int64, ops[0].at.first = INT64_MAX; ops[0].at.count = INT64_MAX)
WAY(no_such_buffer, ops[0].at.buffer = RB_SRC)
WAY(unknown_buffer, ops[3].at.buffer = RB_BUFFERS + 4)
WAY(other_owner, ops[0].at.owner = 1)
WAY(negative_owner, ops[4].at.owner = -1)
WAY(from_other_count, ops[4].from.count = 1)
WAY(from_no_blocks, ops[4].from.count = 0)
WAY(from_no_buffer, ops[5].from.buffer = RB_SRC)
WAY(from_beyond, ops[5].from.first = 3)
WAY(from_meets_at, ops[4].from = (struct rb_range){RB_DST, 0, 1, 2})
WAY(receives_into_one_place, ops[3].at = ops[2].at)
WAY(receives_meet, ops[3].at.first = 1)
WAY(reduction_meets_receive, ops[3].kind = RB_RECV_REDUCE; ops[3].at.first = 1)
WAY(receive_meets_reduction, ops[2].kind = RB_RECV_REDUCE; ops[3].at.first = 1)

static const struct fault alone[] = {
    {"has 7 operations; the plan's most are 6", too_many},
    {"has -1 operations", fewer_than_none},
    {"has an operation of kind 5, which there is not", unknown_kind},
    {"has a send after a receive: sends come first", send_after_receive},
    {"has a receive after a local reduction", send_after_reduction},
    {"has a send after a local copy", send_after_copy},
    {"has a receive after a local copy", receive_after_copy},
    {"has a receive after a local reduction", receive_after_reduction},
    {"sends to rank 3, which is no peer of it", send_to_p},
    {"sends to rank -1, which is no peer of it", send_below_0},
    {"sends to rank 1, which is no peer of it", send_to_itself},
    {"receives from rank 3, which is no peer of it", receive_from_p},
    {"receives from rank 1, which is no peer of it", receive_from_itself},
    {"sends to rank 0 on port 2 of 2", send_port_beyond},
    {"sends to rank 0 on port -1 of 2", send_port_below},
    {"receives from rank 2 on port 2 of 2", receive_port_beyond},
    {"has a local reduction with peer 0, which must be the rank itself", local_peer},
    {"has a local reduction on port 1, which must be 0", local_port},
    {"sends to rank 0 on port 0, which is busy in this round", busy_send_port},
    {"receives from rank 2 on port 0, which is busy in this round", busy_receive_port},
    {"sends to rank 2 on port 0, which is busy in this round", message_apart},
    {"names 0 blocks from block 2 of rank 0 on", no_blocks},
    {"names -1 blocks from block 0 of rank 0 on", negative_count},
    {"names blocks -1..0 of rank 0 in buffer 1, which the plan does not have", below_the_first},
    {"names blocks 3..4 of rank 0 in buffer 2, which the plan does not have", beyond_the_last},
    {"in buffer 1, which the plan does not have", beyond_int64},
    {"in buffer 0, which the plan does not have", no_such_buffer},
    {"in buffer 7, which the plan does not have", unknown_buffer},
    {"names blocks 2..3 of rank 1 in buffer 1, which the plan does not have", other_owner},
    {"names blocks 2..3 of rank -1 in buffer 1, which the plan does not have", negative_owner},
    {"takes 1 blocks to 2 places", from_other_count},
    {"names 0 blocks from block 0 of rank 0 on", from_no_blocks},
    {"in buffer 0, which the plan does not have", from_no_buffer},
    {"names blocks 3..4 of rank 0 in buffer 2, which the plan does not have", from_beyond},
    {"has a local reduction of blocks 1.. of rank 0 in dst to places that meet them",
     from_meets_at},
    {"into one place of tmp: receives may meet only where both combine", receives_into_one_place},
    {"into one place of tmp", receives_meet},
    {"into one place of tmp", reduction_meets_receive},
    {"into one place of tmp", receive_meets_reduction},
};
/* Consumers have no room for too many operations, and start with the second. */
enum { ALONE = sizeof alone / sizeof alone[0], FIRST = 1 };

/* What shows between ranks, or in what they have. */
WAY(no_send, ops[1] = ops[2]; ops[2] = ops[3]; ops[3] = ops[4]; ops[4] = ops[5]; count = 5)
WAY(no_receive, ops[3] = ops[4]; count = 4)
WAY(nothing, (void)ops; count = 0)
WAY(other_port, swap(ops, 0, 1); ops[0].port = 0; ops[1].port = 1)
WAY(one_block_less, ops[2].at.count = ops[4].at.count = ops[4].from.count = 1)
WAY(sends_other_blocks, ops[0].at.first = 0)
WAY(combines_others, ops[4].at.first = 0)
WAY(twice, ops[5].from = ops[4].from)
WAY(copies_others, ops[4].kind = RB_COPY; ops[4].at.first = 0)

static const struct fault together[] = {
    {"round 1: rank 0 receives from rank 1 on port 1, which sends it nothing", no_send},
    {"sends 2 blocks to rank 1 on port 1, which receives 0 of them", no_receive},
    {"round 1: rank 1 has 0 operations, but next() says that it is active", nothing},
    {"on port 1, which sends it nothing", other_port},
    {"sends 2 blocks to rank 1 on port 0, which receives 1 of them", one_block_less},
    {"takes block 0 of rank 0 from tmp to the place of block 2 of rank 0 in dst",
     sends_other_blocks},
    {"takes block 2 of rank 0 from tmp to the place of block 0 of rank 0 in dst", combines_others},
    {"counts the contribution of rank 0 twice", twice},
    {"takes block 2 of rank 0 from tmp to the place of block 0 of rank 0 in dst", copies_others},
};
enum { TOGETHER = sizeof together / sizeof together[0] };

/* ---- The verifier ---------------------------------------------------------------------------- */

static void expect(const struct fault *fault)
{
    struct rb_plan *plan = make(&by_hand);
    struct rb_verdict verdict;
    present = fault;
    const int status = rb_verify_plan(plan, NULL, &verdict);
    present = NULL;
    if (status != RB_EWRONG || strstr(verdict.what, fault->says) == NULL)
        fail_msg("status %d, '%s' does not say '%s'", status, verdict.what, fault->says);
    rb_plan_destroy(plan);
}

static void the_verifier_names_each(void **state)
{
    (void)state;
    struct rb_plan *plan = make(&by_hand);
    struct rb_verdict verdict;
    assert_int_equal(rb_verify_plan(plan, NULL, &verdict), RB_OK);
    rb_plan_destroy(plan);
    for (int32_t i = 0; i < ALONE; i++)
        expect(&alone[i]);
    for (int32_t i = 0; i < TOGETHER; i++)
        expect(&together[i]);
}

static void only_reductions_combine(void **state)
{
    (void)state;
    char why[200];
    struct rb_plan *plan = make(&by_hand);
    const struct rb_op op = {
        .kind = RB_RECV_REDUCE, .peer = 0, .at = {.buffer = RB_DST, .count = 1}};
    assert_int_equal(rb_round_check(plan, 1, 0, &op, 1, NULL, why, sizeof why), RB_OK);
    plan->collective = &rb_bcast;
    assert_int_equal(rb_round_check(plan, 1, 0, &op, 1, NULL, why, sizeof why), RB_EWRONG);
    assert_string_equal(why, "round 0: rank 1 combines blocks, but bcast has no operator");
    rb_plan_destroy(plan);
}

/* ---- What is right at a glance, against the rules one by one --------------------------------- */

static struct rb_op given[2];
static int32_t given_count;

static int32_t given_round(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                           struct rb_op ops[])
{
    (void)plan, (void)state, (void)t;
    memcpy(ops, given, sizeof given);
    return given_count;
}

/* Engines and executor accept the given round if and only if it keeps the rules. */
static void glance(const struct rb_plan *plan, const struct rb_rank *rank)
{
    static const struct rb_layout bytes = {.bytes = 1200, .element = 1};
    struct rb_op ops[MOST];
    char why[300], other[300];
    const int status =
        rb_round_check(plan, rank->rank, 0, given, given_count, NULL, why, sizeof why);
    const int32_t count = rb_layout_checked_round(plan, &bytes, rank, 0, ops, other, sizeof other);
    if (status == RB_OK && count >= 0)
        return;
    assert_int_equal(count, status);
    assert_string_equal(other, why);
}

static void rules_at_a_glance(void **state)
{
    (void)state;
    static const struct rb_collective *const collectives[] = {&rb_bcast, &rb_allgather};
    static const int32_t peers[] = {-1, 0, 1, P}, ports[] = {-1, 0, 1, 2};
    static const int32_t buffers[] = {RB_DST, RB_TMP, RB_BUFFERS}, owners[] = {-1, 0, 1, P};
    static const int64_t firsts[] = {-1, 0, N - 1, N}, counts[] = {0, 1, N, N + 1};
    struct rb_algorithm algorithm = by_hand;
    algorithm.round = given_round;
    for (int c = 0; c < 2; c++) {
        const struct rb_plan_spec spec = {.p = P, .n = N, .root = c == 0 ? 1 : 0, .ports = 2};
        struct rb_rank rank;
        struct rb_plan *plan;
        assert_int_equal(rb_plan_make(collectives[c], &algorithm, &spec, &plan, NULL, 0), RB_OK);
        rb_plan_rank(plan, 1, &rank);
        const int32_t owner = c == 0 ? 1 : 0;
        for (int32_t i = 0; i < (RB_OP_KINDS + 1) * 4 * 4 * 3 * 4 * 4 * 4; i++) {
            const struct rb_op any = {.kind = (enum rb_op_kind)(i / (4 * 4 * 3 * 4 * 4 * 4)),
                                      .peer = peers[i % 4],
                                      .port = ports[i / 4 % 4],
                                      .at = {(enum rb_buffer)buffers[i / 16 % 3],
                                             owners[i / 48 % 4], firsts[i / 192 % 4],
                                             counts[i / 768 % 4]},
                                      .from = {RB_TMP, owner, 0, 1}};
            const struct rb_op right = {.kind = RB_SEND, .peer = 2, .at = {RB_DST, owner, 0, 1}};
            given[0] = any;
            given_count = 1;
            glance(plan, &rank);
            given[1] = any;
            given[0] = right;
            given_count = 2;
            glance(plan, &rank);
            given[1] = right;
            given[1].kind = RB_RECV;
            given[0] = any;
            glance(plan, &rank);
        }
        rb_plan_destroy(plan);
    }
}

static int64_t next_beyond(const struct rb_plan *plan, const struct rb_rank *state, int64_t t)
{
    return state->rank == 2 && t == 1 ? plan->rounds : t;
}

static int64_t next_backwards(const struct rb_plan *plan, const struct rb_rank *state, int64_t t)
{
    (void)plan;
    return state->rank == 2 && t == 1 ? 0 : t;
}

/* Rank 2 does nothing in round 1, and says that it does something in round 0, which is over. */
static int32_t idle_round(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                          struct rb_op ops[])
{
    return state->rank == 2 && t == 1 ? 0 : good_round(plan, state, t, ops);
}

static void next_is_true(void **state)
{
    (void)state;
    struct rb_algorithm algorithm = by_hand;
    struct rb_verdict verdict;
    struct rb_plan *plan = make(&algorithm);
    algorithm.next = next_beyond;
    assert_int_equal(rb_verify_plan(plan, NULL, &verdict), RB_EWRONG);
    assert_non_null(
        strstr(verdict.what, "rank 2 has 6 operations, but next() says that it is idle"));
    algorithm.next = next_backwards;
    algorithm.round = idle_round;
    assert_int_equal(rb_verify_plan(plan, NULL, &verdict), RB_EWRONG);
    assert_non_null(
        strstr(verdict.what, "rank 2 has 0 operations, but next() says that it is active"));
    rb_plan_destroy(plan);
}

/* ---- Receives that meet, against comparing all pairs ----------------------------------------- */

static bool pairs_meet(const struct rb_plan *plan, const struct rb_op ops[], int32_t count)
{
    for (int32_t i = 1; i < count; i++)
        for (int32_t k = 0; k < i; k++)
            if ((ops[i].kind == RB_RECV || ops[k].kind == RB_RECV) &&
                rb_plan_overlap(plan, &ops[i].at, &ops[k].at))
                return true;
    return false;
}

static void many_receives(void **state)
{
    (void)state;
    enum { MANY = 40, BLOCKS = 600 };
    const struct rb_plan_spec spec = {.p = 2, .n = BLOCKS};
    struct rb_op ops[MANY];
    int32_t order[MANY], found = 0, runs = 4000;
    struct rb_plan *plan;
    uint64_t random = 1;
    char why[300];
    assert_int_equal(rb_plan_make(&rb_allreduce, &by_hand, &spec, &plan, NULL, 0), RB_OK);
    plan->max_ops = MANY;
    for (int32_t run = 0; run < runs; run++) {
        const int32_t count = 2 + run % (MANY - 1);
        for (int32_t i = 0; i < count; i++) {
            random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            const int64_t length = 1 + (int64_t)(random >> 60) % 4;
            ops[i] = (struct rb_op){.kind = random >> 40 & 1u ? RB_RECV : RB_RECV_REDUCE,
                                    .peer = 1,
                                    .at = {random >> 41 & 1u ? RB_DST : RB_TMP, 0,
                                           (int64_t)(random >> 45 & 0x7fff) % (BLOCKS - length),
                                           length}};
        }
        const bool meet = pairs_meet(plan, ops, count);
        const int status = rb_round_check(plan, 0, 0, ops, count, order, why, sizeof why);
        assert_int_equal(status, meet ? RB_EWRONG : RB_OK);
        found += meet;
    }
    assert_in_range(found, runs / 4, runs * 3 / 4);
    rb_plan_destroy(plan);
}

/* ---- Consumers ------------------------------------------------------------------------------- */

#ifdef TEST_CONSUMERS
static const struct rb_layout layout = {.bytes = 400, .element = 1};

static void refuses(int status, const struct fault *fault, const char *who, const char *says)
{
    if (status != RB_EWRONG || strstr(says, fault->says) == NULL)
        fail_msg("%s: status %d, '%s' does not say '%s'", who, status, says, fault->says);
}

static int simulate(const char *engine, const char *variant, const char *overlap,
                    struct sup_error *error)
{
    struct rb_plan *plan = make(&by_hand);
    struct sim_result result = {0};
    struct sim_spec spec = {
        .plan = plan, .layout = &layout, .platform = "crossbar:3", .ppn = 1, .variant = variant};
    assert_int_equal(sim_overlap_parse(overlap, &spec.overlap, error), RB_OK);
    error->text[0] = '\0';
    const int status = sim_run(sim_engine_find(engine), &spec, &result, error);
    sim_result_free(&result);
    rb_plan_destroy(plan);
    return status;
}

static void engines_refuse_each(void **state)
{
    (void)state;
    static const struct {
        const char *engine, *variant, *overlap;
        int32_t stride; /* one of so many faults: simgrid starts a process */
    } ways[] = {
        {"model", "windows", "blocking", 1},  {"model", "windows", "lockstep", 1},
        {"model", "windows", "window:2", 1},  {"model", "events", "blocking", 1},
        {"model", "events", "data", 1},       {"simgrid", "signals", "window:2", 6},
        {"simgrid", "actors", "blocking", 6},
    };
    struct sup_error error;
    for (size_t w = 0; w < sizeof ways / sizeof ways[0]; w++) {
        assert_int_equal(simulate(ways[w].engine, ways[w].variant, ways[w].overlap, &error), RB_OK);
        for (int32_t i = FIRST; i < ALONE; i += ways[w].stride) {
            present = &alone[i];
            const int status = simulate(ways[w].engine, ways[w].variant, ways[w].overlap, &error);
            present = NULL;
            refuses(status, &alone[i], ways[w].variant, error.text);
        }
    }
}

/* A send that nobody receives, and a receive that nobody sends. */
static void model_wants_both_ends(void **state)
{
    (void)state;
    static const char *const ways[][2] = {
        {"windows", "blocking"}, {"windows", "window:2"}, {"events", "blocking"}};
    struct sup_error error;
    for (int32_t w = 0; w < 3; w++)
        for (int32_t i = 0; i < 4; i++) {
            present = &together[i];
            assert_int_equal(simulate("model", ways[w][0], ways[w][1], &error), RB_EWRONG);
            present = NULL;
            assert_non_null(strstr(error.text, "the plan is wrong: "));
        }
}

static void exporters_refuse_each(void **state)
{
    (void)state;
    char directory[] = "/tmp/rb_round_rules_XXXXXX", name[64];
    struct rb_plan *plan = make(&by_hand);
    struct export_request export = {
        .plan = plan, .layout = &layout, .overlap = {.rule = SIM_BLOCKING}};
    FILE *sink = fopen("/dev/null", "w");
    struct sup_error error;
    assert_non_null(mkdtemp(directory));
    assert_non_null(sink);
    assert_int_equal(export_write_ti(&export, directory, &error), RB_OK);
    assert_int_equal(export_write_goal(&export, sink, &error), RB_OK);
    for (int32_t i = FIRST; i < ALONE; i++) {
        present = &alone[i];
        const int ti = export_write_ti(&export, directory, &error);
        refuses(ti, &alone[i], "ti", error.text);
        const int goal = export_write_goal(&export, sink, &error);
        refuses(goal, &alone[i], "goal", error.text);
        present = NULL;
    }
    fclose(sink);
    for (int32_t r = 0; r < P; r++) {
        snprintf(name, sizeof name, "%s/%d", directory, r);
        unlink(name);
    }
    snprintf(name, sizeof name, "%s/traces", directory);
    unlink(name);
    rmdir(directory);
    rb_plan_destroy(plan);
}

static void the_executor_refuses_each(void **state)
{
    (void)state;
    struct rb_plan *plan = make(&by_hand);
    for (int32_t i = 0; i < ALONE; i++) {
        struct dep_window window = {0};
        struct rb_rank rank;
        present = i < FIRST ? NULL : &alone[i];
        rb_plan_rank(plan, 1, &rank);
        assert_int_equal(dep_window_begin(&window, plan, &layout, &rank, 2), RB_OK);
        assert_int_equal(dep_window_enter(&window), i < FIRST ? RB_OK : RB_EWRONG);
        dep_window_free(&window);
        present = NULL;
    }
    rb_plan_destroy(plan);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_verifier_names_each), cmocka_unit_test(only_reductions_combine),
        cmocka_unit_test(rules_at_a_glance),       cmocka_unit_test(next_is_true),
        cmocka_unit_test(many_receives),
#ifdef TEST_CONSUMERS
        cmocka_unit_test(engines_refuse_each),     cmocka_unit_test(model_wants_both_ends),
        cmocka_unit_test(exporters_refuse_each),   cmocka_unit_test(the_executor_refuses_each),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
