/* audit_report.c - see audit.h. */
#include "studies/audit/audit.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "support/output/table.h"
#include "support/units.h"

const char *const audit_table_names[AUDIT_TABLES] = {"summary", "losses", "rules", "points"};

/* ---- Columns --------------------------------------------------------------------------------- */

/* Of a place. */
struct summary {
    int64_t points, verdicts[DECIDE_VERDICTS], not_judged, beyond_points;
    double mean, worst, mended_mean, mended_worst;
};

/* Of a rule. */
struct shown {
    struct decide_call call; /* with its choice alone */
    char p[72], m[72], choice[DECIDE_DESCRIBED];
    double gain, worst;
};

#define SUMMARY(member) OUT_OF_BASE(DECIDE_ITSELF, struct summary, member)
#define RULE(member)    OUT_OF_BASE(DECIDE_ITSELF, struct decide_rule, member)
#define SHOWN(member)   OUT_OF_BASE(DECIDE_ITSELF_MORE, struct shown, member)

static const struct out_column summary_columns[] = {
    {"points", "points", OUT_COUNT, SUMMARY(points)},
    {"good", "good", OUT_COUNT, SUMMARY(verdicts[DECIDE_GOOD])},
    {"ties", "ties", OUT_COUNT, SUMMARY(verdicts[DECIDE_TIE])},
    {"losses", "lose", OUT_COUNT, SUMMARY(verdicts[DECIDE_LOSES])},
    {"not_judged", "not\njudged", OUT_COUNT, SUMMARY(not_judged)},
    {"mean_gain", "mean\ngain", OUT_RATIO, SUMMARY(mean)},
    {"worst_gain", "worst", OUT_RATIO, SUMMARY(worst)},
    {"mended_mean_gain", "mean\nmended", OUT_RATIO, SUMMARY(mended_mean)},
    {"mended_worst_gain", "worst\nmended", OUT_RATIO, SUMMARY(mended_worst)},
    {"beyond", "elsewhere\nfaster", OUT_COUNT, SUMMARY(beyond_points)},
};

static const struct out_column rule_columns[] = {
    {"p_low", "p", OUT_COUNT, RULE(p_low)},
    {"p_high", "p", OUT_COUNT, RULE(p_high)},
    {"p_range", "p", OUT_WORD, SHOWN(p)},
    {"m_low", "m", OUT_BYTES, RULE(m_low)},
    {"m_high", "m", OUT_BYTES, RULE(m_high)},
    {"m_range", "m", OUT_WORD, SHOWN(m)},
    {"choice_text", "choice", OUT_WORD, SHOWN(choice)},
    {"points", "points", OUT_COUNT, RULE(points)},
    {"mended", "mended", OUT_COUNT, RULE(mended)},
    {"mean_gain", "mean\ngain", OUT_RATIO, SHOWN(gain)},
    {"worst_gain", "most", OUT_RATIO, SHOWN(worst)},
};

/* ---- Rows ------------------------------------------------------------------------------------ */

/* What the rows are of, with a place for what the last one shows. */
struct rows {
    const struct decide *audit;
    const struct decide_call *const *losses; /* NULL: all calls */
    struct summary *summary;
    struct shown *shown;
};

static struct decide_row row_of_call(const void *context, size_t i)
{
    const struct rows *rows = context;
    const struct decide_call *call =
        rows->losses != NULL ? rows->losses[i] : &rows->audit->calls[i];
    return (struct decide_row){.place = &rows->audit->places[call->place], .call = call};
}

static void add_to_summary(const struct decide *audit, const struct decide_call *call,
                           struct summary *summary)
{
    summary->points++;
    summary->verdicts[call->verdict]++;
    summary->beyond_points += call->beyond != NULL;
    if (call->choice == NULL) {
        summary->not_judged++;
        return;
    }
    const double mended = decide_ratio(decide_mended(audit, call), call->choice);
    summary->mean += log(call->gain);
    summary->mended_mean += log(mended);
    summary->worst = fmax(summary->worst, call->gain);
    summary->mended_worst = fmax(summary->mended_worst, mended);
}

static struct decide_row row_of_place(const void *context, size_t i)
{
    const struct rows *rows = context;
    struct summary *summary = rows->summary;
    *summary = (struct summary){.worst = NAN, .mended_worst = NAN};
    for (size_t k = 0; k < rows->audit->call_count; k++)
        if (rows->audit->calls[k].place == i)
            add_to_summary(rows->audit, &rows->audit->calls[k], summary);
    const double judged = (double)(summary->points - summary->not_judged);
    summary->mean = exp(summary->mean / judged); /* NAN of none */
    summary->mended_mean = exp(summary->mended_mean / judged);
    return (struct decide_row){.place = &rows->audit->places[i], .itself = summary};
}

