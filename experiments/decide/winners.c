/* winners.c - which ways win: neighbouring sizes as one row, and a decision in three sentences. */
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

/* ---- The table of choices -------------------------------------------------------------------- */

/* How calls become rows: the first of these that fits a screen. */
enum fold { EACH_CALL, BY_SIZES, BY_CHOICES, FOLDS };

enum { MOST_SHOWN = 7, WORDS = 160 };

struct range {
    int64_t least, most;
};

/* Calls of one place with one choice. */
struct row {
    const struct decide_call *first;
    struct range p, m, n;
    size_t calls, leads, bounds; /* of the latter two those that are known, and the sums of logs */
    double lead_log, bound_log;
    double lead, of_bound; /* geometric means; NAN: not known */
    char p_text[32], m_text[80], blocks[48], setting[160];
    const char *choice, *next_best;
};

struct map {
    const struct decide *decision;
    struct row *rows;
    size_t count;
};

#define ROW(member) OUT_OF_BASE(DECIDE_ITSELF, struct row, member)
static const struct out_column map_columns[] = {
    {"m_bytes", "m", OUT_BYTES, OUT_OF_BASE(DECIDE_CALL, struct decide_call, m_bytes)},
    {"sizes", "m", OUT_WORD, ROW(m_text)},
    {"platform", "platform", OUT_WORD, OUT_OF_BASE(DECIDE_PLACE, struct decide_place, place)},
    {"setting", "setting", OUT_WORD, ROW(setting)},
    {"ranks", "p", OUT_WORD, ROW(p_text)},
    {"choice", "choice", OUT_WORD, ROW(choice)},
    {"points", "points", OUT_COUNT, ROW(calls)},
    {"n", "blocks", OUT_WORD, ROW(blocks)},
    {"next_best", "next best", OUT_WORD, ROW(next_best)},
    {"lead", "lead", OUT_RATIO, ROW(lead)},
    {"of_bound", "of bound", OUT_RATIO, ROW(of_bound)},
};

/* As options name it; of no way "". */
static const char *typed(const struct decide_way *way)
{
    return way == NULL ? "" : way->typed != NULL ? way->typed : way->name;
}

/* A way of the next best algorithm by any groups and radix, if these are no rivals. */
static const char *rival_of(const struct decide_way *way)
{
    return way == NULL ? "" : way->rival != NULL ? way->rival : typed(way);
}

static void extend(struct range *range, int64_t value, bool first)
{
    range->least = first || value < range->least ? value : range->least;
    range->most = first || value > range->most ? value : range->most;
}

static void add_log(double value, size_t *count, double *sum)
{
    if (isfinite(value) && value > 0) {
        ++*count;
        *sum += log(value);
    }
}

static bool joins(const struct row *row, const struct decide_call *call, enum fold fold)
{
    return fold != EACH_CALL && row->first->place == call->place &&
           row->first->choice->name == call->choice->name &&
           (fold == BY_CHOICES || row->first->p == call->p);
}

/* The row for a call: of neighbours the last one, of choices any. */
static struct row *row_for(struct map *map, const struct decide_call *call, enum fold fold)
{
    for (size_t i = map->count; i-- > (fold == BY_CHOICES || map->count == 0 ? 0 : map->count - 1);)
        if (joins(&map->rows[i], call, fold))
            return &map->rows[i];
    sup_grow(&map->rows, map->count, sizeof *map->rows);
    map->rows[map->count] = (struct row){.first = call};
    return &map->rows[map->count++];
}

static void fold_calls(struct map *map, enum fold fold)
{
    const struct decide *decision = map->decision;
    map->count = 0;
    for (size_t i = 0; i < decision->call_count; i++) {
        const struct decide_call *call = &decision->calls[i];
        if (call->choice == NULL)
            continue;
        struct row *row = row_for(map, call, fold);
        const bool first = row->calls++ == 0;
        extend(&row->p, call->p, first);
        extend(&row->m, call->m_bytes, first);
        extend(&row->n, call->choice->n, first);
        add_log(call->lead, &row->leads, &row->lead_log);
        add_log(call->of_bound, &row->bounds, &row->bound_log);
    }
}

