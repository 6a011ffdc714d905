/* The messages that engines report: those of the engine model, computed by its recurrence, equal
 * those of SimGrid, in both variants. With the argument `long`, for more rules and numbers of
 * ranks. */
#define _POSIX_C_SOURCE 200809L /* SIGKILL */
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "sim/engine/isolate.h"
#include "sim/observe/diagnosis.h"
#include "tests/fitting.h"

struct request {
    const struct rb_algorithm_info *algorithm;
    int32_t p;
    int64_t n;
    struct sim_overlap overlap;
    const char *platform;
    int32_t ports; /* 0: one */
};

static struct obs_recording record(const struct request *request, const char *engine,
                                   const char *variant)
{
    const struct rb_plan_spec plan_spec = {.collective = request->algorithm->collective,
                                           .algorithm = request->algorithm->name,
                                           .p = request->p,
                                           .n = request->n,
                                           .ports = request->ports};
    const struct rb_layout layout = {.bytes = 100003, .element = 1};
    struct obs_recording recording = {0};
    const struct sim_observer observer = obs_recording_observer(&recording);
    char crossbar[40];
    struct rb_plan *plan;
    struct sim_result result;
    struct sup_error error;
    snprintf(crossbar, sizeof crossbar, "crossbar:%d,latency=3us", request->p);
    assert_int_equal(rb_plan_create(&plan_spec, &plan, NULL, 0), RB_OK);
    const struct sim_spec spec = {.plan = plan,
                                  .layout = &layout,
                                  .platform = request->platform ? request->platform : crossbar,
                                  .ppn = 1,
                                  .overlap = request->overlap,
                                  .variant = variant,
                                  .observer = &observer};
    if (sim_run(sim_engine_find(engine), &spec, &result, &error) != RB_OK ||
        obs_recording_close(&recording, request->p, &error) != RB_OK)
        fail_msg("%s %s, p = %d, %s: %s", request->algorithm->collective, request->algorithm->name,
                 request->p, engine, error.text);
    assert_int_equal(recording.count, result.messages);
    if (recording.count > 0)
        assert_true(recording.message[recording.count - 1].end_s == result.time_s);
    sim_result_free(&result);
    rb_plan_destroy(plan);
    return recording;
}

/* The message of `among` with this sender, round and port, which are its name. */
static const struct sim_message *find(const struct obs_recording *among,
                                      const struct sim_message *name)
{
    for (int32_t i = among->first[name->from]; i < among->first[name->from + 1]; i++) {
        const struct sim_message *message = &among->message[among->of_rank[i]];
        if (message->from == name->from && message->round == name->round &&
            message->port == name->port)
            return message;
    }
    fail_msg("rank %d sends nothing in round %d", name->from, (int)name->round);
    return NULL;
}

static void expect_same(const struct request *request, const struct obs_recording *one,
                        const struct obs_recording *other)
{
    assert_int_equal(one->count, other->count);
    for (int32_t i = 0; i < one->count; i++) {
        const struct sim_message *a = &one->message[i], *b = find(other, a);
        assert_int_equal(a->to, b->to);
        assert_int_equal(a->bytes, b->bytes);
        if (!(fabs(a->start_s - b->start_s) <= 1e-9 * b->end_s) ||
            !(fabs(a->end_s - b->end_s) <= 1e-9 * b->end_s))
            fail_msg("%s %s, p = %d, n = %d, rule %d: round %d, %d to %d: %.12g .. %.12g, not "
                     "%.12g .. %.12g",
                     request->algorithm->collective, request->algorithm->name, request->p,
                     (int)request->n, request->overlap.rule, (int)a->round, a->from, a->to,
                     a->start_s, a->end_s, b->start_s, b->end_s);
    }
}

static void expect_agreement(const struct request *request, const char *engine, const char *variant,
                             const char *other_variant)
{
    struct obs_recording one = record(request, engine, variant);
    struct obs_recording other = record(request, "simgrid", other_variant);
    expect_same(request, &one, &other);
    obs_recording_free(&one);
    obs_recording_free(&other);
}

static bool thorough; /* the argument `long` */

/* Blocks of unequal length. Actors have one round in flight. */
static void model_shows_what_simgrid_does(void **state)
{
    (void)state;
    static const int32_t ranks[] = {2, 3, 8, 13};
    static const struct sim_overlap rules[] = {
        {SIM_BLOCKING, 1}, {SIM_LOCKSTEP, 1}, {SIM_WINDOW, 3}, {SIM_DATA, 1}};
    for (int32_t a = 0; rb_algorithm_at(a) != NULL; a++)
        for (int i = 0; i < 4; i++)
            for (int rule = 0; rule < 4; rule++) {
                if (!thorough && (i % 2 != a % 2 || rule != (a / 2 + i) % 4))
                    continue; /* SimGrid starts anew for each */
                const struct request request = {.algorithm = rb_algorithm_at(a),
                                                .p = fitting_ranks(rb_algorithm_at(a), ranks[i]),
                                                .n = 1 + (a + i) % 7,
                                                .overlap = rules[rule]};
                expect_agreement(&request, "model", NULL,
                                 (a + i) / 4 % 2 == 0 || rule >= 2 ? "signals" : "actors");
            }
}

