/* measured.c - rows of measurements, written and read (measured.h). */
#define _POSIX_C_SOURCE 200809L

#include "measurements/measure/measured.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/output/json_rows.h"
#include "experiments/point/parameters.h"
#include "measurements/measure/request.h"
#include "roundabout.h"
#include "support/array.h"
#include "support/units.h"

enum type { TEXT, WHOLE, REAL };

struct column {
    const char *name;
    enum type type;
    size_t at, room;
};
#define TEXT_COLUMN(name, room) {#name, TEXT, offsetof(struct measure_result, name), room},
#define WHOLE_COLUMN(name)      {#name, WHOLE, offsetof(struct measure_result, name), 0},
#define REAL_COLUMN(name)       {#name, REAL, offsetof(struct measure_result, name), 0},
static const struct column columns[] = {
    MEASURE_RESULT_COLUMNS(TEXT_COLUMN, WHOLE_COLUMN, REAL_COLUMN)};
enum { COLUMNS = sizeof columns / sizeof *columns };

static int64_t *whole_of(struct measure_result *row, const struct column *column)
{
    return (int64_t *)(void *)((char *)row + column->at);
}

static double *real_of(struct measure_result *row, const struct column *column)
{
    return (double *)(void *)((char *)row + column->at);
}

void measure_result_clear(struct measure_result *row)
{
    memset(row, 0, sizeof *row);
    for (int i = 0; i < COLUMNS; i++)
        if (columns[i].type == WHOLE)
            *whole_of(row, &columns[i]) = MEASURE_NOT_MEASURED;
        else if (columns[i].type == REAL)
            *real_of(row, &columns[i]) = NAN;
}

/* The column of a plan's number, or NULL. */
static const struct column *column_of(const struct point_parameter *parameter)
{
    for (int i = 0; i < COLUMNS && parameter->column != NULL && parameter->type != POINT_TEXT; i++)
        if (columns[i].type == WHOLE && strcmp(columns[i].name, parameter->column) == 0)
            return &columns[i];
    return NULL;
}

struct rb_plan_spec measure_result_plan(const struct measure_result *row)
{
    struct measure_result copy = *row;
    struct point point = {
        .plan = {.collective = row->collective, .algorithm = row->algorithm, .ports = 1}};
    for (int i = 0; i < POINT_PARAMETERS; i++) {
        const struct point_parameter *parameter = &point_parameters[i];
        const struct column *column = point_is_of_plan(parameter) ? column_of(parameter) : NULL;
        if (column != NULL && *whole_of(&copy, column) >= 0)
            point_set_number(&point, parameter, *whole_of(&copy, column));
    }
    point.plan.n = point.plan.n < 1 ? 1 : point.plan.n;
    return point.plan;
}

void measure_result_set_plan(struct measure_result *row, const struct rb_plan_spec *spec)
{
    const struct point point = {.plan = *spec};
    for (int i = 0; i < POINT_PARAMETERS; i++) {
        const struct point_parameter *parameter = &point_parameters[i];
        const struct column *column = point_is_of_plan(parameter) ? column_of(parameter) : NULL;
        if (column != NULL)
            *whole_of(row, column) = point_number(&point, parameter);
    }
}

/* ---- Writing --------------------------------------------------------------------------------- */

void measure_result_write_header(FILE *stream)
{
    for (int i = 0; i < COLUMNS; i++)
        fprintf(stream, "%s%s", i == 0 ? "" : ",", columns[i].name);
    fputc('\n', stream);
}

static void write_text(FILE *stream, const char *text)
{
    if (strpbrk(text, ",\"") == NULL) {
        fputs(text, stream);
        return;
    }
    fputc('"', stream);
    for (; *text != '\0'; text++) {
        if (*text == '"')
            fputc('"', stream);
        fputc(*text, stream);
    }
    fputc('"', stream);
}

void measure_result_write_csv(const struct measure_result *row, FILE *stream)
{
    struct measure_result copy = *row;
    for (int i = 0; i < COLUMNS; i++) {
        const struct column *column = &columns[i];
        if (i > 0)
            fputc(',', stream);
        if (column->type == TEXT)
            write_text(stream, (const char *)row + column->at);
        else if (column->type == WHOLE && *whole_of(&copy, column) != MEASURE_NOT_MEASURED)
            fprintf(stream, "%" PRId64, *whole_of(&copy, column));
        else if (column->type == REAL && !isnan(*real_of(&copy, column)))
            fprintf(stream, "%.9g", *real_of(&copy, column));
    }
    fputc('\n', stream);
}

