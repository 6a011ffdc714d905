/* run.c - fits and predictions: which rows are fitted, which are held out (predict.h). */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "roundabout.h"
#include "studies/predict/predict.h"
#include "support/eta.h"
#include "support/memory.h"
#include "support/options/options.h"
#include "support/pool.h"
#include "support/units.h"

const char *const predict_hold_out_names[PREDICT_HOLD_OUTS] = {
    "nodes", "collective", "test", "bytes", "algorithm", "largest", "system"};

static bool is_wanted(const struct predict_request *request, const struct rows_row *row)
{
    if (!rows_filter_matches(request->rows, row))
        return false;
    return request->among == NULL || row->own_choice || rows_like(request->among, row->name) ||
           (row->algorithm != NULL && rows_like(request->among, row->algorithm));
}

bool predict_counts(const struct predict_request *request, const struct rows_row *row)
{
    return (request->system == NULL || row->system == request->system) && is_wanted(request, row);
}

/* ---- What is held out ------------------------------------------------------------------------ */

static int64_t number_of(const struct rows_row *row, enum predict_hold_out kind)
{
    return kind == PREDICT_NODES     ? row->nodes
           : kind == PREDICT_BYTES   ? row->bytes
           : kind == PREDICT_LARGEST ? row->p
                                     : 0;
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

/* The words for a machine: its nodes form a torus, or its network is switched. */
static bool is_on_torus(const struct rows_row *row)
{
    return strchr(row->shape, 'x') != NULL;
}

/* Rows without a plan, with which the others are compared, count for the first fold if algorithms
 * are held out. */
static bool is_held_out(const struct predict_fold *fold, const struct rows_row *row)
{
    if (fold->kind == PREDICT_ALGORITHM && row->algorithm == NULL)
        return fold->first;
    if (fold->kind == PREDICT_SYSTEM)
        return row->system == fold->system;
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
    if (fold->kind == PREDICT_SYSTEM)
        return row->algorithm != NULL && row->system != fold->system && is_wanted(request, row) &&
               (fold->number < 0 || fold->number == is_on_torus(row));
    if (row->algorithm == NULL || row->system != fold->system || !predict_counts(request, row))
        return false;
    if (fold->kind == PREDICT_LARGEST && !fold->by_filters)
        return row->p < fold->number;
    if (request->asked != NULL || fold->judges)
        return (request->asked != NULL ? rows_filter_matches(request->fit, row)
                                       : is_chosen_for_fit(request, row)) &&
               (!fold->judges || row->nodes <= fold->number);
    return fold->by_filters ? is_chosen_for_fit(request, row) : !is_held_out(fold, row);
}

/* The rows of which a fold predicts some. */
static const struct rows_row *rows_of(const struct predict_request *request,
                                      const struct predict_fold *fold, size_t *count)
{
    const bool asked = request->asked != NULL && !fold->judges;
    *count = asked ? request->asked->count : request->set->count;
    return asked ? request->asked->row : request->set->row;
}

/* A row that is fitted is never predicted, nor are those beside it that have no plan. */
static bool is_tested(const struct predict_request *request, const struct predict_fold *fold,
                      const struct rows_row *row)
{
    if (row->system != fold->system)
        return false;
    if (request->asked != NULL && !fold->judges)
        return true;
    if (!predict_counts(request, row))
        return false;
    if (fold->judges && fold->kind == PREDICT_LARGEST)
        return row->algorithm != NULL && is_held_out(fold, row);
    if (fold->judges)
        return row->algorithm != NULL && row->nodes > fold->number &&
               (request->asked != NULL ? rows_filter_matches(request->fit, row)
                                       : is_chosen_for_fit(request, row));
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
    else if (fold->kind == PREDICT_LARGEST)
        snprintf(fold->held_out, sizeof fold->held_out, "p = %" PRId64 ", from fewer",
                 fold->number);
    else if (fold->kind == PREDICT_NODES)
        snprintf(fold->held_out, sizeof fold->held_out, "%s = %" PRId64, name, fold->number);
    else if (fold->kind == PREDICT_BYTES)
        snprintf(fold->held_out, sizeof fold->held_out, "%s = %s", name,
                 sup_format_bytes(fold->number, bytes, sizeof bytes));
    else
        snprintf(fold->held_out, sizeof fold->held_out, "%s = %.60s", name, fold->text);
}

static void add_fold(struct predict_result *result, const struct predict_fold *fold)
{
    sup_grow(&result->fold, result->folds, sizeof *result->fold);
    result->fold[result->folds] = *fold;
    result->fold[result->folds].first =
        result->folds == 0 || result->fold[result->folds - 1].system != fold->system;
    describe(&result->fold[result->folds++]);
}

/* A fold for each value of this kind in a system's rows. */
static void add_values(const struct predict_request *request, const char *system,
                       enum predict_hold_out kind, struct predict_result *result)
{
    const size_t before = result->folds;
    for (size_t i = 0; i < request->set->count; i++) {
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
            add_fold(result, &fold);
    }
}

/* Folds of the largest numbers of ranks, but the smallest of all, from which nothing would be left
 * to fit. */
static void add_largest(const struct predict_request *request, const char *system,
                        struct predict_result *result)
{
    enum { MOST = 4 };
    struct sup_list p = {.value = sup_calloc(request->set->count, sizeof *p.value)};
    size_t count = 0;
    for (size_t i = 0; i < request->set->count; i++) {
        const struct rows_row *row = &request->set->row[i];
        if (row->system == system && predict_counts(request, row) && row->algorithm != NULL)
            p.value[count++] = row->p;
    }
    sup_list_tidy(&p, count);
    for (size_t i = p.count > MOST ? p.count - MOST : 1; i < p.count; i++) {
        const struct predict_fold fold = {
            .system = system, .kind = PREDICT_LARGEST, .number = p.value[i], .text = ""};
        add_fold(result, &fold);
    }
    if (p.count < 2)
        sup_append(result->note, sizeof result->note, "; ",
                   "%s is left out, because its rows have one number of ranks", system);
    sup_list_free(&p);
}

/* A fold of a whole machine, fitted on those whose network is of its kind, or on all if there are
 * none. */
static void add_machine(const struct predict_request *request, const char *system,
                        struct predict_result *result)
{
    struct predict_fold fold = {
        .system = system, .kind = PREDICT_SYSTEM, .text = system, .number = -1};
    bool torus = false, alike = false;
    for (size_t i = 0; i < request->set->count; i++)
        torus =
            torus || (request->set->row[i].system == system && is_on_torus(&request->set->row[i]));
    for (size_t i = 0; i < request->set->count; i++)
        alike = alike ||
                (request->set->row[i].system != system && request->set->row[i].algorithm != NULL &&
                 is_wanted(request, &request->set->row[i]) &&
                 is_on_torus(&request->set->row[i]) == torus);
    fold.number = alike ? torus : -1;
    add_fold(result, &fold);
}

void predict_drop_folds(struct predict_result *result, size_t count)
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
    if (request->asked != NULL || request->fit_all || request->fit != NULL ||
        request->predict != NULL) {
        const struct predict_fold fold = {.system = system,
                                          .by_filters = true,
                                          .text = request->asked != NULL ? "points"
                                                  : request->fit_all     ? "nothing"
                                                                         : "by filters"};
        add_fold(result, &fold);
        return RB_OK;
    }
    if (request->hold_out_asked && request->hold_out == PREDICT_LARGEST) {
        add_largest(request, system, result);
        return RB_OK;
    }
    if (request->hold_out_asked && request->hold_out == PREDICT_SYSTEM) {
        add_machine(request, system, result);
        return RB_OK;
    }
    if (request->hold_out_asked) {
        add_values(request, system, request->hold_out, result);
        if (result->folds - before < 2)
            return sup_fail(error, RB_EINVAL,
                            "--hold-out %s: the rows of %s have only one value of it; hold out "
                            "something else",
                            predict_hold_out_names[request->hold_out], system);
        return RB_OK;
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        add_values(request, system, others[i], result);
        if (result->folds - before >= 2) {
            if (i > 0)
                sup_append(result->note, sizeof result->note, "; ",
                           "%s has rows of one number of nodes, so %s%s are held out in turn",
                           system, predict_hold_out_names[others[i]],
                           others[i] == PREDICT_BYTES ? "" : "s");
            return RB_OK;
        }
        predict_drop_folds(result, before);
    }
    return sup_fail(
        error, RB_EINVAL,
        "%s: its rows do not differ in nodes, collective, test or bytes: nothing can be "
        "held out",
        system);
}

