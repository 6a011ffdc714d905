/* verify_schedule.c - the four correctness conditions of the circulant schedules, for all ranks.
 *
 * Source: J. L. Traeff, Optimal Broadcast Schedules in Logarithmic Time, 2024, Section 2. The
 * schedules are those of rb_circulant_table, which are those that plans use, kept in rows, row k
 * for round k, so that conditions 1 and 2, which compare what all ranks send in round k with what
 * the ranks skip[k] further on receive, are two comparisons of memory. */
#include <stdlib.h>
#include <string.h>

#include "verify_schedule.h"

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

/* Conditions 1 and 2. */
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
        const size_t to = (r + skip) % p;
        return rb_ends_differ(graph, k, (int32_t)r, send[r], (int32_t)to, recv[to], verdict);
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
        int status = rb_check_rank(&graph, r, room->base[r], room->recv + r, room->send + r,
                                   (size_t)p, verdict);
        if (status != RB_OK)
            return status;
    }
    return check_rows(&graph, room, verdict);
}
