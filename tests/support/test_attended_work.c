/* test_attended_work.c - work that ends only after it was attended to. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "support/process.h"

struct seen {
    pthread_t worker;
    int worked;
    _Atomic int ticks;
    int most; /* the work ends after so many ticks */
};

static void work(void *context)
{
    struct seen *seen = context;
    while (atomic_load(&seen->ticks) < seen->most)
        sched_yield();
    seen->worker = pthread_self();
    seen->worked++;
}

static void tick(void *context)
{
    struct seen *seen = context;
    atomic_fetch_add(&seen->ticks, 1);
}

static void ticks_come_while_the_work_is_done(void **state)
{
    struct seen seen = {.most = 3};
    (void)state;
    sup_attend(work, tick, &seen);
    assert_int_equal(seen.worked, 1);
    assert_true(atomic_load(&seen.ticks) >= 3);
    assert_false(pthread_equal(seen.worker, pthread_self()));
}

static void short_work_is_done_once(void **state)
{
    struct seen seen = {0};
    (void)state;
    for (int i = 1; i <= 100; i++) {
        sup_attend(work, tick, &seen);
        assert_int_equal(seen.worked, i);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ticks_come_while_the_work_is_done),
        cmocka_unit_test(short_work_is_done_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
