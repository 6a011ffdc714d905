/* curves.c - a sweep's results as curves of time over n. */
#include "experiments/decide/curves.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/point/point.h"
#include "experiments/results/results.h"
#include "experiments/rows/rows.h"
#include "roundabout.h"
#include "sim/engine/engine.h"
#include "support/memory.h"

/* ---- The query ------------------------------------------------------------------------------ */

/* The columns that are read: these, then those of a setting. Rows come in the order of settings,
 * then of the first of these up to n. */
enum column {
    RANKS,
    M_BYTES,
    ALGORITHM,
    RADIX,
    GROUPS,
    BLOCKS,
    STATUS,
    TIME_S,
    ALPHA_S,
    BETA_S_PER_BYTE,
    BOUND_S,
    TIME_LOW_S,
    TIME_HIGH_S,
    MEAN_INSIDE_S,
    VERSION,
    OWN_COLUMNS
};

static const char *const column_names[OWN_COLUMNS] = {
    "p",       "m_bytes",    "algorithm",   "radix",         "groups",
    "n",       "status",     "time_s",      "alpha_s",       "beta_s_per_byte",
    "bound_s", "time_low_s", "time_high_s", "mean_inside_s", "version"};

static bool filter_is_given(const struct decide_filter *filter)
{
    return filter->text_count > 0 || (filter->numbers != NULL && filter->numbers->count > 0);
}

/* The name of a curve of these columns, as point_curve_name has it. */
#define CURVE_NAME                                                                                 \
    "(algorithm || CASE WHEN radix > 0 THEN ':r=' || radix ELSE '' END"                            \
    " || CASE WHEN groups <> '' THEN ':g=' || groups ELSE '' END)"

/* Columns of texts that also match in another way than by being equal. */
static const struct match {
    enum point_id id;
    const char *condition;
    int parameters; /* equal texts */
} matches[] = {{POINT_PLATFORM, " OR rtrim(substr(platform, 1, 1 + length(?)), ':,') = ?", 2},
               {POINT_ARRIVAL, " OR rtrim(substr(arrival, 1, 1 + length(?)), ':') = ?", 2},
               {POINT_PROGRAM, " OR rtrim(substr(program, 1, 1 + length(?)), '#,') = ?", 2},
               {POINT_ALGORITHM, " OR " CURVE_NAME " = ?", 1}};

static const struct match *match_of(const struct decide_filter *filter)
{
    for (size_t i = 0; i < sizeof matches / sizeof matches[0]; i++)
        if (filter->parameter == &point_parameters[matches[i].id])
            return &matches[i];
    return NULL;
}

/* A condition on one column, its values as parameters to be bound later in the same order. */
static void append_condition(sqlite3_str *query, const struct decide_filter *filter)
{
    const struct match *match = match_of(filter);
    const char *column = filter->parameter->column;
    for (int32_t i = 0; i < filter->text_count; i++)
        sqlite3_str_appendf(query, "%s%s = ?%s%s", i == 0 ? " AND (" : " OR ", column,
                            match != NULL ? match->condition : "",
                            i == filter->text_count - 1 ? ")" : "");
    if (filter->numbers == NULL || filter->numbers->count == 0)
        return;
    sqlite3_str_appendf(query, " AND %s IN (?", column);
    for (size_t i = 1; i < filter->numbers->count; i++)
        sqlite3_str_appendall(query, ", ?");
    sqlite3_str_appendall(query, ")");
}

static int bind_filter(sqlite3_stmt *rows, const struct decide_filter *filter, int *parameter)
{
    const struct match *match = match_of(filter);
    const int copies = 1 + (match == NULL ? 0 : match->parameters);
    int status = SQLITE_OK;
    for (int32_t i = 0; i < filter->text_count; i++)
        for (int copy = 0; copy < copies && status == SQLITE_OK; copy++)
            status = sqlite3_bind_text(rows, ++*parameter, filter->texts[i], -1, SQLITE_STATIC);
    for (size_t i = 0; filter->numbers != NULL && i < filter->numbers->count; i++)
        if (status == SQLITE_OK)
            status = sqlite3_bind_int64(rows, ++*parameter, filter->numbers->value[i]);
    return status;
}

