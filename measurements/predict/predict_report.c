/* predict_report.c - tables of predictions (predict.h). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "measurements/predict/predict.h"
#include "roundabout.h"
#include "support/units.h"

const char *const predict_what_names[PREDICT_WHATS] = {"summary", "errors",     "choices",
                                                       "rows",    "parameters", "forecasts"};

/* A table: its columns, the number of its rows, and the cells of one. */
struct view {
    struct out_table table;
    size_t (*count)(const struct predict_result *result);
    void (*fill)(const struct predict_request *request, const struct predict_result *result,
                 size_t i, union out_cell cells[]);
};

enum { MOST_CELLS = 40 };

/* Cells are filled from left to right. */
static void word(union out_cell **cell, const char *text)
{
    (*cell)++->word = text == NULL || *text == '\0' ? NULL : text;
}

static void whole(union out_cell **cell, int64_t number)
{
    (*cell)++->whole = number;
}

static void real(union out_cell **cell, double number)
{
    (*cell)++->real = number;
}

/* ---- A row per collective -------------------------------------------------------------------- */

static const struct out_column summary_columns[] = {
    {.name = "system", .heading = "\nsystem", .kind = OUT_WORD, .width = -12, .less = 6},
    {.name = "collective", .heading = "\ncollective", .kind = OUT_WORD, .width = -14},
    {.name = "rows", .heading = "\nrows", .kind = OUT_COUNT, .width = 5, .less = 5},
    {.name = "predicted", .heading = "pre-\ndicted", .kind = OUT_COUNT, .width = 6, .less = 1},
    {.name = "algorithms", .heading = "algo-\nrithms", .kind = OUT_COUNT, .width = 6, .less = 5},
    {.name = "groups", .heading = "\npoints", .kind = OUT_COUNT, .width = 6},
    {.name = "regret_mean", .heading = "regret\nmean", .kind = OUT_RATIO, .width = 6, .gap = 2},
    {.name = "regret_worst", .heading = "\nworst", .kind = OUT_RATIO, .width = 6},
    {.name = "regret_all_mean",
     .heading = "of all\nmean",
     .kind = OUT_RATIO,
     .width = 6,
     .less = 4},
    {.name = "regret_all_worst", .heading = "\nworst", .kind = OUT_RATIO, .width = 6, .less = 4},
    {.name = "default_mean", .heading = "default\nmean", .kind = OUT_RATIO, .width = 7, .gap = 2},
    {.name = "default_worst", .heading = "\nworst", .kind = OUT_RATIO, .width = 6},
    {.name = "default_all_mean", .kind = OUT_RATIO},
    {.name = "default_all_worst", .kind = OUT_RATIO},
    {.name = "default_groups", .kind = OUT_COUNT},
    {.name = "single", .kind = OUT_WORD},
    {.name = "single_mean",
     .heading = "single\nmean",
     .kind = OUT_RATIO,
     .width = 6,
     .gap = 2,
     .less = 2},
    {.name = "single_worst", .heading = "\nworst", .kind = OUT_RATIO, .width = 6, .less = 2},
    {.name = "single_groups", .kind = OUT_COUNT},
    {.name = "fitted_single_mean",
     .heading = "fitted\nmean",
     .kind = OUT_RATIO,
     .width = 6,
     .less = 3},
    {.name = "fitted_single_worst", .heading = "\nworst", .kind = OUT_RATIO, .width = 6, .less = 3},
    {.name = "fitted_single_groups", .kind = OUT_COUNT},
    {.name = "error_short_median",
     .heading = "< 64KiB\nmedian",
     .kind = OUT_PERCENT,
     .real = "%.1f %%",
     .width = 8,
     .gap = 2},
    {.name = "error_short_p90",
     .less = 7,
     .heading = "\np90",
     .kind = OUT_PERCENT,
     .real = "%.1f %%",
     .width = 8},
    {.name = "error_long_median",
     .heading = ">= 64KiB\nmedian",
     .kind = OUT_PERCENT,
     .real = "%.1f %%",
     .width = 8},
    {.name = "error_long_p90",
     .less = 7,
     .heading = "\np90",
     .kind = OUT_PERCENT,
     .real = "%.1f %%",
     .width = 8},
    {.name = "coverage",
     .heading = "in the\ninterval",
     .kind = OUT_PERCENT,
     .real = "%.0f %%",
     .width = 8},
};

