/* The diagnosis of runs whose messages can be drawn by hand, and properties of every run. */
#include <math.h>

#include "sim/observe/diagnosis.h"
#include "tests/diagnosed_run.h"
#include "tests/fitting.h"

/* cmocka's own counts in single precision. */
static void expect_near(double value, double expected, double tolerance, int line)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("line %d: %.17g, not %.17g", line, value, expected);
}
#define assert_near(value, expected) expect_near(value, expected, 1e-15, __LINE__)

static void expect_phase(const struct run *run, enum obs_phase_name name, double from_us,
                         double to_us, int64_t rounds, double utilisation)
{
    const struct obs_phase *phase = &run->diagnosis.phase[name];
    assert_near(phase->from_s, from_us * 1e-6);
    assert_near(phase->to_s, to_us * 1e-6);
    assert_int_equal(phase->rounds, rounds);
    if (isnan(utilisation))
        assert_true(isnan(phase->utilisation));
    else
        expect_near(phase->utilisation, utilisation, 1e-9, __LINE__);
}

static void expect_spread(const struct run *run, enum obs_use use, double least_us, int32_t least,
                          double median_us, int32_t median, double most_us, int32_t most)
{
    const struct obs_spread *spread = &run->diagnosis.spread[use];
    assert_near(spread->least, least_us * 1e-6);
    assert_near(spread->median, median_us * 1e-6);
    assert_near(spread->most, most_us * 1e-6);
    assert_int_equal(spread->least_rank, least);
    assert_int_equal(spread->median_rank, median);
    assert_int_equal(spread->most_rank, most);
}

static const struct sim_overlap window = {SIM_WINDOW, 3}, data = {SIM_DATA, 1};

/* ---- Phases ---------------------------------------------------------------------------------- */

/* 0 -> 1 -> 2 -> 3, 6 blocks, 8 rounds of 2 us: 1, 2, 3, 3, 3, 3, 2, 1 messages in them. */
static void a_chain_fills_and_drains(void **state)
{
    (void)state;
    const struct request request = {"bcast", "chain", 4, 6, 6000, blocking, NULL, NULL, 0};
    struct run run;
    diagnose(&run, &request);
    assert_true(run.diagnosis.full);
    assert_int_equal(run.diagnosis.taking_part, 4);
    expect_phase(&run, OBS_FILL, 0, 4, 2, 3. / (2 * 4));
    expect_phase(&run, OBS_STEADY, 4, 12, 4, 3. / 4);
    expect_phase(&run, OBS_DRAIN, 12, 16, 2, 3. / (2 * 4));
    expect_spread(&run, OBS_USE_BEGUN, 0, 0, 0, 0, 4, 3);
    end(&run);
}

/* Two blocks through 8 ranks: rank 0 is through after 2 rounds, rank 7 begins in round 6. */
static void a_short_pipeline_is_never_full(void **state)
{
    (void)state;
    const struct request request = {"bcast", "chain", 8, 2, 2000, lockstep, NULL, NULL, 0};
    struct run run;
    diagnose(&run, &request);
    assert_false(run.diagnosis.full);
    expect_phase(&run, OBS_FILL, 0, 4, 2, 3. / (2 * 8));
    expect_phase(&run, OBS_STEADY, 4, 12, 4, 2. / 8);
    expect_phase(&run, OBS_DRAIN, 12, 16, 2, 3. / (2 * 8));
    end(&run);
}

/* The circulant broadcast: in round q - 1 the last ranks receive their first block, and all are
 * busy in the last round. */
static void circulant_fills_in_q_minus_1_rounds(void **state)
{
    (void)state;
    for (int32_t p = 2; p <= 70; p++) {
        const int32_t q = rb_ceil_log2(p);
        const struct request request = {"bcast",  "circulant", p,    20, 20000,
                                        lockstep, NULL,        NULL, 0};
        struct run run;
        diagnose(&run, &request);
        const struct obs_phase *phase = run.diagnosis.phase;
        assert_int_equal(phase[OBS_FILL].rounds, q - 1);
        assert_near(phase[OBS_FILL].to_s, (q - 1) * 2e-6);
        assert_int_equal(phase[OBS_STEADY].rounds, 20);
        assert_int_equal(phase[OBS_DRAIN].rounds, 0);
        assert_true(p == 2 || phase[OBS_STEADY].utilisation > phase[OBS_FILL].utilisation);
        end(&run);
    }
}