/* Prepares "select from points where filters [from first to before last] order". */
static int prepare(const char *path, sqlite3 *db, const char *select, const char *order,
                   const struct decide_filter *first, const struct decide_filter *last,
                   sqlite3_stmt **rows, struct sup_error *error)
{
    sqlite3_str *query = sqlite3_str_new(db);
    sqlite3_str_appendall(query, select);
    /* Its rows have been checked. */
    sqlite3_str_appendall(query, " FROM points NOT INDEXED WHERE status IS NOT 'confirming'");
    for (const struct decide_filter *filter = first; filter < last; filter++)
        append_condition(query, filter);
    sqlite3_str_appendall(query, order);
    int status = results_prepare(db, path, sqlite3_str_finish(query), 0, rows, error),
        parameter = 0;
    for (const struct decide_filter *filter = first; filter < last && status == RB_OK; filter++)
        if (bind_filter(*rows, filter, &parameter) != SQLITE_OK)
            status = results_complain(db, path, error);
    return status;
}

static const struct decide_filter *end_of(const struct decide_filter *filters)
{
    while (filters != NULL && filters->parameter != NULL)
        filters++;
    return filters;
}

int decide_select_points(const char *path, sqlite3 *db, const char *select, const char *order,
                         const struct decide_filter filters[], sqlite3_stmt **rows,
                         struct sup_error *error)
{
    return prepare(path, db, select, order, filters, end_of(filters), rows, error);
}

/* ---- Reading rows --------------------------------------------------------------------------- */

const char *decide_intern(struct decide_curves *data, const char *text)
{
    for (size_t i = 0; i < data->word_count; i++)
        if (strcmp(data->words[i], text) == 0)
            return data->words[i];
    sup_grow(&data->words, data->word_count, sizeof *data->words);
    return data->words[data->word_count++] = sup_strdup(text);
}

/* A text of the database; NULL is "". */
static const char *intern(struct decide_curves *data, const unsigned char *text)
{
    return decide_intern(data, text == NULL ? "" : (const char *)text);
}

/* The columns of a setting, in their order. */
struct setting_columns {
    const struct point_parameter *parameter[POINT_PARAMETERS];
    int count;
};

static void read_setting(struct decide_curves *data, sqlite3_stmt *rows,
                         const struct setting_columns *columns, struct point *setting)
{
    *setting = (struct point){0};
    for (int i = 0; i < columns->count; i++) {
        const struct point_parameter *parameter = columns->parameter[i];
        const int column = OWN_COLUMNS + i;
        if (parameter->type == POINT_TEXT)
            point_set_text(setting, parameter, intern(data, sqlite3_column_text(rows, column)));
        else
            point_set_number(setting, parameter, sqlite3_column_int64(rows, column));
    }
    point_resolve(setting);
}

bool decide_same_setting(const struct point *a, const struct point *b)
{
    bool same = true;
    for (int i = 0; i < POINT_PARAMETERS && same; i++)
        same = point_parameters[i].varies || point_compare(a, b, &point_parameters[i]) == 0;
    return same;
}

double decide_real_of(sqlite3_stmt *rows, int column)
{
    return sqlite3_column_type(rows, column) == SQLITE_NULL ? NAN
                                                            : sqlite3_column_double(rows, column);
}

/* True for UTF-8 without control characters. A sweep writes no other texts. */
static bool is_clean(const char *text)
{
    size_t left = strlen(text), bytes;
    for (; left > 0 && (bytes = sup_visible_bytes(text, left, NULL)) > 0; text += bytes)
        left -= bytes;
    return left == 0;
}

/* Texts go to terminals, JSON and gnuplot, so one that no sweep writes is no result. */
static int check_text(const char *path, sqlite3_stmt *rows, int i, struct sup_error *error)
{
    const char *text = (const char *)sqlite3_column_text(rows, i);
    if (text == NULL || is_clean(text))
        return RB_OK;
    return sup_fail(error, RB_EINVAL,
                    "%s: a row's %s is no text that a sweep writes (control characters, or "
                    "no UTF-8): the file is damaged",
                    path, sqlite3_column_name(rows, i));
}