static size_t count_collectives(const struct predict_result *result)
{
    return result->collectives;
}

static void fill_summary(const struct predict_request *request, const struct predict_result *result,
                         size_t i, union out_cell *cell)
{
    const struct predict_summary *s = &result->collective[i];
    (void)request;
    word(&cell, s->system);
    word(&cell, s->collective);
    whole(&cell, s->rows);
    whole(&cell, s->predicted);
    whole(&cell, s->algorithms);
    whole(&cell, s->groups);
    real(&cell, s->regret.mean);
    real(&cell, s->regret.worst);
    real(&cell, s->regret_all.mean);
    real(&cell, s->regret_all.worst);
    real(&cell, s->own.mean);
    real(&cell, s->own.worst);
    real(&cell, s->own_all.mean);
    real(&cell, s->own_all.worst);
    whole(&cell, s->own.groups);
    word(&cell, s->single_name);
    real(&cell, s->single.mean);
    real(&cell, s->single.worst);
    whole(&cell, s->single.groups);
    real(&cell, s->fitted_single.mean);
    real(&cell, s->fitted_single.worst);
    whole(&cell, s->fitted_single.groups);
    real(&cell, s->errors[PREDICT_SHORT].median);
    real(&cell, s->errors[PREDICT_SHORT].p90);
    real(&cell, s->errors[PREDICT_LONG].median);
    real(&cell, s->errors[PREDICT_LONG].p90);
    real(&cell, s->coverage);
}

/* ---- A row per algorithm --------------------------------------------------------------------- */

#define ERROR_COLUMN(name_, heading_, gap_, less_)                                                 \
    {                                                                                              \
        .name = name_, .heading = heading_, .kind = OUT_PERCENT, .real = "%.1f %%", .width = 8,    \
        .gap = gap_, .less = less_                                                                 \
    }

static const struct out_column error_columns[] = {
    {.name = "system", .heading = "\nsystem", .kind = OUT_WORD, .width = -12, .less = 6},
    {.name = "collective", .heading = "\ncollective", .kind = OUT_WORD, .width = -14},
    {.name = "algorithm", .heading = "\nalgorithm", .kind = OUT_WORD, .width = -38},
    {.name = "rows", .heading = "\nrows", .kind = OUT_COUNT, .width = 5, .less = 5},
    {.name = "predicted", .heading = "pre-\ndicted", .kind = OUT_COUNT, .width = 6},
    {.name = "short_rows",
     .heading = "< 64KiB\nrows",
     .kind = OUT_COUNT,
     .width = 7,
     .gap = 2,
     .less = 4},
    ERROR_COLUMN("short_median", "\nmedian", 0, 0),
    ERROR_COLUMN("short_p90", "\np90", 0, 2),
    ERROR_COLUMN("short_bias", "\nbias", 0, 3),
    {.name = "long_rows",
     .heading = ">= 64KiB\nrows",
     .kind = OUT_COUNT,
     .width = 8,
     .gap = 2,
     .less = 4},
    ERROR_COLUMN("long_median", "\nmedian", 0, 0),
    ERROR_COLUMN("long_p90", "\np90", 0, 2),
    ERROR_COLUMN("long_bias", "\nbias", 0, 3),
    {.name = "coverage",
     .heading = "in the\ninterval",
     .kind = OUT_PERCENT,
     .real = "%.0f %%",
     .width = 8,
     .gap = 2},
};

