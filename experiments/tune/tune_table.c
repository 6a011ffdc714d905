/* tune_table.c - a table of results as aligned text, CSV or JSON. */
#include "experiments/tune/tune_table.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command/output/json_rows.h"
#include "roundabout.h"
#include "support/units.h"

int rb_table_add(struct tune_table *table, size_t setting, const union rb_cell cells[])
{
    size_t row = table->rows;
    if (row == 0 || (row & (row - 1)) == 0) {
        size_t capacity = row == 0 ? 1 : 2 * row;
        void *cells_new = realloc(table->cells, capacity * table->width * sizeof *table->cells);
        if (cells_new == NULL)
            return RB_ENOMEM;
        table->cells = cells_new;
        void *settings_new = realloc(table->settings, capacity * sizeof *table->settings);
        if (settings_new == NULL)
            return RB_ENOMEM;
        table->settings = settings_new;
    }
    memcpy(table->cells + row * table->width, cells, table->width * sizeof *cells);
    table->settings[row] = setting;
    table->rows++;
    return RB_OK;
}

void rb_table_free(struct tune_table *table)
{
    free(table->cells);
    free(table->settings);
    table->cells = NULL;
    table->settings = NULL;
    table->rows = 0;
}

static bool is_none(enum rb_cell_kind kind, union rb_cell cell)
{
    switch (kind) {
    case RB_CELL_WORD:
        return cell.word == NULL;
    case RB_CELL_COUNT:
    case RB_CELL_BYTES:
        return cell.whole < 0;
    case RB_CELL_SECONDS:
    case RB_CELL_RATIO:
    case RB_CELL_SHARE:
        return !isfinite(cell.real);
    case RB_CELL_TRUTH:
        return false;
    }
    return true;
}

/* ---- Text ----------------------------------------------------------------------------------- */

enum { CELL_SIZE = 64 };

static const char *cell_text(enum rb_cell_kind kind, union rb_cell cell, char *buffer)
{
    if (is_none(kind, cell))
        return "-";
    switch (kind) {
    case RB_CELL_WORD:
        return cell.word;
    case RB_CELL_COUNT:
        snprintf(buffer, CELL_SIZE, "%" PRId64, cell.whole);
        return buffer;
    case RB_CELL_BYTES:
        return rb_format_bytes(cell.whole, buffer, CELL_SIZE);
    case RB_CELL_SECONDS:
        return rb_format_seconds(cell.real, buffer, CELL_SIZE);
    case RB_CELL_RATIO:
        snprintf(buffer, CELL_SIZE, cell.real < 10 ? "%.3f" : "%.1f", cell.real);
        return buffer;
    case RB_CELL_SHARE:
        snprintf(buffer, CELL_SIZE, "%.2f %%", 100 * cell.real);
        return buffer;
    case RB_CELL_TRUTH:
        return cell.whole != 0 ? "yes" : "no";
    }
    return "";
}

static void print_cell(const struct rb_table_column *column, const char *text, int width,
                       FILE *stream)
{
    fprintf(stream, column->kind == RB_CELL_WORD ? "  %-*s" : "  %*s", width, text);
}

static int column_width(const struct tune_table *table, size_t column)
{
    char buffer[CELL_SIZE];
    size_t width = strlen(table->columns[column].heading);
    for (size_t row = 0; row < table->rows; row++) {
        size_t length = strlen(cell_text(table->columns[column].kind,
                                         table->cells[row * table->width + column], buffer));
        width = length > width ? length : width;
    }
    return (int)width;
}

static void print_heading(const struct tune_table *table, const struct rb_curves *data,
                          size_t setting, FILE *stream)
{
    char text[512];
    if (setting == RB_ALL_SETTINGS)
        fprintf(stream, "\n  All of these settings together\n");
    else
        fprintf(stream, "\n  %s\n", rb_setting_text(&data->settings[setting], text, sizeof text));
    for (size_t column = 0; column < table->width; column++)
        print_cell(&table->columns[column], table->columns[column].heading,
                   column_width(table, column), stream);
    fputc('\n', stream);
}

void rb_table_text(const struct tune_table *table, const struct rb_curves *data, FILE *stream)
{
    char buffer[CELL_SIZE];
    if (table->rows == 0)
        return;
    fprintf(stream, "%s\n", table->title);
    for (size_t row = 0; row < table->rows; row++) {
        if (row == 0 || table->settings[row] != table->settings[row - 1])
            print_heading(table, data, table->settings[row], stream);
        for (size_t column = 0; column < table->width; column++)
            print_cell(&table->columns[column],
                       cell_text(table->columns[column].kind,
                                 table->cells[row * table->width + column], buffer),
                       column_width(table, column), stream);
        fputc('\n', stream);
    }
}

