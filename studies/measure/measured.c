/* measured.c - rows of measurements, written and read (measure.h). */
#include "studies/measure/measure.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/point/parameters.h"
#include "roundabout.h"
#include "support/csv.h"
#include "support/memory.h"
#include "support/output/table.h"
#include "support/units.h"

#define COLUMN(name_, kind_)                                                                       \
    {#name_, .kind = (kind_), .optional = true, OUT_OF(struct measure_result, name_)},
#define TEXT_COLUMN(name, room) COLUMN(name, OUT_WORD)
#define WHOLE_COLUMN(name)      COLUMN(name, OUT_WHOLE)
#define REAL_COLUMN(name)       COLUMN(name, OUT_REAL)
static const struct out_column columns[] = {
    MEASURE_RESULT_COLUMNS(TEXT_COLUMN, WHOLE_COLUMN, REAL_COLUMN)};
enum { COLUMNS = OUT_COUNT_OF(columns) };
static const struct out_table table = {columns, .width = COLUMNS, .digits = 9};

static void *member(struct measure_result *row, const struct out_column *column)
{
    return (char *)row + column->at;
}

void measure_result_clear(struct measure_result *row)
{
    memset(row, 0, sizeof *row);
    for (int i = 0; i < COLUMNS; i++)
        if (columns[i].kind == OUT_WHOLE)
            *(int64_t *)member(row, &columns[i]) = MEASURE_NOT_MEASURED;
        else if (columns[i].kind == OUT_REAL)
            *(double *)member(row, &columns[i]) = NAN;
}

/* The column of a plan's number, or NULL. */
static const struct out_column *column_of(const struct point_parameter *parameter)
{
    for (int i = 0; i < COLUMNS && parameter->column != NULL && parameter->type != POINT_TEXT; i++)
        if (columns[i].kind == OUT_WHOLE && strcmp(columns[i].name, parameter->column) == 0)
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
        const struct out_column *column = point_is_of_plan(parameter) ? column_of(parameter) : NULL;
        if (column != NULL && *(int64_t *)member(&copy, column) >= 0)
            point_set_number(&point, parameter, *(int64_t *)member(&copy, column));
    }
    point.plan.n = point.plan.n < 1 ? 1 : point.plan.n;
    return point.plan;
}

void measure_result_set_plan(struct measure_result *row, const struct rb_plan_spec *spec)
{
    const struct point point = {.plan = *spec};
    for (int i = 0; i < POINT_PARAMETERS; i++) {
        const struct point_parameter *parameter = &point_parameters[i];
        const struct out_column *column = point_is_of_plan(parameter) ? column_of(parameter) : NULL;
        if (column != NULL)
            *(int64_t *)member(row, column) = point_number(&point, parameter);
    }
}

/* ---- Writing --------------------------------------------------------------------------------- */

void measure_result_write_header(FILE *stream)
{
    out_csv_heading(&table, stream);
}

void measure_result_write_csv(const struct measure_result *row, FILE *stream)
{
    union out_cell cells[COLUMNS];
    out_cells(&table, (const void *const[]){row}, cells);
    out_csv_row(&table, cells, stream);
}

void measure_result_write_json(const struct measure_result *row, FILE *stream)
{
    union out_cell cells[COLUMNS];
    out_cells(&table, (const void *const[]){row}, cells);
    json_t *object = out_json_row(&table, cells);
    json_dumpf(object, stream, JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(9));
    json_decref(object);
    fputc('\n', stream);
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
    struct sup_lines lines;
    struct sup_error *error;
    const struct out_column *field[2 * COLUMNS]; /* by position in the line; NULL: unknown */
    int32_t fields;
};

static int wrong(const struct reader *reader, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static int wrong(const struct reader *reader, const char *format, ...)
{
    char text[300];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    return sup_fail(reader->error, RB_EINVAL, "%s:%" PRId32 ": %s", reader->lines.path,
                    reader->lines.at, text);
}

static const struct out_column *column_called(const char *name)
{
    for (int i = 0; i < COLUMNS; i++)
        if (strcmp(name, columns[i].name) == 0)
            return &columns[i];
    return NULL;
}

static int read_header(struct reader *reader)
{
    enum { MOST = sizeof reader->field / sizeof *reader->field };
    static const char *const needed[] = {"test", "p", "m_bytes", "median_s"};
    char *name[MOST];
    bool seen[COLUMNS] = {false};
    if (sup_lines_next(&reader->lines))
        reader->fields = sup_csv_split(reader->lines.line, ',', name, MOST);
    if (reader->fields > MOST)
        return wrong(reader, "more than %d columns", MOST);
    for (int32_t i = 0; i < reader->fields; i++) {
        const struct out_column *column = reader->field[i] = column_called(name[i]);
        if (column != NULL && seen[column - columns])
            return wrong(reader, "column %s is there twice", name[i]);
        if (column != NULL)
            seen[column - columns] = true;
    }
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (!seen[column_called(needed[i]) - columns])
            return sup_fail(reader->error, RB_EINVAL,
                            "%s:1: no column %s: this is no CSV of roundabout measure",
                            reader->lines.path, needed[i]);
    return RB_OK;
}

static int complain(const struct reader *reader, const struct out_column *column, const char *value,
                    const char *right)
{
    return wrong(reader, "%s: \"%.40s\" is not %s", column->name, value, right);
}

static int read_value(const struct reader *reader, const struct out_column *column,
                      const char *value, struct measure_result *row)
{
    if (column->kind == OUT_WORD) {
        if (strlen(value) >= column->size)
            return complain(reader, column, value, "a text as short as that column's are");
        strcpy(member(row, column), value);
        return RB_OK;
    }
    if (*value == '\0')
        return RB_OK;
    if (column->kind == OUT_WHOLE)
        return sup_parse_int(value, 0, INT64_MAX, member(row, column), NULL) == RB_OK
                   ? RB_OK
                   : complain(reader, column, value, "a whole number from 0");
    return sup_parse_real(value, member(row, column), NULL) == RB_OK
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
    return what == NULL ? RB_OK : wrong(reader, "%s", what);
}

static int read_row(const struct reader *reader, struct measure_result *row)
{
    char *value[2 * COLUMNS];
    const int32_t count = sup_csv_split(reader->lines.line, ',', value, reader->fields);
    measure_result_clear(row);
    if (count < 0)
        return wrong(reader, "value %d: wrong quotes", -count);
    if (count != reader->fields)
        return wrong(reader, "%s values than the header has names (%d)",
                     count > reader->fields ? "more" : "fewer", reader->fields);
    for (int32_t i = 0; i < count; i++) {
        const int status =
            reader->field[i] == NULL ? RB_OK : read_value(reader, reader->field[i], value[i], row);
        if (status != RB_OK)
            return status;
    }
    return check_row(reader, row);
}

int measure_result_read(const char *path, struct measure_result_rows *rows, struct sup_error *error)
{
    struct reader reader = {.error = error};
    int status = sup_lines_read(&reader.lines, path, error);
    if (status == RB_OK)
        status = read_header(&reader);
    while (status == RB_OK && sup_lines_next(&reader.lines)) {
        sup_grow(&rows->row, rows->count, sizeof *rows->row);
        status = read_row(&reader, &rows->row[rows->count]);
        rows->count += status == RB_OK;
    }
    free(reader.lines.text);
    return status;
}
