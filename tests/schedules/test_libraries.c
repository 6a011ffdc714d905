/* Libraries that add collectives and algorithms to the core's. They stay until the program ends, so
 * each test continues from the state of the preceding one. */
#define _POSIX_C_SOURCE 200809L /* pthread_barrier_wait */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "roundabout-redistribution.h"
#include "schedules/plan/plan.h"

static int32_t collectives(void)
{
    int32_t count = 0;
    while (rb_collective_at(count) != NULL)
        count++;
    assert_null(rb_collective_at(count + 1));
    assert_null(rb_collective_at(-1));
    return count;
}

static int32_t algorithms(void)
{
    int32_t count = 0;
    while (rb_algorithm_at(count) != NULL)
        count++;
    assert_null(rb_algorithm_at(count + 1));
    assert_null(rb_algorithm_at(-1));
    return count;
}

static int plan_redistribution(void)
{
    const struct rb_plan_spec spec = {
        .collective = "redistribute", .algorithm = "best", .p = 5, .n = 1};
    struct rb_plan *plan = NULL;
    struct rb_verdict verdict;
    int status = rb_plan_create(&spec, &plan, NULL, 0);
    if (status == RB_OK)
        status = rb_verify_plan(plan, NULL, &verdict);
    rb_plan_destroy(plan);
    return status;
}

static void redistribution_is_added_once(void **state)
{
    const int32_t collectives_before = collectives(), algorithms_before = algorithms();
    char why[200] = "";
    (void)state;
    assert_null(rb_collective_find("redistribute"));
    assert_null(rb_algorithm_find("redistribute", "best"));
    assert_int_equal(plan_redistribution(), RB_EINVAL);
    for (int times = 0; times < 3; times++) {
        assert_int_equal(rb_redistribution_add(why, sizeof why), RB_OK);
        assert_string_equal(why, "");
        assert_int_equal(collectives(), collectives_before + 1);
        int32_t methods = 0;
        for (; rb_redistribute_methods[methods].name != NULL; methods++)
            assert_string_equal(rb_algorithm_at(algorithms_before + methods)->name,
                                rb_redistribute_methods[methods].name);
        assert_int_equal(algorithms(), algorithms_before + methods);
        assert_string_equal(rb_collective_at(collectives_before)->name, "redistribute");
        assert_int_equal(plan_redistribution(), RB_OK);
    }
}

/* The whole message round a ring. */
static int relay_init(struct rb_plan *plan, char *why, size_t why_size)
{
    plan->rounds = plan->p - 1;
    plan->max_ops = 1;
    return rb_need_one_port(plan, why, why_size);
}

static int32_t relay_round(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                           struct rb_op ops[])
{
    if (state->relative == t)
        ops[0] = rb_root_op(plan, RB_SEND, state->relative + 1, 0, plan->n);
    else if (state->relative == t + 1)
        ops[0] = rb_root_op(plan, RB_RECV, state->relative - 1, 0, plan->n);
    else
        return 0;
    return 1;
}

#define BCAST(algorithm)                                                                           \
    {                                                                                              \
        .info = {.collective = "bcast", .name = algorithm}, .init = relay_init,                    \
        .round = relay_round                                                                       \
    }
#define LIBRARY_OF(array)                                                                          \
    {                                                                                              \
        .name = "test", .release = RB_VERSION, .algorithms = sizeof(array) / sizeof(array)[0],     \
        .algorithm = array                                                                         \
    }

/* An algorithm for a collective of the core. */
static void an_algorithm_is_planned(void **state)
{
    static const struct rb_algorithm relay = BCAST("relay");
    static const struct rb_algorithm *const list[] = {&relay};
    static const struct rb_library library = LIBRARY_OF(list);
    const struct rb_plan_spec spec = {
        .collective = "bcast", .algorithm = "relay", .p = 7, .root = 3, .n = 2};
    struct rb_plan *plan;
    struct rb_verdict verdict;
    (void)state;
    assert_int_equal(rb_library_add(&library, NULL, 0), RB_OK);
    assert_int_equal(rb_plan_create(&spec, &plan, NULL, 0), RB_OK);
    assert_int_equal(rb_verify_plan(plan, NULL, &verdict), RB_OK);
    assert_int_equal(verdict.rounds, 6);
    rb_plan_destroy(plan);
}

static void expect_refused(const struct rb_library *library, const char *expected)
{
    const int32_t collectives_before = collectives(), algorithms_before = algorithms();
    char why[200];
    assert_int_equal(rb_library_add(library, why, sizeof why), RB_EINVAL);
    assert_string_equal(why, expected);
    assert_int_equal(rb_library_add(library, NULL, 0), RB_EINVAL);
    assert_int_equal(collectives(), collectives_before);
    assert_int_equal(algorithms(), algorithms_before);
}