/* Fits of a system's rows to its smaller numbers of nodes alone, a few of them spread evenly; where
 * the largest numbers of ranks are held out, as these, but smaller. */
static void add_judges(const struct predict_request *request, size_t of,
                       struct predict_result *result)
{
    enum { MOST_JUDGES = 4 };
    const bool largest = result->fold[of].kind == PREDICT_LARGEST;
    struct sup_list value = {.value = sup_calloc(request->set->count, sizeof *value.value)};
    size_t count = 0;
    for (size_t i = 0; i < request->set->count; i++)
        if (predict_is_fitted(request, &result->fold[of], &request->set->row[i]))
            value.value[count++] = largest ? request->set->row[i].p : request->set->row[i].nodes;
    sup_list_tidy(&value, count);
    /* Beyond the largest there is nothing to predict, below the smallest nothing to fit. */
    value.count -= value.count > 0;
    if (largest)
        memmove(value.value, value.value + 1, value.count * sizeof *value.value);
    sup_list_thin(&value, MOST_JUDGES);
    for (size_t i = 0; i < value.count; i++) {
        const struct predict_fold fold = {.system = result->fold[of].system,
                                          .judges = true,
                                          .kind = largest ? PREDICT_LARGEST : PREDICT_NODES,
                                          .number = value.value[i],
                                          .text = ""};
        add_fold(result, &fold);
    }
    sup_list_free(&value);
}