/* ---- CSV ------------------------------------------------------------------------------------ */

/* RFC 4180: quoted if it holds a comma, a quote or a line end. */
static void print_csv_word(const char *word, FILE *stream)
{
    if (strpbrk(word, ",\"\r\n") == NULL) {
        fputs(word, stream);
        return;
    }
    fputc('"', stream);
    for (; *word != '\0'; word++) {
        if (*word == '"')
            fputc('"', stream);
        fputc(*word, stream);
    }
    fputc('"', stream);
}

static void print_csv_setting(const struct rb_curves *data, size_t setting, FILE *stream)
{
    const struct point_parameter *parameters[POINT_PARAMETERS];
    const int count = point_setting(parameters);
    for (int i = 0; i < count; i++) {
        const struct point_parameter *parameter = parameters[i];
        if (i > 0)
            fputc(',', stream);
        if (setting == RB_ALL_SETTINGS)
            fputs(parameter == &point_parameters[POINT_PLATFORM] ? "all" : "", stream);
        else if (parameter->type == POINT_TEXT)
            print_csv_word(point_text(&data->settings[setting], parameter), stream);
        else
            fprintf(stream, "%" PRId64, point_number(&data->settings[setting], parameter));
    }
}

static void print_csv_cell(enum rb_cell_kind kind, union rb_cell cell, FILE *stream)
{
    fputc(',', stream);
    if (is_none(kind, cell))
        return;
    if (kind == RB_CELL_WORD)
        print_csv_word(cell.word, stream);
    else if (kind == RB_CELL_COUNT || kind == RB_CELL_BYTES || kind == RB_CELL_TRUTH)
        fprintf(stream, "%" PRId64, cell.whole);
    else
        fprintf(stream, "%.17g", cell.real);
}

void rb_table_csv(const struct tune_table *table, const struct rb_curves *data, FILE *stream)
{
    const struct point_parameter *parameters[POINT_PARAMETERS];
    const int count = point_setting(parameters);
    for (int i = 0; i < count; i++)
        fprintf(stream, "%s%s", i == 0 ? "" : ",", parameters[i]->column);
    for (size_t column = 0; column < table->width; column++)
        fprintf(stream, ",%s", table->columns[column].name);
    fputc('\n', stream);
    for (size_t row = 0; row < table->rows; row++) {
        print_csv_setting(data, table->settings[row], stream);
        for (size_t column = 0; column < table->width; column++)
            print_csv_cell(table->columns[column].kind, table->cells[row * table->width + column],
                           stream);
        fputc('\n', stream);
    }
}

/* ---- JSON ----------------------------------------------------------------------------------- */

static json_t *json_of_setting(const struct rb_curves *data, size_t setting)
{
    const struct point_parameter *parameters[POINT_PARAMETERS];
    const int count = point_setting(parameters);
    if (setting == RB_ALL_SETTINGS)
        return json_pack("{s:s}", "platform", "all");
    json_t *object = json_object();
    bool good = object != NULL;
    for (int i = 0; i < count && good; i++)
        good = json_object_set_new(object, parameters[i]->column,
                                   point_json(&data->settings[setting], parameters[i])) == 0;
    if (good)
        return object;
    json_decref(object);
    return NULL;
}

static json_t *json_of_cell(enum rb_cell_kind kind, union rb_cell cell)
{
    if (is_none(kind, cell))
        return json_null();
    switch (kind) {
    case RB_CELL_WORD:
        return rb_json_text(cell.word);
    case RB_CELL_COUNT:
    case RB_CELL_BYTES:
        return json_integer(cell.whole);
    case RB_CELL_TRUTH:
        return json_boolean(cell.whole);
    default:
        return json_real(cell.real);
    }
}

json_t *rb_table_json(const struct tune_table *table, const struct rb_curves *data)
{
    json_t *rows = json_array();
    bool good = rows != NULL;
    for (size_t row = 0; row < table->rows && good; row++) {
        json_t *object = json_of_setting(data, table->settings[row]);
        good = object != NULL;
        for (size_t column = 0; column < table->width && good; column++)
            good =
                json_object_set_new(object, table->columns[column].name,
                                    json_of_cell(table->columns[column].kind,
                                                 table->cells[row * table->width + column])) == 0;
        good = good && json_array_append(rows, object) == 0;
        json_decref(object);
    }
    if (!good) {
        json_decref(rows);
        return NULL;
    }
    return rows;
}
