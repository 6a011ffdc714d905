/* verify_schedule_rank.c - the four correctness conditions of the circulant schedules for one rank,
 * where p is too large for a table of all ranks.
 *
 * Source: J. L. Traeff, Optimal Broadcast Schedules in Logarithmic Time, 2024, Section 2. The
 * conditions, as circulant.c has them, speak of r and of the 2q ranks that it exchanges blocks
 * with: 3 and 4 of r's own schedules, 1 and 2 of one entry each of the others'. So 2q + 2 schedules
 * are computed, each on its own, in O(log p).
 *
 * p = 5, r = 3 (skips 1 2 3, baseblock 2): receives -2 -3 2, which is -3 .. -1 but 2 - 3, and 2;
 * sends -1 -1 -2, where -1 = 2 - 3 and -2 came in round 0; sends to 4, 0, 1, which receive -1 -1 -2
 * in these rounds; receives from 2, 1, 0, which send -2 -3 2. */
#include <stdio.h>

#include "schedules/circulant/circulant_rounds.h"
#include "verify_schedule.h"

/* The first round from k on in which block v is received; q: none. */
static int32_t round_of(int32_t q, int32_t k, int32_t v, const int8_t recv[], size_t stride)
{
    while (k < q && recv[(size_t)k * stride] != v)
        k++;
    return k;
}

/* Condition 4 fails: rank r sends block v in round k and has not received it. */
static int sent_too_early(const struct rb_circulant *graph, int32_t r, int32_t k, int32_t v,
                          const int8_t recv[], size_t stride, struct rb_verdict *verdict)
{
    char comes[64] = "never comes";
    const int32_t later = round_of(graph->q, k, v, recv, stride);
    if (later < graph->q)
        snprintf(comes, sizeof comes, "comes in round %d from rank %d", (int)later,
                 (int)rb_circulant_from(graph, r, later));
    return rb_wrong(verdict,
                    "condition 4 fails at p = %d: rank %d sends block %d in round %d to rank %d, "
                    "which it has not received before: that block %s",
                    (int)graph->p, (int)r, (int)v, (int)k, (int)rb_circulant_to(graph, r, k),
                    comes);
}

/* Condition 3 fails: of the blocks that rank r wants (bit v + q: block v), one never comes, because
 * one comes that it does not want, or comes again. */
static int received_wrongly(const struct rb_circulant *graph, int32_t r, int32_t b, uint64_t wanted,
                            const int8_t recv[], size_t stride, struct rb_verdict *verdict)
{
    const int32_t q = graph->q;
    int32_t k = 0, lacking = -q;
    uint64_t open = wanted;
    for (; (open >> (recv[(size_t)k * stride] + q) & 1u) != 0; k++)
        open &= ~(UINT64_C(1) << (recv[(size_t)k * stride] + q));
    while (lacking < q &&
           ((wanted >> (lacking + q) & 1u) == 0 || round_of(q, 0, lacking, recv, stride) < q))
        lacking++;
    return rb_wrong(
        verdict,
        "condition 3 fails at p = %d: rank %d, baseblock %d, does not receive each of the blocks "
        "-q..-1 but %d, and %d, once: in round %d rank %d sends it block %d%s, and block %d never "
        "comes",
        (int)graph->p, (int)r, (int)b, (int)(b - q), (int)b, (int)k,
        (int)rb_circulant_from(graph, r, k), (int)recv[(size_t)k * stride],
        (wanted >> (recv[(size_t)k * stride] + q) & 1u) != 0 ? " again" : "", (int)lacking);
}

int rb_check_rank(const struct rb_circulant *graph, int32_t r, int32_t b, const int8_t recv[],
                  const int8_t send[], size_t stride, struct rb_verdict *verdict)
{
    const int32_t q = graph->q;
    const int8_t *const all = recv;
    if (r == 0 ? b != q : b < 0 || b >= q)
        return rb_wrong(verdict, "condition 3 fails at p = %d: rank %d has baseblock %d",
                        (int)graph->p, (int)r, (int)b);
    uint64_t seen = 0; /* bit v + q: block v has been received in this phase */
    for (int32_t k = 0; k < q; k++, recv += stride, send += stride) {
        const int32_t v = *send;
        const bool known = v >= -q && v < q && (seen >> (v + q) & 1u) != 0;
        if (r == 0 && v != k)
            return rb_wrong(verdict,
                            "condition 4 fails at p = %d: the root, rank 0, sends block %d in "
                            "round %d, not block %d",
                            (int)graph->p, (int)v, (int)k, (int)k);
        if (r != 0 && !known && v != b - q)
            return sent_too_early(graph, r, k, v, all, stride, verdict);
        if (*recv < -q || *recv >= q)
            return rb_wrong(
                verdict,
                "condition 3 fails at p = %d: rank %d receives block %d in round %d, which "
                "is outside -q..q-1",
                (int)graph->p, (int)r, (int)*recv, (int)k);
        seen |= UINT64_C(1) << (*recv + q);
    }
    uint64_t wanted = (UINT64_C(1) << q) - 1u;
    if (r != 0)
        wanted = (wanted & ~(UINT64_C(1) << b)) | UINT64_C(1) << (b + q);
    return seen == wanted ? RB_OK : received_wrongly(graph, r, b, wanted, all, stride, verdict);
}

int rb_ends_differ(const struct rb_circulant *graph, int32_t k, int32_t from, int8_t sent,
                   int32_t to, int8_t received, struct rb_verdict *verdict)
{
    return rb_wrong(
        verdict,
        "conditions 1 and 2 fail at p = %d: in round %d rank %d sends block %d, but rank %d "
        "receives block %d",
        (int)graph->p, (int)k, (int)from, (int)sent, (int)to, (int)received);
}

int rb_verify_schedule_rank(int32_t p, int32_t r, struct rb_verdict *verdict)
{
    *verdict = (struct rb_verdict){0};
    struct rb_circulant graph;
    if (rb_circulant_init(&graph, p) != RB_OK || r < 0 || r >= p)
        return RB_EINVAL;
    verdict->rounds = graph.q;
    int8_t recv[RB_MAX_Q + 1], send[RB_MAX_Q + 1], other[RB_MAX_Q + 1];
    rb_circulant_recv(&graph, r, recv);
    rb_circulant_send(&graph, r, send);
    const int32_t b = rb_circulant_baseblock(&graph, r);
    const int status = rb_check_rank(&graph, r, b, recv, send, 1, verdict);
    if (status != RB_OK)
        return status;
    for (int32_t k = 0; k < graph.q; k++) {
        const int32_t to = rb_circulant_to(&graph, r, k);
        rb_circulant_recv(&graph, to, other);
        if (other[k] != send[k])
            return rb_ends_differ(&graph, k, r, send[k], to, other[k], verdict);
        const int32_t from = rb_circulant_from(&graph, r, k);
        rb_circulant_send(&graph, from, other);
        if (other[k] != recv[k])
            return rb_ends_differ(&graph, k, from, other[k], r, recv[k], verdict);
    }
    return RB_OK;
}