static bool is_first_of_system(const struct predict_request *request, size_t i)
{
    for (size_t k = i; k-- > 0;)
        if (request->set->row[k].system == request->set->row[i].system &&
            predict_counts(request, &request->set->row[k]))
            return false;
    return true;
}

static int add_folds(const struct predict_request *request, bool leans,
                     struct predict_result *result, struct sup_error *error)
{
    int status = RB_OK;
    for (size_t i = 0; i < request->set->count && status == RB_OK; i++) {
        const struct rows_row *row = &request->set->row[i];
        if (!predict_counts(request, row))
            continue;
        result->rows++;
        if (is_first_of_system(request, i))
            status = add_system(request, row->system, result, error);
        result->both +=
            (request->fit != NULL && request->predict != NULL &&
             rows_filter_matches(request->fit, row) && rows_filter_matches(request->predict, row));
    }
    const size_t systems = result->folds;
    const bool largest = request->hold_out_asked && request->hold_out == PREDICT_LARGEST;
    const bool judged = request->asked != NULL ||
                        (leans && (largest || request->fit != NULL || request->predict != NULL));
    for (size_t k = 0; k < systems && status == RB_OK && judged; k++)
        if (result->fold[k].first)
            add_judges(request, k, result);
    if (status == RB_OK && result->rows == 0)
        return sup_fail(error, RB_EINVAL,
                        "no row is left of %zu: the options that choose rows leave none",
                        request->set->count);
    if (status == RB_OK && result->folds == 0)
        return sup_fail(error, RB_EINVAL, "--hold-out largest: %s", result->note);
    return status;
}

/* ---- Fitting and predicting ------------------------------------------------------------------ */