static void write_range(char *text, size_t size, struct range range, bool bytes)
{
    char low[32], high[32];
    if (bytes)
        snprintf(text, size, "%s..%s", sup_format_shown(range.least, low, sizeof low),
                 sup_format_shown(range.most, high, sizeof high));
    else
        snprintf(text, size, "%" PRId64 "..%" PRId64, range.least, range.most);
    if (range.least == range.most)
        *strstr(text, "..") = '\0';
}

/* What places differ in: each in a column of its own, and the others in one. */
struct differences {
    bool p, n, collective, platform, ppn, setting[POINT_PARAMETERS];
};

/* What differs else needs a column. */
static bool is_alike(const struct decide_place *a, const struct decide_place *b)
{
    return a->collective == b->collective && a->place == b->place && a->ppn == b->ppn;
}

static struct differences find_differences(const struct decide *decision)
{
    const struct decide_place *first = &decision->places[0];
    const struct point_parameter *parameters[POINT_PARAMETERS];
    const int count = point_setting(parameters);
    struct differences found = {0};
    for (size_t i = 0; i < decision->call_count; i++) {
        const struct decide_way *choice = decision->calls[i].choice;
        found.p |= decision->calls[i].p != decision->calls[0].p;
        found.n |= choice != NULL && choice->n > 1; /* else nothing is cut */
    }
    for (size_t i = 1; i < decision->place_count; i++) {
        const struct decide_place *place = &decision->places[i], *other = place - 1;
        found.collective |= place->collective != first->collective;
        found.platform |= place->place != first->place;
        found.ppn |= place->ppn != first->ppn;
        while (other > first && !is_alike(place, other))
            other--;
        for (int k = 0; k < count && is_alike(place, other); k++)
            found.setting[k] |= point_compare(place->setting, other->setting, parameters[k]) != 0;
    }
    return found;
}

static void write_setting(const struct point *setting, const struct differences *differences,
                          char *text, size_t size)
{
    const struct point_parameter *parameters[POINT_PARAMETERS];
    const int count = point_setting(parameters);
    char value[160];
    text[0] = '\0';
    for (int i = 0; i < count; i++) {
        const ptrdiff_t id = parameters[i] - point_parameters;
        if (differences->setting[i] && id != POINT_COLLECTIVE && id != POINT_PLATFORM &&
            id != POINT_PLATFORM_HASH && id != POINT_PPN)
            sup_append(text, size, ", ", "%s",
                       point_format(setting, parameters[i], value, sizeof value));
    }
}

static void finish_rows(struct map *map, const struct differences *differences)
{
    for (size_t i = 0; i < map->count; i++) {
        struct row *row = &map->rows[i];
        write_range(row->p_text, sizeof row->p_text, row->p, false);
        write_range(row->m_text, sizeof row->m_text, row->m, true);
        if (differences->n)
            write_range(row->blocks, sizeof row->blocks, row->n, false);
        write_setting(map->decision->places[row->first->place].setting, differences, row->setting,
                      sizeof row->setting);
        row->choice = typed(row->first->choice);
        row->next_best = rival_of(row->first->next_best);
        row->lead = row->leads > 0 ? exp(row->lead_log / (double)row->leads) : NAN;
        row->of_bound = row->bounds > 0 ? exp(row->bound_log / (double)row->bounds) : NAN;
    }
}

static struct decide_row map_row(const void *context, size_t i)
{
    const struct map *map = context;
    const struct row *row = &map->rows[i];
    return (struct decide_row){&map->decision->places[row->first->place], row->first, row, NULL};
}

/* The columns of a table: first those in which its places differ. */
static void list_columns(const struct differences *differences, enum fold fold, char words[WORDS])
{
    static const char *const columns[FOLDS] = {
        [EACH_CALL] = "m_bytes/! choice/! blocks/2 time_s/1 next_best/5 lead/3 of_bound/4",
        [BY_SIZES] = "sizes/! choice/! n/1 lead/2 of_bound/3",
        [BY_CHOICES] = "choice/! points/! ranks/1 sizes n/4 lead/2 of_bound/3"};
    snprintf(words, WORDS, "%s%s%ssetting/1 %s%s", differences->collective ? "collective/! " : "",
             differences->platform ? "platform/! " : "", differences->ppn ? "ppn/! " : "",
             differences->p && fold != BY_CHOICES ? "p/! " : "", columns[fold]);
    char *blocks = strstr(words, "blocks/2");
    if (blocks != NULL && !differences->n)
        memset(blocks, ' ', strlen("blocks/2"));
}

