/* circulant_search.c - the receive schedule of one rank by depth-first search.
 *
 * Source: J. L. Traeff, Optimal Broadcast Schedules in Logarithmic Time, 2024, Algorithms 4 and 5.
 *
 * For round k the search walks from 0 by ever smaller skips, of which each stands for a block and
 * may end one walk only, to a rank beyond p + r - skip[k + 1] and not beyond p + r - skip[k]; the
 * skip that takes it there is the answer. It goes on from there for k + 1. The paper keeps the
 * skips that are left in a doubly linked list and recurses; here they are the bits of one word and
 * the recursion is an explicit stack, because finding the largest usable skip is then one mask and
 * one count of leading zeros instead of a walk.
 *
 * p = 5, r = 3, b = 2 (skips 1 2 3 5; skip[b] is left out):
 *   round 0: beyond 6, not beyond 7: 7 = 5 + 2, index 1, block -2;
 *   round 1: beyond 5, not beyond 6: 6 = 5 + 1, index 0, block -3;
 *   round 2: beyond 3, not beyond 5: 5, index 3 = q, which stands for b: block 2. */
#include "circulant_search.h"

#include "roundabout.h"

/* The set of indices e with skip[e] <= limit, as bits. Because 2^(e-1) < skip[e] <= 2^e, all up to
 * floor(log2 limit) belong to it, and of the others at most the next. */
static inline uint32_t usable(const int32_t skip[], uint32_t limit)
{
    if (limit == 0)
        return 0;
    const int32_t floor_log = 31 - __builtin_clz(limit);
    const uint32_t next_too = (uint32_t)skip[floor_log + 1] <= limit;
    return ((2u << floor_log) - 1u) | (next_too << (floor_log + 1));
}

/* Distances rather than positions are kept: gap = (p + r) - r' to the target, room = s - r' to the
 * rank accepted last. Invariant: gap >= skip[k]. */
void rb_circulant_search(const int32_t skip[], int32_t q, int32_t r, int32_t b, int32_t last,
                         int8_t index[])
{
    struct {
        uint32_t skipped; /* what the suspended search added to r' */
        int32_t e;        /* the index of that skip, which it was about to accept */
    } stack[RB_MAX_Q + 2];
    int32_t depth = 0;
    uint32_t unused = ((2u << q) - 1u) & ~(1u << b);
    uint32_t below = ~0u; /* the skips that the present search may still try */
    uint32_t gap = (uint32_t)skip[q] + (uint32_t)r;
    uint32_t room = 2u * (uint32_t)skip[q];
    uint32_t near = (uint32_t)skip[0], far = (uint32_t)skip[1]; /* skip[k], skip[k + 1] */

    for (int32_t k = 0;;) {
        const uint32_t limit = gap - near < room ? gap - near : room - 1;
        const uint32_t set = unused & below & usable(skip, limit);
        int32_t e;
        if (set != 0) {
            e = 31 - __builtin_clz(set);
            if (gap - (uint32_t)skip[e] >= far) {
                /* There may be an intermediate rank closer to the target: look for it first. */
                stack[depth].skipped = (uint32_t)skip[e];
                stack[depth].e = e;
                depth++;
                gap -= (uint32_t)skip[e];
                room -= (uint32_t)skip[e];
                below = (2u << e) - 1u;
                continue;
            }
        } else {
            depth--;
            gap += stack[depth].skipped;
            room += stack[depth].skipped;
            e = stack[depth].e;
        }
        /* Back from a search that went too far for this k: accept in an earlier one. */
        while (gap < far) {
            depth--;
            gap += stack[depth].skipped;
            e = stack[depth].e;
        }
        room = (uint32_t)skip[e];
        index[k] = (int8_t)e;
        if (k == last)
            return;
        k++;
        near = far;
        far = (uint32_t)skip[k + 1];
        unused &= ~(1u << e);
        below = (1u << e) - 1u;
    }
}
