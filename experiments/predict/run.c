/* run.c - fits and predictions: which rows are fitted, which are held out (predict.h). */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command/options/options.h"
#include "experiments/predict/predict.h"
#include "roundabout.h"
#include "support/array.h"
#include "support/clock.h"
#include "support/units.h"

const char *const predict_hold_out_names[PREDICT_HOLD_OUTS] = {"nodes", "collective", "test",
                                                               "bytes", "algorithm"};

bool predict_counts(const struct predict_request *request, const struct rows_row *row)
{
    if (request->system != NULL && row->system != request->system)
        return false;
    if (!rows_filter_matches(request->rows, row))
        return false;
    return request->among == NULL || row->own_choice || rows_like(request->among, row->name) ||
           (row->algorithm != NULL && rows_like(request->among, row->algorithm));
}

/* ---- What is held out ------------------------------------------------------------------------ */

static int64_t number_of(const struct rows_row *row, enum predict_hold_out kind)
{
    return kind == PREDICT_NODES ? row->nodes : kind == PREDICT_BYTES ? row->bytes : 0;
}

static const char *text_of(const struct rows_row *row, enum predict_hold_out kind)
{
    switch (kind) {
    case PREDICT_COLLECTIVE:
        return row->collective;
    case PREDICT_TEST:
        return row->test;
    case PREDICT_ALGORITHM:
        return row->algorithm == NULL ? "" : row->algorithm;
    default:
        return "";
    }
}

/* Rows without a plan, with which the others are compared, count for the first fold if algorithms
 * are held out. */
static bool is_held_out(const struct predict_fold *fold, const struct rows_row *row)
{
    if (fold->kind == PREDICT_ALGORITHM && row->algorithm == NULL)
        return fold->first;
    return number_of(row, fold->kind) == fold->number &&
           strcmp(text_of(row, fold->kind), fold->text) == 0;
}

static bool is_chosen_for_fit(const struct predict_request *request, const struct rows_row *row)
{
    if (request->fit_all)
        return true;
    return request->fit != NULL ? rows_filter_matches(request->fit, row)
                                : !rows_filter_matches(request->predict, row);
}

static bool is_chosen_for_prediction(const struct predict_request *request,
                                     const struct rows_row *row)
{
    return request->predict != NULL ? rows_filter_matches(request->predict, row)
                                    : !rows_filter_matches(request->fit, row);
}

bool predict_is_fitted(const struct predict_request *request, const struct predict_fold *fold,
                       const struct rows_row *row)
{
    if (row->algorithm == NULL || row->system != fold->system || !predict_counts(request, row))
        return false;
    return fold->by_filters ? is_chosen_for_fit(request, row) : !is_held_out(fold, row);
}

/* A row that is fitted is never predicted, nor are those beside it that have no plan. */
static bool is_tested(const struct predict_request *request, const struct predict_fold *fold,
                      const struct rows_row *row)
{
    if (row->system != fold->system || !predict_counts(request, row))
        return false;
    if (request->fit_all)
        return request->forecasts > 0; /* what forecasts are compared with */
    return fold->by_filters
               ? is_chosen_for_prediction(request, row) && !is_chosen_for_fit(request, row)
               : is_held_out(fold, row);
}

/* ---- Folds ----------------------------------------------------------------------------------- */

static void describe(struct predict_fold *fold)
{
    char bytes[32];
    const char *name = predict_hold_out_names[fold->kind];
    if (fold->by_filters)
        snprintf(fold->held_out, sizeof fold->held_out, "%s", fold->text);
    else if (fold->kind == PREDICT_NODES)
        snprintf(fold->held_out, sizeof fold->held_out, "%s = %" PRId64, name, fold->number);
    else if (fold->kind == PREDICT_BYTES)
        snprintf(fold->held_out, sizeof fold->held_out, "%s = %s", name,
                 sup_format_bytes(fold->number, bytes, sizeof bytes));
    else
        snprintf(fold->held_out, sizeof fold->held_out, "%s = %.60s", name, fold->text);
}

static int add_fold(struct predict_result *result, const struct predict_fold *fold,
                    struct sup_error *error)
{
    if (!sup_array_grow(&result->fold, result->folds, sizeof *result->fold))
        return sup_fail(error, RB_ENOMEM, "out of memory");
    result->fold[result->folds] = *fold;
    result->fold[result->folds].first =
        result->folds == 0 || result->fold[result->folds - 1].system != fold->system;
    describe(&result->fold[result->folds++]);
    return RB_OK;
}

