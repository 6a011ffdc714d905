/* tune_rows.c - see tune_rows.h. */
#include "experiments/decide/tune_rows.h"

#include <stdio.h>
#include <string.h>

#include "experiments/results/results.h"
#include "experiments/results/tables.h"
#include "experiments/rows/rows.h"
#include "roundabout.h"

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

static int add_row(sqlite3 *db, const char *path, sqlite3_stmt *insert, const struct rows_row *row,
                   const char *overlap, struct sup_error *error)
{
    char engine[64];
    snprintf(engine, sizeof engine, "%s%s%.40s", TUNE_MEASURED_ENGINE,
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

/* The overlap rules of a set's rows, or TUNE_NO_OVERLAP. More than there are room for are not
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
        rules->rule[rules->count++] = TUNE_NO_OVERLAP;
}

/* Under its overlap rule, or under each if it has none. */
static int add_row_or_rows(sqlite3 *db, const char *path, sqlite3_stmt *insert,
                           const struct rules *rules, const struct rows_row *row,
                           struct sup_error *error)
{
    int status = RB_OK;
    if (*row->overlap != '\0')
        return add_row(db, path, insert, row, row->overlap, error);
    for (size_t i = 0; i < rules->count && status == RB_OK; i++)
        status = add_row(db, path, insert, row, rules->rule[i], error);
    return status;
}

int tune_rows_open(const char *path, sqlite3 **db, struct sup_error *error)
{
    static const struct rows_defaults defaults = {.unnamed = "measured",
                                                  .unnamed_algorithm = "default"};
    struct rows_set set = {0};
    struct rules rules;
    sqlite3_stmt *insert = NULL;
    int status = rows_read(&set, path, &defaults, error);
    if (status == RB_OK)
        status = rows_need_some(&set, error);
    if (status == RB_OK)
        rows_tell(&set);
    if (status == RB_OK && sqlite3_open(":memory:", db) != SQLITE_OK)
        status = results_complain(*db, path, error);
    if (status == RB_OK)
        status = make_table(*db, path, error);
    if (status == RB_OK)
        status = results_prepare(
            *db, path, results_sql("INSERT OR REPLACE INTO points ({all @}) VALUES ({all :@})"), 0,
            &insert, error);
    list_rules(&set, &rules);
    sqlite3_exec(*db, "BEGIN", NULL, NULL, NULL); /* is faster; nothing is ever undone */
    for (size_t i = 0; i < set.count && status == RB_OK; i++)
        status = add_row_or_rows(*db, path, insert, &rules, &set.row[i], error);
    sqlite3_finalize(insert);
    rows_free(&set);
    return status;
}
