/* search_table.c - see search_table.h. */
#include "experiments/search/search_table.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/search/search_steps.h"
#include "support/memory.h"
#include "support/options/options.h"
#include "support/units.h"

static const struct out_column best_columns[] = {
    {"algorithm", "algorithm", .kind = OUT_WORD},
    {"p", "p", .kind = OUT_COUNT},
    {"m_bytes", "m", .kind = OUT_BYTES},
    {"rule", "progress", .kind = OUT_WORD},
    {"n", "best n", .kind = OUT_COUNT},
    {"time_s", "time", .kind = OUT_SECONDS},
    {"closed_n", "formula's n", .kind = OUT_COUNT, .less = 2},
    {"closed_regret", "its regret", .kind = OUT_SHARE, .less = 2},
    {"most_n", "of n up to", .kind = OUT_COUNT, .less = 6},
    {"tried", "tried", .kind = OUT_COUNT, .less = 6},
    {"proof", "others excluded by", .kind = OUT_WORD, .less = 7},
    {"ripple", "ripple", .kind = OUT_SHARE, .less = 5},
    /* On a named platform only: */
    {"model_n", "model's n", .kind = OUT_COUNT, .less = 3},
    {"model_s", "without contention", .kind = OUT_SECONDS, .less = 3},
    {"simulated", "simulated", .kind = OUT_WORD, .less = 4},
    {"simulated_n", "n simulated", .kind = OUT_COUNT, .less = 4},
};
enum { OF_NAMED = 4 };

static const struct out_column decision_columns[] = {
    {"p", "p", .kind = OUT_COUNT},
    {"m_bytes", "m", .kind = OUT_BYTES},
    {"algorithm", "take", .kind = OUT_WORD},
    {"rule", "progress", .kind = OUT_WORD},
    {"n", "with n", .kind = OUT_COUNT},
    {"time_s", "time", .kind = OUT_SECONDS},
    {"closed_n", "formula's n", .kind = OUT_COUNT, .less = 7},
    {"closed_regret", "its regret", .kind = OUT_SHARE, .less = 7},
    {"runner_up", "runner-up", .kind = OUT_WORD, .less = 2},
    {"runner_up_n", "with n", .kind = OUT_COUNT, .less = 3},
    {"runner_up_s", "time", .kind = OUT_SECONDS, .less = 3},
    {"speedup", "speed-up", .kind = OUT_RATIO, .less = 1},
    {"tried", "tried", .kind = OUT_COUNT, .less = 9},
    {"confirmed", "confirmed", .kind = OUT_WORD, .less = 4},
    {"confirmed_s", "time", .kind = OUT_SECONDS, .less = 4},
    {"difference", "difference", .kind = OUT_SHARE, .less = 4},
    {"fastest", "fastest", .kind = OUT_WORD, .less = 6},
    {"fastest_n", "with n", .kind = OUT_COUNT, .less = 6},
    {"fastest_s", "time", .kind = OUT_SECONDS, .less = 6},
    /* On a named platform only: */
    {"contention", "contention", .kind = OUT_SHARE, .less = 5},
    {"simulations", "simulations", .kind = OUT_COUNT, .less = 9},
    {"time_low_s", "from", .kind = OUT_SECONDS, .less = 8},
    {"time_high_s", "to", .kind = OUT_SECONDS},
    {"tie", "tie", .kind = OUT_WORD},
};
enum { OF_NAMED_DECISION = 5 };

static const struct decide_tune_table empty_tables[DECIDE_TUNE_TABLES] = {
    [DECIDE_TUNE_BEST] = {.name = "best",
                          .title = "Best n of each algorithm",
                          .columns = best_columns,
                          .width = OUT_COUNT_OF(best_columns) - OF_NAMED},
    [DECIDE_TUNE_FIT] = {.name = "fit"},
    [DECIDE_TUNE_REGRET] = {.name = "regret"},
    [DECIDE_TUNE_DECISION] = {.name = "decision",
                              .title = "Which algorithm and n to take",
                              .columns = decision_columns,
                              .width = OUT_COUNT_OF(decision_columns) - OF_NAMED_DECISION},
};

/* ---- Settings -------------------------------------------------------------------------------- */

