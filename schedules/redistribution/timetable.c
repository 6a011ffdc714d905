/* timetable.c - timetables, which are pieces of messages with times: building, checking, and their
 * costs. */
#include <stdlib.h>
#include <string.h>

#include "redistribution.h"
#include "schedules/plan/plan.h"

void rb_timetable_deinit(struct rb_timetable *timetable)
{
    free(timetable->piece);
    *timetable = (struct rb_timetable){0};
}

int redist_timetable_add(struct rb_timetable *timetable, size_t *room, struct rb_piece piece)
{
    if (timetable->count == *room) {
        const size_t more = *room > 0 ? 2 * *room : 64;
        struct rb_piece *grown = realloc(timetable->piece, more * sizeof *grown);
        if (grown == NULL)
            return RB_ENOMEM;
        timetable->piece = grown;
        *room = more;
    }
    timetable->piece[timetable->count++] = piece;
    return RB_OK;
}

REDIST_BY(by_start, struct rb_piece, start, message);

REDIST_BY(by_message, struct rb_piece, message, first);

static int64_t end_of(const struct rb_piece *piece)
{
    return piece->start + piece->length;
}

void redist_timetable_finish(struct rb_timetable *timetable)
{
    if (timetable->count > 0)
        qsort(timetable->piece, timetable->count, sizeof *timetable->piece, by_start);
    timetable->length = 0;
    for (size_t i = 0; i < timetable->count; i++)
        if (end_of(&timetable->piece[i]) > timetable->length)
            timetable->length = end_of(&timetable->piece[i]);
}

int redist_timetable_of_starts(const struct rb_traffic *traffic, const int64_t start[],
                               struct rb_timetable *timetable)
{
    size_t room = 0;
    for (size_t i = 0; i < traffic->count; i++) {
        const struct rb_piece piece = {i, 0, traffic->message[i].length, start[i]};
        if (redist_timetable_add(timetable, &room, piece) != RB_OK)
            return RB_ENOMEM;
    }
    redist_timetable_finish(timetable);
    return RB_OK;
}

/* ---- The check ------------------------------------------------------------------------------- */

/* Checks that each piece is a piece of a message and has a valid time, and that the pieces are
 * sorted. */
static int check_pieces(const struct rb_timetable *timetable, const struct rb_traffic *traffic,
                        char *why, size_t why_size)
{
    int64_t length = 0;
    for (size_t i = 0; i < timetable->count; i++) {
        const struct rb_piece *p = &timetable->piece[i];
        if (p->message >= traffic->count)
            return rb_why(why, why_size, RB_EWRONG, "piece %zu is of message %zu; there are %zu", i,
                          p->message, traffic->count);
        const struct rb_message *m = &traffic->message[p->message];
        if (p->length < 1 || p->first < 0 || p->first > m->length - p->length)
            return rb_why(why, why_size, RB_EWRONG,
                          "a piece has units %lld to %lld of message %d -> %d, but the message has "
                          "%lld in all",
                          (long long)p->first, (long long)(p->first + p->length - 1), (int)m->from,
                          (int)m->to, (long long)m->length);
        if (p->start < 0 || p->start > INT64_MAX - p->length)
            return rb_why(why, why_size, RB_EWRONG, "a piece of message %d -> %d starts at %lld",
                          (int)m->from, (int)m->to, (long long)p->start);
        if (i > 0 && by_start(p - 1, p) > 0)
            return rb_why(why, why_size, RB_EWRONG, "pieces %zu and %zu are out of order", i - 1,
                          i);
        length = end_of(p) > length ? end_of(p) : length;
    }
    if (timetable->length != length)
        return rb_why(why, why_size, RB_EWRONG, "the last piece ends at %lld, not at %lld",
                      (long long)length, (long long)timetable->length);
    return RB_OK;
}

static int wrong_unit(const struct rb_message *m, int64_t unit, bool twice, char *why,
                      size_t why_size)
{
    return rb_why(why, why_size, RB_EWRONG, "unit %lld of message %d -> %d is %s", (long long)unit,
                  (int)m->from, (int)m->to, twice ? "sent twice" : "never sent");
}

/* Checks that every unit is sent exactly once. */
static int check_units(const struct rb_timetable *timetable, const struct rb_traffic *traffic,
                       char *why, size_t why_size)
{
    struct rb_piece *piece = malloc((timetable->count + 1) * sizeof *piece);
    if (piece == NULL)
        return RB_ENOMEM;
    if (timetable->count > 0)
        memcpy(piece, timetable->piece, timetable->count * sizeof *piece);
    qsort(piece, timetable->count, sizeof *piece, by_message);
    int status = RB_OK;
    size_t next = 0;
    for (size_t i = 0; i < traffic->count && status == RB_OK; i++) {
        const struct rb_message *m = &traffic->message[i];
        int64_t sent = 0;
        for (; next < timetable->count && piece[next].message == i && status == RB_OK; next++) {
            if (piece[next].first != sent)
                status = wrong_unit(m, piece[next].first < sent ? piece[next].first : sent,
                                    piece[next].first < sent, why, why_size);
            sent = piece[next].first + piece[next].length;
        }
        if (status == RB_OK && sent < m->length)
            status = wrong_unit(m, sent, false, why, why_size);
    }
    free(piece);
    return status;
}

