/* models.c - the list of models (predict.h). */
#include "studies/predict/predict.h"

#include <string.h>

#include "roundabout.h"
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
