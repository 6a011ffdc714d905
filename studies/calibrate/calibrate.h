/* calibrate.h - makes a platform from measurements, and says how well it predicts them. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "studies/measure/measure.h"
#include "support/options/common_options.h"

/* ---- Pieces ---------------------------------------------------------------------------------- */

/* A time as a function of the message size: alpha + beta m, with other constants where
 * the MPI library changes its protocol.
 *
 * Errors are |ln(predicted / measured)|, because times span many powers of ten, squared up to 10 %
 * and in proportion beyond, so that a few disturbed times have little influence (Huber 1964); times
 * that are less certain than 5 % have proportionally less weight. The constants come from
 * iteratively reweighted least squares. For each number of pieces the best break points are found
 * by dynamic programming over all of them (Bellman and Roth 1969); the number of pieces is the one
 * with the smallest Bayesian information criterion (Schwarz 1978), each further piece costing three
 * parameters: alpha, beta and where it begins. Pieces need not meet. */

struct calib_timed_size {
    double bytes, time_s; /* time_s > 0 */
    double noise;         /* how uncertain the time is, as a share of it; 0: unknown */
};

/* alpha_s + beta_s_per_byte m for sizes above `above_bytes`, up to the next piece's. */
struct calib_piece {
    double above_bytes;              /* a whole number; -1 in the first piece */
    double alpha_s, beta_s_per_byte; /* neither is negative */
};

enum { CALIB_MOST_PIECES = 8 };
struct calib_pieces {
    struct calib_piece piece[CALIB_MOST_PIECES];
    int32_t count;
    double error; /* root of the mean loss: of small errors the root mean square */
};

/* count >= 1 samples, bytes rising, each size once; `most` from 1 to CALIB_MOST_PIECES. A piece has
 * three sizes or more. O(count^3). */
void calib_fit_pieces(const struct calib_timed_size sample[], size_t count, int32_t most,
                      struct calib_pieces *pieces);

/* The constants for a size, and the time. */
const struct calib_piece *calib_piece_of(const struct calib_pieces *pieces, double bytes);
double calib_pieces_time(const struct calib_pieces *pieces, double bytes);

/* ---- Calibration ----------------------------------------------------------------------------- */

struct calib_request {
    const char *const *files; /* CSV of `measure` */
    int32_t file_count;
    const char *name; /* NAME.json and NAME.xml are made */
    double held_out;  /* share of the sizes that is never fitted */
    uint64_t seed;    /* which these are */
    int32_t most_pieces;
    int32_t hosts;                    /* of the platform; 0: as many as ranks were measured */
    const struct plot_request *place; /* of the figures; NULL: none */
};

/* A row's time: the low quantile of its runs; of rows that have none (older ones, other programs')
 * the median. */
struct calib_time {
    double s;
    double low_s, high_s; /* within which it is; NAN: unknown */
    double noise;         /* how uncertain it is, as a share; 0: unknown */
};
struct calib_time calib_time_of(const struct measure_result *row);
bool calib_is_uncertain(const struct measure_result *row); /* too much so to rely on it */

/* What a fit is good for. */
enum calib_verdict { CALIB_GOOD, CALIB_ROUGH, CALIB_UNUSABLE, CALIB_VERDICTS };
extern const char *const calib_verdict_names[CALIB_VERDICTS];

/* The measurement for one message size. Of a pair's rows the one with the least time; of all pairs
 * the one with the median of these. */
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
    /* calib_judge's: */
    enum calib_verdict verdict;
    double error; /* the median of |predicted / measured - 1| of the held-out sizes, or of all
                   * if hardly any was held out */
    size_t worst; /* the size with the largest error of all: */
    double worst_factor; /* predicted over measured, or the other way round if that is more */
    size_t uncertain;    /* sizes whose time is too uncertain to rely on */
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

/* Reads and fits. RB_EINVAL with a message, RB_EIO. The caller frees the result, also
 * after a failure. */
int calib_run(const struct calib_request *request, struct calib_result *calibration,
              struct sup_error *error);
void calib_free(struct calib_result *calibration); /* safe on a zeroed struct */

/* Judges a fitted test; part of calib_run. */
void calib_judge(struct calib_test *test);
/* What is wrong with a test whose verdict is not good, and what would help; a text of up to 700
 * characters. And with the rows of collectives; false: nothing is. */
void calib_describe(const struct calib_result *calibration, enum measure_pair_test test, char *text,
                    size_t size);
bool calib_describe_collectives(const struct calib_result *calibration, char *text, size_t size);

/* Predicts everything that was measured; platform is the file of calib_platform.
 * RB_EFAILED. */
int calib_predict(struct calib_result *calibration, const char *platform, struct sup_error *error);

/* NAME.json's content (docs/measure.md). */
json_t *calib_json(const struct calib_result *calibration);
/* Writes the content of NAME.xml; the stream has write errors. RB_EFAILED. */
int calib_platform(const struct calib_result *calibration, FILE *stream, struct sup_error *error);

/* |predicted / measured - 1| of a group of predictions: the same test or collective and algorithm,
 * predictor, held out or not, more ranks than cores or not. */
struct calib_error_summary {
    const struct calib_prediction *first; /* of the group */
    size_t count;
    double median, q1, q3, worst; /* of |predicted / measured - 1| */
    double bias;                  /* median of predicted / measured - 1 */
};
/* *groups is the caller's, in the order of the predictions. */
void calib_summarize_errors(const struct calib_result *calibration,
                            struct calib_error_summary **groups, size_t *count);
/* "latency", or "bcast circulant". */
const char *calib_prediction_subject(const struct calib_prediction *prediction, char *text,
                                     size_t size);
double calib_prediction_error(const struct calib_prediction *prediction);

/* Prints the results; as text the answer, or with details the errors of all predictions, too. */
void calib_report(const struct calib_result *calibration, enum out_format format, bool details,
                  FILE *stream);

/* NAME-fit and NAME-predicted. RB_EINVAL, RB_EIO, RB_EFAILED. */
int calib_draw(const struct calib_result *calibration, struct sup_error *error);
/* What these figures lack: a set of enum plot_lack. */
unsigned calib_figures_lack(void);
