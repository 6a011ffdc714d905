/* tables.c - the tables of a results file: made, guarded against damage, checked. */
#include "experiments/results/results.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "experiments/point/parameters.h"
#include "roundabout.h"
#include "support/memory.h"

/* "RndA" marks a SQLite file as ours, the format which columns it has: a further column makes a
 * further format, and whoever changes columns otherwise changes the difference. */
enum { APPLICATION_ID = 0x526e6441, FORMAT_DIFFERENCE = 27 };

/* The format of 1.0.0 and 2.0.0 lacks these columns. Its files are read as if they had them, with
 * these values. */
enum { FORMER_FORMAT = 9 };
static const struct {
    const char *column, *value;
} younger[] = {{"arrival", "'together'"},
               {"program", "'alone'"},
               {"last_arrival_s", "NULL"},
               {"mean_inside_s", "NULL"},
               {"waiting_share", "NULL"}};

/* NULL: the column was there. */
static const char *former_value(const char *column)
{
    for (size_t i = 0; i < sizeof younger / sizeof *younger; i++)
        if (strcmp(younger[i].column, column) == 0)
            return younger[i].value;
    return NULL;
}

/* ---- SQL from the tables of columns ---- */

enum { MOST_COLUMNS = 128 };

/* All columns from the left to the right, of which the first *identity identify a point. */
static int list_columns(struct results_column_info all[MOST_COLUMNS], int *identity)
{
    int count = 0;
    for (int i = 0; i < POINT_PARAMETERS; i++) {
        const struct point_parameter *parameter = &point_parameters[i];
        if (parameter->column != NULL)
            all[count++] = (struct results_column_info){
                parameter->column, parameter->type == POINT_TEXT ? "TEXT" : "INTEGER"};
    }
    *identity = count;
    all[count++] = (struct results_column_info){"version", "TEXT"};
    all[count++] = (struct results_column_info){"status", "TEXT"};
    all[count++] = (struct results_column_info){"error", "TEXT"};
    for (const struct point_value *value = point_values; value->shown.name != NULL; value++) {
        assert(count < MOST_COLUMNS);
        if (value->column != NULL)
            all[count++] = (struct results_column_info){
                value->column, value->shown.kind == OUT_WORD     ? "TEXT"
                               : value->shown.held == OUT_DOUBLE ? "REAL"
                                                                 : "INTEGER"};
    }
    return count;
}

static int format_number(void)
{
    struct results_column_info all[MOST_COLUMNS];
    int identity;
    return list_columns(all, &identity) - FORMAT_DIFFERENCE;
}

bool results_column(int i, struct results_column_info *column)
{
    struct results_column_info all[MOST_COLUMNS];
    int identity;
    const bool there = i < list_columns(all, &identity);
    if (there)
        *column = all[i];
    return there;
}

/* The columns that a group in braces stands for (results_sql); `at` is behind its brace. "former":
 * those of the former format; "renewed": all, made of those. */
static void append_columns(sqlite3_str *sql, const char *at)
{
    struct results_column_info all[MOST_COLUMNS];
    char which[16], format[48], separator[8] = ", ";
    int identity, written = 0;
    const int count = list_columns(all, &identity);
    sscanf(at, "%15s %47[^;}];%7[^}]", which, format, separator);
    const int end = strcmp(which, "identity") == 0 ? identity : count;
    for (int i = strcmp(which, "value") == 0 ? identity : 0; i < end; i++) {
        const char *value = former_value(all[i].name);
        if (value != NULL && strcmp(which, "former") == 0)
            continue;
        sqlite3_str_appendall(sql, written++ > 0 ? separator : "");
        if (value != NULL && strcmp(which, "renewed") == 0)
            sqlite3_str_appendf(sql, "%s AS ", value);
        for (const char *c = format; *c != '\0'; c++)
            if (*c == '@')
                sqlite3_str_appendall(sql, all[i].name);
            else if (*c == '#')
                sqlite3_str_appendall(sql, all[i].type);
            else
                sqlite3_str_appendchar(sql, 1, *c);
    }
}