/* "16..64", "32". */
static void show_range(const char *low, const char *high, char *text, size_t size)
{
    const bool one = strcmp(low, high) == 0;
    snprintf(text, size, "%s%s%s", low, one ? "" : "..", one ? "" : high);
}

static struct decide_row row_of_rule(const void *context, size_t i)
{
    const struct rows *rows = context;
    const struct decide_rule *rule = &rows->audit->rules[i];
    struct shown *shown = rows->shown;
    char low[32], high[32];
    snprintf(low, sizeof low, "%" PRId32, rule->p_low);
    snprintf(high, sizeof high, "%" PRId32, rule->p_high);
    show_range(low, high, shown->p, sizeof shown->p);
    show_range(sup_format_size(rule->m_low, low, sizeof low),
               sup_format_size(rule->m_high, high, sizeof high), shown->m, sizeof shown->m);
    shown->gain = rule->choice == NULL ? NAN : rule->gain;
    shown->worst = rule->choice == NULL ? NAN : rule->worst;
    shown->call = (struct decide_call){.choice = rule->choice};
    snprintf(shown->choice, sizeof shown->choice, "the library's own");
    if (rule->choice != NULL)
        decide_describe(rule->choice, shown->choice);
    return (struct decide_row){.place = &rows->audit->places[rule->place],
                               .call = &shown->call,
                               .itself = rule,
                               .more = shown};
}

/* ---- Tables ---------------------------------------------------------------------------------- */

#define OWN(columns_) .own = (columns_), .own_width = OUT_COUNT_OF(columns_)
/* On a narrow line the call and its best choice stay. */
#define POINT_DATA                                                                                 \
    "place collective p ppn m_bytes run verdict own own_segment like own_s choice algorithm "      \
    "radix "                                                                                       \
    "segment time_s gain cause cliff beyond beyond_s"
#define POINT_TEXT                                                                                 \
    "own_text/2 own_s/4 choice_text/! time_s/4 gain/3 cause/6 cliff/7 beyond/8 beyond_s/8"

static const struct decide_table tables[AUDIT_TABLES] = {
    [AUDIT_SUMMARY] = {.data = "place collective ppn points good ties losses not_judged mean_gain "
                               "worst_gain mended_mean_gain mended_worst_gain beyond",
                       .text =
                           "place collective ppn/3 points/2 good/4 ties/4 losses not_judged/5 "
                           "mean_gain worst_gain/1 mended_mean_gain mended_worst_gain/1 beyond/6",
                       OWN(summary_columns),
                       .row = row_of_place},
    [AUDIT_LOSSES] = {.data = POINT_DATA,
                      .text = "place/1 collective p ppn/5 m_bytes " POINT_TEXT,
                      .row = row_of_call},
    [AUDIT_RULES] = {.data =
                         "place collective ppn p_low p_high m_low m_high choice algorithm radix "
                         "segment points mended mean_gain worst_gain",
                     .text =
                         "place/1 collective ppn/2 p_range m_range choice_text/! points/3 mended/3 "
                         "mean_gain/4 worst_gain/4",
                     OWN(rule_columns),
                     .row = row_of_rule},
    [AUDIT_POINTS] = {.data = POINT_DATA,
                      .text = "place/1 collective p ppn/5 m_bytes verdict " POINT_TEXT,
                      .row = row_of_call},
};

static const char *const titles[AUDIT_TABLES] = {
    "Time of the library's choice, as a multiple of its best algorithm's", "Losses, worst first",
    "Rules that mend them", "All points"};

/* A table of these rows; the structs that they show live as long as it. */
static struct decide_table table_of(enum audit_table which, struct rows *rows)
{
    const struct decide *audit = rows->audit;
    struct decide_table table = tables[which];
    const size_t counts[AUDIT_TABLES] = {audit->place_count, audit->loss_count, audit->rule_count,
                                         audit->call_count};
    rows->losses = which == AUDIT_LOSSES ? audit->losses : NULL;
    table.rows = counts[which];
    table.context = rows;
    return table;
}

/* Of one place it need not be told. */
static bool has_several_places(const struct decide *audit)
{
    for (size_t i = 1; i < audit->place_count; i++)
        if (audit->places[i].place != audit->places[0].place)
            return true;
    return false;
}

static void table_text(enum audit_table which, int64_t top, struct rows *rows, FILE *stream)
{
    struct decide_table table = table_of(which, rows);
    const size_t all = table.rows;
    if (which == AUDIT_LOSSES && top > 0 && (size_t)top < all)
        table.rows = (size_t)top;
    if (all == 0)
        return;
    if (!has_several_places(rows->audit))
        table.text = strchr(table.text, ' ');
    fprintf(stream, "%s", titles[which]);
    if (which == AUDIT_LOSSES)
        fprintf(stream, ": more than %g %%", 100 * rows->audit->threshold);
    if (table.rows < all)
        fprintf(stream, " (%zu of %zu; --top 0 shows all)", table.rows, all);
    fputc('\n', stream);
    decide_table_text(&table, stream);
    fputc('\n', stream);
}