static void keep_parameters(const struct predict_model *model, struct predict_fold *fold)
{
    struct predict_parameter parameter;
    for (int32_t i = 0; predict_model_parameter(model, i, &parameter); i++) {
        sup_grow(&fold->parameter, fold->parameters, sizeof *fold->parameter);
        struct predict_kept_parameter *kept = &fold->parameter[fold->parameters++];
        snprintf(kept->name, sizeof kept->name, "%s", parameter.name);
        snprintf(kept->unit, sizeof kept->unit, "%s", parameter.unit);
        kept->value = parameter.value;
        kept->low = parameter.low;
        kept->high = parameter.high;
        kept->determined = parameter.determined;
    }
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
    keep_parameters(*model, fold);
    return RB_OK;
}

int predict_fit_others(const struct predict_request *request, const char *system,
                       const struct rows_row *rows[], int32_t *count, struct predict_model **model,
                       struct sup_error *error)
{
    struct predict_result result = {.fold = sup_calloc(1, sizeof *result.fold), .folds = 1};
    *result.fold = (struct predict_fold){.kind = PREDICT_SYSTEM,
                                         .system = system == NULL ? "" : system,
                                         .held_out = "other machines"};
    const int status = fit(request, result.fold, rows, model, error);
    *count = result.fold->fitted;
    predict_free(&result);
    return status;
}

static int predict_fold(const struct predict_request *request, struct predict_result *result,
                        int32_t number, const struct rows_row *rows[], struct sup_error *error)
{
    struct predict_model *model = NULL;
    struct predict_fold *fold = &result->fold[number];
    const size_t first = result->count;
    int status = fit(request, fold, rows, &model, error);
    int32_t most = PREDICT_MOST_RANKS; /* or as many as fitted rows have */
    for (int32_t i = 0; i < fold->fitted && status == RB_OK; i++)
        most = rows[i]->p > most ? rows[i]->p : most;
    if (fold->judges && status == RB_EINVAL)
        return RB_OK; /* then it judges nothing */
    size_t count;
    const struct rows_row *all = rows_of(request, fold, &count);
    for (size_t i = 0; i < count && status == RB_OK; i++) {
        const struct rows_row *row = &all[i];
        if (!is_tested(request, fold, row))
            continue;
        sup_grow(&result->tested, result->count, sizeof *result->tested);
        struct predict_tested *tested = &result->tested[result->count++];
        *tested = (struct predict_tested){.row = row, .fold = number};
        if (request->fit_all)
            continue;
        status = fold->judges || request->asked == NULL
                     ? predict_time(model, row, &tested->estimate, error)
                     : predict_time_asked(model, most, tested, error);
        tested->predicted =
            status == RB_OK && isfinite(tested->estimate.time_s) && tested->estimate.time_s > 0;
        if (status == RB_ENOTSUP)
            status = RB_OK;
        result->no_plan += !tested->predicted && !row->own_choice && !fold->judges;
    }
    if (status == RB_OK && !fold->judges)
        status = predict_forecast_points(request, result, first, number, model, error);
    predict_model_free(model);
    return status;
}

/* ---- Several folds at a time ----------------------------------------------------------------- */

enum { MOST_PARAMETERS = 256 };
/* Seconds that a fitted row costs, about. */
static const double row_s = 1e-2;

/* What a worker hands back of a fold, in memory that it shares; `tested` and then `forecast` stand
 * behind it. Rows and names are where they are in this process. */
struct outcome {
    int status;
    struct sup_error error;
    struct predict_fold fold; /* without its parameters */
    size_t parameters, count, forecasts;
    int64_t no_plan;
    struct predict_kept_parameter parameter[MOST_PARAMETERS];
    struct predict_tested tested[];
};

struct folding {
    const struct predict_request *request;
    struct predict_result *result;
    const struct rows_row **rows; /* room for all */
    size_t most_tested;           /* of a fold */
    struct cli_bar bar;
    struct sup_eta *eta;
};

static struct predict_forecast *forecasts_of(const struct folding *folding, struct outcome *outcome)
{
    return (struct predict_forecast *)(void *)&outcome->tested[folding->most_tested];
}