char *results_sql(const char *format, ...)
{
    sqlite3_str *sql = sqlite3_str_new(NULL);
    va_list values;
    for (const char *at; (at = strchr(format, '{')) != NULL; format = strchr(at, '}') + 1) {
        sqlite3_str_append(sql, format, (int)(at - format));
        append_columns(sql, at + 1);
    }
    sqlite3_str_appendall(sql, format);
    char *expanded = sqlite3_str_finish(sql);
    va_start(values, format);
    char *text = expanded == NULL ? NULL : sqlite3_vmprintf(expanded, values);
    va_end(values);
    sqlite3_free(expanded);
    if (text == NULL)
        sup_no_memory();
    return text;
}

/* ---- The tables ---- */

/* In the order of making. */
static const struct table {
    const char *name, *definition;
    const char *columns; /* in the checksum; NULL: rows have no checksums */
} tables[] = {
    {"points",
     "CREATE TABLE points (id INTEGER PRIMARY KEY, {identity @ # NOT NULL}, {value @ #}, "
     "checksum INTEGER NOT NULL, UNIQUE ({identity @}))",
     "{all @}"},
    {"sweeps",
     "CREATE TABLE sweeps (id INTEGER PRIMARY KEY, experiment TEXT, text TEXT, hash TEXT, shard "
     "TEXT, version TEXT, machine TEXT, started TEXT, finished TEXT, checksum INTEGER NOT NULL)",
     RESULTS_SWEEP_COLUMNS},
    {"timings",
     "CREATE TABLE timings (point INTEGER PRIMARY KEY REFERENCES points (id), sweep INTEGER "
     "REFERENCES sweeps (id), finished TEXT, wall_s REAL, load_s REAL, peak_bytes INTEGER, "
     "checksum INTEGER NOT NULL)",
     RESULTS_TIMING_COLUMNS},
    {"totals",
     "CREATE TABLE totals (name TEXT PRIMARY KEY, rows INTEGER NOT NULL, checksum INTEGER NOT "
     "NULL) WITHOUT ROWID",
     NULL},
};
enum { TABLES = sizeof tables / sizeof *tables };

/* Runs the text and frees it. */
static int run(sqlite3 *db, const char *path, char *sql, struct sup_error *error)
{
    const int code = sqlite3_exec(db, sql, NULL, NULL, NULL);
    sqlite3_free(sql);
    return code == SQLITE_OK ? RB_OK : results_complain(db, path, error);
}

int results_prepare(sqlite3 *db, const char *path, char *sql, unsigned flags,
                    sqlite3_stmt **statement, struct sup_error *error)
{
    const int code = sqlite3_prepare_v3(db, sql, -1, flags, statement, NULL);
    sqlite3_free(sql);
    return code == SQLITE_OK ? RB_OK : results_complain(db, path, error);
}

int results_tables_make(sqlite3 *db, const char *path, struct sup_error *error)
{
    int status = run(db, path, results_sql("BEGIN IMMEDIATE"), error);
    for (int i = 0; status == RB_OK && i < TABLES; i++)
        status = run(db, path, results_sql(tables[i].definition), error);
    for (int i = 0; status == RB_OK && i < TABLES; i++)
        if (tables[i].columns != NULL)
            status =
                run(db, path, results_sql("INSERT INTO totals VALUES (%Q, 0, 0)", tables[i].name),
                    error);
    return status != RB_OK
               ? status
               : run(db, path,
                     results_sql("PRAGMA application_id = %d; PRAGMA user_version = %d; COMMIT;",
                                 APPLICATION_ID, format_number()),
                     error);
}

/* Triggers of this connection alone. SQLite has no exclusive or: it is the bits that are in either
 * number without those that are in both. */
