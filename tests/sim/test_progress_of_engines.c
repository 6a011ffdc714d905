/* How far a run is: what engines tell rises from near 0 to near 1, also from a child process. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "roundabout.h"
#include "sim/engine/engine.h"

struct told {
    int count;
    double first, last;
};

static void note(void *context, double share)
{
    struct told *told = context;
    assert_true(share >= told->last && share <= 1);
    if (told->count++ == 0)
        told->first = share;
    told->last = share;
}

static void watch_on(const char *platform, int32_t p, int64_t n, const char *engine,
                     const char *variant, const char *overlap, const char *option)
{
    /* A child tells at most once in a millisecond. */
    const bool in_child = strcmp(engine, "simgrid") == 0 || strcmp(engine, "smpi") == 0;
    const struct rb_plan_spec plan_spec = {
        .collective = "bcast", .algorithm = "circulant", .p = p, .n = n};
    const struct rb_layout layout = {.bytes = 3000000, .element = 1};
    struct told told = {0};
    const struct sim_meter meter = {note, &told};
    struct sim_spec spec = {.layout = &layout,
                            .platform = platform,
                            .ppn = 1,
                            .variant = variant,
                            .options = &option,
                            .option_count = option != NULL,
                            .meter = &meter};
    struct sim_result result;
    struct sup_error error = {""};
    struct rb_plan *plan;
    assert_int_equal(rb_plan_create(&plan_spec, &plan, error.text, sizeof error.text), RB_OK);
    spec.plan = plan;
    assert_int_equal(sim_overlap_parse(overlap, &spec.overlap, &error), RB_OK);
    if (sim_run(sim_engine_find(engine), &spec, &result, &error) != RB_OK)
        fail_msg("%s: %s", engine, error.text);
    if (told.count < (in_child ? 5 : 15) || told.first > 0.1 || told.last < 0.9)
        fail_msg("%s, %s, %s: told %d times, from %g to %g", engine, variant, overlap, told.count,
                 told.first, told.last);
    sim_result_free(&result);
    rb_plan_destroy(plan);
}

/* 4800 messages, or 48000. */
static void watch(const char *engine, const char *variant, const char *overlap, const char *option)
{
    watch_on("crossbar:17", 17, strcmp(engine, "simgrid") == 0 ? 3000 : 300, engine, variant,
             overlap, option);
}

static void engines_tell_how_far_they_are(void **state)
{
    static const char *const rules[] = {"lockstep", "blocking", "window:4", "data"};
    (void)state;
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        watch("flow", NULL, rules[i], NULL);
        watch("simgrid", "signals", rules[i], NULL);
        if (i < 2)
            watch("simgrid", "actors", rules[i], NULL);
        watch("model", "windows", rules[i], NULL);
        watch("model", "events", rules[i], NULL);
    }
    /* Arithmetic plays some rounds in vain. */
    watch_on("fat-tree:96,taper=2", 96, 64, "flow", NULL, "blocking", NULL);
    watch_on("fat-tree:600", 600, 32, "flow", NULL, "blocking", NULL);
    watch("model", "waves", "blocking", NULL);
    watch("model", "blocking", "blocking", NULL);
    watch("model", "events", "blocking", "o:1us");
    if (sim_engine_find("smpi") != NULL) {
        watch("smpi", NULL, "blocking", NULL);
        watch("smpi", NULL, "window:4", NULL);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(engines_tell_how_far_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