static void find_most_tested(struct folding *folding)
{
    for (size_t k = 0; k < folding->result->folds; k++) {
        size_t all, count = 0;
        const struct predict_fold *fold = &folding->result->fold[k];
        const struct rows_row *row = rows_of(folding->request, fold, &all);
        for (size_t i = 0; i < all; i++)
            count += is_tested(folding->request, fold, &row[i]);
        folding->most_tested = count > folding->most_tested ? count : folding->most_tested;
    }
}

static void hand_back(const struct folding *folding, struct predict_result *local, size_t number,
                      struct outcome *outcome)
{
    const struct predict_fold *fold = &local->fold[number];
    outcome->fold = *fold;
    outcome->parameters =
        fold->parameters < MOST_PARAMETERS ? fold->parameters : (size_t)MOST_PARAMETERS;
    outcome->count = local->count;
    outcome->forecasts = local->forecasts;
    outcome->no_plan = local->no_plan;
    for (size_t i = 0; i < outcome->parameters; i++)
        outcome->parameter[i] = fold->parameter[i];
    for (size_t i = 0; i < local->count; i++)
        outcome->tested[i] = local->tested[i];
    for (size_t i = 0; i < local->forecasts; i++)
        forecasts_of(folding, outcome)[i] = local->forecast[i];
}

/* In a worker, whose folds are a copy. */
static void work_on_folds(void *context, struct sup_pool_worker *worker, void *memory)
{
    const struct folding *folding = context;
    struct outcome *outcome = memory;
    cli_show_progress(false); /* the parent shows it */
    for (size_t i; sup_pool_next(worker, &i);) {
        struct predict_result local = {.fold = folding->result->fold,
                                       .folds = folding->result->folds};
        outcome->status =
            predict_fold(folding->request, &local, (int32_t)i, folding->rows, &outcome->error);
        if (outcome->status == RB_OK)
            hand_back(folding, &local, i, outcome);
        free(local.tested);
        free(local.forecast);
    }
}

/* Appends what a worker has handed back. */
static int take_back(const struct folding *folding, size_t number, struct outcome *outcome,
                     struct sup_error *error)
{
    struct predict_result *result = folding->result;
    struct predict_fold *fold = &result->fold[number];
    if (outcome->status != RB_OK)
        return sup_fail(error, outcome->status, "%s", outcome->error.text);
    *fold = outcome->fold;
    fold->parameter = sup_calloc(outcome->parameters, sizeof *fold->parameter);
    fold->parameters = outcome->parameters;
    for (size_t i = 0; i < fold->parameters; i++)
        fold->parameter[i] = outcome->parameter[i];
    for (size_t i = 0; i < outcome->count; i++) {
        sup_grow(&result->tested, result->count, sizeof *result->tested);
        result->tested[result->count++] = outcome->tested[i];
    }
    for (size_t i = 0; i < outcome->forecasts; i++) {
        sup_grow(&result->forecast, result->forecasts, sizeof *result->forecast);
        result->forecast[result->forecasts++] = forecasts_of(folding, outcome)[i];
    }
    result->no_plan += outcome->no_plan;
    return RB_OK;
}

static int fold_is_done(void *context, const struct sup_pool_piece *piece, struct sup_error *error)
{
    struct folding *folding = context;
    const struct predict_fold *fold = &folding->result->fold[piece->i];
    if (piece->lost != NULL)
        return sup_fail(error, piece->lost_status, "%s, %s: its process is lost: %s", fold->system,
                        fold->held_out, piece->lost);
    sup_eta_done(folding->eta, piece->i, piece->wall_s);
    return take_back(folding, piece->i, piece->memory, error);
}

static bool show_folds(void *context, const struct sup_pool *pool)
{
    struct folding *folding = context;
    const struct predict_fold *fold = folding->result->fold;
    struct sup_pool_piece piece;
    const char *note = NULL;
    if (!cli_bar_is_due(&folding->bar))
        return false;
    for (int32_t w = 0; w < pool->workers; w++)
        if (sup_pool_busy(pool, w, &piece))
            note = fold[piece.i].held_out;
    cli_bar_show(&folding->bar, sup_eta_pool_left_s(folding->eta, pool, NULL), note);
    return false;
}

