/* search_table.c - see search_table.h. */
#define _POSIX_C_SOURCE 200809L /* strdup */

#include "experiments/search/search_table.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/command/options.h"
#include "support/units.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct rb_table_column best_columns[] = {
    {"algorithm", "algorithm", RB_CELL_WORD},
    {"p", "p", RB_CELL_COUNT},
    {"m_bytes", "m", RB_CELL_BYTES},
    {"rule", "progress", RB_CELL_WORD},
    {"n", "best n", RB_CELL_COUNT},
    {"time_s", "time", RB_CELL_SECONDS},
    {"closed_n", "formula's n", RB_CELL_COUNT},
    {"closed_regret", "its regret", RB_CELL_SHARE},
    {"most_n", "of n up to", RB_CELL_COUNT},
    {"tried", "tried", RB_CELL_COUNT},
    {"proof", "others excluded by", RB_CELL_WORD},
    {"ripple", "ripple", RB_CELL_SHARE},
};

static const struct rb_table_column decision_columns[] = {
    {"p", "p", RB_CELL_COUNT},
    {"m_bytes", "m", RB_CELL_BYTES},
    {"algorithm", "take", RB_CELL_WORD},
    {"rule", "progress", RB_CELL_WORD},
    {"n", "with n", RB_CELL_COUNT},
    {"time_s", "time", RB_CELL_SECONDS},
    {"closed_n", "formula's n", RB_CELL_COUNT},
    {"closed_regret", "its regret", RB_CELL_SHARE},
    {"runner_up", "runner-up", RB_CELL_WORD},
    {"runner_up_n", "with n", RB_CELL_COUNT},
    {"runner_up_s", "time", RB_CELL_SECONDS},
    {"speedup", "speed-up", RB_CELL_RATIO},
    {"tried", "tried", RB_CELL_COUNT},
    {"confirmed", "confirmed", RB_CELL_WORD},
    {"confirmed_s", "time", RB_CELL_SECONDS},
    {"difference", "difference", RB_CELL_SHARE},
    {"fastest", "fastest", RB_CELL_WORD},
    {"fastest_n", "with n", RB_CELL_COUNT},
    {"fastest_s", "time", RB_CELL_SECONDS},
};

static const struct rb_table empty_tables[RB_TUNE_TABLES] = {
    [RB_TUNE_BEST] = {.name = "best",
                      .title = "Best n of each algorithm",
                      .columns = best_columns,
                      .width = COUNT(best_columns)},
    [RB_TUNE_FIT] = {.name = "fit"},
    [RB_TUNE_REGRET] = {.name = "regret"},
    [RB_TUNE_DECISION] = {.name = "decision",
                          .title = "Which algorithm and n to take",
                          .columns = decision_columns,
                          .width = COUNT(decision_columns)},
};

/* ---- Settings -------------------------------------------------------------------------------- */

/* One for each rule, and the last for all of them, when there are several. */
static int make_settings(const struct rb_search_request *request, const char *engine,
                         const struct rb_known_platform *platform, struct rb_curves *data)
{
    const struct rb_point *common = &request->common;
    const size_t rules = request->progress_count;
    size_t length = 1;
    for (size_t i = 0; i < rules; i++)
        length += strlen(request->progress[i]) + 1;
    data->settings = calloc(rules + 1, sizeof *data->settings);
    data->words = calloc(1, sizeof *data->words);
    char *all = calloc(1, length);
    if (data->settings == NULL || data->words == NULL || all == NULL) {
        free(all);
        return RB_ENOMEM;
    }
    data->words[data->word_count++] = all;
    for (size_t i = 0; i <= rules && !(i == rules && rules == 1); i++) {
        data->settings[data->setting_count++] =
            (struct rb_setting){.collective = common->collective,
                                .platform = platform->text,
                                .platform_hash = platform->hash,
                                .ppn = common->ppn,
                                .placement = common->placement,
                                .engine = engine,
                                .engine_options = common->engine_options,
                                .progress = i < rules ? request->progress[i] : all,
                                .root = common->root,
                                .ports = common->ports,
                                .element_bytes = common->element_bytes,
                                .counts = common->counts,
                                .instance = ""};
        if (i < rules)
            strcat(strcat(all, i == 0 ? "" : ","), request->progress[i]);
    }
    data->versions = rb_program_version;
    return RB_OK;
}