int results_tables_keep_totals(sqlite3 *db, const char *path, struct sup_error *error)
{
    static const struct {
        const char *event, *row;
        int rows;
    } events[] = {
        {"INSERT", "new", 1}, {"UPDATE", "old", -1}, {"UPDATE", "new", 1}, {"DELETE", "old", -1}};
    int status = RB_OK;
    for (int i = 0; i < TABLES; i++)
        for (size_t e = 0; tables[i].columns != NULL && e < sizeof events / sizeof *events; e++)
            if (status == RB_OK)
                status = run(
                    db, path,
                    results_sql("CREATE TEMP TRIGGER %s_%s_%s AFTER %s ON main.%s BEGIN UPDATE "
                                "totals SET rows = rows + %d, checksum = (checksum | %s.checksum) "
                                "- (checksum & %s.checksum) WHERE name = %Q; END",
                                tables[i].name, events[e].event, events[e].row, events[e].event,
                                tables[i].name, events[e].rows, events[e].row, events[e].row,
                                tables[i].name),
                    error);
    return status;
}

/* ---- The checksum of a row ---- */

/* Lowest byte first, so that the value is the same on every machine. */
static uint64_t add_number(uint64_t hash, uint64_t number)
{
    unsigned char bytes[8];
    for (int i = 0; i < 8; i++)
        bytes[i] = (unsigned char)(number >> (8 * i));
    return sup_hash_bytes(hash, bytes, sizeof bytes);
}

static uint64_t add_value(uint64_t hash, sqlite3_value *value)
{
    int type = sqlite3_value_type(value);
    uint64_t bits = 0;
    double real;

    hash = sup_hash_bytes(hash, (unsigned char[]){(unsigned char)type}, 1);
    switch (type) {
    case SQLITE_INTEGER:
        return add_number(hash, (uint64_t)sqlite3_value_int64(value));
    case SQLITE_FLOAT:
        real = sqlite3_value_double(value);
        memcpy(&bits, &real, sizeof bits);
        return add_number(hash, bits);
    case SQLITE_TEXT:
    case SQLITE_BLOB: {
        const void *data = type == SQLITE_TEXT ? (const void *)sqlite3_value_text(value)
                                               : sqlite3_value_blob(value);
        size_t size = data == NULL ? 0 : (size_t)sqlite3_value_bytes(value);
        return sup_hash_bytes(add_number(hash, size), data, size);
    }
    default: /* NULL */
        return hash;
    }
}

/* FNV-1a 64 over each value's type and bytes. */
static void row_checksum(sqlite3_context *context, int count, sqlite3_value *values[])
{
    uint64_t hash = SUP_HASH_START;
    for (int i = 0; i < count; i++)
        hash = add_value(hash, values[i]);
    sqlite3_result_int64(context, (sqlite3_int64)hash);
}

void results_tables_guard(sqlite3 *db)
{
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL); /* not of our own, temporary */
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    if (sqlite3_create_function(db, "row_checksum", -1,
                                SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, NULL,
                                row_checksum, NULL, NULL) != SQLITE_OK)
        sup_no_memory();
}

/* ---- Checking ---- */

/* One number from a pragma or query; -1 if it yields none. */
static int64_t ask_number(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *statement = NULL;
    int64_t number = -1;
    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW)
        number = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return number;
}

int results_tables_absent(sqlite3 *db, const char *path, bool *absent, struct sup_error *error)
{
    const int64_t count = ask_number(db, "SELECT count(*) FROM sqlite_schema");
    const int64_t id = count < 0 ? -1 : ask_number(db, "PRAGMA application_id");
    *absent = count == 0 && id == 0;
    return id < 0 ? results_complain(db, path, error) : RB_OK;
}

