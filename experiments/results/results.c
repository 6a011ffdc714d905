/* results.c - the results file: opened, made, asked, written point by point.
 *
 * Write-ahead logging: each point is one small transaction that a killed process can't lose, and
 * readers don't disturb it. At the end the log is folded in, so that a finished file stands alone.
 */
#define _POSIX_C_SOURCE 200809L
#include "experiments/results/results.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "experiments/point/parameters.h"
#include "roundabout.h"
#include "support/memory.h"
#include "support/options/options.h"
#include "support/output/files.h"
#include "support/output/output.h"
#include "support/output/table.h"

/* ---- One writer per results file ------------------------------------------------------------- */

int results_lock_test(const char *path, struct sup_error *error)
{
    const pid_t holder = sup_lock_holder(path);
    return holder == 0
               ? RB_OK
               : sup_fail(error, RB_EINVAL, "%s: process %ld is writing it", path, (long)holder);
}

/* Locks PATH.lock; sup_lock_release ends it. RB_EINVAL if another process has it, whose number the
 * message gives. */
static int lock_take(struct sup_lock *lock, const char *path, struct sup_error *error)
{
    const int reason = sup_lock_take(lock, path);
    const pid_t holder = reason == EAGAIN ? sup_lock_holder(path) : 0;
    char who[40] = "another process";
    switch (reason) {
    case 0:
        return RB_OK;
    case EAGAIN:
        if (holder != 0)
            snprintf(who, sizeof who, "process %ld", (long)holder);
        return sup_fail(error, RB_EINVAL,
                        "%s: %s is writing it; wait for its end, or give another file with -o",
                        path, who);
    case ENOMEM:
        sup_no_memory();
    case ENOLCK:
    case ENOSYS:
    case EOPNOTSUPP:
        return sup_fail(error, RB_EIO, "%s.lock: cannot be locked: %s", path, strerror(reason));
    default:
        return out_cannot_write(path, reason, error);
    }
}

/* ---- The file -------------------------------------------------------------------------------- */

enum { BUSY_MS = 10000 };

/* ---- Messages ---- */

int results_damaged(const char *path, struct sup_error *error, const char *what, ...)
{
    char text[160];
    va_list values;
    va_start(values, what);
    vsnprintf(text, sizeof text, what, values);
    va_end(values);
    return sup_fail(error, RB_EINVAL,
                    "%s: damaged, or changed by hand: %s; sweep into a new file instead", path,
                    text);
}

/* For a file that can't be opened or written: true if the request is the reason. */
static bool is_request(int reason)
{
    return reason == EACCES || reason == ENOENT || reason == ENOTDIR || reason == EISDIR ||
           reason == EROFS || reason == ENAMETOOLONG;
}

int results_complain(sqlite3 *db, const char *path, struct sup_error *error)
{
    int code = sqlite3_errcode(db) & 0xff;
    const int reason = sqlite3_system_errno(db);
    if (code == SQLITE_IOERR && reason == ENOSPC) /* of the log's index */
        code = SQLITE_FULL;
    switch (code) {
    case SQLITE_OK: /* the request itself could not be made up */
    case SQLITE_NOMEM:
        return sup_fail(error, RB_ENOMEM, "%s: out of memory", path);
    case SQLITE_FULL:
        return sup_fail(error, RB_EIO, "%s: the disk is full", path);
    case SQLITE_NOTADB:
        return sup_fail(error, RB_EINVAL, "%s: not a results file of roundabout sweep", path);
    case SQLITE_CORRUPT:
        /* SQLite's own message may quote a damaged name. */
        return results_damaged(path, error, "%s", sqlite3_errstr(code));
    case SQLITE_CANTOPEN:
        return sup_fail(error, is_request(reason) ? RB_EINVAL : RB_EIO, "%s: cannot be opened%s%s",
                        path, reason != 0 ? ": " : "", reason != 0 ? strerror(reason) : "");
    case SQLITE_READONLY:
    case SQLITE_PERM:
        return sup_fail(error, RB_EINVAL, "%s: cannot be written: %s", path, sqlite3_errmsg(db));
    case SQLITE_IOERR:
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL:
        return sup_fail(error, RB_EIO, "%s: %s", path, sqlite3_errmsg(db));
    default:
        return sup_fail(error, RB_EFAILED, "%s: %s", path, sqlite3_errmsg(db));
    }
}

