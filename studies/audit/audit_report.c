/* audit_report.c - see audit.h. */
#include "studies/audit/audit.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/output/table.h"
#include "support/units.h"

const char *const audit_table_names[AUDIT_TABLES] = {"summary", "losses", "rules", "points"};

/* ---- Columns --------------------------------------------------------------------------------- */

enum { MOST_COLUMNS = 24, TEXT_SIZE = 192 };

/* A choice as rows show it; of none, empty texts, -1 and NAN. */
struct shown_choice {
    const char *name, *algorithm;
    int64_t radix, segment_bytes;
    double time_s;
    char text[TEXT_SIZE]; /* "chains, radix 4, segments of 64KiB" */
};

/* What a row shows besides its setting. The cells point into it. */
struct shown {
    int64_t points, verdicts[DECIDE_VERDICTS], not_judged, beyond_points; /* of a summary */
    double mean, worst, mended_mean, mended_worst;
    struct shown_choice chosen, best, beyond; /* of a point; `best` of a rule, too */
    const char *like, *verdict, *cause;
    int64_t decision_segment_bytes;
    char cliff[DECIDE_CLIFF_SIZE];
    char p_range[72], m_range[72]; /* these and the next of a rule */
    double gain, worst_gain;
};

enum { SETTING, SHOWN, ITSELF };
#define SETTING(member) OUT_OF_BASE(SETTING, struct decide_place, member)
#define SHOWN(member)   OUT_OF_BASE(SHOWN, struct shown, member)
#define POINT(member)   OUT_OF_BASE(ITSELF, struct decide_call, member)
#define RULE(member)    OUT_OF_BASE(ITSELF, struct decide_rule, member)

static const struct out_column summary_columns[] = {
    {"source", "source", OUT_WORD, SETTING(place)},
    {"collective", "collective", OUT_WORD, SETTING(collective)},
    {"ppn", "ppn", OUT_COUNT, SETTING(ppn), .less = 3},
    {"points", "points", OUT_COUNT, SHOWN(points), .less = 2},
    {"good", "good", OUT_COUNT, SHOWN(verdicts[DECIDE_GOOD]), .less = 4},
    {"ties", "ties", OUT_COUNT, SHOWN(verdicts[DECIDE_TIE]), .less = 4},
    {"losses", "lose", OUT_COUNT, SHOWN(verdicts[DECIDE_LOSES])},
    {"not_judged", "not\njudged", OUT_COUNT, SHOWN(not_judged), .less = 5},
    {"mean_ratio", "mean", OUT_RATIO, SHOWN(mean)},
    {"worst_ratio", "worst", OUT_RATIO, SHOWN(worst), .less = 1},
    {"mended_mean_ratio", "mean\nmended", OUT_RATIO, SHOWN(mended_mean)},
    {"mended_worst_ratio", "worst\nmended", OUT_RATIO, SHOWN(mended_worst), .less = 1},
    {"beyond", "elsewhere\nfaster", OUT_COUNT, SHOWN(beyond_points), .less = 6},
};

/* On a narrow line the call and its best choice stay. */
static const struct out_column point_columns[] = {
    {"source", "source", OUT_WORD, SETTING(place), .less = 1},
    {"collective", "collective", OUT_WORD, SETTING(collective)},
    {"p", "p", OUT_COUNT, POINT(p)},
    {"ppn", "ppn", OUT_COUNT, SETTING(ppn), .less = 5},
    {"m_bytes", "m", OUT_BYTES, POINT(m_bytes)},
    {"run", NULL, OUT_WORD, POINT(run)},
    {"verdict", "verdict", OUT_WORD, SHOWN(verdict)}, /* in text of all points only */
    {"decision", NULL, OUT_WORD, POINT(own.name)},
    {"decision_segment_bytes", NULL, OUT_COUNT, SHOWN(decision_segment_bytes)},
    {"like", NULL, OUT_WORD, SHOWN(like)},
    {NULL, "chosen", OUT_WORD, SHOWN(chosen.text), .less = 2},
    {"decision_s", "time", OUT_SECONDS, POINT(own.time_s), .less = 4},
    {"best", NULL, OUT_WORD, SHOWN(best.name)},
    {"best_algorithm", NULL, OUT_WORD, SHOWN(best.algorithm)},
    {"best_radix", NULL, OUT_COUNT, SHOWN(best.radix)},
    {"best_segment_bytes", NULL, OUT_COUNT, SHOWN(best.segment_bytes)},
    {NULL, "best", OUT_WORD, SHOWN(best.text), .less = OUT_KEPT},
    {"best_s", "time", OUT_SECONDS, SHOWN(best.time_s), .less = 4},
    {"ratio", "times", OUT_RATIO, POINT(gain), .less = 3},
    {"cause", "wrong", OUT_WORD, SHOWN(cause), .less = 6},
    {"cliff", "unlike neighbour", OUT_WORD, SHOWN(cliff), .less = 7},
    {"beyond", "faster elsewhere", OUT_WORD, SHOWN(beyond.name), .less = 8},
    {"beyond_s", "time", OUT_SECONDS, SHOWN(beyond.time_s), .less = 8},
};

