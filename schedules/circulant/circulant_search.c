/* circulant_search.c - the part of a receive schedule that takes a depth-first search.
 *
 * Source: J. L. Traeff, Optimal Broadcast Schedules in Logarithmic Time, 2024, Algorithm 4.
 *
 * To find what r receives in round k, the algorithm walks from rank 0 towards T = p + r by ever
 * smaller skips, to a rank s with skip[k] <= T - s <= skip[k + 1], before the rank that it found
 * for round k - 1. The last skip of the walk is the answer; no later walk may use it. The paper
 * keeps the remaining skips in a doubly linked list and recurses. This file does the same, with
 * four changes:
 *
 *   1. Which skips a call of the algorithm may take next, for k as it is, are all up to a limit. So
 *      the first in the list that it may take is the largest; and the list is the bits of a word,
 *      where the largest is found by one count of leading zeros, not by a walk along the list.
 *   2. The recursion is an explicit stack of what a suspended call was about to accept.
 *   3. Positions are kept as distances: gap = T - r' to the target, room = s - r' to the rank found
 *      last. A call that returns adds the skip back to both.
 *   4. The search starts not with round 0 at rank 0, but where (c) of circulant.c begins: at round
 *      h + 1, at the distance where the algorithm is bound to arrive, with the skips that are left.
 *
 * Each turn of the loop suspends a call or accepts a skip. So there are at most 2q: a call is
 * suspended where the paper recurses, at most q - 1 times (Lemma 5).
 *
 * p = 5, r = 1 (skips 1 2 3 5; h = 0, m = 2): skips 2 and 3 are left, the gap is 2 * 3 = 6.
 *   round 1: 3 leaves a gap of 3 and may go on, but 2 more leave 1 < skip[1]: 3, index 2, block -1;
 *   round 2: 2 leaves a gap of 4, and skip[2] <= 4 < skip[3]: index 1, block -2. */
#include "circulant_search.h"

/* Invariant: gap >= skip[k]. */
void rb_circulant_search(const struct rb_circulant *graph, int32_t m, int32_t h, int32_t last,
                         int8_t index[])
{
    struct {
        uint32_t skipped; /* the skip that the suspended search added to r' */
        int32_t e;        /* the index of that skip, which it was about to accept */
    } stack[RB_MAX_Q + 2];
    const int32_t *skip = graph->skip;
    int32_t depth = 0;
    uint32_t unused = (2u << m) - (1u << (h + 1));
    uint32_t below = ~0u; /* the skips that the present search may still try */
    uint32_t gap = 2u * (uint32_t)skip[m];
    uint32_t room = gap + 1;
    uint32_t near = (uint32_t)skip[h + 1], far = (uint32_t)skip[h + 2];

    for (int32_t k = h + 1;;) {
        const uint32_t limit = gap - near < room ? gap - near : room - 1;
        const uint32_t set = unused & below & rb_circulant_skips_up_to(graph, limit);
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
