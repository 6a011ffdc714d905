/* compare.c - two results of the same points, joined in a database in memory:
 *   points_0, points_1  the older and the newer points, with the columns of results
 *   pairs               a row for each point of both: what identifies it, times, ratio, verdict
 *   groups              a row for the pairs of an algorithm on a platform, and one for all
 *   facts               what each side records: (what, side, value)
 *   lone                values of parameters that only one side has: (side, parameter, value,
 * points) */
#include "experiments/decide/compare.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/decide/curves.h"
#include "experiments/results/results.h"
#include "experiments/rows/rows.h"
#include "roundabout.h"
#include "support/memory.h"
#include "support/units.h"

/* ---- Reading --------------------------------------------------------------------------------- */

/* Runs the text on the database in memory, and frees it. */
static int run(const struct decide_comparison *comparison, char *sql, struct sup_error *error)
{
    const int code = sqlite3_exec(comparison->db, sql, NULL, NULL, NULL);
    sqlite3_free(sql);
    return code == SQLITE_OK ? RB_OK
                             : results_complain(comparison->db, comparison->results[0], error);
}

/* Adds the rows of a query to a table of the database in memory. */
static int copy(const struct decide_comparison *comparison, sqlite3_stmt *rows, char *insert,
                struct sup_error *error)
{
    const char *path = comparison->results[0];
    sqlite3_stmt *add = NULL;
    int status = results_prepare(comparison->db, path, insert, 0, &add, error), step = SQLITE_DONE;
    while (status == RB_OK && (step = sqlite3_step(rows)) == SQLITE_ROW) {
        for (int i = 0; i < sqlite3_column_count(rows); i++)
            sqlite3_bind_value(add, i + 1, sqlite3_column_value(rows, i));
        if (sqlite3_step(add) != SQLITE_DONE)
            status = results_complain(comparison->db, path, error);
        sqlite3_reset(add);
    }
    if (status == RB_OK && step != SQLITE_DONE)
        status = results_complain(sqlite3_db_handle(rows), path, error);
    sqlite3_finalize(add);
    return status;
}

/* What a file of points has in `sweeps`, beside its points. */
static int copy_sweeps(const struct decide_comparison *comparison, int side, sqlite3 *db,
                       struct sup_error *error)
{
    sqlite3_stmt *rows = NULL;
    int status = results_prepare(
        db, comparison->results[side],
        results_sql("SELECT 'machine', %d, group_concat(fact, '; ') FROM (SELECT DISTINCT machine "
                    "AS fact FROM sweeps NOT INDEXED ORDER BY 1) UNION ALL SELECT 'experiment', "
                    "%d, group_concat(fact, ', ') FROM (SELECT DISTINCT experiment || ' (' || hash "
                    "|| ')' AS fact FROM sweeps NOT INDEXED ORDER BY 1)",
                    side, side),
        0, &rows, error);
    if (status == RB_OK)
        status = copy(comparison, rows, results_sql("INSERT INTO facts VALUES (?, ?, ?)"), error);
    sqlite3_finalize(rows);
    return status;
}

static int read_side(const struct decide_comparison *comparison, int side, struct sup_error *error)
{
    const char *path = comparison->results[side];
    const bool measured = rows_is_file(path);
    struct sup_error busy;
    sqlite3 *db = NULL;
    sqlite3_stmt *rows = NULL;
    char *select = results_sql("SELECT {all @}");
    int status =
        measured ? decide_rows_open(path, NULL, &db, error) : results_open(path, &db, error);
    if (status == RB_OK && !measured && results_lock_test(path, &busy) != RB_OK)
        cli_complain(0, "%s; what it has now is compared", busy.text);
    if (status == RB_OK)
        status = decide_select_points(path, db, select, "", comparison->filters, &rows, error);
    if (status == RB_OK)
        status = run(comparison,
                     results_sql("CREATE TABLE points_%d ({all @ #}, UNIQUE ({identity @}))", side),
                     error);
    if (status == RB_OK)
        status = copy(comparison, rows,
                      results_sql("INSERT INTO points_%d VALUES ({all :@})", side), error);
    if (status == RB_OK && !measured)
        status = copy_sweeps(comparison, side, db, error);
    sqlite3_finalize(rows);
    sqlite3_free(select);
    sqlite3_close(db);
    return status;
}

