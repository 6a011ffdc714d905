/* verify_schedule.c - the four correctness conditions of the circulant schedules, for all ranks.
 *
 * Source: J. L. Traeff, Optimal Broadcast Schedules in Logarithmic Time, 2024, Section 2. The
 * schedules are those of rb_circulant_table, which plans use, in rows, row k for round k.
 * Conditions 3 and 4 are first checked for all ranks together (verify_schedule_lanes.c); if one is
 * wrong, a second pass finds the rank and the fault. Conditions 1 and 2, which compare what all
 * ranks send in round k with what the ranks skip[k] further on receive, are two comparisons of
 * memory; or none, where receive rows are by definition the send rows, rotated. That halves the
 * memory and its traffic, which takes nearly all the time for a large table. Other plans use single
 * schedules, so a few of these are compared with the table as well. */
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

const int8_t *rb_received(const struct rb_circulant *graph, const struct rb_schedule_room *room,
                          size_t k, size_t first, size_t count, int8_t joined[])
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
