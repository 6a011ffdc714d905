/* tune_compare_print.c - a comparison of two results as text, CSV and JSON. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/results/results.h"
#include "experiments/results/tables.h"
#include "experiments/tune/tune_compare.h"
#include "roundabout.h"
#include "support/memory.h"

/* ---- Queries --------------------------------------------------------------------------------- */

typedef void row_printer(void *context, sqlite3_stmt *row);

/* Calls the function for each row. */
static int each(const struct tune_comparison *comparison, const char *sql, row_printer *print,
                void *context, struct sup_error *error)
{
    sqlite3_stmt *row = NULL;
    int step = SQLITE_DONE;
    int status = results_prepare(comparison->db, comparison->results[TUNE_NEW], results_sql(sql), 0,
                                 &row, error);
    while (status == RB_OK && (step = sqlite3_step(row)) == SQLITE_ROW)
        print(context, row);
    if (status == RB_OK && step != SQLITE_DONE)
        status = results_complain(comparison->db, comparison->results[TUNE_NEW], error);
    sqlite3_finalize(row);
    return status;
}

static const char *text_of(sqlite3_stmt *row, int i)
{
    const char *text = (const char *)sqlite3_column_text(row, i);
    return text == NULL ? "" : text;
}

static double real_of(sqlite3_stmt *row, int i)
{
    return sqlite3_column_type(row, i) == SQLITE_NULL ? NAN : sqlite3_column_double(row, i);
}

static const char changes[] =
    "SELECT o.what AS what, o.value AS old, n.value AS new FROM facts AS o JOIN facts AS n ON "
    "n.what = o.what AND n.side = 1 WHERE o.side = 0 AND n.value IS NOT o.value ORDER BY o.rowid";
static const char values[] = "SELECT CASE side WHEN 0 THEN 'old' ELSE 'new' END AS \"in\", "
                             "parameter, value, points FROM lone";

/* ---- Groups ---------------------------------------------------------------------------------- */

/* The pairs of an algorithm on a platform, and then all pairs; ratios rise, and none come last. */
#define GROUPS                                                                                     \
    "SELECT collective, algorithm, platform, ratio, verdict FROM pairs ORDER BY 1, 2, 3, ratio "   \
    "NULLS LAST"
#define ALL "SELECT 'all', NULL, NULL, ratio, verdict FROM pairs ORDER BY ratio NULLS LAST"

struct group {
    char *name[3];
    int64_t points, slower, faster;
    double mean, least, quartile[3], most; /* the mean is geometric */
};
static const struct out_column group_columns[] = {
    {"collective", "collective", OUT_WORD, .width = -14},
    {"algorithm", "algorithm", OUT_WORD, .width = -20},
    {"platform", "platform", OUT_WORD, .width = -16},
    {"points", "points", OUT_COUNT, .width = 6, OUT_OF(struct group, points)},
    {"slower", "slower", OUT_COUNT, .width = 6, OUT_OF(struct group, slower)},
    {"faster", "faster", OUT_COUNT, .width = 6, OUT_OF(struct group, faster)},
    {"mean", "mean", OUT_RATIO, .width = 7, OUT_OF(struct group, mean)},
    {"least", "least", OUT_RATIO, .width = 7, OUT_OF(struct group, least)},
    {"quartile_1", "25 %", OUT_RATIO, .width = 7, OUT_OF(struct group, quartile[0])},
    {"median", "50 %", OUT_RATIO, .width = 7, OUT_OF(struct group, quartile[1])},
    {"quartile_3", "75 %", OUT_RATIO, .width = 7, OUT_OF(struct group, quartile[2])},
    {"most", "most", OUT_RATIO, .width = 7, OUT_OF(struct group, most)},
};
static const struct out_table group_table = {group_columns, OUT_COUNT_OF(group_columns), .gap = 1};

/* A group being read, and where groups go. */
struct grouping {
    struct group now;
    double *ratios;
    size_t count;
    FILE *stream; /* of text; NULL: to the array */
    json_t *array;
};

/* Between the two next to the share. */
static double quantile(const struct grouping *grouping, double share)
{
    if (grouping->count == 0)
        return NAN;
    const double place = share * (double)(grouping->count - 1);
    const size_t below = (size_t)place, above = below + (below + 1 < grouping->count);
    const double low = grouping->ratios[below];
    return low + (place - (double)below) * (grouping->ratios[above] - low);
}

