/* results_rows.c - what `tune` makes of a results database with any rows: tables, JSON, and
 * decision files that the MPI library reads. The database is in memory; results_open and
 * sqlite3_close are replaced (-Wl,--wrap), results_image.c is for them. */
#define _POSIX_C_SOURCE 200809L /* open_memstream, fmemopen */

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "experiments/decide/tune.h"
#include "experiments/results/results.h"
#include "fuzz.h"
#include "roundabout.h"

enum { MOST_ROWS = 8 };

static sqlite3 *database;

int __wrap_results_open(const char *path, sqlite3 **db, struct sup_error *error);
int __wrap_results_open(const char *path, sqlite3 **db, struct sup_error *error)
{
    (void)path, (void)error;
    *db = database;
    return RB_OK;
}

int __real_sqlite3_close(sqlite3 *db);
int __wrap_sqlite3_close(sqlite3 *db);
int __wrap_sqlite3_close(sqlite3 *db)
{
    return db == database ? SQLITE_OK : __real_sqlite3_close(db);
}

/* ---- Rows ------------------------------------------------------------------------------------ */

enum { MOST_COLUMNS = 64 };
static struct results_column_info columns[MOST_COLUMNS];
static int column_count;

static sqlite3_stmt *insert, *empty;

/* A results file as the product makes it, without rows, copied into memory. */
static void make_database(void)
{
    char path[300];
    struct results *results;
    struct sup_error error = {0};
    fuzz_path("empty.db", path, sizeof path);
    FUZZ_ASSERT(results_create(path, &results, &error) == RB_OK, "%s", error.text);
    if (sqlite3_open(":memory:", &database) != SQLITE_OK)
        abort();
    sqlite3_backup *copy = sqlite3_backup_init(database, "main", results_database(results), "main");
    if (copy == NULL || sqlite3_backup_step(copy, -1) != SQLITE_DONE)
        abort();
    sqlite3_backup_finish(copy);
    results_close(results);
    unlink(path);
    fuzz_path("empty.db.lock", path, sizeof path);
    unlink(path);
    while (column_count < MOST_COLUMNS && results_column(column_count, &columns[column_count]))
        column_count++;
    char *text =
        results_sql("INSERT OR IGNORE INTO points ({all @}, checksum) VALUES ({all ?}, 0)");
    if (sqlite3_prepare_v2(database, text, -1, &insert, NULL) != SQLITE_OK ||
        sqlite3_prepare_v2(database, "DELETE FROM points", -1, &empty, NULL) != SQLITE_OK)
        abort();
    sqlite3_free(text);
}

/* A text that such a column has, or any. */
static const char *usual_text(const char *name, uint8_t which)
{
    static const char *const platforms[] = {"crossbar:64", "fat-tree:64,latency=1us", "x.xml", ""};
    static const char *const hostile[] = {"'`touch PWN`'", "\033[31m\n", "a,\"b\"", "\xff\xfe"};
    int32_t count = 0;
    if (which >= 250)
        return hostile[which % 4];
    if (strcmp(name, "collective") == 0) {
        const struct rb_collective_info *info = rb_collective_at(which % 8);
        return info == NULL ? "bcast" : info->name;
    }
    if (strcmp(name, "algorithm") == 0) {
        while (rb_algorithm_at(count) != NULL)
            count++;
        return which == 249 ? "native:ompi" : rb_algorithm_at(which % count)->name;
    }
    if (strcmp(name, "platform") == 0)
        return platforms[which % 4];
    if (strcmp(name, "counts") == 0)
        return which < 200 ? "regular" : "mod3";
    if (strcmp(name, "placement") == 0)
        return which < 200 ? "block" : "cyclic";
    if (strcmp(name, "engine") == 0)
        return which < 200 ? "simgrid" : "model";
    if (strcmp(name, "progress") == 0)
        return which < 200 ? "blocking" : "window:4";
    if (strcmp(name, "status") == 0)
        return which < 230 ? "done" : "failed";
    if (strcmp(name, "version") == 0)
        return which < 200 ? "0.1.0+0123456789ab" : "0.1.0+ffff";
    return "";
}

static void take_text(struct fuzz_bytes *bytes, int i)
{
    sqlite3_bind_text(insert, i + 1, usual_text(columns[i].name, fuzz_take(bytes)), -1,
                      SQLITE_STATIC);
}

static void take_whole(struct fuzz_bytes *bytes, int i)
{
    const uint8_t kind = fuzz_take(bytes);
    int64_t value = 1;
    if (kind >= 240)
        value = fuzz_take_wild(bytes);
    else if (strcmp(columns[i].name, "m_bytes") == 0)
        value = (int64_t)1 << kind % 40;
    else if (strcmp(columns[i].name, "p") == 0 || strcmp(columns[i].name, "n") == 0)
        value = 1 + kind % 65;
    else if (strcmp(columns[i].name, "root") == 0 || strcmp(columns[i].name, "radix") == 0)
        value = kind < 200 ? 0 : kind - 199;
    sqlite3_bind_int64(insert, i + 1, value);
}

