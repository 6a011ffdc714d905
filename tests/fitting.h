/* fitting.h - for tests that go through the registry: how many ranks an algorithm takes. */
#ifndef TESTS_FITTING_H
#define TESTS_FITTING_H

#include <string.h>

#include "roundabout.h"

/* Without groups, an algorithm of two levels is its part over the groups, which has tests of its
 * own: a few ranks suffice, a power of two so that messages are equal. */
enum { TWO_LEVELS_RANKS = 8 };
static inline bool has_two_levels(const struct rb_algorithm_info *algorithm)
{
    return strstr(algorithm->name, "-over-") != NULL ||
           strstr(algorithm->name, "-in-lanes") != NULL;
}

/* The largest number of ranks up to p that the algorithm has plans for, of its collective's usual
 * instance; 0 if there is none. For algorithms of two levels at most TWO_LEVELS_RANKS. */
static inline int32_t fitting_ranks(const struct rb_algorithm_info *algorithm, int32_t p)
{
    struct rb_plan_spec spec = {
        .collective = algorithm->collective, .algorithm = algorithm->name, .p = p, .n = 1};
    if (has_two_levels(algorithm) && p > TWO_LEVELS_RANKS)
        spec.p = TWO_LEVELS_RANKS;
    while (spec.p > 0 && !rb_plan_is_supported(&spec))
        spec.p--;
    return spec.p;
}

#endif