static int check_texts(const char *path, sqlite3_stmt *rows, const struct setting_columns *columns,
                       struct sup_error *error)
{
    static const enum column own[] = {STATUS, ALGORITHM, GROUPS, VERSION};
    int status = RB_OK;
    for (int i = 0; i < columns->count && status == RB_OK; i++)
        if (columns->parameter[i]->type == POINT_TEXT)
            status = check_text(path, rows, OWN_COLUMNS + i, error);
    for (size_t i = 0; status == RB_OK && i < sizeof own / sizeof *own; i++)
        status = check_text(path, rows, (int)own[i], error);
    return status;
}

/* A row that nothing can be made of: failed, or a time or a size that no sweep writes. */
static bool row_is_usable(sqlite3_stmt *rows, const struct point *setting)
{
    const unsigned char *status = sqlite3_column_text(rows, STATUS);
    double time_s = decide_real_of(rows, TIME_S);
    int64_t p = sqlite3_column_int64(rows, RANKS);
    return status != NULL && strcmp((const char *)status, "done") == 0 && isfinite(time_s) &&
           time_s >= 0 && p >= 1 && p <= RB_MAX_RANKS && sqlite3_column_int64(rows, BLOCKS) >= 1 &&
           sqlite3_column_int64(rows, M_BYTES) >= 0 && setting->element_bytes >= 1;
}

/* Curves of different radices or groups have different names. */
static void name_curve(struct decide_curves *data, struct decide_curve *curve)
{
    const struct rb_plan_spec spec = {
        .algorithm = curve->plan_algorithm, .radix = curve->radix, .groups = curve->groups};
    char text[256];
    curve->algorithm =
        intern(data, (const unsigned char *)point_curve_name(&spec, text, sizeof text));
}

/* Adds a row, which comes in the order of curves and n. Until all are read, a curve's samples are
 * counted only: the array still moves. */
static void add_row(struct decide_curves *data, sqlite3_stmt *rows, const struct point *setting)
{
    if (data->setting_count == 0 ||
        !decide_same_setting(setting, &data->settings[data->setting_count - 1])) {
        sup_grow(&data->settings, data->setting_count, sizeof *setting);
        data->settings[data->setting_count++] = *setting;
    }
    struct decide_curve curve = {.setting = data->setting_count - 1,
                                 .p = (int32_t)sqlite3_column_int64(rows, RANKS),
                                 .m_bytes = sqlite3_column_int64(rows, M_BYTES),
                                 .plan_algorithm =
                                     intern(data, sqlite3_column_text(rows, ALGORITHM)),
                                 .radix = (int32_t)sqlite3_column_int64(rows, RADIX),
                                 .groups = intern(data, sqlite3_column_text(rows, GROUPS)),
                                 .alpha_s = decide_real_of(rows, ALPHA_S),
                                 .beta_s_per_byte = decide_real_of(rows, BETA_S_PER_BYTE),
                                 .bound_s = decide_real_of(rows, BOUND_S)};
    name_curve(data, &curve);
    const struct decide_curve *last =
        data->curve_count == 0 ? NULL : &data->curves[data->curve_count - 1];
    if (last == NULL || !decide_same_case(last, &curve) || last->algorithm != curve.algorithm) {
        sup_grow(&data->curves, data->curve_count, sizeof curve);
        if (setting->collective != NULL)
            curve.info = rb_algorithm_find(setting->plan.collective, curve.plan_algorithm);
        data->curves[data->curve_count++] = curve;
    }
    sup_grow(&data->samples, data->sample_count, sizeof *data->samples);
    sup_grow(&data->spreads, data->sample_count, sizeof *data->spreads);
    data->spreads[data->sample_count] =
        (struct decide_spread){decide_real_of(rows, TIME_LOW_S), decide_real_of(rows, TIME_HIGH_S)};
    data->samples[data->sample_count++] =
        (struct decide_sample){sqlite3_column_int64(rows, BLOCKS), decide_real_of(rows, TIME_S)};
    struct decide_curve *now = &data->curves[data->curve_count - 1];
    const double time_s = decide_real_of(rows, TIME_S);
    if (now->count++ == 0 || time_s < now->least_s) {
        now->least_s = time_s;
        now->low_s = decide_real_of(rows, TIME_LOW_S);
        now->high_s = decide_real_of(rows, TIME_HIGH_S);
        now->inside_s = decide_real_of(rows, MEAN_INSIDE_S);
    }
}

