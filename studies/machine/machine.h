/* machine.h - a machine fitted to measured collectives: its costs, the paths and the fit that they
 * come from, and what they leave over. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "experiments/rows/rows.h"
#include "sim/path/path.h"
#include "support/error.h"

/* ---- Costs ----------------------------------------------------------------------------------- */

/* The parameters of a machine: what a message, a byte, an operand cost by size.
 *
 * A cost is one const descriptor in a file of this folder and one line of list.h; the fit, the
 * forecasts and the tables know only the parameters that follow from the list. Each cost is a curve
 * through a few knots, linear between them in the logarithm of the size and constant beyond, so
 * that it follows changes of protocol and the levels of the caches. The parameters are the curves'
 * values at the knots. The time of a row is linear in them. */

enum { MACH_KNOTS = 6 };

struct mach_cost {
    const char *name; /* in tables; behind it comes the knot, "latency 64KiB" */
    double usual;     /* in seconds, of a machine with a 100 Gbit/s network in 2020; where a fit
                       * starts, and stays if the rows say nothing */
    bool per_message; /* a start-up or a constant; otherwise it is per byte */
    double knot[MACH_KNOTS]; /* bytes, rising, then 0; none: the cost is the same for all sizes */
    bool of_path;            /* terms of a row's critical path cost this: */
    enum path_kind kind;     /* those of this kind */
    /* How many units of the cost a row has besides, each of *bytes bytes, which is 0 at first.
     * NULL: none. */
    double (*units)(const struct rows_row *row, double *bytes);
};

#define MACH_COST(name) extern const struct mach_cost name;
#include "studies/machine/list.h"
#undef MACH_COST

/* Beside the costs of paths: rows of libraries of GPUs take an engine's time on the machine's
 * network, times this. It is the last parameter. */
struct mach_engine_time {
    double time_s;
    char variant[16]; /* as in sim_result: "Ring LL128" */
};
/* The time of a row by its manner's engine. RB_ENOTSUP with why if the row has no engine, or the
 * machine no network that is known here: its name must be a machine's of platforms with GPUs, or
 * the beginning of one, as mare_nostrum is of marenostrum5-rails. */
int mach_engine_time(const struct rows_row *row, struct mach_engine_time *time,
                     struct sup_error *error);
/* The algorithm of ours that NCCL's cost model takes for a row's call: the one with the least
 * time. RB_ENOTSUP as above. */
int mach_engine_choice(const struct rows_row *row, const char **algorithm, struct sup_error *error);
/* mach_costs_row of such a row. */
void mach_costs_engine(double time_s, double cost[]);

enum { MACH_PARAMETERS = 48 }; /* parameters of all costs, at most */

struct mach_parameter {
    double usual;     /* as its cost */
    bool per_message; /* as its cost */
    bool first;       /* the first knot of its cost */
    double bytes;     /* the knot; 0: none */
    char name[40];    /* "latency 64KiB" */
};

/* All of them; the same table every time. */
const struct mach_parameter *mach_parameters(int32_t *count);

/* The cost of one unit of a path's kind at this size, by the parameters' values. */
double mach_costs_at(const double value[], enum path_kind kind, double bytes);

/* A row of the design matrix: the time of a measured row with this path is the sum of
 * cost[k] value[k]. Room for all parameters. */
void mach_costs_row(const struct path *path, const struct rows_row *row, double cost[]);

/* ---- Paths ----------------------------------------------------------------------------------- */

/* Critical paths of measured rows, kept: many rows have the same plan, and the path of
 * many plans is the same for all sizes. */

struct mach_paths;

/* The context of the cost is used as long as the paths. */
struct mach_paths *mach_paths_create(path_cost *cost, const void *context);
void mach_paths_destroy(struct mach_paths *paths); /* NULL is fine */
/* Call it when the costs have changed: the paths are found again, plans are kept. */
void mach_paths_forget(struct mach_paths *paths);

/* From now on plans with more than so many operations have no paths; 0: all have. */
void mach_paths_limit(struct mach_paths *paths, int64_t operations);

/* The path of a row, valid until the next call. Where the paths of a smaller and a larger m are
 * known and are the same messages, that of m is taken to be the same. Texts of the row must be
 * valid as long as `paths`. RB_ENOTSUP if there is no such plan or it is above the limit. */
int mach_paths_of(struct mach_paths *paths, const struct rows_row *row, const struct path **path,
                  struct sup_error *error);

/* ---- The fit --------------------------------------------------------------------------------- */

