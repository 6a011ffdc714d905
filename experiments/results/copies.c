/* copies.c - what is made of a results file: its rows added to another file, what is intact of a
 * damaged one, CSV. */
#define _POSIX_C_SOURCE 200809L /* pread */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* ---- Salvage --------------------------------------------------------------------------------- */

/* Copies the intact points of a damaged results file to another file.
 *
 * What is read is a copy, with the log folded in, in a directory that goes when this is done.
 * First the rows are read in their order. Where a page cannot be read, reading continues behind
 * it: the numbers of rows rise by 1, so few attempts fail. The tree above the rows may be lost, as
 * in a file that was cut; so then each page that can be one of rows is put where the tree has its
 * root, and its rows are read, too. Checksums tell the points from all else.
 *
 * Of the file's format (sqlite.org/fileformat2.html) this needs: big-endian numbers; bytes 16 and
 * 17 of the header, a page's size; 18 and 19, 2 while there is a log, else 1; 24 to 27, the number
 * of changes: SQLite reads all pages anew when it has changed, and takes the number of pages from
 * the file's size, not from the header, when it differs from bytes 92 to 95; and that a page of
 * rows begins with byte 13. */

enum {
    LONGEST_GAP = 1 << 20, /* after so many missing rows in sequence there are no more */
    PAGE_SIZE_AT = 16,
    LOG_AT = 18,
    CHANGES_AT = 24,
    MOST_PAGE = 1 << 16,
    ROWS = 13
};

struct salvage {
    sqlite3 *from, *into;
    const char *path; /* of the damaged file */
    struct out_staging place;
    char *copy; /* owned */
    int file;   /* the copy */
    uint32_t changes;
    sqlite3_stmt *read, *write, *ids, *take;
    int64_t whole, bad; /* numbers of rows copied, and of rows with wrong checksums */
    struct sup_error *error;
};

/* ---- The copy ---- */