static bool is_listed(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = list; length > 0 && (at = strstr(at, word)) != NULL; at++)
        if ((at == list || at[-1] == ' ') && (at[length] == ',' || at[length] == '\0'))
            return true;
    return length == 0;
}

static void add_version(struct decide_curves *data, const unsigned char *version)
{
    const char *word = intern(data, version);
    if (data->versions == NULL)
        data->versions = word;
    if (is_listed(data->versions, word))
        return;
    char both[256];
    snprintf(both, sizeof both, "%s, %s", data->versions, word);
    data->versions = intern(data, (const unsigned char *)both);
}

static int read_rows(const char *path, sqlite3 *db, sqlite3_stmt *rows,
                     const struct setting_columns *columns, struct decide_curves *data,
                     struct sup_error *error)
{
    int status;
    while ((status = sqlite3_step(rows)) == SQLITE_ROW) {
        const int clean = check_texts(path, rows, columns, error);
        if (clean != RB_OK)
            return clean;
        struct point setting;
        read_setting(data, rows, columns, &setting);
        if (!row_is_usable(rows, &setting)) {
            data->failed++;
            continue;
        }
        add_row(data, rows, &setting);
        add_version(data, sqlite3_column_text(rows, VERSION));
    }
    return status == SQLITE_DONE ? RB_OK : results_complain(db, path, error);
}

/* ---- After reading -------------------------------------------------------------------------- */

void decide_find_best(struct decide_curve *curve)
{
    curve->best = curve->samples;
    for (size_t i = 1; i < curve->count; i++)
        if (curve->samples[i].time_s < curve->best->time_s)
            curve->best = &curve->samples[i];
    curve->least_s = curve->best->time_s;
}

bool decide_is_tie(const struct decide_curve *a, const struct decide_curve *b)
{
    return a->low_s <= b->high_s && b->low_s <= a->high_s;
}

char decide_setting_constant(const struct point *setting)
{
    return setting->collective != NULL && setting->collective->distributed ? 'G' : 'F';
}

static bool is_one_pipeline(const struct point *setting, const char *algorithm)
{
    if (strcmp(setting->plan.collective, "allreduce") == 0)
        return strcmp(algorithm, "circulant-reduce-bcast") == 0;
    return strcmp(algorithm, "circulant") == 0 &&
           (decide_setting_constant(setting) == 'F' || strcmp(setting->counts, "degenerate") == 0);
}

static void find_closed_form(const struct point *setting, struct decide_curve *curve)
{
    struct rb_plan_spec spec = setting->plan;
    struct rb_layout layout = {.bytes = curve->m_bytes, .element = setting->element_bytes};
    struct rb_plan *plan = NULL;

    spec.algorithm = curve->plan_algorithm;
    spec.p = curve->p;
    spec.radix = curve->radix;
    spec.groups = *curve->groups == '\0' ? NULL : curve->groups;
    curve->one_pipeline = is_one_pipeline(setting, curve->algorithm);
    curve->closed_n = 0;
    curve->closed_s = NAN;
    /* Results may name algorithms that this build doesn't know: they have no closed form here. Nor
     * is there one for irregular counts. */
    if (strcmp(setting->counts, "regular") != 0 || !(curve->alpha_s >= 0) ||
        !(curve->beta_s_per_byte >= 0) ||
        rb_best_n(&spec, curve->m_bytes, curve->alpha_s, curve->beta_s_per_byte, &spec.n) != RB_OK)
        return;
    if (rb_plan_create(&spec, &plan, NULL, 0) == RB_OK &&
        rb_plan_cost(plan, &layout, curve->alpha_s, curve->beta_s_per_byte, &curve->closed_s) ==
            RB_OK)
        curve->closed_n = spec.n;
    else
        curve->closed_s = NAN;
    rb_plan_destroy(plan);
}

