/* winners.c - which ways win: neighbouring sizes as one row, places as one line, and a decision in
 * three sentences. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/decide/curves.h"
#include "experiments/decide/decide.h"
#include "experiments/point/parameters.h"
#include "support/memory.h"
#include "support/output/table.h"
#include "support/output/verdict.h"
#include "support/units.h"

/* ---- Neighbouring sizes ---------------------------------------------------------------------- */

/* Calls of one place and p, next to each other in m, with one choice. */
struct run_of_sizes {
    const struct decide_call *first, *end;
    char m[80], blocks[80];
    double lead, of_bound; /* geometric means; NAN: not known of each */
};

#define RUN(member) OUT_OF_BASE(DECIDE_ITSELF, struct run_of_sizes, member)
static const struct out_column map_columns[] = {
    {"m", "m", OUT_WORD, RUN(m)},
    {"blocks", "blocks", OUT_WORD, RUN(blocks)},
    {"lead", "lead", OUT_RATIO, RUN(lead)},
    {"of_bound", "of bound", OUT_RATIO, RUN(of_bound)},
};

static void write_range(char *text, size_t size, const char *low, const char *high)
{
    const bool one = strcmp(low, high) == 0;
    snprintf(text, size, "%s%s%s", low, one ? "" : "..", one ? "" : high);
}

static struct run_of_sizes run_from(const struct decide_call *first, const struct decide_call *last)
{
    struct run_of_sizes run = {.first = first, .end = first};
    int64_t least = INT64_MAX, most = 0;
    double leads = 0, bounds = 0;
    char low[32], high[32];
    for (; run.end < last && run.end->place == first->place && run.end->p == first->p &&
           run.end->choice != NULL && run.end->choice->name == first->choice->name;
         run.end++) {
        least = run.end->choice->n < least ? run.end->choice->n : least;
        most = run.end->choice->n > most ? run.end->choice->n : most;
        leads += log(run.end->lead);
        bounds += log(run.end->of_bound);
    }
    run.lead = exp(leads / (double)(run.end - first));
    run.of_bound = exp(bounds / (double)(run.end - first));
    write_range(run.m, sizeof run.m, sup_format_shown(first->m_bytes, low, sizeof low),
                sup_format_shown(run.end[-1].m_bytes, high, sizeof high));
    snprintf(low, sizeof low, "%" PRId64, least);
    snprintf(high, sizeof high, "%" PRId64, most);
    write_range(run.blocks, sizeof run.blocks, low, high);
    return run;
}

struct map {
    const struct decide *decision;
    struct run_of_sizes *runs;
};

static struct decide_row map_row(const void *context, size_t i)
{
    const struct map *map = context;
    const struct run_of_sizes *run = &map->runs[i];
    return (struct decide_row){&map->decision->places[run->first->place], run->first, run, NULL};
}

void decide_map_text(const struct decide *decision, FILE *stream)
{
    const struct decide_call *end = decision->calls + decision->call_count;
    struct map map = {decision, NULL};
    size_t count = 0;
    for (const struct decide_call *call = decision->calls; call < end;) {
        if (call->choice == NULL) {
            call++;
            continue;
        }
        sup_grow(&map.runs, count, sizeof *map.runs);
        map.runs[count] = run_from(call, end);
        call = map.runs[count++].end;
    }
    const struct decide_table table = {.text = "p m choice/! blocks lead/1 of_bound/2",
                                       .own = map_columns,
                                       .own_width = OUT_COUNT_OF(map_columns),
                                       .settings = true,
                                       .rows = count,
                                       .row = map_row,
                                       .context = &map};
    decide_table_text(&table, stream);
    free(map.runs);
}

/* ---- Which ways win -------------------------------------------------------------------------- */

enum { MOST_NAMED = 3 };

/* The names that win most calls, most first; of equals the first in the order of calls. */
struct winners {
    const char *name[MOST_NAMED];
    size_t calls[MOST_NAMED], count, all; /* all: calls that have a choice */
    const struct decide_call *first;      /* of these */
};

struct wins {
    const char *name;
    size_t calls;
};

