/* random.h - the pseudo-random numbers of the whole program: SplitMix64 (Steele, Lea and Flood,
 * Fast Splittable Pseudorandom Number Generators, OOPSLA 2014). The same sequence on every machine.
 */
#pragma once

#include <stdint.h>

/* Number i = 1, 2, ... of this seed's sequence. */
static inline uint64_t rb_random_at(uint64_t seed, uint64_t i)
{
    uint64_t x = seed + i * UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* The next number. *state is the seed at first. */
static inline uint64_t rb_random_next(uint64_t *state)
{
    const uint64_t number = rb_random_at(*state, 1);
    *state += UINT64_C(0x9e3779b97f4a7c15);
    return number;
}

/* The next one, on 0 .. below - 1: uniform to within 2^-32. */
static inline uint32_t rb_random_below(uint64_t *state, uint32_t below)
{
    return (uint32_t)((rb_random_next(state) >> 32) * below >> 32);
}