static void finish_curves(struct decide_curves *data)
{
    const struct decide_sample *next = data->samples;
    for (size_t i = 0; i < data->curve_count; i++) {
        struct decide_curve *curve = &data->curves[i];
        curve->samples = next;
        next += curve->count;
        decide_find_best(curve);
        find_closed_form(&data->settings[curve->setting], curve);
    }
}

/* ---- When nothing is left ------------------------------------------------------------------- */

/* "the file has 16, 64, 256": the values of a column, as many as fit. */
static int list_values(const char *path, sqlite3 *db, const char *column, char *list, size_t size,
                       struct sup_error *error)
{
    const bool of_curves = strcmp(column, "algorithm") == 0;
    char select[256];
    sqlite3_stmt *rows = NULL;
    snprintf(select, sizeof select, "SELECT DISTINCT %s", of_curves ? CURVE_NAME : column);
    int status = prepare(path, db, select, " ORDER BY 1", NULL, NULL, &rows, error);
    list[0] = '\0';
    while (status == RB_OK && sqlite3_step(rows) == SQLITE_ROW) {
        const char *value = (const char *)sqlite3_column_text(rows, 0);
        if (value == NULL)
            continue;
        if (strlen(list) + strlen(value) + sizeof ", , ..." > size) {
            sup_append(list, size, ", ", "...");
            break;
        }
        sup_append(list, size, ", ", "%s", value);
    }
    sqlite3_finalize(rows);
    return status;
}

/* Fails with the filter that alone leaves no row, or says that only their combination does. */
static int complain_of_filters(const char *path, sqlite3 *db, const struct decide_filter *filters,
                               const struct decide_filter *end, struct sup_error *error)
{
    for (const struct decide_filter *filter = filters; filter < end; filter++) {
        sqlite3_stmt *rows = NULL;
        char values[200];
        if (!filter_is_given(filter))
            continue;
        int status = prepare(path, db, "SELECT 1", "", filter, filter + 1, &rows, error);
        bool any = status == RB_OK && sqlite3_step(rows) == SQLITE_ROW;
        sqlite3_finalize(rows);
        if (status == RB_OK && !any)
            status = list_values(path, db, filter->parameter->column, values, sizeof values, error);
        if (status != RB_OK)
            return status;
        if (!any)
            return values[0] == '\0'
                       ? sup_fail(error, RB_EINVAL, "%s: holds no points yet", path)
                       : sup_fail(error, RB_EINVAL, "--%s: no point in %s matches; it has %s",
                                  filter->parameter->option.name, path, values);
    }
    return sup_fail(error, RB_EINVAL, "%s: no point matches all of the given filters together",
                    path);
}

static int complain_of_nothing(const char *path, sqlite3 *db, const struct decide_filter *filters,
                               const struct decide_filter *end, int64_t failed,
                               struct sup_error *error)
{
    if (failed > 0)
        return sup_fail(
            error, RB_EINVAL,
            "%s: all %" PRId64
            " points failed; their column `error` says why (roundabout sweep tries them "
            "again)",
            path, failed);
    for (const struct decide_filter *filter = filters; filter < end; filter++)
        if (filter_is_given(filter))
            return complain_of_filters(path, db, filters, end, error);
    return sup_fail(error, RB_EINVAL, "%s: holds no points yet; run roundabout sweep first", path);
}

/* ---- Measured rows -------------------------------------------------------------------------- */

/* Rows of experiments/rows become the points of a results file in memory, so that they have the
 * filters and curves of simulated ones. A point's platform is the machine, its engine mpi:LIBRARY,
 * and its time the median, with the confidence interval, or the percentiles, as low and high.
 * Algorithms have the names of the data. A row without an overlap rule, such as the MPI library's
 * own collective, is entered under each rule of the file's other rows. Of rows of the same point
 * the last counts. */
#define DECIDE_MEASURED_ENGINE "mpi"      /* what the engines of measured points begin with */
#define DECIDE_NO_OVERLAP      "measured" /* the overlap rule if no row of a file has one */

static int make_table(sqlite3 *db, const char *path, struct sup_error *error)
{
    char *sql = results_sql("CREATE TABLE points ({all @ #}, UNIQUE ({identity @}))");
    const int status = sqlite3_exec(db, sql, NULL, NULL, NULL);
    sqlite3_free(sql);
    return status == SQLITE_OK ? RB_OK : results_complain(db, path, error);
}

