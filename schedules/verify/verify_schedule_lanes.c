/* verify_schedule_lanes.c - conditions 3 and 4 of the circulant schedules for many ranks at a time.
 *
 * rb_check_rank checks one rank and describes the fault. Here the same conditions are checked for a
 * whole table, yes or no, by loops over neighbouring ranks that a compiler turns into vector code:
 * one body, compiled for several instruction sets.
 *
 * A block v becomes a slot. The blocks that rank r with baseblock b must receive, -q .. -1 except b
 * - q, and b, have slots 0 .. q - 1: v + q, and b for block b. A rank may send these once it has
 * received them, and block b - q: slot 30, which is full from the start. All other blocks have slot
 * 31. Condition 4: only blocks with a full slot are sent. Condition 3: after q rounds slots 0 .. q
 *     - 1 are full; because each round fills at most one, no block came twice and no other block
 *     came.
 *
 * p = 5, r = 3 (q = 3, b = 2): receives -2 -3 2, slots 1 0 2; sends -1 -1 -2, slots 30 30 1. */
#include "verify_schedule.h"

enum {
    AT_A_TIME = 2048, /* ranks; slots stay in the first-level cache */
    BEFORE = 30,      /* the slot of block b - q, of the phase before */
    WRONG = 31
};

/* The slot of block v for a rank with baseblock b. */
static inline uint8_t slot(int8_t v, uint8_t b, uint8_t q)
{
    const uint8_t above = (uint8_t)(v + q);
    uint8_t result = above < q ? above : WRONG;
    result = above == b ? BEFORE : result;
    return above == (uint8_t)(b + q) ? b : result;
}

/* All ranks except the root. */
__attribute__((always_inline)) static inline bool all_right(const struct rb_circulant *graph,
                                                            const struct rb_schedule_room *room)
{
    const uint8_t q = (uint8_t)graph->q;
    const size_t p = (size_t)graph->p;
    const uint32_t wanted = (1u << q) - 1u + (1u << BEFORE);
    uint32_t wrong = 0;
    for (size_t first = 1; first < p; first += AT_A_TIME) {
        const size_t count = p - first < AT_A_TIME ? p - first : AT_A_TIME;
        const uint8_t *base = (const uint8_t *)room->base + first;
        uint32_t full[AT_A_TIME]; /* the slots that are, as bits */
        uint8_t received[AT_A_TIME], sent[AT_A_TIME];
        for (size_t i = 0; i < count; i++) {
            full[i] = 1u << BEFORE;
            wrong |= base[i] >= q;
        }
        for (size_t k = 0; k < q; k++) {
            int8_t joined[AT_A_TIME];
            const int8_t *recv = rb_received(graph, room, k, first, count, joined);
            const int8_t *send = room->send + k * p + first;
            for (size_t i = 0; i < count; i++)
                sent[i] = slot(send[i], base[i], q);
            for (size_t i = 0; i < count; i++)
                received[i] = slot(recv[i], base[i], q);
            for (size_t i = 0; i < count; i++) {
                wrong |= 1u << (sent[i] & 31) & ~full[i];
                full[i] |= 1u << (received[i] & 31);
            }
        }
        for (size_t i = 0; i < count; i++)
            wrong |= full[i] ^ wanted;
    }
    return wrong == 0;
}

static bool always(void)
{
    return true;
}

static bool portable(const struct rb_circulant *graph, const struct rb_schedule_room *room)
{
    return all_right(graph, room);
}

#ifdef __x86_64__
static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2");
}

static bool has_avx512(void)
{
    return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
}

__attribute__((target("avx2"))) static bool with_avx2(const struct rb_circulant *graph,
                                                      const struct rb_schedule_room *room)
{
    return all_right(graph, room);
}

__attribute__((target("avx512bw,avx512vl"))) static bool
with_avx512(const struct rb_circulant *graph, const struct rb_schedule_room *room)
{
    return all_right(graph, room);
}
#endif

const struct rb_schedule_check rb_schedule_checks[] = {
#ifdef __x86_64__
    {"AVX-512", has_avx512, with_avx512},
    {"AVX2", has_avx2, with_avx2},
#endif
    {"portable", always, portable},
    {0},
};