int measure_result_write_json(const struct measure_result *row, FILE *stream)
{
    struct measure_result copy = *row;
    json_t *object = json_object();
    for (int i = 0; i < COLUMNS; i++) {
        const struct column *column = &columns[i];
        const char *text = (const char *)row + column->at;
        if (column->type == TEXT && *text != '\0')
            json_object_set_new(object, column->name, out_json_text(text));
        else if (column->type == WHOLE && *whole_of(&copy, column) != MEASURE_NOT_MEASURED)
            json_object_set_new(object, column->name, json_integer(*whole_of(&copy, column)));
        else if (column->type == REAL && !isnan(*real_of(&copy, column)))
            json_object_set_new(object, column->name, json_real(*real_of(&copy, column)));
    }
    char *text = json_dumps(object, JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(9));
    json_decref(object);
    if (text == NULL)
        return RB_ENOMEM;
    fprintf(stream, "%s\n", text);
    free(text);
    return RB_OK;
}

bool measure_result_has_header(FILE *stream)
{
    for (int i = 0; i < COLUMNS; i++) {
        for (const char *c = columns[i].name; *c != '\0'; c++)
            if (fgetc(stream) != *c)
                return false;
        if (fgetc(stream) != (i == COLUMNS - 1 ? '\n' : ','))
            return false;
    }
    return true;
}

/* ---- Reading --------------------------------------------------------------------------------- */

struct reader {
    const char *path;
    FILE *file;
    char *line;
    int64_t number;
    int field_count;             /* of the header */
    const struct column **field; /* owned; by position in the line; NULL: unknown column */
    struct sup_error *error;
};

/* Cuts the next value off a line, quotes taken away; NULL and *bad if its quotes are wrong. */
static char *next_value(char **rest, bool *bad)
{
    char *value = *rest, *to = value, *from = value;
    const bool quoted = *from == '"';
    *bad = false;
    if (quoted)
        for (from++; *from != '\0' && (*from != '"' || from[1] == '"'); from++) {
            if (*from == '"')
                from++;
            *to++ = *from;
        }
    if (quoted && *from++ != '"') {
        *bad = true;
        return NULL;
    }
    while (!quoted && *from != '\0' && *from != ',')
        *to++ = *from++;
    if (*from != '\0' && *from != ',') {
        *bad = true;
        return NULL;
    }
    *rest = *from == ',' ? from + 1 : NULL;
    *to = '\0';
    return value;
}

static const struct column *column_called(const char *name)
{
    for (int i = 0; i < COLUMNS; i++)
        if (strcmp(name, columns[i].name) == 0)
            return &columns[i];
    return NULL;
}

enum { MOST_LETTERS = 1 << 16 };

/* 1: a line was read; 0: the end; negative: an error. Not by getline, for which a line may have no
 * end. */
static int read_line(struct reader *reader)
{
    size_t length = 0;
    int letter = 0;
    if (reader->line == NULL && (reader->line = malloc(MOST_LETTERS + 1)) == NULL)
        return sup_fail(reader->error, RB_ENOMEM, "out of memory");
    errno = 0;
    while (length < MOST_LETTERS && letter != '\n' && (letter = getc(reader->file)) != EOF)
        reader->line[length++] = (char)letter;
    reader->line[length] = '\0';
    if (ferror(reader->file))
        return sup_fail(reader->error, RB_EINVAL, "%s: %s", reader->path, strerror(errno));
    if (length == 0)
        return 0;
    reader->number++;
    if (length == MOST_LETTERS)
        return sup_fail(reader->error, RB_EINVAL, "%s:%" PRId64 ": longer than %d letters",
                        reader->path, reader->number, MOST_LETTERS - 1);
    if (strlen(reader->line) < length)
        return sup_fail(reader->error, RB_EINVAL,
                        "%s:%" PRId64 ": a zero byte: this is no text file", reader->path,
                        reader->number);
    reader->line[strcspn(reader->line, "\r\n")] = '\0';
    return 1;
}

static int read_header(struct reader *reader)
{
    static const char *const needed[] = {"test", "p", "m_bytes", "median_s"};
    bool bad = false, seen[COLUMNS] = {false};
    const int got = read_line(reader);
    if (got < 0)
        return got;
    char *rest = got == 0 ? NULL : reader->line;
    while (rest != NULL) {
        char *name = next_value(&rest, &bad);
        const struct column **more =
            realloc(reader->field, ((size_t)reader->field_count + 1) * sizeof *more);
        if (more == NULL)
            return sup_fail(reader->error, RB_ENOMEM, "out of memory");
        reader->field = more;
        const struct column *column = bad ? NULL : column_called(name);
        if (bad)
            break;
        if (column != NULL && seen[column - columns])
            return sup_fail(reader->error, RB_EINVAL, "%s:1: column %s is there twice",
                            reader->path, name);
        if (column != NULL)
            seen[column - columns] = true;
        more[reader->field_count++] = column;
    }
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (bad || !seen[column_called(needed[i]) - columns])
            return sup_fail(reader->error, RB_EINVAL,
                            "%s:1: no column %s: this is no CSV of roundabout measure",
                            reader->path, needed[i]);
    return RB_OK;
}

