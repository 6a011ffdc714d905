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
 * Most receive schedules need no search. Write r as a sum of skips, greedily: r uses skip[j] if
 * what larger skips leave of it is at least skip[j]. The rule: if r uses skip[k], it receives in
 * round k the block of the next larger skip that it uses (block j - q for skip[j]; b if there is
 * none), else block k - q. p = 5, r = 4 = 3 + 1: uses skip[0] and skip[2], so it receives 2 - q =
 * -1, 1 - q = -2, and b = 0.
 *
 * It fails only where odd skips have shifted the parts of the graph against each other. Let r use
 * skip[j] (or j = q) and then none down to skip[k], let `rest` be what is left of r there, and
 * odd[j] the number of odd skips among skip[1] .. skip[j]. The rule fails in the rounds below j if
 * and only if rest < odd[j] - odd[k] for such a j and k, the largest such j. What r receives in
 * these is what rank `rest` receives on the circulant graph with skip[j] ranks: as rest is small,
 * so is j mostly, and the search is short. p = 5: odd[3] = 2, so with j = 3 all rounds of ranks 0
 * (rest = 0) and 1 (rest = 1, odd[3] - odd[1] = 2) are searched, and with j = 2, as odd[2] = 1,
 * rounds 0 and 1 of rank 3; ranks 2 and 4 follow the rule.
 *
 * None of this is proved: it is observed. All entries of receive and send schedules were compared
 * with the literal algorithms' for p <= 20000; for p = 2^m + 2^j and 2^m - 2^j, one more and one
 * less, and for random p, all up to 2^30, those of ranks close to sums of few skips, where it fails
 * if it does, and of random ones. tests/test_schedules.c and tests/test_schedule_table.c compare
 * fewer; verify_schedule.c checks the four conditions.
 *
 * The send schedule is Algorithm 6 as it stands. A violation is answered by one receiver's
 * schedule, up to the entry wanted, from above. */
#include <stddef.h>

#include "circulant_rounds.h"
#include "circulant_search.h"

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

/* r as a sum of skips, and where the rule holds. */
struct sum {
    uint32_t used;    /* bit k: r uses skip[k]; bit q is set, too */
    int32_t searched; /* the rule fails in rounds below this one, */
    int32_t rest;     /* and this is left of r from there on */
};

static struct sum sum_of_skips(const struct rb_circulant *graph, int32_t r)
{
    const int32_t *skip = graph->skip, *odd = graph->odd;
    int32_t rest = r, k = graph->q - 1;
    uint32_t used = 1u << graph->q;
    for (; k >= graph->low; k--) { /* here the rest is larger than any odd[j] */
        const uint32_t use = ~less(rest, skip[k]);
        used |= (1u << k) & use;
        rest -= (int32_t)((uint32_t)skip[k] & use);
    }
    int32_t rest_after[RB_MAX_Q + 1];
    int32_t j = k + 1 + __builtin_ctz(used >> (k + 1)); /* the smallest index used so far */
    int32_t odd_j = odd[j];
    uint32_t fails = 0; /* bit j: between j and the next smaller index used */
    rest_after[j] = rest;
    for (; k >= 0; k--) {
        const uint32_t use = ~less(rest, skip[k]);
        fails |= (1u << j) & use & less(rest, odd_j - odd[k + 1]);
        used |= (1u << k) & use;
        rest -= (int32_t)((uint32_t)skip[k] & use);
        rest_after[k] = rest;
        j = choose(use, k, j);
        odd_j = choose(use, odd[k], odd_j);
    }
    fails |= (1u << j) & less(0, odd_j);
    if (fails == 0)
        return (struct sum){used, 0, 0};
    j = 31 - __builtin_clz(fails);
    return (struct sum){used, j, rest_after[j]};
}

/* The receive schedule up to round last < sum->searched, as indices of skips. Where something is
 * left of r, the baseblock on the smaller graph is r's; else it is the smaller graph's q. Both are
 * the smallest index that r uses. */
