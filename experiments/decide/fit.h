/* fit.h - F and G of the papers' rules for the block count, fitted to a sweep.
 *
 * The rules (Traeff 2024, Section 3): for a broadcast blocks of F sqrt(M / q) elements, hence n =
 * sqrt(M q) / F, where M = m / E elements of E bytes, q = ceil(log2 p); for MPI_Allgatherv n =
 * sqrt(M q) / G. They are the same rule, so everything about F also holds for G. The closed form (n
 * - 1 + q)(alpha + beta m / n) is least at n = sqrt((q - 1) beta m / alpha), that is for
 *
 *     F = sqrt(alpha / (E beta)) sqrt(q / (q - 1)),
 *
 * which changes little with q: one F can serve all p and m. For q <= 1 one block is best, and the
 * rule does not apply. */
#ifndef EXPERIMENTS_DECIDE_FIT_H
#define EXPERIMENTS_DECIDE_FIT_H

#include "experiments/decide/curves.h"

/* Time at n blocks, n >= 1 a real, from the nearest samples: exact where time is a + b n + c / n,
 * as all closed forms of pipelines are. False if n is outside of the samples' range. */
bool decide_curve_time(const struct decide_curve *curve, double n, double *time_s);

/* F of the closed form, for this curve's q, alpha and beta; NAN where there is none. */
double decide_analytic_f(const struct decide_curve *curve, int64_t element_bytes);

struct decide_regret {
    const struct decide_curve *curve;
    const char *constant; /* "F" or "G", if the caller fills it */
    double f;
    int64_t n;         /* the rule's, rounded */
    bool outside;      /* of the sampled range is n; then time_s and share are NAN */
    double time_s;     /* with n blocks; interpolated unless n was run */
    double share;      /* time divided by the best time, minus 1; negative if n is faster than all n
                        * that were run */
    double analytic_f; /* decide_analytic_f */
    int64_t best_n;
};

struct decide_fit {
    const char *focus, *constant; /* whose F or G it is, if the caller fills them */
    double f;
    double low, high;     /* between these, the mean time exceeds that of f by at most the
                           * tolerance */
    bool low_is_limit;    /* the samples end there: low may be smaller */
    bool high_is_limit;   /* likewise */
    double analytic_f;    /* geometric mean over the points; NAN */
    double mean;          /* geometric mean of time over best time, less 1, at f */
    double median, worst; /* of the shares of the points within the range; NAN if there are none */
    size_t outside;       /* points whose n is outside of the sampled range */
    struct decide_regret *points; /* owned; worst first, those outside at the end */
    size_t count;
};

struct decide_fit_request {
    const struct decide_curve *const *curves; /* each with at least two samples, q >= 2, m >= E */
    const int64_t *element_bytes;             /* of each curve */
    size_t count;                             /* at least 1 */
    double tolerance;                         /* share of time, 0.02 */
};

/* True if the curve can be used for the rule; otherwise why says what is missing. */
bool decide_fit_can_use(const struct decide_curve *curve, int64_t element_bytes, const char **why);

/* Deterministic. The caller frees fit, also on failure. RB_EFAILED. */
int decide_fit_f(const struct decide_fit_request *request, struct decide_fit *fit,
                 struct sup_error *error);
void decide_fit_free(struct decide_fit *fit); /* safe on a zeroed struct */

#endif