/* One for each rule, and the last for all of them, when there are several. */
static void make_settings(const struct search_request *request, const struct search_grid *search,
                          const char *engine, const struct point_known_platform *platform,
                          struct decide_curves *data)
{
    const struct point *common = &request->common;
    const size_t rules = request->overlap_count;
    size_t length = 1;
    for (size_t i = 0; i < rules; i++)
        length += strlen(request->overlap[i].text) + 1;
    data->settings = sup_calloc(rules + 1, sizeof *data->settings);
    data->words = sup_calloc(search->curve_count + 1, sizeof *data->words);
    char *all = sup_calloc(1, length);
    data->words[data->word_count++] = all;
    for (size_t i = 0; i <= rules && !(i == rules && rules == 1); i++) {
        struct point *setting = &data->settings[data->setting_count++];
        *setting = *common;
        point_set_platform(setting, platform);
        point_resolve(setting);
        setting->engine_text = engine;
        setting->jitter = request->copies;
        setting->overlap = i < rules ? request->overlap[i].text : all;
        if (i < rules)
            strcat(strcat(all, i == 0 ? "" : ","), request->overlap[i].text);
    }
    data->versions = cli_program_version;
}

/* ---- Tables ---------------------------------------------------------------------------------- */

/* 0 / 0 where there is nothing to send. */
static double regret(double time_s, double best_s)
{
    return time_s == best_s ? 0 : time_s / best_s - 1;
}

/* Engines agree to 1e-9; smaller differences do not count. */
static double difference(double time_s, double best_s)
{
    const double share = regret(time_s, best_s);
    return fabs(share) <= 1e-9 ? 0 : share;
}

static bool has_time(const struct decide_sample *sample)
{
    return isfinite(sample->time_s);
}

/* The runs that have a time. */
static int64_t times_of(const struct search_named_runs *named)
{
    int64_t count = 0;
    for (size_t i = 0; i < named->count; i++)
        count += has_time(&named->runs[i]);
    return count;
}

/* The regret of the closed form's n is known only if the model knows the platform. */
static void add_best(const struct search_request *request, const struct search_curve *curve,
                     struct decide_tune_result *tuning)
{
    const bool named = search_is_named(request);
    const struct search_found *found = &curve->found;
    const struct decide_sample best = search_best(request, curve);
    const union out_cell cells[] = {
        {.word = curve->name},
        {.whole = curve->point.plan.p},
        {.whole = curve->point.m_bytes},
        {.word = curve->point.overlap},
        {.whole = has_time(&best) ? best.n : -1},
        {.real = best.time_s},
        {.whole = decide_tune_whole_or_none(found->closed_n)},
        {.real = named ? NAN : regret(found->closed_s, found->time_s)},
        {.whole = found->most_n},
        {.whole = found->tried},
        {.word = search_proof_names[found->proof]},
        {.real = found->ripple},
        {.whole = found->n},
        {.real = found->time_s},
        {.word = search_state_names[curve->named.state]},
        {.whole = times_of(&curve->named)},
    };
    static_assert(OUT_COUNT_OF(cells) == OUT_COUNT_OF(best_columns), "a cell for each column");
    decide_tune_table_add(&tuning->tables[DECIDE_TUNE_BEST], tuning->data.setting_count - 1, cells);
}

/* The confirming engine's runs; NULL: none. */
static const struct search_run *run_of(const struct search_grid *search,
                                       const struct search_case *a_case, size_t run)
{
    const bool ran = a_case->verdict == SEARCH_CONFIRMED || a_case->verdict == SEARCH_OTHER_N ||
                     a_case->verdict == SEARCH_OTHER_CHOICE || a_case->verdict == SEARCH_PARTLY;
    return ran && a_case->run_count > 0 ? &search->runs[run] : NULL;
}

/* Times on the named platform, of all curves of the case. */
static int64_t simulations_in(const struct search_grid *search, const struct search_case *a_case)
{
    int64_t simulations = 0;
    for (size_t i = 0; i < a_case->count; i++)
        simulations += times_of(&search->curves[a_case->first + i].named);
    return simulations;
}

static int64_t tried_in(const struct search_grid *search, const struct search_case *a_case)
{
    int64_t tried = 0;
    for (size_t i = 0; i < a_case->count; i++)
        tried += search->curves[a_case->first + i].found.tried;
    return tried;
}

/* The last columns of a decision. */
struct confirmed {
    double time_s, difference;    /* time of the recommendation; NAN: not known */
    struct decide_sample fastest; /* time_s NAN: none */
    const char *fastest_algorithm;
};