static void names_are_not_taken_twice(void **state)
{
    static const struct rb_collective bcast = {.info = {.name = "bcast"}},
                                      one = {.info = {.name = "one"}},
                                      other = {.info = {.name = "one"}};
    static const struct rb_collective *const taken[] = {&one, &bcast}, *const twice[] = {&one,
                                                                                         &other};
    static const struct rb_library of_the_core = {
        .name = "test", .release = RB_VERSION, .collectives = 2, .collective = taken};
    static const struct rb_library of_its_own = {
        .name = "test", .release = RB_VERSION, .collectives = 2, .collective = twice};
    (void)state;
    expect_refused(&of_the_core, "test: there is a collective bcast already");
    expect_refused(&of_its_own, "test: there is a collective one already");

    static const struct rb_algorithm chain = BCAST("chain"), first = BCAST("first"),
                                     second = BCAST("first"),
                                     stray = {.info = {.collective = "one", .name = "stray"}};
    static const struct rb_algorithm *const chains[] = {&first, &chain},
                                            *const firsts[] = {&first, &second},
                                            *const strays[] = {&first, &stray};
    static const struct rb_library of_another = LIBRARY_OF(chains), two = LIBRARY_OF(firsts),
                                   without = LIBRARY_OF(strays);
    expect_refused(&of_another, "test: there is an algorithm chain for bcast already");
    expect_refused(&two, "test: there is an algorithm first for bcast already");
    expect_refused(&without, "test: algorithm stray: there is no collective one");
}

/* The descriptors of another release may have another layout. */
static void a_library_of_another_release_is_refused(void **state)
{
    static const struct rb_algorithm relay = BCAST("of-another-release");
    static const struct rb_algorithm *const list[] = {&relay};
    static const struct rb_library old = {
        .name = "test", .release = "0.9.9", .algorithms = 1, .algorithm = list};
    static const struct rb_library without = {.name = "test", .algorithms = 1, .algorithm = list};
    (void)state;
    expect_refused(&old,
                   "test: it was compiled with release 0.9.9, the core is of release " RB_VERSION);
    expect_refused(&without,
                   "test: it was compiled with release \"\", the core is of release " RB_VERSION);
}

/* ---- Threads, until no library more can be added --------------------------------------------- */

enum { THREADS = 8 };
static char names[RB_MAX_LIBRARIES + 1][16];
static struct rb_algorithm many[RB_MAX_LIBRARIES + 1];
static const struct rb_algorithm *lists[RB_MAX_LIBRARIES + 1][1];
static struct rb_library more[RB_MAX_LIBRARIES + 1];
static pthread_barrier_t step;
static atomic_int refused[RB_MAX_LIBRARIES + 1], wrong;

/* All threads add all libraries, each beginning with another. */
static void *add_all(void *context)
{
    const int32_t begin = *(const int32_t *)context;
    for (int32_t i = 0; i <= RB_MAX_LIBRARIES; i++) {
        const int32_t which = (begin + i) % (RB_MAX_LIBRARIES + 1);
        pthread_barrier_wait(&step);
        const int status = rb_library_add(&more[which], NULL, 0);
        if (status == RB_ENOMEM)
            refused[which]++;
        else if (status != RB_OK || rb_algorithm_find("bcast", names[which]) != &many[which].info)
            wrong++;
        for (int32_t k = 0; rb_algorithm_at(k) != NULL; k++)
            wrong += rb_algorithm_at(k)->collective == NULL;
    }
    return NULL;
}

static void threads_add_each_once(void **state)
{
    const int32_t before = algorithms();
    pthread_t thread[THREADS];
    int32_t begin[THREADS];
    (void)state;
    for (int32_t i = 0; i <= RB_MAX_LIBRARIES; i++) {
        snprintf(names[i], sizeof names[i], "t%d", (int)i);
        many[i] = (struct rb_algorithm)BCAST(names[i]);
        lists[i][0] = &many[i];
        more[i] = (struct rb_library){
            .name = names[i], .release = RB_VERSION, .algorithms = 1, .algorithm = lists[i]};
    }
    assert_int_equal(pthread_barrier_init(&step, NULL, THREADS), 0);
    for (int32_t i = 0; i < THREADS; i++) {
        begin[i] = i;
        assert_int_equal(pthread_create(&thread[i], NULL, add_all, &begin[i]), 0);
    }
    for (int32_t i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    pthread_barrier_destroy(&step);
    assert_int_equal(wrong, 0);

    /* redistribution and the relay are there already. */
    int32_t added = 0;
    for (int32_t i = 0; i <= RB_MAX_LIBRARIES; i++) {
        assert_true(refused[i] == 0 || refused[i] == THREADS);
        added += refused[i] == 0;
    }
    assert_int_equal(added, RB_MAX_LIBRARIES - 2);
    assert_int_equal(algorithms(), before + added);
    assert_int_equal(rb_redistribution_add(NULL, 0), RB_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(redistribution_is_added_once),
        cmocka_unit_test(an_algorithm_is_planned),
        cmocka_unit_test(names_are_not_taken_twice),
        cmocka_unit_test(a_library_of_another_release_is_refused),
        cmocka_unit_test(threads_add_each_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