static size_t count_algorithms(const struct predict_result *result)
{
    return result->algorithms;
}

static void fill_errors(const struct predict_request *request, const struct predict_result *result,
                        size_t i, union out_cell *cell)
{
    const struct predict_summary *s = &result->algorithm[i];
    (void)request;
    word(&cell, s->system);
    word(&cell, s->collective);
    word(&cell, s->name);
    whole(&cell, s->rows);
    whole(&cell, s->predicted);
    for (int length = 0; length < PREDICT_LENGTHS; length++) {
        whole(&cell, s->errors[length].rows);
        real(&cell, s->errors[length].median);
        real(&cell, s->errors[length].p90);
        real(&cell, s->errors[length].bias);
    }
    real(&cell, s->coverage);
}

/* ---- A row per point ------------------------------------------------------------------------- */

static const struct out_column choice_columns[] = {
    {.name = "system", .heading = "\nsystem", .kind = OUT_WORD, .width = -12, .less = 9},
    {.name = "test", .kind = OUT_WORD},
    {.name = "held_out", .kind = OUT_WORD},
    {.name = "collective", .heading = "\ncollective", .kind = OUT_WORD, .width = -14, .less = 7},
    {.name = "nodes", .heading = "\nnodes", .kind = OUT_COUNT, .width = 5},
    {.name = "ranks_per_node", .heading = "\nppn", .kind = OUT_COUNT, .width = 3},
    {.name = "p", .heading = "\np", .kind = OUT_COUNT, .width = 5, .less = 3},
    {.name = "bytes", .heading = "\nbytes", .kind = OUT_BYTES, .width = 7},
    {.name = "measured", .heading = "algo-\nrithms", .kind = OUT_COUNT, .width = 6, .less = 8},
    {.name = "predictable", .heading = "pre-\ndictable", .kind = OUT_COUNT, .width = 8, .less = 8},
    {.name = "choice", .heading = "\nchoice", .kind = OUT_WORD, .width = -28, .gap = 2},
    {.name = "choice_s", .heading = "\ntime", .kind = OUT_SECONDS, .width = 9, .less = 2},
    {.name = "choice_predicted_s",
     .heading = "\npredicted",
     .kind = OUT_SECONDS,
     .width = 9,
     .less = 4},
    {.name = "best", .heading = "\nbest", .kind = OUT_WORD, .width = -28, .gap = 2},
    {.name = "best_s", .heading = "\ntime", .kind = OUT_SECONDS, .width = 9, .less = 1},
    {.name = "best_all", .kind = OUT_WORD},
    {.name = "best_all_s", .kind = OUT_SECONDS},
    {.name = "default_s", .heading = "default\ntime", .kind = OUT_SECONDS, .width = 9, .less = 5},
    {.name = "regret", .heading = "\nregret", .kind = OUT_RATIO, .width = 6},
    {.name = "regret_all", .heading = "\nof all", .kind = OUT_RATIO, .width = 6, .less = 6},
    {.name = "default_regret", .heading = "\ndefault's", .kind = OUT_RATIO, .width = 9, .less = 5},
    {.name = "single_regret", .kind = OUT_RATIO},
    {.name = "fitted_single", .kind = OUT_WORD},
    {.name = "fitted_single_regret", .kind = OUT_RATIO},
};

static size_t count_groups(const struct predict_result *result)
{
    size_t count = 0;
    for (size_t i = 0; i < result->groups; i++)
        count += result->group[i].predictable >= 2;
    return count;
}

/* The i-th group with a choice. */
static const struct predict_group *group_at(const struct predict_result *result, size_t i)
{
    const struct predict_group *group = result->group;
    for (;; group++)
        if (group->predictable >= 2 && i-- == 0)
            return group;
}

static double time_of(const struct predict_result *result, int64_t number)
{
    return number < 0 ? NAN : result->tested[number].row->median_s;
}

