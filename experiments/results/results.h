/* results.h - what a sweep leaves behind: one SQLite file, table `points`, one row per point.
 *
 * Columns are lower case and never change meaning; docs/formats.md documents them. A point is
 * identified by everything that decides its result. */
#ifndef EXPERIMENTS_RESULTS_RESULTS_H
#define EXPERIMENTS_RESULTS_RESULTS_H

#include <jansson.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "experiments/point/point.h"
#include "support/error.h"

/* The columns of a row, in the order of the exported CSV: first those of the point's parameters
 * (parameters.h), which identify it; then `version` (of Roundabout: release and commit), `status`
 * (done, failed, confirming), `error` (why it failed); then what came of it (outcome.h). */

/* Beside `points` (whose rows also have a number, `id`, and a checksum) the file has
 *   timings: per point the cost of the run itself, which is apart because it differs from run to
 *   run sweeps: per call of `sweep` the experiment's text, when, by which version, on which machine
 *   totals: per table the number of its rows and their checksums put together (tables.h). */

/* Opens an existing results file for reading (tune, plot). RB_EINVAL, and a message that says so,
 * if it is missing, something else than a results file, or damaged anywhere. */
int results_open(const char *path, sqlite3 **db, struct sup_error *error);
/* Opens it without looking at its contents, and without a transaction. */
int results_look(const char *path, sqlite3 **db, struct sup_error *error);
/* Both halves of it: whether the name can be that of a results file; and opening a file that stands
 * for it, the path being for messages. */
int results_check_name(const char *path, struct sup_error *error);
int results_look_at(const char *file, const char *path, sqlite3 **db, struct sup_error *error);

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
/* RB_EINVAL if the other is the same file. */
int results_differ(struct results *results, const char *other, struct sup_error *error);
/* Adds the rows of another results file. Points that both have must have the same result, a failed
 * one gives way to one that is done; otherwise RB_EINVAL, a message that names the point, and
 * nothing is added. *added is the number of new or replaced points. */
int results_merge(struct results *results, const char *from, int64_t *added,
                  struct sup_error *error);

/* Adds the points of a damaged results file whose checksums hold, from all pages that can be read.
 * *whole and *lost are their number and the number of other rows (-1: not known). The file is read,
 * never changed. */
int results_salvage(struct results *results, const char *from, int64_t *whole, int64_t *lost,
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
/* RB_EINVAL with a message that says what is damaged in the file and how to recover the rest. */
int results_damaged(const char *path, struct sup_error *error, const char *what, ...)
    __attribute__((format(printf, 3, 4)));

/* The i-th column from the left; false if there are fewer. */
struct results_column_info {
    const char *name, *type;
};
bool results_column(int i, struct results_column_info *column);

/* Binds the point's values to the parameters {identity :@} (tables.h). Its texts must last until
 * the statement has been run. */
void results_bind_point(sqlite3_stmt *statement, const struct point *point);

#endif
