/* The engine `model` against the engine simgrid on a crossbar, rank by rank, and against itself.
 * With the argument `long`, each algorithm under each rule with each number of ranks. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim/engine/engine.h"
#include "tests/every_plan.h"
#include "tests/fitting.h"

struct request {
    const struct rb_algorithm_info *algorithm;
    int32_t p, root;
    int64_t n, bytes;
    struct sim_overlap overlap;
    const char *const *options;
    int32_t option_count;
    int32_t ppn;         /* 0 means 1 */
    const char *variant; /* of the model to be compared; NULL: its choice */
};

static struct sim_result simulate(const struct request *request, const char *engine,
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
    struct sim_result result;
    struct sup_error error;
    snprintf(crossbar, sizeof crossbar, "crossbar:%d,latency=3us", request->p);
    assert_int_equal(rb_plan_create(&plan_spec, &plan, NULL, 0), RB_OK);
    const struct sim_spec spec = {.plan = plan,
                                  .layout = &layout,
                                  .platform = crossbar,
                                  .ppn = request->ppn == 0 ? 1 : request->ppn,
                                  .overlap = request->overlap,
                                  .options = request->options,
                                  .option_count = request->option_count,
                                  .variant = variant,
                                  .want_finish = true};
    if (sim_run(sim_engine_find(engine), &spec, &result, &error) != RB_OK)
        fail_msg("%s %s, p = %d: %s", request->algorithm->collective, request->algorithm->name,
                 request->p, error.text);
    rb_plan_destroy(plan);
    return result;
}

static void expect_same(const struct request *request, const struct sim_result *model,
                        const struct sim_result *other, double relative)
{
    assert_int_equal(model->messages, other->messages);
    assert_int_equal(model->bytes, other->bytes);
    for (int32_t r = 0; r < request->p; r++)
        if (!(fabs(model->finish_s[r] - other->finish_s[r]) <= relative * other->finish_s[r])) {
            char rule[32];
            fail_msg("%s %s, p = %d, root %d, n = %d, %s, variant %s: rank %d ends at %.15g, not "
                     "%.15g (%s)",
                     request->algorithm->collective, request->algorithm->name, request->p,
                     request->root, (int)request->n,
                     sim_overlap_format(&request->overlap, rule, sizeof rule), model->variant, r,
                     model->finish_s[r], other->finish_s[r], other->variant);
        }
    if (!(fabs(model->time_s - other->time_s) <= relative * other->time_s))
        fail_msg("%.15g instead of %.15g", model->time_s, other->time_s);
}

static const struct sim_overlap rules[] = {{SIM_BLOCKING, 1}, {SIM_LOCKSTEP, 1}, {SIM_WINDOW, 2},
                                           {SIM_WINDOW, 5},   {SIM_WINDOW, 40},  {SIM_DATA, 1}};
enum { RULES = sizeof rules / sizeof rules[0] };

/* Blocks of unequal length. */
static struct request request_of(const struct rb_algorithm_info *algorithm, int32_t p, int64_t n,
                                 struct sim_overlap overlap)
{
    const bool rooted = rb_collective_find(algorithm->collective)->rooted;
    return (struct request){.algorithm = algorithm,
                            .p = p,
                            .root = rooted ? p / 2 : 0,
                            .n = n,
                            .bytes = 100003,
                            .overlap = overlap};
}

static void expect_alike(const struct request *request, const char *engine, const char *variant,
                         double relative)
{
    struct sim_result model = simulate(request, "model", request->variant);
    struct sim_result other = simulate(request, engine, variant);
    expect_same(request, &model, &other, relative);
    sim_result_free(&model);
    sim_result_free(&other);
}

/* Of algorithms that don't pipeline, which are most, half of the rules for each p are enough. */
static bool is_left_out(int32_t a, int i, int rule)
{
    return !rb_algorithm_at(a)->pipelined && (a + i + rule) % 2 != 0;
}

static bool thorough; /* the argument `long` */

/* SimGrid starts anew for each; one rule for each number of ranks, unless `long`. */
static void agrees_with_simgrid(void **state)
{
    (void)state;
    static const int32_t ranks[] = {1, 2, 3, 8, 13};
    for (int32_t a = 0; rb_algorithm_at(a) != NULL; a++)
        for (int i = 0; i < 5; i++)
            for (int rule = 0; rule < RULES; rule++) {
                if (!thorough && (a + i) % RULES != rule)
                    continue;
                const struct request request =
                    request_of(rb_algorithm_at(a), fitting_ranks(rb_algorithm_at(a), ranks[i]),
                               1 + (a + i) % 7, rules[rule]);
                expect_alike(&request, "simgrid", NULL, 1e-9);
            }
}

static int32_t compared;