static const char *name_of(const struct predict_result *result, int64_t number)
{
    return number < 0 ? NULL : result->tested[number].row->name;
}

static void fill_choice(const struct predict_request *request, const struct predict_result *result,
                        size_t i, union out_cell *cell)
{
    const struct predict_group *group = group_at(result, i);
    const struct predict_tested *first = &result->tested[group->first];
    const double best_s = time_of(result, group->best);
    const double choice_s = time_of(result, group->choice);
    (void)request;
    word(&cell, first->row->system);
    word(&cell, first->row->test);
    word(&cell, result->fold[first->fold].held_out);
    word(&cell, first->row->collective);
    whole(&cell, first->row->nodes);
    whole(&cell, first->row->ranks_per_node);
    whole(&cell, first->row->p);
    whole(&cell, first->row->bytes);
    whole(&cell, (int64_t)group->count);
    whole(&cell, group->predictable);
    word(&cell, name_of(result, group->choice));
    real(&cell, choice_s);
    real(&cell, result->tested[group->choice].estimate.time_s);
    word(&cell, name_of(result, group->best));
    real(&cell, best_s);
    word(&cell, name_of(result, group->best_all));
    real(&cell, time_of(result, group->best_all));
    real(&cell, time_of(result, group->own));
    real(&cell, choice_s / best_s);
    real(&cell, choice_s / time_of(result, group->best_all));
    real(&cell, time_of(result, group->own) / best_s);
    real(&cell, time_of(result, group->single) / best_s);
    word(&cell, name_of(result, group->fitted_single));
    real(&cell, time_of(result, group->fitted_single) / best_s);
}

/* ---- A row per measurement ------------------------------------------------------------------- */

static const struct out_column row_columns[] = {
    {.name = "system", .heading = "system", .kind = OUT_WORD, .width = -12, .less = 9},
    {.name = "test", .kind = OUT_WORD},
    {.name = "library", .kind = OUT_WORD},
    {.name = "library_version", .kind = OUT_WORD},
    {.name = "collective", .heading = "collective", .kind = OUT_WORD, .width = -14, .less = 6},
    {.name = "algorithm", .heading = "algorithm", .kind = OUT_WORD, .width = -38},
    {.name = "plan", .heading = "plan", .kind = OUT_WORD, .width = -20, .less = 4},
    {.name = "radix", .kind = OUT_COUNT},
    {.name = "segment_bytes", .kind = OUT_BYTES},
    {.name = "interfaces", .kind = OUT_COUNT},
    {.name = "default", .kind = OUT_TRUTH},
    {.name = "nodes", .heading = "nodes", .kind = OUT_COUNT, .width = 5},
    {.name = "ranks_per_node", .heading = "ppn", .kind = OUT_COUNT, .width = 3},
    {.name = "p", .heading = "p", .kind = OUT_COUNT, .width = 5, .less = 7},
    {.name = "bytes", .heading = "bytes", .kind = OUT_BYTES, .width = 7},
    {.name = "m_bytes", .kind = OUT_BYTES},
    {.name = "measured_s", .heading = "measured", .kind = OUT_SECONDS, .width = 9},
    {.name = "predicted_s", .heading = "predicted", .kind = OUT_SECONDS, .width = 9},
    {.name = "low_s", .heading = "from", .kind = OUT_SECONDS, .width = 9, .less = 5},
    {.name = "high_s", .heading = "to", .kind = OUT_SECONDS, .width = 9, .less = 5},
    {.name = "error", .heading = "error", .kind = OUT_PERCENT, .real = "%.1f %%", .width = 8},
    {.name = "held_out",
     .heading = "held out",
     .kind = OUT_WORD,
     .width = -16,
     .gap = 2,
     .less = 8},
};

static size_t count_tested(const struct predict_result *result)
{
    return result->count;
}

