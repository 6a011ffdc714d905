/* circulant_table.c - the circulant schedules of all ranks at once, at the speed of memcpy.
 *
 * Source: the schedules are those of J. L. Traeff, Optimal Broadcast Schedules in Logarithmic Time,
 * 2024, Algorithms 3 to 6, entry by entry; the structure used here is not in the paper, but
 * docs/core.md proves it from the paper.
 *
 * Write r greedily as a sum of skips: r uses skip[j] if the remainder after all larger skips is at
 * least skip[j]. Then the ranks below skip[j + 1] are those below skip[j] and, from skip[j] on, a
 * copy of the first skip[j + 1] - skip[j] of these, which also use skip[j]. In round k a rank sends
 * the block of the smallest skip that it uses from skip[k] on (block j - q for skip[j]); smaller
 * skips do not matter. So row k of the send schedules is made by doubling, for j = k .. q - 1:
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
 * receive, and so what the ranks skip[k] before them send: these entries, at most j odd[j] for each
 * odd skip[j], are corrected before the rows are copied further. One of them must override the
 * second line above: if skip[k + 1] is odd, rank skip[k] - 1 sends to the first rank behind its
 * part, and so do its copies. The first ranks, more than odd[q] and at most 2 odd[q], get single
 * schedules, which saves the corrections of small skips.
 *
 * Row 1 for p = 11 (q = 4, skips 1 2 3 6 11). What is below skip[3] = 6 are single schedules; ranks
 * 6 and 7 send 3 - q, but rank 7, like rank 1, sends to the first rank of the next part: -4; ranks
 * 8 to 10 copy 2 to 4; because p is odd, rank 10 sends what rank 1 receives, -2:
 *
 *        r:  0  1  2  3  4  5  6  7  8  9 10
 *  send[1]:  1 -4 -3 -2 -4 -3 -1 -4 -3 -2 -2
 *
 * docs/core.md proves all this, so no plan must check the table that it makes. `verify --schedules`
 * checks the four conditions in O(p log p) (verify_schedule.c), and that single schedules equal the
 * table. tests/schedules/test_schedule_table.c compares all entries with those of the literal
 * algorithms.
 *
 * Fast, because nearly all bytes, 2q + 1 per rank, are written by memcpy and memset. */
#include <string.h>

#include "roundabout.h"

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
