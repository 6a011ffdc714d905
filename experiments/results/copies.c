/* copies.c - what is made of a results file: its rows added to another file, and CSV. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "experiments/results/results.h"
#include "roundabout.h"
#include "support/memory.h"
#include "support/output/files.h"
#include "support/output/output.h"
#include "support/output/table.h"

/* ---- Merging: all rows or none --------------------------------------------------------------- */

#define JOIN_POINTS " JOIN main.points AS d ON {identity d.@ = s.@; AND }"

static const char conflicts[] =
    "SELECT s.collective || ' ' || s.algorithm || ', p = ' || s.p || ', n = ' || s.n || ', m_bytes "
    "= ' || s.m_bytes || ', ' || s.platform || ', ' || s.progress, d.time_s, s.time_s FROM "
    "other.points AS s" JOIN_POINTS
    " WHERE s.status = 'done' AND d.status = 'done' AND (s.time_s IS NOT d.time_s OR s.rounds IS "
    "NOT d.rounds OR s.messages IS NOT d.messages OR s.moved_bytes IS NOT d.moved_bytes) ORDER BY "
    "1";

static const char add_points[] =
    "INSERT INTO main.points ({all @}, checksum) SELECT {all @}, checksum FROM other.points WHERE "
    "true" RESULTS_REPLACE_FAILED;

/* Sweeps that are not there yet; then the timings, with the numbers that points and sweeps have in
 * this file. */
static const char add_notes[] =
    "INSERT INTO main.sweeps (" RESULTS_SWEEP_COLUMNS ", checksum) SELECT " RESULTS_SWEEP_COLUMNS
    ", checksum FROM other.sweeps EXCEPT SELECT " RESULTS_SWEEP_COLUMNS
    ", checksum FROM main.sweeps;"
    "INSERT INTO main.timings (" RESULTS_TIMING_COLUMNS
    ", checksum) SELECT *, row_checksum(" RESULTS_TIMING_COLUMNS
    ") FROM (SELECT d.id AS point, (SELECT max(w.id) FROM main.sweeps AS w WHERE w.hash IS v.hash "
    "AND w.shard IS v.shard AND w.machine IS v.machine AND w.started IS v.started) AS sweep, "
    "t.finished, t.wall_s, t.load_s, t.peak_bytes FROM other.timings AS t JOIN other.points AS s "
    "ON s.id = t.point LEFT JOIN other.sweeps AS v ON v.id = t.sweep" JOIN_POINTS
    " WHERE s.status = d.status) WHERE true " RESULTS_REPLACE_TIMING;

static int find_conflict(sqlite3 *db, const char *from, struct sup_error *error)
{
    sqlite3_stmt *row = NULL;
    int status = results_prepare(db, from, results_sql(conflicts), 0, &row, error);
    const int result = status == RB_OK ? sqlite3_step(row) : SQLITE_DONE;
    if (result == SQLITE_ROW)
        status =
            sup_fail(error, RB_EINVAL,
                     "%s: nothing of it merged: it has %s at %.9g s, another file at %.9g s; were "
                     "they made by different versions?",
                     from, (const char *)sqlite3_column_text(row, 0), sqlite3_column_double(row, 2),
                     sqlite3_column_double(row, 1));
    else if (result != SQLITE_DONE)
        status = results_complain(db, from, error);
    sqlite3_finalize(row);
    return status;
}

/* An error in writing concerns the target file; every other error concerns the source. */
static int complain(sqlite3 *db, const char *from, struct sup_error *error)
{
    int code = sqlite3_errcode(db) & 0xff;
    bool writing = code == SQLITE_FULL || code == SQLITE_IOERR;
    return results_complain(db, writing ? sqlite3_db_filename(db, "main") : from, error);
}

static int run_and_free(sqlite3 *db, char *sql)
{
    const int result = sqlite3_exec(db, sql, NULL, NULL, NULL);
    sqlite3_free(sql);
    return result;
}

static int add_rows(sqlite3 *db, const char *from, int64_t *added, struct sup_error *error)
{
    int status = find_conflict(db, from, error);
    if (status != RB_OK)
        return status;
    if (run_and_free(db, results_sql(add_points)) != SQLITE_OK)
        return complain(db, from, error);
    *added = sqlite3_changes(db);
    if (run_and_free(db, results_sql(add_notes)) != SQLITE_OK)
        return complain(db, from, error);
    return RB_OK;
}

bool results_same_file(const char *a, const char *b)
{
    struct stat first, second;
    return a != NULL && stat(a, &first) == 0 && stat(b, &second) == 0 &&
           first.st_ino == second.st_ino && first.st_dev == second.st_dev;
}

/* RB_EINVAL if the other is the same file. */
static int differ(struct results *results, const char *other, struct sup_error *error)
{
    if (!results_same_file(sqlite3_db_filename(results_database(results), "main"), other))
        return RB_OK;
    return sup_fail(error, RB_EINVAL, "%s: is the file of -o itself", other);
}

int results_merge(struct results *results, const char *from, int64_t *added,
                  struct sup_error *error)
{
    sqlite3 *db = results_database(results), *other = NULL;

    int status = differ(results, from, error);
    if (status == RB_OK)
        status = results_look(from, &other, error); /* for its checks and messages */
    if (status == RB_OK)
        status = results_tables_check_format(other, from, "", error);
    sqlite3_close(other);
    if (status != RB_OK)
        return status;
    if (run_and_free(db, results_sql("ATTACH %Q AS other", from)) != SQLITE_OK)
        return complain(db, from, error);
    if (sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL) != SQLITE_OK)
        status = complain(db, from, error);
    else
        status = results_tables_check(db, "other", from, true, error);
    if (status == RB_OK)
        status = add_rows(db, from, added, error);
    if (status == RB_OK && sqlite3_exec(db, "COMMIT", NULL, NULL, NULL) != SQLITE_OK)
        status = complain(db, from, error);
    if (status != RB_OK)
        sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
    sqlite3_exec(db, "DETACH other", NULL, NULL, NULL);
    return status;
}

/* ---- CSV ------------------------------------------------------------------------------------- */

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