/* What can't be read is a hole. Returns errno, or 0. */
static int copy_file(const char *from, const char *to)
{
    char part[4096];
    const int in = open(from, O_RDONLY | O_CLOEXEC);
    const int out = in < 0 ? -1 : open(to, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    bool good = out >= 0;
    off_t at = 0;
    for (ssize_t got = 1; good && got != 0; at += got) {
        got = pread(in, part, sizeof part, at);
        if (got < 0 && errno == EIO)
            got = sizeof part;
        else
            good = got >= 0 && pwrite(out, part, (size_t)got, at) == got;
    }
    const int reason = good ? 0 : errno == 0 ? EIO : errno;
    if (in >= 0)
        close(in);
    if (out >= 0)
        close(out);
    return reason;
}

static int make_copy(struct salvage *salvage)
{
    static const char *const endings[] = {"", "-wal", "-journal"};
    const char *into = sqlite3_db_filename(salvage->into, "main"), *slash = strrchr(into, '/');
    char *directory =
        slash == NULL ? sup_strdup(".") : sup_strndup(into, (size_t)(slash - into) + 1);
    int status = out_staging_open(&salvage->place, directory, salvage->error);
    free(directory);
    if (status == RB_OK)
        salvage->copy = sup_format("%s/copy.db", salvage->place.path);
    for (int i = 0; status == RB_OK && i < 3; i++) {
        char *from = sup_format("%s%s", salvage->path, endings[i]);
        char *to = sup_format("%s%s", salvage->copy, endings[i]);
        const int reason = i > 0 && access(from, F_OK) != 0 ? 0 : copy_file(from, to);
        if (reason != 0)
            status = sup_fail(salvage->error, RB_EIO, "%s: cannot be copied: %s", from,
                              strerror(reason));
        free(from);
        free(to);
    }
    return status;
}

/* Folds the log into the copy, as far as that can be done. */
static void fold(const struct salvage *salvage)
{
    sqlite3 *db = NULL;
    if (sqlite3_open_v2(salvage->copy, &db, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK)
        sqlite3_exec(db, "PRAGMA journal_mode = DELETE", NULL, NULL, NULL);
    sqlite3_close(db);
}

/* A number of changes that is another than that of the header's end. */
static bool put_changes(struct salvage *salvage)
{
    uint8_t bytes[4];
    salvage->changes++;
    for (int i = 0; i < 4; i++)
        bytes[i] = (uint8_t)(salvage->changes >> (24 - 8 * i));
    return pwrite(salvage->file, bytes, sizeof bytes, CHANGES_AT) == sizeof bytes;
}

/* The copy without a log, and with as many pages as it has; a last part of a page is a page. */
static int mend(struct salvage *salvage, int64_t *page_size, int64_t *pages)
{
    uint8_t head[100] = {0};
    struct stat about;
    salvage->file = open(salvage->copy, O_RDWR | O_CLOEXEC);
    if (salvage->file < 0 || fstat(salvage->file, &about) != 0 ||
        pread(salvage->file, head, sizeof head, 0) < 0)
        return sup_fail(salvage->error, RB_EIO, "%s: %s", salvage->copy, strerror(errno));
    *page_size = head[PAGE_SIZE_AT] << 8 | head[PAGE_SIZE_AT + 1];
    if (*page_size == 1)
        *page_size = MOST_PAGE;
    if (*page_size < 512 || about.st_size < (off_t)sizeof head)
        return *pages = 0, RB_OK; /* no database: opening it will say so */
    *pages = (about.st_size + *page_size - 1) / *page_size;
    for (int i = 0; i < 4; i++)
        salvage->changes = salvage->changes << 8 | head[sizeof head - 8 + (size_t)i];
    if (ftruncate(salvage->file, *pages * *page_size) != 0 ||
        pwrite(salvage->file, "\1\1", 2, LOG_AT) != 2 || !put_changes(salvage))
        return sup_fail(salvage->error, RB_EIO, "%s: %s", salvage->copy, strerror(errno));
    return RB_OK;
}

/* ---- Rows ---- */

static int prepare_all(struct salvage *salvage)
{
    const char *into = sqlite3_db_filename(salvage->into, "main");
    int status = results_prepare(
        salvage->from, salvage->path,
        results_sql("SELECT id, row_checksum({all @}) = checksum, checksum, {all @} FROM points "
                    "NOT INDEXED WHERE id >= ? ORDER BY id"),
        0, &salvage->read, salvage->error);
    if (status == RB_OK)
        status = results_prepare(salvage->from, salvage->path,
                                 results_sql("SELECT id FROM points NOT INDEXED ORDER BY id"), 0,
                                 &salvage->ids, salvage->error);
    if (status == RB_OK)
        status = results_prepare(salvage->into, into,
                                 results_sql("INSERT INTO points (checksum, {all @}) VALUES (?, "
                                             "{all ?})" RESULTS_REPLACE_FAILED),
                                 0, &salvage->write, salvage->error);
    if (status == RB_OK &&
        sqlite3_exec(salvage->into,
                     "CREATE TEMP TABLE IF NOT EXISTS taken (id INTEGER PRIMARY KEY); "
                     "DELETE FROM temp.taken",
                     NULL, NULL, NULL) != SQLITE_OK)
        status = results_complain(salvage->into, into, salvage->error);
    return status == RB_OK
               ? results_prepare(salvage->into, into,
                                 results_sql("INSERT OR IGNORE INTO temp.taken VALUES (?)"), 0,
                                 &salvage->take, salvage->error)
               : status;
}

static int step_into(struct salvage *salvage, sqlite3_stmt *statement)
{
    const int step = sqlite3_step(statement);
    sqlite3_reset(statement);
    return step == SQLITE_DONE
               ? RB_OK
               : results_complain(salvage->into, sqlite3_db_filename(salvage->into, "main"),
                                  salvage->error);
}

/* Adds the current row of `read`, unless one of its number was. */
static int add_row(struct salvage *salvage)
{
    if (sqlite3_column_int(salvage->read, 1) != 1) {
        salvage->bad++;
        return RB_OK;
    }
    sqlite3_bind_int64(salvage->take, 1, sqlite3_column_int64(salvage->read, 0));
    int status = step_into(salvage, salvage->take);
    if (status != RB_OK || sqlite3_changes(salvage->into) == 0)
        return status;
    for (int i = 2; status == RB_OK && i < sqlite3_column_count(salvage->read); i++)
        if (sqlite3_bind_value(salvage->write, i - 1, sqlite3_column_value(salvage->read, i)) !=
            SQLITE_OK)
            status = results_complain(salvage->into, sqlite3_db_filename(salvage->into, "main"),
                                      salvage->error);
    if (status == RB_OK)
        status = step_into(salvage, salvage->write);
    salvage->whole++;
    return status;
}

/* Any of SQLite's messages but that a page is damaged ends it. */
static int check_step(const struct salvage *salvage, int step)
{
    return step == SQLITE_ROW || step == SQLITE_DONE || step == SQLITE_CORRUPT
               ? RB_OK
               : results_complain(salvage->from, salvage->path, salvage->error);
}

static int add_intact_rows(struct salvage *salvage)
{
    int64_t next = 1, gap = 0;
    int status = RB_OK, step = SQLITE_ERROR;

    /* A broken tree may yield rows without end, but more than the file has room for. */
    const int64_t most = results_tables_most_rows(salvage->from, "main");
    if (most < 0)
        return results_complain(salvage->from, salvage->path, salvage->error);
    while (status == RB_OK && step != SQLITE_DONE && gap < LONGEST_GAP) {
        sqlite3_bind_int64(salvage->read, 1, next);
        while (status == RB_OK && (step = sqlite3_step(salvage->read)) == SQLITE_ROW) {
            if (salvage->whole + salvage->bad == most)
                return results_damaged(salvage->path, salvage->error, "its rows have no end");
            int64_t id = sqlite3_column_int64(salvage->read, 0);
            if (id >= next && id < INT64_MAX - LONGEST_GAP)
                next = id + 1;
            gap = 0;
            status = add_row(salvage);
        }
        if (status == RB_OK)
            status = check_step(salvage, step);
        sqlite3_reset(salvage->read);
        next++;
        gap++;
    }
    return status;
}

/* ---- Pages ---- */

/* The rows of the page that is now the root. */
static int add_page(struct salvage *salvage)
{
    int64_t *id = NULL;
    size_t count = 0;
    int status = RB_OK, step;
    while ((step = sqlite3_step(salvage->ids)) == SQLITE_ROW && count < MOST_PAGE) {
        sup_grow(&id, count, sizeof *id);
        id[count++] = sqlite3_column_int64(salvage->ids, 0);
    }
    status = check_step(salvage, step);
    sqlite3_reset(salvage->ids);
    for (size_t i = 0; status == RB_OK && i < count; i++) {
        sqlite3_bind_int64(salvage->read, 1, id[i]);
        step = sqlite3_step(salvage->read);
        status = step == SQLITE_ROW ? add_row(salvage) : check_step(salvage, step);
        sqlite3_reset(salvage->read);
    }
    free(id);
    return status;
}

static int64_t find_root(const struct salvage *salvage)
{
    sqlite3_stmt *row = NULL;
    int64_t root = 0;
    if (sqlite3_prepare_v2(salvage->from,
                           "SELECT rootpage FROM sqlite_master WHERE type = 'table' AND name = "
                           "'points'",
                           -1, &row, NULL) == SQLITE_OK &&
        sqlite3_step(row) == SQLITE_ROW)
        root = sqlite3_column_int64(row, 0);
    sqlite3_finalize(row);
    return root;
}

static int add_pages(struct salvage *salvage, int64_t page_size, int64_t pages)
{
    uint8_t *page = sup_malloc(MOST_PAGE);
    const int64_t root = find_root(salvage), bad = salvage->bad;
    int status = RB_OK;
    for (int64_t i = 2; status == RB_OK && root > 1 && i <= pages; i++) {
        if (i == root || pread(salvage->file, page, (size_t)page_size, (i - 1) * page_size) < 1 ||
            page[0] != ROWS)
            continue;
        if (pwrite(salvage->file, page, (size_t)page_size, (root - 1) * page_size) != page_size ||
            !put_changes(salvage))
            status = sup_fail(salvage->error, RB_EIO, "%s: %s", salvage->copy, strerror(errno));
        else
            status = add_page(salvage);
    }
    free(page);
    salvage->bad = bad; /* rows of other tables */
    return status;
}

/* ---- All of it ---- */

/* -1: not known. */
static int64_t rows_wanted(sqlite3 *db)
{
    sqlite3_stmt *row = NULL;
    int64_t rows = -1;
    if (sqlite3_prepare_v2(db, "SELECT rows FROM totals WHERE name = 'points'", -1, &row, NULL) ==
            SQLITE_OK &&
        sqlite3_step(row) == SQLITE_ROW)
        rows = sqlite3_column_int64(row, 0);
    sqlite3_finalize(row);
    return rows;
}

/* What says that a file is damaged advises this. */
static void drop_advice(struct sup_error *error)
{
    char *advice = strstr(error->text, "; roundabout sweep --salvage ");
    if (advice != NULL)
        snprintf(advice, sizeof error->text - (size_t)(advice - error->text),
                 "; no point can be taken over");
}

static int add_all(struct salvage *salvage, int64_t page_size, int64_t pages)
{
    /* A read transaction avoids locking the file for each page that cannot be read. */
    sqlite3_exec(salvage->from, "BEGIN", NULL, NULL, NULL);
    int status = add_intact_rows(salvage);
    sqlite3_exec(salvage->from, "COMMIT", NULL, NULL, NULL);
    return status == RB_OK ? add_pages(salvage, page_size, pages) : status;
}

int results_salvage(struct results *results, const char *from, int64_t *whole, int64_t *lost,
                    struct sup_error *error)
{
    struct salvage salvage = {
        .into = results_database(results), .path = from, .file = -1, .error = error};
    int64_t page_size = 0, pages = 0, wanted = -1;

    int status = differ(results, from, error);
    if (status == RB_OK)
        status = results_check_name(from, error);
    if (status == RB_OK)
        status = make_copy(&salvage);
    if (status == RB_OK) {
        fold(&salvage);
        status = mend(&salvage, &page_size, &pages);
    }
    if (status == RB_OK)
        status = results_look_at(salvage.copy, from, &salvage.from, error);
    if (status == RB_OK)
        status = prepare_all(&salvage);
    if (status == RB_OK &&
        sqlite3_exec(salvage.into, "BEGIN IMMEDIATE", NULL, NULL, NULL) != SQLITE_OK)
        status = results_complain(salvage.into, sqlite3_db_filename(salvage.into, "main"), error);
    if (status == RB_OK) {
        wanted = rows_wanted(salvage.from);
        status = add_all(&salvage, page_size, pages);
    }
    if (status == RB_OK && sqlite3_exec(salvage.into, "COMMIT", NULL, NULL, NULL) != SQLITE_OK)
        status = results_complain(salvage.into, sqlite3_db_filename(salvage.into, "main"), error);
    if (status != RB_OK) {
        sqlite3_exec(salvage.into, "ROLLBACK", NULL, NULL, NULL);
        drop_advice(error);
    }
    *whole = salvage.whole;
    *lost = wanted >= salvage.whole ? wanted - salvage.whole : salvage.bad > 0 ? salvage.bad : -1;
    sqlite3_finalize(salvage.read);
    sqlite3_finalize(salvage.ids);
    sqlite3_finalize(salvage.write);
    sqlite3_finalize(salvage.take);
    sqlite3_close(salvage.from);
    if (salvage.file >= 0)
        close(salvage.file);
    free(salvage.copy);
    out_staging_discard(&salvage.place);
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
