/* tune_compare_print.c - a comparison of two results as text, CSV and JSON. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "experiments/decide/tune_compare.h"
#include "experiments/results/results.h"
#include "experiments/results/tables.h"
#include "roundabout.h"

#define CHANGES                                                                                    \
    "SELECT o.what AS what, o.value AS old, n.value AS new FROM facts AS o JOIN facts AS n ON "    \
    "n.what = o.what AND n.side = 1 WHERE o.side = 0 AND n.value IS NOT o.value ORDER BY o.rowid"
const struct tune_comparison_part tune_comparison_parts[TUNE_COMPARISON_PARTS] = {
    {"only_values", "SELECT CASE side WHEN 0 THEN 'old' ELSE 'new' END AS \"in\", parameter, "
                    "value, points FROM lone"},
    {"changes", CHANGES},
    {"groups", "SELECT * FROM groups"},
    {"points", "SELECT * FROM pairs"},
};

typedef void row_printer(void *context, sqlite3_stmt *row);

/* Calls the function for each row. */
static int each(const struct tune_comparison *comparison, const char *sql, row_printer *print,
                void *context, struct sup_error *error)
{
    sqlite3_stmt *row = NULL;
    int step = SQLITE_DONE;
    int status = results_prepare(comparison->db, comparison->results[TUNE_NEW], results_sql(sql), 0,
                                 &row, error);
    while (status == RB_OK && (step = sqlite3_step(row)) == SQLITE_ROW)
        print(context, row);
    if (status == RB_OK && step != SQLITE_DONE)
        status = results_complain(comparison->db, comparison->results[TUNE_NEW], error);
    sqlite3_finalize(row);
    return status;
}

/* ---- Text ------------------------------------------------------------------------------------ */

static const struct out_column group_columns[] = {
    {NULL, "collective", OUT_WORD, .width = -14}, {NULL, "algorithm", OUT_WORD, .width = -20},
    {NULL, "platform", OUT_WORD, .width = -16},   {NULL, "points", OUT_COUNT, .width = 6},
    {NULL, "slower", OUT_COUNT, .width = 6},      {NULL, "faster", OUT_COUNT, .width = 6},
    {NULL, "mean", OUT_RATIO, .width = 7},        {NULL, "least", OUT_RATIO, .width = 7},
    {NULL, "25 %", OUT_RATIO, .width = 7},        {NULL, "50 %", OUT_RATIO, .width = 7},
    {NULL, "75 %", OUT_RATIO, .width = 7},        {NULL, "most", OUT_RATIO, .width = 7},
};
static const struct out_column lost_columns[] = {{NULL, "old", OUT_SECONDS, .width = 9},
                                                 {NULL, "new", OUT_SECONDS, .width = 9},
                                                 {NULL, "ratio", OUT_RATIO, .width = 6, .gap = 2},
                                                 {NULL, "point", OUT_WORD, .width = 0, .gap = 2}};
static const char lost[] =
    "SELECT old_s, new_s, ratio, collective || ' ' || algorithm || ', p = ' || p || ', n = ' || n "
    "|| ', m_bytes = ' || m_bytes || ', ' || platform || ', ' || engine || ', ' || progress FROM "
    "pairs WHERE verdict = 'slower' OR verdict = 'failed' ORDER BY rowid LIMIT 10";
static const char lines[] =
    "SELECT 'only in the ' || CASE side WHEN 0 THEN 'old' ELSE 'new' END || 'er file: ' || "
    "parameter || ' = ' || coalesce(nullif(value, ''), 'none') || ' (' || points || ' points)' "
    "FROM lone";
static const char changes[] =
    "SELECT what || ': ' || coalesce(old, '') || ' -> ' || coalesce(new, '') FROM (" CHANGES ")";

/* A table being printed; that of lines has no columns. */
struct text {
    struct out_table table;
    FILE *stream;
};

static void print_row(void *context, sqlite3_stmt *row)
{
    const struct text *text = context;
    union out_cell cells[OUT_COUNT_OF(group_columns)];
    if (text->table.width == 0)
        fprintf(text->stream, "%s\n", (const char *)sqlite3_column_text(row, 0));
    for (int i = 0; i < (int)text->table.width; i++)
        if (text->table.columns[i].kind == OUT_WORD)
            cells[i].word = (const char *)sqlite3_column_text(row, i);
        else if (text->table.columns[i].kind == OUT_COUNT)
            cells[i].whole = sqlite3_column_int64(row, i);
        else
            cells[i].real =
                sqlite3_column_type(row, i) == SQLITE_NULL ? NAN : sqlite3_column_double(row, i);
    if (text->table.width > 0)
        out_text_row(&text->table, cells, text->stream);
}

