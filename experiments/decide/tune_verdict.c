/* decide_tune_verdict.c - the tables of a sweep or a search in three sentences. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/decide/tune.h"
#include "support/memory.h"

/* ---- Cells by name, as sweeps and searches have different columns ---------------------------- */

static const char *word(const struct decide_tune_table *table, size_t row, const char *name)
{
    const union out_cell *found = decide_tune_cell(table, row, name);
    return found == NULL ? NULL : found->word;
}

static double real(const struct decide_tune_table *table, size_t row, const char *name)
{
    const union out_cell *found = decide_tune_cell(table, row, name);
    return found == NULL ? NAN : found->real;
}

static int64_t whole(const struct decide_tune_table *table, size_t row, const char *name)
{
    const union out_cell *found = decide_tune_cell(table, row, name);
    return found == NULL ? -1 : found->whole;
}

static size_t count_word(const struct decide_tune_table *table, const char *name,
                         const char *sought)
{
    size_t count = 0;
    for (size_t row = 0; row < table->rows; row++) {
        const char *found = word(table, row, name);
        count += found != NULL && strcmp(found, sought) == 0;
    }
    return count;
}

/* ---- Which algorithms win -------------------------------------------------------------------- */

enum { MOST_NAMED = 3 };

/* The algorithms that win most points, most first; of equals the first in the table. */
struct winners {
    const char *name[MOST_NAMED];
    size_t points[MOST_NAMED], count, all; /* all: points that have a winner */
};

struct wins {
    const char *name;
    size_t points;
};

static void add_win(struct wins **wins, size_t *names, const char *name)
{
    size_t i = 0;
    while (i < *names && strcmp((*wins)[i].name, name) != 0)
        i++;
    if (i == *names) {
        sup_grow(wins, *names, sizeof **wins);
        (*wins)[(*names)++] = (struct wins){name, 0};
    }
    (*wins)[i].points++;
}

static struct winners find_winners(const struct decide_tune_table *decision)
{
    struct winners winners = {.count = 0};
    struct wins *wins = NULL;
    size_t names = 0;
    for (size_t row = 0; row < decision->rows; row++) {
        const char *name = word(decision, row, "algorithm");
        if (name != NULL) {
            winners.all++;
            add_win(&wins, &names, name);
        }
    }
    for (; winners.count < MOST_NAMED && winners.count < names; winners.count++) {
        struct wins *most = wins;
        for (size_t i = 1; i < names; i++)
            if (wins[i].points > most->points)
                most = &wins[i];
        winners.name[winners.count] = most->name;
        winners.points[winners.count] = most->points;
        most->points = 0;
    }
    free(wins);
    return winners;
}

/* The geometric mean by which the runners-up take longer; NAN: there are none. */
static double mean_lead(const struct decide_tune_table *decision)
{
    double sum = 0, count = 0;
    for (size_t row = 0; row < decision->rows; row++) {
        const double speedup = real(decision, row, "speedup");
        if (isfinite(speedup) && speedup >= 1) {
            sum += log(speedup);
            count++;
        }
    }
    return count > 0 ? exp(sum / count) : NAN;
}

static void say_winners(const struct decide_tune_table *decision, const struct winners *winners,
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
                                        whole(decision, 0, "n"))
                             : snprintf(text + used, sizeof text - used, " at all %zu points",
                                        winners->all));
    for (size_t i = 0; i < winners->count && winners->count > 1; i++) {
        left -= winners->points[i];
        used += (size_t)(i == 0 ? snprintf(text + used, sizeof text - used, " at %zu of %zu points",
                                           winners->points[i], winners->all)
                                : snprintf(text + used, sizeof text - used, ", %.80s at %zu",
                                           winners->name[i], winners->points[i]));
    }
    if (winners->count > 1 && left > 0)
        snprintf(text + used, sizeof text - used, ", others at %zu", left);
    out_verdict_say(verdict, "%s%s.", text, lead);
}

/* ---- What one algorithm for all would cost --------------------------------------------------- */

static bool same_point(const struct decide_tune_table *best, size_t i,
                       const struct decide_tune_table *decision, size_t row)
{
    return best->settings[i] == decision->settings[row] &&
           whole(best, i, "p") == whole(decision, row, "p") &&
           whole(best, i, "m_bytes") == whole(decision, row, "m_bytes");
}

