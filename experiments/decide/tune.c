/* tune.c - from a sweep's results to the best n, the fitted F, its regret and a decision table. */
#include "experiments/decide/tune.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "roundabout.h"
#include "support/memory.h"
#include "support/options/options.h"
#include "support/output/rows.h"

/* ---- The tables' columns -------------------------------------------------------------------- */

static const struct out_column best_columns[] = {
    {"algorithm", "algorithm", .kind = OUT_WORD},
    {"p", "p", .kind = OUT_COUNT},
    {"m_bytes", "m", .kind = OUT_BYTES},
    {"runs", "n tried", .kind = OUT_COUNT, .less = 5},
    {"n", "best n", .kind = OUT_COUNT},
    {"time_s", "time", .kind = OUT_SECONDS},
    {"at_edge", "at edge", .kind = OUT_TRUTH, .less = 4},
    {"closed_n", "formula's n", .kind = OUT_COUNT, .less = 3},
    {"closed_s", "its time", .kind = OUT_SECONDS, .less = 3},
    {"rival", "best rival", .kind = OUT_WORD},
    {"rival_s", "rival's time", .kind = OUT_SECONDS, .less = 2},
    {"speedup", "speed-up", .kind = OUT_RATIO},
    {"bound_s", "bound", .kind = OUT_SECONDS, .less = 1},
    {"of_bound", "of bound", .kind = OUT_RATIO},
};

static const struct out_column fit_columns[] = {
    {"algorithm", "algorithm", .kind = OUT_WORD},
    {"constant", "constant", .kind = OUT_WORD},
    {"f", "is", .kind = OUT_RATIO},
    {"f_low", "from", .kind = OUT_RATIO},
    {"f_low_is_limit", "or below", .kind = OUT_TRUTH, .less = 3},
    {"f_high", "to", .kind = OUT_RATIO},
    {"f_high_is_limit", "or above", .kind = OUT_TRUTH, .less = 3},
    {"analytic_f", "analytic", .kind = OUT_RATIO},
    {"points", "points", .kind = OUT_COUNT},
    {"outside", "outside", .kind = OUT_COUNT, .less = 2},
    {"mean_regret", "mean regret", .kind = OUT_SHARE},
    {"median_regret", "median", .kind = OUT_SHARE, .less = 1},
    {"worst_regret", "worst", .kind = OUT_SHARE},
};

static const struct out_column regret_columns[] = {
    {"algorithm", "algorithm", .kind = OUT_WORD},
    {"p", "p", .kind = OUT_COUNT},
    {"m_bytes", "m", .kind = OUT_BYTES},
    {"constant", "constant", .kind = OUT_WORD, .less = 5},
    {"f", "is", .kind = OUT_RATIO},
    {"analytic_f", "analytic", .kind = OUT_RATIO, .less = 3},
    {"n", "its n", .kind = OUT_COUNT},
    {"outside", "outside", .kind = OUT_TRUTH, .less = 4},
    {"time_s", "its time", .kind = OUT_SECONDS},
    {"best_n", "best n", .kind = OUT_COUNT},
    {"best_s", "its time", .kind = OUT_SECONDS},
    {"regret", "regret", .kind = OUT_SHARE},
};

static const struct out_column decision_columns[] = {
    {"p", "p", .kind = OUT_COUNT},
    {"m_bytes", "m", .kind = OUT_BYTES},
    {"algorithm", "take", .kind = OUT_WORD},
    {"n", "with n", .kind = OUT_COUNT},
    {"time_s", "time", .kind = OUT_SECONDS},
    {"runner_up", "runner-up", .kind = OUT_WORD},
    {"runner_up_n", "with n", .kind = OUT_COUNT, .less = 2},
    {"runner_up_s", "time", .kind = OUT_SECONDS, .less = 2},
    {"speedup", "speed-up", .kind = OUT_RATIO},
    {"bound_s", "bound", .kind = OUT_SECONDS, .less = 1},
    {"of_bound", "of bound", .kind = OUT_RATIO},
    {"time_low_s", "from", .kind = OUT_SECONDS},
    {"time_high_s", "to", .kind = OUT_SECONDS},
    {"tie", "tie", .kind = OUT_WORD},
};

