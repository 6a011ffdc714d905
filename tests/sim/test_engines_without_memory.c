/* test_engines_without_memory.c - runs of the engines that need no process of their own, of plans
 * and of workloads, and what is found about a run afterwards: if an allocation of the core fails, a
 * run returns RB_ENOMEM or has the time that it has otherwise, and no memory is leaked. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "sim/observe/diagnosis.h"
#include "sim/path/path.h"
#include "tests/spared_memory.h"
#include "tests/workloads.h"

struct wanted {
    const char *engine, *variant, *platform, *overlap, *collective, *algorithm;
    const char *placement; /* NULL: block */
    bool irregular, diagnosed;
    int64_t n;     /* 0: 2 */
    double time_s; /* with memory; 0: not known yet */
};

enum { P = 6, PIECE = 1000 };

/* RB_EWRONG: another time than with memory. */
static int run(struct wanted *wanted, struct sim_spec *spec)
{
    const struct sim_engine *engine = sim_engine_find(wanted->engine);
    struct obs_recording recording = {0};
    struct obs_diagnosis diagnosis = {0};
    struct sim_result result = {0};
    struct sup_error error;
    const struct sim_observer observer = obs_recording_observer(&recording);
    spec->platform = wanted->platform;
    spec->variant = wanted->variant;
    spec->observer = wanted->diagnosed ? &observer : NULL;
    int status = engine->simulate(spec, &result, &error);
    if (status == RB_OK && wanted->diagnosed)
        status = obs_recording_close(&recording, P, &error);
    if (status == RB_OK && wanted->diagnosed)
        status = obs_diagnose(spec, &result, &recording, &diagnosis, &error);
    if (status == RB_OK && wanted->time_s == 0)
        wanted->time_s = result.time_s;
    if (status == RB_OK && result.time_s != wanted->time_s)
        status = RB_EWRONG;
    obs_diagnosis_free(&diagnosis);
    obs_recording_free(&recording);
    sim_result_free(&result);
    return status;
}

/* ---- Plans ----------------------------------------------------------------------------------- */

static int run_plan(void *context)
{
    struct wanted *wanted = context;
    /* The last rank has twice as much as each other. */
    const int64_t first[] = {0, PIECE, 2 * PIECE, 3 * PIECE, 4 * PIECE, 5 * PIECE, 7 * PIECE};
    const struct rb_layout layout = {
        .bytes = first[P], .element = 1, .first = wanted->irregular ? first : NULL};
    const struct rb_plan_spec plan_spec = {.collective = wanted->collective,
                                           .algorithm = wanted->algorithm,
                                           .p = P,
                                           .n = wanted->n > 0 ? wanted->n : 2};
    struct sim_spec spec = {.layout = &layout, .ppn = 1, .want_finish = true, .want_hosts = true};
    struct rb_plan *plan;
    assert_int_equal(sim_overlap_parse(wanted->overlap, &spec.overlap, NULL), RB_OK);
    assert_int_equal(sim_placement_parse(wanted->placement == NULL ? "block" : wanted->placement,
                                         &spec.placement, NULL),
                     RB_OK);
    const int status = rb_plan_create(&plan_spec, &plan, NULL, 0);
    if (status != RB_OK)
        return status;
    spec.plan = plan;
    const bool is_flow = strcmp(wanted->engine, "flow") == 0;
    spec.want_links = is_flow ? 3 : 0;
    spec.want_contention = is_flow;
    const int ran = run(wanted, &spec);
    rb_plan_destroy(plan);
    return ran;
}