/* ---- Tables ---------------------------------------------------------------------------------- */

/* 0 / 0 where there is nothing to send. */
static double regret(double time_s, double best_s)
{
    return time_s == best_s ? 0 : time_s / best_s - 1;
}

/* Engines agree to 1e-9: what is less is no difference. */
static double difference(double time_s, double best_s)
{
    const double share = regret(time_s, best_s);
    return fabs(share) <= 1e-9 ? 0 : share;
}

static int64_t whole_or_none(int64_t value)
{
    return value > 0 ? value : -1;
}

static int add_best(const struct rb_search_curve *curve, struct rb_tuning *tuning)
{
    const struct rb_found *found = &curve->found;
    const union rb_cell cells[] = {
        {.word = curve->point.algorithm},
        {.whole = curve->point.p},
        {.whole = curve->point.m_bytes},
        {.word = curve->point.progress},
        {.whole = found->n},
        {.real = found->time_s},
        {.whole = whole_or_none(found->closed_n)},
        {.real = regret(found->closed_s, found->time_s)},
        {.whole = found->most_n},
        {.whole = found->tried},
        {.word = rb_search_proof_names[found->proof]},
        {.real = found->ripple},
    };
    static_assert(COUNT(cells) == COUNT(best_columns), "a cell for each column");
    return rb_table_add(&tuning->tables[RB_TUNE_BEST], tuning->data.setting_count - 1, cells);
}

/* What the judge ran; NULL: nothing. */
static const struct rb_search_run *run_of(const struct rb_search *search,
                                          const struct rb_search_case *a_case, size_t run)
{
    const bool ran = a_case->verdict == RB_CONFIRMED || a_case->verdict == RB_OTHER_N ||
                     a_case->verdict == RB_OTHER_CHOICE;
    return ran ? &search->runs[run] : NULL;
}

static int64_t tried_in(const struct rb_search *search, const struct rb_search_case *a_case)
{
    int64_t tried = 0;
    for (size_t i = 0; i < a_case->count; i++)
        tried += search->curves[a_case->first + i].found.tried;
    return tried;
}

static int add_decision(const struct rb_search *search, const struct rb_search_case *a_case,
                        struct rb_tuning *tuning)
{
    const struct rb_search_curve *winner = a_case->winner, *rival = a_case->runner_up;
    const struct rb_search_run *judged = run_of(search, a_case, a_case->first_run);
    const struct rb_search_run *fastest = run_of(search, a_case, a_case->fastest_run);
    const double time_s = winner->found.time_s;
    const union rb_cell cells[] = {
        {.whole = winner->point.p},
        {.whole = winner->point.m_bytes},
        {.word = winner->point.algorithm},
        {.word = winner->point.progress},
        {.whole = winner->found.n},
        {.real = time_s},
        {.whole = whole_or_none(winner->found.closed_n)},
        {.real = regret(winner->found.closed_s, time_s)},
        {.word = rival == NULL ? NULL : rival->point.algorithm},
        {.whole = rival == NULL ? -1 : rival->found.n},
        {.real = rival == NULL ? NAN : rival->found.time_s},
        {.real = rival == NULL ? NAN : regret(rival->found.time_s, time_s) + 1},
        {.whole = tried_in(search, a_case)},
        {.word = rb_search_verdict_names[a_case->verdict]},
        {.real = judged == NULL ? NAN : judged->time_s},
        {.real = judged == NULL ? NAN : difference(judged->time_s, time_s)},
        {.word = fastest == NULL ? NULL : fastest->point.algorithm},
        {.whole = fastest == NULL ? -1 : fastest->point.n},
        {.real = fastest == NULL ? NAN : fastest->time_s},
    };
    static_assert(COUNT(cells) == COUNT(decision_columns), "a cell for each column");
    return rb_table_add(&tuning->tables[RB_TUNE_DECISION], tuning->data.setting_count - 1, cells);
}

/* ---- Notes ----------------------------------------------------------------------------------- */