static void add_win(struct wins **wins, size_t *names, const char *name)
{
    size_t i = 0;
    while (i < *names && (*wins)[i].name != name) /* words of the decision */
        i++;
    if (i == *names) {
        sup_grow(wins, *names, sizeof **wins);
        (*wins)[(*names)++] = (struct wins){name, 0};
    }
    (*wins)[i].calls++;
}

static struct winners find_winners(const struct decide *decision)
{
    struct winners winners = {.count = 0};
    struct wins *wins = NULL;
    size_t names = 0;
    for (size_t i = 0; i < decision->call_count; i++) {
        const struct decide_way *choice = decision->calls[i].choice;
        if (choice == NULL)
            continue;
        winners.first = winners.all++ == 0 ? &decision->calls[i] : winners.first;
        add_win(&wins, &names, choice->name);
    }
    for (; winners.count < MOST_NAMED && winners.count < names; winners.count++) {
        struct wins *most = wins;
        for (size_t i = 1; i < names; i++)
            if (wins[i].calls > most->calls)
                most = &wins[i];
        winners.name[winners.count] = most->name;
        winners.calls[winners.count] = most->calls;
        most->calls = 0;
    }
    free(wins);
    return winners;
}

/* The geometric mean by which the next best take longer; NAN: there are none. */
static double mean_lead(const struct decide *decision)
{
    double sum = 0, count = 0;
    for (size_t i = 0; i < decision->call_count; i++) {
        const double lead = decision->calls[i].lead;
        if (isfinite(lead) && lead >= 1) {
            sum += log(lead);
            count++;
        }
    }
    return count > 0 ? exp(sum / count) : NAN;
}

static void say_winners(const struct decide *decision, const struct winners *winners,
                        struct out_verdict *verdict)
{
    char text[512], lead[96] = "", words[OUT_WORDS];
    size_t used, left = winners->all;
    const double mean = mean_lead(decision);
    const bool one = winners->all == 1;
    if (!isnan(mean))
        snprintf(lead, sizeof lead, "; the next best takes %s%s", out_longer(mean, words),
                 one ? "" : " on average");
    used = (size_t)snprintf(text, sizeof text, "%.80s is fastest", winners->name[0]);
    if (winners->count == 1)
        used += (size_t)(one ? snprintf(text + used, sizeof text - used, " with n = %" PRId64,
                                        winners->first->choice->n)
                             : snprintf(text + used, sizeof text - used, " at all %zu points",
                                        winners->all));
    for (size_t i = 0; i < winners->count && winners->count > 1; i++) {
        left -= winners->calls[i];
        used += (size_t)(i == 0 ? snprintf(text + used, sizeof text - used, " at %zu of %zu points",
                                           winners->calls[i], winners->all)
                                : snprintf(text + used, sizeof text - used, ", %.80s at %zu",
                                           winners->name[i], winners->calls[i]));
    }
    if (winners->count > 1 && left > 0)
        snprintf(text + used, sizeof text - used, ", others at %zu", left);
    out_verdict_say(verdict, "%s%s.", text, lead);
}

/* ---- Which ways win at each place -------------------------------------------------------------- */

static int64_t m_of(const struct decide_call *call)
{
    return call->m_bytes;
}

static int64_t p_of(const struct decide_call *call)
{
    return call->p;
}

/* The name that wins at most of a place's calls with one p, or one m. */
static struct wins most_wins(const struct decide *decision, size_t place,
                             int64_t (*value_of)(const struct decide_call *call), int64_t value)
{
    struct wins *wins = NULL, most = {NULL, 0};
    size_t names = 0;
    for (size_t i = 0; i < decision->call_count; i++) {
        const struct decide_call *call = &decision->calls[i];
        if (call->place == place && call->choice != NULL && value_of(call) == value)
            add_win(&wins, &names, call->choice->name);
    }
    for (size_t i = 0; i < names; i++)
        most = wins[i].calls > most.calls ? wins[i] : most;
    free(wins);
    return most;
}

