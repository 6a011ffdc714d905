/* decide_tune_table.c - a table of results as aligned text, CSV or JSON. */
#include "experiments/decide/tune_table.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "support/memory.h"

void decide_tune_table_add(struct decide_tune_table *table, size_t setting,
                           const union out_cell cells[])
{
    sup_grow(&table->cells, table->rows, table->width * sizeof *table->cells);
    sup_grow(&table->settings, table->rows, sizeof *table->settings);
    memcpy(table->cells + table->rows * table->width, cells, table->width * sizeof *cells);
    table->settings[table->rows++] = setting;
}

const union out_cell *decide_tune_cell(const struct decide_tune_table *table, size_t row,
                                       const char *name)
{
    for (size_t i = 0; i < table->width; i++)
        if (strcmp(table->columns[i].name, name) == 0)
            return &table->cells[row * table->width + i];
    return NULL;
}

void decide_tune_table_free(struct decide_tune_table *table)
{
    free(table->cells);
    free(table->settings);
    table->cells = NULL;
    table->settings = NULL;
    table->rows = 0;
}

/* Of a table by itself, and with those of a setting before them. */
enum { MOST_OWN = 32, MOST_COLUMNS = POINT_PARAMETERS + MOST_OWN };

static const union out_cell *row_of(const struct decide_tune_table *table, size_t row)
{
    return table->cells + row * table->width;
}

/* ---- Text ----------------------------------------------------------------------------------- */

/* The columns, each as wide as its content. */
static void size_columns(const struct decide_tune_table *table, struct out_column sized[])
{
    char buffer[OUT_CELL_SIZE];
    for (size_t i = 0; i < table->width; i++) {
        size_t width = strlen(table->columns[i].heading);
        for (size_t row = 0; row < table->rows; row++) {
            const size_t length =
                strlen(out_cell_text(&table->columns[i], row_of(table, row)[i], buffer));
            width = length > width ? length : width;
        }
        sized[i] = table->columns[i];
        sized[i].width = sized[i].kind == OUT_WORD ? -(int)width : (int)width;
    }
}

void decide_tune_table_text(const struct decide_tune_table *table, const struct decide_curves *data,
                            FILE *stream)
{
    struct out_column sized[MOST_COLUMNS];
    const struct out_table shown = {sized, .width = table->width, .gap = 2, .indent = 2};
    char text[512];
    if (table->rows == 0)
        return;
    assert(table->width <= MOST_OWN);
    size_columns(table, sized);
    fprintf(stream, "%s\n", table->title);
    for (size_t row = 0; row < table->rows; row++) {
        const size_t setting = table->settings[row];
        if (row == 0 || setting != table->settings[row - 1]) {
            fputc('\n', stream);
            out_text_wrapped(0, 2,
                             setting == DECIDE_TUNE_ALL_SETTINGS
                                 ? "All of these settings together"
                                 : decide_setting_text(&data->settings[setting], text, sizeof text),
                             stream);
            out_text_heading(&shown, stream);
        }
        out_text_row(&shown, row_of(table, row), stream);
    }
}

/* ---- CSV ------------------------------------------------------------------------------------ */

/* The setting's columns, and those of the table. */
static size_t all_columns(const struct decide_tune_table *table, struct out_column all[])
{
    const struct point_parameter *parameters[POINT_PARAMETERS];
    const size_t count = (size_t)point_setting(parameters);
    assert(table->width <= MOST_OWN);
    for (size_t i = 0; i < count; i++)
        all[i] =
            (struct out_column){parameters[i]->column,
                                .kind = parameters[i]->type == POINT_TEXT ? OUT_WORD : OUT_WHOLE};
    memcpy(all + count, table->columns, table->width * sizeof *all);
    return count;
}

/* For several settings together only the platform is printed, as "all". */
static void setting_cells(const struct decide_curves *data, size_t setting, union out_cell cells[])
{
    const struct point_parameter *parameters[POINT_PARAMETERS];
    const int count = point_setting(parameters);
    for (int i = 0; i < count; i++) {
        const struct point_parameter *parameter = parameters[i];
        if (parameter->type == POINT_TEXT)
            cells[i].word = setting != DECIDE_TUNE_ALL_SETTINGS
                                ? point_text(&data->settings[setting], parameter)
                            : parameter == &point_parameters[POINT_PLATFORM] ? "all"
                                                                             : NULL;
        else
            cells[i].whole = setting != DECIDE_TUNE_ALL_SETTINGS
                                 ? point_number(&data->settings[setting], parameter)
                                 : INT64_MIN;
    }
}

void decide_tune_table_csv(const struct decide_tune_table *table, const struct decide_curves *data,
                           FILE *stream)
{
    struct out_column all[MOST_COLUMNS];
    union out_cell cells[MOST_COLUMNS];
    const size_t count = all_columns(table, all);
    const struct out_table shown = {all, .width = count + table->width};
    out_csv_heading(&shown, stream);
    for (size_t row = 0; row < table->rows; row++) {
        setting_cells(data, table->settings[row], cells);
        memcpy(cells + count, row_of(table, row), table->width * sizeof *cells);
        out_csv_row(&shown, cells, stream);
    }
}

/* ---- JSON ----------------------------------------------------------------------------------- */

static json_t *json_of_setting(const struct decide_curves *data, size_t setting)
{
    const struct point_parameter *parameters[POINT_PARAMETERS];
    const int count = point_setting(parameters);
    if (setting == DECIDE_TUNE_ALL_SETTINGS)
        return json_pack("{s:s}", "platform", "all");
    json_t *object = json_object();
    for (int i = 0; i < count; i++)
        json_object_set_new(object, parameters[i]->column,
                            point_json(&data->settings[setting], parameters[i]));
    return object;
}

json_t *decide_tune_table_json(const struct decide_tune_table *table,
                               const struct decide_curves *data)
{
    const struct out_table shown = {table->columns, .width = table->width};
    json_t *rows = json_array();
    for (size_t row = 0; row < table->rows; row++)
        json_array_append_new(rows, out_json_add(json_of_setting(data, table->settings[row]),
                                                 &shown, row_of(table, row)));
    return rows;
}