/* SQLite deletes or writes over what has these names, and we a lock. */
static int check_companions(const char *path, bool locks, struct sup_error *error)
{
    static const char *const endings[] = {"-wal", "-shm", "-journal", ".lock"};
    enum { ENDINGS = sizeof endings / sizeof *endings };
    int status = RB_OK;
    char *real = out_follow_links(path);
    for (int i = 0; i < (locks ? ENDINGS : ENDINGS - 1) && real != NULL && status == RB_OK; i++) {
        struct stat about;
        char *name = sup_format("%s%s", i == ENDINGS - 1 ? path : real, endings[i]);
        if (lstat(name, &about) == 0 && (!S_ISREG(about.st_mode) || !out_made_by_us(name, NULL))) {
            status =
                sup_fail(error, RB_EINVAL,
                         "%s: would be lost: it was not made by roundabout, but a results file "
                         "%s uses this name; move it away",
                         name, path);
        }
        free(name);
    }
    free(real);
    return status;
}

/* ---- Reading ---- */

int results_look(const char *path, sqlite3 **db, struct sup_error *error)
{
    struct stat file;
    *db = NULL;
    if (stat(path, &file) != 0)
        return sup_fail(error, RB_EINVAL, "%s: %s; roundabout sweep makes results files", path,
                        strerror(errno));
    if (!S_ISREG(file.st_mode))
        return sup_fail(error, RB_EINVAL, "%s: not a file", path);
    int status = check_companions(path, false, error);
    if (status != RB_OK)
        return status;
    if (sqlite3_open_v2(path, db, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK) {
        status = results_complain(*db, path, error);
    } else {
        sqlite3_busy_timeout(*db, BUSY_MS);
        results_tables_guard(*db);
        status =
            results_tables_former(*db) ? RB_OK : results_tables_check_format(*db, path, "", error);
    }
    if (status != RB_OK) {
        sqlite3_close(*db);
        *db = NULL;
    }
    return status;
}

int results_open(const char *path, sqlite3 **db, struct sup_error *error)
{
    int status = results_look(path, db, error);
    if (status != RB_OK)
        return status;
    /* One transaction until the end, so that the data that are checked are the data that are read,
     * even if another process writes. */
    if (sqlite3_exec(*db, "BEGIN", NULL, NULL, NULL) != SQLITE_OK)
        status = results_complain(*db, path, error);
    else if (results_tables_former(*db))
        status = results_tables_check_former(*db, path, error);
    else
        status = results_tables_check(*db, "main", path, false, error);
    if (status != RB_OK) {
        sqlite3_close(*db);
        *db = NULL;
    }
    return status;
}

/* ---- Opening for writing ---- */

struct results {
    sqlite3 *db;
    char *path;
    struct sup_lock lock;
    sqlite3_stmt *find, *write_point, *write_timing;
    int64_t sweep; /* row of the sweep that is running; 0: none */
};

/* An empty file, or one that we made. */
static int check_or_make_tables(struct results *results, struct sup_error *error)
{
    sqlite3 *db = results->db;
    bool absent;
    int status = results_tables_absent(db, results->path, &absent, error);
    if (status == RB_OK && absent)
        return results_tables_make(db, results->path, error);
    if (status == RB_OK)
        status = results_tables_check_format(db, results->path, "; give another with -o", error);
    return status == RB_OK ? results_tables_check(db, "main", results->path, true, error) : status;
}

static int prepare(struct results *results, const char *sql, sqlite3_stmt **statement,
                   struct sup_error *error)
{
    return results_prepare(results->db, results->path, results_sql(sql), SQLITE_PREPARE_PERSISTENT,
                           statement, error);
}

static int prepare_all(struct results *results, struct sup_error *error)
{
    int status =
        prepare(results,
                "SELECT status, version, time_s, error, (SELECT wall_s + load_s FROM "
                "timings WHERE point = points.id) FROM points WHERE {identity @ = :@; AND }",
                &results->find, error);
    if (status == RB_OK)
        status = prepare(results,
                         "INSERT INTO points ({all @}, checksum) VALUES ({all :@}, "
                         "row_checksum({all :@})) ON CONFLICT ({identity @}) DO UPDATE SET "
                         "{value @ = excluded.@}, checksum = excluded.checksum RETURNING id",
                         &results->write_point, error);
    if (status == RB_OK)
        status = prepare(results,
                         "INSERT INTO timings (" RESULTS_TIMING_COLUMNS
                         ", checksum) SELECT *, row_checksum(" RESULTS_TIMING_COLUMNS
                         ") FROM (SELECT :point AS point, :sweep AS sweep, datetime('now') AS "
                         "finished, :wall_s AS wall_s, :load_s AS load_s, :peak_bytes AS "
                         "peak_bytes) WHERE true " RESULTS_REPLACE_TIMING,
                         &results->write_timing, error);
    return status;
}

static int open_database(struct results *results, struct sup_error *error)
{
    if (sqlite3_open_v2(results->path, &results->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
                        NULL) != SQLITE_OK)
        return results_complain(results->db, results->path, error);
    sqlite3_busy_timeout(results->db, BUSY_MS);
    results_tables_guard(results->db);
    int status = check_or_make_tables(results, error);
    if (status == RB_OK)
        status = results_tables_keep_totals(results->db, results->path, error);
    if (status != RB_OK)
        return status;
    /* In a log, a commit needs no flush to survive the death of this process. */
    if (sqlite3_exec(results->db, "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;", NULL,
                     NULL, NULL) != SQLITE_OK)
        return results_complain(results->db, results->path, error);
    return prepare_all(results, error);
}

/* Names that would be standard output elsewhere, or that SQLite takes for no file's. */
static int check_name(const char *path, struct sup_error *error)
{
    struct stat file;
    if (strcmp(path, "-") == 0 || path[0] == ':' || strncmp(path, "file:", 5) == 0)
        return sup_fail(error, RB_EINVAL,
                        "%s: not allowed as a name of a results file; if you "
                        "mean it, write ./%s",
                        path, path);
    if (strlen(path) > 4 && strcmp(path + strlen(path) - 4, ".csv") == 0)
        return sup_fail(error, RB_EINVAL,
                        "%s: the results file is a database, such as FILE.db; "
                        "FILE.csv is made beside it",
                        path);
    if (stat(path, &file) == 0 && !S_ISREG(file.st_mode))
        return sup_fail(error, RB_EINVAL, "%s: not a file; give another with -o", path);
    return RB_OK;
}

int results_create(const char *path, struct results **results, struct sup_error *error)
{
    int status = check_name(path, error);
    if (status == RB_OK)
        status = check_companions(path, true, error);
    if (status != RB_OK)
        return status;
    struct results *made = sup_calloc(1, sizeof *made);
    made->path = sup_strdup(path);
    struct stat file;
    const bool there = stat(path, &file) == 0;
    status = lock_take(&made->lock, path, error);
    if (status == RB_OK) {
        status = open_database(made, error);
        /* On a full disk SQLite makes an empty file. */
        if (status != RB_OK && !there && stat(path, &file) == 0 && file.st_size == 0)
            unlink(path);
    }
    if (status != RB_OK)
        results_close(made);
    else
        *results = made;
    return status;
}

void results_close(struct results *results)
{
    if (results == NULL)
        return;
    bool ours = results->find != NULL; /* another program's database does not change */
    sqlite3_finalize(results->find);
    sqlite3_finalize(results->write_point);
    sqlite3_finalize(results->write_timing);
    if (ours) /* best effort: a reader may hold the log, which then stays */
        sqlite3_exec(results->db, "PRAGMA journal_mode = DELETE", NULL, NULL, NULL);
    sqlite3_close(results->db);
    sup_lock_release(&results->lock);
    free(results->path);
    free(results);
}

sqlite3 *results_database(struct results *results)
{
    return results->db;
}

/* ---- A point ---- */

/* Values by the names of their columns. A value that can't be bound shows when the statement is
 * run: its columns are NOT NULL. */
static int at(sqlite3_stmt *statement, const char *name)
{
    return sqlite3_bind_parameter_index(statement, name);
}

static void bind_text(sqlite3_stmt *statement, const char *name, const char *text)
{
    sqlite3_bind_text(statement, at(statement, name), text, -1, SQLITE_STATIC);
}

static void bind_number(sqlite3_stmt *statement, const char *name, int64_t number)
{
    sqlite3_bind_int64(statement, at(statement, name), number);
}

static void bind_real(sqlite3_stmt *statement, const char *name, double real)
{
    sqlite3_bind_double(statement, at(statement, name), real); /* NAN becomes NULL */
}

void results_bind_point(sqlite3_stmt *statement, const struct point *point)
{
    for (int i = 0; i < POINT_PARAMETERS; i++) {
        const struct point_parameter *parameter = &point_parameters[i];
        char name[64];
        if (parameter->column == NULL)
            continue;
        snprintf(name, sizeof name, ":%s", parameter->column);
        if (parameter->type == POINT_TEXT)
            bind_text(statement, name, point_text(point, parameter));
        else
            bind_number(statement, name, point_number(point, parameter));
    }
}

/* A value that is none stays NULL. */
static void bind_value(sqlite3_stmt *statement, const struct point_value *value,
                       const struct point_outcome *outcome)
{
    const union out_cell cell = point_value_of(value, outcome);
    char name[64];
    snprintf(name, sizeof name, ":%s", value->column);
    if (value->shown.kind == OUT_WORD)
        bind_text(statement, name, cell.word);
    else if (value->shown.held == OUT_DOUBLE)
        bind_real(statement, name, cell.real);
    else if (cell.whole >= 0)
        bind_number(statement, name, cell.whole);
}

static void bind_outcome(sqlite3_stmt *statement, const struct point_outcome *outcome)
{
    bind_text(statement, ":version", cli_program_version);
    bind_text(statement, ":status",
              outcome->confirming ? "confirming"
              : outcome->done     ? "done"
                                  : "failed");
    if (!outcome->done) {
        bind_text(statement, ":error", outcome->error.text);
        return;
    }
    for (const struct point_value *value = point_values; value->shown.name != NULL; value++)
        if (value->column != NULL && (value->recorded == NULL || value->recorded(outcome)))
            bind_value(statement, value, outcome);
}

static void start_over(sqlite3_stmt *statement)
{
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
}

static enum results_point_state state_of(const char *status)
{
    if (status != NULL && strcmp(status, "confirming") == 0)
        return RESULTS_POINT_CONFIRMING;
    return status != NULL && strcmp(status, "done") == 0 ? RESULTS_POINT_DONE
                                                         : RESULTS_POINT_FAILED;
}

int results_find(struct results *results, const struct point *point, struct results_entry *entry,
                 struct sup_error *error)
{
    sqlite3_stmt *find = results->find;
    int status = RB_OK;

    *entry = (struct results_entry){.state = RESULTS_POINT_ABSENT, .time_s = NAN};
    results_bind_point(find, point);
    int step = sqlite3_step(find);
    if (step == SQLITE_ROW) {
        const char *version = (const char *)sqlite3_column_text(find, 1);
        const char *why = (const char *)sqlite3_column_text(find, 3);
        entry->state = state_of((const char *)sqlite3_column_text(find, 0));
        entry->foreign = version == NULL || strcmp(version, cli_program_version) != 0;
        if (sqlite3_column_type(find, 2) != SQLITE_NULL)
            entry->time_s = sqlite3_column_double(find, 2);
        sup_fail(&entry->why, RB_EFAILED, "%s", why != NULL ? why : "");
        entry->took_s = sqlite3_column_double(find, 4); /* of NULL it is 0 */
    } else if (step != SQLITE_DONE) {
        status = results_complain(results->db, results->path, error);
    }
    start_over(find);
    return status;
}

static int record(struct results *results, const struct point *point,
                  const struct point_outcome *outcome)
{
    sqlite3_stmt *write = results->write_point, *timing = results->write_timing;

    results_bind_point(write, point);
    bind_outcome(write, outcome);
    if (sqlite3_step(write) != SQLITE_ROW)
        return RB_EIO;
    bind_number(timing, ":point", sqlite3_column_int64(write, 0));
    if (sqlite3_step(write) != SQLITE_DONE)
        return RB_EIO;
    if (results->sweep != 0)
        bind_number(timing, ":sweep", results->sweep);
    bind_real(timing, ":wall_s", outcome->wall_s);
    bind_real(timing, ":load_s", outcome->load_s);
    bind_number(timing, ":peak_bytes", outcome->peak_bytes);
    return sqlite3_step(timing) == SQLITE_DONE ? RB_OK : RB_EIO;
}

int results_record(struct results *results, const struct point *point,
                   const struct point_outcome *outcome, struct sup_error *error)
{
    int status = RB_OK, moved = 0;

    sqlite3_file_control(results->db, "main", SQLITE_FCNTL_HAS_MOVED, &moved);
    if (moved)
        return sup_fail(error, RB_EFAILED, "%s: it was removed or replaced during the run",
                        results->path);
    if (sqlite3_exec(results->db, "BEGIN IMMEDIATE", NULL, NULL, NULL) != SQLITE_OK)
        return results_complain(results->db, results->path, error);
    if (record(results, point, outcome) != RB_OK)
        status = results_complain(results->db, results->path, error);
    start_over(results->write_point);
    start_over(results->write_timing);
    if (status == RB_OK && sqlite3_exec(results->db, "COMMIT", NULL, NULL, NULL) != SQLITE_OK)
        status = results_complain(results->db, results->path, error);
    if (status != RB_OK)
        sqlite3_exec(results->db, "ROLLBACK", NULL, NULL, NULL);
    return status == RB_EINVAL ? RB_EFAILED : status; /* it was sound when it was opened */
}

/* ---- Sweeps ---- */

int results_begin(struct results *results, const struct results_sweep_note *note,
                  struct sup_error *error)
{
    static const char sql[] =
        "INSERT INTO sweeps (" RESULTS_SWEEP_COLUMNS
        ", checksum) SELECT *, row_checksum(" RESULTS_SWEEP_COLUMNS
        ") FROM (SELECT ? AS experiment, ? AS text, ? AS hash, ? AS shard, "
        "? AS version, ? AS machine, datetime('now') AS started, NULL AS finished)";
    struct utsname machine = {0};
    char text[sizeof machine.nodename + sizeof machine.machine + 32];
    sqlite3_stmt *statement = NULL;
    int status = RB_OK;

    uname(&machine);
    snprintf(text, sizeof text, "%s, %s, %ld cores", machine.nodename, machine.machine,
             sysconf(_SC_NPROCESSORS_ONLN));
    const char *const values[] = {note->experiment, note->text,          note->hash,
                                  note->shard,      cli_program_version, text};
    if (sqlite3_prepare_v2(results->db, sql, -1, &statement, NULL) != SQLITE_OK)
        return results_complain(results->db, results->path, error);
    for (int i = 0; i < 6; i++)
        sqlite3_bind_text(statement, i + 1, values[i], -1, SQLITE_STATIC);
    if (sqlite3_step(statement) != SQLITE_DONE)
        status = results_complain(results->db, results->path, error);
    else
        results->sweep = sqlite3_last_insert_rowid(results->db);
    sqlite3_finalize(statement);
    return status;
}

int results_end(struct results *results, struct sup_error *error)
{
    char sql[400];
    snprintf(sql, sizeof sql,
             "BEGIN IMMEDIATE;"
             "UPDATE sweeps SET finished = datetime('now') WHERE id = %lld;"
             "UPDATE sweeps SET checksum = row_checksum(" RESULTS_SWEEP_COLUMNS
             ") WHERE id = %lld; COMMIT",
             (long long)results->sweep, (long long)results->sweep);
    if (sqlite3_exec(results->db, sql, NULL, NULL, NULL) == SQLITE_OK)
        return RB_OK;
    int status = results_complain(results->db, results->path, error);
    sqlite3_exec(results->db, "ROLLBACK", NULL, NULL, NULL);
    return status;
}

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
