/* statistics.h - statistics of a sample of times: its median with a confidence interval, and its
 * spread.
 *
 * Times of runs are not normally distributed, and no function here assumes that they are. The
 * median's confidence interval is that of order statistics (Le Boudec 2010, Performance Evaluation
 * of Computer and Communication Systems, Theorem 2.1; recommended for parallel programs by Hoefler
 * and Belli 2015): of n values in order, the j-th lies above the median with probability
 * P(B < j), B binomial with n trials of probability 1/2, and the (n + 1 - j)-th below it likewise.
 */
#ifndef MEASUREMENTS_MEASURE_STATISTICS_H
#define MEASUREMENTS_MEASURE_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>

struct measure_summary {
    size_t count;
    double median, min, q1, q3; /* quartiles */
    double low, high;           /* 95 % confidence interval of the median; min .. max if there is
                                 * none */
    bool sure;                  /* true with 6 values or more; fewer have no such interval */
};

/* Sorts value[0 .. count - 1]; count >= 1. */
struct measure_summary measure_summarize(double value[], size_t count);

/* True if the interval is within median (1 +- share). */
bool measure_summary_is_settled(const struct measure_summary *summary, double share);

void measure_sort(double value[], size_t count);
/* The value at a share (0 .. 1) of sorted values, interpolated between two of them if necessary;
 * count >= 1. */
double measure_quantile(const double sorted[], size_t count, double share);

/* The largest j (from 1) for which the j-th and the (count + 1 - j)-th of sorted values are the
 * ends of a 95 % confidence interval of the median; 0: count is below 6. O(count). */
size_t measure_median_rank(size_t count);

#endif