/* Of one rank, without messages: all zero, nothing undefined. */
static void one_rank_has_no_phases(void **state)
{
    (void)state;
    const struct request request = {"bcast", "circulant", 1, 3, 3000, blocking, NULL, NULL, 0};
    struct run run;
    diagnose(&run, &request);
    assert_int_equal(run.diagnosis.taking_part, 0);
    assert_int_equal(run.diagnosis.path.count, 0);
    assert_true(run.diagnosis.path.waiting_s == 0);
    expect_phase(&run, OBS_STEADY, 0, 0, 0, 0);
    end(&run);
}

/* ---- Ranks ----------------------------------------------------------------------------------- */

/* The root sends to 1, 2, 3, 4 in turn, 2 us each. */
static void flat_leaves_all_but_the_root_idle(void **state)
{
    (void)state;
    const struct request request = {"bcast", "flat", 5, 1, 1000, blocking, NULL, NULL, 0};
    struct run run;
    diagnose(&run, &request);
    expect_spread(&run, OBS_USE_SENDING, 0, 1, 0, 1, 8, 0);
    expect_spread(&run, OBS_USE_RECEIVING, 0, 0, 2, 1, 2, 1);
    expect_spread(&run, OBS_USE_BUSY, 2, 1, 2, 1, 8, 0);
    expect_spread(&run, OBS_USE_IDLE, 0, 0, 6, 1, 6, 1);
    expect_spread(&run, OBS_USE_GAPS, 0, 0, 0, 0, 0, 0);
    expect_spread(&run, OBS_USE_BEGUN, 0, 0, 2, 2, 6, 4);
    expect_spread(&run, OBS_USE_THROUGH, 2, 1, 6, 3, 8, 0);
    assert_int_equal(run.diagnosis.rank[0].sends, 4);
    assert_int_equal(run.diagnosis.rank[4].receives, 1);
    end(&run);
}

/* ---- The critical path ----------------------------------------------------------------------- */

/* Rank 0's six sends, then the last block's way through 1 and 2. */
static void the_path_through_a_chain(void **state)
{
    (void)state;
    const struct request request = {"bcast", "chain", 4, 6, 6000, blocking, NULL, NULL, 0};
    struct run run;
    diagnose(&run, &request);
    const struct obs_critical_path *path = &run.diagnosis.path;
    assert_int_equal(path->count, 8);
    assert_int_equal(path->ranks, 4);
    assert_int_equal(path->bytes, 8000);
    assert_int_equal(path->causes[OBS_BY_START], 1);
    assert_int_equal(path->causes[OBS_BY_SENDER], 5);
    assert_int_equal(path->causes[OBS_BY_DATA], 2);
    for (int32_t i = 0; i < 8; i++) {
        assert_int_equal(path->step[i].message->round, i);
        assert_int_equal(path->step[i].message->from, i <= 5 ? 0 : i - 5);
        assert_int_equal(path->step[i].at, i <= 5 ? 0 : i - 5);
    }
    end(&run);
}

/* What its messages waited for, asked one by one, is the path; a message off the path waited for an
 * earlier one. */
static void expect_waits(const struct run *run)
{
    const struct obs_critical_path *path = &run->diagnosis.path;
    const struct sim_message *all = run->recording.message;
    struct sup_error error;
    struct obs_wait wait;
    for (int32_t i = 0; i < path->count; i++) {
        const int32_t message = (int32_t)(path->step[i].message - all);
        assert_int_equal(
            obs_waits_find(&run->spec, &run->result, &run->recording, &message, 1, &wait, &error),
            RB_OK);
        assert_int_equal(wait.cause, path->step[i].cause);
        assert_int_equal(wait.at, path->step[i].at);
        assert_int_equal(wait.message, i > 0 ? path->step[i - 1].message - all : -1);
    }
    for (int32_t i = 0; i < run->recording.count; i++) {
        assert_int_equal(
            obs_waits_find(&run->spec, &run->result, &run->recording, &i, 1, &wait, &error), RB_OK);
        assert_int_equal(wait.message < 0, wait.cause == OBS_BY_START);
        assert_true(wait.message < 0 || all[wait.message].round < all[i].round);
    }
}

