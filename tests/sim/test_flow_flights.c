/* Arrivals: after every change the first one is that which a search through all finds, whether ends
 * came nearer or went away. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "roundabout.h"
#include "schedules/plan/random.h"
#include "sim/flow/flow.h"

enum { MOST_SLOTS = 70 };

static double search(const double end_s[], int32_t slots)
{
    double first_s = 1e300;
    for (int32_t slot = 0; slot < slots; slot++)
        if (end_s[slot] >= 0 && end_s[slot] < first_s)
            first_s = end_s[slot];
    return first_s;
}

static void play(uint64_t seed, int32_t slots)
{
    struct flow_arrivals arrivals;
    double end_s[MOST_SLOTS]; /* negative: not there */
    flow_arrivals_init(&arrivals, slots);
    for (int32_t slot = 0; slot < slots; slot++)
        end_s[slot] = -1;
    for (int step = 0; step < 3000; step++) {
        /* First more come than go, then fewer; times often tie. */
        if (rb_random_below(&seed, 10) < (step < 2000 ? 8U : 3U)) {
            const int32_t slot = (int32_t)rb_random_below(&seed, (uint32_t)slots);
            end_s[slot] = (double)rb_random_below(&seed, 100);
            flow_arrivals_set(&arrivals, slot, end_s[slot]);
        } else if (flow_arrivals_first_s(&arrivals) < 1e300) {
            const int32_t slot = flow_arrivals_pop(&arrivals);
            assert_true(end_s[slot] >= 0 && end_s[slot] == search(end_s, slots));
            end_s[slot] = -1;
        }
        assert_true(flow_arrivals_first_s(&arrivals) == search(end_s, slots));
    }
    flow_arrivals_free(&arrivals);
}

static void test_first_of_all(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 10; seed++)
        for (int32_t slots = 1; slots <= MOST_SLOTS; slots += 1 + slots / 4)
            play(seed, slots);
}

/* Two latencies; a flight that had one behind it takes another latency afterwards. */
static void test_latencies_one_by_one(void **state)
{
    (void)state;
    struct flow_latencies latencies;
    flow_latencies_init(&latencies, 3);
    flow_latencies_add(&latencies, 0, 0, 5);
    flow_latencies_add(&latencies, 1, 1, 5);
    flow_latencies_add(&latencies, 2, 0, 3);
    static const struct {
        double end_s;
        int32_t slot;
    } ends[] = {{3, 2}, {5, 0}, {6, 1}, {8, 0}};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        assert_true(flow_latencies_first_s(&latencies) == ends[i].end_s);
        assert_int_equal(flow_latencies_pop(&latencies, ends[i].end_s), ends[i].slot);
        assert_int_equal(flow_latencies_pop(&latencies, ends[i].end_s), -1);
        if (i == 1)
            flow_latencies_add(&latencies, 0, 5, 3);
    }
    assert_true(flow_latencies_first_s(&latencies) == FLOW_NEVER_S);
    flow_latencies_free(&latencies);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_first_of_all),
        cmocka_unit_test(test_latencies_one_by_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
