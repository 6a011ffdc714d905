/* Redistributions as plans: their instances, and the bytes that they move, for every method. */
#include "redistributions.h"

#include <string.h>

#include "schedules/redistribution/redistribution.h"

static struct rb_plan *plan_of(const char *algorithm, const char *instance, int32_t p)
{
    const struct rb_plan_spec spec = {
        .collective = "redistribute", .algorithm = algorithm, .p = p, .n = 1, .instance = instance};
    char why[512];
    struct rb_plan *plan;
    const int status = rb_plan_create(&spec, &plan, why, sizeof why);
    if (status != RB_OK && status != RB_ENOTSUP)
        fail_msg("%s %s: %s", algorithm, instance, why);
    return plan;
}

static void instances_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int32_t p, ranks;
        const char *in_full;
    } known[] = {
        {"P=6,r=2,Q=6,s=3", 0, 12, "P=6,r=2,Q=6,s=3,M=36,at=6"},
        {"P=6,r=2,Q=6,s=3", 6, 6, "P=6,r=2,Q=6,s=3,M=36,at=0"},
        {"at=2,P=6,Q=6,M=7", 8, 8, "P=6,r=2,Q=6,s=3,M=7,at=2"},
        {"P=4,Q=2,s=1", 4, 4, "P=4,r=2,Q=2,s=1,M=8,at=0"},
        {NULL, 5, 5, "P=5,r=2,Q=5,s=3,M=30,at=0"},
        {"P=2,Q=3,r=1,s=1/P=2,Q=1,r=4,s=2,at=1", 0, 4,
         "P=2,r=1,Q=3,s=1,M=6/P=2,r=4,Q=1,s=2,M=8,at=1"},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        int32_t ranks = known[i].p;
        if (known[i].p == 0)
            assert_int_equal(rb_instance_ranks("redistribute", known[i].text, &ranks, NULL, 0), 0);
        assert_int_equal(ranks, known[i].ranks);
        struct rb_plan *plan = plan_of("matching", known[i].text, ranks);
        assert_string_equal(rb_plan_instance(plan), known[i].in_full);
        rb_plan_destroy(plan);
        plan = plan_of("matching", known[i].in_full, ranks); /* which says the same */
        assert_string_equal(rb_plan_instance(plan), known[i].in_full);
        rb_plan_destroy(plan);
    }
}

static void nonsense_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int32_t p;
        const char *says;
    } bad[] = {
        {"P=0", 4, "P must be a whole number in 1.."},
        {"r=0", 4, "r must be a whole number in 1.."},
        {"P=3,Q=4,at=4", 7, "at must be in 0..3"},
        {"P=3,Q=4,at=1", 7, "these are 5 ranks"},
        {"P=3,Q=4", 6, "these are 7 ranks, or 4 if the target's are the source's"},
        {"P=3,Q=4,at=1/P=1,Q=1,at=0", 4, "at is given twice"},
        {"P=2/Q=2", 4, "Q is missing"},
        {"P=32768,Q=1/P=65536,Q=1", 4, "more than 1073741824 ranks"},
        {"r=4611686018427387903,s=4611686018427387901", 2, "give M"},
        {"x=1", 4, "\"x\" is none of its values"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        const struct rb_plan_spec spec = {.collective = "redistribute",
                                          .algorithm = "matching",
                                          .p = bad[i].p,
                                          .n = 1,
                                          .instance = bad[i].text};
        struct rb_plan *plan;
        char why[512];
        assert_int_equal(rb_plan_create(&spec, &plan, why, sizeof why), RB_EINVAL);
        if (strstr(why, bad[i].says) == NULL)
            fail_msg("%s: \"%s\" does not say \"%s\"", bad[i].text, why, bad[i].says);
        assert_false(rb_plan_is_supported(&spec));
    }
}

/* Elements that lie at rank i and belong to rank j, counted one by one. */
static int64_t elements_between(const struct rb_redistribution *problem, int32_t i, int32_t j)
{
    const struct rb_cyclic *one = &problem->dimension[0];
    int64_t count = 0;
    for (int64_t x = 0; x < one->M; x++)
        count += x / one->r % one->P == i && problem->at + x / one->s % one->Q == j;
    return count;
}

/* With as many elements as the array has, and with several times as many, every part has its
 * elements' bytes, and the plan moves those that don't stay at their rank. */