static void fill_row(const struct predict_request *request, const struct predict_result *result,
                     size_t i, union out_cell *cell)
{
    const struct predict_tested *tested = &result->tested[i];
    const struct rows_row *row = tested->row;
    const bool predicted = tested->predicted;
    (void)request;
    word(&cell, row->system);
    word(&cell, row->test);
    word(&cell, row->library);
    word(&cell, row->library_version);
    word(&cell, row->collective);
    word(&cell, row->name);
    word(&cell, row->algorithm);
    whole(&cell, row->radix > 0 ? row->radix : -1);
    whole(&cell, row->segment_bytes > 0 ? row->segment_bytes : -1);
    whole(&cell, row->interfaces);
    whole(&cell, row->own_choice);
    whole(&cell, row->nodes);
    whole(&cell, row->ranks_per_node);
    whole(&cell, row->p);
    whole(&cell, row->bytes);
    whole(&cell, row->m_bytes);
    real(&cell, row->median_s);
    real(&cell, predicted ? tested->estimate.time_s : NAN);
    real(&cell, predicted ? tested->estimate.low_s : NAN);
    real(&cell, predicted ? tested->estimate.high_s : NAN);
    real(&cell, predicted ? tested->estimate.time_s / row->median_s - 1 : NAN);
    word(&cell, result->fold[tested->fold].held_out);
}

/* ---- A row per parameter --------------------------------------------------------------------- */

static const struct out_column parameter_columns[] = {
    {.name = "system", .heading = "system", .kind = OUT_WORD, .width = -12},
    {.name = "held_out", .heading = "held out", .kind = OUT_WORD, .width = -16},
    {.name = "fitted", .heading = "rows", .kind = OUT_COUNT, .width = 5},
    {.name = "parameter", .heading = "parameter", .kind = OUT_WORD, .width = -32, .gap = 2},
    {.name = "value", .heading = "value", .kind = OUT_REAL, .real = "%.4g", .width = 11},
    {.name = "low", .heading = "from", .kind = OUT_REAL, .real = "%.4g", .width = 11},
    {.name = "high", .heading = "to", .kind = OUT_REAL, .real = "%.4g", .width = 11},
    {.name = "unit", .heading = "unit", .kind = OUT_WORD, .width = -5, .gap = 2},
    {.name = "determined", .heading = "determined", .kind = OUT_TRUTH, .width = 10},
};

static size_t count_parameters(const struct predict_result *result)
{
    size_t count = 0;
    for (size_t i = 0; i < result->folds; i++)
        count += result->fold[i].parameters;
    return count;
}

static void fill_parameter(const struct predict_request *request,
                           const struct predict_result *result, size_t i, union out_cell *cell)
{
    const struct predict_fold *fold = result->fold;
    (void)request;
    for (; i >= fold->parameters; fold++)
        i -= fold->parameters;
    const struct predict_kept_parameter *parameter = &fold->parameter[i];
    word(&cell, fold->system);
    word(&cell, fold->held_out);
    whole(&cell, fold->fitted);
    word(&cell, parameter->name);
    real(&cell, parameter->value);
    real(&cell, parameter->low);
    real(&cell, parameter->high);
    word(&cell, parameter->unit);
    whole(&cell, parameter->determined);
}

/* ---- Printing -------------------------------------------------------------------------------- */

#define TABLE(columns_)                                                                            \
    {                                                                                              \
        .columns = columns_, .width = OUT_COUNT_OF(columns_)                                       \
    }

/* ---- A row per forecast ---------------------------------------------------------------------- */