/* The values of m, or of p if there is one m, of a place's calls. The caller frees them. */
static struct sup_list values_of(const struct decide *decision, size_t place,
                                 int64_t (*value_of)(const struct decide_call *call))
{
    struct sup_list list = {sup_calloc(decision->call_count, sizeof *list.value), 0};
    size_t count = 0;
    for (size_t i = 0; i < decision->call_count; i++)
        if (decision->calls[i].place == place && decision->calls[i].choice != NULL)
            list.value[count++] = value_of(&decision->calls[i]);
    sup_list_tidy(&list, count);
    return list;
}

/* "binomial to 64 KiB, chain above (38 of 49 points, 2.4 of the bound)": into text. */
static void write_place(const struct decide *decision, size_t place, char *text, size_t size)
{
    int64_t (*value_of)(const struct decide_call *call) = m_of;
    struct sup_list values = values_of(decision, place, value_of);
    const char *last = NULL;
    size_t used = 0, so = 0, all = 0;
    double bounds = 0;
    char words[OUT_WORDS], part[32] = "", bound[OUT_WORDS + 16] = "";
    text[0] = '\0';
    if (values.count == 1) {
        sup_list_free(&values);
        values = values_of(decision, place, value_of = p_of);
    }
    for (size_t i = 0; i < values.count && used < size; i++) {
        const struct wins most = most_wins(decision, place, value_of, values.value[i]);
        char end[40] = "";
        so += most.calls;
        if (most.name == last)
            continue;
        if (last != NULL && value_of == m_of)
            sup_format_shown(values.value[i - 1], end, sizeof end);
        else if (last != NULL)
            snprintf(end, sizeof end, "p = %" PRId64, values.value[i - 1]);
        used += (size_t)snprintf(text + used, size - used, "%s%s%s%.80s", last == NULL ? "" : " to ",
                                 end, last == NULL ? "" : ", ", most.name);
        last = most.name;
    }
    for (size_t i = 0; i < decision->call_count; i++) {
        const struct decide_call *call = &decision->calls[i];
        if (call->place != place || call->choice == NULL)
            continue;
        all++;
        bounds += log(call->of_bound);
    }
    const double of_bound = exp(bounds / (double)all);
    if (so < all)
        snprintf(part, sizeof part, "%zu of ", so);
    if (isfinite(of_bound))
        snprintf(bound, sizeof bound, ", %s of the bound", out_ratio(of_bound, words));
    if (used < size)
        snprintf(text + used, size - used, "%s (%s%zu point%s%s)",
                 strstr(text, " to ") == NULL ? " everywhere" : " above", part, all,
                 all == 1 ? "" : "s", bound);
    sup_list_free(&values);
}

/* What distinguishes a place from the others; its platform if it is the only one. */
static void name_place(const struct decide *decision, size_t place, char *text, size_t size)
{
    const struct point_parameter *parameters[POINT_PARAMETERS];
    const int count = point_setting(parameters);
    const struct point *setting = decision->places[place].setting;
    size_t used = 0;
    for (int i = 0; i < count && used < size; i++) {
        bool differs = false;
        char word[200];
        for (size_t k = 0; k < decision->place_count; k++)
            differs |= point_compare(decision->places[k].setting, setting, parameters[i]) != 0;
        if (differs && parameters[i] != &point_parameters[POINT_PLATFORM_HASH])
            used += (size_t)snprintf(text + used, size - used, "%s%s", used == 0 ? "" : ", ",
                                     point_format(setting, parameters[i], word, sizeof word));
    }
    if (used == 0)
        snprintf(text, size, "%s", setting->platform_text);
}

size_t decide_places_text(const struct decide *decision, size_t most, FILE *stream)
{
    enum { WIDEST = 32 };
    char name[256], text[1024];
    int width = 0;
    const size_t count = decision->place_count < most ? decision->place_count : most;
    for (size_t i = 0; i < count; i++) {
        name_place(decision, i, name, sizeof name);
        width = (int)strlen(name) > width ? (int)strlen(name) : width;
    }
    for (size_t i = 0; i < count; i++) {
        name_place(decision, i, name, sizeof name);
        write_place(decision, i, text, sizeof text);
        out_text_entry(0, width < WIDEST ? width : WIDEST, 2, name, stream, "%s", text);
    }
    return decision->place_count - count;
}

/* ---- What one way for all would cost --------------------------------------------------------- */

