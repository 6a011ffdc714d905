/* salvage.c - copies the intact points of a damaged results file to another file.
 *
 * The rows are read in their order. Where a page cannot be read, reading continues behind it: the
 * numbers of rows rise by 1, so few attempts fail. */
#include "experiments/results/results.h"
#include "experiments/results/tables.h"
#include "roundabout.h"

/* After so many missing rows in sequence there are no more. */
enum { LONGEST_GAP = 1 << 20 };

struct salvage {
    sqlite3 *from, *into;
    const char *path; /* of the damaged file */
    sqlite3_stmt *read, *write;
    int64_t whole, bad; /* numbers of rows copied, and of rows with wrong checksums */
    struct sup_error *error;
};

static int prepare_both(struct salvage *salvage)
{
    const char *into = sqlite3_db_filename(salvage->into, "main");
    const int status = results_prepare(
        salvage->from, salvage->path,
        results_sql("SELECT id, row_checksum({all @}) = checksum, checksum, {all @} FROM points "
                    "NOT INDEXED WHERE id >= ? ORDER BY id"),
        0, &salvage->read, salvage->error);
    return status != RB_OK
               ? status
               : results_prepare(salvage->into, into,
                                 results_sql("INSERT INTO points (checksum, {all @}) VALUES (?, "
                                             "{all ?})" RESULTS_REPLACE_FAILED),
                                 0, &salvage->write, salvage->error);
}

/* Adds the current row of `read`. */
static int add_row(struct salvage *salvage)
{
    int status = RB_OK;
    if (sqlite3_column_int(salvage->read, 1) != 1) {
        salvage->bad++;
        return RB_OK;
    }
    for (int i = 2; i < sqlite3_column_count(salvage->read); i++)
        sqlite3_bind_value(salvage->write, i - 1, sqlite3_column_value(salvage->read, i));
    if (sqlite3_step(salvage->write) != SQLITE_DONE)
        status = results_complain(salvage->into, sqlite3_db_filename(salvage->into, "main"),
                                  salvage->error);
    sqlite3_reset(salvage->write);
    salvage->whole++;
    return status;
}

static int add_rows(struct salvage *salvage)
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
        if (status == RB_OK && step != SQLITE_DONE && step != SQLITE_CORRUPT)
            status = results_complain(salvage->from, salvage->path, salvage->error);
        sqlite3_reset(salvage->read);
        next++;
        gap++;
    }
    return status;
}

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

int results_salvage(struct results *results, const char *from, int64_t *whole, int64_t *lost,
                    struct sup_error *error)
{
    struct salvage salvage = {.into = results_database(results), .path = from, .error = error};

    int status = results_differ(results, from, error);
    if (status == RB_OK)
        status = results_look(from, &salvage.from, error);
    if (status != RB_OK)
        return status;
    /* A read transaction avoids locking the file for each page that cannot be read. */
    sqlite3_exec(salvage.from, "BEGIN", NULL, NULL, NULL);
    status = prepare_both(&salvage);
    if (status == RB_OK &&
        sqlite3_exec(salvage.into, "BEGIN IMMEDIATE", NULL, NULL, NULL) != SQLITE_OK)
        status = results_complain(salvage.into, sqlite3_db_filename(salvage.into, "main"), error);
    if (status == RB_OK)
        status = add_rows(&salvage);
    if (status == RB_OK && sqlite3_exec(salvage.into, "COMMIT", NULL, NULL, NULL) != SQLITE_OK)
        status = results_complain(salvage.into, sqlite3_db_filename(salvage.into, "main"), error);
    if (status != RB_OK)
        sqlite3_exec(salvage.into, "ROLLBACK", NULL, NULL, NULL);
    int64_t wanted = rows_wanted(salvage.from);
    *whole = salvage.whole;
    *lost = wanted >= salvage.whole ? wanted - salvage.whole : salvage.bad > 0 ? salvage.bad : -1;
    sqlite3_finalize(salvage.read);
    sqlite3_finalize(salvage.write);
    sqlite3_close(salvage.from);
    return status;
}
