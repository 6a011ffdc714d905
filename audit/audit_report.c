/* audit_report.c - see audit.h. */
#include "audit/audit.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/output/table.h"
#include "support/units.h"

const char *const audit_table_names[AUDIT_TABLES] = {"summary", "losses", "rules", "points"};

/* ---- Columns --------------------------------------------------------------------------------- */

enum { MOST_COLUMNS = 24, TEXT_SIZE = 192 };

static const struct out_column summary_columns[] = {
    {"source", "source", .kind = OUT_WORD},
    {"collective", "collective", .kind = OUT_WORD},
    {"ppn", "ppn", .kind = OUT_COUNT},
    {"points", "points", .kind = OUT_COUNT},
    {"good", "good", .kind = OUT_COUNT, .less = 2},
    {"ties", "ties", .kind = OUT_COUNT, .less = 2},
    {"losses", "lose", .kind = OUT_COUNT},
    {"not_judged", "not\njudged", .kind = OUT_COUNT, .less = 3},
    {"mean_ratio", "mean", .kind = OUT_RATIO},
    {"worst_ratio", "worst", .kind = OUT_RATIO},
    {"mended_mean_ratio", "mean\nmended", .kind = OUT_RATIO},
    {"mended_worst_ratio", "worst\nmended", .kind = OUT_RATIO},
    {"beyond", "elsewhere\nfaster", .kind = OUT_COUNT},
};

/* On a narrow line the call and its best choice stay. */
static const struct out_column point_columns[] = {
    {"source", "source", .kind = OUT_WORD, .less = 1},
    {"collective", "collective", .kind = OUT_WORD},
    {"p", "p", .kind = OUT_COUNT},
    {"ppn", "ppn", .kind = OUT_COUNT, .less = 5},
    {"m_bytes", "m", .kind = OUT_BYTES},
    {"run", NULL, .kind = OUT_WORD},
    {"verdict", "verdict", .kind = OUT_WORD}, /* in text of all points only */
    {"decision", NULL, .kind = OUT_WORD},
    {"decision_segment_bytes", NULL, .kind = OUT_COUNT},
    {"like", NULL, .kind = OUT_WORD},
    {NULL, "chosen", .kind = OUT_WORD, .less = 2},
    {"decision_s", "time", .kind = OUT_SECONDS, .less = 4},
    {"best", NULL, .kind = OUT_WORD},
    {"best_algorithm", NULL, .kind = OUT_WORD},
    {"best_radix", NULL, .kind = OUT_COUNT},
    {"best_segment_bytes", NULL, .kind = OUT_COUNT},
    {NULL, "best", .kind = OUT_WORD},
    {"best_s", "time", .kind = OUT_SECONDS, .less = 4},
    {"ratio", "times", .kind = OUT_RATIO, .less = 3},
    {"cause", "wrong", .kind = OUT_WORD, .less = 6},
    {"cliff", "unlike neighbour", .kind = OUT_WORD, .less = 7},
    {"beyond", "faster elsewhere", .kind = OUT_WORD, .less = 8},
    {"beyond_s", "time", .kind = OUT_SECONDS, .less = 8},
};

static const struct out_column rule_columns[] = {
    {"source", "source", .kind = OUT_WORD, .less = 1},
    {"collective", "collective", .kind = OUT_WORD},
    {"ppn", "ppn", .kind = OUT_COUNT, .less = 2},
    {"p_low", "p from", .kind = OUT_COUNT},
    {"p_high", "to", .kind = OUT_COUNT},
    {"m_low", "m from", .kind = OUT_BYTES},
    {"m_high", "to", .kind = OUT_BYTES},
    {"choice", NULL, .kind = OUT_WORD},
    {"algorithm", NULL, .kind = OUT_WORD},
    {"radix", NULL, .kind = OUT_COUNT},
    {"segment_bytes", NULL, .kind = OUT_COUNT},
    {NULL, "take", .kind = OUT_WORD},
    {"points", "points", .kind = OUT_COUNT, .less = 3},
    {"mended", "mended", .kind = OUT_COUNT, .less = 3},
    {"mean_gain", "times as fast\nmean", .kind = OUT_RATIO, .less = 4},
    {"worst_ratio", "most", .kind = OUT_RATIO, .less = 4},
};

