/* merge.c - the rows of one results file added to another: all or none. */
#define _POSIX_C_SOURCE 200809L

#include <sys/stat.h>

#include "experiments/results/results.h"
#include "experiments/results/tables.h"
#include "roundabout.h"

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

int results_differ(struct results *results, const char *other, struct sup_error *error)
{
    if (!results_same_file(sqlite3_db_filename(results_database(results), "main"), other))
        return RB_OK;
    return sup_fail(error, RB_EINVAL, "%s: is the file of -o itself", other);
}

int results_merge(struct results *results, const char *from, int64_t *added,
                  struct sup_error *error)
{
    sqlite3 *db = results_database(results), *other = NULL;

    int status = results_differ(results, from, error);
    if (status == RB_OK)
        status = results_look(from, &other, error); /* for its checks and messages */
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