static void bind_real(sqlite3_stmt *insert, const char *name, double value)
{
    sqlite3_bind_double(insert, sqlite3_bind_parameter_index(insert, name), value);
}

static int insert_under(sqlite3 *db, const char *path, sqlite3_stmt *insert,
                        const struct rows_row *row, const char *overlap, struct sup_error *error)
{
    char engine[64];
    snprintf(engine, sizeof engine, "%s%s%.40s", DECIDE_MEASURED_ENGINE,
             *row->library == '\0' ? "" : ":", row->library);
    const bool named_as_ours = row->algorithm != NULL && strcmp(row->name, row->algorithm) == 0;
    const struct point point = {
        .plan = {.collective = row->collective,
                 .algorithm = row->name,
                 .p = row->p,
                 .n = rows_blocks(row),
                 .root = row->root,
                 .ports = 1,
                 .radix = named_as_ours ? row->radix : 0},
        .m_bytes = row->m_bytes,
        .element_bytes = row->element_bytes,
        .counts = "regular",
        .platform_text = row->system,
        .platform_hash = "",
        .ppn = row->ranks_per_node,
        .placement = "block",
        .arrival = "together",
        .program = "alone",
        .overlap = overlap,
        .engine_text = engine,
        .engine_options = "",
    };
    results_bind_point(insert, &point);
    sqlite3_bind_text(insert, sqlite3_bind_parameter_index(insert, ":status"), "done", -1,
                      SQLITE_STATIC);
    bind_real(insert, ":time_s", row->median_s);
    bind_real(insert, ":time_low_s", row->low_s); /* NAN becomes NULL */
    bind_real(insert, ":time_high_s", row->high_s);
    const int status = sqlite3_step(insert);
    sqlite3_reset(insert);
    return status == SQLITE_DONE ? RB_OK : results_complain(db, path, error);
}

/* The overlap rules of a set's rows, or DECIDE_NO_OVERLAP. More than there are room for are not
 * those of one machine. */
enum { MOST_RULES = 64 };
struct rules {
    const char *rule[MOST_RULES];
    size_t count;
};

static void list_rules(const struct rows_set *set, struct rules *rules)
{
    rules->count = 0;
    for (size_t i = 0; i < set->count && rules->count < MOST_RULES; i++) {
        const char *rule = set->row[i].overlap;
        bool known = *rule == '\0';
        for (size_t k = 0; k < rules->count && !known; k++)
            known = rules->rule[k] == rule; /* equal texts are one */
        if (!known)
            rules->rule[rules->count++] = rule;
    }
    if (rules->count == 0)
        rules->rule[rules->count++] = DECIDE_NO_OVERLAP;
}

/* Under its overlap rule, or under each if it has none. */
static int insert_row(sqlite3 *db, const char *path, sqlite3_stmt *insert,
                      const struct rules *rules, const struct rows_row *row,
                      struct sup_error *error)
{
    int status = RB_OK;
    if (*row->overlap != '\0')
        return insert_under(db, path, insert, row, row->overlap, error);
    for (size_t i = 0; i < rules->count && status == RB_OK; i++)
        status = insert_under(db, path, insert, row, rules->rule[i], error);
    return status;
}

int decide_rows_open(const char *path, const struct cli_args *args, sqlite3 **db,
                     struct sup_error *error)
{
    static const struct rows_defaults defaults = {.unnamed = "measured",
                                                  .unnamed_algorithm = "default"};
    struct rows_taken taken = {0};
    struct rules rules;
    sqlite3_stmt *insert = NULL;
    int status =
        rows_take(args, path, args == NULL ? &defaults : NULL, ROWS_OF_POINTS, NULL, &taken, error);
    if (status == RB_OK)
        rows_taken_tell(&taken);
    if (status == RB_OK && sqlite3_open(":memory:", db) != SQLITE_OK)
        status = results_complain(*db, path, error);
    if (status == RB_OK)
        status = make_table(*db, path, error);
    if (status == RB_OK)
        status = results_prepare(
            *db, path, results_sql("INSERT OR REPLACE INTO points ({all @}) VALUES ({all :@})"), 0,
            &insert, error);
    list_rules(&taken.set, &rules);
    sqlite3_exec(*db, "BEGIN", NULL, NULL, NULL); /* is faster; nothing is ever undone */
    for (size_t i = 0; i < taken.count && status == RB_OK; i++)
        status = insert_row(*db, path, insert, &rules, taken.row[i], error);
    sqlite3_finalize(insert);
    rows_taken_free(&taken);
    return status;
}

