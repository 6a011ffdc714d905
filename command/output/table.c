/* table.c - see table.h. */
#include "command/output/table.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "roundabout.h"
#include "support/units.h"

static bool is_none(enum out_kind kind, union out_cell cell)
{
    switch (kind) {
    case OUT_WORD:
        return cell.word == NULL;
    case OUT_COUNT:
    case OUT_BYTES:
    case OUT_TRUTH:
        return cell.whole < 0;
    case OUT_WHOLE:
        return cell.whole == INT64_MIN;
    case OUT_REAL:
    case OUT_SECONDS:
    case OUT_RATIO:
    case OUT_SHARE:
    case OUT_PERCENT:
        return !isfinite(cell.real);
    }
    return true;
}

/* ---- Text ----------------------------------------------------------------------------------- */

const char *out_cell_text(const struct out_column *column, union out_cell cell,
                          char buffer[OUT_CELL_SIZE])
{
    if (is_none(column->kind, cell))
        return "-";
    switch (column->kind) {
    case OUT_WORD:
        return cell.word;
    case OUT_COUNT:
    case OUT_WHOLE:
        snprintf(buffer, OUT_CELL_SIZE, "%" PRId64, cell.whole);
        return buffer;
    case OUT_TRUTH:
        return cell.whole != 0 ? "yes" : "no";
    case OUT_BYTES:
        return sup_format_bytes(cell.whole, buffer, OUT_CELL_SIZE);
    case OUT_REAL:
        snprintf(buffer, OUT_CELL_SIZE, column->real, cell.real);
        return buffer;
    case OUT_SECONDS:
        return sup_format_seconds(cell.real, buffer, OUT_CELL_SIZE);
    case OUT_RATIO:
        snprintf(buffer, OUT_CELL_SIZE, cell.real < 10 ? "%.3f" : "%.1f", cell.real);
        return buffer;
    case OUT_SHARE:
        snprintf(buffer, OUT_CELL_SIZE, "%.2f %%", 100 * cell.real);
        return buffer;
    case OUT_PERCENT:
        snprintf(buffer, OUT_CELL_SIZE, column->real, 100 * cell.real);
        return buffer;
    }
    return "";
}

/* A line of text in which blanks are written only before further text, so that no line ends in
 * blanks. */
struct line {
    FILE *stream;
    int blanks;
};

static void put(struct line *line, const char *text, int length, int width)
{
    const int room = width < 0 ? -width - length : width - length;
    if (width > 0 && room > 0)
        line->blanks += room;
    if (length > 0) {
        fprintf(line->stream, "%*s%.*s", line->blanks > 0 ? line->blanks : 0, "", length, text);
        line->blanks = 0;
    }
    if (width < 0 && room > 0)
        line->blanks += room;
}

/* The number of blanks before a column of text. */
static int gap_before(const struct out_table *table, const struct out_column *column, bool first)
{
    if (first)
        return table->indent + column->gap;
    return column->gap > 0 ? column->gap : table->gap > 0 ? table->gap : 1;
}

/* The upper or the lower line of the headings: those of one line stand in the lower one. */
static void print_headings(const struct out_table *table, bool upper, FILE *stream)
{
    struct line line = {.stream = stream};
    bool first = true;
    for (size_t i = 0; i < table->width; i++) {
        const struct out_column *column = &table->columns[i];
        if (column->heading == NULL)
            continue;
        const char *end = strchr(column->heading, '\n');
        const char *lower = end == NULL ? column->heading : end + 1;
        const int length = end == NULL ? 0 : (int)(end - column->heading);
        const int shown = upper ? length : (int)strlen(lower), width = abs(column->width);
        line.blanks += gap_before(table, column, first);
        put(&line, upper ? column->heading : lower, shown, column->width);
        if (width > 0 && shown > width)
            line.blanks -= shown - width; /* it reaches into the next column */
        first = false;
    }
    fputc('\n', stream);
}

void out_text_heading(const struct out_table *table, FILE *stream)
{
    bool two = false;
    for (size_t i = 0; i < table->width; i++)
        two = two || (table->columns[i].heading != NULL &&
                      strchr(table->columns[i].heading, '\n') != NULL);
    if (two)
        print_headings(table, true, stream);
    print_headings(table, false, stream);
}

void out_text_row(const struct out_table *table, const union out_cell cells[], FILE *stream)
{
    struct line line = {.stream = stream};
    char buffer[OUT_CELL_SIZE];
    bool first = true;
    for (size_t i = 0; i < table->width; i++) {
        const struct out_column *column = &table->columns[i];
        if (column->heading == NULL)
            continue;
        const char *text = out_cell_text(column, cells[i], buffer);
        line.blanks += gap_before(table, column, first);
        put(&line, text, (int)strlen(text), column->width);
        first = false;
    }
    fputc('\n', stream);
}

/* ---- CSV ------------------------------------------------------------------------------------ */