/* A fold for each value of this kind in a system's rows. */
static int add_values(const struct predict_request *request, const char *system,
                      enum predict_hold_out kind, struct predict_result *result,
                      struct sup_error *error)
{
    const size_t before = result->folds;
    int status = RB_OK;
    for (size_t i = 0; i < request->set->count && status == RB_OK; i++) {
        const struct rows_row *row = &request->set->row[i];
        if (row->system != system || !predict_counts(request, row) ||
            (kind == PREDICT_ALGORITHM && row->algorithm == NULL))
            continue;
        const struct predict_fold fold = {.system = system,
                                          .kind = kind,
                                          .number = number_of(row, kind),
                                          .text = text_of(row, kind)};
        bool known = false;
        for (size_t k = before; k < result->folds && !known; k++)
            known = is_held_out(&result->fold[k], row);
        if (!known)
            status = add_fold(result, &fold, error);
    }
    return status;
}

static void drop_folds(struct predict_result *result, size_t count)
{
    while (result->folds > count)
        free(result->fold[--result->folds].parameter);
}

static int add_system(const struct predict_request *request, const char *system,
                      struct predict_result *result, struct sup_error *error)
{
    static const enum predict_hold_out others[] = {PREDICT_NODES, PREDICT_COLLECTIVE, PREDICT_TEST,
                                                   PREDICT_BYTES};
    const size_t before = result->folds;
    if (request->fit_all || request->fit != NULL || request->predict != NULL) {
        const struct predict_fold fold = {.system = system,
                                          .by_filters = true,
                                          .text = request->fit_all ? "nothing" : "by filters"};
        return add_fold(result, &fold, error);
    }
    if (request->hold_out_asked) {
        const int status = add_values(request, system, request->hold_out, result, error);
        if (status == RB_OK && result->folds - before < 2)
            return sup_fail(error, RB_EINVAL,
                            "--hold-out %s: the rows of %s have only one value of it; hold out "
                            "something else",
                            predict_hold_out_names[request->hold_out], system);
        return status;
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        const int status = add_values(request, system, others[i], result, error);
        if (status != RB_OK)
            return status;
        if (result->folds - before >= 2) {
            const size_t length = strlen(result->note);
            if (i > 0)
                snprintf(result->note + length, sizeof result->note - length,
                         "%s%s: one number of nodes only, so %ss are held out in turn",
                         length == 0 ? "" : "; ", system, predict_hold_out_names[others[i]]);
            return RB_OK;
        }
        drop_folds(result, before);
    }
    return sup_fail(
        error, RB_EINVAL,
        "%s: its rows do not differ in nodes, collective, test or bytes: nothing can be "
        "held out",
        system);
}

static int add_folds(const struct predict_request *request, struct predict_result *result,
                     struct sup_error *error)
{
    int status = RB_OK;
    for (size_t i = 0; i < request->set->count && status == RB_OK; i++) {
        const struct rows_row *row = &request->set->row[i];
        bool known = false;
        if (!predict_counts(request, row))
            continue;
        result->rows++;
        for (size_t k = 0; k < result->folds && !known; k++)
            known = result->fold[k].system == row->system;
        if (!known)
            status = add_system(request, row->system, result, error);
        result->both +=
            (request->fit != NULL && request->predict != NULL &&
             rows_filter_matches(request->fit, row) && rows_filter_matches(request->predict, row));
    }
    if (status == RB_OK && result->rows == 0)
        return sup_fail(error, RB_EINVAL,
                        "no row is left of %zu: --system, --rows and --among choose none",
                        request->set->count);
    return status;
}

/* ---- Fitting and predicting ------------------------------------------------------------------ */

