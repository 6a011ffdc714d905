/* fit.h - fits a machine's parameters (costs.h) to measured times.
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
#ifndef MEASUREMENTS_MACHINE_FIT_H
#define MEASUREMENTS_MACHINE_FIT_H

#include <stdint.h>

#include "support/error.h"

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

#endif