static const struct {
    const struct out_column *columns;
    size_t width;
    const char *title;
} tables[AUDIT_TABLES] = {
    [AUDIT_SUMMARY] = {summary_columns, OUT_COUNT_OF(summary_columns),
                       "Time of the library's choice, as a multiple of its best algorithm's"},
    [AUDIT_LOSSES] = {point_columns, OUT_COUNT_OF(point_columns), "Losses, worst first"},
    [AUDIT_RULES] = {rule_columns, OUT_COUNT_OF(rule_columns), "Rules that mend them"},
    [AUDIT_POINTS] = {point_columns, OUT_COUNT_OF(point_columns), "All points"},
};

/* ---- Cells ----------------------------------------------------------------------------------- */

/* Where texts that cells point to are made. */
struct texts {
    char text[3][TEXT_SIZE];
};

static int64_t count_or_none(int64_t value)
{
    return value > 0 ? value : -1;
}

/* "chains, radix 4, 64KiB segments". */
static const char *choice_text(const struct audit_choice *choice, const char *before, char *text)
{
    char segment[40] = "", radix[40] = "", bytes[24];
    if (choice == NULL || choice->name == NULL)
        return NULL;
    if (choice->radix > 0)
        snprintf(radix, sizeof radix, ", radix %" PRId32, choice->radix);
    if (choice->segment_bytes > 0)
        snprintf(segment, sizeof segment, ", segments of %s",
                 sup_format_bytes(choice->segment_bytes, bytes, sizeof bytes));
    snprintf(text, TEXT_SIZE, "%s%.60s%s%s", before, choice->name, radix, segment);
    return text;
}

static void add_edge(char *buffer, const char *format, const char *value)
{
    const size_t length = strlen(buffer);
    snprintf(buffer + length, AUDIT_CLIFF_SIZE - length, "%s", length > 0 ? ", " : "");
    const size_t start = strlen(buffer);
    snprintf(buffer + start, AUDIT_CLIFF_SIZE - start, format, value);
}

/* "64 = 2^6", "100". */
static const char *ranks_text(int32_t p, char *text, size_t size)
{
    if ((p & (p - 1)) == 0)
        snprintf(text, size, "%" PRId32 " = 2^%" PRId32, p, rb_ceil_log2(p));
    else
        snprintf(text, size, "%" PRId32, p);
    return text;
}

const char *audit_cliff_text(const struct audit_point *point, char buffer[AUDIT_CLIFF_SIZE])
{
    char value[40];
    buffer[0] = '\0';
    if ((point->cliff & AUDIT_FROM_P) != 0)
        add_edge(buffer, "from p = %s", ranks_text(point->p, value, sizeof value));
    if ((point->cliff & AUDIT_BELOW_P) != 0)
        add_edge(buffer, "below p = %s", ranks_text(point->p_edge, value, sizeof value));
    if ((point->cliff & AUDIT_FROM_M) != 0)
        add_edge(buffer, "from %s", sup_format_bytes(point->m_bytes, value, sizeof value));
    if ((point->cliff & AUDIT_BELOW_M) != 0)
        add_edge(buffer, "below %s", sup_format_bytes(point->m_edge, value, sizeof value));
    return buffer[0] != '\0' ? buffer : NULL;
}

static const char *name_of(const struct audit_choice *choice)
{
    return choice == NULL ? NULL : choice->name;
}

static void point_cells(const struct audit *audit, const struct audit_point *point,
                        struct texts *texts, union out_cell cells[])
{
    const struct audit_setting *setting = &audit->settings[point->setting];
    const struct audit_choice *best = point->best, *beyond = point->beyond;
    const struct audit_choice *chosen = point->known ? &point->decision : point->like;
    const union out_cell row[] = {
        {.word = setting->source},
        {.word = setting->collective},
        {.whole = point->p},
        {.whole = setting->ppn},
        {.whole = point->m_bytes},
        {.word = point->run[0] != '\0' ? point->run : NULL},
        {.word = audit_verdict_names[point->verdict]},
        {.word = point->decision.name},
        {.whole = point->known ? point->decision.segment_bytes : -1},
        {.word = name_of(point->like)},
        {.word = choice_text(chosen, point->known ? "" : "as ", texts->text[0])},
        {.real = point->decision.time_s},
        {.word = name_of(best)},
        {.word = best == NULL ? NULL : best->algorithm},
        {.whole = best == NULL ? -1 : count_or_none(best->radix)},
        {.whole = best == NULL ? -1 : best->segment_bytes},
        {.word = choice_text(best, "", texts->text[1])},
        {.real = best == NULL ? NAN : best->time_s},
        {.real = point->ratio},
        {.word = audit_cause_names[point->cause]},
        {.word = audit_cliff_text(point, texts->text[2])},
        {.word = name_of(beyond)},
        {.real = beyond == NULL ? NAN : beyond->time_s},
    };
    memcpy(cells, row, sizeof row);
}