static int keep_parameters(const struct predict_model *model, struct predict_fold *fold,
                           struct sup_error *error)
{
    struct predict_parameter parameter;
    for (int32_t i = 0; predict_model_parameter(model, i, &parameter); i++) {
        if (!sup_array_grow(&fold->parameter, fold->parameters, sizeof *fold->parameter))
            return sup_fail(error, RB_ENOMEM, "out of memory");
        struct predict_kept_parameter *kept = &fold->parameter[fold->parameters++];
        snprintf(kept->name, sizeof kept->name, "%s", parameter.name);
        snprintf(kept->unit, sizeof kept->unit, "%s", parameter.unit);
        kept->value = parameter.value;
        kept->low = parameter.low;
        kept->high = parameter.high;
        kept->determined = parameter.determined;
    }
    return RB_OK;
}

static int fit(const struct predict_request *request, struct predict_fold *fold,
               const struct rows_row *rows[], struct predict_model **model, struct sup_error *error)
{
    struct sup_error reason = {""};
    const double started = sup_clock_s();
    fold->fitted = 0;
    for (size_t i = 0; i < request->set->count; i++)
        if (predict_is_fitted(request, fold, &request->set->row[i]))
            rows[fold->fitted++] = &request->set->row[i];
    if (fold->fitted == 0)
        return sup_fail(error, RB_EINVAL, "%s, %s: no row is left to fit: none outside has a plan",
                        fold->system, fold->held_out);
    int status = predict_fit(rows, fold->fitted, &request->options, model, &reason);
    if (status != RB_OK)
        return sup_fail(error, status, "%s, %s: %s", fold->system, fold->held_out, reason.text);
    fold->fit_s = sup_clock_s() - started;
    snprintf(fold->note, sizeof fold->note, "%s", predict_model_note(*model));
    return keep_parameters(*model, fold, error);
}

static int predict_fold(const struct predict_request *request, struct predict_result *result,
                        int32_t number, const struct rows_row *rows[], struct sup_error *error)
{
    struct predict_model *model = NULL;
    struct predict_fold *fold = &result->fold[number];
    const size_t first = result->count;
    int status = fit(request, fold, rows, &model, error);
    for (size_t i = 0; i < request->set->count && status == RB_OK; i++) {
        const struct rows_row *row = &request->set->row[i];
        if (!is_tested(request, fold, row))
            continue;
        if (!sup_array_grow(&result->tested, result->count, sizeof *result->tested)) {
            status = sup_fail(error, RB_ENOMEM, "out of memory");
            break;
        }
        struct predict_tested *tested = &result->tested[result->count++];
        *tested = (struct predict_tested){.row = row, .fold = number};
        if (request->fit_all)
            continue;
        status = predict_time(model, row, &tested->estimate, error);
        tested->predicted =
            status == RB_OK && isfinite(tested->estimate.time_s) && tested->estimate.time_s > 0;
        if (status == RB_ENOTSUP)
            status = RB_OK;
        result->no_plan += !tested->predicted && !row->own_choice;
    }
    if (status == RB_OK)
        status = predict_forecast_points(request, result, first, number, model, error);
    predict_model_free(model);
    return status;
}

int predict_run(const struct predict_request *request, struct predict_result *result,
                struct sup_error *error)
{
    const struct predict_kind *kind;
    struct cli_bar bar;
    *result = (struct predict_result){0};
    const struct rows_row **rows = calloc(request->set->count + 1, sizeof *rows);
    if (rows == NULL)
        return sup_fail(error, RB_ENOMEM, "out of memory");
    int status = predict_kind_find(request->options.model, &kind, error);
    if (status == RB_OK)
        status = add_folds(request, result, error);
    cli_bar_start(&bar, "fitting", (int64_t)result->folds);
    for (size_t i = 0; i < result->folds && status == RB_OK; i++) {
        cli_bar_update(&bar, (int64_t)i, result->fold[i].held_out);
        status = predict_fold(request, result, (int32_t)i, rows, error);
    }
    cli_bar_end(&bar);
    free(rows);
    if (status == RB_OK && result->count == 0 && !request->fit_all)
        status = sup_fail(error, RB_EINVAL,
                          "no row is left to predict: --predict chooses none that --fit leaves");
    if (status == RB_OK && predict_summarize(request, result) != RB_OK)
        status = sup_fail(error, RB_ENOMEM, "out of memory");
    return status;
}

void predict_free(struct predict_result *result)
{
    drop_folds(result, 0);
    free(result->fold);
    free(result->tested);
    free(result->forecast);
    free(result->group);
    free(result->collective);
    free(result->algorithm);
    *result = (struct predict_result){0};
}
