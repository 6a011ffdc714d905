/* cholesky.h - symmetric positive definite systems, of a thousand unknowns at most.
 *
 * Matrices are arrays of rows. */
#ifndef MEASUREMENTS_MACHINE_CHOLESKY_H
#define MEASUREMENTS_MACHINE_CHOLESKY_H

#include <stdbool.h>
#include <stdint.h>

/* Replaces the lower triangle of the n x n matrix by its Cholesky factor L. False if the matrix is
 * not positive definite. O(n^3). */
bool mach_cholesky_factor(double a[], int32_t n);
/* Replaces x by the solution of L L' y = x, or of L y = x. O(n^2). */
void mach_cholesky_solve(const double l[], int32_t n, double x[]);
void mach_cholesky_solve_lower(const double l[], int32_t n, double x[]);
/* The sum of the logarithms of L's diagonal: half the logarithm of the determinant. */
double mach_cholesky_half_log_determinant(const double l[], int32_t n);

#endif
