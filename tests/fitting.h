/* fitting.h - for tests that go through the registry: how many ranks an algorithm takes. */
#ifndef TESTS_FITTING_H
#define TESTS_FITTING_H

#include "roundabout.h"

/* The largest number of ranks up to p that the algorithm has plans for, of its collective's usual
 * instance; 0 if there is none. */
static inline int32_t fitting_ranks(const struct rb_algorithm_info *algorithm, int32_t p)
{
    struct rb_plan_spec spec = {
        .collective = algorithm->collective, .algorithm = algorithm->name, .p = p, .n = 1};
    while (spec.p > 0 && !rb_plan_is_supported(&spec))
        spec.p--;
    return spec.p;
}

#endif