static void search(const struct rb_circulant *graph, const struct sum *sum, int32_t last,
                   int8_t index[])
{
    rb_circulant_search(graph->skip, sum->searched, sum->rest, __builtin_ctz(sum->used), last,
                        index);
}

void rb_circulant_recv(const struct rb_circulant *graph, int32_t r, int8_t block[])
{
    const int32_t q = graph->q;
    if (q == 0)
        return;
    const struct sum sum = sum_of_skips(graph, r);
    const int8_t b = (int8_t)__builtin_ctz(sum.used);
    int32_t larger = 0; /* the block of the next larger skip used; of q, for now, 0 */
    for (int32_t k = q - 1; k >= sum.searched; k--) {
        const uint32_t use = 0u - (sum.used >> k & 1u);
        block[k] = (int8_t)choose(use, larger, k - q);
        larger = choose(use, k - q, larger);
    }
    if (sum.searched > 0) {
        search(graph, &sum, sum.searched - 1, block);
        for (int32_t k = 0; k < sum.searched; k++)
            block[k] = block[k] == q ? b : (int8_t)(block[k] - q);
    }
    if (b < q && sum.searched < q) /* the largest skip used */
        block[31 - __builtin_clz(sum.used ^ 1u << q)] = b;
}

/* What the rank that r sends to in round k receives: the answer where Algorithm 6 has no rule. That
 * rank is among the first of another part, so it doesn't use skip[k] (observed, like the above). */
static int8_t block_of_receiver(const struct rb_circulant *graph, int32_t r, int32_t k)
{
    const struct sum sum = sum_of_skips(graph, rb_circulant_to(graph, r, k));
    if (k >= sum.searched)
        return (int8_t)(k - graph->q);
    int8_t index[RB_MAX_Q];
    search(graph, &sum, k, index);
    return (int8_t)(index[k] == graph->q ? __builtin_ctz(sum.used) : index[k] - graph->q);
}

/* The violations of Algorithm 6, as bits, and what r sends by default. A violation takes a rest
 * that reaches beyond the upper part, and that is less than skip[k] (lower part) or just that
 * (upper part). Algorithm 6 excepts the smallest parts besides; as a violation's answer is always
 * right, some more of them do no harm. */
static uint32_t default_blocks(const struct rb_circulant *graph, int32_t r, int8_t block[])
{
    const int32_t q = graph->q;
    const int32_t *skip = graph->skip;
    uint32_t used = 0, violations = 0;
    int32_t rest = r;     /* r': r within the part of size e that it is in at this level */
    int32_t e = graph->p; /* the root's part is all */
    int32_t c = q;        /* what ranks of this part send, as an index; q stands for b */
    for (int32_t k = q - 1; k >= 1; k--) {
        const int32_t upper = e - skip[k]; /* the size of the upper part; none if negative */
        const uint32_t lower = less(rest, skip[k]);
        violations |= (1u << k) & ~less(rest, upper + 1 + (int32_t)lower) & ~less(skip[k], rest);
        used |= (1u << k) & ~lower;
        c = choose(lower, c, k);
        block[k] = (int8_t)(c - q);
        e = choose(lower, upper < 0 ? e : skip[k], upper);
        rest -= (int32_t)((uint32_t)skip[k] & ~lower);
    }
    used |= (uint32_t)rest; /* 0 or skip[0] */
    const int32_t b = __builtin_ctz(used);
    block[0] = (int8_t)(b - q);
    for (int32_t k = 32 - __builtin_clz(used); k < q; k++)
        block[k] = (int8_t)b;
    /* In round 1 the lower part can be in violation only if b = 0, the upper part never. */
    return b > 0 || (used & 2u) != 0 ? violations & ~2u : violations;
}

void rb_circulant_send(const struct rb_circulant *graph, int32_t r, int8_t block[])
{
    if (r == 0) {
        for (int32_t k = 0; k < graph->q; k++)
            block[k] = (int8_t)k;
        return;
    }
    uint32_t violations = default_blocks(graph, r, block);
    for (; violations != 0; violations &= violations - 1u) {
        const int32_t k = __builtin_ctz(violations);
        block[k] = block_of_receiver(graph, r, k);
    }
}
