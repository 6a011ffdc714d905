/* every_plan.h - for tests that walk the registry: the plans of an algorithm for p ranks over block
 * counts, ports, radices, groups and shifts. */
#ifndef TESTS_EVERY_PLAN_H
#define TESTS_EVERY_PLAN_H

#include <stdio.h>
#include <string.h>

#include <roundabout.h>

typedef void with_plan(const struct rb_plan *plan);

static inline void for_plans(const struct rb_algorithm_info *algorithm, int32_t p, with_plan *visit)
{
    static const int64_t blocks[] = {1, 2, 3, 7, 20};
    static const char *const groups[] = {NULL, "2", "3", "8", "3,1,4", "5,1,6,2"};
    const int32_t radices[] = {0, 2, 3, 4, p};
    const bool shift = strcmp(algorithm->collective, "shift") == 0;
    const int32_t variants = shift ? p : algorithm->groups ? 6 : 1;
    const int32_t most_radices = algorithm->radix == NULL ? 1 : p > 4 ? 5 : 3;
    if (p > 16 && strcmp(algorithm->collective, "redistribute") == 0)
        return;                                    /* timetables take time to make */
    const int32_t most_ports = p > 20 ? 4 : p + 1; /* with many, each round has p^2 messages */
    for (int32_t k = 1; k <= most_ports; k = k < 4 || k >= p - 1 ? k + 1 : p - 1)
        for (int32_t b = 0; b < 5; b++)
            for (int32_t q = 0; q < variants * most_radices; q++) {
                char instance[32];
                snprintf(instance, sizeof instance, "q=%d", (int)q);
                const struct rb_plan_spec spec = {.collective = algorithm->collective,
                                                  .algorithm = algorithm->name,
                                                  .p = p,
                                                  .n = blocks[b],
                                                  .ports = k,
                                                  .radix = radices[q / variants],
                                                  .instance = shift ? instance : NULL,
                                                  .groups = shift ? NULL : groups[q % variants]};
                struct rb_plan *plan;
                if (!rb_plan_is_supported(&spec) || rb_plan_create(&spec, &plan, NULL, 0) != RB_OK)
                    continue;
                visit(plan);
                rb_plan_destroy(plan);
            }
}

#endif