static void note(struct rb_tuning *tuning, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void note(struct rb_tuning *tuning, const char *format, ...)
{
    if (tuning->note_count == RB_TUNE_NOTES)
        return;
    va_list values;
    va_start(values, format);
    vsnprintf(tuning->notes[tuning->note_count++], sizeof tuning->notes[0], format, values);
    va_end(values);
}

static void note_proofs(const struct rb_search *search, struct rb_tuning *tuning)
{
    static const char *const what[RB_SEARCH_PROOFS] = {
        [RB_BY_GROWTH] = "curves whose best n is so if more blocks of the same size never take "
                         "less time, as they didn't among the n tried",
        [RB_BY_ANALOGY] = "curves whose best n is so by analogy with equal shares and messages of "
                          "alpha + beta b, among n up to the first that takes three times as long",
        [RB_BY_DESCENT] =
            "curves whose best n is faster than those a sixteenth of it away, which is all "
            "that is known, because simulations are long",
        [RB_BY_NOTHING] = "curves on which more blocks took less time, so that a better n may be "
                          "far from the best one found"};
    int64_t count[RB_SEARCH_PROOFS] = {0}, rippled = 0;
    double worst = 0;
    for (size_t i = 0; i < search->curve_count; i++) {
        count[search->curves[i].found.proof]++;
        rippled += search->curves[i].found.ripple > 0;
        worst = fmax(worst, search->curves[i].found.ripple);
    }
    for (int i = 0; i < RB_SEARCH_PROOFS; i++)
        if (what[i] != NULL && count[i] > 0)
            note(tuning, "%s: %" PRId64, what[i], count[i]);
    if (rippled == 0)
        note(tuning, "time is unimodal in n among those tried");
    else
        note(tuning,
             "time is not unimodal in n on %" PRId64 " of %zu curves: ripples of up to %.2g %%",
             rippled, search->curve_count, 100 * worst);
}

static void note_judge(const struct rb_search_request *request, const struct rb_search *search,
                       struct rb_tuning *tuning)
{
    int64_t too_large = 0;
    for (size_t i = 0; i < search->case_count; i++)
        too_large += search->cases[i].verdict == RB_TOO_LARGE;
    if (request->judge == NULL) {
        note(tuning, "nothing is confirmed: that is the model's word");
        return;
    }
    note(tuning, "confirmed by the engine %s on %s: %zu simulations in %.2g s",
         request->judge->name, request->judge_on->text, search->run_count, search->judge_s);
    if (too_large > 0)
        note(tuning,
             "not confirmed, because the engine %s would take more than %g s: %" PRId64
             "; --confirm-limit allows more",
             request->judge->name, request->judge_most_s, too_large);
    if (search->failure.text[0] != '\0')
        note(tuning, "a confirmation failed: %.150s", search->failure.text);
}

static void add_notes(const struct rb_search_request *request, const struct rb_search *search,
                      struct rb_tuning *tuning)
{
    int64_t tried = 0;
    for (size_t i = 0; i < search->curve_count; i++)
        tried += search->curves[i].found.tried;
    note(tuning, "searched with the engine %s on %s: %" PRId64 " simulations in %.2g s",
         request->common.engine->name, request->common.platform->text, tried, search->search_s);
    if (request->judge_on != request->common.platform)
        note(tuning,
             "%.80s is not a crossbar: searched on one with the latency and bandwidth between its "
             "first two hosts",
             request->judge_on->text);
    if (search->left_out > 0)
        note(tuning,
             "pairs of algorithm and p left out, because there is no plan: %" PRId64 " (%.110s)",
             search->left_out, search->why.text);
    note_proofs(search, tuning);
    note_judge(request, search, tuning);
}

int rb_search_tables(const struct rb_search_request *request, const struct rb_search *search,
                     struct rb_tuning *tuning, struct rb_error *error)
{
    *tuning = (struct rb_tuning){0};
    memcpy(tuning->tables, empty_tables, sizeof empty_tables);
    int status = make_settings(request, request->common.engine_text, request->common.platform,
                               &tuning->data);
    for (size_t i = 0; i < search->curve_count && status == RB_OK; i++)
        status = add_best(&search->curves[i], tuning);
    for (size_t i = 0; i < search->case_count && status == RB_OK; i++)
        status = add_decision(search, &search->cases[i], tuning);
    add_notes(request, search, tuning);
    return status == RB_OK ? RB_OK : rb_fail(error, status, "out of memory");
}

/* ---- Curves ---------------------------------------------------------------------------------- */

static size_t setting_of(const struct rb_search_request *request, const struct rb_point *point)
{
    size_t i = 0;
    while (request->progress[i] != point->progress)
        i++;
    return i;
}

static int by_n(const void *a, const void *b)
{
    const struct rb_sample *left = a, *right = b;
    return (left->n > right->n) - (left->n < right->n);
}

/* The samples lie behind those of the curve before. */
static void add_curve(const struct rb_search_request *request, const struct rb_search_curve *from,
                      size_t samples, struct rb_curves *data)
{
    struct rb_sample *first = data->samples + data->sample_count - samples;
    struct rb_curve *curve = &data->curves[data->curve_count++];
    qsort(first, samples, sizeof *first, by_n);
    *curve = (struct rb_curve){.setting = setting_of(request, &from->point),
                               .p = from->point.p,
                               .m_bytes = from->point.m_bytes,
                               .algorithm = from->point.algorithm,
                               .samples = first,
                               .count = samples,
                               .best = first,
                               .alpha_s = from->point.platform->alpha_s,
                               .beta_s_per_byte = from->point.platform->beta_s_per_byte,
                               .closed_n = from->found.closed_n,
                               .closed_s = from->found.closed_s};
    for (size_t i = 1; i < samples; i++)
        if (rb_search_is_better(&first[i], curve->best))
            curve->best = &first[i];
}

static void add_searched(const struct rb_search_request *request, const struct rb_search *search,
                         const struct rb_search_case *a_case, struct rb_curves *data)
{
    for (size_t i = 0; i < a_case->count; i++) {
        const struct rb_search_curve *curve = &search->curves[a_case->first + i];
        memcpy(data->samples + data->sample_count, curve->found.samples,
               curve->found.count * sizeof *data->samples);
        data->sample_count += curve->found.count;
        add_curve(request, curve, curve->found.count, data);
    }
}

/* The runs of one curve stand together. */
static void add_judged(const struct rb_search_request *request, const struct rb_search *search,
                       const struct rb_search_case *a_case, struct rb_curves *data)
{
    const struct rb_search_run *run = search->runs + a_case->first_run;
    const struct rb_search_run *end = run + a_case->run_count;
    while (run < end) {
        const size_t curve = run->curve;
        size_t samples = 0;
        for (; run < end && run->curve == curve; run++, samples++)
            data->samples[data->sample_count++] = (struct rb_sample){run->point.n, run->time_s};
        add_curve(request, &search->curves[curve], samples, data);
    }
}

static int check_judged(const struct rb_search *search, struct rb_error *error)
{
    for (size_t i = 0; i < search->case_count; i++) {
        const struct rb_search_case *a_case = &search->cases[i];
        const struct rb_point *point = &a_case->winner->point;
        char bytes[32];
        if (run_of(search, a_case, a_case->first_run) == NULL)
            return rb_fail(error, RB_EINVAL,
                           "--format decisions: p = %" PRId32 ", m = %s is not confirmed (%s): "
                           "raise --confirm-limit, or --confirm none",
                           point->p, rb_format_bytes(point->m_bytes, bytes, sizeof bytes),
                           rb_search_verdict_names[a_case->verdict]);
    }
    return RB_OK;
}

int rb_search_curves(const struct rb_search_request *request, const struct rb_search *search,
                     struct rb_curves *data, struct rb_error *error)
{
    const bool judged = request->judge != NULL;
    *data = (struct rb_curves){0};
    int status = judged ? check_judged(search, error) : RB_OK;
    if (status != RB_OK)
        return status;
    status = judged ? make_settings(request, request->judge->name, request->judge_on, data)
                    : make_settings(request, request->common.engine_text, request->common.platform,
                                    data);
    data->curves = calloc(search->curve_count + 1, sizeof *data->curves);
    data->samples = calloc(search->curve_count * RB_FOUND_SAMPLES + search->run_count + 1,
                           sizeof *data->samples);
    if (status != RB_OK || data->curves == NULL || data->samples == NULL)
        return rb_fail(error, RB_ENOMEM, "out of memory");
    for (size_t i = 0; i < search->case_count; i++)
        (judged ? add_judged : add_searched)(request, search, &search->cases[i], data);
    return RB_OK;
}
