/* results.h - what a sweep leaves behind: one SQLite file, table `points`, one row per point.
 *
 * Columns are lower case and never change meaning; docs/formats.md documents them. A point is
 * identified by everything that decides its result. */
#pragma once

#include <jansson.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "experiments/point/point.h"
#include "support/error.h"
#include "support/replace.h"

/* The columns of a row, in the order of the exported CSV: first those of the point's parameters
 * (parameters.h), which identify it; then `version` (of Roundabout: release and commit), `status`
 * (done, failed, confirming), `error` (why it failed); then what came of it (point.h). */

/* Beside `points` (whose rows also have a number, `id`, and a checksum) the file has
 *   timings: per point the cost of the run itself, which is apart because it differs from run to
 *   run sweeps: per call of `sweep` the experiment's text, when, by which version, on which machine
 *   totals: per table the number of its rows and their checksums put together. */

/* Opens an existing results file for reading (tune, plot). RB_EINVAL, and a message that says so,
 * if it is missing, something else than a results file, or damaged anywhere. */
int results_open(const char *path, sqlite3 **db, struct sup_error *error);
/* Opens it without looking at its contents, and without a transaction. */
int results_look(const char *path, sqlite3 **db, struct sup_error *error);

/* ---- Writing: the sweep
 * ---------------------------------------------------------------------------
 *
 * One writer at a time: the lock is a record lock on PATH.lock, so it ends with its process. */

struct results; /* a results file open for writing */

/* Opens or makes the file. RB_EINVAL if it is something else or another process is writing it,
 * RB_EIO. */
int results_create(const char *path, struct results **results, struct sup_error *error);
void results_close(struct results *results); /* NULL is fine */
sqlite3 *results_database(struct results *results);

/* A confirming point is none of an experiment's: `tune`, `plot`, `report` and the CSV leave it out.
 */
enum results_point_state {
    RESULTS_POINT_ABSENT,
    RESULTS_POINT_DONE,
    RESULTS_POINT_FAILED,
    RESULTS_POINT_CONFIRMING
};

/* The file's entry for a point. */
struct results_entry {
    enum results_point_state state;
    bool foreign;         /* another version of the program made it */
    double time_s;        /* NAN: its run failed */
    double took_s;        /* the real time of its run; 0: that is not recorded */
    struct sup_error why; /* its run failed */
};
int results_find(struct results *results, const struct point *point, struct results_entry *entry,
                 struct sup_error *error);
/* Writes a point's outcome, over an earlier one, at once and for good. */
int results_record(struct results *results, const struct point *point,
                   const struct point_outcome *outcome, struct sup_error *error);

struct results_sweep_note {
    const char *experiment; /* name */
    const char *text;       /* of the experiment file */
    const char *hash;       /* of the text */
    const char *shard;      /* "2/4", or NULL */
};
/* Notes that a sweep begins, and that it ended; the timings between name it. */
int results_begin(struct results *results, const struct results_sweep_note *note,
                  struct sup_error *error);
int results_end(struct results *results, struct sup_error *error);

/* True if both are names of one file that is there. */
bool results_same_file(const char *a, const char *b);
/* Adds the rows of another results file. Points that both have must have the same result, a failed
 * one gives way to one that is done; otherwise RB_EINVAL, a message that names the point, and
 * nothing is added. *added is the number of new or replaced points. */
int results_merge(struct results *results, const char *from, int64_t *added,
                  struct sup_error *error);

/* Writes all points as CSV (RFC 4180; absent values are empty), columns as above, rows in the order
 * of identity: the same rows give the same bytes. Replaces the file at once or not at all. */
int results_export(sqlite3 *db, const char *path, struct sup_error *error);

/* Writes the rows of a query as CSV, likewise. SQLITE_DONE if all could be read. */
int results_write_rows(sqlite3_stmt *rows, FILE *file);
/* The i-th value of a query's row; the caller owns it. */
json_t *results_json(sqlite3_stmt *row, int i);

/* Makes a message of SQLite's error for the file. RB_EINVAL if it is not a results file, damaged,
 * or cannot be opened or written; RB_EIO if reading or writing failed; RB_ENOMEM; else
 * RB_EFAILED. */
int results_complain(sqlite3 *db, const char *path, struct sup_error *error);
/* RB_EINVAL with a message that says what is damaged in the file and what to do. */
int results_damaged(const char *path, struct sup_error *error, const char *what, ...)
    __attribute__((format(printf, 3, 4)));

