/* gaussian.h - what the machine's parameters leave over, as a Gaussian process (Kennedy and O'Hagan
 * 2001: the discrepancy of a computer model).
 *
 * The logarithm of measured / fitted is a smooth function of the logarithms of m and p. It has a
 * part that all algorithms of a collective share, one that all implementations of an algorithm
 * share, one of each implementation, and one of each implementation that changes with p. Where no
 * measurement is near, it goes back to 0 and says how uncertain it is. */
#ifndef MEASUREMENTS_MACHINE_GAUSSIAN_H
#define MEASUREMENTS_MACHINE_GAUSSIAN_H

#include <stdbool.h>
#include <stdint.h>

#include "support/error.h"

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

#endif