static int print_text(const struct tune_comparison *comparison, bool brief, FILE *stream,
                      struct sup_error *error)
{
    struct text groups = {{group_columns, OUT_COUNT_OF(group_columns), .gap = 1}, stream},
                slower = {{lost_columns, OUT_COUNT_OF(lost_columns), .gap = 2}, stream},
                plain = {.stream = stream};
    int status = RB_OK;
    fprintf(stream,
            "%s against %s: %" PRId64 " points in both (%" PRId64 " only in the older, %" PRId64
            " only in the newer): %" PRId64 " slower by more than %g %%, %" PRId64 " faster\n",
            comparison->results[TUNE_NEW], comparison->results[TUNE_OLD], comparison->both,
            comparison->alone[TUNE_OLD], comparison->alone[TUNE_NEW], comparison->slower,
            comparison->allow * 100, comparison->faster);
    if (!brief) {
        fprintf(stream, "\nNew time / old: geometric mean and spread\n");
        out_text_heading(&groups.table, stream);
        status = each(comparison, "SELECT * FROM groups", print_row, &groups, error);
    }
    if (status == RB_OK && comparison->slower > 0) {
        fprintf(stream, "\nSlower most, of %" PRId64 "\n", comparison->slower);
        out_text_heading(&slower.table, stream);
        status = each(comparison, lost, print_row, &slower, error);
    }
    if (brief || status != RB_OK)
        return status;
    fprintf(stream, "\n");
    status = each(comparison, lines, print_row, &plain, error);
    return status == RB_OK ? each(comparison, changes, print_row, &plain, error) : status;
}

/* ---- JSON, CSV ------------------------------------------------------------------------------- */

static json_t *object_of(sqlite3_stmt *row)
{
    json_t *object = json_object();
    for (int i = 0; i < sqlite3_column_count(row); i++)
        json_object_set_new(object, sqlite3_column_name(row, i), results_json(row, i));
    return object;
}

static void add_object(void *context, sqlite3_stmt *row)
{
    json_array_append_new(context, object_of(row));
}

static void add_row(void *context, sqlite3_stmt *row)
{
    out_json_rows_add(context, object_of(row));
}

json_t *tune_comparison_head(const struct tune_comparison *comparison)
{
    return json_pack("{s:o, s:o, s:f, s:I, s:I, s:I, s:I, s:I}", "old",
                     out_json_text(comparison->results[TUNE_OLD]), "new",
                     out_json_text(comparison->results[TUNE_NEW]), "allow", comparison->allow,
                     "both", (json_int_t)comparison->both, "slower", (json_int_t)comparison->slower,
                     "faster", (json_int_t)comparison->faster, "only_old",
                     (json_int_t)comparison->alone[TUNE_OLD], "only_new",
                     (json_int_t)comparison->alone[TUNE_NEW]);
}

static int print_json(const struct tune_comparison *comparison, FILE *stream,
                      struct sup_error *error)
{
    const struct tune_comparison_part *part = tune_comparison_parts;
    struct out_json_rows rows;
    int status = RB_OK;
    json_t *head = tune_comparison_head(comparison);
    for (; part < tune_comparison_parts + TUNE_COMPARISON_PARTS - 1 && status == RB_OK; part++) {
        json_object_set_new(head, part->name, json_array());
        status = each(comparison, part->sql, add_object, json_object_get(head, part->name), error);
    }
    out_json_rows_begin(&rows, stream, head, "points");
    if (status == RB_OK)
        status = each(comparison, "SELECT * FROM pairs", add_row, &rows, error);
    out_json_rows_end(&rows);
    return status;
}

static int print_csv(const struct tune_comparison *comparison, FILE *stream,
                     struct sup_error *error)
{
    sqlite3_stmt *rows = NULL;
    const char *path = comparison->results[TUNE_NEW];
    int status =
        results_prepare(comparison->db, path, results_sql("SELECT * FROM pairs"), 0, &rows, error);
    if (status == RB_OK && results_write_rows(rows, stream) != SQLITE_DONE)
        status = results_complain(comparison->db, path, error);
    sqlite3_finalize(rows);
    return status;
}

int tune_comparison_print(const struct tune_comparison *comparison, enum out_format format,
                          bool brief, FILE *stream, struct sup_error *error)
{
    return format == OUT_TEXT  ? print_text(comparison, brief, stream, error)
           : format == OUT_CSV ? print_csv(comparison, stream, error)
                               : print_json(comparison, stream, error);
}
