/* verify_schedule.c - the four correctness conditions of the circulant schedules, for all ranks.
 *
 * Source: J. L. Traeff, Optimal Broadcast Schedules in Logarithmic Time, 2024, Section 2. The
 * schedules are those of rb_circulant_table, which are those that plans use, kept in rows, row k
 * for round k, so that conditions 1 and 2, which compare what all ranks send in round k with what
 * the ranks skip[k] further on receive, are two comparisons of memory. */
#include <stdlib.h>
#include <string.h>

#include "plan.h"

void rb_schedule_room_free(struct rb_schedule_room *room)
{
    free(room->base);
    free(room->recv);
    free(room->send);
    *room = (struct rb_schedule_room){0};
}

static int make_room(struct rb_schedule_room *room, size_t entries)
{
    if (entries <= room->capacity)
        return RB_OK;
    rb_schedule_room_free(room);
    room->base = malloc(entries);
    room->recv = malloc(entries);
    room->send = malloc(entries);
    if (room->base == NULL || room->recv == NULL || room->send == NULL) {
        rb_schedule_room_free(room);
        return RB_ENOMEM;
    }
    room->capacity = entries;
    return RB_OK;
}

/* Conditions 3 and 4, for one rank. */
static int check_rank(const struct rb_circulant *graph, int32_t r,
                      const struct rb_schedule_room *room, struct rb_verdict *verdict)
{
    const int32_t q = graph->q, b = room->base[r];
    const size_t p = (size_t)graph->p;
    const int8_t *recv = room->recv + r, *send = room->send + r; /* entry k is at k * p */
    uint64_t seen = 0; /* bit v + q: block v has been received in this phase */
    for (int32_t k = 0; k < q; k++, recv += p, send += p) {
        /* The root sends block k in round k; others what they have. */
        const int32_t v = *send;
        const bool known = v >= -q && v < q && (seen >> (v + q) & 1u) != 0;
        if (r == 0 ? v != k : !known && v != b - q)
            return rb_wrong(
                verdict,
                "condition 4 fails at p = %d: rank %d sends block %d in round %d, which it "
                "has not received before",
                (int)graph->p, (int)r, (int)v, (int)k);
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
    if (seen != wanted)
        return rb_wrong(
            verdict,
            "condition 3 fails at p = %d: rank %d, baseblock %d, does not receive each of "
            "the blocks -q..-1 but %d, and %d, once",
            (int)graph->p, (int)r, (int)b, (int)(b - q), (int)b);
    return RB_OK;
}

/* Conditions 1 and 2 are the same equation, read from either end of a message. */
static int check_rows(const struct rb_circulant *graph, const struct rb_schedule_room *room,
                      struct rb_verdict *verdict)
{
    const size_t p = (size_t)graph->p;
    for (int32_t k = 0; k < graph->q; k++) {
        const int8_t *recv = room->recv + (size_t)k * p;
        const int8_t *send = room->send + (size_t)k * p;
        const size_t skip = (size_t)graph->skip[k];
        if (memcmp(send, recv + skip, p - skip) == 0 && memcmp(send + (p - skip), recv, skip) == 0)
            continue;
        size_t r = 0;
        while (send[r] == recv[(r + skip) % p])
            r++;
        return rb_wrong(
            verdict,
            "conditions 1 and 2 fail at p = %d: in round %d rank %d sends block %d, but "
            "rank %d receives block %d",
            (int)p, (int)k, (int)r, (int)send[r], (int)((r + skip) % p), (int)recv[(r + skip) % p]);
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
    rb_circulant_table(&graph, room->base, room->recv, room->send);
    for (int32_t r = 0; r < p && graph.q > 0; r++) {
        int status = check_rank(&graph, r, room, verdict);
        if (status != RB_OK)
            return status;
    }
    return check_rows(&graph, room, verdict);
}
