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
 * Most entries need no search. Write r as a sum of skips, greedily: r uses skip[j] if what larger
 * skips leave of it is at least skip[j]. Let odd[j] be the number of odd skips among skip[1] ..
 * skip[j]. For round k, let skip[j] be the smallest skip larger than skip[k] that r uses (j = q if
 * there is none), rest what is then left of r, and skip[h] the largest skip <= rest (h = -1 if rest
 * is 0), so that h <= k. Then r receives
 *
 *   (a) if k = h, that is, if r uses skip[k]: block j - q; or b, if j = q;
 *   (b) if k > h and rest >= odd[j] - odd[h + 1]: block k - q;
 *   (c) if k > h and rest < odd[j] - odd[h + 1]: let skip[m] be the odd skip with odd[j] - odd[m] =
 *       rest. If k > m, block k - q; else what a search for rounds h + 1 .. m finds, which depends
 *       on h and m alone.
 *
 * p = 5, odd[0 .. 3] = 0 0 1 2. r = 4 = 3 + 1: (a) round 0, block 2 - q = -1, and round 2, b = 0;
 * (b) round 1, as rest = 1 = odd[2] - odd[1], block -2. r = 1: (a) round 0, b = 0; (c) rounds 1 and
 * 2, as rest = 1 < odd[3] - odd[1], with m = 2.
 *
 * In round k, r sends what r + skip[k] receives. The loop of Algorithm 6 goes down from k = q - 1
 * and keeps the part of the ranks that use the same skips above skip[k] as r does: e of them, of
 * which r has r' before it. If r' < skip[k], r is in the lower part, and where r' + skip[k] < e the
 * receiver is in the same part, uses skip[k], and (a) says what it receives. Otherwise the receiver
 * is behind the part. If r is in the upper part, (b) applies, or (c) with k > m: block k - q,
 * except for r' = skip[k] and where the next part is so small that it ends before the receiver. If
 * r is in the lower part, (c) applies with k < m. These lower parts and exceptions are the
 * violations of Algorithm 6: the receiver's entry is computed. In round 0, r sends block b - q
 * (condition 4).
 *
 * docs/core.md proves all this from the paper's Lemma 4 and Theorem 2; the names are the same
 * there. tests/schedules/test_schedule_proof.c checks every step of the proof by the literal
 * algorithms. */
#include "circulant.h"

#include <stdlib.h>
#include <string.h>

#include "roundabout.h"

/* ---- The depth-first search for parts of receive schedules -------------- */

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

/* The part of a receive schedule that takes a depth-first search.
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
 *   4. The search starts not with round 0 at rank 0, but where (c) above begins: at round
 *      h + 1, at the distance where the algorithm is bound to arrive, with the skips that are left.
 *
 * Each turn of the loop suspends a call or accepts a skip. So there are at most 2q: a call is
 * suspended where the paper recurses, at most q - 1 times (Lemma 5).
 *
 * p = 5, r = 1 (skips 1 2 3 5; h = 0, m = 2): skips 2 and 3 are left, the gap is 2 * 3 = 6.
 *   round 1: 3 leaves a gap of 3 and may go on, but 2 more leave 1 < skip[1]: 3, index 2, block -1;
 *   round 2: 2 leaves a gap of 4, and skip[2] <= 4 < skip[3]: index 1, block -2. */

/* Case (c) above: index[k] - q, for h < k <= last, is what a rank with these h and m
 * receives in round k. Here h + 1 < m, last <= m, and last < q. O(q), no allocation. Invariant:
 * gap >= skip[k]. */