static const struct out_column forecast_columns[] = {
    {.name = "system", .heading = "\nsystem", .kind = OUT_WORD, .width = -12, .less = 6},
    {.name = "test", .kind = OUT_WORD},
    {.name = "held_out", .kind = OUT_WORD},
    {.name = "collective", .heading = "\ncollective", .kind = OUT_WORD, .width = -14, .less = 3},
    {.name = "nodes", .heading = "\nnodes", .kind = OUT_COUNT, .width = 5},
    {.name = "ranks_per_node", .heading = "\nppn", .kind = OUT_COUNT, .width = 3},
    {.name = "bytes", .heading = "\nbytes", .kind = OUT_BYTES, .width = 7},
    {.name = "best", .heading = "best\nmeasured", .kind = OUT_WORD, .width = -28, .gap = 2},
    {.name = "best_s", .heading = "\ntime", .kind = OUT_SECONDS, .width = 9, .less = 2},
    {.name = "default_s", .heading = "default\ntime", .kind = OUT_SECONDS, .width = 9, .less = 4},
    {.name = "algorithm", .heading = "\nforecast", .kind = OUT_WORD, .width = -20, .gap = 2},
    {.name = "n", .heading = "\nn", .kind = OUT_COUNT, .width = 4},
    {.name = "predicted_s", .heading = "\ntime", .kind = OUT_SECONDS, .width = 9},
    {.name = "low_s", .heading = "\nfrom", .kind = OUT_SECONDS, .width = 9, .less = 5},
    {.name = "high_s", .heading = "\nto", .kind = OUT_SECONDS, .width = 9, .less = 5},
    {.name = "best_over_predicted",
     .heading = "best /\nforecast",
     .kind = OUT_RATIO,
     .width = 8,
     .less = 1},
    {.name = "faster", .heading = "\nfaster", .kind = OUT_WORD, .width = -6, .less = 1},
};

static size_t count_forecasts(const struct predict_result *result)
{
    return result->forecasts;
}

static const struct predict_group *group_of(const struct predict_result *result,
                                            const struct rows_row *row)
{
    for (size_t g = 0; g < result->groups; g++)
        if (predict_same_point(result->tested[result->group[g].first].row, row))
            return &result->group[g];
    return NULL; /* no forecast is without a group */
}

/* Is it faster than anything measured, as far as its interval tells? */
static const char *verdict_of(const struct predict_estimate *estimate, double best_s)
{
    return estimate->high_s < best_s ? "yes" : estimate->low_s > best_s ? "no" : "open";
}

static void fill_forecast(const struct predict_request *request,
                          const struct predict_result *result, size_t i, union out_cell *cell)
{
    const struct predict_forecast *forecast = &result->forecast[i];
    const struct rows_row *row = forecast->row;
    const struct predict_group *group = group_of(result, row);
    const struct rows_row *best = result->tested[group->best_all].row;
    (void)request;
    word(&cell, row->system);
    word(&cell, row->test);
    word(&cell, result->fold[forecast->fold].held_out);
    word(&cell, row->collective);
    whole(&cell, row->nodes);
    whole(&cell, row->ranks_per_node);
    whole(&cell, row->bytes);
    word(&cell, best->name);
    real(&cell, best->median_s);
    real(&cell, group->own < 0 ? NAN : result->tested[group->own].row->median_s);
    word(&cell, forecast->algorithm);
    whole(&cell, forecast->n);
    real(&cell, forecast->estimate.time_s);
    real(&cell, forecast->estimate.low_s);
    real(&cell, forecast->estimate.high_s);
    real(&cell, best->median_s / forecast->estimate.time_s);
    word(&cell, verdict_of(&forecast->estimate, best->median_s));
}

static const struct view views[PREDICT_WHATS] = {
    [PREDICT_SUMMARY] = {TABLE(summary_columns), count_collectives, fill_summary},
    [PREDICT_ERRORS] = {TABLE(error_columns), count_algorithms, fill_errors},
    [PREDICT_CHOICES] = {TABLE(choice_columns), count_groups, fill_choice},
    [PREDICT_ROWS] = {TABLE(row_columns), count_tested, fill_row},
    [PREDICT_PARAMETERS] = {TABLE(parameter_columns), count_parameters, fill_parameter},
    [PREDICT_FORECASTS] = {TABLE(forecast_columns), count_forecasts, fill_forecast},
};

