/* The replay, with random orders of completion: for every order no rank sends what it does not
 * have, a port carries one message in each direction, and the overlap rule holds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim/engine/replay.h"
#include "tests/fitting.h"
#include "tests/mpi/mpi_plans.h"

enum { MOST_OPS = 8 };

struct driver {
    struct rb_plan *plan;
    struct sim_overlap overlap;
    struct sim_replay *replay;
    struct sim_replay_message *flight; /* p * ports of room */
    int32_t flying;
    bool *sending;   /* per rank; the plans here have one port */
    bool *receiving; /* per rank */
    bool *entered;   /* per rank: the collective */
    bool *held;      /* per rank */
    bool *has;       /* per rank and block (bcast) */
    int64_t *to_do;  /* per rank and round: messages not complete */
    char what[200];  /* the case, for a failure's message */
};

static void count_messages(struct driver *d)
{
    int64_t rounds = rb_plan_rounds(d->plan);
    struct rb_op *ops = calloc((size_t)rb_plan_max_ops(d->plan) + 1, sizeof *ops);
    for (int32_t r = 0; r < rb_plan_ranks(d->plan); r++) {
        struct rb_rank state;
        rb_plan_rank(d->plan, r, &state);
        for (int64_t t = 0; t < rounds; t++) {
            int32_t count = rb_plan_round(d->plan, &state, t, ops);
            bool sends = false, receives = false;
            for (int32_t i = 0; i < count; i++) {
                sends = sends || ops[i].kind == RB_SEND;
                receives = receives || ops[i].kind == RB_RECV;
            }
            d->to_do[r * rounds + t] = sends + receives;
        }
    }
    free(ops);
}

static int64_t rounds_open_before(const struct driver *d, int32_t r, int64_t t)
{
    int64_t open = 0;
    for (int64_t earlier = 0; earlier < t; earlier++)
        open += d->to_do[r * rb_plan_rounds(d->plan) + earlier] > 0;
    return open;
}

static void check_rule(const struct driver *d, const struct sim_replay_message *m)
{
    int32_t ends[2] = {m->from, m->to};
    int32_t window = d->overlap.rule == SIM_WINDOW ? d->overlap.window : 1;
    for (int e = 0; e < 2; e++)
        if (rounds_open_before(d, ends[e], m->round) >= window)
            fail_msg("%s: rank %d began round %d too early", d->what, ends[e], (int)m->round);
    if (d->overlap.rule == SIM_LOCKSTEP)
        for (int32_t r = 0; r < rb_plan_ranks(d->plan); r++)
            if (rounds_open_before(d, r, m->round) > 0)
                fail_msg("%s: round %d began before all were through", d->what, (int)m->round);
}

/* Calls for each block of the message, as its sender or as its receiver sees it. */
static void each_block(struct driver *d, const struct sim_replay_message *m, bool as_sender)
{
    struct rb_rank state;
    struct rb_op *ops = calloc((size_t)rb_plan_max_ops(d->plan) + 1, sizeof *ops);
    rb_plan_rank(d->plan, as_sender ? m->from : m->to, &state);
    int32_t count = rb_plan_round(d->plan, &state, m->round, ops);
    int64_t blocks = rb_plan_blocks(d->plan);
    for (int32_t i = 0; i < count; i++) {
        if ((ops[i].kind == RB_SEND) != as_sender)
            continue;
        for (int64_t b = ops[i].at.first; b < ops[i].at.first + ops[i].at.count; b++) {
            if (as_sender && !d->has[m->from * blocks + b])
                fail_msg("%s: rank %d sends block %d in round %d before it has it", d->what,
                         m->from, (int)b, (int)m->round);
            if (!as_sender)
                d->has[m->to * blocks + b] = true;
        }
    }
    free(ops);
}

/* In the order of their numbers. */
static void enter_all(struct sim_replay *replay, int32_t p)
{
    for (int32_t r = 0; r < p; r++)
        sim_replay_enter(replay, r, NULL);
}

static void take_all(struct driver *d)
{
    struct sim_replay_message m;
    while (sim_replay_take(d->replay, &m)) {
        if (d->sending[m.from] || d->receiving[m.to])
            fail_msg("%s: a port of rank %d or %d is used twice at once", d->what, m.from, m.to);
        if (!d->entered[m.from] || !d->entered[m.to])
            fail_msg("%s: a message of rank %d or %d before it entered", d->what, m.from, m.to);
        d->sending[m.from] = d->receiving[m.to] = true;
        check_rule(d, &m);
        each_block(d, &m, true);
        d->flight[d->flying++] = m;
    }
}

