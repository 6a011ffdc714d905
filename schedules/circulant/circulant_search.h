/* circulant_search.h - the depth-first search for parts of receive schedules (circulant_search.c).
 */
#ifndef RB_SCHEDULES_CIRCULANT_CIRCULANT_SEARCH_H
#define RB_SCHEDULES_CIRCULANT_CIRCULANT_SEARCH_H

#include "roundabout.h"

/* The set of indices e with skip[e] <= limit, as bits. Because 2^(e-1) < skip[e] <= 2^e, it
 * contains all e up to floor(log2 limit), and at most the next e besides. */
static inline uint32_t rb_circulant_skips_up_to(const struct rb_circulant *graph, uint32_t limit)
{
    if (limit == 0)
        return 0;
    const int32_t floor_log = 31 - __builtin_clz(limit);
    const uint32_t next_too = (uint32_t)graph->skip[floor_log + 1] <= limit;
    return ((2u << floor_log) - 1u) | (next_too << (floor_log + 1));
}

/* Case (c) of circulant.c: index[k] - q, for h < k <= last, is what a rank with these h and m
 * receives in round k. Here h + 1 < m, last <= m, and last < q. O(q), no allocation. */
void rb_circulant_search(const struct rb_circulant *graph, int32_t m, int32_t h, int32_t last,
                         int8_t index[]);

#endif