/* The i-th column from the left; false if there are fewer. */
struct results_column_info {
    const char *name, *type;
};
bool results_column(int i, struct results_column_info *column);

/* Binds the point's values to the parameters {identity :@}. Its texts must last until
 * the statement has been run. */
void results_bind_point(sqlite3_stmt *statement, const struct point *point);

/* ---- One writer per file --------------------------------------------------------------------- */

/* RB_EINVAL, with a message that names the process, if another one has the lock of PATH. */
int results_lock_test(const char *path, struct sup_error *error);

/* ---- Tables ---------------------------------------------------------------------------------- */

/* The tables of a results file: made, guarded against damage, checked.
 *
 * Every row of `points`, `sweeps` and `timings` has a checksum over all its other columns but
 * `id`, and `totals` has, for each of these tables, how many rows there are and the exclusive or
 * of their checksums, changed in the same transaction. So a flipped bit is noticed wherever it is:
 * in a value, or in a pointer by which rows get lost or appear twice. */

/* All columns but `id` and `checksum`; those of `points` are in results.h. */
#define RESULTS_SWEEP_COLUMNS  "experiment, text, hash, shard, version, machine, started, finished"
#define RESULTS_TIMING_COLUMNS "point, sweep, finished, wall_s, load_s, peak_bytes"
/* The end of an INSERT INTO timings. */
#define RESULTS_REPLACE_TIMING                                                                     \
    "ON CONFLICT (point) DO UPDATE SET sweep = excluded.sweep, finished = excluded.finished, "     \
    "wall_s = excluded.wall_s, load_s = excluded.load_s, peak_bytes = excluded.peak_bytes, "       \
    "checksum = excluded.checksum"

/* The end of an INSERT INTO points: a done point replaces a failed or confirming one; otherwise the
 * existing row stays. */
#define RESULTS_REPLACE_FAILED                                                                     \
    " ON CONFLICT ({identity @}) DO UPDATE SET {value @ = excluded.@}, checksum = "                \
    "excluded.checksum WHERE status <> 'done' AND excluded.status = 'done'"

/* SQL by sqlite3_mprintf, before which {all @} becomes the names of all columns of `points`, with
 * commas between them, {identity @} of those that identify a point, and {value @} of the others.
 * In place of @ a format may stand, in which # is the column's type, and behind a ; another
 * separator: {identity a.@ = b.@; AND }. Freed by sqlite3_free. */
char *results_sql(const char *format, ...);

/* Prepares the text, and frees it. The path is for messages; the flags are sqlite3_prepare_v3's. */
int results_prepare(sqlite3 *db, const char *path, char *sql, unsigned flags,
                    sqlite3_stmt **statement, struct sup_error *error);

/* Call it on each new connection: it adds the SQL function row_checksum(VALUE, ...), and forbids
 * dangerous objects in foreign files (views, triggers). */
void results_tables_guard(sqlite3 *db);

/* Sets *absent if the database is empty or does not exist. Otherwise it is a results file, still to
 * be checked, or another program's. RB_E... if this can't be found out. */
int results_tables_absent(sqlite3 *db, const char *path, bool *absent, struct sup_error *error);
int results_tables_make(sqlite3 *db, const char *path, struct sup_error *error);
/* To be called before the first row is written: makes this connection keep `totals`. */
int results_tables_keep_totals(sqlite3 *db, const char *path, struct sup_error *error);

/* RB_EINVAL unless the file is ours and has the columns of this version; the hint ends the message
 * for files of others. */
int results_tables_check_format(sqlite3 *db, const char *path, const char *hint,
                                struct sup_error *error);
/* True if it is a file of 1.0.0 or 2.0.0, which has fewer columns. */
bool results_tables_former(sqlite3 *db);
/* results_tables_check of such a file, for reading; then this connection reads the table points
 * with today's columns. */
int results_tables_check_former(sqlite3 *db, const char *path, struct sup_error *error);
/* RB_EINVAL if anything in the database of this name (main, or as attached) is damaged or was
 * changed by hand; the message names the place and what to do. The result holds
 * for the connection's open transaction. It suffices for reading `points` in the order of its rows;
 * with `indexed`, for writing, the index and the whole structure of the file are checked too. */
int results_tables_check(sqlite3 *db, const char *schema, const char *path, bool indexed,
                         struct sup_error *error);