/* The least time by this name, as under several overlap rules; NAN: it has none. */
static double time_of(const struct decide *decision, const struct decide_call *call,
                      const char *name)
{
    double time_s = NAN;
    for (size_t i = call->first; i < call->first + call->count; i++)
        if (decision->ways[i].name == name)
            time_s = fmin(time_s, decision->ways[i].time_s);
    return time_s;
}

static void say_one_for_all(const struct decide *decision, const char *winner,
                            struct out_verdict *verdict)
{
    const struct decide_call *at = decision->calls, *last = at + decision->call_count - 1;
    const bool places = at->place != last->place;
    struct out_worst worst = {0};
    double sum = 0, count = 0;
    char words[OUT_WORDS], m[32], all[96] = "", outlier[OUT_OUTLIER];
    for (const struct decide_call *call = decision->calls; call <= last; call++) {
        if (call->choice == NULL || call->choice->name == winner)
            continue;
        const double ratio = time_of(decision, call, winner) / call->choice->time_s;
        if (!isfinite(ratio))
            continue;
        sum += log(ratio);
        count++;
        at = out_worst_add(&worst, ratio) ? call : at;
    }
    if (count == 0 || worst.most <= 1)
        return;
    if (count > 1)
        snprintf(all, sizeof all, " %s on average at the other %.0f, most",
                 out_longer(exp(sum / count), words), count);
    out_verdict_say(verdict,
                    "%s everywhere would take%s %s at p = %" PRId32
                    ", m = %s%s%s%s, where %s is fastest.",
                    winner, all, out_longer(worst.most, words), at->p,
                    sup_format_shown(at->m_bytes, m, sizeof m), places ? " on " : "",
                    places ? decision->places[at->place].place : "", out_outlier(&worst, outlier),
                    at->choice->name);
}

/* ---- How sure -------------------------------------------------------------------------------- */

/* "simulated by flow and simgrid", "measured": how the times were found. */
static void name_engines(const struct decide *decision, char *text, size_t size)
{
    const char *one = NULL, *other = NULL;
    bool measured = false, computed = false;
    for (size_t i = 0; i < decision->place_count; i++) {
        const struct point *setting = decision->places[i].setting;
        const char *engine = setting->engine_text;
        computed |= strcmp(decide_how(setting), "computed") == 0;
        if (decide_is_measured(setting))
            measured = true;
        else if (one == NULL || strcmp(one, engine) == 0)
            one = engine;
        else
            other = engine;
    }
    snprintf(text, size, "%s%s%s%.60s%s%.60s%s", measured ? "measured" : "",
             measured && one != NULL ? " or " : "",
             one == NULL     ? ""
             : !computed     ? "simulated by "
             : other == NULL ? "computed by "
                             : "simulated or computed by ",
             one == NULL ? "" : one, other == NULL ? "" : " and ", other == NULL ? "" : other,
             measured ? "" : ", not measured");
}

size_t decide_ties(const struct decide *decision)
{
    size_t ties = 0;
    for (size_t i = 0; i < decision->call_count; i++) {
        const char *tie = decision->calls[i].tie;
        ties += tie != NULL && strcmp(tie, "tie") == 0;
    }
    return ties;
}

static void say_how_sure(const struct decide *decision, size_t confirmed,
                         struct out_verdict *verdict)
{
    const size_t ties = decide_ties(decision);
    char engines[192], more[160] = "";
    name_engines(decision, engines, sizeof engines);
    if (ties > 0)
        snprintf(more, sizeof more, "; %zu of these choices %s within the spread of the copies",
                 ties, ties == 1 ? "is" : "are");
    else if (confirmed > 0)
        snprintf(more, sizeof more, "; simgrid confirms %zu of %zu", confirmed,
                 decision->call_count);
    out_verdict_say(verdict, "All times are %s%s.", engines, more);
}

void decide_winners(const struct decide *decision, size_t confirmed, struct out_verdict *verdict)
{
    const struct winners winners = find_winners(decision);
    if (winners.count == 0)
        return;
    say_winners(decision, &winners, verdict);
    if (winners.count > 1)
        say_one_for_all(decision, winners.name[0], verdict);
    say_how_sure(decision, confirmed, verdict);
}