static void take_real(struct fuzz_bytes *bytes, int i)
{
    static const double odd[] = {0, -0.0, 5e-324, 1.7e308, -1, INFINITY, 1e-300};
    const uint8_t kind = fuzz_take(bytes);
    if (kind >= 250)
        sqlite3_bind_null(insert, i + 1);
    else if (kind >= 240)
        sqlite3_bind_double(insert, i + 1, odd[kind % 7]);
    else
        sqlite3_bind_double(insert, i + 1,
                            ldexp(1 + (double)fuzz_take(bytes) / 256, -30 + kind % 32));
}

static void take_row(struct fuzz_bytes *bytes)
{
    for (int i = 0; i < column_count; i++)
        if (strcmp(columns[i].type, "TEXT") == 0)
            take_text(bytes, i);
        else if (strcmp(columns[i].type, "REAL") == 0)
            take_real(bytes, i);
        else
            take_whole(bytes, i);
    sqlite3_step(insert); /* what a column doesn't take is left out */
    sqlite3_reset(insert);
}

/* The next row differs from the one before in some columns only: so rows make curves. */
static void vary_row(struct fuzz_bytes *bytes)
{
    static const char *const varied[] = {"n", "m_bytes", "p", "algorithm", "progress"};
    const uint8_t which = fuzz_take(bytes);
    for (int i = 0; i < column_count; i++) {
        const char *name = columns[i].name;
        bool vary = strcmp(name, "time_s") == 0;
        for (int k = 0; k < 5; k++)
            vary = vary || ((which >> k & 1) != 0 && strcmp(name, varied[k]) == 0);
        if (!vary)
            continue;
        if (strcmp(columns[i].type, "TEXT") == 0)
            take_text(bytes, i);
        else if (strcmp(columns[i].type, "REAL") == 0)
            take_real(bytes, i);
        else
            take_whole(bytes, i);
    }
    sqlite3_step(insert);
    sqlite3_reset(insert);
}

/* ---- What is made of them -------------------------------------------------------------------- */

static void check_decisions(const struct decide_curves *data)
{
    const struct decide_decisions_request request = {.results = "fuzz.db", .tolerance = 0.02};
    struct sup_error error = {0};
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    const int status = decide_decisions_write(data, &request, stream, &error);
    fclose(stream);
    if (status != RB_OK) {
        fuzz_check_error(&error);
        free(text);
        return;
    }
    FUZZ_ASSERT(strncmp(text, "roundabout-decisions 1\n", 23) == 0, "%.40s", text);
    FUZZ_ASSERT(fuzz_decisions_are_read(text, size, &error), "%s:\n%s", error.text, text);
    free(text);
}

static void check_tables(const struct decide_tune_result *tuning)
{
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    decide_tune_result_text(tuning, ~0u, true, stream);
    for (int i = 0; i < DECIDE_TUNE_TABLES; i++) {
        const struct decide_table table = decide_tune_table(tuning, i);
        decide_table_csv(&table, stream);
    }
    fclose(stream);
    free(text);
    json_t *json = decide_tune_result_json(tuning, ~0u);
    FUZZ_ASSERT(json != NULL, "no JSON");
    text = json_dumps(json, 0);
    FUZZ_ASSERT(text != NULL, "JSON that can't be written");
    free(text);
    json_decref(json);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_bytes bytes = {data, size};
    struct decide_tune_result tuning = {0};
    struct sup_error error = {0};
    if (database == NULL)
        make_database();
    const struct decide_tune_request request = {
        .results = "fuzz.db",
        .focus = DECIDE_TUNE_FOCUS,
        .constant = "FG\0"[fuzz_take(&bytes) % 3],
        .element_bytes = fuzz_take_int(&bytes, 0, 8),
        .tolerance = DECIDE_TUNE_TOLERANCE,
    };
    sqlite3_step(empty);
    sqlite3_reset(empty);
    take_row(&bytes);
    for (int i = 1; i < MOST_ROWS && bytes.size > 0; i++)
        if (fuzz_take(&bytes) % 8 == 0)
            take_row(&bytes);
        else
            vary_row(&bytes);
    if (decide_tune_run(&request, &tuning, &error) == RB_OK) {
        check_tables(&tuning);
        check_decisions(&tuning.data);
    } else {
        fuzz_check_error(&error);
    }
    decide_tune_result_free(&tuning);
    return 0;
}
