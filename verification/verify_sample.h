/* verify_sample.h - chooses ranks of a p when there are too many to check all.
 *
 * A sample of N consists of ranks 0, 1 and p - 1, which are special, and N pseudo-random ranks; or
 * of all ranks if p is small enough. The ranks depend only on p and N, and a larger sample contains
 * the smaller ones, so a repeated check covers the same ranks. */
#ifndef VERIFICATION_VERIFY_SAMPLE_H
#define VERIFICATION_VERIFY_SAMPLE_H

#include <stdint.h>

#include "schedules/plan/random.h"

enum { VERIFY_SAMPLE_SPECIAL = 3 };

/* The number of ranks of p that are checked; p if sample is 0, which means all. */
static inline int32_t verify_sample_size(int32_t p, int32_t sample)
{
    return sample == 0 || p - VERIFY_SAMPLE_SPECIAL <= sample ? p : sample + VERIFY_SAMPLE_SPECIAL;
}

/* The i-th of them, 0 <= i < verify_sample_size(). Pseudo-random ones may repeat. */
static inline int32_t verify_sample_rank(int32_t p, int32_t sample, int32_t i)
{
    if (verify_sample_size(p, sample) == p || i < 2)
        return i;
    if (i == 2)
        return p - 1;
    return (int32_t)(rb_random_at((uint64_t)p << 32, (uint64_t)i) % (uint64_t)p);
}

#endif
