/* models.h - a model of a machine: it is fitted to measured rows, and then says how long other
 * collectives take on that machine.
 *
 * One model is one file with one const descriptor and one line in measurements/predict/list.h; the
 * first one in the list is the default. The verb `predict` and its evaluation (predict.h) know only
 * the functions below. */
#ifndef MEASUREMENTS_PREDICT_MODELS_H
#define MEASUREMENTS_PREDICT_MODELS_H

#include <stdbool.h>
#include <stdint.h>

#include "experiments/rows/rows.h"
#include "support/error.h"

struct predict_options {
    const char *model; /* name of the model; NULL: the default */
    double confidence; /* of the intervals, such as 0.9; 0: the model's default, 0.9 */
};

/* A predicted time, and between which times the measured one is expected with the confidence of the
 * options; low_s and high_s are NAN if the model can't say. */
struct predict_estimate {
    double time_s, low_s, high_s;
};

struct predict_parameter {
    const char *name;        /* "latency", "bandwidth 64KiB.." */
    const char *unit;        /* "s", "B/s", "1"; for display */
    double value, low, high; /* confidence interval; low and high NAN: not known */
    bool determined; /* false: the rows do not determine it, and value is where the fit started */
};

struct predict_model; /* a fitted model of one machine */

/* Fits a model to rows, which are all of one system and have an algorithm (rows_row.algorithm is
 * not NULL); they stay valid as long as the model. RB_EINVAL with a message if these rows can't be
 * fitted; RB_EFAILED. Deterministic: the same rows in the same order give the same
 * model. */
int predict_fit(const struct rows_row *const rows[], int32_t count,
                const struct predict_options *options, struct predict_model **model,
                struct sup_error *error);

/* The time of a row, of which only what was run is read, never a time. RB_ENOTSUP with why (the
 * buffer may be NULL) if the row has no plan, or the model doesn't know such plans. The
 * row need not be from the fitted system's data. */
int predict_time(struct predict_model *model, const struct rows_row *row,
                 struct predict_estimate *estimate, struct sup_error *error);

/* The i-th parameter; false beyond the last. */
bool predict_model_parameter(const struct predict_model *model, int32_t i,
                             struct predict_parameter *parameter);
/* A line for the user about the fit: "6 of 9 parameters determined, median error 4.1 %"; "" if
 * there is nothing to say. */
const char *predict_model_note(const struct predict_model *model);
void predict_model_free(struct predict_model *model); /* NULL is fine */

/* ---- For the models
 * ------------------------------------------------------------------------------ */

/* A model's descriptor; the functions are those above. Every fitted model of a kind begins with
 * this struct, whose `kind` predict_fit sets. */
struct predict_kind {
    const char *name;  /* value of --model */
    const char *title; /* one line */
    int (*fit)(const struct rows_row *const rows[], int32_t count,
               const struct predict_options *options, struct predict_model **model,
               struct sup_error *error);
    int (*time)(struct predict_model *model, const struct rows_row *row,
                struct predict_estimate *estimate, struct sup_error *error);
    bool (*parameter)(const struct predict_model *model, int32_t i,
                      struct predict_parameter *parameter);
    const char *(*note)(const struct predict_model *model); /* NULL: nothing to say */
    void (*free)(struct predict_model *model);
};

struct predict_model {
    const struct predict_kind *kind;
};

const struct predict_kind *predict_kind_at(int32_t i); /* NULL beyond the last */
/* The model of this name, or the default for NULL. RB_EINVAL with a message that names --model. */
int predict_kind_find(const char *name, const struct predict_kind **kind, struct sup_error *error);

#define PREDICT_MODEL(name) extern const struct predict_kind name;
#include "measurements/predict/list.h"
#undef PREDICT_MODEL

#endif
