/* oracle.c - Algorithms 2 to 6 of J. L. Traeff, Optimal Broadcast Schedules in Logarithmic Time
 * (2024), transcribed literally, with recursion and the doubly linked list. They are simple on
 * purpose, because the core's own schedules are compared with them.
 *
 * The file is compiled twice. With ORACLE_COUNTING it defines the functions with that suffix, which
 * count the quantities that the paper bounds; without it, it defines all others, in which counting
 * costs nothing. */
#include "schedules/literal/oracle.h"

#include <string.h>

#ifdef ORACLE_COUNTING
#define VARIANT(name)              name##_counting
#define COUNT(oracle, what)        ((oracle)->what++)
#define RESET(oracle, what, value) ((oracle)->what = (value))
typedef struct oracle oracle_of_variant;
#else
#define VARIANT(name)              name
#define COUNT(oracle, what)        ((void)0)
#define RESET(oracle, what, value) ((void)0)
typedef const struct oracle oracle_of_variant;
#endif

struct search {
    oracle_of_variant *oracle;
    int32_t r;
    int32_t next_[34], prev_[34]; /* index shifted by one, so that -1 exists */
    int32_t *block;
};

#ifndef ORACLE_COUNTING
void oracle_init(struct oracle *oracle, int32_t p)
{
    memset(oracle, 0, sizeof *oracle);
    oracle->p = p;
    while (((int64_t)1 << oracle->q) < p)
        oracle->q++;
    int64_t skip = p;
    for (int32_t k = oracle->q; k >= 0; k--) {
        oracle->skip[k] = skip;
        skip = (skip + 1) / 2;
    }
}

int32_t oracle_baseblock(const struct oracle *oracle, int32_t r)
{
    int32_t k = oracle->q;
    int64_t reached = 0;
    while (k > 0) {
        k--;
        if (reached + oracle->skip[k] == r)
            return k;
        if (reached + oracle->skip[k] < r)
            reached += oracle->skip[k];
    }
    return oracle->q;
}
#endif

static void unlink_skip(struct search *search, int32_t e)
{
    int32_t *next = search->next_ + 1, *prev = search->prev_ + 1;
    next[prev[e]] = next[e];
    prev[next[e]] = prev[e];
}

static int32_t allblocks(struct search *search, int64_t reached, int64_t s, int32_t e, int32_t k)
{
    const int64_t *skip = search->oracle->skip;
    const int64_t r = (int64_t)search->oracle->p + search->r;
    COUNT(search->oracle, calls);
    while (e != -1) {
        COUNT(search->oracle, iterations);
        if (reached + skip[e] <= r - skip[k] && reached + skip[e] < s) {
            if (reached + skip[e] <= r - skip[k + 1])
                k = allblocks(search, reached + skip[e], s, e, k);
            if (k == search->oracle->q || reached > r - skip[k + 1])
                return k;
            s = reached + skip[e];
            if (s < r - skip[k + 1] || s > r - skip[k])
                COUNT(search->oracle, outside);
            search->block[k] = e;
            k++;
            unlink_skip(search, e);
            if (k == search->oracle->q)
                return k;
        }
        e = search->next_[e + 1];
    }
    return k;
}

void VARIANT(oracle_recv)(oracle_of_variant *oracle, int32_t r, int32_t block[])
{
    int32_t q = oracle->q;
    struct search search = {.oracle = oracle, .r = r, .block = block};
    int32_t *next = search.next_ + 1, *prev = search.prev_ + 1;
    for (int32_t e = 0; e <= q; e++) {
        next[e] = e - 1;
        prev[e] = e + 1;
    }
    prev[q] = -1;
    next[-1] = q;
    prev[-1] = 0;
    int32_t b = oracle_baseblock(oracle, r);
    unlink_skip(&search, b);
    RESET(oracle, calls, -1); /* count the recursive ones only */
    RESET(oracle, iterations, 0);
    RESET(oracle, outside, 0);
    allblocks(&search, 0, 2 * (int64_t)oracle->p, q, 0);
    for (int32_t k = 0; k < q; k++)
        block[k] = block[k] == q ? b : block[k] - q;
}

void VARIANT(oracle_send)(oracle_of_variant *oracle, int32_t r, int32_t block[])
{
    int32_t q = oracle->q, other[33];
    const int64_t *skip = oracle->skip;
    RESET(oracle, violations, 0);
    if (r == 0) {
        for (int32_t k = 0; k < q; k++)
            block[k] = k;
        return;
    }
    int32_t b = oracle_baseblock(oracle, r);
    int64_t rest = r, e = oracle->p;
    int32_t c = b;
    for (int32_t k = q - 1; k >= 1; k--) {
        int32_t to = (int32_t)((r + skip[k]) % oracle->p);
        if (rest < skip[k]) {
            if (rest + skip[k] < e || e < skip[k - 1] || (k == 1 && b > 0)) {
                block[k] = c;
            } else {
                VARIANT(oracle_recv)(oracle, to, other);
                block[k] = other[k];
                COUNT(oracle, violations);
            }
            if (e > skip[k])
                e = skip[k];
        } else {
            c = k - q;
            if (k == 1 || rest > skip[k] || e - skip[k] < skip[k - 1]) {
                block[k] = c;
            } else if (rest + skip[k] > e) {
                VARIANT(oracle_recv)(oracle, to, other);
                block[k] = other[k];
                COUNT(oracle, violations);
            } else {
                block[k] = c;
            }
            rest -= skip[k];
            e -= skip[k];
        }
    }
    block[0] = b - q;
}
