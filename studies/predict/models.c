/* models.c - the models: their list, their times, and what they say of algorithms that were not
 * measured (predict.h). */
#include "studies/predict/predict.h"

#include <math.h>
#include <string.h>

#include "roundabout.h"
#include "support/memory.h"
#include "support/options/options.h"
#include "support/units.h"

static const struct predict_kind *const kinds[] = {
#define PREDICT_MODEL(name) &name,
#include "studies/predict/list.h"
};
enum { KINDS = sizeof kinds / sizeof *kinds };

const struct predict_kind *predict_kind_at(int32_t i)
{
    return i >= 0 && i < KINDS ? kinds[i] : NULL;
}

int predict_kind_find(const char *name, const struct predict_kind **kind, struct sup_error *error)
{
    const char *names[KINDS];
    char hint[SUP_HINT_SIZE], known[120] = "";
    for (int i = 0; i < KINDS; i++) {
        names[i] = kinds[i]->name;
        if (name == NULL || strcmp(name, names[i]) == 0) {
            *kind = kinds[i];
            return RB_OK;
        }
        strncat(known, i == 0 ? "the models are " : ", ", sizeof known - strlen(known) - 1);
        strncat(known, names[i], sizeof known - strlen(known) - 1);
    }
    return sup_fail(error, RB_EINVAL, "--model: there is no model \"%.40s\": %s", name,
                    sup_hint(name, names, KINDS, known, hint));
}

int predict_fit(const struct rows_row *const rows[], int32_t count,
                const struct predict_options *options, struct predict_model **model,
                struct sup_error *error)
{
    const struct predict_kind *kind;
    *model = NULL;
    int status = predict_kind_find(options->model, &kind, error);
    if (status == RB_OK)
        status = kind->fit(rows, count, options, model, error);
    if (status == RB_OK)
        (*model)->kind = kind;
    return status;
}

int predict_time(struct predict_model *model, const struct rows_row *row,
                 struct predict_estimate *estimate, struct sup_error *error)
{
    if (row->algorithm == NULL)
        return sup_fail(error, RB_ENOTSUP, "%s %s has no plan", row->collective, row->name);
    return model->kind->time(model, row, estimate, error);
}

bool predict_model_parameter(const struct predict_model *model, int32_t i,
                             struct predict_parameter *parameter)
{
    return model->kind->parameter(model, i, parameter);
}

const char *predict_model_note(const struct predict_model *model)
{
    return model->kind->note == NULL ? "" : model->kind->note(model);
}

void predict_model_free(struct predict_model *model)
{
    if (model != NULL)
        model->kind->free(model);
}

/* ---- What was not measured ------------------------------------------------------------------- */

enum {
    MOST_BLOCKS = 512,
    /* Where each rank owns a part, parts are small already, and plans of many blocks long. */
    MOST_BLOCKS_OF_PARTS = 4,
    MOST_BLOCKS_SIMULATED = 16, /* by an engine, which follows every message */
    LEAST_BLOCK = 1024          /* bytes */
};

/* The rows of a point that say best how the machine is used: with a plan, and carried by the
 * library's own messages. */
static bool is_plain(const struct rows_row *row)
{
    return row->algorithm != NULL && row->transport[0] == '\0';
}

static bool is_first_of_point(const struct predict_result *result, size_t first, size_t i)
{
    for (size_t k = first; k < i; k++)
        if (predict_same_point(result->tested[k].row, result->tested[i].row))
            return false;
    return true;
}

static const struct rows_row *plainest(const struct predict_result *result, size_t first)
{
    for (size_t i = first; i < result->count; i++)
        if (predict_same_point(result->tested[i].row, result->tested[first].row) &&
            is_plain(result->tested[i].row))
            return result->tested[i].row;
    return result->tested[first].row;
}

/* The n, a power of two, for which the predicted time is least. */
static int best_n(struct predict_model *model, const struct rb_algorithm_info *info,
                  const struct rows_row *like, struct predict_forecast *best,
                  struct sup_error *error)
{
    const bool parts = rb_collective_find(info->collective)->distributed;
    const int64_t most = !info->pipelined              ? 1
                         : parts                       ? MOST_BLOCKS_OF_PARTS
                         : like->manner.engine != NULL ? MOST_BLOCKS_SIMULATED
                                                       : MOST_BLOCKS;
    struct rows_row row = *like;
    int status = RB_OK;
    row.name = row.algorithm = info->name;
    row.own_choice = false;
    row.radix = 0;
    row.interfaces = 1;
    row.manner = (struct mpilib_manner){.sends = MPILIB_IN_ROUNDS,
                                        .engine = like->manner.engine == NULL ? NULL : "flow"};
    row.segment_bytes = 0;
    best->estimate.time_s = INFINITY;
    for (row.n = 1;
         row.n <= most && (row.n == 1 || row.bytes / row.n >= LEAST_BLOCK) && status == RB_OK;
         row.n *= 2) {
        struct predict_estimate estimate;
        status = predict_time(model, &row, &estimate, error);
        if (status == RB_OK && estimate.time_s < best->estimate.time_s) {
            best->estimate = estimate;
            best->n = row.n;
        }
    }
    return status == RB_ENOTSUP ? RB_OK : status;
}

int predict_forecast_points(const struct predict_request *request, struct predict_result *result,
                            size_t first, int32_t fold, struct predict_model *model,
                            struct sup_error *error)
{
    struct cli_bar bar;
    int status = RB_OK;
    if (request->forecasts == 0)
        return RB_OK;
    cli_bar_start(&bar, "forecasting", (int64_t)(result->count - first));
    for (size_t i = first; i < result->count && status == RB_OK; i++) {
        if (!is_first_of_point(result, first, i))
            continue;
        const struct rows_row *like = plainest(result, i);
        cli_bar_update(&bar, (int64_t)(i - first), like->collective);
        for (int32_t k = 0; k < request->forecasts && status == RB_OK; k++) {
            const struct rb_algorithm_info *info =
                rb_algorithm_find(like->collective, request->forecast[k]);
            if (info == NULL)
                continue;
            struct predict_forecast best = {.row = like, .fold = fold, .algorithm = info->name};
            status = best_n(model, info, like, &best, error);
            if (status != RB_OK || isinf(best.estimate.time_s))
                continue; /* without a time the algorithm does not serve this p */
            sup_grow(&result->forecast, result->forecasts, sizeof *result->forecast);
            result->forecast[result->forecasts++] = best;
        }
    }
    cli_bar_end(&bar);
    return status;
}
