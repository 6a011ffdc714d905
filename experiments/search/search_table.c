/* search_table.c - a search as a decision: its tables and notes, and curves for files of rules. */
#include "experiments/search/search_grid.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/decide/tune.h"
#include "experiments/search/search_steps.h"
#include "support/memory.h"
#include "support/options/options.h"
#include "support/units.h"

/* ---- The tables' own columns ----------------------------------------------------------------- */

/* What a decision shows of a curve, and of a case. */
struct shown_curve {
    const char *rule, *proof, *simulated;
    int64_t closed_n, most_n, tried, model_n, simulated_n;
    double closed_regret, ripple, model_s;
};

struct shown_case {
    const struct search_case *is;
    int64_t tried, simulations;
    const char *confirmed, *fastest; /* by the confirming engine; NULL: none, and times NAN */
    double confirmed_s, difference;  /* time of the choice */
    int64_t fastest_n;
    double fastest_s, contention;
};

/* One for each curve; a case is with its first. */
struct shown {
    struct shown_curve curve;
    struct shown_case a_case;
};

#define WAY(member)    OUT_OF_BASE(DECIDE_ITSELF, struct decide_way, member)
#define CURVE(member)  OUT_OF_BASE(DECIDE_ITSELF_MORE, struct shown_curve, member)
#define CHOICE(member) OUT_OF_BASE(DECIDE_CHOICE_MORE, struct shown_curve, member)
#define CASE(member)   OUT_OF_BASE(DECIDE_CALL_MORE, struct shown_case, member)

static const struct out_column best_columns[] = {
    {"algorithm", "algorithm", OUT_WORD, WAY(name)},
    {"rule", "progress", OUT_WORD, CURVE(rule)},
    {"blocks", "best n", OUT_COUNT, WAY(n), .positive = true},
    {"time_s", "time", OUT_SECONDS, WAY(time_s)},
    {"closed_n", "formula's n", OUT_COUNT, CURVE(closed_n), .positive = true},
    {"closed_regret", "its regret", OUT_SHARE, CURVE(closed_regret)},
    {"most_n", "of n up to", OUT_COUNT, CURVE(most_n)},
    {"tried", "tried", OUT_COUNT, CURVE(tried)},
    {"proof", "others excluded by", OUT_WORD, CURVE(proof)},
    {"ripple", "ripple", OUT_SHARE, CURVE(ripple)},
    {"model_n", "model's n", OUT_COUNT, CURVE(model_n)},
    {"model_s", "without contention", OUT_SECONDS, CURVE(model_s)},
    {"simulated", "simulated", OUT_WORD, CURVE(simulated)},
    {"simulated_n", "n simulated", OUT_COUNT, CURVE(simulated_n)},
};

static const struct out_column decision_columns[] = {
    {"rule", "progress", OUT_WORD, CHOICE(rule)},
    {"closed_n", "formula's n", OUT_COUNT, CHOICE(closed_n), .positive = true},
    {"closed_regret", "its regret", OUT_SHARE, CHOICE(closed_regret)},
    {"tried", "tried", OUT_COUNT, CASE(tried)},
    {"confirmed", "confirmed", OUT_WORD, CASE(confirmed)},
    {"confirmed_s", "time", OUT_SECONDS, CASE(confirmed_s)},
    {"difference", "difference", OUT_SHARE, CASE(difference)},
    {"fastest", "fastest", OUT_WORD, CASE(fastest)},
    {"fastest_blocks", "blocks", OUT_COUNT, CASE(fastest_n), .positive = true},
    {"fastest_s", "time", OUT_SECONDS, CASE(fastest_s)},
    {"contention", "contention", OUT_SHARE, CASE(contention)},
    {"simulations", "simulations", OUT_COUNT, CASE(simulations)},
};

/* On a named platform more is shown. */
#define BEST                                                                                       \
    "algorithm p m_bytes rule blocks time_s closed_n/2 closed_regret/2 most_n/6 tried/6 proof/7 "  \
    "ripple/5"
#define BEST_NAMED BEST " model_n/3 model_s/3 simulated/4 simulated_n/4"
#define DECISION                                                                                   \
    "p m_bytes choice rule blocks time_s closed_n/7 closed_regret/7 next_best/2 "                  \
    "next_best_blocks/3 next_best_s/3 lead/1 tried/9 confirmed/4 confirmed_s/4 difference/4 "      \
    "fastest/6 fastest_blocks/6 fastest_s/6"
#define DECISION_NAMED DECISION " contention/5 simulations/9 low_s/8 high_s tie"
#define LOOKS(best, decision)                                                                      \
    {                                                                                              \
        [DECIDE_TUNE_BEST] = {"Best n of each algorithm", best, best_columns,                      \
                              OUT_COUNT_OF(best_columns)},                                         \
        [DECIDE_TUNE_FIT] = {.columns = ""}, [DECIDE_TUNE_REGRET] = {.columns = ""},               \
        [DECIDE_TUNE_DECISION] = {DECIDE_TUNE_TITLE, decision, decision_columns,                   \
                                  OUT_COUNT_OF(decision_columns)},                                 \
    }