/* ---- Joining --------------------------------------------------------------------------------- */

/* Platforms of one hash in each file get the newer hash in both. */
static const char unite[] =
    "INSERT INTO facts SELECT 'version', 0, group_concat(DISTINCT version) FROM points_0;"
    "INSERT INTO facts SELECT 'version', 1, group_concat(DISTINCT version) FROM points_1;"
    "INSERT INTO facts SELECT 'platform ' || platform, 0, min(platform_hash) FROM points_0 GROUP "
    "BY platform HAVING count(DISTINCT platform_hash) = 1;"
    "INSERT INTO facts SELECT 'platform ' || platform, 1, min(platform_hash) FROM points_1 GROUP "
    "BY platform HAVING count(DISTINCT platform_hash) = 1;"
    "UPDATE points_0 SET platform_hash = (SELECT value FROM facts WHERE side = 1 AND what = "
    "'platform ' || platform) WHERE 'platform ' || platform IN (SELECT what FROM facts GROUP BY "
    "what HAVING count(*) = 2)";

#define LONGER(a, b)                                                                               \
    a ".time_s > " b ".time_s * (1 + %.17g) AND NOT coalesce(" a ".time_low_s <= " b               \
      ".time_high_s, false)"
static const char join[] =
    "CREATE TABLE pairs AS SELECT {identity n.@ AS @}, o.time_s AS old_s, n.time_s AS new_s, CASE "
    "WHEN o.time_s = n.time_s THEN 1.0 ELSE n.time_s / o.time_s END AS ratio, CASE WHEN o.time_s "
    "IS NULL AND n.time_s IS NULL THEN 'never done' WHEN o.time_s IS NULL THEN 'mended' WHEN "
    "n.time_s IS NULL THEN 'failed' WHEN " LONGER("n", "o") " THEN 'slower' WHEN " LONGER(
        "o", "n") " THEN 'faster' ELSE 'equal' END AS verdict FROM points_0 AS o JOIN points_1 AS "
                  "n ON {identity o.@ = n.@; AND } ORDER BY verdict <> 'failed', ratio DESC, "
                  "{identity n.@}";

/* The ratios of a group; its SQL functions are `quantile`, of a share, and `geometric_mean`. */
struct ratios {
    double *value, share;
    size_t count;
};

static void add_ratio(sqlite3_context *context, int count, sqlite3_value *values[])
{
    struct ratios *ratios = sqlite3_aggregate_context(context, sizeof *ratios);
    if (ratios == NULL || sqlite3_value_type(values[0]) == SQLITE_NULL)
        return;
    sup_grow(&ratios->value, ratios->count, sizeof *ratios->value);
    ratios->value[ratios->count++] = sqlite3_value_double(values[0]);
    ratios->share = count > 1 ? sqlite3_value_double(values[1]) : NAN;
}

/* Of none NAN, which is NULL in SQL. */
static void end_ratios(sqlite3_context *context)
{
    struct ratios *ratios = sqlite3_aggregate_context(context, 0), none = {.count = 0};
    double sum = 0;
    ratios = ratios == NULL ? &none : ratios;
    sup_sort_reals(ratios->value, ratios->count);
    for (size_t i = 0; i < ratios->count; i++)
        sum += log(ratios->value[i]);
    sqlite3_result_double(context, isnan(ratios->share)
                                       ? exp(sum / (double)ratios->count)
                                       : sup_quantile(ratios->value, ratios->count, ratios->share));
    free(ratios->value);
}

#define OF_GROUP                                                                                   \
    "count(*) AS points, sum(verdict IN ('slower', 'failed')) AS slower, sum(verdict = 'faster') " \
    "AS faster, geometric_mean(ratio) AS mean, min(ratio) AS least, quantile(ratio, 0.25) AS "     \
    "quartile_1, quantile(ratio, 0.5) AS median, quantile(ratio, 0.75) AS quartile_3, max(ratio) " \
    "AS most FROM pairs"