/* Each port with a link of its own; they have messages of unequal length at once. */
static void ports_are_told_apart(void **state)
{
    (void)state;
    const struct request request = {.algorithm = rb_algorithm_find("alltoall", "bruck"),
                                    .p = 11,
                                    .n = 1,
                                    .overlap = {SIM_BLOCKING, 1},
                                    .platform = "crossbar:11,latency=3us,ports=3",
                                    .ports = 3};
    struct obs_recording recording = record(&request, "simgrid", "signals");
    int32_t ports = 0;
    for (int32_t i = 0; i < recording.count; i++)
        ports |= 1 << recording.message[i].port;
    assert_int_equal(ports, 7);
    obs_recording_free(&recording);
    expect_agreement(&request, "model", NULL, "signals");
}

/* Where links are shared, too, and in a window whatever is in flight. */
static void variants_show_the_same(void **state)
{
    (void)state;
    for (int32_t a = 0; rb_algorithm_at(a) != NULL; a += 3) {
        const struct request request = {.algorithm = rb_algorithm_at(a),
                                        .p = fitting_ranks(rb_algorithm_at(a), 13),
                                        .n = 5,
                                        .overlap = {SIM_BLOCKING, 1},
                                        .platform = "fat-tree:16,taper=4"};
        expect_agreement(&request, "simgrid", "signals", "actors");
    }
}

/* Per rank and direction, each after the one before. */
static void ports_carry_one_message_at_a_time(void **state)
{
    (void)state;
    const struct request request = {.algorithm = rb_algorithm_find("bcast", "circulant"),
                                    .p = 13,
                                    .n = 9,
                                    .overlap = {SIM_WINDOW, 4},
                                    .platform = "torus:4x4"};
    struct obs_recording recording = record(&request, "simgrid", NULL);
    double free_s[13][2] = {{0}};
    assert_true(recording.count > 13 * 8);
    for (int32_t i = 0; i < recording.count; i++) {
        const struct sim_message *m = &recording.message[i];
        assert_true(m->start_s >= free_s[m->from][0] && m->start_s >= free_s[m->to][1]);
        assert_true(m->end_s > m->start_s);
        free_s[m->from][0] = free_s[m->to][1] = m->end_s;
    }
    obs_recording_free(&recording);
}

/* A recording holds so many; then it says how many there were. */
static void too_many_are_refused(void **state)
{
    (void)state;
    struct obs_recording recording = {0};
    struct sup_error error;
    const struct sim_observer observer = obs_recording_observer(&recording);
    recording.room = recording.count = OBS_MOST_RECORDED; /* as if it were full */
    for (int i = 0; i < 5; i++)
        observer.message(observer.context, &(struct sim_message){.to = 1});
    assert_int_equal(obs_recording_close(&recording, 2, &error), RB_EINVAL);
    assert_non_null(strstr(error.text, "10000005 messages are too many"));
    obs_recording_free(&recording);
}

/* An engine that does not report its messages says so. */
static void those_who_cannot_refuse(void **state)
{
    (void)state;
    const struct sim_engine blind = {.name = "blind"};
    const struct sim_observer observer = {0};
    const struct rb_plan_spec plan_spec = {
        .collective = "bcast", .algorithm = "chain", .p = 2, .n = 1};
    struct sim_result result;
    struct sup_error error;
    struct rb_plan *plan;
    assert_int_equal(rb_plan_create(&plan_spec, &plan, NULL, 0), RB_OK);
    const struct sim_spec spec = {.plan = plan, .observer = &observer};
    assert_int_equal(sim_run(&blind, &spec, &result, &error), RB_EINVAL);
    assert_string_equal(error.text, "the blind engine doesn't report single messages");
    rb_plan_destroy(plan);
}

/* ---- How it comes out of the child ---- */

enum { TOLD = 100003 };

static int tell_and_die(void *context, FILE *reply, struct sup_error *error)
{
    (void)reply;
    (void)error;
    const struct sim_isolate_listener *listener = context;
    for (int32_t i = 0; i < TOLD; i++)
        fwrite((int32_t[3]){i, 2 * i, -i}, sizeof(int32_t[3]), 1, listener->told);
    fflush(listener->told);
    raise(SIGKILL);
    return RB_OK;
}

static void hear(void *context, const void *record)
{
    const int32_t *number = record;
    int32_t *heard = context;
    assert_int_equal(number[0], *heard);
    assert_int_equal(number[1], 2 * *heard);
    assert_int_equal(number[2], -*heard);
    ++*heard;
}

/* More than a pipe holds, in records that no buffer is a multiple of. */
static void all_is_heard_in_order(void **state)
{
    (void)state;
    int32_t heard = 0;
    struct sim_isolate_listener listener = {
        .record_size = sizeof(int32_t[3]), .hear = hear, .context = &heard};
    struct sup_error error;
    char *reply;
    size_t size;
    assert_int_equal(
        sim_isolate_listening("it", tell_and_die, &listener, &listener, &reply, &size, &error),
        RB_EFAILED);
    assert_int_equal(heard, TOLD);
    assert_non_null(strstr(error.text, "it died of signal 9"));
}

int main(int argc, char *argv[])
{
    thorough = argc > 1 && strcmp(argv[1], "long") == 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(model_shows_what_simgrid_does),
        cmocka_unit_test(ports_are_told_apart),
        cmocka_unit_test(variants_show_the_same),
        cmocka_unit_test(ports_carry_one_message_at_a_time),
        cmocka_unit_test(too_many_are_refused),
        cmocka_unit_test(those_who_cannot_refuse),
        cmocka_unit_test(all_is_heard_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
