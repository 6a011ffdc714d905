/* The cache of plans: it gives the core's plans, gives the same plan again without making it again,
 * and never exceeds its size. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "mpi/library/plan_cache.h"

/* Counts, by --wrap. */
static int created, destroyed;
int __real_rb_plan_create(const struct rb_plan_spec *spec, struct rb_plan **plan, char *why,
                          size_t why_size);
int __wrap_rb_plan_create(const struct rb_plan_spec *spec, struct rb_plan **plan, char *why,
                          size_t why_size);
void __real_rb_plan_destroy(struct rb_plan *plan);
void __wrap_rb_plan_destroy(struct rb_plan *plan);

int __wrap_rb_plan_create(const struct rb_plan_spec *spec, struct rb_plan **plan, char *why,
                          size_t why_size)
{
    created++;
    return __real_rb_plan_create(spec, plan, why, why_size);
}

void __wrap_rb_plan_destroy(struct rb_plan *plan)
{
    destroyed++;
    __real_rb_plan_destroy(plan);
}

static int reset(void **state)
{
    (void)state;
    created = destroyed = 0;
    return 0;
}

static struct lib_cached_plan *get(struct lib_plan_cache *cache, const char *algorithm,
                                   int32_t root, int64_t n)
{
    const struct lib_plan_key key = {.algorithm = rb_algorithm_find("bcast", algorithm),
                                     .plan = {.root = root, .n = n}};
    struct lib_cached_plan *found = NULL;
    assert_int_equal(lib_plan_cache_get(cache, &key, &found), RB_OK);
    assert_string_equal(rb_plan_algorithm(found->plan)->name, algorithm);
    assert_int_equal(rb_plan_ranks(found->plan), cache->p);
    assert_int_equal(rb_plan_root(found->plan), root);
    assert_int_equal(rb_plan_n(found->plan), n);
    struct rb_rank should;
    memset(&should, 0, sizeof should);
    rb_plan_rank(found->plan, cache->rank, &should);
    assert_int_equal(found->state.rank, cache->rank);
    assert_int_equal(found->state.relative, should.relative);
    for (int64_t t = 0; t < rb_plan_rounds(found->plan); t++) {
        struct rb_op ops[2], should_ops[2];
        assert_int_equal(rb_plan_round(found->plan, &found->state, t, ops),
                         rb_plan_round(found->plan, &should, t, should_ops));
    }
    return found;
}

static void each_key_is_made_once(void **state)
{
    (void)state;
    struct lib_plan_cache cache;
    lib_plan_cache_init(&cache, 17, 5);
    for (int again = 0; again < 3; again++)
        for (int32_t root = 0; root < 3; root++)
            for (int64_t n = 1; n < 4; n++) {
                get(&cache, "circulant", root, n);
                get(&cache, "chain", root, n);
            }
    assert_int_equal(created, 3 * 3 * 2);
    lib_plan_cache_free(&cache);
    assert_int_equal(destroyed, created);
}

static void the_longest_unused_makes_room(void **state)
{
    (void)state;
    struct lib_plan_cache cache;
    lib_plan_cache_init(&cache, 9, 0);
    for (int64_t n = 1; n <= 3 * LIB_CACHED_PLANS; n++) {
        get(&cache, "circulant", 0, n);
        get(&cache, "chain", 0, 1); /* in use all the time */
        assert_true(created - destroyed <= LIB_CACHED_PLANS);
    }
    assert_int_equal(created, 3 * LIB_CACHED_PLANS + 1);
    for (int64_t n = 2 * LIB_CACHED_PLANS + 2; n <= 3 * LIB_CACHED_PLANS; n++)
        get(&cache, "circulant", 0, n); /* the latest are there */
    assert_int_equal(created, 3 * LIB_CACHED_PLANS + 1);
    lib_plan_cache_free(&cache);
    assert_int_equal(destroyed, created);
}

static void order_and_radix_belong_to_the_key(void **state)
{
    (void)state;
    struct lib_plan_cache cache;
    struct lib_cached_plan *found;
    lib_plan_cache_init(&cache, 6, 2);
    struct lib_plan_key key = {.algorithm = rb_algorithm_find("reduce", "chain"), .plan = {.n = 2}};
    assert_int_equal(lib_plan_cache_get(&cache, &key, &found), RB_OK);
    key.plan.ordered = true;
    assert_int_equal(lib_plan_cache_get(&cache, &key, &found), RB_OK);
    assert_int_equal(created, 2);
    key.algorithm = rb_algorithm_find("reduce", "circulant");
    assert_int_equal(lib_plan_cache_get(&cache, &key, &found), RB_EINVAL);
    key.plan.ordered = false;
    assert_int_equal(lib_plan_cache_get(&cache, &key, &found), RB_OK);
    key.algorithm = rb_algorithm_find("alltoall", "bruck");
    for (key.plan.radix = 2; key.plan.radix <= 3; key.plan.radix++) {
        assert_int_equal(lib_plan_cache_get(&cache, &key, &found), RB_OK);
        assert_int_equal(rb_plan_radix(found->plan), key.plan.radix);
    }
    lib_plan_cache_free(&cache);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(each_key_is_made_once, reset),
        cmocka_unit_test_setup(the_longest_unused_makes_room, reset),
        cmocka_unit_test_setup(order_and_radix_belong_to_the_key, reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