/* ---- Public --------------------------------------------------------------------------------- */

/* Reads an open file, which it closes. */
static int load(const char *path, sqlite3 *db, const struct decide_filter filters[],
                struct decide_curves *data, struct sup_error *error)
{
    char select[1024] = "SELECT ", order[1024] = " ORDER BY ";
    struct setting_columns columns;
    const struct decide_filter *end = end_of(filters);
    sqlite3_stmt *rows = NULL;
    for (int i = 0; i < OWN_COLUMNS; i++)
        strcat(strcat(select, i == 0 ? "" : ", "), column_names[i]);
    columns.count = point_setting(columns.parameter);
    for (int i = 0; i < columns.count; i++) {
        strcat(strcat(select, ", "), columns.parameter[i]->column);
        strcat(strcat(order, columns.parameter[i]->column), ", ");
    }
    for (int i = 0; i <= BLOCKS; i++)
        strcat(strcat(order, i == 0 ? "" : ", "), column_names[i]);
    int status = prepare(path, db, select, order, filters, end, &rows, error);
    if (status == RB_OK)
        status = read_rows(path, db, rows, &columns, data, error);
    if (status == RB_OK && data->curve_count == 0)
        status = complain_of_nothing(path, db, filters, end, data->failed, error);
    if (status == RB_OK)
        finish_curves(data);
    sqlite3_finalize(rows);
    sqlite3_close(db);
    return status;
}

int decide_curves_load(const char *path, const struct decide_filter filters[],
                       struct decide_curves *data, struct sup_error *error)
{
    sqlite3 *db = NULL;
    *data = (struct decide_curves){0};
    const int status = results_open(path, &db, error);
    return status == RB_OK ? load(path, db, filters, data, error) : status;
}

int decide_curves_load_any(const char *path, const struct cli_args *args,
                           const struct decide_filter filters[], struct decide_curves *data,
                           struct sup_error *error)
{
    sqlite3 *db = NULL;
    if (!rows_is_file(path))
        return decide_curves_load(path, filters, data, error);
    *data = (struct decide_curves){0};
    const int status = decide_rows_open(path, args, &db, error);
    if (status == RB_OK)
        return load(path, db, filters, data, error);
    sqlite3_close(db);
    return status;
}

bool decide_is_measured(const struct point *setting)
{
    const size_t length = strlen(DECIDE_MEASURED_ENGINE);
    return strncmp(setting->engine_text, DECIDE_MEASURED_ENGINE, length) == 0 &&
           (setting->engine_text[length] == ':' || setting->engine_text[length] == '\0');
}

int32_t decide_ranks_per_node(const struct point *setting)
{
    return decide_is_measured(setting) ? setting->ppn
                                       : point_ranks_per_node(setting->platform_text, setting->ppn);
}

const char *decide_how(const struct point *setting)
{
    const struct sim_engine *engine = sim_engine_find(setting->engine_text);
    const char *by_engine = engine != NULL && engine->computes ? "computed" : "simulated";
    if (strncmp(setting->engine_text, DECIDE_FITTED_ENGINE, strlen(DECIDE_FITTED_ENGINE)) == 0)
        return "predicted";
    return decide_is_measured(setting) ? "measured" : by_engine;
}

void decide_curves_free(struct decide_curves *data)
{
    for (size_t i = 0; i < data->word_count; i++)
        free(data->words[i]);
    free(data->words);
    free(data->samples);
    free(data->spreads);
    free(data->curves);
    free(data->settings);
    *data = (struct decide_curves){0};
}