static void complete_one(struct driver *d)
{
    int32_t which = rand() % d->flying;
    struct sim_replay_message m = d->flight[which];
    d->flight[which] = d->flight[--d->flying];
    d->sending[m.from] = d->receiving[m.to] = false;
    d->to_do[m.from * rb_plan_rounds(d->plan) + m.round]--;
    d->to_do[m.to * rb_plan_rounds(d->plan) + m.round]--;
    each_block(d, &m, false);
    sim_replay_complete(d->replay, m.from, m.port);
}

/* ---- Ranks that enter late, and are held up -------------------------------------------------- */

static void enter(struct driver *d, int32_t r)
{
    sim_replay_enter(d->replay, r, NULL);
    d->entered[r] = true;
    assert_true(sim_replay_has_entered(d->replay, r));
}

/* What the replay says is through is, each rank once. */
static void check_through(const struct driver *d, int32_t *through)
{
    for (int32_t r; (r = sim_replay_next_through(d->replay)) >= 0; ++*through)
        if (!d->entered[r] || rounds_open_before(d, r, rb_plan_rounds(d->plan)) > 0)
            fail_msg("%s: rank %d is not through", d->what, r);
}

/* Enters or holds a rank, or lets one go: nothing starts before a held rank enters its round. */
static void disturb(struct driver *d)
{
    const int32_t r = rand() % rb_plan_ranks(d->plan);
    if (rand() % 2 == 0) {
        if (!d->entered[r])
            enter(d, r);
        return;
    }
    d->held[r] = !d->held[r];
    sim_replay_hold(d->replay, r, d->held[r]);
}

static void let_all_go(struct driver *d)
{
    for (int32_t r = 0; r < rb_plan_ranks(d->plan); r++) {
        if (!d->entered[r])
            enter(d, r);
        if (d->held[r])
            sim_replay_hold(d->replay, r, false);
    }
}

static void run_late(struct driver *d)
{
    int32_t through = 0;
    for (int32_t i = 0; i < 8 * rb_plan_ranks(d->plan); i++) {
        disturb(d);
        take_all(d);
        if (d->flying > 0 && rand() % 2 == 0)
            complete_one(d);
        check_through(d, &through);
    }
    let_all_go(d);
    for (take_all(d); d->flying > 0; take_all(d)) {
        complete_one(d);
        check_through(d, &through);
    }
    check_through(d, &through);
    if (through != rb_plan_ranks(d->plan))
        fail_msg("%s: %d ranks are through", d->what, through);
}

/* ---- All orders ------------------------------------------------------------------------------ */

static void begin_run(struct driver *d)
{
    const size_t ranks = (size_t)rb_plan_ranks(d->plan);
    const size_t blocks = (size_t)rb_plan_blocks(d->plan);
    memset(d->has, 0, ranks * blocks * sizeof *d->has);
    memset(d->entered, 0, ranks * sizeof *d->entered);
    memset(d->held, 0, ranks * sizeof *d->held);
    for (size_t b = 0; b < blocks; b++)
        d->has[(size_t)rb_plan_root(d->plan) * blocks + b] = true;
    count_messages(d);
}

static void check_end(const struct driver *d)
{
    struct sup_error error;
    struct rb_verdict verdict;
    const int64_t blocks = rb_plan_blocks(d->plan);
    if (sim_replay_finished(d->replay, &error))
        fail_msg("%s: %s", d->what, error.text);
    for (int64_t i = 0; i < rb_plan_ranks(d->plan) * blocks; i++)
        if (!d->has[i])
            fail_msg("%s: rank %d lacks block %d", d->what, (int)(i / blocks), (int)(i % blocks));
    assert_int_equal(rb_verify_plan(d->plan, NULL, &verdict), 0);
    assert_int_equal(sim_replay_messages(d->replay), verdict.messages);
}