/* Checks that each port has one piece at a time. last[port] is its preceding piece + 1. */
static int check_port(const struct rb_timetable *timetable, const struct rb_traffic *traffic,
                      size_t i, size_t *last, const char *does, int32_t rank, char *why,
                      size_t why_size)
{
    const struct rb_piece *now = &timetable->piece[i];
    if (*last > 0 && end_of(&timetable->piece[*last - 1]) > now->start) {
        const struct rb_piece *before = &timetable->piece[*last - 1];
        const struct rb_message *m = &traffic->message[before->message];
        const struct rb_message *n = &traffic->message[now->message];
        return rb_why(why, why_size, RB_EWRONG,
                      "%s %d has messages %d -> %d (time %lld to %lld) and %d -> %d (from %lld) at "
                      "once",
                      does, (int)rank, (int)m->from, (int)m->to, (long long)before->start,
                      (long long)end_of(before), (int)n->from, (int)n->to, (long long)now->start);
    }
    *last = i + 1;
    return RB_OK;
}

static int check_ports(const struct rb_timetable *timetable, const struct rb_traffic *traffic,
                       char *why, size_t why_size)
{
    size_t *last = calloc((size_t)traffic->senders + (size_t)traffic->receivers, sizeof *last);
    int status = last == NULL ? RB_ENOMEM : RB_OK;
    for (size_t i = 0; i < timetable->count && status == RB_OK; i++) {
        const struct rb_message *m = &traffic->message[timetable->piece[i].message];
        status =
            check_port(timetable, traffic, i, &last[m->from], "sender", m->from, why, why_size);
        if (status == RB_OK)
            status = check_port(timetable, traffic, i, &last[traffic->senders + m->to], "receiver",
                                m->to, why, why_size);
    }
    free(last);
    return status;
}

int rb_timetable_check(const struct rb_timetable *timetable, const struct rb_traffic *traffic,
                       char *why, size_t why_size)
{
    int status = check_pieces(timetable, traffic, why, why_size);
    if (status == RB_OK)
        status = check_units(timetable, traffic, why, why_size);
    if (status == RB_OK)
        status = check_ports(timetable, traffic, why, why_size);
    return status == RB_ENOMEM ? rb_why(why, why_size, status, "out of memory") : status;
}

REDIST_BY(by_key, struct redist_keyed, key, number);

void redist_sort(struct redist_keyed keyed[], size_t count)
{
    qsort(keyed, count, sizeof *keyed, by_key);
}

/* ---- The facts ------------------------------------------------------------------------------- */

/* A message begins (length > 0) or is complete (length < 0). */
struct event {
    int64_t time, length;
    size_t message;
};

REDIST_BY(by_time, struct event, time, length); /* complete before begun */

static void find_events(const struct rb_timetable *timetable, const struct rb_traffic *traffic,
                        struct event event[])
{
    for (size_t i = 0; i < traffic->count; i++) {
        const int64_t length = traffic->message[i].length;
        event[2 * i] = (struct event){INT64_MAX, length, i};
        event[2 * i + 1] = (struct event){0, -length, i};
    }
    for (size_t i = 0; i < timetable->count; i++) {
        const struct rb_piece *p = &timetable->piece[i];
        struct event *begins = &event[2 * p->message], *ends = begins + 1;
        begins->time = p->start < begins->time ? p->start : begins->time;
        ends->time = end_of(p) > ends->time ? end_of(p) : ends->time;
    }
    qsort(event, 2 * traffic->count, sizeof *event, by_time);
}

static void raise_to(int64_t *most, int64_t value)
{
    *most = value > *most ? value : *most;
}

static void find_buffers(const struct event event[], const struct rb_traffic *traffic,
                         int64_t held[], struct rb_timetable_facts *facts)
{
    for (size_t i = 0; i < 2 * traffic->count; i++) {
        const struct rb_message *m = &traffic->message[event[i].message];
        held[m->from] += event[i].length;
        held[traffic->senders + m->to] += event[i].length;
        raise_to(&facts->send_buffer, held[m->from]);
        raise_to(&facts->receive_buffer, held[traffic->senders + m->to]);
    }
}

static void find_startups(const struct rb_timetable *timetable, const struct rb_traffic *traffic,
                          int64_t startups[], struct rb_timetable_facts *facts)
{
    for (size_t i = 0; i < timetable->count; i++) {
        const struct rb_message *m = &traffic->message[timetable->piece[i].message];
        raise_to(&facts->send_startups, ++startups[m->from]);
        raise_to(&facts->receive_startups, ++startups[traffic->senders + m->to]);
        raise_to(&facts->longest_piece, timetable->piece[i].length);
    }
}

int rb_timetable_facts(const struct rb_timetable *timetable, const struct rb_traffic *traffic,
                       struct rb_timetable_facts *facts)
{
    const size_t ports = (size_t)traffic->senders + (size_t)traffic->receivers;
    struct event *event = malloc((2 * traffic->count + 1) * sizeof *event);
    int64_t *of_port = calloc(2 * ports, sizeof *of_port);
    const int status = event == NULL || of_port == NULL ? RB_ENOMEM : RB_OK;
    if (status == RB_OK) {
        *facts = (struct rb_timetable_facts){.length = timetable->length,
                                             .bound = traffic->longest_port,
                                             .cuts = (int64_t)timetable->count -
                                                     (int64_t)traffic->count};
        find_startups(timetable, traffic, of_port, facts);
        find_events(timetable, traffic, event);
        find_buffers(event, traffic, of_port + ports, facts);
    }
    free(event);
    free(of_port);
    return status;
}