static void rule_cells(const struct audit *audit, const struct audit_rule *rule,
                       struct texts *texts, union out_cell cells[])
{
    const struct audit_setting *setting = &audit->settings[rule->setting];
    const struct audit_choice *choice = rule->choice;
    const char *text = choice_text(choice, "", texts->text[0]);
    const union out_cell row[] = {
        {.word = setting->source},
        {.word = setting->collective},
        {.whole = setting->ppn},
        {.whole = rule->p_low},
        {.whole = rule->p_high},
        {.whole = rule->m_low},
        {.whole = rule->m_high},
        {.word = name_of(choice)},
        {.word = choice == NULL ? NULL : choice->algorithm},
        {.whole = choice == NULL ? -1 : count_or_none(choice->radix)},
        {.whole = choice == NULL ? -1 : choice->segment_bytes},
        {.word = text != NULL ? text : "as it is"},
        {.whole = rule->points},
        {.whole = rule->mended},
        {.real = choice == NULL ? NAN : rule->gain},
        {.real = choice == NULL ? NAN : rule->worst},
    };
    memcpy(cells, row, sizeof row);
}

/* ---- Summary --------------------------------------------------------------------------------- */

/* What the rules take; the decision, where they leave it. */
static const struct audit_choice *mended_choice(const struct audit *audit,
                                                const struct audit_point *point)
{
    const struct audit_rule *rule = audit_rule_for(audit, point);
    const struct audit_choice *choice =
        rule == NULL || rule->choice == NULL ? NULL : audit_find_choice(audit, point, rule->choice);
    return choice == NULL ? &point->decision : choice;
}

