/* audit_report.c - an audit as tables, a screen and sentences (audit.h). */
#include "studies/audit/audit.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/memory.h"
#include "support/names.h"
#include "support/output/table.h"
#include "support/units.h"

const char *const audit_table_names[AUDIT_TABLES] = {"summary", "losses", "rules", "points"};

/* ---- Columns --------------------------------------------------------------------------------- */

/* Of a place. */
struct summary {
    int64_t points, verdicts[DECIDE_VERDICTS], not_judged, beyond_points;
    double mean, worst, mended_mean, mended_worst;
};

#define SUMMARY(member) OUT_OF_BASE(DECIDE_ITSELF, struct summary, member)
#define RULE(member)    OUT_OF_BASE(DECIDE_ITSELF, struct decide_rule, member)

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
    {"p_low", "p from", OUT_COUNT, RULE(p_low)},
    {"p_high", "to", OUT_COUNT, RULE(p_high)},
    {"m_low", "m from", OUT_BYTES, RULE(m_low)},
    {"m_high", "to", OUT_BYTES, RULE(m_high)},
    {"points", "points", OUT_COUNT, RULE(points)},
    {"mended", "mended", OUT_COUNT, RULE(mended)},
    {"mean_gain", "mean\ngain", OUT_RATIO, RULE(gain)},
    {"worst_gain", "most", OUT_RATIO, RULE(worst)},
};

/* ---- Rows ------------------------------------------------------------------------------------ */

/* What the last row shows. */
struct last {
    struct summary summary;
    struct decide_call of_rule; /* with its choice alone */
};

struct rows {
    const struct decide *audit;
    const struct decide_call *const *losses; /* NULL: all calls */
    struct last *last;
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
    struct summary *summary = &rows->last->summary;
    *summary = (struct summary){.worst = NAN, .mended_worst = NAN};
    for (size_t k = 0; k < rows->audit->call_count; k++)
        if (rows->audit->calls[k].place == i)
            add_to_summary(rows->audit, &rows->audit->calls[k], summary);
    const double judged = (double)(summary->points - summary->not_judged);
    summary->mean = exp(summary->mean / judged); /* NAN of none */
    summary->mended_mean = exp(summary->mended_mean / judged);
    return (struct decide_row){.place = &rows->audit->places[i], .itself = summary};
}

static struct decide_row row_of_rule(const void *context, size_t i)
{
    const struct rows *rows = context;
    const struct decide_rule *rule = &rows->audit->rules[i];
    rows->last->of_rule = (struct decide_call){.choice = rule->choice};
    return (struct decide_row){
        .place = &rows->audit->places[rule->place], .call = &rows->last->of_rule, .itself = rule};
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
    [AUDIT_RULES] =
        {.data = "place collective ppn p_low p_high m_low m_high choice algorithm radix "
                 "segment points mended mean_gain worst_gain",
         .text = "place/1 collective ppn/2 p_low p_high m_low m_high choice_text/! points/3 "
                 "mended/3 mean_gain/4 worst_gain/4",
         OWN(rule_columns),
         .row = row_of_rule},
    [AUDIT_POINTS] = {.data = POINT_DATA,
                      .text = "place/1 collective p ppn/5 m_bytes verdict " POINT_TEXT,
                      .row = row_of_call},
};

static const char *const titles[AUDIT_TABLES] = {
    "Time of the library's choice, as a multiple of its best algorithm's", "Losses, worst first",
    "Rules that mend them; without a choice the library's own stays", "All points"};

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

/* A place that loses, with its worst loss. */
static struct decide_row row_of_losing(const void *context, size_t i)
{
    const struct rows *rows = context;
    size_t worst = 0;
    while (!is_worst(rows->audit, worst) || i-- > 0)
        worst++;
    struct decide_row row = row_of_place(context, rows->audit->losses[worst]->place);
    row.call = rows->audit->losses[worst];
    return row;
}

void audit_screen(const struct decide *audit, FILE *stream)
{
    enum { MOST = 12, MOST_COLUMNS = 7 };
    struct last last;
    const struct rows rows = {audit, NULL, &last};
    const size_t all = count_losing(audit);
    const struct decide_table table = {
        .text = has_several_places(audit)
                    ? "place/! collective losses worst_gain p m_bytes choice_text/!"
                    : "collective ppn losses points/1 worst_gain p m_bytes choice_text/!",
        .data = "",
        OWN(summary_columns),
        .most = MOST_COLUMNS,
        .rows = all < MOST ? all : MOST,
        .row = row_of_losing,
        .context = &rows};
    decide_table_text(&table, stream);
    if (all > MOST)
        out_say(stream, "%zu more collectives lose less than these.", all - MOST);
}

void audit_text(const struct decide *audit, unsigned set, int64_t top, FILE *stream)
{
    struct last last;
    struct rows rows = {audit, NULL, &last};
    for (int i = 0; i < AUDIT_TABLES; i++)
        if ((set & 1u << i) != 0)
            table_text((enum audit_table)i, top, &rows, stream);
}

void audit_csv(const struct decide *audit, enum audit_table which, FILE *stream)
{
    struct last last;
    struct rows rows = {audit, NULL, &last};
    const struct decide_table table = table_of(which, &rows);
    decide_table_csv(&table, stream);
}