static struct confirmed confirmed_of(const struct search_request *request,
                                     const struct search_grid *search,
                                     const struct search_case *a_case)
{
    const struct search_curve *winner = a_case->winner;
    const struct search_run *run = run_of(search, a_case, a_case->first_run);
    const struct search_run *fastest = run_of(search, a_case, a_case->fastest_run);
    if (winner == NULL || run == NULL)
        return (struct confirmed){NAN, NAN, {-1, NAN}, NULL};
    return (struct confirmed){run->time_s,
                              difference(run->time_s, search_best(request, winner).time_s),
                              {fastest->point.plan.n, fastest->time_s},
                              search->curves[fastest->curve].name};
}

static void add_decision(const struct search_request *request, const struct search_grid *search,
                         const struct search_case *a_case, struct decide_tune_result *tuning)
{
    static const struct decide_sample none = {-1, NAN};
    const bool named = search_is_named(request);
    const struct search_curve *winner = a_case->winner, *rival = a_case->runner_up;
    const struct point *point = &search->curves[a_case->first].point;
    const struct decide_sample best = winner == NULL ? none : search_best(request, winner);
    const struct decide_sample second = rival == NULL ? none : search_best(request, rival);
    const struct confirmed confirmed = confirmed_of(request, search, a_case);
    const union out_cell cells[] = {
        {.whole = point->plan.p},
        {.whole = point->m_bytes},
        {.word = winner == NULL ? NULL : winner->name},
        {.word = winner == NULL ? NULL : winner->point.overlap},
        {.whole = best.n},
        {.real = best.time_s},
        {.whole = winner == NULL ? -1 : decide_tune_whole_or_none(winner->found.closed_n)},
        {.real = named ? NAN : regret(winner->found.closed_s, best.time_s)},
        {.word = rival == NULL ? NULL : rival->name},
        {.whole = second.n},
        {.real = second.time_s},
        {.real = rival == NULL ? NAN : regret(second.time_s, best.time_s) + 1},
        {.whole = tried_in(search, a_case)},
        {.word = search_verdict_names[a_case->verdict]},
        {.real = confirmed.time_s},
        {.real = confirmed.difference},
        {.word = confirmed.fastest_algorithm},
        {.whole = confirmed.fastest.n},
        {.real = confirmed.fastest.time_s},
        {.real = winner == NULL ? NAN : difference(best.time_s, winner->found.time_s)},
        {.whole = simulations_in(search, a_case)},
        {.real = winner == NULL || winner->spread.copies == 0 ? NAN : winner->spread.low_s},
        {.real = winner == NULL || winner->spread.copies == 0 ? NAN : winner->spread.high_s},
        {.word = search_tie(search, a_case)},
    };
    static_assert(OUT_COUNT_OF(cells) == OUT_COUNT_OF(decision_columns), "a cell for each column");
    decide_tune_table_add(&tuning->tables[DECIDE_TUNE_DECISION], tuning->data.setting_count - 1,
                          cells);
}

/* ---- Notes ----------------------------------------------------------------------------------- */

static void note_proofs(const struct search_grid *search, struct decide_tune_result *tuning)
{
    static const char *const what[SEARCH_PROOFS] = {
        [SEARCH_BY_GROWTH] = "curves whose best n is so if more blocks of the same size never take "
                             "less time, as they didn't among the n tried",
        [SEARCH_BY_ANALOGY] =
            "curves whose best n is so by analogy with equal shares and messages of alpha + beta "
            "b, among n up to the first that takes three times as long",
        [SEARCH_BY_DESCENT] = "curves whose best n is faster than those a sixteenth of it away, "
                              "which is all that is known, because simulations are long",
        [SEARCH_BY_NOTHING] = "curves on which more blocks took less time, so that a better n may "
                              "be far from the best one found"};
    int64_t count[SEARCH_PROOFS] = {0}, rippled = 0;
    double worst = 0;
    for (size_t i = 0; i < search->curve_count; i++) {
        count[search->curves[i].found.proof]++;
        rippled += search->curves[i].found.ripple > 0;
        worst = fmax(worst, search->curves[i].found.ripple);
    }
    for (int i = 0; i < SEARCH_PROOFS; i++)
        if (what[i] != NULL && count[i] > 0)
            decide_tune_note(tuning, "%s: %" PRId64, what[i], count[i]);
    if (rippled == 0)
        decide_tune_note(tuning, "time is unimodal in n among those tried");
    else
        decide_tune_note(tuning,
                         "time is not unimodal in n on %" PRId64
                         " of %zu curves: ripples of up to %.2g %%",
                         rippled, search->curve_count, 100 * worst);
}