static void print_quoted(const char *text, FILE *stream)
{
    fputc('"', stream);
    for (; *text != '\0'; text++) {
        if (*text == '"')
            fputc('"', stream);
        fputc(*text, stream);
    }
    fputc('"', stream);
}

void out_csv_text(const char *text, FILE *stream)
{
    if (strpbrk(text, ",\"\r\n") != NULL)
        print_quoted(text, stream);
    else
        fputs(text, stream);
}

void out_csv_heading(const struct out_table *table, FILE *stream)
{
    const char *separator = "";
    for (size_t i = 0; i < table->width; i++)
        if (table->columns[i].name != NULL) {
            fprintf(stream, "%s%s", separator, table->columns[i].name);
            separator = ",";
        }
    fputc('\n', stream);
}

/* As fprintf does, which takes half the time of a row of numbers. */
static void print_whole(int64_t whole, FILE *stream)
{
    char digits[24], *first = digits + sizeof digits;
    uint64_t rest = whole < 0 ? -(uint64_t)whole : (uint64_t)whole;
    do
        *--first = (char)('0' + rest % 10);
    while ((rest /= 10) > 0);
    if (whole < 0)
        *--first = '-';
    fwrite(first, 1, (size_t)(digits + sizeof digits - first), stream);
}

static void print_csv_cell(const struct out_column *column, union out_cell cell, int digits,
                           FILE *stream)
{
    if (is_none(column->kind, cell))
        return;
    switch (column->kind) {
    case OUT_WORD:
        (column->quoted ? print_quoted : out_csv_text)(cell.word, stream);
        break;
    case OUT_COUNT:
    case OUT_WHOLE:
    case OUT_TRUTH:
    case OUT_BYTES:
        print_whole(cell.whole, stream);
        break;
    case OUT_REAL:
    case OUT_SECONDS:
    case OUT_RATIO:
    case OUT_SHARE:
    case OUT_PERCENT:
        fprintf(stream, "%.*g", digits > 0 ? digits : 17, cell.real);
        break;
    }
}

void out_csv_row(const struct out_table *table, const union out_cell cells[], FILE *stream)
{
    bool first = true;
    for (size_t i = 0; i < table->width; i++)
        if (table->columns[i].name != NULL) {
            if (!first)
                fputc(',', stream);
            print_csv_cell(&table->columns[i], cells[i], table->digits, stream);
            first = false;
        }
    fputc('\n', stream);
}

/* ---- JSON ----------------------------------------------------------------------------------- */

json_t *out_json_real(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *json_of_cell(enum out_kind kind, union out_cell cell)
{
    if (is_none(kind, cell))
        return json_null();
    switch (kind) {
    case OUT_WORD:
        return out_json_text(cell.word);
    case OUT_TRUTH:
        return json_boolean(cell.whole);
    case OUT_COUNT:
    case OUT_WHOLE:
    case OUT_BYTES:
        return json_integer(cell.whole);
    default:
        return json_real(cell.real);
    }
}

/* Adds the cells of columns that are equal in all rows, or the other cells. */
static json_t *add_cells(json_t *object, const struct out_table *table,
                         const union out_cell cells[], bool same)
{
    for (size_t i = 0; i < table->width && object != NULL; i++) {
        const struct out_column *column = &table->columns[i];
        if (column->name == NULL || column->same != same ||
            (column->optional && is_none(column->kind, cells[i])))
            continue;
        if (json_object_set_new(object, column->name, json_of_cell(column->kind, cells[i])) != 0) {
            json_decref(object);
            return NULL;
        }
    }
    return object;
}

json_t *out_json_add(json_t *object, const struct out_table *table, const union out_cell cells[])
{
    return add_cells(object, table, cells, false);
}

json_t *out_json_same(const struct out_table *table, const union out_cell cells[])
{
    return add_cells(json_object(), table, cells, true);
}

json_t *out_json_row(const struct out_table *table, const union out_cell cells[])
{
    return out_json_add(json_object(), table, cells);
}

/* ---- Row by row ----------------------------------------------------------------------------- */

void out_rows_begin(struct out_rows *rows, const struct out_table *table, enum out_format format,
                    FILE *stream, json_t *head, const char *name)
{
    *rows = (struct out_rows){.table = table, .format = format, .stream = stream};
    if (format == OUT_JSON)
        out_json_rows_begin(&rows->json, stream, head, name);
    else
        json_decref(head);
    if (format == OUT_TEXT)
        out_text_heading(table, stream);
    if (format == OUT_CSV)
        out_csv_heading(table, stream);
}

void out_rows_add(struct out_rows *rows, const union out_cell cells[])
{
    switch (rows->format) {
    case OUT_TEXT:
        out_text_row(rows->table, cells, rows->stream);
        break;
    case OUT_CSV:
        out_csv_row(rows->table, cells, rows->stream);
        break;
    case OUT_JSON:
        out_json_rows_add(&rows->json, out_json_row(rows->table, cells));
        break;
    }
}

int out_rows_end(struct out_rows *rows)
{
    return rows->format == OUT_JSON ? out_json_rows_end(&rows->json) : RB_OK;
}
