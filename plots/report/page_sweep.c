/* page_sweep.c - a report of a results file: its points, curves, tables of tune, and sweeps. */
#include "plots/report/page.h"

#include <stdlib.h>

#include "experiments/results/results.h"
#include "roundabout.h"
#include "support/memory.h"
#include "support/output/table.h"

/* ---- Settings and curves --------------------------------------------------------------------- */

static json_t *settings_json(const struct decide_curves *data)
{
    const struct point_parameter *parameters[POINT_PARAMETERS];
    const int count = point_setting(parameters);
    json_t *all = json_array();
    for (size_t k = 0; k < data->setting_count; k++) {
        const char constant[] = {decide_setting_constant(&data->settings[k]), '\0'};
        json_t *setting = json_object(), *values = json_object();
        for (int i = 0; i < count; i++)
            json_object_set_new(values, parameters[i]->column,
                                parameters[i]->type == POINT_TEXT
                                    ? out_json_text(point_text(&data->settings[k], parameters[i]))
                                    : point_json(&data->settings[k], parameters[i]));
        json_object_set_new(setting, "values", values);
        json_object_set_new(setting, "constant", json_string(constant));
        json_object_set_new(setting, "how", json_string(decide_how(&data->settings[k])));
        json_array_append_new(all, setting);
    }
    return all;
}

static json_t *curve_json(const struct decide_curve *curve)
{
    json_t *n = json_array(), *time_s = json_array();
    for (size_t i = 0; i < curve->count; i++) {
        json_array_append_new(n, json_integer(curve->samples[i].n));
        json_array_append_new(time_s, json_real(curve->samples[i].time_s));
    }
    return json_pack("{s:I, s:i, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "setting",
                     (json_int_t)curve->setting, "p", curve->p, "m_bytes",
                     (json_int_t)curve->m_bytes, "algorithm", out_json_text(curve->algorithm), "n",
                     n, "time_s", time_s, "closed_n",
                     curve->closed_n > 0 ? json_integer(curve->closed_n) : json_null(), "closed_s",
                     out_json_real(curve->closed_s), "bound_s", out_json_real(curve->bound_s),
                     "low_s", out_json_real(curve->low_s), "high_s", out_json_real(curve->high_s));
}

/* Whole curves, as many as there is room for. */
static json_t *curves_json(const struct decide_curves *data)
{
    size_t samples = 0;
    json_t *all = json_array();
    for (size_t i = 0; i < data->curve_count; i++) {
        samples += data->curves[i].count;
        if (samples > PAGE_MOST_SAMPLES)
            break;
        json_array_append_new(all, curve_json(&data->curves[i]));
    }
    return all;
}

/* ---- The tables of tune ---------------------------------------------------------------------- */

static const char *const kind_names[] = {
    [OUT_WORD] = "word",       [OUT_COUNT] = "count", [OUT_WHOLE] = "whole",
    [OUT_TRUTH] = "truth",     [OUT_BYTES] = "bytes", [OUT_REAL] = "real",
    [OUT_SECONDS] = "seconds", [OUT_RATIO] = "ratio", [OUT_SHARE] = "share",
    [OUT_PERCENT] = "percent"};

/* The values of an object, in their order. */
static json_t *values_of(json_t *object)
{
    const char *name;
    json_t *value, *values = json_array();
    json_object_foreach(object, name, value) json_array_append_new(
        values,
        json_is_string(value) ? out_json_text(json_string_value(value)) : json_incref(value));
    return values;
}

/* A row is an array: the number of its setting, -1 for several together, then its cells. */
static json_t *table_json(const struct decide_tune_result *tuning, int kind)
{
    struct decide_table table = decide_tune_table(tuning, kind);
    struct out_column chosen[DECIDE_MOST_COLUMNS];
    const size_t width = decide_columns(&table, table.data, chosen), total = table.rows;
    json_t *columns = json_array(), *rows = json_array();
    for (size_t i = 0; i < width; i++)
        json_array_append_new(columns,
                              json_pack("{s:s, s:s, s:s}", "name", chosen[i].name, "heading",
                                        chosen[i].heading, "kind", kind_names[chosen[i].kind]));
    table.settings = false;
    table.rows = total < PAGE_MOST_TABLE_ROWS ? total : PAGE_MOST_TABLE_ROWS;
    json_t *objects = decide_table_json(&table);
    for (size_t i = 0; i < table.rows; i++) {
        const struct decide_place *place = table.row(table.context, i).place;
        json_t *row = values_of(json_array_get(objects, i));
        json_array_insert_new(
            row, 0,
            json_integer(place == NULL ? -1 : (json_int_t)(place - tuning->decision.places)));
        json_array_append_new(rows, row);
    }
    json_decref(objects);
    return json_pack("{s:s, s:I, s:o, s:o}", "title", tuning->looks[kind].title, "total",
                     (json_int_t)total, "columns", columns, "rows", rows);
}