int results_tables_check_format(sqlite3 *db, const char *path, const char *hint,
                                struct sup_error *error)
{
    int64_t id = ask_number(db, "PRAGMA application_id");
    if (id < 0)
        return results_complain(db, path, error);
    if (id != APPLICATION_ID)
        return sup_fail(error, RB_EINVAL, "%s: not a results file of roundabout sweep%s", path,
                        hint);
    const int64_t version = ask_number(db, "PRAGMA user_version");
    if (version < 0)
        return results_complain(db, path, error);
    if (version == FORMER_FORMAT)
        return sup_fail(error, RB_EINVAL,
                        "%s: its columns are those of release 2.0.0 and before, so it is only read "
                        "(tune, plot, report): sweep into another file (-o)",
                        path);
    if (version != format_number())
        return sup_fail(error, RB_EINVAL,
                        "%s: its columns are those of another version of roundabout; sweep again, "
                        "into another file (-o)",
                        path);
    return RB_OK;
}

bool results_tables_former(sqlite3 *db)
{
    return ask_number(db, "PRAGMA application_id") == APPLICATION_ID &&
           ask_number(db, "PRAGMA user_version") == FORMER_FORMAT;
}

/* The state of a check. */
struct check {
    sqlite3 *db;
    const char *schema, *path;
    struct sup_error *error;
};

static int prepare(const struct check *check, char *sql, sqlite3_stmt **statement)
{
    return results_prepare(check->db, check->path, sql, 0, statement, check->error);
}

/* Checks that the table exists with the definition of this format. */
static int check_definition(const struct check *check, const struct table *table)
{
    char *definition = results_sql(table->definition);
    sqlite3_stmt *row = NULL;
    int status = prepare(
        check,
        results_sql("SELECT sql FROM \"%w\".sqlite_schema WHERE type = 'table' AND name = %Q",
                    check->schema, table->name),
        &row);
    if (status == RB_OK) {
        int step = sqlite3_step(row);
        const char *text = step == SQLITE_ROW ? (const char *)sqlite3_column_text(row, 0) : NULL;
        if (step != SQLITE_ROW && step != SQLITE_DONE)
            status = results_complain(check->db, check->path, check->error);
        else if (text == NULL || strcmp(text, definition) != 0)
            status = results_damaged(check->path, check->error,
                                     "the definition of its table %s is not that of this format",
                                     table->name);
    }
    sqlite3_finalize(row);
    sqlite3_free(definition);
    return status;
}

struct totals {
    int64_t rows;
    uint64_t checksum;
};

static int read_totals(const struct check *check, const struct table *table, struct totals *totals)
{
    sqlite3_stmt *row = NULL;
    int status = prepare(check,
                         results_sql("SELECT rows, checksum FROM \"%w\".totals WHERE name = %Q",
                                     check->schema, table->name),
                         &row);
    if (status == RB_OK) {
        int step = sqlite3_step(row);
        if (step == SQLITE_ROW)
            *totals = (struct totals){sqlite3_column_int64(row, 0),
                                      (uint64_t)sqlite3_column_int64(row, 1)};
        else if (step != SQLITE_DONE)
            status = results_complain(check->db, check->path, check->error);
        else
            status = results_damaged(check->path, check->error,
                                     "its table totals has no row for %s", table->name);
    }
    sqlite3_finalize(row);
    return status;
}

static int64_t ask_schema(sqlite3 *db, const char *schema, const char *pragma)
{
    char *sql = results_sql("PRAGMA \"%w\".%s", schema, pragma);
    const int64_t number = ask_number(db, sql);
    sqlite3_free(sql);
    return number;
}

/* More rows than this don't fit into a file of its size; -1: it can't be asked. */
static int64_t most_rows(sqlite3 *db, const char *schema)
{
    enum { LEAST_ROW = 8 }; /* bytes: size, number, a header, a checksum */
    const int64_t pages = ask_schema(db, schema, "page_count");
    const int64_t page_bytes = pages < 0 ? -1 : ask_schema(db, schema, "page_size");
    return page_bytes < 0 ? -1 : pages * page_bytes / LEAST_ROW;
}

/* Adds up the rows; the first whose checksum is wrong is a fault, and one more than `most`, since a
 * broken tree may yield rows without end. */