/* Each step starts where and when the one before ends, by what its cause says. */
static void expect_chain(const struct request *request, const struct run *run)
{
    const struct obs_critical_path *path = &run->diagnosis.path;
    const double time_s = run->result.time_s;
    for (int32_t i = 0; i < path->count; i++) {
        const struct obs_path_step *step = &path->step[i];
        const struct sim_message *m = step->message;
        const struct sim_message *before = i > 0 ? step[-1].message : NULL;
        assert_true(step->at == m->from || step->at == m->to);
        if (fabs(m->start_s - (before ? before->end_s : 0)) > 1e-9 * time_s)
            fail_msg("%s %s, p = %d: step %d", request->collective, request->algorithm, request->p,
                     i);
        assert_int_equal(step->cause == OBS_BY_START, i == 0);
        if (i == 0)
            continue;
        assert_true(before->round < m->round);
        if (step->cause == OBS_BY_DATA)
            assert_true(before->to == m->from && step->at == m->from);
        if (step->cause == OBS_BY_SENDER || step->cause == OBS_BY_RECEIVER)
            assert_true((before->to == step->at || before->from == step->at) &&
                        step->at == (step->cause == OBS_BY_SENDER ? m->from : m->to));
        if (step->cause == OBS_BY_BARRIER)
            assert_true(before->from != m->from && before->to != m->from && before->from != m->to &&
                        before->to != m->to);
    }
    expect_near(path->moving_s, time_s, 1e-9 * time_s, __LINE__);
    expect_near(path->waiting_s, 0, 1e-9 * time_s, __LINE__);
    assert_int_equal(path->causes[OBS_UNEXPLAINED], 0);
    assert_true(request->overlap.rule == SIM_LOCKSTEP || path->causes[OBS_BY_BARRIER] == 0);
    expect_waits(run);
}

/* All algorithms, blocks of unequal length; where links are shared, too. */
static void paths_are_as_long_as_the_run(void **state)
{
    (void)state;
    static const int32_t ranks[] = {2, 3, 8, 13};
    const struct sim_overlap rules[] = {blocking, lockstep, window, data};
    for (int32_t a = 0; rb_algorithm_at(a) != NULL; a++)
        for (int i = 0; i < 4; i++)
            for (int rule = 0; rule < 4; rule++) {
                const struct rb_algorithm_info *algorithm = rb_algorithm_at(a);
                struct request request = {algorithm->collective,
                                          algorithm->name,
                                          fitting_ranks(algorithm, ranks[i]),
                                          1 + (a + i) % 7,
                                          100003,
                                          rules[rule],
                                          NULL,
                                          NULL,
                                          0};
                struct run run;
                diagnose(&run, &request);
                expect_chain(&request, &run);
                end(&run);
                if (i != 2 || a % 3 != 0)
                    continue;
                request.platform = "fat-tree:16,taper=4";
                request.engine = "simgrid";
                diagnose(&run, &request);
                expect_chain(&request, &run);
                end(&run);
            }
}

/* Rank 1 in round 1 of a chain: block 1 comes, block 0 goes. */
static void messages_have_their_blocks(void **state)
{
    (void)state;
    const struct request request = {"bcast", "chain", 3, 2, 2000, blocking, NULL, NULL, 0};
    struct rb_op ops[8];
    struct run run;
    start(&run, &request);
    const struct sim_message comes = {.from = 0, .to = 1, .round = 1};
    const struct sim_message goes = {.from = 1, .to = 2, .round = 1};
    assert_int_equal(obs_message_ops(&run.spec, &comes, true, ops), 1);
    assert_int_equal(ops[0].kind, RB_RECV);
    assert_int_equal(ops[0].at.first, 1);
    assert_int_equal(obs_message_ops(&run.spec, &goes, false, ops), 1);
    assert_int_equal(ops[0].kind, RB_SEND);
    assert_int_equal(ops[0].at.first, 0);
    end(&run);
}

/* In a ring each rank passes on what it received; in a pairwise exchange it never does. */
static void data_are_what_is_passed_on(void **state)
{
    (void)state;
    const struct request ring = {"allgather", "ring", 7, 1, 7000, blocking, NULL, NULL, 0};
    const struct request pairs = {"alltoall", "pairwise", 7, 1, 49000, blocking, NULL, NULL, 0};
    struct run run;
    diagnose(&run, &ring);
    assert_int_equal(run.diagnosis.path.causes[OBS_BY_DATA], 5);
    end(&run);
    diagnose(&run, &pairs);
    assert_int_equal(run.diagnosis.path.causes[OBS_BY_SENDER], 5);
    end(&run);
}