/* What ran, in front of the rows. */
static json_t *head_of(const struct predict_request *request, const struct predict_result *result)
{
    json_t *head = json_object(), *folds = json_array();
    const char *model = request->options.model;
    json_object_set_new(head, "model",
                        out_json_text(model == NULL ? predict_kind_at(0)->name : model));
    json_object_set_new(head, "rows_counted", json_integer(result->rows));
    json_object_set_new(head, "held_out", json_integer((json_int_t)result->count));
    json_object_set_new(head, "in_both_filters", json_integer(result->both));
    json_object_set_new(head, "without_plan", json_integer(result->no_plan));
    for (size_t i = 0; i < result->folds; i++) {
        json_t *fold = json_object();
        json_object_set_new(fold, "system", out_json_text(result->fold[i].system));
        json_object_set_new(fold, "held_out", out_json_text(result->fold[i].held_out));
        json_object_set_new(fold, "fitted", json_integer(result->fold[i].fitted));
        json_array_append_new(folds, fold);
    }
    json_object_set_new(head, "folds", folds);
    return head;
}

static void print_head(const struct predict_request *request, const struct predict_result *result,
                       FILE *stream)
{
    const char *model = request->options.model;
    fprintf(stream, "model %s: %lld row%s held out of %lld",
            model == NULL ? predict_kind_at(0)->name : model,
            (long long)(request->fit_all ? 0 : result->count),
            sup_plural(request->fit_all ? 0 : (int64_t)result->count), (long long)result->rows);
    if (result->no_plan > 0)
        fprintf(stream, ", %lld without a plan", (long long)result->no_plan);
    if (result->both > 0)
        fprintf(stream, ", %lld in both filters and only fitted", (long long)result->both);
    fputc('\n', stream);
    for (size_t i = 0; i < result->folds; i++) {
        const struct predict_fold *fold = &result->fold[i];
        fprintf(stream, "%s, %s%s: fitted %lld row%s%s%s\n", fold->system, fold->held_out,
                fold->by_filters && !request->fit_all ? "" : " held out", (long long)fold->fitted,
                sup_plural(fold->fitted), fold->note[0] == '\0' ? "" : "; ", fold->note);
    }
    fputc('\n', stream);
}

/* Below the summary: which algorithm is the best single one. */
static void print_singles(const struct predict_result *result, FILE *stream)
{
    fputs("\nregret: time of the choice over the least of the predictable algorithms; of all: over "
          "the "
          "least of all measured.\nsingle: always the best single algorithm, in hindsight; fitted: "
          "the "
          "best one on the fitted rows.\n",
          stream);
    for (size_t i = 0; i < result->collectives; i++) {
        const struct predict_summary *s = &result->collective[i];
        if (s->single_name != NULL)
            fprintf(stream, "single %s on %s: %s, at %lld of %lld points\n", s->collective,
                    s->system, s->single_name, (long long)s->single.groups, (long long)s->groups);
    }
}

size_t predict_report(const struct predict_request *request, const struct predict_result *result,
                      enum predict_what what, enum out_format format, FILE *stream)
{
    const struct view *view = &views[what];
    union out_cell cells[MOST_CELLS];
    struct out_rows rows;
    if (format == OUT_TEXT && what != PREDICT_ROWS)
        print_head(request, result, stream);
    out_rows_begin(&rows, &view->table, format, stream,
                   format == OUT_JSON ? head_of(request, result) : NULL, "rows");
    const size_t count = view->count(result);
    for (size_t i = 0; i < count; i++) {
        view->fill(request, result, i, cells);
        out_rows_add(&rows, cells);
    }
    if (format == OUT_TEXT && what == PREDICT_SUMMARY)
        print_singles(result, stream);
    out_rows_end(&rows);
    return count;
}
