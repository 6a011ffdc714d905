/* model_nccl.c - the model "nccl": what NCCL's own cost model says (docs/gpu.md), to which nothing
 * is fitted. The rows only say how far off it is, which makes the intervals. And NCCL's own choice,
 * which is by the same model. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "roundabout.h"
#include "studies/machine/machine.h"
#include "studies/predict/predict.h"
#include "support/memory.h"

struct nccl {
    struct predict_model model;
    double middle, low, high; /* quantiles of measured / predicted */
};

static int time_of(const struct rows_row *row, double *time_s, struct sup_error *error)
{
    struct mach_engine_time time;
    if (row->manner.engine == NULL || strcmp(row->manner.engine, "nccl") != 0)
        return sup_fail(error, RB_ENOTSUP, "%s %s is not NCCL's", row->collective, row->name);
    const int status = mach_engine_time(row, &time, error);
    *time_s = time.time_s;
    return status;
}

static int fit(const struct rows_row *const rows[], int32_t count,
               const struct predict_options *options, struct predict_model **model,
               struct sup_error *error)
{
    const double tail = (1 - (options->confidence > 0 ? options->confidence : 0.9)) / 2;
    double *ratio = sup_malloc((size_t)count * sizeof *ratio);
    size_t used = 0;
    int status = RB_OK;
    for (int32_t i = 0; i < count && (status == RB_OK || status == RB_ENOTSUP); i++) {
        double time_s;
        status = time_of(rows[i], &time_s, error);
        if (status == RB_OK)
            ratio[used++] = rows[i]->median_s / time_s;
    }
    if (status == RB_OK || status == RB_ENOTSUP)
        status = used > 0 ? RB_OK : RB_EINVAL; /* with why the last row has no time */
    if (status == RB_OK) {
        struct nccl *nccl = sup_calloc(1, sizeof *nccl);
        sup_sort_reals(ratio, used);
        nccl->middle = sup_quantile(ratio, used, 0.5);
        nccl->low = sup_quantile(ratio, used, tail);
        nccl->high = sup_quantile(ratio, used, 1 - tail);
        *model = &nccl->model;
    }
    free(ratio);
    return status;
}

static int time_(struct predict_model *model, const struct rows_row *row,
                 struct predict_estimate *estimate, struct sup_error *error)
{
    const struct nccl *nccl = (const struct nccl *)(const void *)model;
    double time_s;
    const int status = time_of(row, &time_s, error);
    if (status == RB_OK)
        *estimate = (struct predict_estimate){time_s, fmin(nccl->low, 1) * time_s,
                                              fmax(nccl->high, 1) * time_s};
    return status;
}

static bool parameter(const struct predict_model *model, int32_t i,
                      struct predict_parameter *parameter_)
{
    const struct nccl *nccl = (const struct nccl *)(const void *)model;
    *parameter_ = (struct predict_parameter){.name = "measured over NCCL's model",
                                             .unit = "1",
                                             .value = nccl->middle,
                                             .low = nccl->low,
                                             .high = nccl->high,
                                             .determined = true};
    return i < 1;
}

static void free_(struct predict_model *model)
{
    free(model);
}

void predict_choose_nccl(struct rows_row row[], size_t count)
{
    struct sup_error none;
    for (size_t i = 0; i < count; i++)
        if (row[i].manner.engine != NULL && strcmp(row[i].manner.engine, "nccl") == 0 &&
            row[i].own_choice && row[i].ran == NULL &&
            mach_engine_choice(&row[i], &row[i].algorithm, &none) != RB_OK)
            row[i].algorithm = NULL;
}

const struct predict_kind predict_nccl = {
    .name = "nccl",
    .title = "NCCL's cost model with its own constants; nothing is fitted",
    .fit = fit,
    .time = time_,
    .parameter = parameter,
    .free = free_,
};