static void note_confirm(const struct search_request *request, const struct search_grid *search,
                         struct decide_tune_result *tuning)
{
    int64_t too_large = 0, left_out = 0;
    for (size_t i = 0; i < search->case_count; i++) {
        too_large += search->cases[i].verdict == SEARCH_TOO_LARGE;
        left_out += search->cases[i].verdict == SEARCH_LEFT_OUT;
    }
    if (request->confirm_engine == NULL) {
        decide_tune_note(
            tuning, "nothing is confirmed: times are those of the engine %s alone",
            (search_is_named(request) ? request->named_engine : request->common.engine)->name);
        if (request->unconfirmed != NULL)
            decide_tune_note(tuning, "the confirming engine can't simulate there: %.150s",
                             request->unconfirmed);
        return;
    }
    decide_tune_note(tuning, "confirmed by the engine %s on %.80s: %zu simulations in %.2g s",
                     request->confirm_engine->name, request->asked->text,
                     search->run_count - search->named_count, search->confirm_s);
    if (too_large > 0)
        decide_tune_note(tuning,
                         "not confirmed, because the engine %s would take more than %g s: %" PRId64
                         "; --confirm-limit allows more",
                         request->confirm_engine->name, request->confirm_most_s, too_large);
    if (left_out > 0)
        decide_tune_note(tuning,
                         "not confirmed, because the engine %s would take more than a quarter of "
                         "the search's time: %" PRId64 " of %zu; --confirm %s confirms all",
                         request->confirm_engine->name, left_out, search->case_count,
                         request->confirm_engine->name);
}

static void count_states(const struct search_grid *search, int64_t count[SEARCH_STATES])
{
    for (size_t i = 0; i < search->curve_count; i++)
        count[search->curves[i].named.state]++;
}

void search_note_left_out(const struct search_request *request, const struct search_grid *search,
                          struct decide_tune_result *tuning)
{
    int64_t count[SEARCH_STATES] = {0}, limited = 0;
    count_states(search, count);
    for (size_t i = 0; i < search->curve_count; i++)
        limited += search->curves[i].found.proof == SEARCH_BY_LIMIT;
    if (limited > 0)
        decide_tune_note(
            tuning,
            "curves whose best n may be another, because more simulations with the engine %s would "
            "take too long (%g s by estimate): %" PRId64 " of %zu; --search-limit allows more",
            request->common.engine->name, request->search_most_s, limited, search->curve_count);
    if (count[SEARCH_OVER_LIMIT] > 0)
        decide_tune_note(
            tuning,
            "not simulated, and so not recommended, because the engine %s would take more than %g "
            "s for one n: %" PRId64 " of %zu curves; --search-limit allows more",
            request->named_engine->name, request->search_most_s / SEARCH_PARTS,
            count[SEARCH_OVER_LIMIT], search->curve_count);

    if (search->groupings.ungrouped > 0)
        decide_tune_note(tuning,
                         "groups left out, because their ranks don't follow one another: %" PRId64
                         " (%.150s)",
                         search->groupings.ungrouped, search->groupings.why.text);
    if (search->failure.text[0] != '\0')
        decide_tune_note(tuning, "a simulation failed: %.150s", search->failure.text);
}

/* The times are not of the platform that was searched on. */
static void note_named(const struct search_request *request, const struct search_grid *search,
                       struct decide_tune_result *tuning)
{
    int64_t count[SEARCH_STATES] = {0};
    count_states(search, count);
    decide_tune_note(
        tuning,
        "times are those of the engine %s on %.80s: %zu simulations in %.2g s; best n is the "
        "fastest of those simulated",
        request->named_engine->name, request->asked->text, search->named_count, search->named_s);
    decide_tune_note(
        tuning,
        "the first n simulated is the best one on a crossbar with the latency and bandwidth "
        "between the first two hosts; then half and twice n, and an eighth less and more");
    int64_t ties = 0;
    for (size_t i = 0; i < search->case_count; i++) {
        const char *tie = search_tie(search, &search->cases[i]);
        ties += tie != NULL && strcmp(tie, "tie") == 0;
    }
    if (ties > 0)
        decide_tune_note(
            tuning,
            "ties, where the times of the copies of two algorithms overlap, so that the one "
            "with the lower median is named, but not as the faster one: %" PRId64,
            ties);
    if (count[SEARCH_EXCLUDED] > 0)
        decide_tune_note(
            tuning,
            "excluded, because even without contention%s they take longer than another algorithm "
            "on the platform: %" PRId64 " of %zu curves",
            request->least_share < 1 ? ", and if all hosts were as near as the nearest," : "",
            count[SEARCH_EXCLUDED], search->curve_count);
}