static const struct decide_tune_table empty_tables[DECIDE_TUNE_TABLES] = {
    [DECIDE_TUNE_BEST] = {.name = "best",
                          .title = "Best n of each algorithm",
                          .columns = best_columns,
                          .width = OUT_COUNT_OF(best_columns)},
    [DECIDE_TUNE_FIT] = {.name = "fit",
                         .title = "F or G for n = sqrt(M ceil(log2 p)) / F blocks",
                         .columns = fit_columns,
                         .width = OUT_COUNT_OF(fit_columns)},
    [DECIDE_TUNE_REGRET] = {.name = "regret",
                            .title = "Regret: time with that n over the best time, worst first",
                            .columns = regret_columns,
                            .width = OUT_COUNT_OF(regret_columns)},
    [DECIDE_TUNE_DECISION] = {.name = "decision",
                              .title = "Which algorithm and n to take",
                              .columns = decision_columns,
                              .width = OUT_COUNT_OF(decision_columns)},
};

/* ---- Best n, decisions ---------------------------------------------------------------------- */

int64_t decide_tune_whole_or_none(int64_t value)
{
    return value > 0 ? value : -1;
}

/* 0 / 0 where there is nothing to send: neither is faster. */
static double speedup(double rival_s, double time_s)
{
    return rival_s == time_s ? 1 : time_s > 0 ? rival_s / time_s : NAN;
}

/* How far the best time is from what no algorithm can beat. */
static double of_bound(const struct decide_curve *curve)
{
    return curve->bound_s > 0 ? curve->best->time_s / curve->bound_s : NAN;
}

/* The best n is the least or the most that was run, and not 1. */
static bool is_at_edge(const struct decide_curve *curve)
{
    return curve->count > 1 && ((curve->best == curve->samples && curve->best->n > 1) ||
                                curve->best == curve->samples + curve->count - 1);
}

static void add_best(struct decide_tune_result *tuning, const struct decide_curve *curve)
{
    const struct decide_curve *rival = decide_best_rival(&tuning->data, curve);
    const union out_cell cells[] = {
        {.word = curve->algorithm},
        {.whole = curve->p},
        {.whole = curve->m_bytes},
        {.whole = (int64_t)curve->count},
        {.whole = curve->best->n},
        {.real = curve->best->time_s},
        {.whole = is_at_edge(curve)},
        {.whole = decide_tune_whole_or_none(curve->closed_n)},
        {.real = curve->closed_s},
        {.word = rival == NULL ? NULL : rival->algorithm},
        {.real = rival == NULL ? NAN : rival->best->time_s},
        {.real = rival == NULL ? NAN : speedup(rival->best->time_s, curve->best->time_s)},
        {.real = curve->bound_s},
        {.real = of_bound(curve)},
    };
    static_assert(OUT_COUNT_OF(cells) == OUT_COUNT_OF(best_columns), "a cell for each column");
    decide_tune_table_add(&tuning->tables[DECIDE_TUNE_BEST], curve->setting, cells);
}

/* For the curve that wins its case; of equals the one first in the alphabet. */
static void add_decision(struct decide_tune_result *tuning, const struct decide_curve *curve)
{
    const struct decide_curve *rival = decide_best_rival(&tuning->data, curve);
    if (rival != NULL && (rival->best->time_s < curve->best->time_s ||
                          (rival->best->time_s == curve->best->time_s && rival < curve)))
        return;
    const union out_cell cells[] = {
        {.whole = curve->p},
        {.whole = curve->m_bytes},
        {.word = curve->algorithm},
        {.whole = curve->best->n},
        {.real = curve->best->time_s},
        {.word = rival == NULL ? NULL : rival->algorithm},
        {.whole = rival == NULL ? -1 : rival->best->n},
        {.real = rival == NULL ? NAN : rival->best->time_s},
        {.real = rival == NULL ? NAN : speedup(rival->best->time_s, curve->best->time_s)},
        {.real = curve->bound_s},
        {.real = of_bound(curve)},
        {.real = curve->low_s},
        {.real = curve->high_s},
        {.word = rival == NULL || isnan(curve->low_s) ? NULL
                 : decide_is_tie(curve, rival)        ? "tie"
                                                      : "no"},
    };
    static_assert(OUT_COUNT_OF(cells) == OUT_COUNT_OF(decision_columns), "a cell for each column");
    decide_tune_table_add(&tuning->tables[DECIDE_TUNE_DECISION], curve->setting, cells);
}