static const struct decide_tune_look looks[DECIDE_TUNE_TABLES] = LOOKS(BEST, DECISION),
                                     named_looks[DECIDE_TUNE_TABLES] =
                                         LOOKS(BEST_NAMED, DECISION_NAMED);

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
static struct shown_curve shown_curve(const struct search_request *request,
                                      const struct search_curve *curve)
{
    const struct search_found *found = &curve->found;
    const bool named = search_is_named(request);
    return (struct shown_curve){
        .rule = curve->point.overlap,
        .proof = search_proof_names[found->proof],
        .simulated = search_state_names[curve->named.state],
        .closed_n = found->closed_n,
        .most_n = found->most_n,
        .tried = found->tried,
        .model_n = found->n,
        .simulated_n = times_of(&curve->named),
        .closed_regret = named ? NAN : regret(found->closed_s, found->time_s),
        .ripple = found->ripple,
        .model_s = found->time_s,
    };
}

/* The confirming engine's runs; NULL: none. */
static const struct search_run *run_of(const struct search_grid *search,
                                       const struct search_case *a_case, size_t run)
{
    const bool ran = a_case->verdict == SEARCH_CONFIRMED || a_case->verdict == SEARCH_OTHER_N ||
                     a_case->verdict == SEARCH_OTHER_CHOICE || a_case->verdict == SEARCH_PARTLY;
    return ran && a_case->run_count > 0 ? &search->runs[run] : NULL;
}

static struct shown_case shown_case(const struct search_request *request,
                                    const struct search_grid *search,
                                    const struct search_case *a_case)
{
    const struct search_curve *winner = a_case->winner;
    const struct search_run *run = run_of(search, a_case, a_case->first_run);
    const double best_s = winner == NULL ? NAN : search_best(request, winner).time_s;
    struct shown_case shown = {.is = a_case,
                               .confirmed = search_verdict_names[a_case->verdict],
                               .confirmed_s = NAN,
                               .difference = NAN,
                               .fastest_s = NAN,
                               .contention = NAN};
    for (size_t i = a_case->first; i < a_case->first + a_case->count; i++) {
        shown.tried += search->curves[i].found.tried;
        shown.simulations += times_of(&search->curves[i].named);
    }
    if (winner != NULL)
        shown.contention = difference(best_s, winner->found.time_s);
    if (winner != NULL && run != NULL) {
        const struct search_run *fastest = run_of(search, a_case, a_case->fastest_run);
        shown.confirmed_s = run->time_s;
        shown.difference = difference(run->time_s, best_s);
        shown.fastest = search->curves[fastest->curve].name;
        shown.fastest_n = fastest->point.plan.n;
        shown.fastest_s = fastest->time_s;
    }
    return shown;
}

static void add_way(const struct search_request *request, const struct search_curve *curve,
                    const struct shown_curve *shown, struct decide *decision)
{
    const struct decide_sample best = search_best(request, curve);
    const bool spread = curve->spread.copies > 0;
    decide_add_way(decision, &(struct decide_way){.name = curve->name,
                                                  .algorithm = curve->point.plan.algorithm,
                                                  .rival = curve->point.plan.algorithm,
                                                  .groups = curve->point.plan.groups,
                                                  .radix = curve->point.plan.radix,
                                                  .n = has_time(&best) ? best.n : 0,
                                                  .offered = true,
                                                  .source = DECIDE_SIMULATED,
                                                  .time_s = has_time(&best) ? best.time_s : NAN,
                                                  .low_s = spread ? curve->spread.low_s : NAN,
                                                  .high_s = spread ? curve->spread.high_s : NAN,
                                                  .confirmed_s = NAN,
                                                  .more = shown});
}

/* Its calls, each with the curves of a case as ways. */
static void decide(const struct search_request *request, const struct search_grid *search,
                   struct decide_tune_result *tuning)
{
    struct decide *decision = &tuning->decision;
    struct shown *shown = sup_calloc(search->curve_count + 1, sizeof *shown);
    const struct point *setting = &tuning->data.settings[tuning->data.setting_count - 1];
    tuning->more = shown;
    decision->equal = SEARCH_TIE;
    decide_add_place(decision, &(struct decide_place){.place = setting->platform_text,
                                                      .collective = setting->plan.collective,
                                                      .ppn = setting->ppn,
                                                      .setting = setting});
    for (size_t i = 0; i < search->case_count; i++) {
        const struct search_case *a_case = &search->cases[i];
        const struct point *point = &search->curves[a_case->first].point;
        struct shown_case *its = &shown[a_case->first].a_case;
        *its = shown_case(request, search, a_case);
        tuning->confirmed += a_case->verdict == SEARCH_CONFIRMED;
        decide_add_call(decision, &(struct decide_call){.run = "",
                                                        .p = point->plan.p,
                                                        .m_bytes = point->m_bytes,
                                                        .bound.time_s = NAN,
                                                        .more = its});
        for (size_t k = a_case->first; k < a_case->first + a_case->count; k++) {
            shown[k].curve = shown_curve(request, &search->curves[k]);
            add_way(request, &search->curves[k], &shown[k].curve, decision);
        }
    }
    decide_judge(decision, 0);
    for (size_t i = 0; i < decision->call_count; i++)
        decision->calls[i].tie =
            search_tie(search, ((const struct shown_case *)decision->calls[i].more)->is);
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
    const size_t ties = decide_ties(&tuning->decision);
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
    *tuning = (struct decide_tune_result){.looks = search_is_named(request) ? named_looks : looks};
    if (search_is_named(request))
        make_settings(request, search, request->named_engine->name, request->asked, &tuning->data);
    else
        make_settings(request, search, request->common.engine_text, request->common.platform,
                      &tuning->data);
    decide(request, search, tuning);
    decide_tune_tables(tuning);
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