static void add_notes(const struct search_request *request, const struct search_grid *search,
                      struct decide_tune_result *tuning)
{
    int64_t tried = 0;
    for (size_t i = 0; i < search->curve_count; i++)
        tried += search->curves[i].found.tried;
    if (search_is_named(request))
        note_named(request, search, tuning);
    decide_tune_note(tuning,
                     "searched with the engine %s on %s: %" PRId64 " simulation%s in %.2g s",
                     request->common.engine->name, request->common.platform->text, tried,
                     sup_plural(tried), search->search_s);
    if (search->left_out > 0)
        decide_tune_note(tuning,
                         "pairs of algorithm and p left out, because there is no plan: %" PRId64
                         " (%.110s)",
                         search->left_out, search->why.text);
    if (!search_is_named(request))
        note_proofs(search, tuning);
    note_confirm(request, search, tuning);
    search_note_left_out(request, search, tuning);
}

void search_tables(const struct search_request *request, const struct search_grid *search,
                   struct decide_tune_result *tuning)
{
    *tuning = (struct decide_tune_result){0};
    memcpy(tuning->tables, empty_tables, sizeof empty_tables);
    if (search_is_named(request)) {
        tuning->tables[DECIDE_TUNE_BEST].width = OUT_COUNT_OF(best_columns);
        tuning->tables[DECIDE_TUNE_DECISION].width = OUT_COUNT_OF(decision_columns);
    }
    if (search_is_named(request))
        make_settings(request, search, request->named_engine->name, request->asked, &tuning->data);
    else
        make_settings(request, search, request->common.engine_text, request->common.platform,
                      &tuning->data);
    for (size_t i = 0; i < search->curve_count; i++)
        add_best(request, &search->curves[i], tuning);
    for (size_t i = 0; i < search->case_count; i++)
        add_decision(request, search, &search->cases[i], tuning);
    add_notes(request, search, tuning);
}

/* ---- Curves ---------------------------------------------------------------------------------- */

static size_t setting_of(const struct search_request *request, const struct point *point)
{
    size_t i = 0;
    while (request->overlap[i].text != point->overlap)
        i++;
    return i;
}

static int by_n(const void *a, const void *b)
{
    const struct decide_sample *left = a, *right = b;
    return (left->n > right->n) - (left->n < right->n);
}

/* "bruck:r=4", without groups, the same pointer for the same name. The words have room. */
static const char *name_of(const struct search_curve *curve, struct decide_curves *data)
{
    struct rb_plan_spec plan = curve->point.plan;
    char name[80];
    if (plan.radix == 0)
        return plan.algorithm;
    plan.groups = NULL;
    point_curve_name(&plan, name, sizeof name);
    for (size_t i = 0; i < data->word_count; i++)
        if (strcmp(data->words[i], name) == 0)
            return data->words[i];
    return data->words[data->word_count++] = sup_strdup(name);
}

/* The samples follow those of the preceding curve. */
static void add_curve(const struct search_request *request, const struct search_curve *from,
                      size_t samples, struct decide_curves *data)
{
    struct decide_sample *first = data->samples + data->sample_count - samples;
    struct decide_curve *curve = &data->curves[data->curve_count++];
    const bool named = search_is_named(request);
    qsort(first, samples, sizeof *first, by_n);
    *curve = (struct decide_curve){
        .setting = setting_of(request, &from->point),
        .p = from->point.plan.p,
        .m_bytes = from->point.m_bytes,
        .algorithm = name_of(from, data),
        .plan_algorithm = from->point.plan.algorithm,
        .radix = from->point.plan.radix,
        .groups = from->point.plan.groups == NULL ? "" : from->point.plan.groups,
        .bound_s = NAN,
        .low_s = from->spread.copies > 0 ? from->spread.low_s : NAN,
        .high_s = from->spread.copies > 0 ? from->spread.high_s : NAN,
        .info = from->point.algorithm,
        .samples = first,
        .count = samples,
        .best = first,
        .alpha_s = from->point.platform->alpha_s,
        .beta_s_per_byte = from->point.platform->beta_s_per_byte,
        .closed_n = named ? 0 : from->found.closed_n,
        .closed_s = named ? NAN : from->found.closed_s};
    for (size_t i = 1; i < samples; i++)
        if (search_is_better(&first[i], curve->best))
            curve->best = &first[i];
}

