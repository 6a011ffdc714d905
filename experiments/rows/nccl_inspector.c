/* nccl_inspector.c - the JSON of NCCL's profiler plugin Inspector: a line for each call of a rank.
 *
 *   {"header": {"id": "0x7f..", "rank": 2, "n_ranks": 8, "nnodes": 1}, "metadata": {..},
 *    "coll_perf": {"coll": "AllReduce", "coll_algo": "RING", "coll_msg_size_bytes": 17179869184,
 *     "coll_exec_time_us": 61974, "coll_algobw_gbs": 277.210914, ..}}
 *
 * Newer versions give the header once, before the calls that it is of. Calls of one communicator,
 * collective, algorithm and size are one row: the median of their times. The size is that of one
 * rank's part where the bandwidth says so. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/rows/format.h"
#include "roundabout.h"
#include "support/memory.h"

/* Calls that are alike. */
struct calls {
    const char *id, *collective, *algorithm; /* texts of the set */
    int64_t p, nodes, size;
    int32_t line;   /* the first */
    double *time_s; /* owned */
    size_t count;
};

struct reading {
    struct rows_file *file;
    json_t *header; /* the last one */
    struct calls *calls;
    size_t count;
};

static bool recognises(const char *line)
{
    return line[strspn(line, " \t")] == '{' &&
           (strstr(line, "\"coll_perf\"") != NULL || strstr(line, "\"dump_stats\"") != NULL ||
            strstr(line, "\"p2p_perf\"") != NULL);
}

/* A text of the set; NULL: the member is none. */
static const char *text_of(struct rows_file *file, const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    char low[60];
    size_t i = 0;
    if (text == NULL)
        return NULL;
    for (; text[i] != '\0' && i + 1 < sizeof low; i++)
        low[i] = (char)(text[i] >= 'A' && text[i] <= 'Z' ? text[i] + 32 : text[i]);
    low[i] = '\0';
    return rows_texts_keep(&file->set->texts, low);
}

static struct calls *calls_of(struct reading *reading, const struct calls *like)
{
    for (size_t i = 0; i < reading->count; i++) {
        struct calls *calls = &reading->calls[i];
        if (calls->id == like->id && calls->algorithm == like->algorithm &&
            calls->size == like->size && calls->collective == like->collective)
            return calls;
    }
    sup_grow(&reading->calls, reading->count, sizeof *reading->calls);
    reading->calls[reading->count] = *like;
    return &reading->calls[reading->count++];
}

static int add_call(struct reading *reading, const json_t *perf)
{
    struct rows_file *file = reading->file;
    const json_t *size = json_object_get(perf, "coll_msg_size_bytes"),
                 *time = json_object_get(perf, "coll_exec_time_us"),
                 *p = json_object_get(reading->header, "n_ranks");
    struct calls like = {.id = text_of(file, reading->header, "id"),
                         .collective = text_of(file, perf, "coll"),
                         .algorithm = text_of(file, perf, "coll_algo"),
                         .p = json_integer_value(p),
                         .nodes = json_integer_value(json_object_get(reading->header, "nnodes")),
                         .size = json_integer_value(size),
                         .line = file->lines.at};
    if (like.collective == NULL || !json_is_integer(size) || !json_is_number(time) ||
        !json_is_integer(p) || like.p < 1 || like.size < 0 || !(json_number_value(time) >= 0))
        return rows_wrong(file, "not a call of NCCL's inspector: coll, coll_msg_size_bytes and "
                                "coll_exec_time_us are needed, and n_ranks in a header");
    const double moved =
        1e3 * json_number_value(json_object_get(perf, "coll_algobw_gbs")) * json_number_value(time);
    if (like.p > 1 && fabs(moved / (double)like.p / (double)like.size - 1) < 0.02 &&
        __builtin_mul_overflow(like.size, like.p, &like.size))
        return rows_wrong(file, "the size is too large for the number of ranks");
    struct calls *calls = calls_of(reading, &like);
    sup_grow(&calls->time_s, calls->count, sizeof *calls->time_s);
    calls->time_s[calls->count++] = json_number_value(time) / 1e6;
    return RB_OK;
}

static int read_line(struct reading *reading)
{
    struct rows_file *file = reading->file;
    const char *line = file->lines.line + strspn(file->lines.line, " \t");
    json_error_t why;
    if (*line != '{')
        return *line == '\0' ? RB_OK : rows_wrong(file, "not a JSON object, one to a line");
    json_t *object = json_loads(line, JSON_REJECT_DUPLICATES, &why);
    if (object == NULL)
        return rows_wrong(file, "not JSON: %.100s", why.text);
    json_t *header = json_object_get(object, "header");
    if (json_is_object(header)) {
        json_decref(reading->header);
        reading->header = json_incref(header);
    }
    const json_t *perf = json_object_get(object, "coll_perf");
    if (json_object_get(object, "p2p_perf") != NULL)
        rows_leave(file, ROWS_NO_COLLECTIVE, "p2p_perf");
    const int status = perf == NULL ? RB_OK : add_call(reading, perf);
    json_decref(object);
    return status;
}

static int add_rows(struct reading *reading)
{
    struct rows_file *file = reading->file;
    int status = RB_OK;
    for (size_t i = 0; i < reading->count && status == RB_OK; i++) {
        struct calls *calls = &reading->calls[i];
        struct rows_draft draft = rows_empty_draft();
        sup_sort_reals(calls->time_s, calls->count);
        draft.collective = calls->collective;
        draft.size = calls->size;
        draft.size_of = ROWS_OF_BUFFER;
        draft.p = calls->p;
        draft.nodes = calls->nodes;
        draft.test = calls->id;
        draft.runs = (int64_t)calls->count;
        draft.min_s = calls->time_s[0];
        draft.p10_s = sup_quantile(calls->time_s, calls->count, 0.1);
        draft.median_s = sup_quantile(calls->time_s, calls->count, 0.5);
        draft.p90_s = sup_quantile(calls->time_s, calls->count, 0.9);
        if (file->said.library == NULL)
            draft.library = "NCCL";
        if (file->said.name == NULL)
            draft.name = calls->algorithm == NULL || strcmp(calls->algorithm, "unknown") == 0
                             ? "default"
                             : calls->algorithm;
        file->lines.at = calls->line;
        status = rows_add(file, &draft);
    }
    return status;
}

static int read_(struct rows_file *file)
{
    struct reading reading = {.file = file};
    int status;
    do
        status = read_line(&reading);
    while (status == RB_OK && rows_next_line(file));
    if (status == RB_OK && file->status == RB_OK)
        status = add_rows(&reading);
    for (size_t i = 0; i < reading.count; i++)
        free(reading.calls[i].time_s);
    free(reading.calls);
    json_decref(reading.header);
    return status;
}

const struct rows_format rows_nccl_inspector = {
    .name = "NCCL inspector", .recognises = recognises, .read = read_};
