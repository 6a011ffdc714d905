/* gaussian.c - what the machine's parameters leave over (machine.h). */
#include "studies/machine/machine.h"

#include <math.h>
#include <nlopt.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "roundabout.h"
#include "support/memory.h"

/* ---- Symmetric positive definite systems (machine.h) ----------------------------------------- */

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

static void cholesky_solve_lower(const double l[], int32_t n, double x[])
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
    cholesky_solve_lower(l, n, x);
    for (int32_t i = n - 1; i >= 0; i--) {
        x[i] /= l[(size_t)i * (size_t)n + (size_t)i];
        for (int32_t k = 0; k < i; k++)
            x[k] -= l[(size_t)i * (size_t)n + (size_t)k] * x[i];
    }
}

/* The sum of the logarithms of L's diagonal: half the logarithm of the determinant. */
static double cholesky_half_log_determinant(const double l[], int32_t n)
{
    double sum = 0;
    for (int32_t i = 0; i < n; i++)
        sum += log(l[(size_t)i * (size_t)n + (size_t)i]);
    return sum;
}

/* ---- The process ----------------------------------------------------------------------------- */

/* Standard deviations of the parts, of one measurement, and lengths in doublings of m and p. Each
 * has a usual value, from which it departs by the measurements: the logarithm of the ratio has the
 * standard deviation `freedom`. */
enum scale { COMMON, ALGORITHM, NAME, NAME_AT_P, MEASUREMENT, M_LENGTH, P_LENGTH, SCALES };
_Static_assert((int)SCALES == (int)MACH_GAUSSIAN_SCALES, "as the header says");
static const struct {
    const char *name;
    double usual, least, most;
} scales[SCALES] = {
    [COMMON] = {"rest of a collective", 0.2, 0.01, 2},
    [ALGORITHM] = {"rest of an algorithm", 0.2, 0.01, 2},
    [NAME] = {"rest of an implementation", 0.2, 0.01, 2},
    [NAME_AT_P] = {"rest that changes with p", 0.15, 0.01, 2},
    [MEASUREMENT] = {"rest of one measurement", 0.08, 0.02, 1},
    [M_LENGTH] = {"reach in doublings of m", 3, 1, 8},
    [P_LENGTH] = {"reach in doublings of p", 2, 0.7, 6},
};
static const double freedom = 0.5;

enum {
    MOST_SAMPLED = 160, /* points of a collective by which the scales are found */
    MOST_STEPS = 120
};

struct collective {
    int32_t number, count;
    int32_t *index; /* of its points */
    double *factor; /* count x count: the Cholesky factor */
    double *solved; /* the inverse times the rests */
};

struct mach_gaussian {
    double scale[SCALES];
    struct mach_gaussian_point *point;
    double *rest;
    int32_t count;
    struct collective *collective;
    int32_t collectives;
};

static double covariance(const double scale[], const struct mach_gaussian_point *a,
                         const struct mach_gaussian_point *b)
{
    const double m = (a->log2_m - b->log2_m) / scale[M_LENGTH];
    const double near_m = exp(-m * m / 2);
    double sum = scale[COMMON] * scale[COMMON];
    if (a->algorithm == b->algorithm)
        sum += scale[ALGORITHM] * scale[ALGORITHM];
    if (a->algorithm == b->algorithm && a->name == b->name) {
        const double p = (a->log2_p - b->log2_p) / scale[P_LENGTH];
        sum += scale[NAME] * scale[NAME] + scale[NAME_AT_P] * scale[NAME_AT_P] * exp(-p * p / 2);
    }
    return sum * near_m;
}

/* The factor of the covariances of every step-th point. */
static bool factor(const struct mach_gaussian *process, const double scale[],
                   const struct collective *collective, int32_t step, double l[], int32_t *count)
{
    const int32_t n = (collective->count + step - 1) / step;
    for (int32_t i = 0; i < n; i++)
        for (int32_t j = 0; j <= i; j++)
            l[(size_t)i * (size_t)n + (size_t)j] =
                covariance(scale, &process->point[collective->index[i * step]],
                           &process->point[collective->index[j * step]]) +
                (i == j ? scale[MEASUREMENT] * scale[MEASUREMENT] : 0);
    *count = n;
    return mach_cholesky_factor(l, n);
}

struct search {
    const struct mach_gaussian *process;
    double *l, *x; /* room for the largest collective's sample */
};

/* Minus the logarithm of the probability of the rests, and of the scales. */
static double improbability(unsigned count, const double *logarithm, double *gradient, void *data)
{
    const struct search *search = data;
    double scale[SCALES], sum = 0;
    (void)count;
    (void)gradient; /* the optimiser uses none */
    for (int i = 0; i < SCALES; i++) {
        const double z = (logarithm[i] - log(scales[i].usual)) / freedom;
        scale[i] = exp(logarithm[i]);
        sum += z * z / 2;
    }
    for (int32_t c = 0; c < search->process->collectives; c++) {
        const struct collective *collective = &search->process->collective[c];
        const int32_t step = (collective->count + MOST_SAMPLED - 1) / MOST_SAMPLED;
        int32_t n;
        if (!factor(search->process, scale, collective, step, search->l, &n))
            return HUGE_VAL;
        for (int32_t i = 0; i < n; i++)
            search->x[i] = search->process->rest[collective->index[i * step]];
        cholesky_solve_lower(search->l, n, search->x);
        for (int32_t i = 0; i < n; i++)
            sum += search->x[i] * search->x[i] / 2;
        sum += cholesky_half_log_determinant(search->l, n);
    }
    return sum;
}