static void takes_its_closed_form(const struct rb_plan *plan)
{
    const struct rb_algorithm_info *info = rb_plan_algorithm(plan);
    const struct rb_layout layout = {.bytes = 1000 * rb_plan_owners(plan) * rb_plan_blocks(plan),
                                     .element = 1};
    double closed_s;
    if (rb_plan_cost(plan, &layout, 3e-6, 8e-11, &closed_s) != RB_OK)
        return;
    struct sim_result result;
    struct sup_error error;
    char crossbar[60];
    snprintf(crossbar, sizeof crossbar, "crossbar:%d,ports=%d,latency=3us", rb_plan_ranks(plan),
             rb_plan_ports(plan));
    const struct sim_spec spec = {.plan = plan,
                                  .layout = &layout,
                                  .platform = crossbar,
                                  .ppn = 1,
                                  .overlap = {SIM_LOCKSTEP, 1}};
    if (sim_run(sim_engine_find("model"), &spec, &result, &error) != RB_OK)
        fail_msg("%s %s: %s", info->collective, info->name, error.text);
    if (!(fabs(result.time_s - closed_s) <= 1e-9 * closed_s))
        fail_msg("%s %s, p = %d, n = %d, k = %d, r = %d: takes %.12g, by its closed form %.12g",
                 info->collective, info->name, (int)rb_plan_ranks(plan), (int)rb_plan_n(plan),
                 (int)rb_plan_ports(plan), (int)rb_plan_radix(plan), result.time_s, closed_s);
    sim_result_free(&result);
    compared++;
}

static void lockstep_takes_the_closed_form(void **state)
{
    (void)state;
    static const int32_t ranks[] = {1, 2, 3, 8, 13, 17};
    compared = 0;
    for (int32_t a = 0; rb_algorithm_at(a) != NULL; a++)
        for (size_t i = 0; i < sizeof ranks / sizeof ranks[0]; i++)
            for_plans(rb_algorithm_at(a), ranks[i], takes_its_closed_form);
    assert_true(compared > 5000);
}

/* True if the plan has local reductions, for which `events` has no time. */
static bool combines_locally(const struct request *request)
{
    const struct rb_plan_spec spec = {.collective = request->algorithm->collective,
                                      .algorithm = request->algorithm->name,
                                      .p = request->p,
                                      .n = request->n};
    struct rb_plan *plan;
    bool does = false;
    assert_int_equal(rb_plan_create(&spec, &plan, NULL, 0), RB_OK);
    struct rb_op *ops = malloc((size_t)rb_plan_max_ops(plan) * sizeof *ops);
    for (int32_t rank = 0; rank < request->p; rank++) {
        struct rb_rank state;
        rb_plan_rank(plan, rank, &state);
        for (int64_t t = 0; t < rb_plan_rounds(plan); t++)
            for (int32_t i = rb_plan_round(plan, &state, t, ops) - 1; i >= 0; i--)
                does = does || ops[i].kind == RB_REDUCE;
    }
    free(ops);
    rb_plan_destroy(plan);
    return does;
}

/* Each variant that fits gives the same. Messages go by chance, and combining takes its time. */
static void variants_agree(void **state)
{
    (void)state;
    static const char *const options[] = {"noise:0.3", "seed:7", "gamma:3ns"};
    static const int32_t ranks[] = {2, 7, 16, 45};
    for (int32_t a = 0; rb_algorithm_at(a) != NULL; a++)
        for (int i = 0; i < 4; i++)
            for (int rule = 0; rule < RULES; rule++) {
                if (is_left_out(a, i, rule))
                    continue;
                struct request request =
                    request_of(rb_algorithm_at(a), fitting_ranks(rb_algorithm_at(a), ranks[i]),
                               1 + (a + i) % 7, rules[rule]);
                request.options = options;
                request.option_count = combines_locally(&request) ? 2 : 3;
                expect_alike(&request, "model", "windows", 0);
                expect_alike(&request, "model", "events", 1e-14);
                if (rules[rule].rule != SIM_BLOCKING)
                    continue;
                expect_alike(&request, "model", "blocking", 1e-14);
                request.ppn = 4; /* to the bit, as long as the order of events is the same */
                request.variant = "blocking";
                expect_alike(&request, "model", "events", 0);
            }
}

/* Shared out among threads, the same, to the bit. */
static void expect_shared_out(const struct request *request, const struct sim_result *alone)
{
    static const char *const three[] = {"threads:3"};
    struct request shared = *request;
    shared.options = three;
    shared.option_count = 1;
    struct sim_result result = simulate(&shared, "model", "waves");
    expect_same(&shared, &result, alone, 0);
    sim_result_free(&result);
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
                                                .overlap = {SIM_BLOCKING, 1}};
                struct sim_result waves = simulate(&request, "model", "waves");
                struct sim_result rounds = simulate(&request, "model", "windows");
                expect_same(&request, &waves, &rounds, 0);
                assert_string_equal(waves.variant, "waves");
                if (p % 5 == 0)
                    expect_shared_out(&request, &waves);
                sim_result_free(&waves);
                sim_result_free(&rounds);
            }
}

int main(int argc, char *argv[])
{
    thorough = argc > 1 && strcmp(argv[1], "long") == 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_simgrid),
        cmocka_unit_test(lockstep_takes_the_closed_form),
        cmocka_unit_test(waves_are_the_rounds),
        cmocka_unit_test(variants_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
