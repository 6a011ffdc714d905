/* verify_schedule.c - the four correctness conditions of the circulant schedules, for all ranks.
 *
 * Source: J. L. Traeff, Optimal Broadcast Schedules in Logarithmic Time, 2024, Section 2. The
 * schedules are those of rb_circulant_table, which plans use, in rows, row k for round k.
 * Conditions 3 and 4 are first checked for all ranks together; if one is
 * wrong, a second pass finds the rank and the fault. Conditions 1 and 2, which compare what all
 * ranks send in round k with what the ranks skip[k] further on receive, are two comparisons of
 * memory; or none, where receive rows are by definition the send rows, rotated. That halves the
 * memory and its traffic, which takes nearly all the time for a large table. Other plans use single
 * schedules, so a few of these are compared with the table as well. */
#include "verify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schedules/circulant/circulant.h"

/* ---- One rank -------------------------------------------------------------------------------- */

/* The four correctness conditions of the circulant schedules for one rank, where p is too large
 * for a table of all ranks.
 *
 * Source: J. L. Traeff, Optimal Broadcast Schedules in Logarithmic Time, 2024, Section 2. The
 * conditions, as circulant.c has them, speak of r and of the 2q ranks that it exchanges blocks
 * with: 3 and 4 of r's own schedules, 1 and 2 of one entry each of the others'. So 2q + 2
 * schedules are computed, each on its own, in O(log p).
 *
 * p = 5, r = 3 (skips 1 2 3, baseblock 2): receives -2 -3 2, which is -3 .. -1 but 2 - 3, and 2;
 * sends -1 -1 -2, where -1 = 2 - 3 and -2 came in round 0; sends to 4, 0, 1, which receive -1 -1
 * -2 in these rounds; receives from 2, 1, 0, which send -2 -3 2. */

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
            return rb_wrong(verdict,
                            "condition 3 fails at p = %d: rank %d receives block %d in round %d, "
                            "which is outside -q..q-1",
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
    return rb_wrong(verdict,
                    "conditions 1 and 2 fail at p = %d: in round %d rank %d sends block %d, but "
                    "rank %d receives block %d",
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

/* ---- Conditions 3 and 4 of the circulant schedules for many ranks at a time ------------------ */

/* rb_check_rank checks one rank and describes the fault. Here the same conditions are checked for
 * a whole table, yes or no, by loops over neighbouring ranks that a compiler turns into vector
 * code: one body, compiled for several instruction sets.
 *
 * A block v becomes a slot. The blocks that rank r with baseblock b must receive, -q .. -1 except b
 * - q, and b, have slots 0 .. q - 1: v + q, and b for block b. A rank may send these once it has
 * received them, and block b - q: slot 30, which is full from the start. All other blocks have slot
 * 31. Condition 4: only blocks with a full slot are sent. Condition 3: after q rounds slots 0 .. q
 *     - 1 are full; because each round fills at most one, no block came twice and no other block
 *     came.
 *
 * p = 5, r = 3 (q = 3, b = 2): receives -2 -3 2, slots 1 0 2; sends -1 -1 -2, slots 30 30 1. */

enum {
    AT_A_TIME = 2048, /* ranks; slots stay in the first-level cache */
    BEFORE = 30,      /* the slot of block b - q, of the phase before */
    WRONG = 31
};

/* The slot of block v for a rank with baseblock b. */
static inline uint8_t slot(int8_t v, uint8_t b, uint8_t q)
{
    const uint8_t above = (uint8_t)(v + q);
    uint8_t result = above < q ? above : WRONG;
    result = above == b ? BEFORE : result;
    return above == (uint8_t)(b + q) ? b : result;
}

/* What ranks first .. first + count - 1 receive in round k: a part of the table in room, or, where
 * it has no receive rows and the ranks sent to lie on both sides of rank 0, of `joined`, which has
 * room for count entries. */
static const int8_t *rb_received(const struct rb_circulant *graph,
                                 const struct rb_schedule_room *room, size_t k, size_t first,
                                 size_t count, int8_t joined[])
{
    const size_t p = (size_t)graph->p, skip = (size_t)graph->skip[k];
    if (room->recv != NULL)
        return room->recv + k * p + first;
    const int8_t *sent = room->send + k * p;
    if (first >= skip)
        return sent + (first - skip);
    const int8_t *from_behind = sent + (p - skip) + first; /* of the ranks before rank 0 */
    if (first + count <= skip)
        return from_behind;
    memcpy(joined, from_behind, skip - first);
    memcpy(joined + (skip - first), sent, first + count - skip);
    return joined;
}

/* All ranks except the root. */
__attribute__((always_inline)) static inline bool all_right(const struct rb_circulant *graph,
                                                            const struct rb_schedule_room *room)
{
    const uint8_t q = (uint8_t)graph->q;
    const size_t p = (size_t)graph->p;
    const uint32_t wanted = (1u << q) - 1u + (1u << BEFORE);
    uint32_t wrong = 0;
    for (size_t first = 1; first < p; first += AT_A_TIME) {
        const size_t count = p - first < AT_A_TIME ? p - first : AT_A_TIME;
        const uint8_t *base = (const uint8_t *)room->base + first;
        uint32_t full[AT_A_TIME]; /* the slots that are, as bits */
        uint8_t received[AT_A_TIME], sent[AT_A_TIME];
        for (size_t i = 0; i < count; i++) {
            full[i] = 1u << BEFORE;
            wrong |= base[i] >= q;
        }
        for (size_t k = 0; k < q; k++) {
            int8_t joined[AT_A_TIME];
            const int8_t *recv = rb_received(graph, room, k, first, count, joined);
            const int8_t *send = room->send + k * p + first;
            for (size_t i = 0; i < count; i++)
                sent[i] = slot(send[i], base[i], q);
            for (size_t i = 0; i < count; i++)
                received[i] = slot(recv[i], base[i], q);
            for (size_t i = 0; i < count; i++) {
                wrong |= 1u << (sent[i] & 31) & ~full[i];
                full[i] |= 1u << (received[i] & 31);
            }
        }
        for (size_t i = 0; i < count; i++)
            wrong |= full[i] ^ wanted;
    }
    return wrong == 0;
}

static bool always(void)
{
    return true;
}

static bool portable(const struct rb_circulant *graph, const struct rb_schedule_room *room)
{
    return all_right(graph, room);
}

#ifdef __x86_64__
static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2");
}

static bool has_avx512(void)
{
    return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
}

__attribute__((target("avx2"))) static bool with_avx2(const struct rb_circulant *graph,
                                                      const struct rb_schedule_room *room)
{
    return all_right(graph, room);
}

__attribute__((target("avx512bw,avx512vl"))) static bool
with_avx512(const struct rb_circulant *graph, const struct rb_schedule_room *room)
{
    return all_right(graph, room);
}
#endif

const struct rb_schedule_check rb_schedule_checks[] = {
#ifdef __x86_64__
    {"AVX-512", has_avx512, with_avx512},
    {"AVX2", has_avx2, with_avx2},
#endif
    {"portable", always, portable},
    {0},
};

/* ---- Whole tables ---------------------------------------------------------------------------- */

void rb_schedule_room_free(struct rb_schedule_room *room)
{
    free(room->base);
    free(room->recv);
    free(room->send);
    *room = (struct rb_schedule_room){0};
}

/* With some to spare, so that a walk over p = 1, 2, 3, ... seldom needs new memory. */
static int make_room(struct rb_schedule_room *room, size_t entries)
{
    if (entries <= room->capacity)
        return RB_OK;
    rb_schedule_room_free(room);
    const size_t capacity = entries + entries / 8;
    room->base = malloc(capacity / 8 + 256); /* p <= 128, or q >= 8 and p < entries / 8 */
    room->send = malloc(capacity);
    if (room->base == NULL || room->send == NULL) {
        rb_schedule_room_free(room);
        return RB_ENOMEM;
    }
    room->capacity = capacity;
    return RB_OK;
}

/* rb_received for rank r alone. */
static int8_t received_by(const struct rb_circulant *graph, const struct rb_schedule_room *room,
                          size_t k, size_t r)
{
    const size_t p = (size_t)graph->p, skip = (size_t)graph->skip[k];
    if (room->recv != NULL)
        return room->recv[k * p + r];
    return room->send[k * p + (r >= skip ? r - skip : r + (p - skip))];
}

/* Rank r's column of the table. */
struct column {
    int8_t recv[RB_MAX_Q + 1], send[RB_MAX_Q + 1];
};

static struct column column_of(const struct rb_circulant *graph,
                               const struct rb_schedule_room *room, size_t r)
{
    struct column column;
    const size_t p = (size_t)graph->p;
    for (size_t k = 0; k < (size_t)graph->q; k++) {
        column.recv[k] = received_by(graph, room, k, r);
        column.send[k] = room->send[k * p + r];
    }
    return column;
}

/* Conditions 3 and 4. */
static int check_ranks(const struct rb_circulant *graph, const struct rb_schedule_room *room,
                       const struct rb_schedule_check *check, struct rb_verdict *verdict)
{
    const size_t p = (size_t)graph->p;
    const size_t ranks = check->all_right(graph, room) ? 1 : p; /* the root is always checked */
    for (size_t r = 0; r < ranks; r++) {
        const struct column column = column_of(graph, room, r);
        const int status =
            rb_check_rank(graph, (int32_t)r, room->base[r], column.recv, column.send, 1, verdict);
        if (status != RB_OK)
            return status;
    }
    return RB_OK;
}

/* Conditions 1 and 2. */
static int check_rows(const struct rb_circulant *graph, const struct rb_schedule_room *room,
                      struct rb_verdict *verdict)
{
    const size_t p = (size_t)graph->p;
    for (int32_t k = 0; room->recv != NULL && k < graph->q; k++) {
        const int8_t *recv = room->recv + (size_t)k * p;
        const int8_t *send = room->send + (size_t)k * p;
        const size_t skip = (size_t)graph->skip[k];
        if (memcmp(send, recv + skip, p - skip) == 0 && memcmp(send + (p - skip), recv, skip) == 0)
            continue;
        size_t r = 0;
        while (send[r] == recv[(r + skip) % p])
            r++;
        const size_t to = (r + skip) % p;
        return rb_ends_differ(graph, k, (int32_t)r, send[r], (int32_t)to, recv[to], verdict);
    }
    return RB_OK;
}

int rb_verify_table(const struct rb_circulant *graph, const struct rb_schedule_room *room,
                    const struct rb_schedule_check *check, struct rb_verdict *verdict)
{
    const int status = check_ranks(graph, room, check, verdict);
    return status != RB_OK ? status : check_rows(graph, room, verdict);
}

static const struct rb_schedule_check *fastest_check(void)
{
    const struct rb_schedule_check *check = rb_schedule_checks;
    while (!check->usable())
        check++;
    return check;
}

int rb_verify_schedule_table(int32_t p, const struct rb_schedule_room *room,
                             struct rb_verdict *verdict)
{
    *verdict = (struct rb_verdict){0};
    struct rb_circulant graph;
    if (rb_circulant_init(&graph, p) != RB_OK)
        return RB_EINVAL;
    verdict->rounds = graph.q;
    for (int32_t r = 0; r < p; r++)
        room->base[r] = (int8_t)rb_circulant_baseblock(&graph, r);
    return rb_verify_table(&graph, room, fastest_check(), verdict);
}

/* Rank r's single schedules against its column of the table. */
static int compare_column(const struct rb_circulant *graph, const struct rb_schedule_room *room,
                          int32_t r, struct rb_verdict *verdict)
{
    int8_t recv[RB_MAX_Q + 1], send[RB_MAX_Q + 1];
    rb_circulant_recv(graph, r, recv);
    rb_circulant_send(graph, r, send);
    const int32_t b = rb_circulant_baseblock(graph, r);
    if (room->base[r] != b)
        return rb_wrong(verdict, "the table is wrong at p = %d: rank %d has baseblock %d, not %d",
                        (int)graph->p, (int)r, (int)b, (int)room->base[r]);
    const struct column column = column_of(graph, room, (size_t)r);
    for (int32_t k = 0; k < graph->q; k++) {
        if (column.recv[k] != recv[k] || column.send[k] != send[k])
            return rb_wrong(verdict,
                            "the table is wrong at p = %d: in round %d rank %d receives block %d "
                            "and sends block %d, not %d and %d",
                            (int)graph->p, (int)k, (int)r, (int)recv[k], (int)send[k],
                            (int)column.recv[k], (int)column.send[k]);
    }
    return RB_OK;
}

/* Three ranks spread over all and three close to skips, where schedules are irregular; which they
 * are depends on p, so that over many p they are of all kinds. */
static int compare_columns(const struct rb_circulant *graph, const struct rb_schedule_room *room,
                           struct rb_verdict *verdict)
{
    enum { EACH = 3 };
    const int64_t p = graph->p;
    const int64_t shift = (int64_t)((uint32_t)p * 2654435761u); /* Knuth's multiplicative hash */
    for (int32_t i = 0; i < EACH && p > 1; i++) {
        const int64_t spread = (shift + i * p / EACH) % p;
        const int64_t offset = shift / p % 16 - 8; /* -8 .. 7 */
        const int64_t close = (graph->skip[(p + i) % graph->q] + offset + 8 * p) % p;
        int status = compare_column(graph, room, (int32_t)spread, verdict);
        if (status == RB_OK)
            status = compare_column(graph, room, (int32_t)close, verdict);
        if (status != RB_OK)
            return status;
    }
    return RB_OK;
}

int rb_verify_schedule(int32_t p, struct rb_schedule_room *room, struct rb_verdict *verdict)
{
    *verdict = (struct rb_verdict){0};
    struct rb_circulant graph;
    if (rb_circulant_init(&graph, p) != RB_OK)
        return RB_EINVAL;
    verdict->rounds = graph.q;
    if (make_room(room, (size_t)p * (size_t)(graph.q + 1)) != RB_OK)
        return RB_ENOMEM;
    rb_circulant_table(&graph, room->base, NULL, room->send);
    const int status = rb_verify_table(&graph, room, fastest_check(), verdict);
    return status != RB_OK ? status : compare_columns(&graph, room, verdict);
}