static void plans_run_without_memory(void **state)
{
    (void)state;
    static struct wanted runs[] = {
        {.engine = "flow", NULL, "fat-tree:16", "blocking", "allreduce", "ring"},
        {.engine = "flow", NULL, "fat-tree:16", "window:2", "bcast", "circulant"},
        {.engine = "flow",
         NULL,
         "fat-tree:16",
         "data",
         "allgather",
         "circulant",
         .irregular = true},
        {.engine = "flow", NULL, "torus:2x4", "lockstep", "alltoall", "pairwise"},
        {.engine = "flow", NULL, "fat-tree:16", "blocking", "alltoall", "pairwise", "search:1"},
        {.engine = "flow", NULL, "crossbar:8", "data", "reduce", "binomial", .diagnosed = true},
        {.engine = "flow", NULL, "fat-tree:16", "blocking", "allgather", "circulant"},
        {.engine = "flow", NULL, "fat-tree:16", "window:40", "bcast", "circulant", .n = 40},
        {.engine = "model", NULL, "crossbar:8", "blocking", "bcast", "circulant"},
        {.engine = "model", "blocking", "crossbar:8", "blocking", "allgather", "circulant"},
        {.engine = "model", "windows", "crossbar:8", "window:2", "allreduce", "ring"},
        {.engine = "model", "windows", "crossbar:8", "window:2", "alltoall", "ring"},
        {.engine = "model",
         "windows",
         "crossbar:8",
         "window:40",
         "allgather",
         "ring",
         .irregular = true},
        {.engine = "model",
         "windows",
         "crossbar:8",
         "lockstep",
         "allreduce",
         "ring",
         .diagnosed = true},
        {.engine = "model",
         "blocking",
         "crossbar:8",
         "blocking",
         "bcast",
         "binomial",
         .diagnosed = true},
        {.engine = "model",
         "events",
         "crossbar:8",
         "window:2",
         "allreduce",
         "ring",
         .diagnosed = true},
    };
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
        char name[128];
        snprintf(name, sizeof name, "%s, %s: %s %s on %s", runs[i].engine, runs[i].overlap,
                 runs[i].collective, runs[i].algorithm, runs[i].platform);
        if (run_plan(&runs[i]) != RB_OK)
            fail_msg("%s does not run", name);
        try_failures(run_plan, &runs[i], name);
    }
}

/* ---- Workloads ------------------------------------------------------------------------------- */

/* Two jobs: one sends by halves while it computes, the other reduces again and again. */
static int run_workload(void *context)
{
    struct built *built = built_create();
    const int32_t a = built_job(built, 4, 1), b = built_job(built, 3, 1);
    const int32_t label = built_label(built, a), halves = built_every(built, a, 2);
    built_start(built_move(built, a, 0, (struct built_move){.bytes = PIECE}), label, 0);
    built_compute(built, a, (struct sim_duration){.a = 1e-5});
    built_move(built, a, halves, (struct built_move){.bytes = PIECE, .turns = true});
    built_wait(built, a, UINT64_C(1) << label);
    const int32_t repeat = built_repeat(built, b, 3);
    built_move(built, b, 0,
               (struct built_move){
                   .collective = "allreduce", .algorithm = "ring", .n = 1, .bytes = 3 * PIECE});
    built_end(built, b, repeat);
    const struct sim_spec usual = {.workload = &built->workload, .want_finish = true};
    struct sim_spec spec = usual;
    spec.overlap.rule = SIM_BLOCKING;
    const int status = run(context, &spec);
    built_destroy(built);
    return status;
}

static void workloads_run_without_memory(void **state)
{
    (void)state;
    static struct wanted runs[] = {{.engine = "flow", NULL, "fat-tree:16"},
                                   {.engine = "flow", NULL, "crossbar:8"},
                                   {.engine = "model", NULL, "crossbar:8"}};
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
        assert_int_equal(run_workload(&runs[i]), RB_OK);
        try_failures(run_workload, &runs[i], runs[i].engine);
    }
}

/* ---- Critical paths -------------------------------------------------------------------------- */

static double cost(const void *context, enum path_kind kind, double bytes)
{
    (void)context;
    return kind == PATH_LATENCY ? 1e-6 : 1e-9 * bytes;
}

static int find_path(void *context)
{
    struct path_plan *list = NULL;
    struct path_room room = {0};
    struct path path = {0};
    struct sup_error error;
    struct rb_plan *plan;
    double *expected = context;
    const struct rb_plan_spec spec = {
        .collective = "allreduce", .algorithm = "ring", .p = P, .n = 2};
    int status = rb_plan_create(&spec, &plan, NULL, 0);
    if (status != RB_OK)
        return status;
    status = path_plan_create(plan, &list, &error);
    if (status == RB_OK) {
        const struct path_setting setting = {.ppn = 1, .m_bytes = PIECE};
        path_find(list, &setting, cost, NULL, &room, &path);
        *expected = *expected == 0 ? path.time_s : *expected;
        status = path.time_s == *expected ? RB_OK : RB_EWRONG;
    }
    path_free(&path);
    path_room_free(&room);
    path_plan_destroy(list);
    rb_plan_destroy(plan);
    return status;
}

static void paths_without_memory(void **state)
{
    double time_s = 0;
    (void)state;
    assert_int_equal(find_path(&time_s), RB_OK);
    try_failures(find_path, &time_s, "critical path");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(plans_run_without_memory),
                                       cmocka_unit_test(workloads_run_without_memory),
                                       cmocka_unit_test(paths_without_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
