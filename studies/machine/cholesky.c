/* cholesky.c - symmetric positive definite systems (machine.h). */
#include "studies/machine/machine.h"

#include <math.h>
#include <stddef.h>

bool mach_cholesky_factor(double a[], int32_t n)
{
    for (int32_t i = 0; i < n; i++) {
        double *row = a + (size_t)i * (size_t)n;
        for (int32_t j = 0; j <= i; j++) {
            const double *other = a + (size_t)j * (size_t)n;
            double sum = row[j];
            for (int32_t k = 0; k < j; k++) /* both rows are contiguous */
                sum -= row[k] * other[k];
            if (i > j)
                row[j] = sum / other[j];
            else if (sum > 0)
                row[i] = sqrt(sum);
            else
                return false;
        }
    }
    return true;
}

void mach_cholesky_solve_lower(const double l[], int32_t n, double x[])
{
    for (int32_t i = 0; i < n; i++) {
        const double *row = l + (size_t)i * (size_t)n;
        for (int32_t k = 0; k < i; k++)
            x[i] -= row[k] * x[k];
        x[i] /= row[i];
    }
}

void mach_cholesky_solve(const double l[], int32_t n, double x[])
{
    mach_cholesky_solve_lower(l, n, x);
    for (int32_t i = n - 1; i >= 0; i--) {
        x[i] /= l[(size_t)i * (size_t)n + (size_t)i];
        for (int32_t k = 0; k < i; k++)
            x[k] -= l[(size_t)i * (size_t)n + (size_t)k] * x[i];
    }
}

double mach_cholesky_half_log_determinant(const double l[], int32_t n)
{
    double sum = 0;
    for (int32_t i = 0; i < n; i++)
        sum += log(l[(size_t)i * (size_t)n + (size_t)i]);
    return sum;
}
