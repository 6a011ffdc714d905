/* curves.h - a sweep's results as curves of time over n, for tune and plot.
 *
 * A setting is everything that can affect a result except algorithm, radix, groups, p, m and n; a
 * case is (setting, p, m); a curve has the times of one algorithm in one case for the block counts
 * n that were run. */
#pragma once

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "experiments/point/parameters.h"
#include "support/error.h"
#include "support/options/options.h"
#include "support/units.h"

struct decide_sample {
    int64_t n;
    double time_s;
};

/* Of the copies of a sample with jitter, or the confidence interval of a measured median; NAN: not
 * known. */
struct decide_spread {
    double low_s, high_s;
};

struct decide_curve {
    size_t setting; /* index into settings */
    size_t origin;  /* of curves of one setting, those of one origin are rivals of each other */
    int32_t p;
    int64_t m_bytes;
    const char *algorithm; /* "bruck", or "bruck:r=4" for a given radix, "hosts:g=4" for groups */
    const char *plan_algorithm;
    const char *base, *variant; /* NULL, or for a plot: the parts of `algorithm` (plot_fold) */
    bool hidden;                /* for a plot: it counts, but is not drawn */
    const struct rb_algorithm_info *info; /* of plan_algorithm; NULL: it is native, or not known */
    int32_t radix;                        /* the given radix; 0: none */
    const char *groups;                   /* "4"; "": each rank is alone */
    const struct decide_sample *samples;  /* by rising n, at least one */
    size_t count;
    const struct decide_sample *best; /* the smallest time; of several equal ones the one with the
                                       * fewest blocks */
    double least_s;                   /* the time of `best` */
    double inside_s;                  /* its mean time inside; NAN: ranks come together */
    double low_s, high_s;             /* of the copies of `best` with jitter; NAN: there are none */
    double alpha_s, beta_s_per_byte;  /* NAN: not known */
    bool one_pipeline; /* its closed form is (n - 1 + q)(alpha + beta m / n), up to a constant
                        * factor: circulant with all data at one rank */
    double bound_s;    /* the time of no algorithm is less (point_bound_find); NAN: not known */
    int64_t closed_n;  /* the closed form's best n; 0: no closed form */
    double closed_s;   /* and its time; NAN: no closed form */
};

struct decide_curves {
    struct point *settings; /* what point_setting lists is set */
    size_t setting_count;
    struct decide_curve *curves; /* sorted by setting, p, m, algorithm */
    size_t curve_count;
    struct decide_sample *samples; /* of all curves */
    size_t sample_count;
    struct decide_spread *spreads; /* of each sample; NULL: not known */
    int64_t failed;                /* rows without a time, left out */
    const char *versions;          /* of Roundabout that made the rows, separated by commas */
    char **words;                  /* owned: the texts that all of the above point to */
    size_t word_count;
};

/* Keeps the rows whose column has one of the values. No values: all rows. */
struct decide_filter {
    const struct point_parameter *parameter;
    const char *const *texts; /* exact; of platforms also the part before ':' or ',', of
                                  algorithms also the curve's name */
    int32_t text_count;
    const struct sup_list *numbers; /* or NULL */
};

/* Reads a results file; filters end with parameter NULL, or are NULL. RB_EINVAL if it is not a
 * results file, or if no point can be used (the message says which filter leaves no point, or that
 * all points failed). The caller frees data, also on failure. */
int decide_curves_load(const char *path, const struct decide_filter filters[],
                       struct decide_curves *data, struct sup_error *error);
void decide_curves_free(struct decide_curves *data); /* safe on a zeroed struct */
/* Reads a results file, or a table of measured rows (experiments/rows), likewise; of rows those
 * that the options choose (rows_choose), or with NULL all. */
int decide_curves_load_any(const char *path, const struct cli_args *args,
                           const struct decide_filter filters[], struct decide_curves *data,
                           struct sup_error *error);
/* The filters of point_filter_option that the command line gives, ended by parameter NULL; valid as
 * long as args. */
void decide_filters_of(const struct cli_args *args,
                       struct decide_filter filters[POINT_PARAMETERS + 1]);

/* Measured rows, those that options choose or with NULL all, as the points of a results file in
 * memory. RB_EINVAL with file and line, also if no row is of a collective; RB_EIO. The caller
 * closes db, also on failure. */
int decide_rows_open(const char *path, const struct cli_args *args, sqlite3 **db,
                     struct sup_error *error);

/* True if the setting's times were measured, not simulated. */
bool decide_is_measured(const struct point *setting);
/* Ranks of a node, which on a platform may have several hosts. */
int32_t decide_ranks_per_node(const struct point *setting);
/* What the engines of points begin with whose simulated times a model of measured rows replaced. */
#define DECIDE_FITTED_ENGINE "fitted:"
/* How its times were found: "measured", "simulated", "predicted" by a model of measured rows, or
 * "computed" by a cost model. */
const char *decide_how(const struct point *setting);

/* RB_EINVAL, with the algorithms of the curves, unless a curve has this algorithm. For an algorithm
 * that the user named by --focus. */
int decide_check_focus(const struct decide_curves *data, const char *focus,
                       struct sup_error *error);

/* Prepares "select FROM points WHERE filters order" for an open results file; filters end with
 * parameter NULL, or are NULL. Errors are results_complain's; the caller finalizes rows. */
int decide_select_points(const char *path, sqlite3 *db, const char *select, const char *order,
                         const struct decide_filter filters[], sqlite3_stmt **rows,
                         struct sup_error *error);

/* The same text is kept once, with the curves, so that equal words are equal pointers. */
const char *decide_intern(struct decide_curves *data, const char *text);

bool decide_same_setting(const struct point *a, const struct point *b);

/* The papers' constant for a setting: F if the data have one owner (bcast, reduce, allreduce), G if
 * they are divided among the ranks (allgather, reduce-scatter). */
char decide_setting_constant(const struct point *setting);

/* True if the times of the copies of both curves overlap, so that neither is faster. */
bool decide_is_tie(const struct decide_curve *a, const struct decide_curve *b);

/* Sets `best` and its time. */
void decide_find_best(struct decide_curve *curve);

/* True if both curves are of the same setting, p and m. */
bool decide_same_case(const struct decide_curve *a, const struct decide_curve *b);

/* The first curve of the same case, which stand together, and the end of them. */
const struct decide_curve *decide_case(const struct decide_curves *data,
                                       const struct decide_curve *curve,
                                       const struct decide_curve **end);

/* True if computed times agree to what engines agree to: they are of one plan under two names, or
 * of two of which either will do. */
bool decide_is_equal(double a_s, double b_s);

/* The fastest curve of the same case by another algorithm, at its best n, which takes another time
 * unless that is measured; NULL if there is none. */
const struct decide_curve *decide_best_rival(const struct decide_curves *data,
                                             const struct decide_curve *curve);

double decide_real_of(sqlite3_stmt *rows, int column); /* NAN for NULL */

/* "platform, placement, engine, overlap, ..." on one line, into buffer, returned. */
const char *decide_setting_text(const struct point *setting, char *buffer, size_t size);
