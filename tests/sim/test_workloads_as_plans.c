/* Workloads against what is known without them: one job of one step has the bits of its plan, two
 * jobs that share no link have the bits of each alone; and how long messages take that share no
 * link, or nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "tests/fitting.h"
#include "tests/workloads.h"

struct engine {
    const char *name, *variant, *option;
    bool has_links;  /* networks other than a crossbar */
    bool has_rounds; /* lockstep */
};

/* ---- One step -------------------------------------------------------------------------------- */

/* A hash of all messages in their order. */
static void hash_message(void *context, const struct sim_message *message)
{
    uint64_t *hash = context;
    const int64_t numbers[] = {message->from, message->to, message->port, message->round,
                               message->bytes};
    const double times[] = {message->start_s, message->end_s, message->alone_s};
    *hash = sup_hash_bytes(sup_hash_bytes(*hash, numbers, sizeof numbers), times, sizeof times);
}

static struct sim_result run_hashed(const struct engine *engine, struct sim_spec spec,
                                    uint64_t *hash, const char *what)
{
    const struct sim_observer observer = {.message = hash_message, .context = hash};
    struct sim_result result;
    struct sup_error error;
    *hash = SUP_HASH_START;
    spec.variant = engine->variant;
    spec.options = &engine->option;
    spec.option_count = engine->option != NULL;
    spec.observer = &observer;
    spec.want_finish = true;
    if (sim_run(sim_engine_find(engine->name), &spec, &result, &error) != RB_OK)
        fail_msg("%s: %s: %s", engine->name, what, error.text);
    return result;
}

static void compare_one_step(const struct engine *engine, struct built *built,
                             const struct sim_step_plan *plan, const struct sim_spec *machine,
                             const char *what)
{
    struct sim_spec alone = *machine, walked = *machine;
    uint64_t alone_hash, walked_hash;
    alone.plan = plan->plan;
    alone.layout = plan->layout;
    walked.workload = &built->workload;
    struct sim_result a = run_hashed(engine, alone, &alone_hash, what);
    struct sim_result b = run_hashed(engine, walked, &walked_hash, what);
    for (int32_t r = 0; r < rb_plan_ranks(plan->plan); r++)
        if (a.finish_s[r] != b.finish_s[r])
            fail_msg("%s: %s, rule %d on %s: rank %d after %.17g s, not %.17g", engine->name, what,
                     (int)machine->overlap.rule, machine->platform, r, b.finish_s[r],
                     a.finish_s[r]);
    if (alone_hash != walked_hash)
        fail_msg("%s: %s, rule %d on %s: other messages", engine->name, what,
                 (int)machine->overlap.rule, machine->platform);
    assert_true(a.time_s == b.time_s && b.job_end_s[0] == b.time_s);
    assert_true(a.messages == b.messages && a.bytes == b.bytes && a.hosts == b.hosts);
    sim_result_free(&a);
    sim_result_free(&b);
}

static void compare_algorithm(const struct engine *engine, const struct rb_algorithm_info *info,
                              const struct sim_spec *machine)
{
    const int32_t p = fitting_ranks(info, 11);
    struct sim_step_plan plan;
    struct sup_error error;
    char what[128];
    struct built *built = built_create();
    built_job(built, p, machine->ppn);
    built_move(built, 0, 0,
               (struct built_move){.collective = info->collective,
                                   .algorithm = info->name,
                                   .n = 3,
                                   .bytes = 100000,
                                   .root = p / 3});
    snprintf(what, sizeof what, "%s %s", info->collective, info->name);
    if (built_plan_of(built, 0, 0, 0, 0, &plan, &error) == RB_OK)
        compare_one_step(engine, built, &plan, machine, what);
    built_destroy(built);
}

static void one_step_has_the_bits_of_its_plan(void **state)
{
    (void)state;
    static const struct engine engines[] = {{"flow", NULL, NULL, true, true},
                                            {"model", "events", NULL, false, true},
                                            {"model", "events", "gamma:1ns", false, true},
                                            {"model", "events", "noise:0.1", false, true},
                                            {"model", "events", "o:100ns", false, false},
                                            {"model", "events", "S:1000", false, false}};
    static const char *const platforms[] = {"crossbar:12", "fat-tree:16,taper=2,routing=ecmp:3",
                                            "dragonfly:72", "torus:4x4"};
    static const struct sim_overlap rules[] = {
        {SIM_BLOCKING, 1}, {SIM_LOCKSTEP, 1}, {SIM_WINDOW, 3}, {SIM_DATA, 1}};
    for (size_t e = 0; e < sizeof engines / sizeof *engines; e++)
        for (int32_t i = 0; rb_algorithm_at(i) != NULL; i++)
            for (int32_t m = 0; m < 16; m++)
                if ((engines[e].has_links || m < 4) &&
                    (engines[e].has_rounds || rules[m % 4].rule != SIM_LOCKSTEP))
                    compare_algorithm(&engines[e], rb_algorithm_at(i),
                                      &(struct sim_spec){.platform = platforms[m / 4],
                                                         .overlap = rules[m % 4],
                                                         .jitter = m == 7 ? 5 : 0,
                                                         .ppn = m == 4 ? 2 : 1});
}

/* ---- Several jobs ---------------------------------------------------------------------------- */

static struct sim_result run_shown(const char *engine, struct sim_spec spec, struct shown *shown)
{
    const struct sim_observer observer = {shown_message, shown, shown_step};
    struct sim_result result;
    struct sup_error error;
    spec.observer = &observer;
    if (sim_run(sim_engine_find(engine), &spec, &result, &error) != RB_OK)
        fail_msg("%s: %s", engine, error.text);
    shown_sort(shown);
    return result;
}