json_t *audit_json(const struct decide *audit, unsigned set, json_t *head)
{
    struct last last;
    struct rows rows = {audit, NULL, &last};
    json_object_set_new(head, "threshold", json_real(audit->threshold));
    for (int i = 0; i < AUDIT_TABLES; i++) {
        const struct decide_table table = table_of((enum audit_table)i, &rows);
        if ((set & 1u << i) != 0)
            json_object_set_new(head, audit_table_names[i], decide_table_json(&table));
    }
    return head;
}

/* ---- In sentences ---------------------------------------------------------------------------- */

/* The library in a place of measured rows, "OMPI 4.1.6"; NULL: none is known. */
static const char *library_in(const char *place)
{
    for (const char *blank = strchr(place, ' '); blank != NULL; blank = strchr(blank + 1, ' '))
        if (sup_library_named(blank + 1) != NULL)
            return blank + 1;
    return NULL;
}

/* "Open MPI's own choices on leonardo": of the rules of a file, or of natives, `rules` names them.
 */
static char *whose(const struct decide *audit, const char *rules)
{
    const char *place = audit->places[0].place, *library = library_in(place);
    for (size_t i = 1; i < audit->place_count; i++)
        if (audit->places[i].place != place)
            return rules == NULL ? sup_format("The libraries' own choices")
                                 : sup_format("The choices of %s", rules);
    if (rules != NULL)
        return sup_format("The choices of %s on %s", rules, place);
    return library == NULL ? sup_format("The library's own choices on %s", place)
                           : sup_format("%s's own choices on %.*s", sup_library_title(library),
                                        (int)(library - place - 1), place);
}

/* The geometric mean of the ratios at the losses, with the rules or without. */
static double mean_at_losses(const struct decide *audit, bool mended)
{
    double sum = 0;
    for (size_t i = 0; i < audit->loss_count; i++) {
        const struct decide_call *point = audit->losses[i];
        sum += log(mended ? decide_ratio(decide_mended(audit, point), point->choice) : point->gain);
    }
    return exp(sum / (double)audit->loss_count);
}

static void say_losses(const struct decide *audit, struct out_verdict *verdict)
{
    const struct decide_call *worst = audit->losses[0];
    const struct decide_way *taken = worst->own_known ? &worst->own : worst->like;
    const struct out_worst ratios = {.most = worst->gain,
                                     .next = audit->loss_count > 1 ? audit->losses[1]->gain : 0};
    char mean[OUT_WORDS], most[OUT_WORDS], m[32], like[160] = "", outlier[OUT_OUTLIER];
    if (taken != NULL && taken->name != NULL)
        snprintf(like, sizeof like, " and the library%s %.100s",
                 worst->own_known ? " takes" : "'s choice takes as long as", taken->name);
    out_verdict_say(verdict,
                    "They take %s there on average, and %s at %s, p = %" PRId32
                    ", m = %s%s, where %s is best%s.",
                    out_longer(mean_at_losses(audit, false), mean), out_longer(worst->gain, most),
                    audit->places[worst->place].collective, worst->p,
                    sup_format_shown(worst->m_bytes, m, sizeof m), out_outlier(&ratios, outlier),
                    worst->choice->name, like);
}

/* How much of the losses is mended: of the sum of the logarithms of the ratios. */
static void say_rules(const struct decide *audit, struct out_verdict *verdict)
{
    const double before = mean_at_losses(audit, false), after = mean_at_losses(audit, true);
    size_t mended = 0;
    char words[OUT_WORDS];
    for (size_t i = 0; i < audit->loss_count; i++) {
        const struct decide_call *point = audit->losses[i];
        mended += decide_ratio(decide_mended(audit, point), point->choice) <= 1 + audit->threshold;
    }
    if (mended == audit->loss_count)
        out_verdict_say(verdict, "The rules mend all of them.");
    else if (mended == 0)
        out_verdict_say(verdict, "No rule mends any of them.");
    else
        out_verdict_say(verdict, "The rules mend %zu of them, which is %s of what is lost.", mended,
                        out_percent(fmin(1 - log(after) / log(before), 1), words));
}

void audit_verdict(const struct decide *audit, const char *rules, const char *times,
                   struct out_verdict *verdict)
{
    const size_t ties = decide_count(audit, DECIDE_TIE);
    const size_t alone = decide_count(audit, DECIDE_ALONE),
                 none = decide_count(audit, DECIDE_NO_TIME);
    char tied[80] = "", unjudged[80] = "", *who = whose(audit, rules);
    if (ties > 0)
        snprintf(tied, sizeof tied, "; at %zu point%s spreads overlap, which is no loss", ties,
                 sup_plural((int64_t)ties));
    if (alone + none > 0)
        snprintf(unjudged, sizeof unjudged, "; %zu point%s %s nothing to compare", alone + none,
                 sup_plural((int64_t)(alone + none)), alone + none == 1 ? "has" : "have");
    if (audit->loss_count > 0)
        out_verdict_say(verdict, "%s lose more than %g %% at %zu of %zu points", who,
                        100 * audit->threshold, audit->loss_count,
                        audit->call_count - alone - none);
    else
        out_verdict_say(verdict, "%s lose nowhere more than %g %%, of %zu points", who,
                        100 * audit->threshold, audit->call_count - alone - none);
    free(who);
    if (audit->loss_count > 0) {
        say_losses(audit, verdict);
        say_rules(audit, verdict);
    }
    out_verdict_say(verdict, "All times are %s%s%s.", times, tied, unjudged);
}