/* ---- F -------------------------------------------------------------------------------------- */

static void count_skipped(struct decide_tune_skipped skipped[DECIDE_TUNE_SKIP_REASONS],
                          const char *why)
{
    for (int i = 0; i < DECIDE_TUNE_SKIP_REASONS; i++)
        if (skipped[i].why == NULL || strcmp(skipped[i].why, why) == 0) {
            skipped[i].why = why;
            skipped[i].count++;
            return;
        }
}

static bool is_asked_for(const struct decide_curves *data, const struct decide_curve *curve,
                         const struct decide_tune_request *request)
{
    return request->constant == 0 ||
           decide_setting_constant(&data->settings[curve->setting]) == request->constant;
}

int decide_tune_fit_setting(const struct decide_curves *data, size_t setting,
                            const struct decide_tune_request *request, struct decide_fit *fit,
                            struct decide_tune_skipped skipped[DECIDE_TUNE_SKIP_REASONS],
                            struct sup_error *error)
{
    const struct decide_curve **curves = sup_calloc(data->curve_count, sizeof *curves);
    int64_t *element_bytes = sup_calloc(data->curve_count, sizeof *element_bytes);
    struct decide_fit_request fit_request = {curves, element_bytes, 0, request->tolerance};
    int status = RB_OK;

    *fit = (struct decide_fit){0};
    for (size_t i = 0; i < data->curve_count; i++) {
        const struct decide_curve *curve = &data->curves[i];
        const char *why;
        int64_t bytes = request->element_bytes != 0 ? request->element_bytes
                                                    : data->settings[curve->setting].element_bytes;
        if (strcmp(curve->algorithm, request->focus) != 0 || !is_asked_for(data, curve, request) ||
            (setting != DECIDE_TUNE_ALL_SETTINGS && curve->setting != setting))
            continue;
        if (!decide_fit_can_use(curve, bytes, &why)) {
            if (skipped != NULL)
                count_skipped(skipped, why);
            continue;
        }
        curves[fit_request.count] = curve;
        element_bytes[fit_request.count++] = bytes;
    }
    if (fit_request.count > 0)
        status = decide_fit_f(&fit_request, fit, error);
    free(curves);
    free(element_bytes);
    return status;
}

static const char *constant_of(const struct decide_tune_result *tuning, size_t setting)
{
    const size_t any =
        setting == DECIDE_TUNE_ALL_SETTINGS ? 0 : setting; /* then all are of a collective */
    return decide_setting_constant(&tuning->data.settings[any]) == 'F' ? "F" : "G";
}

static void add_fit(struct decide_tune_result *tuning, size_t setting, const char *focus,
                    const struct decide_fit *fit)
{
    const union out_cell cells[] = {
        {.word = focus},
        {.word = constant_of(tuning, setting)},
        {.real = fit->f},
        {.real = fit->low},
        {.whole = fit->low_is_limit},
        {.real = fit->high},
        {.whole = fit->high_is_limit},
        {.real = fit->analytic_f},
        {.whole = (int64_t)fit->count},
        {.whole = (int64_t)fit->outside},
        {.real = fit->mean},
        {.real = fit->median},
        {.real = fit->worst},
    };
    static_assert(OUT_COUNT_OF(cells) == OUT_COUNT_OF(fit_columns), "a cell for each column");
    decide_tune_table_add(&tuning->tables[DECIDE_TUNE_FIT], setting, cells);
}

static void add_regrets(struct decide_tune_result *tuning, size_t setting,
                        const struct decide_fit *fit)
{
    for (size_t i = 0; i < fit->count; i++) {
        const struct decide_regret *point = &fit->points[i];
        const struct decide_curve *curve = point->curve;
        const union out_cell cells[] = {
            {.word = curve->algorithm},
            {.whole = curve->p},
            {.whole = curve->m_bytes},
            {.word = constant_of(tuning, setting)},
            {.real = fit->f},
            {.real = point->analytic_f},
            {.whole = point->n},
            {.whole = !point->sampled},
            {.real = point->sampled ? point->time_s : NAN},
            {.whole = curve->best->n},
            {.real = curve->best->time_s},
            {.real = point->sampled ? point->share : NAN},
        };
        static_assert(OUT_COUNT_OF(cells) == OUT_COUNT_OF(regret_columns),
                      "a cell for each column");
        decide_tune_table_add(&tuning->tables[DECIDE_TUNE_REGRET], setting, cells);
    }
}

