/* calibrate.h - makes a platform from measurements, and says how well it predicts them. */
#ifndef EXPERIMENTS_CALIBRATE_CALIBRATE_H
#define EXPERIMENTS_CALIBRATE_CALIBRATE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "command/options/common_options.h"
#include "experiments/calibrate/pieces.h"
#include "mpi/measure/measured.h"
#include "mpi/measure/request.h"

struct calib_request {
    const char *const *files; /* CSV of `measure` */
    int32_t file_count;
    const char *name; /* NAME.json and NAME.xml are made */
    double held_out;  /* share of the sizes that is never fitted */
    uint64_t seed;    /* which these are */
    int32_t most_pieces;
    const struct plot_request *place; /* of the figures; NULL: none */
};

/* The measurement for one message size: the row with the median time of all pairs' rows. */
struct calib_size {
    double bytes;
    const struct measure_result *row;
    bool held_out;
};

/* One of the tests between two ranks, by size. */
struct calib_test {
    struct calib_size *size; /* owned, rising; count 0: not measured */
    size_t count;
    struct calib_pieces pieces; /* fitted to those that are not held out */
};

/* How a time was predicted. */
enum calib_predictor {
    CALIB_BY_FIT,     /* a test by its own pieces */
    CALIB_BY_ROUNDS,  /* a plan: each round costs as much as its longest message */
    CALIB_BY_SIMGRID, /* a plan: by the engine, on the platform made here */
    CALIB_PREDICTORS
};
extern const char *const calib_predictor_names[CALIB_PREDICTORS];

struct calib_prediction {
    const struct measure_result *row;
    enum calib_predictor predictor;
    bool held_out;
    double predicted_s;
};

struct calib_result {
    const struct calib_request *request;
    struct measure_result_rows rows;    /* owned */
    const struct measure_result *first; /* of the pairs' rows: the machine */
    struct calib_test test[MEASURE_PAIR_TESTS];
    enum measure_pair_test basis;        /* of the platform: exchange if measured, else latency */
    struct calib_piece overall;          /* the basis by one piece, for models that know no more */
    int32_t hosts;                       /* of the platform */
    struct calib_prediction *prediction; /* owned */
    size_t prediction_count;
    int64_t other_pairs; /* rows left out: pairs on one host where others are on two */
    int64_t natives;     /* rows of the library's own collectives, which have no plan */
};

/* Reads and fits. RB_EINVAL with a message, RB_ENOMEM, RB_EIO. The caller frees the result, also
 * after a failure. */
int calib_run(const struct calib_request *request, struct calib_result *calibration,
              struct sup_error *error);
void calib_free(struct calib_result *calibration); /* safe on a zeroed struct */

/* Predicts everything that was measured; platform is the file of calib_platform.
 * RB_EFAILED, RB_ENOMEM. */
int calib_predict(struct calib_result *calibration, const char *platform, struct sup_error *error);

/* NAME.json's content (docs/calibrate.md), NULL: out of memory. */
json_t *calib_json(const struct calib_result *calibration);
/* Writes the content of NAME.xml; the stream has write errors. RB_ENOMEM, RB_EFAILED. */
int calib_platform(const struct calib_result *calibration, FILE *stream, struct sup_error *error);

/* |predicted / measured - 1| of a group of predictions: the same test or collective and algorithm,
 * predictor, held out or not, more ranks than cores or not. */
struct calib_error_summary {
    const struct calib_prediction *first; /* of the group */
    size_t count;
    double median, q1, q3, worst; /* of |predicted / measured - 1| */
    double bias;                  /* median of predicted / measured - 1 */
};
/* *groups is the caller's, in the order of the predictions. RB_ENOMEM. */
int calib_summarize_errors(const struct calib_result *calibration,
                           struct calib_error_summary **groups, size_t *count);
/* "latency", or "bcast circulant". */
const char *calib_prediction_subject(const struct calib_prediction *prediction, char *text,
                                     size_t size);
double calib_prediction_error(const struct calib_prediction *prediction);

/* Prints the results. RB_ENOMEM. */
int calib_report(const struct calib_result *calibration, enum out_format format, FILE *stream);

/* NAME-fit and NAME-predicted. RB_EINVAL, RB_EIO, RB_EFAILED. */
int calib_draw(const struct calib_result *calibration, struct sup_error *error);
/* What these figures lack: a set of enum plot_lack. */
unsigned calib_figures_lack(void);

#endif
