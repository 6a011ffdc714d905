/* redistributions.h - problems for the tests of redistribution. */
#ifndef TESTS_SCHEDULES_REDISTRIBUTION_REDISTRIBUTIONS_H
#define TESTS_SCHEDULES_REDISTRIBUTION_REDISTRIBUTIONS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "schedules/plan/random.h"
#include "schedules/redistribution/redistribution.h"

static inline int64_t random_in(uint64_t *seed, int64_t low, int64_t high)
{
    return low + (int64_t)(rb_random_next(seed) % (uint64_t)(high - low + 1));
}

/* The seed to start from: RB_SEED, or a fixed one. Prints it, so that a failure can be repeated. */
static inline uint64_t first_seed(const char *test)
{
    const char *given = getenv("RB_SEED");
    const uint64_t seed = given != NULL ? strtoull(given, NULL, 0) : 1998;
    printf("%s: RB_SEED=%llu\n", test, (unsigned long long)seed);
    return seed;
}

static inline int64_t slice_of(int32_t P, int64_t r, int32_t Q, int64_t s)
{
    int64_t a = P * r, b = Q * s;
    while (b != 0) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return P * r / a * (Q * s);
}

/* (P, r) -> (Q, s), one slice of L elements unless M says otherwise, on disjoint grids. */
static inline struct rb_redistribution problem_of(int32_t P, int64_t r, int32_t Q, int64_t s,
                                                  int64_t M)
{
    return (struct rb_redistribution){
        .dimensions = 1,
        .dimension = {{.P = P, .r = r, .Q = Q, .s = s, .M = M > 0 ? M : slice_of(P, r, Q, s)}},
        .at = P};
}

/* For messages about a failure; the text is overwritten by the next call. */
static inline const char *text_of(const struct rb_redistribution *problem)
{
    static char text[512];
    int length = snprintf(text, sizeof text, "at=%d", (int)problem->at);
    for (int32_t i = 0; i < problem->dimensions && length < 400; i++) {
        const struct rb_cyclic *c = &problem->dimension[i];
        length +=
            snprintf(text + length, sizeof text - (size_t)length, " P=%d r=%lld Q=%d s=%lld M=%lld",
                     (int)c->P, (long long)c->r, (int)c->Q, (long long)c->s, (long long)c->M);
    }
    return text;
}

static inline struct rb_traffic traffic_of(const struct rb_redistribution *problem)
{
    struct rb_traffic traffic;
    char why[256];
    if (rb_traffic_init(&traffic, problem, why, sizeof why) != RB_OK)
        fail_msg("%s: %s", text_of(problem), why);
    return traffic;
}

#endif
