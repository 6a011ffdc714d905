/* verify_sample.h - which ranks of a p are looked at when there are too many to look at all.
 *
 * A sample of N: ranks 0, 1 and p - 1, where most is special, and N pseudo-random ones; all ranks
 * if p has no more than these. The ranks depend on p and N alone, and a larger sample holds the
 * smaller ones; so whoever repeats it looks at the same ranks. */
#ifndef COMMAND_VERBS_VERIFY_SAMPLE_H
#define COMMAND_VERBS_VERIFY_SAMPLE_H

#include <stdint.h>

#include "schedules/plan/random.h"

enum { VERB_SAMPLE_SPECIAL = 3 };

/* How many ranks of p are looked at; p if sample is 0, which stands for all. */
static inline int32_t verb_sample_size(int32_t p, int32_t sample)
{
    return sample == 0 || p - VERB_SAMPLE_SPECIAL <= sample ? p : sample + VERB_SAMPLE_SPECIAL;
}

/* The i-th of them, 0 <= i < verb_sample_size(). Pseudo-random ones may repeat. */
static inline int32_t verb_sample_rank(int32_t p, int32_t sample, int32_t i)
{
    if (verb_sample_size(p, sample) == p || i < 2)
        return i;
    if (i == 2)
        return p - 1;
    return (int32_t)(rb_random_at((uint64_t)p << 32, (uint64_t)i) % (uint64_t)p);
}

#endif
