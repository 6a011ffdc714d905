/* round_trip.h - plans of all algorithms written in a format of chunks, and read back. */
#ifndef TESTS_INTERCHANGE_ROUND_TRIP_H
#define TESTS_INTERCHANGE_ROUND_TRIP_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "roundabout.h"
#include "support/error.h"
#include "support/memory.h"

typedef int write_function(const struct rb_plan *plan, FILE *stream, struct sup_error *error);

/* The plan as text, which the caller frees; NULL if it is refused, with `error`. */
static char *write_by(write_function *write, const struct rb_plan_spec *spec,
                      struct sup_error *error)
{
    struct rb_plan *plan;
    char *text, why[240];
    size_t size;
    if (rb_plan_create(spec, &plan, why, sizeof why) != RB_OK)
        fail_msg("%s", why);
    FILE *stream = sup_memory_open(&text, &size);
    const int status = write(plan, stream, error);
    sup_memory_close(stream, &text);
    rb_plan_destroy(plan);
    if (status == RB_OK)
        return text;
    assert_int_equal(status, RB_EINVAL);
    free(text);
    return NULL;
}

struct tally {
    int32_t right, refused;
    struct sup_error error; /* the last refusal */
};

/* Writes the plan, reads it, and proves it. */
typedef void check_function(const struct rb_plan_spec *spec, struct tally *tally);

static bool has_form(const char *collective)
{
    static const char *const names[] = {"bcast",     "reduce",         "allreduce",
                                        "allgather", "reduce-scatter", "alltoall"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i], collective) == 0)
            return true;
    return false;
}

static void check_algorithm(const struct rb_algorithm_info *algorithm, int32_t p, int32_t most_n,
                            check_function *check, struct tally *tally)
{
    const int32_t last = rb_takes_root(algorithm) ? p - 1 : 0;
    for (int32_t n = 1; n <= most_n; n++)
        for (int32_t ports = 1; ports <= 2; ports++)
            for (int32_t root = 0; root <= last; root += last > 0 ? last : 1) {
                const struct rb_plan_spec spec = {.collective = algorithm->collective,
                                                  .algorithm = algorithm->name,
                                                  .p = p,
                                                  .n = n,
                                                  .root = root,
                                                  .ports = ports,
                                                  .groups =
                                                      algorithm->groups && n % 2 == 0 ? "2" : NULL};
                struct rb_plan *plan = NULL;
                if (rb_plan_is_supported(&spec) && rb_plan_create(&spec, &plan, NULL, 0) == RB_OK)
                    check(&spec, tally);
                rb_plan_destroy(plan);
            }
}

static struct tally check_all(int32_t most_p, int32_t most_n, check_function *check)
{
    struct tally all = {0};
    const struct rb_algorithm_info *algorithm;
    for (int32_t i = 0; (algorithm = rb_algorithm_at(i)) != NULL; i++) {
        struct tally tally = {0};
        for (int32_t p = 1 + i % ONE_OF; has_form(algorithm->collective) && p <= most_p;
             p += ONE_OF)
            check_algorithm(algorithm, p, most_n, check, &tally);
        if (tally.refused > 0)
            printf("%s %s: %d right, %d refused: %s\n", algorithm->collective, algorithm->name,
                   (int)tally.right, (int)tally.refused, tally.error.text);
        all.right += tally.right;
        all.refused += tally.refused;
    }
    printf("p <= %d, n <= %d: %d right, %d refused\n", (int)most_p, (int)most_n, (int)all.right,
           (int)all.refused);
    return all;
}

#endif