static int find_scales(struct mach_gaussian *process, struct sup_error *error)
{
    const size_t most = MOST_SAMPLED;
    struct search search = {process, sup_malloc(most * most * sizeof(double)),
                            sup_malloc(most * sizeof(double))};
    nlopt_opt optimiser = nlopt_create(NLOPT_LN_SBPLX, SCALES);
    double logarithm[SCALES], low[SCALES], high[SCALES], least;
    int status = RB_OK;
    sup_had_memory(optimiser != NULL);
    for (int i = 0; i < SCALES; i++) {
        logarithm[i] = log(scales[i].usual);
        low[i] = log(scales[i].least);
        high[i] = log(scales[i].most);
    }
    sup_had_memory(nlopt_set_lower_bounds(optimiser, low) != NLOPT_OUT_OF_MEMORY);
    sup_had_memory(nlopt_set_upper_bounds(optimiser, high) != NLOPT_OUT_OF_MEMORY);
    sup_had_memory(nlopt_set_min_objective(optimiser, improbability, &search) !=
                   NLOPT_OUT_OF_MEMORY);
    sup_had_memory(nlopt_set_initial_step1(optimiser, 0.3) != NLOPT_OUT_OF_MEMORY);
    sup_had_memory(nlopt_set_xtol_abs1(optimiser, 0.02) != NLOPT_OUT_OF_MEMORY);
    sup_had_memory(nlopt_set_maxeval(optimiser, MOST_STEPS) != NLOPT_OUT_OF_MEMORY);
    const nlopt_result result = nlopt_optimize(optimiser, logarithm, &least);
    sup_had_memory(result != NLOPT_OUT_OF_MEMORY);
    if (result < 0 || !isfinite(least))
        status = sup_fail(error, RB_EFAILED, "the scales of the errors can't be found");
    for (int i = 0; i < SCALES; i++)
        process->scale[i] = exp(logarithm[i]);
    nlopt_destroy(optimiser);
    free(search.l);
    free(search.x);
    return status;
}

static struct collective *find(const struct mach_gaussian *process, int32_t number)
{
    for (int32_t c = 0; c < process->collectives; c++)
        if (process->collective[c].number == number)
            return &process->collective[c];
    return NULL;
}

static void divide(struct mach_gaussian *process)
{
    for (int32_t i = 0; i < process->count; i++) {
        struct collective *collective = find(process, process->point[i].collective);
        if (collective == NULL) {
            collective = &process->collective[process->collectives++];
            collective->number = process->point[i].collective;
            collective->index = sup_malloc((size_t)process->count * sizeof *collective->index);
        }
        collective->index[collective->count++] = i;
    }
}

static int solve(struct mach_gaussian *process, struct sup_error *error)
{
    for (int32_t c = 0; c < process->collectives; c++) {
        struct collective *collective = &process->collective[c];
        const size_t n = (size_t)collective->count;
        int32_t count;
        collective->factor = sup_malloc(n * n * sizeof *collective->factor);
        collective->solved = sup_malloc(n * sizeof *collective->solved);
        if (!factor(process, process->scale, collective, 1, collective->factor, &count))
            return sup_fail(error, RB_EFAILED, "the errors' covariances can't be factored");
        for (size_t i = 0; i < n; i++)
            collective->solved[i] = process->rest[collective->index[i]];
        mach_cholesky_solve(collective->factor, collective->count, collective->solved);
    }
    return RB_OK;
}

int mach_gaussian_create(const struct mach_gaussian_point point[], const double rest[],
                         int32_t count, struct mach_gaussian **process, struct sup_error *error)
{
    const size_t n = (size_t)count;
    struct mach_gaussian *made = sup_calloc(1, sizeof *made);
    *process = NULL;
    made->count = count;
    made->point = memcpy(sup_malloc(n * sizeof *point), point, n * sizeof *point);
    made->rest = memcpy(sup_malloc(n * sizeof *rest), rest, n * sizeof *rest);
    made->collective = sup_calloc(n, sizeof *made->collective);
    divide(made);
    int status = find_scales(made, error);
    if (status == RB_OK)
        status = solve(made, error);
    if (status == RB_OK)
        *process = made;
    else
        mach_gaussian_destroy(made);
    return status;
}

void mach_gaussian_at(const struct mach_gaussian *process, const struct mach_gaussian_point *point,
                      double *rest, double *sd)
{
    const double *scale = process->scale;
    const struct collective *collective = find(process, point->collective);
    double variance = covariance(scale, point, point) + scale[MEASUREMENT] * scale[MEASUREMENT];
    *rest = 0;
    if (collective != NULL) {
        double *near = sup_malloc((size_t)collective->count * sizeof *near);
        for (int32_t i = 0; i < collective->count; i++) {
            near[i] = covariance(scale, point, &process->point[collective->index[i]]);
            *rest += near[i] * collective->solved[i];
        }
        cholesky_solve_lower(collective->factor, collective->count, near);
        for (int32_t i = 0; i < collective->count; i++)
            variance -= near[i] * near[i];
        free(near);
    }
    *sd = sqrt(fmax(variance, scale[MEASUREMENT] * scale[MEASUREMENT]));
}

bool mach_gaussian_scale(const struct mach_gaussian *process, int32_t i, const char **name,
                         double *value)
{
    if (i < 0 || i >= SCALES)
        return false;
    *name = scales[i].name;
    *value = process->scale[i];
    return true;
}

void mach_gaussian_destroy(struct mach_gaussian *process)
{
    if (process == NULL)
        return;
    for (int32_t c = 0; c < process->collectives; c++) {
        free(process->collective[c].index);
        free(process->collective[c].factor);
        free(process->collective[c].solved);
    }
    free(process->collective);
    free(process->point);
    free(process->rest);
    free(process);
}