static void summary_cells(const struct audit *audit, size_t index, union out_cell cells[])
{
    const struct audit_setting *setting = &audit->settings[index];
    int64_t verdicts[AUDIT_VERDICTS] = {0}, points = 0, judged = 0, beyond = 0;
    double sum = 0, mended_sum = 0, worst = NAN, mended_worst = NAN;
    for (size_t i = 0; i < audit->point_count; i++) {
        const struct audit_point *point = &audit->points[i];
        if (point->setting != index)
            continue;
        points++;
        verdicts[point->verdict]++;
        beyond += point->beyond != NULL;
        if (point->best == NULL)
            continue;
        const double mended = audit_ratio(mended_choice(audit, point), point->best);
        judged++;
        sum += log(point->ratio);
        mended_sum += log(mended);
        worst = fmax(worst, point->ratio);
        mended_worst = fmax(mended_worst, mended);
    }
    const double divisor = judged > 0 ? (double)judged : NAN;
    const union out_cell row[] = {
        {.word = setting->source},
        {.word = setting->collective},
        {.whole = setting->ppn},
        {.whole = points},
        {.whole = verdicts[AUDIT_GOOD]},
        {.whole = verdicts[AUDIT_TIE]},
        {.whole = verdicts[AUDIT_LOSES]},
        {.whole = verdicts[AUDIT_ALONE] + verdicts[AUDIT_NO_TIME]},
        {.real = exp(sum / divisor)},
        {.real = worst},
        {.real = exp(mended_sum / divisor)},
        {.real = mended_worst},
        {.whole = beyond},
    };
    memcpy(cells, row, sizeof row);
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static size_t rows_of(const struct audit *audit, enum audit_table table)
{
    const size_t counts[AUDIT_TABLES] = {audit->setting_count, audit->loss_count, audit->rule_count,
                                         audit->point_count};
    return counts[table];
}

static void cells_of(const struct audit *audit, enum audit_table table, size_t row,
                     struct texts *texts, union out_cell cells[])
{
    switch (table) {
    case AUDIT_SUMMARY:
        summary_cells(audit, row, cells);
        break;
    case AUDIT_LOSSES:
        point_cells(audit, audit->losses[row], texts, cells);
        break;
    case AUDIT_RULES:
        rule_cells(audit, &audit->rules[row], texts, cells);
        break;
    case AUDIT_POINTS:
    case AUDIT_TABLES:
        point_cells(audit, &audit->points[row], texts, cells);
        break;
    }
}

/* ---- Text ------------------------------------------------------------------------------------ */

/* The columns as wide as their content. A source that is the same in all settings, and what no row
 * has, is left out. */
static void size_columns(const struct audit *audit, enum audit_table table, size_t rows,
                         struct out_column sized[])
{
    union out_cell cells[MOST_COLUMNS];
    struct texts texts;
    char buffer[OUT_CELL_SIZE];
    bool several = false, any[MOST_COLUMNS] = {false};
    memcpy(sized, tables[table].columns, tables[table].width * sizeof *sized);
    for (size_t i = 1; i < audit->setting_count; i++)
        several = several || audit->settings[i].source != audit->settings[0].source;
    for (size_t row = 0; row < rows; row++) {
        cells_of(audit, table, row, &texts, cells);
        for (size_t i = 0; i < tables[table].width; i++) {
            const char *text = out_cell_text(&sized[i], cells[i], buffer);
            any[i] = any[i] || strcmp(text, "-") != 0;
            if ((int)strlen(text) > sized[i].width)
                sized[i].width = (int)strlen(text);
        }
    }
    for (size_t i = 0; i < tables[table].width; i++) {
        if (sized[i].heading == NULL)
            continue;
        const char *lower = strrchr(sized[i].heading, '\n');
        const int least = (int)strlen(lower == NULL ? sized[i].heading : lower + 1);
        sized[i].width = sized[i].width > least ? sized[i].width : least;
        if (sized[i].kind == OUT_WORD)
            sized[i].width = -sized[i].width;
        const bool needless = table == AUDIT_LOSSES && strcmp(sized[i].heading, "verdict") == 0;
        if (!any[i] || (i == 0 && !several) || needless)
            sized[i].heading = NULL;
    }
}

static void table_text(const struct audit *audit, enum audit_table table, int64_t top, FILE *stream)
{
    struct out_column sized[MOST_COLUMNS];
    const struct out_table shown = {sized, .width = tables[table].width, .gap = 2, .indent = 2};
    union out_cell cells[MOST_COLUMNS];
    struct texts texts;
    const size_t all = rows_of(audit, table);
    const size_t rows = table == AUDIT_LOSSES && top > 0 && (size_t)top < all ? (size_t)top : all;
    if (rows == 0)
        return;
    size_columns(audit, table, rows, sized);
    fprintf(stream, "%s", tables[table].title);
    if (table == AUDIT_LOSSES)
        fprintf(stream, ": more than %g %%", 100 * audit->threshold);
    if (rows < all)
        fprintf(stream, " (%zu of %zu; --top 0 shows all)", rows, all);
    fprintf(stream, "\n\n");
    out_text_heading(&shown, stream);
    for (size_t row = 0; row < rows; row++) {
        cells_of(audit, table, row, &texts, cells);
        out_text_row(&shown, cells, stream);
    }
    fprintf(stream, "\n");
}

void audit_text(const struct audit *audit, unsigned set, int64_t top, FILE *stream)
{
    for (int i = 0; i < AUDIT_TABLES; i++)
        if ((set & 1u << i) != 0)
            table_text(audit, (enum audit_table)i, top, stream);
}

/* ---- CSV and JSON ---------------------------------------------------------------------------- */

void audit_csv(const struct audit *audit, enum audit_table table, FILE *stream)
{
    const struct out_table shown = {tables[table].columns, .width = tables[table].width};
    union out_cell cells[MOST_COLUMNS];
    struct texts texts;
    out_csv_heading(&shown, stream);
    for (size_t row = 0; row < rows_of(audit, table); row++) {
        cells_of(audit, table, row, &texts, cells);
        out_csv_row(&shown, cells, stream);
    }
}

static json_t *table_json(const struct audit *audit, enum audit_table table)
{
    const struct out_table shown = {tables[table].columns, .width = tables[table].width};
    union out_cell cells[MOST_COLUMNS];
    struct texts texts;
    json_t *rows = json_array();
    for (size_t row = 0; row < rows_of(audit, table); row++) {
        cells_of(audit, table, row, &texts, cells);
        json_array_append_new(rows, out_json_row(&shown, cells));
    }
    return rows;
}

json_t *audit_json(const struct audit *audit, unsigned set, json_t *head)
{
    json_object_set_new(head, "threshold", json_real(audit->threshold));
    for (int i = 0; i < AUDIT_TABLES; i++)
        if ((set & 1u << i) != 0)
            json_object_set_new(head, audit_table_names[i], table_json(audit, (enum audit_table)i));
    return head;
}