static int check_each_row(const struct check *check, const struct table *table, int64_t most,
                          struct totals *found)
{
    sqlite3_stmt *row = NULL;
    int step = SQLITE_DONE;
    char *columns = results_sql(table->columns);
    int status = prepare(check,
                         results_sql("SELECT rowid, checksum, row_checksum(%s) FROM \"%w\".%s NOT "
                                     "INDEXED",
                                     columns, check->schema, table->name),
                         &row);
    sqlite3_free(columns);
    *found = (struct totals){0};
    while (status == RB_OK && found->rows <= most && (step = sqlite3_step(row)) == SQLITE_ROW) {
        found->rows++;
        found->checksum ^= (uint64_t)sqlite3_column_int64(row, 1);
        if (sqlite3_column_int64(row, 1) != sqlite3_column_int64(row, 2))
            status = results_damaged(check->path, check->error,
                                     "row %lld of %s doesn't match its checksum",
                                     (long long)sqlite3_column_int64(row, 0), table->name);
    }
    if (status == RB_OK && step != SQLITE_DONE && step != SQLITE_ROW)
        status = results_complain(check->db, check->path, check->error);
    sqlite3_finalize(row);
    return status;
}

static int check_rows(const struct check *check, const struct table *table)
{
    const int64_t most = most_rows(check->db, check->schema);
    struct totals wanted = {0}, found;
    if (most < 0)
        return results_complain(check->db, check->path, check->error);
    int status = read_totals(check, table, &wanted);
    if (status == RB_OK)
        status = check_each_row(check, table, wanted.rows < most ? wanted.rows : most, &found);
    if (status != RB_OK)
        return status;
    if (found.rows != wanted.rows)
        return results_damaged(check->path, check->error, "its table %s has %s rows than %lld",
                               table->name, found.rows < wanted.rows ? "fewer" : "more",
                               (long long)wanted.rows);
    if (found.checksum != wanted.checksum)
        return results_damaged(check->path, check->error,
                               "the rows of its table %s don't match their total", table->name);
    return RB_OK;
}

/* The first fault's own line; above it may stand which database it is in. */
static const char *telling_line(const char *faults)
{
    const char *end = faults == NULL || faults[0] != '*' ? NULL : strchr(faults, '\n');
    if (end != NULL)
        return end + 1;
    return faults == NULL ? "its structure" : faults;
}

static int check_structure(const struct check *check)
{
    sqlite3_stmt *row = NULL;
    int status =
        prepare(check, results_sql("PRAGMA \"%w\".integrity_check(1)", check->schema), &row);
    if (status == RB_OK) {
        int step = sqlite3_step(row);
        const char *text = step == SQLITE_ROW ? (const char *)sqlite3_column_text(row, 0) : NULL;
        if (step != SQLITE_ROW)
            status = results_complain(check->db, check->path, check->error);
        else if (text == NULL || strcmp(text, "ok") != 0)
            status = results_damaged(check->path, check->error, "%s", telling_line(text));
    }
    sqlite3_finalize(row);
    return status;
}

int results_tables_check_former(sqlite3 *db, const char *path, struct sup_error *error)
{
    static const struct table points = {"points", NULL, "{former @}"};
    const struct check check = {db, "main", path, error};
    const int status = check_rows(&check, &points);
    if (status != RB_OK)
        return status;
    /* Queries name no database: a view of this connection stands before the file's table. */
    return run(db, path,
               results_sql("CREATE TEMP VIEW points AS SELECT id, {renewed @}, checksum FROM "
                           "main.points"),
               error);
}

int results_tables_check(sqlite3 *db, const char *schema, const char *path, bool indexed,
                         struct sup_error *error)
{
    const struct check check = {db, schema, path, error};
    int status = RB_OK;

    for (int i = 0; status == RB_OK && i < TABLES; i++)
        status = check_definition(&check, &tables[i]);
    for (int i = 0; status == RB_OK && i < TABLES; i++)
        if (tables[i].columns != NULL)
            status = check_rows(&check, &tables[i]);
    return status == RB_OK && indexed ? check_structure(&check) : status;
}
