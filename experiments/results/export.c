/* export.c - a results file as CSV. */
#include <stdio.h>

#include "experiments/results/results.h"
#include "experiments/results/tables.h"
#include "roundabout.h"
#include "support/memory.h"
#include "support/output/output.h"
#include "support/output/table.h"

static void write_value(FILE *file, sqlite3_stmt *row, int i)
{
    const char *text;
    switch (sqlite3_column_type(row, i)) {
    case SQLITE_INTEGER:
        fprintf(file, "%lld", (long long)sqlite3_column_int64(row, i));
        break;
    case SQLITE_FLOAT:
        fprintf(file, "%.17g", sqlite3_column_double(row, i));
        break;
    case SQLITE_TEXT:
        text = (const char *)sqlite3_column_text(row, i);
        if (text == NULL)
            sup_no_memory();
        out_csv_text(text, file);
        break;
    default: /* NULL: empty */
        break;
    }
}

int results_write_rows(sqlite3_stmt *rows, FILE *file)
{
    int count = sqlite3_column_count(rows), step;

    for (int i = 0; i < count; i++)
        fprintf(file, "%s%s", i == 0 ? "" : ",", sqlite3_column_name(rows, i));
    fputc('\n', file);
    while ((step = sqlite3_step(rows)) == SQLITE_ROW) {
        for (int i = 0; i < count; i++) {
            if (i > 0)
                fputc(',', file);
            write_value(file, rows, i);
        }
        fputc('\n', file);
    }
    return step;
}

json_t *results_json(sqlite3_stmt *row, int i)
{
    const char *text;
    switch (sqlite3_column_type(row, i)) {
    case SQLITE_INTEGER:
        return json_integer(sqlite3_column_int64(row, i));
    case SQLITE_FLOAT:
        return out_json_real(sqlite3_column_double(row, i));
    case SQLITE_TEXT:
        text = (const char *)sqlite3_column_text(row, i);
        if (text == NULL)
            sup_no_memory();
        return out_json_text(text);
    default:
        return json_null();
    }
}

int results_export(sqlite3 *db, const char *path, struct sup_error *error)
{
    sqlite3_stmt *rows = NULL;
    struct out_file output = {0};
    int status = results_prepare(db, path,
                                 results_sql("SELECT {all @} FROM points NOT INDEXED WHERE status "
                                             "IS NOT 'confirming' ORDER BY {identity @}"),
                                 0, &rows, error);
    if (status == RB_OK)
        status = out_open_derived(&output, path, error);
    if (status == RB_OK && results_write_rows(rows, output.stream) != SQLITE_DONE)
        status = results_complain(db, path, error);
    if (status == RB_OK)
        status = out_close(&output, error);
    else
        out_discard(&output);
    sqlite3_finalize(rows);
    return status;
}