static const char group[] =
    "CREATE TABLE groups AS SELECT collective, algorithm, platform, " OF_GROUP
    " GROUP BY 1, 2, 3 ORDER BY 1, 2, 3; INSERT INTO groups SELECT 'all', '', '', " OF_GROUP;

/* Values that only points of one file have. */
static int find_lone(const struct decide_comparison *comparison, int side, struct sup_error *error)
{
    struct results_column_info column;
    int status =
        run(comparison,
            results_sql("CREATE TABLE alone_%d AS SELECT * FROM points_%d AS a WHERE NOT EXISTS "
                        "(SELECT 1 FROM points_%d AS b WHERE {identity a.@ = b.@; AND })",
                        side, side, 1 - side),
            error);
    for (int i = 0; results_column(i, &column) && strcmp(column.name, "version") != 0; i++)
        if (status == RB_OK)
            status =
                run(comparison,
                    results_sql("INSERT INTO lone SELECT %d, %Q, %s, count(*) FROM alone_%d WHERE "
                                "%s NOT IN (SELECT %s FROM points_%d) GROUP BY %s ORDER BY %s",
                                side, column.name, column.name, side, column.name, column.name,
                                1 - side, column.name, column.name),
                    error);
    return status;
}

/* The first row of a query: a text to be freed, "" for none, and numbers behind it. */
static char *ask(const struct decide_comparison *comparison, const char *sql,
                 int64_t *const numbers[], int count)
{
    sqlite3_stmt *row = NULL;
    const bool any = sqlite3_prepare_v2(comparison->db, sql, -1, &row, NULL) == SQLITE_OK &&
                     sqlite3_step(row) == SQLITE_ROW;
    const char *text = any ? (const char *)sqlite3_column_text(row, 0) : NULL;
    char *kept = sup_strdup(text == NULL ? "" : text);
    for (int i = 0; i < count && any; i++)
        *numbers[i] = sqlite3_column_int64(row, i + 1);
    sqlite3_finalize(row);
    return kept;
}

/* Nothing in common isn't nothing slower. */
static int check_common(struct decide_comparison *comparison, struct sup_error *error)
{
    const char *was = comparison->results[DECIDE_OLD], *is = comparison->results[DECIDE_NEW];
    int64_t done = 0, *const numbers[] = {&comparison->both,
                                          &comparison->slower,
                                          &comparison->faster,
                                          &comparison->alone[DECIDE_OLD],
                                          &comparison->alone[DECIDE_NEW],
                                          &done};
    free(ask(comparison,
             "SELECT '', points, slower, faster, (SELECT count(*) FROM alone_0), (SELECT count(*) "
             "FROM alone_1), (SELECT count(old_s) FROM pairs) FROM groups WHERE collective = 'all'",
             numbers, 6));
    if (done > 0)
        return RB_OK;
    if (comparison->both > 0)
        return sup_fail(error, RB_EINVAL,
                        "%s and %s: no point that is in both is done in the older one, so nothing "
                        "can be compared",
                        was, is);
    char *apart =
        ask(comparison,
            "SELECT ': they have no common value of ' || parameter FROM lone WHERE side = 0 GROUP "
            "BY parameter HAVING sum(points) = (SELECT count(*) FROM points_0)",
            NULL, 0);
    const int status =
        sup_fail(error, RB_EINVAL, "%s and %s: no point is in both%s, so nothing can be compared",
                 was, is, apart);
    free(apart);
    return status;
}

int decide_compare(struct decide_comparison *comparison, struct sup_error *error)
{
    const char *was = comparison->results[DECIDE_OLD], *is = comparison->results[DECIDE_NEW];
    if (results_same_file(was, is))
        return sup_fail(error, RB_EINVAL, "%s and %s are the same file: a comparison is of two",
                        was, is);
    if (sqlite3_open(":memory:", &comparison->db) != SQLITE_OK)
        return results_complain(comparison->db, was, error);
    sqlite3_create_function(comparison->db, "quantile", 2, SQLITE_UTF8, NULL, NULL, add_ratio,
                            end_ratios);
    sqlite3_create_function(comparison->db, "geometric_mean", 1, SQLITE_UTF8, NULL, NULL, add_ratio,
                            end_ratios);
    int status = run(comparison,
                     results_sql("CREATE TABLE facts (what, side, value); CREATE TABLE lone (side, "
                                 "parameter, value, points); BEGIN"),
                     error);
    for (int side = 0; side < DECIDE_SIDES && status == RB_OK; side++)
        status = read_side(comparison, side, error);
    if (status == RB_OK)
        status = run(comparison, results_sql(unite), error);
    if (status == RB_OK)
        status = run(comparison, results_sql(join, comparison->allow, comparison->allow), error);
    if (status == RB_OK)
        status = run(comparison, results_sql(group), error);
    for (int side = 0; side < DECIDE_SIDES && status == RB_OK; side++)
        status = find_lone(comparison, side, error);
    return status == RB_OK ? check_common(comparison, error) : status;
}