static void end_group(struct grouping *grouping)
{
    struct group *group = &grouping->now;
    union out_cell cells[OUT_COUNT_OF(group_columns)];
    double sum = 0;
    for (size_t i = 0; i < grouping->count; i++)
        sum += log(grouping->ratios[i]);
    group->mean = exp(sum / (double)grouping->count); /* of none NAN */
    group->least = quantile(grouping, 0);
    group->most = quantile(grouping, 1);
    for (int i = 0; i < 3; i++) {
        group->quartile[i] = quantile(grouping, 0.25 * (i + 1));
        cells[i].word = group->name[i];
    }
    out_cells(&group_table, (const void *const[]){group}, cells);
    if (group->points > 0 && grouping->stream != NULL)
        out_text_row(&group_table, cells, grouping->stream);
    else if (group->points > 0)
        json_array_append_new(grouping->array, out_json_row(&group_table, cells));
    for (int i = 0; i < 3; i++)
        free(group->name[i]);
    *group = (struct group){.points = 0};
    grouping->count = 0;
}

static void add_to_group(void *context, sqlite3_stmt *row)
{
    struct grouping *grouping = context;
    struct group *group = &grouping->now;
    bool same = group->points > 0;
    for (int i = 0; i < 3 && same; i++)
        same = strcmp(group->name[i], text_of(row, i)) == 0;
    if (!same) {
        end_group(grouping);
        for (int i = 0; i < 3; i++)
            group->name[i] = sup_strdup(text_of(row, i));
    }
    const char *verdict = text_of(row, 4);
    group->points++;
    group->slower += strcmp(verdict, "slower") == 0 || strcmp(verdict, "failed") == 0;
    group->faster += strcmp(verdict, "faster") == 0;
    if (isnan(real_of(row, 3)))
        return;
    sup_grow(&grouping->ratios, grouping->count, sizeof *grouping->ratios);
    grouping->ratios[grouping->count++] = real_of(row, 3);
}

static int make_groups(const struct tune_comparison *comparison, struct grouping *grouping,
                       struct sup_error *error)
{
    int status = each(comparison, GROUPS, add_to_group, grouping, error);
    if (status == RB_OK)
        status = each(comparison, ALL, add_to_group, grouping, error);
    end_group(grouping);
    free(grouping->ratios);
    return status;
}

/* ---- Text ------------------------------------------------------------------------------------ */

static const struct out_column lost_columns[] = {{NULL, "old", OUT_SECONDS, .width = 9},
                                                 {NULL, "new", OUT_SECONDS, .width = 9},
                                                 {NULL, "ratio", OUT_RATIO, .width = 6},
                                                 {NULL, "point", OUT_WORD, .width = 0}};
static const struct out_table lost_table = {lost_columns, OUT_COUNT_OF(lost_columns), .gap = 2};
#define MOST_LOST "10"
static const char lost[] =
    "SELECT old_s, new_s, ratio, collective || ' ' || algorithm || ', p = ' || p || ', n = ' || n "
    "|| ', m_bytes = ' || m_bytes || ', ' || platform || ', ' || engine || ', ' || progress FROM "
    "pairs WHERE verdict = 'slower' OR verdict = 'failed' ORDER BY rowid LIMIT " MOST_LOST;

static void print_lost(void *context, sqlite3_stmt *row)
{
    const union out_cell cells[] = {{.real = real_of(row, 0)},
                                    {.real = real_of(row, 1)},
                                    {.real = real_of(row, 2)},
                                    {.word = text_of(row, 3)}};
    out_text_row(&lost_table, cells, context);
}

static void print_value(void *context, sqlite3_stmt *row)
{
    fprintf(context, "only in the %ser file: %s = %s (%s points)\n",
            strcmp(text_of(row, 0), "old") == 0 ? "old" : "new", text_of(row, 1),
            *text_of(row, 2) == '\0' ? "none" : text_of(row, 2), text_of(row, 3));
}

static void print_change(void *context, sqlite3_stmt *row)
{
    fprintf(context, "%s: %s -> %s\n", text_of(row, 0), text_of(row, 1), text_of(row, 2));
}