/* The times of an algorithm at the points of the decisions, the best of several rules; NAN: it has
 * none. Both tables are in the same order, so that the next point is nearly always the same. */
static double *times_of(const struct decide_tune_table *best,
                        const struct decide_tune_table *decision, const char *algorithm)
{
    double *time_s = sup_malloc(decision->rows * sizeof *time_s);
    for (size_t row = 0; row < decision->rows; row++)
        time_s[row] = NAN;
    for (size_t i = 0, row = 0; i < best->rows; i++) {
        if (strcmp(word(best, i, "algorithm"), algorithm) != 0)
            continue;
        for (size_t left = decision->rows; left > 0 && !same_point(best, i, decision, row); left--)
            row = (row + 1) % decision->rows;
        if (same_point(best, i, decision, row))
            time_s[row] = fmin(time_s[row], real(best, i, "time_s"));
    }
    return time_s;
}

static void say_one_for_all(const struct decide_tune_result *tuning, const struct winners *winners,
                            struct out_verdict *verdict)
{
    const struct decide_tune_table *decision = &tuning->tables[DECIDE_TUNE_DECISION];
    const bool platforms = decision->settings[0] != decision->settings[decision->rows - 1];
    struct out_worst worst = {0};
    double sum = 0, count = 0;
    size_t at = 0;
    char words[OUT_WORDS], m[32], all[96] = "", outlier[OUT_OUTLIER];
    double *time_s = times_of(&tuning->tables[DECIDE_TUNE_BEST], decision, winners->name[0]);
    for (size_t row = 0; row < decision->rows; row++) {
        const double ratio = time_s[row] / real(decision, row, "time_s");
        if (!isfinite(ratio) || strcmp(word(decision, row, "algorithm"), winners->name[0]) == 0)
            continue;
        sum += log(ratio);
        count++;
        at = out_worst_add(&worst, ratio) ? row : at;
    }
    free(time_s);
    if (count == 0 || worst.most <= 1)
        return;
    if (count > 1)
        snprintf(all, sizeof all, " %s on average at the other %.0f, most",
                 out_longer(exp(sum / count), words), count);
    out_verdict_say(
        verdict,
        "%s everywhere would take%s %s at p = %" PRId64 ", m = %s%s%s%s, where %s is fastest.",
        winners->name[0], all, out_longer(worst.most, words), whole(decision, at, "p"),
        sup_format_shown(whole(decision, at, "m_bytes"), m, sizeof m), platforms ? " on " : "",
        platforms ? tuning->data.settings[decision->settings[at]].platform_text : "",
        out_outlier(&worst, outlier), word(decision, at, "algorithm"));
}

/* ---- How sure -------------------------------------------------------------------------------- */

/* "simulated by flow and simgrid", "measured": how the times were found. */
static void name_engines(const struct decide_curves *data, char *text, size_t size)
{
    const char *one = NULL, *other = NULL;
    bool measured = false, computed = false;
    for (size_t i = 0; i < data->setting_count; i++) {
        const char *engine = data->settings[i].engine_text;
        computed |= strcmp(decide_how(&data->settings[i]), "computed") == 0;
        if (decide_is_measured(&data->settings[i]))
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

static void say_how_sure(const struct decide_tune_result *tuning, struct out_verdict *verdict)
{
    const struct decide_tune_table *decision = &tuning->tables[DECIDE_TUNE_DECISION];
    const size_t ties = count_word(decision, "tie", "tie");
    const size_t confirmed = count_word(decision, "confirmed", "yes");
    char engines[192], more[160] = "";
    name_engines(&tuning->data, engines, sizeof engines);
    if (ties > 0)
        snprintf(more, sizeof more, "; %zu of these choices %s within the spread of the copies",
                 ties, ties == 1 ? "is" : "are");
    else if (confirmed > 0)
        snprintf(more, sizeof more, "; simgrid confirms %zu of %zu", confirmed, decision->rows);
    out_verdict_say(verdict, "All times are %s%s.", engines, more);
}

void decide_tune_verdict(const struct decide_tune_result *tuning, struct out_verdict *verdict)
{
    const struct decide_tune_table *decision = &tuning->tables[DECIDE_TUNE_DECISION];
    const struct winners winners = find_winners(decision);
    if (winners.count == 0)
        return;
    say_winners(decision, &winners, verdict);
    if (winners.count > 1)
        say_one_for_all(tuning, &winners, verdict);
    say_how_sure(tuning, verdict);
}