/* One line in the tables of F for a setting, and a regret for each of its points. */
static int tune_setting(struct decide_tune_result *tuning, size_t setting,
                        const struct decide_tune_request *request,
                        struct decide_tune_skipped *skipped, struct sup_error *error)
{
    struct decide_fit *fit = &tuning->fits[tuning->fit_count++];
    int status = decide_tune_fit_setting(&tuning->data, setting, request, fit, skipped, error);
    if (status != RB_OK || fit->count == 0)
        return status;
    add_fit(tuning, setting, request->focus, fit);
    add_regrets(tuning, setting, fit);
    return RB_OK;
}

/* ---- Notes ---------------------------------------------------------------------------------- */

void decide_tune_note(struct decide_tune_result *tuning, const char *format, ...)
{
    if (tuning->note_count == DECIDE_TUNE_NOTES)
        return;
    va_list values;
    va_start(values, format);
    vsnprintf(tuning->notes[tuning->note_count++], sizeof tuning->notes[0], format, values);
    va_end(values);
}

static void add_notes(struct decide_tune_result *tuning, const struct decide_tune_request *request,
                      const struct decide_tune_skipped skipped[DECIDE_TUNE_SKIP_REASONS])
{
    size_t edges = 0, outside = 0, ties = 0;

    if (tuning->data.failed > 0)
        decide_tune_note(tuning, "failed points, left out: %" PRId64, tuning->data.failed);
    for (int i = 0; i < DECIDE_TUNE_SKIP_REASONS && skipped[i].why != NULL; i++)
        decide_tune_note(tuning, "pairs of p and m not used for F or G, because %s: %" PRId64,
                         skipped[i].why, skipped[i].count);
    if (tuning->tables[DECIDE_TUNE_FIT].rows == 0)
        decide_tune_note(
            tuning,
            "no %s: there is no p > 2 with two or more n of algorithm %s among these points",
            request->constant == 0     ? "F or G"
            : request->constant == 'F' ? "F"
                                       : "G",
            request->focus);
    for (size_t i = 0; i < tuning->fit_count; i++)
        outside += tuning->fits[i].outside;
    if (outside > 0)
        decide_tune_note(
            tuning,
            "points marked outside, because its n is beyond the n that were run, so that the "
            "regret is not known: %zu",
            outside);
    for (size_t i = 0; i < tuning->data.curve_count; i++) {
        const struct decide_curve *curve = &tuning->data.curves[i];
        const struct decide_curve *rival = decide_best_rival(&tuning->data, curve);
        ties += rival != NULL && decide_is_tie(curve, rival) &&
                (curve->best->time_s < rival->best->time_s ||
                 (curve->best->time_s == rival->best->time_s && curve < rival));
    }
    if (ties > 0)
        decide_tune_note(
            tuning,
            "ties, where the times of the copies of two algorithms overlap, so that the one "
            "with the lower median is named, but not as the faster one: %zu",
            ties);
    for (size_t i = 0; i < tuning->data.curve_count; i++)
        edges += is_at_edge(&tuning->data.curves[i]) ? 1 : 0;
    if (edges > 0)
        decide_tune_note(
            tuning,
            "best n at the edge of the n that were run, so that a better one may lie beyond: %zu",
            edges);
}

/* ---- Public --------------------------------------------------------------------------------- */

static bool one_collective(const struct decide_curves *data)
{
    for (size_t i = 1; i < data->setting_count; i++)
        if (data->settings[i].plan.collective != data->settings[0].plan.collective)
            return false;
    return true;
}

int decide_tune_run(const struct decide_tune_request *request, struct decide_tune_result *tuning,
                    struct sup_error *error)
{
    struct decide_tune_skipped skipped[DECIDE_TUNE_SKIP_REASONS] = {0};

