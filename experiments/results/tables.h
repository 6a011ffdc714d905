/* tables.h - the tables of a results file: made, guarded against damage, checked.
 *
 * Every row of `points`, `sweeps` and `timings` has a checksum over all its other columns but `id`,
 * and `totals` has, for each of these tables, how many rows there are and the exclusive or of their
 * checksums, changed in the same transaction. So a flipped bit is noticed wherever it is: in a
 * value, or in a pointer by which rows get lost or appear twice. */
#ifndef EXPERIMENTS_RESULTS_TABLES_H
#define EXPERIMENTS_RESULTS_TABLES_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "support/error.h"

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
/* RB_EINVAL if anything in the database of this name (main, or as attached) is damaged or was
 * changed by hand; the message names the place and says how to recover the rest. The result holds
 * for the connection's open transaction. It suffices for reading `points` in the order of its rows;
 * with `indexed`, for writing, the index and the whole structure of the file are checked too. */
int results_tables_check(sqlite3 *db, const char *schema, const char *path, bool indexed,
                         struct sup_error *error);

/* More rows than this don't fit into a file of its size; -1: it can't be asked. */
int64_t results_tables_most_rows(sqlite3 *db, const char *schema);

#endif
