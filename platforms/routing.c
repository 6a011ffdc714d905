/* routing.c - what rules of routing have in common: hashes and detours. */
#include "generator.h"

/* SplitMix64's finalizer (Steele, Lea, Flood, Fast splittable pseudorandom number generators,
 * 2014). */
static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

uint64_t platform_hash_numbers(uint64_t seed, uint64_t a, uint64_t b)
{
    const uint64_t step = UINT64_C(0x9e3779b97f4a7c15);
    return mix(mix(mix(seed + step) + a + step) + b + step);
}

bool platform_takes_detour(const struct platform_routing *routing, uint64_t key)
{
    return routing->detours && (routing->load == PLATFORM_NO_LOAD || (key & PLATFORM_DETOUR) != 0);
}

uint64_t platform_route_hash(const struct platform_routing *routing, int32_t from, int32_t to,
                             uint64_t key)
{
    const uint64_t pair = (uint64_t)(uint32_t)from << 32 | (uint32_t)to;
    return platform_hash_numbers(routing->seed, routing->per_message ? key : 0, pair);
}

int32_t platform_third(uint64_t k, int32_t count, int32_t a, int32_t b)
{
    const int32_t low = a < b ? a : b, high = a < b ? b : a;
    int32_t third = (int32_t)((k & UINT32_MAX) * (uint64_t)(count - 2) >> 32);
    third += third >= low;
    return third + (third >= high);
}