static void start_progress(struct folding *folding, int32_t workers)
{
    const struct predict_request *request = folding->request;
    const struct predict_result *result = folding->result;
    folding->eta = sup_eta_create(result->folds, workers, 0);
    for (size_t k = 0; k < result->folds; k++) {
        double rows = 0;
        for (size_t i = 0; i < request->set->count; i++)
            rows += predict_is_fitted(request, &result->fold[k], &request->set->row[i]);
        sup_eta_describe(folding->eta, k, row_s * rows, 0);
    }
}

static int in_workers(struct folding *folding, struct sup_error *error)
{
    const struct predict_request *request = folding->request;
    const int32_t folds = (int32_t)folding->result->folds;
    find_most_tested(folding);
    const size_t most = folding->most_tested;
    struct sup_pool pool = {.count = folding->result->folds,
                            .workers = request->jobs < folds ? request->jobs : folds,
                            .memory_size =
                                sizeof(struct outcome) + most * sizeof(struct predict_tested) +
                                most * (size_t)request->forecasts * sizeof(struct predict_forecast),
                            .context = folding,
                            .work = work_on_folds,
                            .done = fold_is_done,
                            .tick = show_folds};
    start_progress(folding, pool.workers);
    const int status = sup_pool_run(&pool, error);
    sup_pool_free(&pool);
    sup_eta_destroy(folding->eta);
    return status;
}

/* Workers end in any order; forecasts stand in that of the folds, and tested rows are sorted later.
 */
static void sort_forecasts(struct predict_result *result)
{
    size_t count = 0;
    struct predict_forecast *sorted = sup_calloc(result->forecasts, sizeof *sorted);
    for (int32_t fold = 0; fold < (int32_t)result->folds; fold++)
        for (size_t i = 0; i < result->forecasts; i++)
            if (result->forecast[i].fold == fold)
                sorted[count++] = result->forecast[i];
    free(result->forecast);
    result->forecast = sorted;
}

static int do_folds(const struct predict_request *request, struct predict_result *result,
                    struct sup_error *error)
{
    struct folding folding = {.request = request,
                              .result = result,
                              .rows = sup_calloc(request->set->count, sizeof *folding.rows)};
    int status = RB_OK;
    cli_bar_start(&folding.bar, "fitting", (int64_t)result->folds);
    if (request->jobs > 0 && (result->folds > 1 || !request->fit_all))
        status = in_workers(&folding, error);
    else
        for (size_t i = 0; i < result->folds && status == RB_OK; i++) {
            cli_bar_update(&folding.bar, (int64_t)i, result->fold[i].held_out);
            status = predict_fold(request, result, (int32_t)i, folding.rows, error);
        }
    cli_bar_end(&folding.bar);
    free(folding.rows);
    sort_forecasts(result);
    return status;
}

int predict_run(const struct predict_request *request, struct predict_result *result,
                struct sup_error *error)
{
    const struct predict_kind *kind;
    *result = (struct predict_result){0};
    int status = predict_kind_find(request->options.model, &kind, error);
    if (status == RB_OK)
        status = add_folds(request, kind->leans, result, error);
    if (status == RB_OK)
        status = do_folds(request, result, error);
    if (status == RB_OK && !request->fit_all) {
        predict_lean_all(request, result, kind->leans ? PREDICT_SHARE : 0);
        predict_widen(request, result);
    }
    if (status == RB_OK && result->count == 0 && !request->fit_all)
        status = sup_fail(error, RB_EINVAL,
                          "no row is left to predict: --predict chooses none that --fit leaves");
    if (status == RB_OK)
        predict_summarize(request, result);
    return status;
}

void predict_free(struct predict_result *result)
{
    predict_drop_folds(result, 0);
    free(result->fold);
    free(result->tested);
    free(result->forecast);
    free(result->group);
    free(result->collective);
    free(result->algorithm);
    *result = (struct predict_result){0};
}
