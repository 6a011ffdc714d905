/* record.c - reads records (trace.h). A line is one event. */
#define _DEFAULT_SOURCE /* strsep */

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "interchange/recorded/trace.h"
#include "roundabout.h"
#include "support/csv.h"
#include "support/memory.h"

#define NO_RECORD "no line of a record that roundabout trace wrote"

struct reader {
    struct trace_record *record;
    struct sup_lines lines;
    int32_t rank; /* whose record it is; -1: before the first */
    bool ended;   /* that record is complete */
};

/* "200000001+64": the first element, in hexadecimal digits, and how many. */
static bool read_run(struct trace_record *record, const char *word)
{
    uint64_t first;
    int64_t count;
    int end = 0;
    if (sscanf(word, "%16" SCNx64 "+%15" SCNd64 "%n", &first, &count, &end) != 2 ||
        word[end] != '\0' || count < 1 || (int64_t)(uint32_t)first + count > record->elements)
        return false;
    sup_grow(&record->run, record->runs, sizeof *record->run);
    record->run[record->runs++] =
        (struct trace_run){(uint32_t)first, (uint32_t)(first >> 32), count};
    return true;
}

/* PEER TAG BYTES [RUN...] */
static const char *read_event(struct reader *r, bool posted, char *text)
{
    struct trace_record *record = r->record;
    struct trace_event event = {
        .posted = posted, .rank = r->rank, .line = r->lines.at, .first = record->runs};
    int at = 0;
    if (sscanf(text, "%" SCNd32 " %16" SCNx64 " %15" SCNd64 "%n", &event.peer, &event.tag,
               &event.bytes, &at) != 3 ||
        event.peer < -1 || event.peer >= record->p || event.bytes < 0)
        return "not a peer, a tag and bytes";
    text += at;
    for (char *word; (word = strsep(&text, " ")) != NULL;)
        if (*word != '\0' && !read_run(record, word))
            return "the rank sends elements that it did not receive";
    event.end = record->runs;
    record->messages += !posted;
    record->bytes += posted ? 0 : event.bytes;
    sup_grow(&record->event, record->events, sizeof *record->event);
    record->event[record->events++] = event;
    return NULL;
}

/* COLLECTIVE ELEMENTS ROOT: the same at all ranks. */
static const char *read_call(struct reader *r, const char *text)
{
    struct trace_record call = {0}, *record = r->record;
    if (sscanf(text, "%31s %10" SCNd64 " %" SCNd32, call.collective, &call.elements, &call.root) !=
            3 ||
        rb_collective_find(call.collective) == NULL || call.elements < 0 ||
        call.elements > UINT32_MAX || call.root < 0 || call.root >= record->p)
        return "not a collective, its elements, and a root";
    if (r->rank == 0 && record->collective[0] != '\0')
        return "a second call of rank 0";
    if (r->rank > 0 && (strcmp(call.collective, record->collective) != 0 ||
                        call.elements != record->elements || call.root != record->root))
        return "another call than that of rank 0";
    strcpy(record->collective, call.collective);
    record->elements = call.elements;
    record->root = call.root;
    return NULL;
}

/* RANK RANKS: in rising order, each record complete. */
static const char *read_rank(struct reader *r, const char *text)
{
    int32_t rank, p;
    if (sscanf(text, "%" SCNd32 " %" SCNd32, &rank, &p) != 2 || rank != r->rank + 1 || rank >= p ||
        (rank > 0 && (p != r->record->p || !r->ended)))
        return "not the next rank, behind the complete record of the one before";
    r->rank = rank;
    r->record->p = p;
    r->ended = false;
    return NULL;
}

static const char *read_line(struct reader *r)
{
    struct trace_record *record = r->record;
    char *text = r->lines.line;
    const char *word = strsep(&text, " ");
    if (text == NULL)
        text = r->lines.line + strlen(r->lines.line);
    if (strcmp(word, "rank") == 0)
        return read_rank(r, text);
    if (r->ended)
        return NO_RECORD;
    if (strcmp(word, "send") == 0)
        return read_event(r, false, text);
    if (strcmp(word, "post") == 0)
        return read_event(r, true, text);
    if (strcmp(word, "call") == 0)
        return read_call(r, text);
    if (strcmp(word, "library") == 0)
        snprintf(record->library, sizeof record->library, "%s", text);
    else if (strcmp(word, "setting") == 0 && r->rank == 0)
        snprintf(record->settings + strlen(record->settings),
                 sizeof record->settings - strlen(record->settings), " %s", text);
    else if (strcmp(word, "begin") == 0)
        record->calls += r->rank == 0;
    else if (strcmp(word, "end") == 0)
        r->ended = true;
    else if (strcmp(word, "setting") != 0)
        return NO_RECORD;
    return NULL;
}

int trace_record_read(const char *path, const char *name, struct trace_record *record,
                      struct sup_error *error)
{
    struct reader r = {.record = record, .rank = -1, .ended = true};
    const char *wrong = NULL;
    *record = (struct trace_record){.path = name};
    int status = sup_lines_read(&r.lines, path, error);
    while (status == RB_OK && wrong == NULL && sup_lines_next(&r.lines))
        wrong = read_line(&r);
    if (wrong != NULL)
        status = sup_fail(error, RB_EINVAL, "%s:%" PRId32 ": %s", name, r.lines.at, wrong);
    else if (status == RB_OK && r.rank < 0)
        status = sup_fail(error, RB_EINVAL, "%s: " TRACE_EMPTY, name);
    else if (status == RB_OK && (r.rank < 0 || r.rank != record->p - 1 || !r.ended))
        status = sup_fail(error, RB_EINVAL,
                          "%s: %" PRId32 " of %" PRId32 " ranks have a complete record", name,
                          r.rank + r.ended, record->p);
    free(r.lines.text);
    return status;
}

void trace_record_free(struct trace_record *record)
{
    free(record->event);
    free(record->run);
}