static int print_text(const struct tune_comparison *comparison, bool brief, FILE *stream,
                      struct sup_error *error)
{
    struct grouping grouping = {.stream = stream};
    int status = RB_OK;
    fprintf(stream,
            "%s against %s: %" PRId64 " points in both (%" PRId64 " only in the older, %" PRId64
            " only in the newer): %" PRId64 " slower by more than %g %%, %" PRId64 " faster\n",
            comparison->results[TUNE_NEW], comparison->results[TUNE_OLD], comparison->both,
            comparison->alone[TUNE_OLD], comparison->alone[TUNE_NEW], comparison->slower,
            comparison->allow * 100, comparison->faster);
    if (!brief) {
        fprintf(stream, "\nNew time / old: geometric mean and spread\n");
        out_text_heading(&group_table, stream);
        status = make_groups(comparison, &grouping, error);
    }
    if (status == RB_OK && comparison->slower > 0) {
        fprintf(stream, "\nSlower most, of %" PRId64 "\n", comparison->slower);
        out_text_heading(&lost_table, stream);
        status = each(comparison, lost, print_lost, stream, error);
    }
    if (!brief)
        fprintf(stream, "\n");
    if (status == RB_OK && !brief)
        status = each(comparison, values, print_value, stream, error);
    return status == RB_OK && !brief ? each(comparison, changes, print_change, stream, error)
                                     : status;
}

/* ---- JSON, CSV ------------------------------------------------------------------------------- */

static json_t *object_of(sqlite3_stmt *row)
{
    json_t *object = json_object();
    for (int i = 0; i < sqlite3_column_count(row); i++) {
        const int type = sqlite3_column_type(row, i);
        json_object_set_new(object, sqlite3_column_name(row, i),
                            type == SQLITE_INTEGER ? json_integer(sqlite3_column_int64(row, i))
                            : type == SQLITE_FLOAT ? out_json_real(sqlite3_column_double(row, i))
                            : type == SQLITE_NULL  ? json_null()
                                                   : out_json_text(text_of(row, i)));
    }
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

static int print_json(const struct tune_comparison *comparison, FILE *stream,
                      struct sup_error *error)
{
    json_t *alone = json_array(), *changed = json_array();
    struct grouping grouping = {.array = json_array()};
    struct out_json_rows rows;
    int status = each(comparison, values, add_object, alone, error);
    if (status == RB_OK)
        status = each(comparison, changes, add_object, changed, error);
    if (status == RB_OK)
        status = make_groups(comparison, &grouping, error);
    json_t *head = json_pack("{s:o, s:o, s:f, s:I, s:I, s:o, s:o, s:o}", "old",
                             out_json_text(comparison->results[TUNE_OLD]), "new",
                             out_json_text(comparison->results[TUNE_NEW]), "allow",
                             comparison->allow, "only_old", (json_int_t)comparison->alone[TUNE_OLD],
                             "only_new", (json_int_t)comparison->alone[TUNE_NEW], "only_values",
                             alone, "changes", changed, "groups", grouping.array);
    out_json_rows_begin(&rows, stream, head, "points");
    if (status == RB_OK)
        status = each(comparison, "SELECT * FROM pairs", add_row, &rows, error);
    out_json_rows_end(&rows);
    return status;
}

static int print_csv(const struct tune_comparison *comparison, FILE *stream,
                     struct sup_error *error)
{
    sqlite3_stmt *rows = NULL;
    const char *path = comparison->results[TUNE_NEW];
    int status =
        results_prepare(comparison->db, path, results_sql("SELECT * FROM pairs"), 0, &rows, error);
    if (status == RB_OK && results_write_rows(rows, stream) != SQLITE_DONE)
        status = results_complain(comparison->db, path, error);
    sqlite3_finalize(rows);
    return status;
}

int tune_comparison_print(const struct tune_comparison *comparison, enum out_format format,
                          bool brief, FILE *stream, struct sup_error *error)
{
    return format == OUT_TEXT  ? print_text(comparison, brief, stream, error)
           : format == OUT_CSV ? print_csv(comparison, stream, error)
                               : print_json(comparison, stream, error);
}