static int complain(const struct reader *reader, const struct column *column, const char *value,
                    const char *right)
{
    return sup_fail(reader->error, RB_EINVAL, "%s:%" PRId64 ": %s: \"%.40s\" is not %s",
                    reader->path, reader->number, column->name, value, right);
}

static int read_value(const struct reader *reader, const struct column *column, const char *value,
                      struct measure_result *row)
{
    if (column->type == TEXT) {
        if (strlen(value) >= column->room)
            return complain(reader, column, value, "a text as short as that column's are");
        strcpy((char *)row + column->at, value);
        return RB_OK;
    }
    if (*value == '\0')
        return RB_OK;
    if (column->type == WHOLE)
        return sup_parse_int(value, 0, INT64_MAX, whole_of(row, column), NULL) == RB_OK
                   ? RB_OK
                   : complain(reader, column, value, "a whole number from 0");
    return sup_parse_real(value, real_of(row, column), NULL) == RB_OK
               ? RB_OK
               : complain(reader, column, value, "a number");
}

/* The columns that every row needs. */
static int check_row(const struct reader *reader, const struct measure_result *row)
{
    const char *what = NULL;
    if (row->test[0] == '\0')
        what = "test: what was measured is missing";
    else if (strcmp(row->test, "collective") != 0 &&
             measure_pair_test_called(row->test) == MEASURE_PAIR_TESTS)
        return complain(reader, column_called("test"), row->test,
                        "collective, latency, exchange, send, receive or gap");
    else if (strcmp(row->test, "collective") == 0 &&
             (row->collective[0] == '\0' || row->algorithm[0] == '\0'))
        what = "collective, algorithm: missing in a row of test collective";
    else if (row->p < 1 || row->p > RB_MAX_RANKS)
        what = "p: a number of ranks from 1 is missing";
    else if (row->m_bytes < 0)
        what = "m_bytes: missing";
    else if (!(row->median_s >= 0) || isinf(row->median_s))
        what = "median_s: a time of 0 or more is missing";
    if (what != NULL)
        return sup_fail(reader->error, RB_EINVAL, "%s:%" PRId64 ": %s", reader->path,
                        reader->number, what);
    return RB_OK;
}

static int read_row(struct reader *reader, struct measure_result *row)
{
    char *rest = reader->line;
    bool bad;
    int place = 0;
    measure_result_clear(row);
    for (; rest != NULL && place < reader->field_count; place++) {
        const struct column *column = reader->field[place];
        const char *value = next_value(&rest, &bad);
        if (bad)
            return sup_fail(reader->error, RB_EINVAL, "%s:%" PRId64 ": value %d: wrong quotes",
                            reader->path, reader->number, place + 1);
        const int status = column == NULL ? RB_OK : read_value(reader, column, value, row);
        if (status != RB_OK)
            return status;
    }
    if (rest != NULL || place < reader->field_count)
        return sup_fail(reader->error, RB_EINVAL,
                        "%s:%" PRId64 ": %s values than the header has names (%d)", reader->path,
                        reader->number, rest != NULL ? "more" : "fewer", reader->field_count);
    return check_row(reader, row);
}

static int read_rows(struct reader *reader, struct measure_result_rows *rows)
{
    int status = read_header(reader);
    while (status == RB_OK && (status = read_line(reader)) == 1) {
        if (!sup_array_grow(&rows->row, rows->count, sizeof *rows->row))
            return sup_fail(reader->error, RB_ENOMEM, "out of memory");
        status = read_row(reader, &rows->row[rows->count]);
        if (status == RB_OK)
            rows->count++;
    }
    return status;
}

int measure_result_read(const char *path, struct measure_result_rows *rows, struct sup_error *error)
{
    struct reader reader = {.path = path, .file = fopen(path, "r"), .error = error};
    if (reader.file == NULL)
        return sup_fail(error, RB_EINVAL, "%s: %s", path, strerror(errno));
    const int status = read_rows(&reader, rows);
    fclose(reader.file);
    free(reader.line);
    free(reader.field);
    return status;
}
