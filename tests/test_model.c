/* The engine `model` against the engine simgrid on a crossbar, rank by rank, and against itself. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim/engine.h"

struct request {
    const struct rb_algorithm_info *algorithm;
    int32_t p, root;
    int64_t n, bytes;
    enum rb_progress_rule rule;
};

static struct rb_sim_result simulate(const struct request *request, const char *engine,
                                     const char *variant)
{
    const struct rb_plan_spec plan_spec = {.collective = request->algorithm->collective,
                                           .algorithm = request->algorithm->name,
                                           .p = request->p,
                                           .root = request->root,
                                           .n = request->n};
    const struct rb_layout layout = {.bytes = request->bytes, .element = 1};
    char crossbar[40];
    struct rb_plan *plan;
    struct rb_sim_result result;
    struct rb_error error;
    snprintf(crossbar, sizeof crossbar, "crossbar:%d,latency=3us", request->p);
    assert_int_equal(rb_plan_create(&plan_spec, &plan, NULL, 0), RB_OK);
    const struct rb_sim_spec spec = {.plan = plan,
                                     .layout = &layout,
                                     .platform = crossbar,
                                     .ppn = 1,
                                     .progress = {request->rule, 1},
                                     .variant = variant,
                                     .want_finish = true};
    if (rb_simulate(rb_engine_find(engine), &spec, &result, &error) != RB_OK)
        fail_msg("%s %s, p = %d: %s", request->algorithm->collective, request->algorithm->name,
                 request->p, error.text);
    rb_plan_destroy(plan);
    return result;
}

static void expect_same(const struct request *request, const struct rb_sim_result *model,
                        const struct rb_sim_result *other, double relative)
{
    assert_int_equal(model->messages, other->messages);
    assert_int_equal(model->bytes, other->bytes);
    for (int32_t r = 0; r < request->p; r++)
        if (!(fabs(model->finish_s[r] - other->finish_s[r]) <= relative * other->finish_s[r]))
            fail_msg("%s %s, p = %d, root %d, n = %d, rule %d: rank %d ends at %.15g, not %.15g",
                     request->algorithm->collective, request->algorithm->name, request->p,
                     request->root, (int)request->n, request->rule, r, model->finish_s[r],
                     other->finish_s[r]);
    if (!(fabs(model->time_s - other->time_s) <= relative * other->time_s))
        fail_msg("%.15g instead of %.15g", model->time_s, other->time_s);
}

/* Blocks of unequal length. */
static void agrees_with_simgrid(void **state)
{
    (void)state;
    static const int32_t ranks[] = {1, 2, 3, 8, 13};
    for (int32_t a = 0; rb_algorithm_at(a) != NULL; a++)
        for (int i = 0; i < 5; i++)
            for (int rule = 0; rule < 2; rule++) {
                const struct rb_algorithm_info *algorithm = rb_algorithm_at(a);
                const bool rooted = rb_collective_find(algorithm->collective)->rooted;
                const struct request request = {.algorithm = algorithm,
                                                .p = ranks[i],
                                                .root = rooted ? ranks[i] / 2 : 0,
                                                .n = 1 + (a + i) % 7,
                                                .bytes = 100003,
                                                .rule = rule == 0 ? RB_BLOCKING : RB_LOCKSTEP};
                struct rb_sim_result model = simulate(&request, "model", NULL);
                struct rb_sim_result simgrid = simulate(&request, "simgrid", NULL);
                expect_same(&request, &model, &simgrid, 1e-9);
                rb_sim_result_free(&model);
                rb_sim_result_free(&simgrid);
            }
}

/* Whole rounds at once give what rank by rank does, to the bit; sizes smaller than n too. */
static void waves_are_the_rounds(void **state)
{
    (void)state;
    static const int64_t blocks[] = {1, 2, 7, 40, 300}, sizes[] = {0, 5, 99991, 3000000};
    const struct rb_algorithm_info *algorithm = rb_algorithm_find("bcast", "circulant");
    for (int32_t p = 2; p <= 140; p += 1 + p / 20)
        for (int i = 0; i < 5; i++)
            for (int k = 0; k < 4; k++) {
                const struct request request = {.algorithm = algorithm,
                                                .p = p,
                                                .root = (p * 7 + i) % p,
                                                .n = blocks[i],
                                                .bytes = sizes[k],
                                                .rule = RB_BLOCKING};
                struct rb_sim_result waves = simulate(&request, "model", "waves");
                struct rb_sim_result rounds = simulate(&request, "model", "rounds");
                expect_same(&request, &waves, &rounds, 0);
                assert_string_equal(waves.variant, "waves");
                rb_sim_result_free(&waves);
                rb_sim_result_free(&rounds);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_simgrid),
        cmocka_unit_test(waves_are_the_rounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