/* ---- One screen ------------------------------------------------------------------------------ */

/* A place that loses, of which the worst loss is shown. */
struct losing {
    char machine[64], loses[48], where[64], choice[DECIDE_DESCRIBED];
};

#define LOSING(member) OUT_OF_BASE(DECIDE_ITSELF, struct losing, member)
static const struct out_column losing_columns[] = {
    {"machine", "place", OUT_WORD, LOSING(machine)},
    {"loses_at", "loses at", OUT_WORD, LOSING(loses)},
    {"worst", "worst", OUT_RATIO, OUT_OF_BASE(DECIDE_CALL, struct decide_call, gain)},
    {"there", "there", OUT_WORD, LOSING(where)},
    {"better", "better", OUT_WORD, LOSING(choice)},
};

/* True if no loss before the i-th is of its place: it is the worst there. */
static bool is_worst(const struct decide *audit, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (audit->losses[k]->place == audit->losses[i]->place)
            return false;
    return true;
}

static size_t count_losing(const struct decide *audit)
{
    size_t count = 0;
    for (size_t i = 0; i < audit->loss_count; i++)
        count += is_worst(audit, i);
    return count;
}

static struct decide_row row_of_losing(const void *context, size_t i)
{
    static struct losing losing;
    const struct decide *audit = context;
    const struct decide_call *const *worst = audit->losses;
    size_t losses = 0, points = 0;
    char m[32];
    for (size_t k = 0;; k++)
        if (is_worst(audit, k) && i-- == 0) {
            worst = &audit->losses[k];
            break;
        }
    for (size_t k = 0; k < audit->call_count; k++)
        if (audit->calls[k].place == (*worst)->place) {
            losses += audit->calls[k].verdict == DECIDE_LOSES;
            points += audit->calls[k].choice != NULL;
        }
    snprintf(losing.loses, sizeof losing.loses, "%zu of %zu", losses, points);
    snprintf(losing.where, sizeof losing.where, "p=%" PRId32 " m=%s", (*worst)->p,
             sup_format_shown((*worst)->m_bytes, m, sizeof m));
    const struct decide_place *place = &audit->places[(*worst)->place];
    const char *library = audit_library_in(place->place);
    snprintf(losing.machine, sizeof losing.machine, "%.*s",
             (int)(library == NULL ? (ptrdiff_t)sizeof losing.machine : library - place->place - 1),
             place->place);
    decide_describe((*worst)->choice, losing.choice);
    char *mark = strrchr(losing.choice, '_'); /* "_ompi" */
    if (mark != NULL && place->library != NULL && strcmp(mark + 1, place->library) == 0)
        *mark = '\0';
    return (struct decide_row){.place = place, .call = *worst, .itself = &losing};
}

void audit_screen(const struct decide *audit, FILE *stream)
{
    enum { MOST = 12 };
    const size_t all = count_losing(audit);
    const struct decide_table table = {.text = has_several_places(audit)
                                                   ? "machine collective loses_at/1 worst there "
                                                     "better/!"
                                                   : "collective ppn loses_at worst there better/!",
                                       .data = "",
                                       OWN(losing_columns),
                                       .rows = all < MOST ? all : MOST,
                                       .row = row_of_losing,
                                       .context = audit};
    decide_table_text(&table, stream);
    if (all > MOST)
        out_say(stream, "%zu more collectives lose less than these.", all - MOST);
}

void audit_text(const struct decide *audit, unsigned set, int64_t top, FILE *stream)
{
    struct summary summary;
    struct shown shown;
    struct rows rows = {audit, NULL, &summary, &shown};
    for (int i = 0; i < AUDIT_TABLES; i++)
        if ((set & 1u << i) != 0)
            table_text((enum audit_table)i, top, &rows, stream);
}

void audit_csv(const struct decide *audit, enum audit_table which, FILE *stream)
{
    struct summary summary;
    struct shown shown;
    struct rows rows = {audit, NULL, &summary, &shown};
    const struct decide_table table = table_of(which, &rows);
    decide_table_csv(&table, stream);
}

json_t *audit_json(const struct decide *audit, unsigned set, json_t *head)
{
    struct summary summary;
    struct shown shown;
    struct rows rows = {audit, NULL, &summary, &shown};
    json_object_set_new(head, "threshold", json_real(audit->threshold));
    for (int i = 0; i < AUDIT_TABLES; i++) {
        const struct decide_table table = table_of((enum audit_table)i, &rows);
        if ((set & 1u << i) != 0)
            json_object_set_new(head, audit_table_names[i], decide_table_json(&table));
    }
    return head;
}