/* Libraries have algorithms that they do not pipeline: adds the time with one block to the last
 * samples of a curve, if it is wanted and not among them. A run that fails adds none. */
static void add_one_block(const struct search_request *request, const struct search_curve *curve,
                          size_t *samples, struct decide_curves *data)
{
    const bool named = search_is_named(request);
    struct point point = curve->point;
    struct point_outcome outcome;
    if (!request->one_block)
        return;
    for (size_t i = 0; i < *samples; i++)
        if (data->samples[data->sample_count - 1 - i].n == 1)
            return;
    point.plan.n = 1;
    if (named) {
        point.engine = request->named_engine;
        point.engine_text = request->named_engine->name;
        point_set_platform(&point, request->asked);
    }
    point_run(&point, NULL, &outcome);
    if (!outcome.done)
        return;
    data->samples[data->sample_count++] = (struct decide_sample){1, outcome.time_s};
    ++*samples;
}

static void add_searched(const struct search_request *request, const struct search_grid *search,
                         const struct search_case *a_case, struct decide_curves *data)
{
    for (size_t i = 0; i < a_case->count; i++) {
        const struct search_curve *curve = &search->curves[a_case->first + i];
        size_t samples = curve->found.count;
        memcpy(data->samples + data->sample_count, curve->found.samples,
               samples * sizeof *data->samples);
        data->sample_count += samples;
        add_one_block(request, curve, &samples, data);
        add_curve(request, curve, samples, data);
    }
}

/* Only algorithms that were simulated there. */
static void add_named(const struct search_request *request, const struct search_grid *search,
                      const struct search_case *a_case, struct decide_curves *data)
{
    for (size_t i = 0; i < a_case->count; i++) {
        const struct search_curve *curve = &search->curves[a_case->first + i];
        size_t samples = 0;
        for (size_t k = 0; k < curve->named.count; k++)
            if (has_time(&curve->named.runs[k])) {
                data->samples[data->sample_count++] = curve->named.runs[k];
                samples++;
            }
        if (samples > 0) {
            add_one_block(request, curve, &samples, data);
            add_curve(request, curve, samples, data);
        }
    }
}

/* The runs of one curve are adjacent. */
static void add_confirmed(const struct search_request *request, const struct search_grid *search,
                          const struct search_case *a_case, struct decide_curves *data)
{
    const struct search_run *run = search->runs + a_case->first_run;
    const struct search_run *end = run + a_case->run_count;
    while (run < end) {
        const size_t curve = run->curve;
        size_t samples = 0;
        for (; run < end && run->curve == curve; run++, samples++)
            data->samples[data->sample_count++] =
                (struct decide_sample){run->point.plan.n, run->time_s};
        add_curve(request, &search->curves[curve], samples, data);
    }
}

/* "circulant 3.4 ms (n = 16, of 5 n)" */
static void describe_runs(const struct search_curve *curve, FILE *stream)
{
    char time[32];
    fprintf(stream, "%s %s (", curve->name,
            sup_format_seconds(curve->named.best.time_s, time, sizeof time));
    if (curve->point.algorithm->pipelined)
        fprintf(stream, "n = %" PRId64 ", the best of %" PRId64 ", ", curve->named.best.n,
                times_of(&curve->named));
    fprintf(stream, "%s)", curve->point.overlap);
}

static void describe_state(const struct search_grid *search, const struct search_case *a_case,
                           enum search_state state, const char *before, FILE *stream)
{
    for (size_t i = 0; i < a_case->count; i++) {
        const struct search_curve *curve = &search->curves[a_case->first + i];
        if (curve->named.state != state)
            continue;
        fputs(before, stream);
        before = ", ";
        if (state == SEARCH_SIMULATED)
            describe_runs(curve, stream);
        else
            fputs(curve->name, stream);
    }
}

