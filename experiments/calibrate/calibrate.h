/* calibrate.h - from measurements to a platform, and how well that predicts what was measured. */
#ifndef RB_EXPERIMENTS_CALIBRATE_CALIBRATE_H
#define RB_EXPERIMENTS_CALIBRATE_CALIBRATE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "command/options/common_options.h"
#include "experiments/calibrate/pieces.h"
#include "mpi/measure/measured.h"
#include "mpi/measure/request.h"

struct rb_calibrate_request {
    const char *const *files; /* CSV of `measure` */
    int32_t file_count;
    const char *name; /* NAME.json and NAME.xml are made */
    double held_out;  /* share of the sizes that is never fitted */
    uint64_t seed;    /* which these are */
    int32_t most_pieces;
    const char *figures; /* directory; NULL: none */
    unsigned pictures;   /* set of (1u << RB_PDF) and so on */
};

/* What was measured of one message size: the row whose time is the median of all pairs' rows. */
struct rb_calibrated_size {
    double bytes;
    const struct rb_measured *row;
    bool held_out;
};

/* One of the tests between two ranks, by size. */
struct rb_calibrated_test {
    struct rb_calibrated_size *size; /* owned, rising; count 0: not measured */
    size_t count;
    struct fitted_pieces pieces; /* fitted to those that are not held out */
};

/* How a time was predicted. */
enum rb_predictor {
    RB_BY_FIT,     /* a test by its own pieces */
    RB_BY_ROUNDS,  /* a plan: each round costs what its longest message does */
    RB_BY_SIMGRID, /* a plan: by the engine, on the platform made here */
    RB_PREDICTORS
};
extern const char *const rb_predictor_names[RB_PREDICTORS];

struct rb_prediction {
    const struct rb_measured *row;
    enum rb_predictor predictor;
    bool held_out;
    double predicted_s;
};

struct rb_calibration {
    const struct rb_calibrate_request *request;
    struct rb_measured_rows rows;    /* owned */
    const struct rb_measured *first; /* of the pairs' rows: the machine */
    struct rb_calibrated_test test[RB_PAIR_TESTS];
    enum rb_pair_test basis;          /* of the platform: exchange if measured, else latency */
    struct fitted_piece overall;      /* the basis by one piece, for models that know no more */
    int32_t hosts;                    /* of the platform */
    struct rb_prediction *prediction; /* owned */
    size_t prediction_count;
    int64_t other_pairs; /* rows left out: pairs on one host where others are on two */
    int64_t natives;     /* rows of the library's own collectives, which have no plan */
};

/* Reads and fits. RB_EINVAL with a message, RB_ENOMEM, RB_EIO. The caller frees it in any case. */
int rb_calibrate(const struct rb_calibrate_request *request, struct rb_calibration *calibration,
                 struct rb_error *error);
void rb_calibration_free(struct rb_calibration *calibration); /* safe on a zeroed struct */

/* Predicts everything that was measured; platform is the file of rb_calibration_platform.
 * RB_EFAILED, RB_ENOMEM. */
int rb_predict(struct rb_calibration *calibration, const char *platform, struct rb_error *error);

/* NAME.json's content (docs/calibrate.md), NULL: out of memory. */
json_t *rb_calibration_json(const struct rb_calibration *calibration);
/* Writes what NAME.xml is to hold; errors of writing show in the stream. RB_ENOMEM, RB_EFAILED. */
int rb_calibration_platform(const struct rb_calibration *calibration, FILE *stream,
                            struct rb_error *error);

/* |predicted / measured - 1| of a group of predictions: the same test or collective and algorithm,
 * predictor, held out or not, more ranks than cores or not. */
struct rb_error_summary {
    const struct rb_prediction *first; /* of the group */
    size_t count;
    double median, q1, q3, worst; /* of |predicted / measured - 1| */
    double bias;                  /* median of predicted / measured - 1 */
};
/* *groups is the caller's, in the order of the predictions. RB_ENOMEM. */
int rb_summarize_errors(const struct rb_calibration *calibration, struct rb_error_summary **groups,
                        size_t *count);
/* "latency", or "bcast circulant". */
const char *rb_prediction_subject(const struct rb_prediction *prediction, char *text, size_t size);
double rb_prediction_error(const struct rb_prediction *prediction);

/* Prints what came of it. RB_ENOMEM. */
int rb_calibration_report(const struct rb_calibration *calibration, enum out_format format,
                          FILE *stream);

/* NAME-fit and NAME-predicted. RB_EINVAL, RB_EIO, RB_EFAILED. */
int rb_calibration_draw(const struct rb_calibration *calibration, struct rb_error *error);

#endif