static const char *collective_of(const struct map *map, size_t row)
{
    return map->decision->places[map->rows[row].first->place].collective;
}

/* Of collectives that differ in nothing else each has a table, under its name. */
static void print_map(const struct map *map, struct differences *differences, enum fold fold,
                      size_t most, FILE *stream)
{
    const bool apart = differences->collective && !differences->p && !differences->platform &&
                       !differences->ppn && fold != BY_CHOICES && map->rows[0].setting[0] == '\0';
    struct out_column own[OUT_COUNT_OF(map_columns)];
    char words[WORDS];
    memcpy(own, map_columns, sizeof own);
    differences->collective &= !apart;
    list_columns(differences, fold, words);
    const size_t shown = map->count > most + 2 ? most : map->count;
    for (size_t first = 0, end; first < shown; first = end) {
        const struct map part = {map->decision, map->rows + first, 0};
        for (end = first + 1;
             end < shown && !(apart && collective_of(map, end) != collective_of(map, first));)
            end++;
        if (apart)
            own[0].heading = own[1].heading = collective_of(map, first);
        const struct decide_table table = {.text = words,
                                           .own = own,
                                           .own_width = OUT_COUNT_OF(own),
                                           .most = MOST_SHOWN,
                                           .rows = end - first,
                                           .row = map_row,
                                           .context = &part};
        decide_table_text(&table, stream);
    }
    if (shown < map->count)
        out_say(stream, "and %zu rows more", map->count - shown);
}

void decide_map_text(const struct decide *decision, size_t most, FILE *stream)
{
    struct map map = {decision, NULL, 0};
    enum fold fold = EACH_CALL;
    if (decision->call_count == 0)
        return;
    struct differences differences = find_differences(decision);
    fold_calls(&map, fold);
    if (map.count == 0)
        return;
    while (map.count > most && fold + 1 < FOLDS)
        fold_calls(&map, ++fold);
    finish_rows(&map, &differences);
    print_map(&map, &differences, fold, most, stream);
    free(map.rows);
}

/* ---- Which ways win -------------------------------------------------------------------------- */

enum { MOST_NAMED = 3 };

/* The names that win most calls, most first; of equals the first in the order of calls. */
struct winners {
    const struct decide_way *way[MOST_NAMED];
    size_t calls[MOST_NAMED], count, all; /* all: calls that have a choice */
    const struct decide_call *first;      /* of these */
};

struct wins {
    const struct decide_way *way; /* the first by its name */
    size_t calls;
};