static void describe_confirmed(const struct search_request *request,
                               const struct search_grid *search, const struct search_case *a_case,
                               FILE *stream)
{
    for (size_t i = 0; i < a_case->run_count; i++) {
        const struct search_run *run = &search->runs[a_case->first_run + i];
        char time[32];
        if (i == 0)
            fprintf(stream, "; by the engine %s: ", request->confirm_engine->name);
        fprintf(stream, "%s%s %s (n = %" PRId64 ")", i == 0 ? "" : ", ",
                search->curves[run->curve].name,
                has_time(&(struct decide_sample){0, run->time_s})
                    ? sup_format_seconds(run->time_s, time, sizeof time)
                    : "no time",
                run->point.plan.n);
    }
}

char *search_describe(const struct search_request *request, const struct search_grid *search)
{
    char *text;
    size_t size;
    FILE *stream = sup_memory_open(&text, &size);
    for (size_t i = 0; i < search->case_count && search_is_named(request); i++) {
        const struct search_case *a_case = &search->cases[i];
        const struct point *point = &search->curves[a_case->first].point;
        char bytes[32];
        fprintf(stream, "# Simulated on %s for p = %" PRId32 ", m = %s, by the engine %s: ",
                request->asked->text, point->plan.p,
                sup_format_shown(point->m_bytes, bytes, sizeof bytes), request->named_engine->name);
        describe_state(search, a_case, SEARCH_SIMULATED, "", stream);
        describe_confirmed(request, search, a_case, stream);
        describe_state(search, a_case, SEARCH_EXCLUDED,
                       "; slower even without contention: ", stream);
        describe_state(search, a_case, SEARCH_OVER_LIMIT, "; too long to simulate: ", stream);
        describe_state(search, a_case, SEARCH_NOT_DONE, "; failed: ", stream);
        fputs(".\n", stream);
    }
    sup_memory_close(stream, &text);
    return text;
}

static int refuse_case(const struct search_request *request, const struct search_grid *search,
                       const struct search_case *a_case, const char *what, const char *cure,
                       struct sup_error *error)
{
    const struct point *point = &search->curves[a_case->first].point;
    char bytes[32];
    return sup_fail(error, RB_EINVAL, "--format %s: p = %" PRId32 ", m = %s is not %s (%s): %s",
                    request->rules, point->plan.p,
                    sup_format_shown(point->m_bytes, bytes, sizeof bytes), what,
                    search_verdict_names[a_case->verdict], cure);
}

/* Each winner must have been run. */
static int check_confirmed(const struct search_request *request, const struct search_grid *search,
                           struct sup_error *error)
{
    for (size_t i = 0; i < search->case_count; i++) {
        const struct search_case *a_case = &search->cases[i];
        if (search_is_named(request) && a_case->winner == NULL)
            return refuse_case(request, search, a_case, "simulated on the platform",
                               "raise --search-limit", error);
        if (!search_is_named(request) && request->confirm_engine != NULL &&
            run_of(search, a_case, a_case->first_run) == NULL)
            return refuse_case(request, search, a_case, "confirmed",
                               "raise --confirm-limit, or --confirm none", error);
    }
    return RB_OK;
}

int search_tune_curves(const struct search_request *request, const struct search_grid *search,
                       struct decide_curves *data, struct sup_error *error)
{
    const bool confirmed = request->confirm_engine != NULL;
    const struct sim_engine *engine = search_is_named(request) ? request->named_engine
                                      : confirmed              ? request->confirm_engine
                                                               : request->common.engine;
    *data = (struct decide_curves){0};
    int status = check_confirmed(request, search, error);
    if (status != RB_OK)
        return status;
    make_settings(request, search, engine->name, request->asked, data);
    data->curves = sup_calloc(search->curve_count + 1, sizeof *data->curves);
    data->samples =
        sup_calloc(search->curve_count * (size_t)(SEARCH_NAMED_RUNS + 1) + search->run_count + 1,
                   sizeof *data->samples);
    for (size_t i = 0; i < search->case_count; i++)
        (search_is_named(request) ? add_named
         : confirmed              ? add_confirmed
                                  : add_searched)(request, search, &search->cases[i], data);
    return RB_OK;
}
