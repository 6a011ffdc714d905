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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_step_has_the_bits_of_its_plan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
