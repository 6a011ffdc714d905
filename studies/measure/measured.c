/* measured.c - rows of measurements, written and read (measure.h). */
#include "studies/measure/measure.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "experiments/point/parameters.h"
#include "experiments/results/results.h"
#include "roundabout.h"
#include "support/csv.h"
#include "support/memory.h"
#include "support/output/table.h"
#include "support/replace.h"
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

int measure_plan_make(const struct measure_result *row, struct measure_plan *made,
                      struct sup_error *error)
{
    struct rb_plan_spec spec = measure_result_plan(row);
    struct sup_counts counts;
    char why[300];
    *made = (struct measure_plan){
        .layout = {.bytes = row->m_bytes,
                   .element = row->element_bytes < 1 ? 1 : row->element_bytes}};
    int status = rb_layout_check(&made->layout, why, sizeof why);
    if (status != RB_OK)
        return sup_fail(error, status, "%s %s, p = %" PRId64 ": %s", row->collective,
                        row->algorithm, row->p, why);
    status = sup_counts_parse(row->counts[0] == '\0' ? "regular" : row->counts, &counts, error);
    if (status == RB_OK && sup_counts_differ(&counts))
        status = sup_counts_apply(&counts, rb_collective_find(row->collective), spec.p,
                                  &made->layout, &made->first, error);
    spec.first = made->first;
    if (status == RB_OK && (status = rb_plan_create(&spec, &made->plan, why, sizeof why)) != RB_OK)
        sup_fail(error, status, "%s %s, p = %" PRId64 ": %s", row->collective, row->algorithm,
                 row->p, status == RB_ENOMEM ? "out of memory" : why);
    if (status != RB_OK)
        measure_plan_free(made);
    return status;
}