static void add_win(struct wins **wins, size_t *names, const struct decide_way *way)
{
    size_t i = 0;
    while (i < *names && (*wins)[i].way->name != way->name) /* words of the decision */
        i++;
    if (i == *names) {
        sup_grow(wins, *names, sizeof **wins);
        (*wins)[(*names)++] = (struct wins){way, 0};
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
        add_win(&wins, &names, choice);
    }
    for (; winners.count < MOST_NAMED && winners.count < names; winners.count++) {
        struct wins *most = wins;
        for (size_t i = 1; i < names; i++)
            if (wins[i].calls > most->calls)
                most = &wins[i];
        winners.way[winners.count] = most->way;
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

/* ", 119 us with n = 16" */
static void say_single(const struct decide_way *choice, char *text, size_t size)
{
    char time[32], n[32] = "";
    if (choice->n > 1)
        snprintf(n, sizeof n, " with n = %" PRId64, choice->n);
    sup_append(text, size, ", ", "%s%s", sup_format_seconds(choice->time_s, time, sizeof time), n);
}

static void say_winners(const struct decide *decision, const struct winners *winners,
                        struct out_verdict *verdict)
{
    char text[512], lead[96] = "", words[OUT_WORDS];
    size_t left = winners->all;
    const double mean = mean_lead(decision);
    const bool one = winners->all == 1;
    if (!isnan(mean))
        snprintf(lead, sizeof lead, "; the next best takes %s%s", out_longer(mean, words),
                 one ? "" : " on average");
    snprintf(text, sizeof text, "%.80s is fastest", typed(winners->way[0]));
    if (one)
        say_single(winners->first->choice, text, sizeof text);
    else if (winners->count == 1)
        sup_append(text, sizeof text, " ", "at all %zu points", winners->all);
    else
        sup_append(text, sizeof text, " ", "at %zu of %zu points", winners->calls[0], winners->all);
    left -= winners->calls[0];
    for (size_t i = 1; i < winners->count; i++) {
        left -= winners->calls[i];
        sup_append(text, sizeof text, ", ", "%.80s at %zu", typed(winners->way[i]),
                   winners->calls[i]);
    }
    if (winners->count > 1 && left > 0)
        sup_append(text, sizeof text, ", ", "others at %zu", left);
    out_verdict_say(verdict, "%s%s.", text, lead);
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

static void say_one_for_all(const struct decide *decision, const struct decide_way *winner,
                            struct out_verdict *verdict)
{
    const struct decide_call *at = decision->calls, *last = at + decision->call_count - 1;
    const struct decide_place *place = decision->places;
    bool places = false;
    struct out_worst worst = {0};
    double sum = 0, count = 0;
    char words[OUT_WORDS], m[32], all[96] = "", outlier[OUT_OUTLIER];
    for (const struct decide_call *call = decision->calls; call <= last; call++) {
        places |= place[call->place].place != place[last->place].place;
        if (call->choice == NULL || call->choice->name == winner->name)
            continue;
        const double ratio = time_of(decision, call, winner->name) / call->choice->time_s;
        if (!isfinite(ratio))
            continue;
        sum += log(ratio);
        count++;
        at = out_worst_add(&worst, ratio) ? call : at;
    }
    if (count == 0 || worst.most <= 1)
        return;
    if (count > 1)
        snprintf(all, sizeof all, " %s on average at %.0f other points, and at worst",
                 out_longer(exp(sum / count), words), count);
    out_verdict_say(
        verdict,
        "%s everywhere would take%s %s at p = %" PRId32 ", m = %s%s%s%s, where %s is fastest.",
        typed(winner), all, out_longer(worst.most, words), at->p,
        sup_format_shown(at->m_bytes, m, sizeof m), places ? " on " : "",
        places ? place[at->place].place : "", out_outlier(&worst, outlier), typed(at->choice));
}

/* ---- How sure -------------------------------------------------------------------------------- */

bool decide_is_computed(const struct decide *decision)
{
    for (size_t i = 0; i < decision->place_count; i++)
        if (strcmp(decide_how(decision->places[i].setting), "computed") == 0)
            return true;
    return false;
}

/* "simulated by flow and simgrid", "measured": how the times were found. */
static void name_engines(const struct decide *decision, char *text, size_t size)
{
    const char *one = NULL, *other = NULL, *how = "";
    bool measured = false;
    for (size_t i = 0; i < decision->place_count; i++) {
        const struct point *setting = decision->places[i].setting;
        const char *engine = setting->engine_text;
        if (decide_is_measured(setting)) {
            measured = true;
            continue;
        }
        if (one == NULL || strcmp(one, engine) == 0)
            one = engine;
        else
            other = engine;
        how = one == engine ? decide_how(setting) : how;
    }
    snprintf(text, size, "%s%s%s%s%.60s%s%.60s%s", measured ? "measured" : "",
             measured && one != NULL ? " or " : "",
             other != NULL && decide_is_computed(decision) ? "simulated or computed" : how,
             one == NULL ? "" : " by ", one == NULL ? "" : one, other == NULL ? "" : " and ",
             other == NULL ? "" : other, measured ? "" : ", not measured");
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
        say_one_for_all(decision, winners.way[0], verdict);
    say_how_sure(decision, confirmed, verdict);
}
