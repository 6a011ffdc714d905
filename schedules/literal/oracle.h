/* oracle.h - the paper's Algorithms 2 to 6 transcribed literally, as a second opinion.
 *
 * The core is compared with it, and measured against it; nothing of the core depends on it. Source:
 * J. L. Traeff, Optimal Broadcast Schedules in Logarithmic Time, 2024. Ranks are relative to the
 * root, 0 <= r < p, 1 <= p <= 2^30. Arrays of blocks belong to the caller and have q entries. */
#pragma once

#include <stdint.h>

struct oracle {
    int32_t p, q;
    int64_t skip[33]; /* skip[0..q], skip[q] = p */
    /* The quantities that the paper bounds, for the last schedule that was computed with
     * counting. */
    int32_t calls;      /* recursive calls of Algorithm 4, the first one not counted (Lemma 5) */
    int32_t iterations; /* of its loop, over all calls (Lemma 6) */
    int32_t outside;    /* ranks found that are not in the interval that Lemma 4 states */
    int32_t violations; /* of Algorithm 6: entries taken from a receive schedule (Theorem 3) */
};

/* Algorithm 2. O(log p). */
void oracle_init(struct oracle *oracle, int32_t p);
/* Algorithm 3: the first block that r receives; q for r = 0. O(log p). */
int32_t oracle_baseblock(const struct oracle *oracle, int32_t r);

/* Algorithms 4 and 5, and Algorithm 6: block[k] is the block that r receives, or sends, in round k.
 * Nothing is counted, so these functions can be timed. O(log p). */
void oracle_recv(const struct oracle *oracle, int32_t r, int32_t block[]);
void oracle_send(const struct oracle *oracle, int32_t r, int32_t block[]);

/* The same source compiled to count: oracle_recv_counting sets calls, iterations and outside
 * (nothing is called for p = 1), oracle_send_counting sets violations and leaves the others those
 * of its last violation. */
void oracle_recv_counting(struct oracle *oracle, int32_t r, int32_t block[]);
void oracle_send_counting(struct oracle *oracle, int32_t r, int32_t block[]);