void decide_comparison_free(struct decide_comparison *comparison)
{
    sqlite3_close(comparison->db);
    comparison->db = NULL;
}

int decide_parse_allow(const char *text, double *share, struct sup_error *error)
{
    const size_t length = strlen(text);
    char *number = sup_strndup(text, length - (length > 0 && text[length - 1] == '%'));
    const bool good = sup_parse_real(number, share, NULL) == RB_OK && *share >= 0 && *share <= 1e6;
    free(number);
    *share /= 100;
    return good ? RB_OK
                : sup_fail(error, RB_EINVAL,
                           "--allow: \"%s\" is no percentage from 0 to 1000000, such as 5%%", text);
}

#define CHANGES                                                                                    \
    "SELECT o.what AS what, o.value AS old, n.value AS new FROM facts AS o JOIN facts AS n ON "    \
    "n.what = o.what AND n.side = 1 WHERE o.side = 0 AND n.value IS NOT o.value ORDER BY o.rowid"
const struct decide_comparison_part decide_comparison_parts[DECIDE_COMPARISON_PARTS] = {
    {"only_values", "SELECT CASE side WHEN 0 THEN 'old' ELSE 'new' END AS \"in\", parameter, "
                    "value, points FROM lone"},
    {"changes", CHANGES},
    {"groups", "SELECT * FROM groups"},
    {"points", "SELECT * FROM pairs"},
};

typedef void row_printer(void *context, sqlite3_stmt *row);

/* Calls the function for each row. */
static int each(const struct decide_comparison *comparison, const char *sql, row_printer *print,
                void *context, struct sup_error *error)
{
    sqlite3_stmt *row = NULL;
    int step = SQLITE_DONE;
    int status = results_prepare(comparison->db, comparison->results[DECIDE_NEW], results_sql(sql),
                                 0, &row, error);
    while (status == RB_OK && (step = sqlite3_step(row)) == SQLITE_ROW)
        print(context, row);
    if (status == RB_OK && step != SQLITE_DONE)
        status = results_complain(comparison->db, comparison->results[DECIDE_NEW], error);
    sqlite3_finalize(row);
    return status;
}

/* ---- Text ------------------------------------------------------------------------------------ */

static const struct out_column lost_columns[] = {{NULL, "old", OUT_SECONDS, .width = 9},
                                                 {NULL, "new", OUT_SECONDS, .width = 9},
                                                 {NULL, "ratio", OUT_RATIO, .width = 6, .gap = 2},
                                                 {NULL, "point", OUT_WORD, .width = 0, .gap = 2}};
static const char lost[] =
    "SELECT old_s, new_s, ratio, collective || ' ' || algorithm || ', p = ' || p || ', n = ' || n "
    "|| ', m_bytes = ' || m_bytes || ', ' || platform || ', ' || engine || ', ' || progress FROM "
    "pairs WHERE verdict = 'slower' OR verdict = 'failed' ORDER BY rowid LIMIT 10";
static void print_row(void *context, sqlite3_stmt *row)
{
    const struct out_table table = {lost_columns, OUT_COUNT_OF(lost_columns), .gap = 2};
    const union out_cell cells[] = {{.real = decide_real_of(row, 0)},
                                    {.real = decide_real_of(row, 1)},
                                    {.real = decide_real_of(row, 2)},
                                    {.word = (const char *)sqlite3_column_text(row, 3)}};
    out_text_row(&table, cells, context);
}

/* ---- JSON, text, CSV ------------------------------------------------------------------------- */