static void circulant_search(const struct rb_circulant *graph, int32_t m, int32_t h, int32_t last,
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

/* ---- Baseblocks and schedules of one rank ---------------------------------------------------- */

enum { NOT_NEXT = -1 };

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
    int32_t odd = 0;
    graph->odd[0] = 0;
    for (int32_t k = 1; k <= graph->q; k++) {
        odd += graph->skip[k] % 2;
        graph->odd[k] = odd;
        if (graph->skip[k] % 2 == 1)
            graph->odd_at[odd] = k;
    }
    graph->low = 0;
    while (graph->skip[graph->low] <= odd)
        graph->low++;
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

/* Whether a rank uses a skip is as good as random: branches on it would be mispredicted half the
 * time. So conditions are masks, all ones or 0. */

/* a < b, for |a - b| < 2^31. */
static inline uint32_t less(int32_t a, int32_t b)
{
    return 0u - (((uint32_t)a - (uint32_t)b) >> 31);
}

static inline int32_t choose(uint32_t condition, int32_t yes, int32_t no)
{
    return (int32_t)((uint32_t)no ^ (((uint32_t)yes ^ (uint32_t)no) & condition));
}

/* The index of the largest skip <= rest, or -1. */
static inline int32_t largest_skip(const struct rb_circulant *graph, int32_t rest)
{
    return rest == 0 ? -1 : 31 - __builtin_clz(rb_circulant_skips_up_to(graph, (uint32_t)rest));
}

void rb_circulant_recv(const struct rb_circulant *graph, int32_t r, int8_t block[])
{
    const int32_t q = graph->q, *skip = graph->skip, *odd = graph->odd;
    int32_t rest = r, j = q, k = q - 1;
    uint32_t used = 1u << q, irregular = 0; /* bit j: (c) holds between j and the next index used */
    int32_t rest_after[RB_MAX_Q + 1];       /* the rest that belongs to such a j */
    for (; k >= graph->low; k--) { /* where skip[k] is used, rest >= skip[k] > odd[q]: not (c) */
        const uint32_t use = ~less(rest, skip[k]);
        block[k] = (int8_t)(choose(use, j, k) - q); /* (a), for b 0 for now; (b) */
        used |= (1u << k) & use;
        rest -= (int32_t)((uint32_t)skip[k] & use);
        j = choose(use, k, j);
    }
    int32_t odd_j = odd[j];
    rest_after[j] = rest;
    for (; k >= 0; k--) {
        const uint32_t use = ~less(rest, skip[k]);
        block[k] = (int8_t)(choose(use, j, k) - q);
        irregular |= (1u << j) & use & less(rest, odd_j - odd[k + 1]);
        used |= (1u << k) & use;
        rest -= (int32_t)((uint32_t)skip[k] & use);
        rest_after[k] = rest;
        j = choose(use, k, j);
        odd_j = choose(use, odd[k], odd_j);
    }
    irregular |= (1u << j) & less(0, odd_j);
    for (; irregular != 0; irregular &= irregular - 1u) { /* (c) */
        j = __builtin_ctz(irregular);
        const int32_t h = largest_skip(graph, rest_after[j]);
        const int32_t m = graph->odd_at[odd[j] - rest_after[j]], last = m < j ? m : j - 1;
        circulant_search(graph, m, h, last, block);
        for (k = h + 1; k <= last; k++)
            block[k] = (int8_t)(block[k] - q);
    }
    if (r > 0) /* (a), for the largest skip used: b */
        block[31 - __builtin_clz(used ^ 1u << q)] = (int8_t)__builtin_ctz(used);
}

/* (b) and (c): the block received in round k by a rank that has this j and rest < skip[k]. */
static int8_t block_of_unused(const struct rb_circulant *graph, int32_t j, int32_t rest, int32_t k)
{
    const int32_t h = largest_skip(graph, rest);
    if (rest >= graph->odd[j] - graph->odd[h + 1])
        return (int8_t)(k - graph->q);
    const int32_t m = graph->odd_at[graph->odd[j] - rest];
    if (k > m)
        return (int8_t)(k - graph->q);
    int8_t index[RB_MAX_Q];
    circulant_search(graph, m, h, k, index);
    return (int8_t)(index[k] - graph->q);
}

/* The block that rank r receives in round k. */
static int8_t block_in_round(const struct rb_circulant *graph, int32_t r, int32_t k)
{
    int32_t rest = r, j = graph->q;
    for (int32_t i = graph->q - 1; i > k; i--) {
        const uint32_t use = ~less(rest, graph->skip[i]);
        rest -= (int32_t)((uint32_t)graph->skip[i] & use);
        j = choose(use, i, j);
    }
    if (rest < graph->skip[k])
        return block_of_unused(graph, j, rest, k);
    return (int8_t)(j == graph->q ? rb_circulant_baseblock(graph, r) : j - graph->q);
}

/* The position of round k's receiver behind the sender's part, for small k. */
struct receivers {
    int32_t behind[RB_MAX_Q]; /* how many ranks behind the end of the part */
    int32_t next[RB_MAX_Q];   /* its j if it is in the next part; otherwise NOT_NEXT */
};

/* Sets the blocks that r sends in rounds decided by (a) or (b). Returns the other rounds as bits;
 * these need the receiver's entry. */
static uint32_t default_blocks(const struct rb_circulant *graph, int32_t r, int8_t block[],
                               struct receivers *receivers)
{
    const int32_t q = graph->q, low = graph->low;
    const int32_t *skip = graph->skip;
    uint32_t used = 0, open = 0;
    int32_t rest = r;     /* r', r within the part of size e that it is in at this level */
    int32_t e = graph->p; /* the root's part is all */
    int32_t c = q;        /* the smallest index used so far: (a); q stands for b */
    int32_t k = q - 1;
    for (; k > low; k--) {
        const int32_t upper = e - skip[k]; /* the size of the upper part */
        const uint32_t lower = less(rest, skip[k]);
        open |= (1u << k) & ~less(rest, upper) & less(rest, skip[k] + (skip[k] & 1));
        used |= (1u << k) & ~lower;
        c = choose(lower, c, k);
        block[k] = (int8_t)(c - q);
        e = choose(lower, skip[k], upper);
        rest -= (int32_t)((uint32_t)skip[k] & ~lower);
    }
    /* Below, upper parts may be missing, and the next part may be small. It starts where the upper
     * part starts next to the last lower part that r was in. */
    int32_t next = k + 1 + __builtin_ctz(~(used >> (k + 1)));
    next = next < q ? next : q;
    int32_t next_size = graph->p; /* or less, but more than skip[low] */
    for (; k >= 1; k--) {
        const int32_t upper = e - skip[k]; /* none if negative */
        const uint32_t lower = less(rest, skip[k]);
        const int32_t behind = rest - upper;
        const uint32_t known = less(behind, next_size);
        open |= (1u << k) & ~less(behind, choose(lower, 0, next_size));
        open |= (1u << k) & ~lower & less(rest, skip[k] + (skip[k] & 1));
        receivers->behind[k] = behind;
        receivers->next[k] = choose(known, next, NOT_NEXT);
        used |= (1u << k) & ~lower;
        c = choose(lower, c, k);
        block[k] = (int8_t)(c - q);
        next = choose(lower, k, next);
        next_size = choose(lower, upper < 0 ? 0 : upper, next_size);
        e = choose(lower, upper < 0 ? e : skip[k], upper);
        rest -= (int32_t)((uint32_t)skip[k] & ~lower);
    }
    used |= (uint32_t)rest; /* 0 or skip[0] */
    const int32_t b = __builtin_ctz(used);
    block[0] = (int8_t)(b - q);
    for (k = 32 - __builtin_clz(used); k < q; k++)
        block[k] = (int8_t)b;
    return open;
}

void rb_circulant_send(const struct rb_circulant *graph, int32_t r, int8_t block[])
{
    if (r == 0) {
        for (int32_t k = 0; k < graph->q; k++)
            block[k] = (int8_t)k;
        return;
    }
    struct receivers receivers;
    uint32_t open = default_blocks(graph, r, block, &receivers);
    for (; open != 0; open &= open - 1u) {
        const int32_t k = __builtin_ctz(open);
        if (k > graph->low || receivers.next[k] == NOT_NEXT)
            block[k] = block_in_round(graph, rb_circulant_to(graph, r, k), k);
        else
            block[k] = block_of_unused(graph, receivers.next[k], receivers.behind[k], k);
    }
}

/* ---- The number of rounds, n - 1 + q, and the virtual ones before the first ------------------ */

int rb_circulant_rounds_init(struct rb_plan *plan, char *why, size_t why_size)
{
    const int status = rb_need_one_port(plan, why, why_size);
    if (status == RB_OK)
        rb_circulant_rounds_over(plan, plan->p);
    return status;
}

void rb_circulant_rounds_over(struct rb_plan *plan, int32_t nodes)
{
    if (rb_circulant_init(&plan->data.circulant.graph, nodes) != RB_OK || nodes == 1)
        return;
    const int64_t q = plan->data.circulant.graph.q;
    plan->rounds = plan->n - 1 + q;
    plan->data.circulant.reciprocal = ((UINT64_C(1) << 36) + (uint64_t)q - 1) / (uint64_t)q;
    plan->data.circulant.virtual_rounds = (q - (plan->n - 1) % q) % q;
}

int rb_circulant_rounds_table(struct rb_plan *plan, char *why, size_t why_size)
{
    const struct rb_circulant *graph = &plan->data.circulant.graph;
    const size_t nodes = (size_t)graph->p, q = (size_t)graph->q;
    int8_t *table = malloc((q + 1) * nodes);
    if (table == NULL)
        return rb_why(why, why_size, RB_ENOMEM, "out of memory for the schedules of %d %s",
                      (int)graph->p, graph->p == plan->p ? "ranks" : "groups");
    rb_circulant_table(graph, table + q * nodes, NULL, table);
    plan->data.circulant.table = table;
    return RB_OK;
}

/* ---- All ranks at once ----------------------------------------------------------------------- */

/* The circulant schedules of all ranks at once, at the speed of memcpy.
 *
 * Source: the schedules are those of J. L. Traeff, Optimal Broadcast Schedules in Logarithmic
 * Time, 2024, Algorithms 3 to 6, entry by entry; the structure used here is not in the paper, but
 * docs/core.md proves it from the paper.
 *
 * Write r greedily as a sum of skips: r uses skip[j] if the remainder after all larger skips is at
 * least skip[j]. Then the ranks below skip[j + 1] are those below skip[j] and, from skip[j] on, a
 * copy of the first skip[j + 1] - skip[j] of these, which also use skip[j]. In round k a rank
 * sends the block of the smallest skip that it uses from skip[k] on (block j - q for skip[j]);
 * smaller skips do not matter. So row k of the send schedules is made by doubling, for j = k .. q
 * - 1:
 *
 *   ranks 0 .. skip[k] - 1                 send their baseblocks (the root: block k);
 *   ranks skip[j] .. skip[j] + skip[k] - 1 send block j - q;
 *   ranks skip[j] + skip[k] ..             send what the ranks skip[j] before them send.
 *
 * Row k of the receive schedules is the same row, rotated by skip[k] (conditions 1 and 2).
 *
 * If p is a power of two, this is all. Otherwise each odd skip[j] makes the copy that ends before
 * rank skip[j] one rank short, and with it every smaller part that ends there. Let odd[j] be the
 * number of odd skips among skip[1] .. skip[j]: the ranks skip[j] + o with o < odd[j] (rank p is
 * rank 0) would be sent one block twice and another never. Algorithms 4 and 5 give what they
 * receive, and so what the ranks skip[k] before them send: these entries, at most j odd[j] for
 * each odd skip[j], are corrected before the rows are copied further. One of them must override
 * the second line above: if skip[k + 1] is odd, rank skip[k] - 1 sends to the first rank behind
 * its part, and so do its copies. The first ranks, more than odd[q] and at most 2 odd[q], get
 * single schedules, which saves the corrections of small skips.
 *
 * Row 1 for p = 11 (q = 4, skips 1 2 3 6 11). What is below skip[3] = 6 are single schedules;
 * ranks 6 and 7 send 3 - q, but rank 7, like rank 1, sends to the first rank of the next part: -4;
 * ranks 8 to 10 copy 2 to 4; because p is odd, rank 10 sends what rank 1 receives, -2:
 *
 *        r:  0  1  2  3  4  5  6  7  8  9 10
 *  send[1]:  1 -4 -3 -2 -4 -3 -1 -4 -3 -2 -2
 *
 * docs/core.md proves all this, so no plan must check the table that it makes. `verify
 * --schedules` checks the four conditions in O(p log p) (verify_schedule.c), and that single
 * schedules equal the table. tests/schedules/test_schedule_table.c compares all entries with those
 * of the literal algorithms.
 *
 * Fast, because nearly all bytes, 2q + 1 per rank, are written by memcpy and memset. */

/* Receive blocks of the ranks for which the doubling is wrong: [j][o][k] is for rank skip[j] + o in
 * round k. */
typedef int8_t corrections[RB_MAX_Q + 1][RB_MAX_Q][RB_MAX_Q];

static void compute_corrections(const struct rb_circulant *graph, corrections correct)
{
    for (int32_t j = graph->low + 1; j <= graph->q; j++) {
        const int32_t at = j == graph->q ? 0 : graph->skip[j];
        for (int32_t o = 0; graph->skip[j] % 2 == 1 && o < graph->odd[j]; o++)
            rb_circulant_recv(graph, at + o, correct[j][o]);
    }
}

/* Row k of the send schedules, of which the ranks below skip[first] are there already. */
static void double_row(const struct rb_circulant *graph, corrections correct, int32_t k,
                       int32_t first, int8_t row[])
{
    const int32_t *skip = graph->skip;
    const size_t below = (size_t)skip[k];
    for (int32_t j = first; j < graph->q; j++) {
        int8_t *copy = row + skip[j];
        const size_t length = (size_t)(skip[j + 1] - skip[j]);
        memset(copy, j - graph->q, length < below ? length : below);
        if (length >= below && skip[k + 1] % 2 == 1)
            copy[below - 1] = row[below - 1];
        if (length > below)
            memcpy(copy + below, row + below, length - below);
        if (skip[j + 1] % 2 == 0)
            continue;
        int8_t *last = row + (skip[j + 1] - skip[k]); /* sends to rank skip[j + 1] */
        for (int32_t o = 0; o < graph->odd[j + 1] && o < skip[k]; o++)
            last[o] = correct[j + 1][o][k];
    }
}

void rb_circulant_table(const struct rb_circulant *graph, int8_t base[], int8_t recv[],
                        int8_t send[])
{
    const size_t p = (size_t)graph->p;
    const int32_t q = graph->q, *skip = graph->skip;
    base[0] = (int8_t)q;
    for (int32_t j = 0; j < q; j++) {
        base[skip[j]] = (int8_t)j;
        memcpy(base + skip[j] + 1, base + 1, (size_t)(skip[j + 1] - skip[j] - 1));
    }
    const int32_t first = graph->low;
    corrections correct; /* 28 KB */
    compute_corrections(graph, correct);
    for (int32_t r = 0; r < skip[first]; r++) {
        int8_t block[RB_MAX_Q + 1];
        rb_circulant_send(graph, r, block);
        for (int32_t k = 0; k < first; k++)
            send[(size_t)k * p + (size_t)r] = block[k];
    }
    for (int32_t k = 0; k < q; k++, send += p) {
        const size_t below = (size_t)skip[k];
        if (k >= first) {
            memcpy(send, base, below);
            send[0] = (int8_t)k;
        }
        double_row(graph, correct, k, k < first ? first : k, send);
        if (recv == NULL)
            continue;
        memcpy(recv, send + (p - below), below);
        memcpy(recv + below, send, p - below);
        recv += p;
    }
}