static json_t *tables_json(const struct decide_tune_result *tuning)
{
    json_t *all = json_object();
    for (int i = 0; i < DECIDE_TUNE_TABLES; i++)
        json_object_set_new(all, decide_tune_names[i], table_json(tuning, i));
    return all;
}

/* ---- Rows of the file ------------------------------------------------------------------------ */

/* A column whose values are all equal is one value. Takes the values over. */
static json_t *column_json(const char *name, json_t *values)
{
    const size_t count = json_array_size(values);
    bool same = count > 0;
    for (size_t i = 1; i < count && same; i++)
        same = json_equal(json_array_get(values, i), json_array_get(values, 0)) == 1;
    json_t *column = same ? json_pack("{s:s, s:O}", "name", name, "same", json_array_get(values, 0))
                          : json_pack("{s:s, s:O}", "name", name, "values", values);
    json_decref(values);
    return column;
}

/* All rows of a query by columns; *total counts rows beyond `most`, too. */
static int rows_json(const char *path, sqlite3 *db, sqlite3_stmt *rows, int64_t most, json_t **all,
                     struct sup_error *error)
{
    const int count = sqlite3_column_count(rows);
    json_t *columns = json_array(), *named = json_array();
    int64_t total = 0;
    int step;
    for (int i = 0; i < count; i++)
        json_array_append_new(columns, json_array());
    for (; (step = sqlite3_step(rows)) == SQLITE_ROW; total++)
        for (int i = 0; i < count && total < most; i++)
            json_array_append_new(json_array_get(columns, (size_t)i), results_json(rows, i));
    for (int i = 0; i < count; i++)
        json_array_append_new(named, column_json(sqlite3_column_name(rows, i),
                                                 json_incref(json_array_get(columns, (size_t)i))));
    json_decref(columns);
    *all = json_pack("{s:I, s:I, s:o}", "total", (json_int_t)total, "count",
                     (json_int_t)(total < most ? total : most), "columns", named);
    return step == SQLITE_DONE ? RB_OK : results_complain(db, path, error);
}

/* Failed points first, so that they are there if not all are. */
static int points_json(const struct page_sweep *sweep, sqlite3 *db, json_t **points,
                       struct sup_error *error)
{
    char *select = results_sql("SELECT {all @}");
    char *order = results_sql(" ORDER BY status = 'done', {identity @}");
    sqlite3_stmt *rows = NULL;
    int status = decide_select_points(sweep->tune.results, db, select, order, sweep->tune.filters,
                                      &rows, error);
    if (status == RB_OK)
        status = rows_json(sweep->tune.results, db, rows, PAGE_MOST_POINTS, points, error);
    sqlite3_finalize(rows);
    sqlite3_free(select);
    sqlite3_free(order);
    return status;
}

static int sweeps_json(const char *path, sqlite3 *db, json_t **sweeps, struct sup_error *error)
{
    enum { MOST_SWEEPS = 200 };
    sqlite3_stmt *rows = NULL;
    int status = sqlite3_prepare_v2(
        db, "SELECT " RESULTS_SWEEP_COLUMNS " FROM sweeps NOT INDEXED ORDER BY id DESC", -1, &rows,
        NULL);
    status = status == SQLITE_OK ? rows_json(path, db, rows, MOST_SWEEPS, sweeps, error)
                                 : results_complain(db, path, error);
    sqlite3_finalize(rows);
    return status;
}

static int read_file(const struct page_sweep *sweep, json_t **points, json_t **sweeps,
                     struct sup_error *error)
{
    sqlite3 *db = NULL;
    int status = results_open(sweep->tune.results, &db, error);
    if (status != RB_OK)
        return status;
    status = points_json(sweep, db, points, error);
    if (status == RB_OK)
        status = sweeps_json(sweep->tune.results, db, sweeps, error);
    sqlite3_close(db);
    return status;
}