/* Once from the start; then the same replay again, with ranks that enter late. */
static void drive(const char *algorithm, int32_t p, int32_t root, int64_t n,
                  struct sim_overlap overlap, unsigned seed)
{
    struct rb_plan_spec spec = {
        .collective = "bcast", .algorithm = algorithm, .p = p, .root = root, .n = n};
    struct driver d = {.overlap = overlap};
    char rule[32];
    snprintf(d.what, sizeof d.what, "bcast %s p=%d root=%d n=%d %s seed=%u", algorithm, p, root,
             (int)n, sim_overlap_format(&overlap, rule, sizeof rule), seed);
    assert_int_equal(rb_plan_create(&spec, &d.plan, NULL, 0), 0);
    struct rb_layout layout = {.bytes = 1000, .element = 1};
    size_t ranks = (size_t)p;
    d.flight = calloc(ranks, sizeof *d.flight);
    d.sending = calloc(ranks, sizeof *d.sending);
    d.receiving = calloc(ranks, sizeof *d.receiving);
    d.entered = calloc(ranks, sizeof *d.entered);
    d.held = calloc(ranks, sizeof *d.held);
    d.has = calloc(ranks * (size_t)rb_plan_blocks(d.plan), sizeof *d.has);
    d.to_do = calloc(ranks * (size_t)rb_plan_rounds(d.plan) + 1, sizeof *d.to_do);
    struct sup_error error = {0};
    assert_int_equal(sim_replay_create(d.plan, &layout, &overlap, false, &d.replay, &error), 0);
    srand(seed);
    begin_run(&d);
    let_all_go(&d);
    for (take_all(&d); d.flying > 0; take_all(&d))
        complete_one(&d);
    check_end(&d);
    sim_replay_reuse(d.replay);
    begin_run(&d);
    run_late(&d);
    check_end(&d);
    sim_replay_destroy(d.replay);
    rb_plan_destroy(d.plan);
    free(d.to_do);
    free(d.has);
    free(d.held);
    free(d.entered);
    free(d.receiving);
    free(d.sending);
    free(d.flight);
}

static void any_order_of_completions_is_right(void **state)
{
    (void)state;
    const struct sim_overlap rules[] = {{SIM_LOCKSTEP, 1}, {SIM_BLOCKING, 1}, {SIM_WINDOW, 1},
                                        {SIM_WINDOW, 2},   {SIM_WINDOW, 5},   {SIM_WINDOW, 1000}};
    const int32_t ranks[] = {1, 2, 3, 5, 8, 17, 33};
    const int64_t blocks[] = {1, 2, 7};
    for (int32_t a = 0; rb_algorithm_at(a); a++) {
        if (strcmp(rb_algorithm_at(a)->collective, "bcast") != 0)
            continue;
        for (size_t i = 0; i < sizeof ranks / sizeof ranks[0]; i++)
            for (size_t k = 0; k < sizeof blocks / sizeof blocks[0]; k++)
                for (size_t rule = 0; rule < sizeof rules / sizeof rules[0]; rule++)
                    for (unsigned seed = 1; seed <= 3; seed++)
                        drive(rb_algorithm_at(a)->name, fitting_ranks(rb_algorithm_at(a), ranks[i]),
                              fitting_ranks(rb_algorithm_at(a), ranks[i]) / 2, blocks[k],
                              rules[rule], seed);
    }
}

/* A held rank enters no round; in lockstep its round is entered by the others. */
static void held_ranks_enter_no_round(void **state)
{
    (void)state;
    const struct sim_overlap rules[] = {{SIM_LOCKSTEP, 1}, {SIM_BLOCKING, 1}, {SIM_WINDOW, 2}};
    const struct rb_layout layout = {.bytes = 1000, .element = 1};
    const struct rb_plan_spec spec = {.collective = "bcast", .algorithm = "chain", .p = 3, .n = 3};
    struct rb_plan *plan;
    assert_int_equal(rb_plan_create(&spec, &plan, NULL, 0), 0);
    for (int i = 0; i < 3; i++) {
        struct sim_replay *replay;
        struct sim_replay_message m;
        struct sup_error error;
        assert_int_equal(sim_replay_create(plan, &layout, &rules[i], false, &replay, &error), 0);
        sim_replay_hold(replay, 1, true);
        enter_all(replay, rb_plan_ranks(plan));
        assert_false(sim_replay_take(replay, &m));
        assert_int_equal(sim_replay_waits_for(replay, 0), 1);
        sim_replay_hold(replay, 1, false);
        assert_true(sim_replay_take(replay, &m));
        assert_true(m.from == 0 && m.to == 1 && m.round == 0);
        sim_replay_hold(replay, 1, true);
        sim_replay_complete(replay, 0, 0);
        if (rules[i].rule == SIM_WINDOW) /* it has entered two */
            assert_true(sim_replay_take(replay, &m) && m.round == 1);
        else
            assert_false(sim_replay_take(replay, &m));
        sim_replay_destroy(replay);
    }
    rb_plan_destroy(plan);
}

/* ---- Plans by hand: two ports, local operations, several rows -------------------------------- */