static json_t *object_of(sqlite3_stmt *row)
{
    json_t *object = json_object();
    for (int i = 0; i < sqlite3_column_count(row); i++)
        json_object_set_new(object, sqlite3_column_name(row, i), results_json(row, i));
    return object;
}

static void add_object(void *context, sqlite3_stmt *row)
{
    json_array_append_new(context, object_of(row));
}

static void add_row(void *context, sqlite3_stmt *row)
{
    out_json_rows_add(context, object_of(row));
}

json_t *decide_comparison_head(const struct decide_comparison *comparison)
{
    return json_pack("{s:o, s:o, s:f, s:I, s:I, s:I, s:I, s:I}", "old",
                     out_json_text(comparison->results[DECIDE_OLD]), "new",
                     out_json_text(comparison->results[DECIDE_NEW]), "allow", comparison->allow,
                     "both", (json_int_t)comparison->both, "slower", (json_int_t)comparison->slower,
                     "faster", (json_int_t)comparison->faster, "only_old",
                     (json_int_t)comparison->alone[DECIDE_OLD], "only_new",
                     (json_int_t)comparison->alone[DECIDE_NEW]);
}

/* All but the points. */
static int json_of(const struct decide_comparison *comparison, json_t *head,
                   struct sup_error *error)
{
    const struct decide_comparison_part *part = decide_comparison_parts;
    int status = RB_OK;
    for (; part < decide_comparison_parts + DECIDE_COMPARISON_PARTS - 1 && status == RB_OK;
         part++) {
        json_object_set_new(head, part->name, json_array());
        status = each(comparison, part->sql, add_object, json_object_get(head, part->name), error);
    }
    return status;
}

static int print_json(const struct decide_comparison *comparison, FILE *stream,
                      struct sup_error *error)
{
    struct out_json_rows rows;
    json_t *head = decide_comparison_head(comparison);
    int status = json_of(comparison, head, error);
    out_json_rows_begin(&rows, stream, head, "points");
    if (status == RB_OK)
        status = each(comparison, "SELECT * FROM pairs", add_row, &rows, error);
    out_json_rows_end(&rows);
    return status;
}

/* With details all but the points, too. */
static int print_text(const struct decide_comparison *comparison, bool details, FILE *stream,
                      struct sup_error *error)
{
    const struct out_table slower = {lost_columns, OUT_COUNT_OF(lost_columns), .gap = 2};
    int status = RB_OK;
    fprintf(stream,
            "%s against %s: %" PRId64 " points in both (%" PRId64 " only in the older, %" PRId64
            " only in the newer): %" PRId64 " slower by more than %g %%, %" PRId64 " faster\n",
            comparison->results[DECIDE_NEW], comparison->results[DECIDE_OLD], comparison->both,
            comparison->alone[DECIDE_OLD], comparison->alone[DECIDE_NEW], comparison->slower,
            comparison->allow * 100, comparison->faster);
    if (comparison->slower > 0) {
        fprintf(stream, "\nSlower most, of %" PRId64 "\n", comparison->slower);
        out_text_heading(&slower, stream);
        status = each(comparison, lost, print_row, stream, error);
    }
    if (status != RB_OK || !details)
        return status;
    json_t *parts = json_object();
    status = json_of(comparison, parts, error);
    out_json_details(parts, stream);
    return status;
}

static int print_csv(const struct decide_comparison *comparison, FILE *stream,
                     struct sup_error *error)
{
    sqlite3_stmt *rows = NULL;
    const char *path = comparison->results[DECIDE_NEW];
    int status =
        results_prepare(comparison->db, path, results_sql("SELECT * FROM pairs"), 0, &rows, error);
    if (status == RB_OK && results_write_rows(rows, stream) != SQLITE_DONE)
        status = results_complain(comparison->db, path, error);
    sqlite3_finalize(rows);
    return status;
}

int decide_comparison_print(const struct decide_comparison *comparison, enum out_format format,
                            bool details, FILE *stream, struct sup_error *error)
{
    return format == OUT_TEXT  ? print_text(comparison, details, stream, error)
           : format == OUT_CSV ? print_csv(comparison, stream, error)
                               : print_json(comparison, stream, error);
}