/* ---- The comparison -------------------------------------------------------------------------- */

/* Its numbers, and its parts as rows by columns. */
static int comparison_json(const struct decide_comparison *comparison, json_t **all,
                           struct sup_error *error)
{
    int status = RB_OK;
    *all = decide_comparison_head(comparison);
    for (int i = 0; i < DECIDE_COMPARISON_PARTS && status == RB_OK; i++) {
        const struct decide_comparison_part *part = &decide_comparison_parts[i];
        const char *path = comparison->results[DECIDE_NEW];
        sqlite3_stmt *rows = NULL;
        json_t *table = NULL;
        status = results_prepare(comparison->db, path, results_sql(part->sql), 0, &rows, error);
        if (status == RB_OK)
            status = rows_json(path, comparison->db, rows, PAGE_MOST_POINTS, &table, error);
        json_object_set_new(*all, part->name, table);
        sqlite3_finalize(rows);
    }
    return status;
}

/* ---- Figures beside the page ------------------------------------------------------------------
 */

/* Of each its name and what stands over it, and the endings of its pictures. */
static json_t *figures_json(const struct page_sweep *sweep)
{
    json_t *all = json_array();
    const struct plot_drawn *drawn = sweep->drawn;
    for (size_t i = 0; drawn != NULL && !drawn->undrawn && i < drawn->count; i++) {
        const struct plot_drawn_figure *figure = &drawn->figure[i];
        json_t *endings = json_array();
        for (int k = 0; k < PLOT_PICTURES; k++)
            if ((sweep->pictures & 1u << k) != 0)
                json_array_append_new(endings, json_string(plot_picture_endings[k]));
        json_array_append_new(all, json_pack("{s:o, s:o, s:s, s:s, s:o}", "name",
                                             out_json_text(figure->name), "label",
                                             out_json_text(figure->label), "kind", figure->kind,
                                             "title", figure->title, "endings", endings));
    }
    return all;
}

/* The algorithms in the order of their colours. */
static json_t *colours_json(const struct decide_curves *data, const char *focus)
{
    const char **order;
    json_t *all = json_array();
    const size_t count = plot_order(data, focus, &order);
    for (size_t i = 0; i < count; i++) {
        char *name = sup_strndup(order[i], plot_coloured(order[i]));
        json_array_append_new(all, out_json_text(name));
        free(name);
    }
    free(order);
    return all;
}

/* ---- The page's data ------------------------------------------------------------------------- */

int page_sweep_data(const struct page_sweep *sweep, json_t **data, struct sup_error *error)
{
    struct decide_tune_result tuning;
    json_t *points = NULL, *sweeps = NULL;
    *data = NULL;
    int status = decide_tune_run(&sweep->tune, &tuning, error);
    if (status == RB_EINVAL && tuning.data.curve_count == 0 && tuning.data.failed > 0)
        status = RB_OK; /* all have failed: the page says why */
    if (status == RB_OK)
        status = read_file(sweep, &points, &sweeps, error);
    if (status == RB_OK)
        *data = json_pack(
            "{s:s, s:O, s:o, s:s, s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:O, s:O}", "kind",
            "sweep", "origin", sweep->origin, "results", out_json_text(sweep->tune.results),
            "focus", sweep->tune.focus, "failed", (json_int_t)tuning.data.failed, "curve_total",
            (json_int_t)tuning.data.curve_count, "sample_total",
            (json_int_t)tuning.data.sample_count, "notes", out_verdict_json(&tuning.notes),
            "verdict", decide_tune_verdict_json(&tuning), "settings", settings_json(&tuning.data),
            "curves", curves_json(&tuning.data), "tables", tables_json(&tuning), "points", points,
            "sweeps", sweeps);
    if (status == RB_OK) {
        json_object_set_new(*data, "drawn", figures_json(sweep));
        json_object_set_new(*data, "colours", colours_json(&tuning.data, sweep->tune.focus));
    }
    if (status == RB_OK && sweep->comparison != NULL) {
        json_t *comparison = NULL;
        status = comparison_json(sweep->comparison, &comparison, error);
        json_object_set_new(*data, "comparison", comparison);
    }
    if (status != RB_OK) {
        json_decref(*data);
        *data = NULL;
    }
    json_decref(sweep->origin);
    json_decref(points);
    json_decref(sweeps);
    decide_tune_result_free(&tuning);
    return status;
}