/* Messages of all ranks' rounds, as the rules of a round have them. */
static int64_t messages_of(const struct rb_plan *plan)
{
    struct rb_op ops[MOST_OPS];
    int64_t messages = 0;
    for (int32_t r = 0; r < rb_plan_ranks(plan); r++) {
        struct rb_rank rank;
        rb_plan_rank(plan, r, &rank);
        for (int64_t t = 0; t < rb_plan_rounds(plan); t++)
            for (int32_t i = rb_plan_round(plan, &rank, t, ops) - 1; i >= 0; i--)
                messages += ops[i].kind == RB_SEND; /* each of one range */
    }
    return messages;
}

/* What the end says. */
static int drive_by_hand(struct rb_plan *plan, struct sim_overlap overlap, unsigned seed,
                         int64_t *messages, struct sup_error *error)
{
    enum { MOST_FLYING = 64 };
    const struct rb_layout layout = {.bytes = 1000, .element = 1};
    struct sim_replay_message flight[MOST_FLYING], m;
    struct sim_replay *replay;
    int32_t flying = 0;
    assert_int_equal(sim_replay_create(plan, &layout, &overlap, false, &replay, error), 0);
    enter_all(replay, rb_plan_ranks(plan));
    srand(seed);
    for (;;) {
        while (sim_replay_take(replay, &m)) {
            for (int32_t i = 0; i < flying; i++)
                assert_false(flight[i].port == m.port &&
                             (flight[i].from == m.from || flight[i].to == m.to));
            assert_true(flying < MOST_FLYING);
            flight[flying++] = m;
        }
        if (flying == 0)
            break;
        const int32_t which = rand() % flying;
        m = flight[which];
        flight[which] = flight[--flying];
        sim_replay_complete(replay, m.from, m.port);
    }
    const int status = sim_replay_finished(replay, error);
    *messages = sim_replay_messages(replay);
    sim_replay_destroy(replay);
    return status;
}

static void ends(struct rb_plan *plan, struct sim_overlap overlap, unsigned seed)
{
    struct sup_error error = {0};
    int64_t messages;
    if (drive_by_hand(plan, overlap, seed, &messages, &error) != RB_OK)
        fail_msg("%d ranks, window %d, seed %u: %s", rb_plan_ranks(plan), overlap.window, seed,
                 error.text);
    assert_int_equal(messages, messages_of(plan));
}

static void plans_by_hand_end(void **state)
{
    (void)state;
    static struct rb_plan *(*const make[])(int32_t p, int64_t n) = {
        meet_plan, swap_plan, halves_plan, join_plan, late_plan, apart_plan};
    for (int kind = 0; kind < 6; kind++)
        for (int32_t p = 3; p <= 6; p++) {
            struct rb_plan *plan = make[kind](p, 6);
            for (int32_t window = 1; window <= 5; window++)
                for (unsigned seed = 1; seed <= 20; seed++)
                    ends(plan, (struct sim_overlap){SIM_WINDOW, window}, seed);
            ends(plan, (struct sim_overlap){SIM_LOCKSTEP, 1}, 1);
            rb_plan_destroy(plan);
        }
}

/* Ranks with an odd number do all a round later. */
static int32_t swap_a_round_late(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                                 struct rb_op ops[])
{
    const int64_t now = t - state->rank % 2;
    return now < 0 || now == plan->n ? 0 : swap_round(plan, state, now, ops);
}

static void messages_of_other_rounds_never_meet(void **state)
{
    (void)state;
    const struct sim_overlap rules[] = {{SIM_LOCKSTEP, 1}, {SIM_BLOCKING, 1}, {SIM_WINDOW, 3}};
    for (int i = 0; i < 3; i++) {
        struct rb_plan *plan = swap_plan(2, 3);
        struct rb_algorithm late = *plan->algorithm;
        struct sup_error error = {0};
        int64_t messages;
        late.round = swap_a_round_late;
        plan->algorithm = &late;
        plan->rounds++;
        assert_int_equal(drive_by_hand(plan, rules[i], 1, &messages, &error), RB_EWRONG);
        assert_int_equal(messages, 0);
        assert_non_null(strstr(error.text, "rank 0 waits for ever in round 0 to send to rank 1"));
        rb_plan_destroy(plan);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_order_of_completions_is_right),
        cmocka_unit_test(held_ranks_enter_no_round),
        cmocka_unit_test(plans_by_hand_end),
        cmocka_unit_test(messages_of_other_rounds_never_meet),
    };
    return cmocka_run_group_tests_name("replay", tests, NULL, NULL);
}