void measure_plan_free(struct measure_plan *made)
{
    rb_plan_destroy(made->plan);
    free(made->first);
    *made = (struct measure_plan){0};
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

/* ---- Where rows go (measure.h) --------------------------------------------------------------- */

struct measure_sink {
    const struct measure_request *request;
    FILE *stream;
    struct results *results; /* NULL: none */
};

/* ---- The stream ------------------------------------------------------------------------------ */

/* Opens for appending; an empty file, or a new one, gets a header. */
static int append(struct measure_sink *sink, const char *path, struct sup_error *error)
{
    sink->stream = fopen(path, "a+");
    if (sink->stream == NULL)
        return out_cannot_write(path, errno, error);
    fseek(sink->stream, 0, SEEK_END);
    if (sink->request->json)
        return RB_OK;
    if (ftell(sink->stream) <= 0) {
        measure_result_write_header(sink->stream);
        fflush(sink->stream); /* errors show with the first row */
        return RB_OK;
    }
    rewind(sink->stream);
    const bool ours = measure_result_has_header(sink->stream);
    fseek(sink->stream, 0, SEEK_END);
    if (!ours)
        return sup_fail(error, RB_EINVAL,
                        "--output: \"%s\" is there and has not these columns; give another name",
                        path);
    return RB_OK;
}

/* Jobs that begin at the same time must not both write a header. Where the file can't be locked,
 * the time between looking and writing is short. */
static int open_stream(struct measure_sink *sink, struct sup_error *error)
{
    const char *path = sink->request->output;
    if (strcmp(path, "-") == 0) {
        sink->stream = stdout;
        if (!sink->request->json)
            measure_result_write_header(stdout);
        return RB_OK;
    }
    struct sup_lock lock = {0};
    struct stat about;
    if (stat(path, &about) != 0 || S_ISREG(about.st_mode))
        sup_lock_wait(&lock, path, 10);
    const int status = append(sink, path, error);
    sup_lock_release(&lock);
    return status;
}

static int write_row(struct measure_sink *sink, const struct measure_result *row,
                     struct sup_error *error)
{
    (sink->request->json ? measure_result_write_json : measure_result_write_csv)(row, sink->stream);
    if (fflush(sink->stream) != 0)
        return sup_fail(error, RB_EIO, "--output: %s: not all was written: %s",
                        sink->request->output, strerror(errno));
    return RB_OK;
}

/* ---- The results file ------------------------------------------------------------------------ */

/* 16 hex digits of what times depend on besides the platform's name (FNV-1a 64). */
static void hash_machine(const struct measure_result *row, char hash[17])
{
    uint64_t value = UINT64_C(0xcbf29ce484222325);
    char text[512];
    snprintf(text, sizeof text, "%s|%s|%" PRId64 "|%s|%s", row->host, row->cpu, row->cores,
             row->kernel, row->mpi_library);
    for (const char *c = text; *c != '\0'; c++)
        value = (value ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
    snprintf(hash, 17, "%016" PRIx64, value);
}

/* The plan's own values; none for the MPI library's own algorithm. */
static int describe_plan(const struct measure_result *row, struct point_outcome *outcome)
{
    struct measure_plan made;
    struct sup_error ignored;
    struct rb_verdict verdict;
    if (strcmp(row->algorithm, MEASURE_LIBRARY_OWN) == 0)
        return RB_OK;
    int status = measure_plan_make(row, &made, &ignored);
    if (status != RB_OK)
        return status;
    const struct rb_plan *plan = made.plan;
    status = rb_verify_plan(plan, &made.layout, &verdict);
    outcome->rounds = rb_plan_rounds(plan);
    outcome->bound_rounds = rb_bound_rounds(plan);
    outcome->messages = verdict.messages;
    outcome->moved_bytes = verdict.bytes;
    measure_plan_free(&made);
    return status;
}

static int record(struct measure_sink *sink, const struct measure_result *row, const char *overlap,
                  struct sup_error *error)
{
    char engine[32], hash[17];
    hash_machine(row, hash);
    snprintf(engine, sizeof engine, "mpi:%s", row->mpi);
    const struct point point = {
        .plan = measure_result_plan(row),
        .m_bytes = row->m_bytes,
        .element_bytes = row->element_bytes,
        .counts = row->counts,
        .platform_text = row->host,
        .platform_hash = hash,
        .ppn = (int32_t)row->ppn,
        .placement = "block",
        .arrival = "together",
        .program = "alone",
        .overlap = overlap,
        .engine_text = engine,
        .engine_options = "",
    };
    struct point_outcome outcome = {.done = true,
                                    .time_s = row->median_s,
                                    .spread = {.low_s = row->ci_low_s, .high_s = row->ci_high_s},
                                    .alpha_s = NAN,
                                    .beta_s_per_byte = NAN,
                                    .closed_form_s = NAN};
    if (!isnan(row->ci_low_s) && !isnan(row->ci_high_s))
        outcome.spread.copies = (int32_t)(row->runs < INT32_MAX ? row->runs : INT32_MAX);
    const int status = describe_plan(row, &outcome);
    if (status != RB_OK)
        return sup_fail(error, status, "%s %s: its plan is wrong", row->collective, row->algorithm);
    return results_record(sink->results, &point, &outcome, error);
}

/* The MPI library's own algorithm has no overlap rule. It is entered under each rule with which
 * other algorithms ran, so that `tune` compares them. */
static int record_row(struct measure_sink *sink, const struct measure_result *row,
                      struct sup_error *error)
{
    const struct measure_names *overlap = &sink->request->overlap;
    int status = RB_OK;
    if (row->progress[0] != '\0')
        return record(sink, row, row->progress, error);
    for (int32_t i = 0; i < overlap->count && status == RB_OK; i++)
        status = record(sink, row, overlap->name[i], error);
    return status;
}

/* ---- Both ------------------------------------------------------------------------------------ */

int measure_sink_open(const struct measure_request *request, struct measure_sink **sink,
                      struct sup_error *error)
{
    static const struct results_sweep_note note = {.experiment = "measure", .text = "", .hash = ""};
    struct measure_sink *made = sup_calloc(1, sizeof *made);
    made->request = request;
    int status = open_stream(made, error);
    if (status == RB_OK && request->results != NULL)
        status = results_create(request->results, &made->results, error);
    if (status == RB_OK && made->results != NULL)
        status = results_begin(made->results, &note, error);
    if (status != RB_OK)
        measure_sink_close(made, NULL);
    else
        *sink = made;
    return status;
}

int measure_sink_add(struct measure_sink *sink, const struct measure_result *row,
                     struct sup_error *error)
{
    int status = write_row(sink, row, error);
    if (status == RB_OK && sink->results != NULL && row->collective[0] != '\0')
        status = record_row(sink, row, error);
    return status;
}

int measure_sink_close(struct measure_sink *sink, struct sup_error *error)
{
    int status = RB_OK;
    if (sink == NULL)
        return RB_OK;
    if (sink->results != NULL)
        status = results_end(sink->results, error);
    results_close(sink->results);
    if (sink->stream != NULL && (ferror(sink->stream) != 0 || fflush(sink->stream) != 0))
        status =
            sup_fail(error, RB_EIO, "--output: %s: not all was written", sink->request->output);
    if (sink->stream != NULL && sink->stream != stdout)
        fclose(sink->stream);
    free(sink);
    return status;
}