/* Computes and broadcasts from one rank after another, with an allreduce behind. */
static void add_busy_job(struct built *built, int32_t ranks, const char *algorithm, int64_t bytes)
{
    const int32_t job = built_job(built, ranks, 1);
    const int32_t label = built_label(built, job), repeat = built_repeat(built, job, 3);
    built_compute(built, job,
                  (struct sim_duration){.kind = SIM_NORMAL, .a = 2e-5, .b = 5e-6, .seed = 3});
    built_start(built_move(built, job, 0,
                           (struct built_move){
                               .collective = "allreduce", .algorithm = "ring", .bytes = bytes}),
                label, 1);
    built_move(
        built, job, built_every(built, job, 2),
        (struct built_move){.algorithm = algorithm, .n = 4, .bytes = bytes / 2, .turns = true});
    built_end(built, job, repeat);
    built_wait(built, job, 1);
}

static void jobs_that_share_no_link_have_the_bits_of_each_alone(void **state)
{
    (void)state;
    static const char *const engines[] = {"flow", "model"};
    struct built *built = built_create();
    built->workload.allocation = SIM_INTERLEAVED;
    add_busy_job(built, 7, "circulant", 300000);
    add_busy_job(built, 6, "binomial", 123456);
    for (int e = 0; e < 2; e++) {
        struct sim_spec spec = {
            .platform = "crossbar:13", .workload = &built->workload, .overlap = {SIM_BLOCKING, 1}};
        struct shown all = {0}, alone = {0};
        struct sim_result both = run_shown(engines[e], spec, &all);
        for (int32_t j = 0; j < 2; j++) {
            spec.only_job = j + 1;
            struct sim_result one = run_shown(engines[e], spec, &alone);
            assert_true(one.job_end_s[j] == both.job_end_s[j] && one.job_end_s[j] > 1e-4);
            assert_true(one.job_end_s[1 - j] == 0);
            sim_result_free(&one);
        }
        shown_sort(&alone);
        assert_int_equal(alone.ends, all.ends);
        assert_int_equal(alone.messages, all.messages);
        for (int32_t i = 0; i < all.ends; i++)
            assert_memory_equal(&alone.end[i].begin_s, &all.end[i].begin_s, 3 * sizeof(double));
        sim_result_free(&both);
        shown_free(&all);
        shown_free(&alone);
    }
    built_destroy(built);
}

/* ---- How much of the network a workload has -------------------------------------------------- */

static void messages_take_their_time_alone_or_none(void **state)
{
    (void)state;
    static const enum sim_sharing sharings[] = {SIM_SHARED, SIM_UNSHARED, SIM_IMMEDIATE};
    double time_s[3];
    int32_t slower = 0;
    struct built *built = built_create();
    built->workload.allocation = SIM_SCATTERED;
    add_busy_job(built, 14, "chain", 300000);
    for (int i = 0; i < 3; i++) {
        struct shown shown = {0};
        struct sim_result result = run_shown("flow",
                                             (struct sim_spec){.platform = "torus:4x4",
                                                               .workload = &built->workload,
                                                               .sharing = sharings[i],
                                                               .want_links = 5,
                                                               .want_contention = true},
                                             &shown);
        assert_int_equal(result.link_count, i < 2 ? 5 : 0);
        assert_true(result.contention != NULL && (result.contention->bins > 0) == (i < 2));
        for (int32_t m = 0; m < shown.messages; m++) {
            const struct sim_message *message = &shown.message[m];
            const double took_s = message->end_s - message->start_s;
            slower += i == 0 && took_s > message->alone_s * 1.01;
            if (i == 1)
                assert_true(fabs(took_s - message->alone_s) <= 1e-9 * message->alone_s);
            if (i == 2)
                assert_true(took_s == 0);
        }
        time_s[i] = result.time_s;
        sim_result_free(&result);
        shown_free(&shown);
    }
    assert_true(slower > 10);
    assert_true(time_s[0] > time_s[1] && time_s[1] > time_s[2] && time_s[2] > 5e-5);
    built_destroy(built);
}

/* What a dragonfly routes at random, message by message, it routes anew for each collective. In
 * lockstep each begins when all ranks have left the one before. */
static void collectives_have_routes_of_their_own(void **state)
{
    (void)state;
    struct built *built = built_create();
    struct shown shown = {0};
    double end_s[9] = {0};
    built_job(built, 16, 1);
    const int32_t repeat = built_repeat(built, 0, 8);
    built_move(
        built, 0, 0,
        (struct built_move){.collective = "alltoall", .algorithm = "pairwise", .bytes = 1000000});
    built_end(built, 0, repeat);
    const struct sim_spec spec = {.platform = "dragonfly:72,routing=valiant:3",
                                  .workload = &built->workload,
                                  .overlap = {SIM_LOCKSTEP, 1}};
    struct sim_result result = run_shown("flow", spec, &shown);
    for (int32_t i = 0; i < shown.ends; i++)
        end_s[shown.end[i].pass + 1] = fmax(end_s[shown.end[i].pass + 1], shown.end[i].end_s);
    int32_t others = 0;
    for (int32_t pass = 1; pass < 8; pass++)
        others += fabs((end_s[pass + 1] - end_s[pass]) / end_s[1] - 1) > 1e-6;
    assert_true(others > 3);
    sim_result_free(&result);
    shown_free(&shown);
    built_destroy(built);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_step_has_the_bits_of_its_plan),
        cmocka_unit_test(jobs_that_share_no_link_have_the_bits_of_each_alone),
        cmocka_unit_test(messages_take_their_time_alone_or_none),
        cmocka_unit_test(collectives_have_routes_of_their_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