/* Rounds tell what comes first where all ends at the same moment. */
static void messages_may_take_no_time(void **state)
{
    (void)state;
    const struct request request = {"alltoall", "pairwise", 3, 1, 0, blocking, NULL, NULL, 0};
    struct run run;
    start(&run, &request);
    const struct sim_observer observer = obs_recording_observer(&run.recording);
    for (int32_t i = 0; i < 6; i++)
        observer.message(observer.context, &(struct sim_message){.from = i % 3,
                                                                 .to = (i % 3 + 1 + i / 3) % 3,
                                                                 .round = i / 3,
                                                                 .start_s = i < 3 ? 0 : 2e-6,
                                                                 .end_s = 2e-6});
    run.result.time_s = 2e-6;
    finish(&run);
    assert_int_equal(run.diagnosis.path.count, 2);
    assert_int_equal(run.diagnosis.path.causes[OBS_BY_SENDER], 1);
    end(&run);
}

/* Unequal messages in lockstep: 0 -> 1 takes long in round 0 while 2 -> 3 is short; what follows at
 * 2 and 3 waits for the barrier. */
static void barriers_are_named(void **state)
{
    (void)state;
    const struct request request = {
        "allgather", "recursive-doubling", 4, 1, 4, lockstep, NULL, NULL, 0};
    struct run run;
    start(&run, &request);
    const struct sim_observer observer = obs_recording_observer(&run.recording);
    static const struct sim_message messages[] = {{0, 1, 0, 0, 5000, 0, 6e-6, 0, 0, 0},
                                                  {2, 3, 0, 0, 1000, 0, 2e-6, 0, 0, 0},
                                                  {3, 2, 0, 1, 1, 6e-6, 8e-6, 0, 0, 0}};
    for (int i = 0; i < 3; i++)
        observer.message(observer.context, &messages[i]);
    run.result.time_s = 8e-6;
    finish(&run);
    assert_int_equal(run.diagnosis.path.count, 2);
    assert_int_equal(run.diagnosis.path.step[1].cause, OBS_BY_BARRIER);
    assert_int_equal(run.diagnosis.path.step[0].message->to, 1);
    end(&run);
}

/* Ranks 0 and 1 are on one host: its port passes on at 4 us, before the first message is there. */
static void ports_of_hosts_are_named(void **state)
{
    (void)state;
    const struct request request = {"bcast", "chain", 4, 1, 4, blocking, NULL, NULL, 0};
    struct run run;
    start(&run, &request);
    const struct sim_observer observer = obs_recording_observer(&run.recording);
    static const struct sim_message messages[] = {{0, 2, 0, 0, 4000, 0, 5e-6, 0, 0, 0},
                                                  {2, 3, 0, 0, 1000, 0, 5.5e-6, 0, 0, 0},
                                                  {1, 3, 0, 0, 4000, 4e-6, 9e-6, 0, 0, 0}};
    for (int i = 0; i < 3; i++)
        observer.message(observer.context, &messages[i]);
    run.spec.ppn = 2;
    run.result.hosts = 2;
    run.result.time_s = 9e-6;
    finish(&run);
    const struct obs_critical_path *path = &run.diagnosis.path;
    assert_int_equal(path->count, 2);
    assert_int_equal(path->step[0].message->from, 0);
    assert_int_equal(path->step[1].cause, OBS_BY_HOST);
    assert_near(path->step[1].wait_s, -1e-6);
    assert_near(path->waiting_s, -1e-6);
    end(&run);
}

/* Rank 1 combines for 3 us what came from 2, before it sends on. */
static void combining_is_named(void **state)
{
    (void)state;
    const struct request request = {"reduce", "chain", 3, 1, 1000, blocking, NULL, NULL, 0};
    struct run run;
    start(&run, &request);
    const struct sim_observer observer = obs_recording_observer(&run.recording);
    static const struct sim_message messages[] = {{2, 1, 0, 0, 1000, 0, 2e-6, 0, 0, 0},
                                                  {1, 0, 0, 1, 1000, 5e-6, 7e-6, 0, 0, 0}};
    for (int i = 0; i < 2; i++)
        observer.message(observer.context, &messages[i]);
    run.result.time_s = 7e-6;
    finish(&run);
    assert_int_equal(run.diagnosis.path.step[1].cause, OBS_BY_COMBINING);
    assert_near(run.diagnosis.path.step[1].wait_s, 3e-6);
    end(&run);
}