    *tuning = (struct decide_tune_result){0};
    memcpy(tuning->tables, empty_tables, sizeof empty_tables);
    int status = decide_curves_load(request->results, request->filters, &tuning->data, error);
    if (status == RB_OK && request->focus_asked)
        status = decide_check_focus(&tuning->data, request->focus, error);
    if (status != RB_OK)
        return status;
    const struct decide_curves *data = &tuning->data;
    for (size_t i = 0; i < data->curve_count; i++) {
        add_best(tuning, &data->curves[i]);
        add_decision(tuning, &data->curves[i]);
    }
    tuning->fits = sup_calloc(data->setting_count + 1, sizeof *tuning->fits);
    for (size_t i = 0; i < data->setting_count && status == RB_OK; i++)
        status = tune_setting(tuning, i, request, skipped, error);
    if (status == RB_OK && data->setting_count > 1 && one_collective(data))
        status = tune_setting(tuning, DECIDE_TUNE_ALL_SETTINGS, request, NULL, error);
    add_notes(tuning, request, skipped);
    return status;
}

void decide_tune_result_free(struct decide_tune_result *tuning)
{
    for (size_t i = 0; i < tuning->fit_count; i++)
        decide_fit_free(&tuning->fits[i]);
    free(tuning->fits);
    for (int i = 0; i < DECIDE_TUNE_TABLES; i++)
        decide_tune_table_free(&tuning->tables[i]);
    decide_curves_free(&tuning->data);
    free(tuning->simulated);
    tuning->simulated = NULL;
    tuning->fits = NULL;
    tuning->fit_count = 0;
}

/* What follows tables, if there are any. */
static void print_notes(const struct decide_tune_result *tuning, bool any, bool verdicts,
                        FILE *stream)
{
    struct out_verdict verdict = {0};
    if (tuning->note_count > 0 && any)
        fputc('\n', stream);
    for (int32_t i = 0; i < tuning->note_count; i++)
        fprintf(stream, "Note: %s.\n", tuning->notes[i]);
    if (verdicts)
        decide_tune_verdict(tuning, &verdict);
    if (verdict.count > 0)
        fputc('\n', stream);
    out_verdict_text(&verdict, stream);
    out_verdict_free(&verdict);
}

void decide_tune_result_text(const struct decide_tune_result *tuning, unsigned set, FILE *stream)
{
    bool any = false;
    for (int i = 0; i < DECIDE_TUNE_TABLES; i++) {
        if ((set & 1u << i) == 0 || tuning->tables[i].rows == 0)
            continue;
        fputs(any ? "\n" : "", stream);
        decide_tune_table_text(&tuning->tables[i], &tuning->data, stream);
        any = true;
    }
    print_notes(tuning, any, (set & 1u << DECIDE_TUNE_DECISION) != 0, stream);
}

void decide_tune_result_short(const struct decide_tune_result *tuning, FILE *stream)
{
    decide_tune_short_text(tuning, stream);
    print_notes(tuning, tuning->tables[DECIDE_TUNE_DECISION].rows > 0, true, stream);
}

json_t *decide_tune_verdict_json(const struct decide_tune_result *tuning)
{
    struct out_verdict verdict = {0};
    decide_tune_verdict(tuning, &verdict);
    json_t *all = out_verdict_json(&verdict);
    out_verdict_free(&verdict);
    return all;
}

json_t *decide_tune_result_json(const struct decide_tune_result *tuning, unsigned set)
{
    json_t *notes = json_array();
    for (int32_t i = 0; i < tuning->note_count; i++)
        json_array_append_new(notes, out_json_text(tuning->notes[i]));
    json_t *all = json_pack("{s:s, s:o, s:I, s:o}", "version", cli_program_version, "made_by",
                            out_json_text(tuning->data.versions), "failed_points",
                            (json_int_t)tuning->data.failed, "notes", notes);
    if ((set & 1u << DECIDE_TUNE_DECISION) != 0)
        json_object_set_new(all, "verdict", decide_tune_verdict_json(tuning));
    for (int i = 0; i < DECIDE_TUNE_TABLES; i++)
        if ((set & 1u << i) != 0)
            json_object_set_new(all, tuning->tables[i].name,
                                decide_tune_table_json(&tuning->tables[i], &tuning->data));
    return all;
}

int decide_tune_results(const char *results, FILE *out, struct sup_error *error)
{
    struct decide_tune_request request = {
        .results = results, .focus = DECIDE_TUNE_FOCUS, .tolerance = DECIDE_TUNE_TOLERANCE};
    struct decide_tune_result tuning;
    int status = decide_tune_run(&request, &tuning, error);
    if (status == RB_OK)
        decide_tune_result_text(&tuning, 1u << DECIDE_TUNE_FIT | 1u << DECIDE_TUNE_DECISION, out);
    decide_tune_result_free(&tuning);
    return status;
}