int decide_check_focus(const struct decide_curves *data, const char *focus, struct sup_error *error)
{
    char known[300] = "";
    const char *listed[64];
    size_t count = 0;
    for (size_t i = 0; i < data->curve_count; i++) {
        const char *algorithm = data->curves[i].algorithm;
        bool seen = false;
        if (strcmp(algorithm, focus) == 0)
            return RB_OK;
        for (size_t j = 0; j < count && !seen; j++)
            seen = listed[j] == algorithm;
        if (seen || count == sizeof listed / sizeof listed[0])
            continue;
        sup_append(known, sizeof known, ", ", "%s", algorithm);
        listed[count++] = algorithm;
    }
    return sup_fail(error, RB_EINVAL,
                    "--focus: \"%s\": no point is of this algorithm; there are %s", focus, known);
}

bool decide_same_case(const struct decide_curve *a, const struct decide_curve *b)
{
    return a->setting == b->setting && a->p == b->p && a->m_bytes == b->m_bytes;
}

const struct decide_curve *decide_case(const struct decide_curves *data,
                                       const struct decide_curve *curve,
                                       const struct decide_curve **end)
{
    const struct decide_curve *first = curve, *last = data->curves + data->curve_count;
    while (first > data->curves && decide_same_case(first - 1, curve))
        first--;
    for (*end = curve; *end < last && decide_same_case(*end, curve); ++*end)
        ;
    return first;
}

bool decide_is_equal(double a_s, double b_s)
{
    static const double agree = 1e-9;
    return fabs(a_s - b_s) <= agree * b_s;
}

const struct decide_curve *decide_best_rival(const struct decide_curves *data,
                                             const struct decide_curve *curve)
{
    const bool measured = decide_is_measured(&data->settings[curve->setting]);
    const struct decide_curve *end, *best = NULL;
    for (const struct decide_curve *at = decide_case(data, curve, &end); at < end; at++)
        if (at != curve && at->origin == curve->origin &&
            (measured || !decide_is_equal(at->best->time_s, curve->best->time_s)) &&
            (best == NULL || at->best->time_s < best->best->time_s))
            best = at;
    return best;
}

const char *decide_setting_text(const struct point *setting, char *buffer, size_t size)
{
    const struct rb_plan_spec *plan = &setting->plan;
    const char *instance = plan->instance == NULL ? "" : plan->instance;
    const bool regular = strcmp(setting->counts, "regular") == 0;
    const bool late = point_is_unusual(setting, &point_parameters[POINT_ARRIVAL]);
    const bool inside = point_is_unusual(setting, &point_parameters[POINT_PROGRAM]);
    snprintf(buffer, size, "%s%s%s%s%s%s on %s", plan->collective, *instance == '\0' ? "" : " ",
             instance, regular ? "" : ", counts ", regular ? "" : setting->counts,
             regular ? "" : ",", setting->platform_text);
    sup_append(buffer, size, ", ",
               "%" PRId32 " rank%s/host, %s placement, root %" PRId32 ", %" PRId32
               " port%s, %" PRId64 "-byte elements, engine %s%s%s, overlap %s%s%s%s%s",
               setting->ppn, setting->ppn == 1 ? "" : "s", setting->placement, plan->root,
               plan->ports, plan->ports == 1 ? "" : "s", setting->element_bytes,
               setting->engine_text, setting->engine_options[0] == '\0' ? "" : " ",
               setting->engine_options, setting->overlap, late ? ", arrival " : "",
               late ? setting->arrival : "", inside ? ", in " : "", inside ? setting->program : "");
    const size_t end = strlen(buffer);
    point_format_others(plan, ", ", buffer + end, size - end);
    return buffer;
}

void decide_filters_of(const struct cli_args *args,
                       struct decide_filter filters[POINT_PARAMETERS + 1])
{
    size_t used = 0;
    for (int i = 0; i < POINT_PARAMETERS; i++) {
        const struct point_parameter *parameter = &point_parameters[i];
        const char *name = parameter->option.name;
        if (parameter->filter.help == NULL || !cli_args_given(args, name))
            continue;
        struct decide_filter *filter = &filters[used++];
        *filter = (struct decide_filter){.parameter = parameter};
        if (parameter->type == POINT_TEXT)
            filter->text_count = cli_args_texts(args, name, &filter->texts);
        else
            filter->numbers = cli_args_list(args, name);
    }
    filters[used] = (struct decide_filter){0};
}
