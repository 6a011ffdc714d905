/* circulant.c - the circulant graph and one rank's receive and send schedules in O(log p).
 *
 * Source: J. L. Traeff, Optimal Broadcast Schedules in Logarithmic Time, 2024, Algorithms 2 to 6.
 * Names are the paper's: p ranks, q = ceil(log2 p), skip[k], baseblock b, recvblock, sendblock.
 * Ranks here are relative to the root.
 *
 * A block number is relative to the phase of q rounds: in the phase's round k, rank r receives
 * recvblock[k] from r - skip[k] and sends sendblock[k] to r + skip[k]; negative numbers belong to
 * the phase before. The four correctness conditions (Section 2), which verify_schedule.c checks:
 *   1, 2. sendblock[k] of r is recvblock[k] of r + skip[k] (mod p);
 *   3.    over the q rounds r receives every block of -q .. -1 but b - q, and b, its baseblock;
 *   4.    r sends in round k only what it received in an earlier round of the phase, or b - q.
 *
 * p = 5 (q = 3, skips 1 2 3):
 *
 *        r:  0  1  2  3  4
 *        b:  3  0  1  2  0
 *  recv[0]: -3  0 -3 -2 -1
 *  recv[1]: -1 -1  1 -3 -2
 *  recv[2]: -2 -2 -1  2  0
 *  send[0]:  0 -3 -2 -1 -3
 *  send[1]:  1 -3 -2 -1 -1
 *  send[2]:  2  0 -2 -2 -1
 *
 * The paper's depth-first search keeps the skips not yet used in a doubly linked list and recurses;
 * here they are the bits of one word and the recursion is an explicit stack, because finding the
 * largest usable skip is then one mask and one count of leading zeros instead of a walk. The
 * literal transcription is oracle/oracle.c; both agree for all p tested there. */
#include <stddef.h>

#include "circulant_rounds.h"

int rb_circulant_init(struct rb_circulant *graph, int32_t p)
{
    if (p < 1 || p > RB_MAX_RANKS)
        return RB_EINVAL;
    graph->p = p;
    graph->q = rb_ceil_log2(p);
    /* The value is carried in a variable, not re-read from the array: gcc 12.2 at -O2
     * -march=x86-64-v3 miscompiles the loop that reads skip[k] back. */
    int32_t value = p;
    graph->skip[graph->q + 1] = p;
    for (int32_t k = graph->q; k >= 0; k--) {
        graph->skip[k] = value;
        value -= value / 2;
    }
    return RB_OK;
}

int32_t rb_circulant_baseblock(const struct rb_circulant *graph, int32_t r)
{
    int32_t rest = r; /* r less the canonical skips found so far */
    for (int32_t k = graph->q - 1; k >= 0; k--) {
        if (rest == graph->skip[k])
            return k;
        if (rest > graph->skip[k])
            rest -= graph->skip[k];
    }
    return graph->q;
}

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

/* Algorithms 4 and 5, up to and including entry last (the violations of Algorithm 6 need no more).
 *
 * The search walks from 0 towards p + r by ever smaller skips. Distances rather than positions are
 * kept: gap = (p + r) - r' to the target, room = s - r' to the rank accepted last. Invariant:
 * gap >= skip[k]. */
static void search_recv(const struct rb_circulant *graph, int32_t r, int32_t b, int32_t last,
                        int8_t block[])
{
    const int32_t q = graph->q;
    const int32_t *skip = graph->skip;
    struct {
        uint32_t skipped; /* what the suspended search added to r' */
        int32_t e;        /* the index of that skip, which it was about to accept */
    } stack[RB_MAX_Q + 2];
    int32_t depth = 0;
    uint32_t unused = ((2u << q) - 1u) & ~(1u << b);
    uint32_t below = ~0u; /* the skips that the present search may still try */
    uint32_t gap = (uint32_t)graph->p + (uint32_t)r;
    uint32_t room = 2u * (uint32_t)graph->p;
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
        block[k] = (int8_t)(e == q ? b : e - q);
        if (k == last)
            return;
        k++;
        near = far;
        far = (uint32_t)skip[k + 1];
        unused &= ~(1u << e);
        below = (1u << e) - 1u;
    }
}

void rb_circulant_recv(const struct rb_circulant *graph, int32_t r, int8_t block[])
{
    if (graph->q > 0)
        search_recv(graph, r, rb_circulant_baseblock(graph, r), graph->q - 1, block);
}

/* What the rank that r sends to in round k receives: the answer where Algorithm 6 has no rule. */
static int8_t block_of_receiver(const struct rb_circulant *graph, int32_t r, int32_t k)
{
    const int32_t to = rb_circulant_to(graph, r, k);
    int8_t block[RB_MAX_Q + 1];
    search_recv(graph, to, rb_circulant_baseblock(graph, to), k, block);
    return block[k];
}

void rb_circulant_send(const struct rb_circulant *graph, int32_t r, int8_t block[])
{
    const int32_t q = graph->q;
    const int32_t *skip = graph->skip;
    if (r == 0) {
        for (int32_t k = 0; k < q; k++)
            block[k] = (int8_t)k;
        return;
    }
    const int32_t b = rb_circulant_baseblock(graph, r);
    int32_t rest = r; /* r': r within the part of size e that it is in at this level */
    int32_t c = b;    /* what ranks of this part send by default */
    int32_t e = graph->p;
    for (int32_t k = q - 1; k >= 1; k--) {
        bool ruled;
        if (rest < skip[k]) { /* lower part */
            ruled = rest + skip[k] < e || e < skip[k - 1] || (k == 1 && b > 0);
            block[k] = ruled ? (int8_t)c : block_of_receiver(graph, r, k);
            if (e > skip[k])
                e = skip[k];
        } else { /* upper part */
            c = k - q;
            ruled = k == 1 || rest > skip[k] || e - skip[k] < skip[k - 1] || rest + skip[k] <= e;
            block[k] = ruled ? (int8_t)c : block_of_receiver(graph, r, k);
            rest -= skip[k];
            e -= skip[k];
        }
    }
    block[0] = (int8_t)(b - q);
}