/* Fits a machine's parameters to measured times.
 *
 * All parameters are positive, so their logarithms are fitted. A row's time is
 *
 *     start-ups * exp(a) + bytes * exp(b)
 *
 * with the sums over the parameters of either kind; a and b add up the effects of what the row
 * belongs to, such as the job in which it was measured: one job's network is busier than another's.
 * The fit minimises a sum over the rows of Huber's function of ln(fitted / measured) (Huber 1964),
 * and of penalties that keep what the rows do not determine: a parameter near its usual value, and
 * near the neighbouring knot's, an effect near 0. It is the most probable value under normal priors
 * with the standard deviations below. */

enum { MACH_EFFECTS = 2 }; /* that a row can belong to */

struct mach_fit_effect {
    double sd; /* of a and of b, a priori */
};

struct mach_fit_row {
    const double *cost; /* its row of the design matrix (mach_costs_row) */
    double time_s;
    int32_t effect[MACH_EFFECTS]; /* -1: none */
    int32_t cluster; /* rows of the same cluster err together: those of one algorithm */
};

struct mach_fit {
    int32_t parameters, effects, variables; /* variables = parameters + 2 effects */
    double *variable;   /* owned: logarithms of the parameters, then a, then b of the effects */
    double *covariance; /* owned: variables x variables, with errors that are alike in a cluster */
    double *prior_sd;   /* owned: of the variables, before the rows were seen */
};

/* Fits count >= 1 rows. `start` are variables of an earlier fit of the same shape, or NULL.
 * Deterministic. O(rows parameters) for each of some hundred steps. RB_EFAILED. */
int mach_fit_rows(const struct mach_fit_row row[], int32_t count,
                  const struct mach_fit_effect effect[], int32_t effects, const double start[],
                  struct mach_fit *fit, struct sup_error *error);
/* The fitted time of a row, of which time_s is not read, and in slope[0 .. variables - 1] the
 * derivatives of its logarithm; slope may be NULL. */
double mach_fit_time(const struct mach_fit *fit, const struct mach_fit_row *row, double slope[]);
/* The variance of the logarithm of a time with these derivatives. */
double mach_fit_variance(const struct mach_fit *fit, const double slope[]);
void mach_fit_free(struct mach_fit *fit); /* safe on a zeroed struct */

/* ---- What is left over ----------------------------------------------------------------------- */

/* What the machine's parameters leave over, as a Gaussian process (Kennedy and O'Hagan
 * 2001: the discrepancy of a computer model).
 *
 * The logarithm of measured / fitted is a smooth function of the logarithms of m and p. It has a
 * part that all algorithms of a collective share, one that all implementations of an algorithm
 * share, one of each implementation, and one of each implementation that changes with p. Where no
 * measurement is near, it goes back to 0 and says how uncertain it is. */

struct mach_gaussian_point {
    double log2_m, log2_p;
    int32_t collective, algorithm, name; /* numbers; equal ones are the same */
};

struct mach_gaussian; /* a process with its measurements */

/* Makes a process of count >= 1 measurements: rest[i] is the logarithm of measured / fitted at
 * point[i]. The standard deviations and lengths of its parts are those that make the measurements
 * most probable. O(n^3) for n points of one collective. RB_EFAILED. */
int mach_gaussian_create(const struct mach_gaussian_point point[], const double rest[],
                         int32_t count, struct mach_gaussian **process, struct sup_error *error);
/* What is left over at a point, and its standard deviation, with that of one measurement. O(n^2).
 */
void mach_gaussian_at(const struct mach_gaussian *process, const struct mach_gaussian_point *point,
                      double *rest, double *sd);

enum { MACH_GAUSSIAN_SCALES = 7 };
/* Name and value of the i-th scale, for reports; false beyond the last. */
bool mach_gaussian_scale(const struct mach_gaussian *process, int32_t i, const char **name,
                         double *value);
void mach_gaussian_destroy(struct mach_gaussian *process); /* NULL is fine */

/* ---- Linear systems -------------------------------------------------------------------------- */

/* Symmetric positive definite systems, of a thousand unknowns at most.
 *
 * Matrices are arrays of rows. */

/* Replaces the lower triangle of the n x n matrix by its Cholesky factor L. False if the matrix is
 * not positive definite. O(n^3). */
bool mach_cholesky_factor(double a[], int32_t n);
/* Replaces x by the solution of L L' y = x, or of L y = x. O(n^2). */
void mach_cholesky_solve(const double l[], int32_t n, double x[]);