static void parts_have_their_bytes(const struct rb_redistribution *problem, const char *instance,
                                   int64_t times)
{
    const int32_t p = rb_redistribution_ranks(problem);
    struct rb_plan *plan = plan_of("matching", instance, p);
    const struct rb_layout layout = {.bytes = 8 * times * problem->dimension[0].M, .element = 8};
    const int64_t part = rb_plan_blocks(plan) / p;
    struct rb_verdict verdict;
    int64_t moved = 0;
    for (int32_t i = 0; i < p; i++)
        for (int32_t j = 0; j < p; j++) {
            const struct rb_range all = {RB_SRC, i, j * part, part};
            const int64_t wanted = 8 * times * elements_between(problem, i, j);
            if (rb_layout_bytes(plan, &layout, &all) != wanted)
                fail_msg("%s: rank %d has %d bytes for rank %d, not %d", instance, (int)i,
                         (int)rb_layout_bytes(plan, &layout, &all), (int)j, (int)wanted);
            moved += i == j ? 0 : wanted;
        }
    assert_int_equal(rb_layout_offset(plan, &layout, p - 1, rb_plan_blocks(plan)), layout.bytes);
    if (rb_verify_plan(plan, &layout, &verdict) != RB_OK)
        fail_msg("%s: %s", instance, verdict.what);
    assert_int_equal(verdict.bytes, moved);
    rb_plan_destroy(plan);
}

static void layouts_are_the_arrays(void **state)
{
    (void)state;
    uint64_t seed = first_seed("layouts_are_the_arrays");
    for (int i = 0; i < 200; i++) {
        struct rb_redistribution problem =
            problem_of((int32_t)random_in(&seed, 1, 6), random_in(&seed, 1, 5),
                       (int32_t)random_in(&seed, 1, 6), random_in(&seed, 1, 5),
                       i % 2 == 0 ? 0 : random_in(&seed, 1, 100));
        problem.at = (int32_t)random_in(&seed, 0, problem.dimension[0].P);
        char instance[256];
        rb_redistribution_write(&problem, instance, sizeof instance);
        parts_have_their_bytes(&problem, instance, random_in(&seed, 1, 3));
    }
}

/* Pieces that start together make one round. */
static int64_t rounds_of(const struct rb_redistribute_method *method, const struct rb_plan *plan)
{
    const struct redist_problem *all = redist_problem_of(plan);
    struct rb_timetable timetable = {0};
    int64_t starts = 0;
    if (all->traffic.count > 0)
        assert_int_equal(method->schedule(&all->problem, &all->traffic, NULL, &timetable, NULL, 0),
                         RB_OK);
    for (size_t i = 0; i < timetable.count; i++)
        starts += i == 0 || timetable.piece[i].start != timetable.piece[i - 1].start;
    rb_timetable_deinit(&timetable);
    return starts > 0 ? starts : all->traffic.copies > 0;
}

/* Every method, one and two dimensions: the verifier's word for it. */
static void every_method_is_right(void **state)
{
    (void)state;
    uint64_t seed = first_seed("every_method_is_right");
    int32_t checked = 0;
    for (int i = 0; i < 60; i++) {
        struct rb_redistribution problem = problem_of(
            (int32_t)random_in(&seed, 1, 7), random_in(&seed, 1, 5),
            (int32_t)random_in(&seed, 1, 7), random_in(&seed, 1, 5), random_in(&seed, 0, 60));
        if (i % 3 == 0) {
            problem.dimension[problem.dimensions++] =
                (struct rb_cyclic){.P = 2, .r = 1, .Q = 3, .s = 2, .M = random_in(&seed, 1, 9)};
            problem.at = rb_redistribution_senders(&problem);
        }
        char instance[256];
        rb_redistribution_write(&problem, instance, sizeof instance);
        for (const struct rb_redistribute_method *method = rb_redistribute_methods;
             method->name != NULL; method++) {
            assert_non_null(rb_algorithm_find("redistribute", method->name));
            struct rb_plan *plan =
                plan_of(method->name, instance, rb_redistribution_ranks(&problem));
            struct rb_verdict verdict;
            if (plan == NULL) /* its conditions don't hold */
                continue;
            if (rb_verify_plan(plan, NULL, &verdict) != RB_OK)
                fail_msg("%s %s: %s", method->name, instance, verdict.what);
            assert_int_equal(rb_plan_rounds(plan), rounds_of(method, plan));
            rb_plan_destroy(plan);
            checked++;
        }
    }
    assert_true(checked > 60 * 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instances_are_read),
        cmocka_unit_test(nonsense_is_refused),
        cmocka_unit_test(layouts_are_the_arrays),
        cmocka_unit_test(every_method_is_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