/* What the engine model's machines add is explained, too, and adds up. */
static void machines_are_explained(void **state)
{
    (void)state;
    static const char *const gamma[] = {"gamma:1ns"};
    const struct request bcast = {"bcast", "circulant", 20, 9, 100003, blocking, NULL, NULL, 0};
    const struct request reduce = {"reduce", "circulant", 20, 9, 100003, data, NULL, NULL, 0};
    for (int i = 0; i < 2; i++) {
        struct run run;
        start(&run, i == 0 ? &bcast : &reduce);
        run.spec.ppn = i == 0 ? 4 : 1;
        run.spec.options = gamma;
        run.spec.option_count = i;
        simulate(&run, "model", i == 0 ? "crossbar:5,loopback-latency=200ns" : "crossbar:20");
        finish(&run);
        const struct obs_critical_path *path = &run.diagnosis.path;
        assert_int_equal(path->causes[OBS_UNEXPLAINED], 0);
        assert_true(path->causes[i == 0 ? OBS_BY_HOST : OBS_BY_COMBINING] > 0);
        expect_near(path->moving_s + path->waiting_s, run.result.time_s, 1e-9 * run.result.time_s,
                    __LINE__);
        end(&run);
    }
}

/* A start that no message explains, and an end that none does. */
static void what_is_unexplained_is_said(void **state)
{
    (void)state;
    const struct request request = {"bcast", "chain", 3, 1, 1000, blocking, NULL, NULL, 0};
    struct run run;
    start(&run, &request);
    const struct sim_observer observer = obs_recording_observer(&run.recording);
    static const struct sim_message messages[] = {{0, 1, 0, 0, 1000, 1e-6, 3e-6, 0, 0, 0},
                                                  {1, 2, 0, 1, 1000, 5e-6, 7e-6, 0, 0, 0}};
    for (int i = 0; i < 2; i++)
        observer.message(observer.context, &messages[i]);
    run.result.time_s = 8e-6;
    finish(&run);
    const struct obs_critical_path *path = &run.diagnosis.path;
    assert_int_equal(path->count, 2);
    assert_int_equal(path->causes[OBS_BY_START], 1);
    assert_int_equal(path->causes[OBS_UNEXPLAINED], 1);
    assert_near(path->step[0].wait_s, 1e-6);
    assert_near(path->step[1].wait_s, 2e-6);
    assert_near(path->moving_s, 4e-6);
    assert_near(path->waiting_s, 4e-6);
    end(&run);
}

/* Ranks 1 and 2 start round 0 one and three us after rank 0's. */
static void skew_is_the_widest_round(void **state)
{
    (void)state;
    const struct request request = {"allgather", "ring", 3, 1, 3000, blocking, NULL, NULL, 0};
    struct run run;
    start(&run, &request);
    const struct sim_observer observer = obs_recording_observer(&run.recording);
    static const struct sim_message messages[] = {
        {0, 1, 0, 0, 1000, 0, 2e-6, 0, 0, 0},    {1, 2, 0, 0, 1000, 1e-6, 3e-6, 0, 0, 0},
        {2, 0, 0, 0, 1000, 3e-6, 5e-6, 0, 0, 0}, {0, 1, 0, 1, 1000, 5e-6, 7e-6, 0, 0, 0},
        {1, 2, 0, 1, 1000, 7e-6, 9e-6, 0, 0, 0}, {2, 0, 0, 1, 1000, 5e-6, 7e-6, 0, 0, 0}};
    for (int i = 0; i < 6; i++)
        observer.message(observer.context, &messages[i]);
    run.result.time_s = 9e-6;
    finish(&run);
    assert_near(run.diagnosis.start_skew_s, 3e-6);
    assert_int_equal(run.diagnosis.start_skew_round, 0);
    expect_spread(&run, OBS_USE_THROUGH, 7, 0, 9, 1, 9, 1);
    expect_spread(&run, OBS_USE_GAPS, 0, 2, 1, 0, 2, 1);
    end(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain_fills_and_drains),
        cmocka_unit_test(a_short_pipeline_is_never_full),
        cmocka_unit_test(circulant_fills_in_q_minus_1_rounds),
        cmocka_unit_test(one_rank_has_no_phases),
        cmocka_unit_test(flat_leaves_all_but_the_root_idle),
        cmocka_unit_test(the_path_through_a_chain),
        cmocka_unit_test(paths_are_as_long_as_the_run),
        cmocka_unit_test(messages_have_their_blocks),
        cmocka_unit_test(data_are_what_is_passed_on),
        cmocka_unit_test(messages_may_take_no_time),
        cmocka_unit_test(barriers_are_named),
        cmocka_unit_test(ports_of_hosts_are_named),
        cmocka_unit_test(combining_is_named),
        cmocka_unit_test(machines_are_explained),
        cmocka_unit_test(what_is_unexplained_is_said),
        cmocka_unit_test(skew_is_the_widest_round),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