static const struct out_column rule_columns[] = {
    {"source", "source", OUT_WORD, SETTING(place), .less = 1},
    {"collective", "collective", OUT_WORD, SETTING(collective)},
    {"ppn", "ppn", OUT_COUNT, SETTING(ppn), .less = 2},
    {"p_low", NULL, OUT_COUNT, RULE(p_low)},
    {"p_high", NULL, OUT_COUNT, RULE(p_high)},
    {NULL, "p", OUT_WORD, SHOWN(p_range)},
    {"m_low", NULL, OUT_BYTES, RULE(m_low)},
    {"m_high", NULL, OUT_BYTES, RULE(m_high)},
    {NULL, "m", OUT_WORD, SHOWN(m_range)},
    {"choice", NULL, OUT_WORD, SHOWN(best.name)},
    {"algorithm", NULL, OUT_WORD, SHOWN(best.algorithm)},
    {"radix", NULL, OUT_COUNT, SHOWN(best.radix)},
    {"segment_bytes", NULL, OUT_COUNT, SHOWN(best.segment_bytes)},
    {NULL, "take", OUT_WORD, SHOWN(best.text), .less = OUT_KEPT},
    {"points", "points", OUT_COUNT, RULE(points), .less = 3},
    {"mended", "mended", OUT_COUNT, RULE(mended), .less = 3},
    {"mean_gain", "times as fast\nmean", OUT_RATIO, SHOWN(gain), .less = 4},
    {"worst_ratio", "most", OUT_RATIO, SHOWN(worst_gain), .less = 4},
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

static struct shown_choice show(const struct decide_way *choice, const char *before)
{
    struct shown_choice shown = {.radix = -1, .segment_bytes = -1, .time_s = NAN};
    char segment[40] = "", radix[40] = "", bytes[24];
    if (choice == NULL)
        return shown;
    shown.name = choice->name;
    shown.algorithm = choice->algorithm;
    shown.radix = choice->radix > 0 ? choice->radix : -1;
    shown.segment_bytes = choice->segment_bytes;
    shown.time_s = choice->time_s;
    if (choice->name == NULL)
        return shown;
    if (choice->radix > 0)
        snprintf(radix, sizeof radix, ", radix %" PRId32, choice->radix);
    if (choice->segment_bytes > 0)
        snprintf(segment, sizeof segment, ", segments of %s",
                 sup_format_shown(choice->segment_bytes, bytes, sizeof bytes));
    snprintf(shown.text, sizeof shown.text, "%s%.60s%s%s", before, choice->name, radix, segment);
    return shown;
}

static void show_point(const struct decide_call *point, struct shown *shown)
{
    shown->chosen =
        show(point->own_known ? &point->own : point->like, point->own_known ? "" : "as ");
    shown->best = show(point->choice, "");
    shown->beyond = show(point->beyond, "");
    shown->like = point->like == NULL ? NULL : point->like->name;
    shown->verdict = decide_verdict_names[point->verdict];
    shown->cause = decide_cause_names[point->cause];
    shown->decision_segment_bytes = point->own_known ? point->own.segment_bytes : -1;
    decide_cliff_text(point, shown->cliff);
}

/* "16..64", "32". */
static void show_range(const char *low, const char *high, char *text, size_t size)
{
    const bool one = strcmp(low, high) == 0;
    snprintf(text, size, "%s%s%s", low, one ? "" : "..", one ? "" : high);
}

static void show_rule(const struct decide_rule *rule, struct shown *shown)
{
    char low[32], high[32];
    snprintf(low, sizeof low, "%" PRId32, rule->p_low);
    snprintf(high, sizeof high, "%" PRId32, rule->p_high);
    show_range(low, high, shown->p_range, sizeof shown->p_range);
    show_range(sup_format_size(rule->m_low, low, sizeof low),
               sup_format_size(rule->m_high, high, sizeof high), shown->m_range,
               sizeof shown->m_range);
    shown->best = show(rule->choice, "");
    if (shown->best.text[0] == '\0')
        snprintf(shown->best.text, TEXT_SIZE, "as it is");
    shown->gain = rule->choice == NULL ? NAN : rule->gain;
    shown->worst_gain = rule->choice == NULL ? NAN : rule->worst;
}

/* ---- Summary --------------------------------------------------------------------------------- */

static void show_summary(const struct decide *audit, size_t index, struct shown *shown)
{
    double sum = 0, mended_sum = 0, judged = 0;
    shown->worst = shown->mended_worst = NAN;
    for (size_t i = 0; i < audit->call_count; i++) {
        const struct decide_call *point = &audit->calls[i];
        if (point->place != index)
            continue;
        shown->points++;
        shown->verdicts[point->verdict]++;
        shown->beyond_points += point->beyond != NULL;
        if (point->choice == NULL)
            continue;
        const double mended = decide_ratio(decide_mended(audit, point), point->choice);
        judged++;
        sum += log(point->gain);
        mended_sum += log(mended);
        shown->worst = fmax(shown->worst, point->gain);
        shown->mended_worst = fmax(shown->mended_worst, mended);
    }
    shown->not_judged = shown->verdicts[DECIDE_ALONE] + shown->verdicts[DECIDE_NO_TIME];
    shown->mean = judged > 0 ? exp(sum / judged) : NAN;
    shown->mended_mean = judged > 0 ? exp(mended_sum / judged) : NAN;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static size_t rows_of(const struct decide *audit, enum audit_table table)
{
    const size_t counts[AUDIT_TABLES] = {audit->place_count, audit->loss_count, audit->rule_count,
                                         audit->call_count};
    return counts[table];
}

static void cells_of(const struct decide *audit, enum audit_table table, size_t row,
                     struct shown *shown, union out_cell cells[])
{
    const struct out_table columns = {tables[table].columns, .width = tables[table].width};
    const void *itself = NULL;
    size_t setting = row;
    *shown = (struct shown){0};
    if (table == AUDIT_SUMMARY) {
        show_summary(audit, row, shown);
    } else if (table == AUDIT_RULES) {
        const struct decide_rule *rule = itself = &audit->rules[row];
        show_rule(rule, shown);
        setting = rule->place;
    } else {
        const struct decide_call *point = itself =
            table == AUDIT_LOSSES ? audit->losses[row] : &audit->calls[row];
        show_point(point, shown);
        setting = point->place;
    }
    out_cells(&columns, (const void *const[]){&audit->places[setting], shown, itself}, cells);
}

/* ---- Text ------------------------------------------------------------------------------------ */

/* The columns as wide as their content. A source that is the same in all settings, and what no row
 * has, is left out. */
static void size_columns(const struct decide *audit, enum audit_table table, size_t rows,
                         struct out_column sized[])
{
    union out_cell cells[MOST_COLUMNS];
    struct shown shown_row;
    char buffer[OUT_CELL_SIZE];
    bool several = false, any[MOST_COLUMNS] = {false};
    memcpy(sized, tables[table].columns, tables[table].width * sizeof *sized);
    for (size_t i = 1; i < audit->place_count; i++)
        several = several || audit->places[i].place != audit->places[0].place;
    for (size_t row = 0; row < rows; row++) {
        cells_of(audit, table, row, &shown_row, cells);
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

static void table_text(const struct decide *audit, enum audit_table table, int64_t top,
                       FILE *stream)
{
    struct out_column sized[MOST_COLUMNS];
    const struct out_table shown = {sized, .width = tables[table].width, .gap = 2, .indent = 2};
    union out_cell cells[MOST_COLUMNS];
    struct shown shown_row;
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
        cells_of(audit, table, row, &shown_row, cells);
        out_text_row(&shown, cells, stream);
    }
    fprintf(stream, "\n");
}

void audit_text(const struct decide *audit, unsigned set, int64_t top, FILE *stream)
{
    for (int i = 0; i < AUDIT_TABLES; i++)
        if ((set & 1u << i) != 0)
            table_text(audit, (enum audit_table)i, top, stream);
}

/* ---- CSV and JSON ---------------------------------------------------------------------------- */

void audit_csv(const struct decide *audit, enum audit_table table, FILE *stream)
{
    const struct out_table shown = {tables[table].columns, .width = tables[table].width};
    union out_cell cells[MOST_COLUMNS];
    struct shown shown_row;
    out_csv_heading(&shown, stream);
    for (size_t row = 0; row < rows_of(audit, table); row++) {
        cells_of(audit, table, row, &shown_row, cells);
        out_csv_row(&shown, cells, stream);
    }
}

static json_t *table_json(const struct decide *audit, enum audit_table table)
{
    const struct out_table shown = {tables[table].columns, .width = tables[table].width};
    union out_cell cells[MOST_COLUMNS];
    struct shown shown_row;
    json_t *rows = json_array();
    for (size_t row = 0; row < rows_of(audit, table); row++) {
        cells_of(audit, table, row, &shown_row, cells);
        json_array_append_new(rows, out_json_row(&shown, cells));
    }
    return rows;
}

json_t *audit_json(const struct decide *audit, unsigned set, json_t *head)
{
    json_object_set_new(head, "threshold", json_real(audit->threshold));
    for (int i = 0; i < AUDIT_TABLES; i++)
        if ((set & 1u << i) != 0)
            json_object_set_new(head, audit_table_names[i], table_json(audit, (enum audit_table)i));
    return head;
}
