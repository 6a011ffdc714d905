/* test_core_without_memory.c - the core without memory: for each allocation that fails, a function
 * returns RB_ENOMEM or the right result, and no memory is leaked. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "roundabout-redistribution.h"
#include "roundabout.h"
#include "tests/fitting.h"
#include "tests/without_memory.h"

/* ---- Plans ----------------------------------------------------------------------------------- */

static int plan_and_verify(void *context)
{
    const struct rb_plan_spec *spec = context;
    struct rb_plan *plan;
    struct rb_verdict verdict;
    char why[256] = "";
    int64_t blocks;
    double time_s;
    int status = rb_plan_create(spec, &plan, why, sizeof why);
    if (status != RB_OK)
        return status;
    struct rb_layout layout = {.bytes = 8 * (int64_t)rb_plan_blocks(plan) * spec->p, .element = 8};
    status = rb_verify_plan(plan, NULL, &verdict);
    if (status == RB_OK)
        status = rb_plan_critical_volume(plan, &blocks);
    if (status == RB_OK && rb_plan_cost(plan, &layout, 1e-6, 1e-9, &time_s) == RB_ENOMEM)
        status = RB_ENOMEM;
    rb_plan_destroy(plan);
    return status;
}

static int choose_n(void *context)
{
    const struct rb_plan_spec *spec = context;
    int64_t n;
    return rb_best_n(spec, 1 << 16, 1e-6, 1e-9, &n);
}

/* Groups of different sizes are kept with the plan. */
static void plans_without_memory(void **state)
{
    (void)state;
    static const char *const groups[] = {NULL, "2,1"};
    const struct rb_algorithm_info *algorithm;
    for (int32_t i = 0; (algorithm = rb_algorithm_at(i)) != NULL; i++) {
        for (int32_t p = 4; p <= 5; p++)
            for (int g = 0; g < (algorithm->groups ? 2 : 1); g++) {
                struct rb_plan_spec spec = {.collective = algorithm->collective,
                                            .algorithm = algorithm->name,
                                            .p = p,
                                            .n = 3,
                                            .groups = groups[g]};
                char name[128];
                snprintf(name, sizeof name, "%s %s, p = %d%s", spec.collective, spec.algorithm,
                         (int)p, g > 0 ? ", by groups" : "");
                if (!rb_plan_is_supported(&spec))
                    continue;
                try_failures(plan_and_verify, &spec, name);
                try_failures(choose_n, &spec, name);
            }
    }
}

static int verify_schedule(void *context)
{
    struct rb_schedule_room room = {0};
    struct rb_verdict verdict;
    const int status = rb_verify_schedule(*(int32_t *)context, &room, &verdict);
    rb_schedule_room_free(&room);
    return status;
}

static void schedules_without_memory(void **state)
{
    (void)state;
    int32_t p = 300;
    try_failures(verify_schedule, &p, "verify schedules");
}

/* ---- Redistribution -------------------------------------------------------------------------- */

struct redistribution {
    const char *text;
    const struct rb_redistribute_method *method;
};

static int schedule_and_check(void *context)
{
    const struct redistribution *job = context;
    struct rb_redistribution problem;
    struct rb_traffic traffic = {0};
    struct rb_timetable timetable = {0};
    struct rb_timetable_facts facts;
    char why[256] = "";
    int status = rb_redistribution_read(job->text, 0, &problem, why, sizeof why);
    if (status == RB_OK)
        status = rb_traffic_init(&traffic, &problem, why, sizeof why);
    if (status == RB_OK)
        status = job->method->schedule(&problem, &traffic, NULL, &timetable, why, sizeof why);
    if (status == RB_OK)
        status = rb_timetable_check(&timetable, &traffic, why, sizeof why);
    if (status == RB_OK)
        status = rb_timetable_facts(&timetable, &traffic, &facts);
    rb_timetable_deinit(&timetable);
    rb_traffic_deinit(&traffic);
    return status;
}

static void redistribution_without_memory(void **state)
{
    (void)state;
    static const char *const problems[] = {"P=4,r=2,Q=3,s=3", "P=6,r=2,Q=6,s=3", "P=8,r=3,Q=8,s=5",
                                           "P=2,r=1,Q=3,s=2/P=3,r=2,Q=2,s=3"};
    for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++)
        for (const struct rb_redistribute_method *method = rb_redistribute_methods;
             method->name != NULL; method++) {
            struct redistribution job = {problems[i], method};
            char name[128];
            snprintf(name, sizeof name, "redistribute %s, %s", problems[i], method->name);
            try_failures(schedule_and_check, &job, name);
        }
}

static int certify(void *file)
{
    struct rb_redistribution problem;
    struct rb_traffic traffic = {0};
    int exists = 0;
    char why[256] = "";
    int status = rb_redistribution_read("P=6,r=7,Q=7,s=4", 0, &problem, why, sizeof why);
    if (status == RB_OK)
        status = rb_traffic_init(&traffic, &problem, why, sizeof why);
    if (status == RB_OK)
        status = rb_timetable_certify(&traffic, file, file, RB_MOST_EFFORT, &exists);
    rb_traffic_deinit(&traffic);
    return status == RB_OK && exists != 0 ? RB_EWRONG : status;
}

static void certificate_without_memory(void **state)
{
    (void)state;
    FILE *const file = fopen("/dev/null", "w");
    assert_non_null(file);
    setvbuf(file, NULL, _IONBF, 0);
    try_failures(certify, file, "certificate");
    fclose(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans_without_memory),
        cmocka_unit_test(schedules_without_memory),
        cmocka_unit_test(redistribution_without_memory),
        cmocka_unit_test(certificate_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
