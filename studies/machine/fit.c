/* fit.c - fits a machine's parameters, and what they leave over (machine.h). */
#include "studies/machine/machine.h"

#include <math.h>
#include <nlopt.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "roundabout.h"
#include "support/memory.h"

/* In logarithms, so 0.1 is about 10 %. */
static const double error_sd = 0.1;   /* of a row; beyond it Huber's function is linear */
static const double parameter_sd = 3; /* of a parameter from its usual value: a factor of 20 */
static const double neighbour_sd = 1; /* of a parameter from the neighbouring knot's */
enum { MOST_STEPS = 3000 };

struct problem {
    const struct mach_fit_row *row;
    int32_t count;
    const struct mach_fit_effect *effect;
    struct mach_fit *fit;
    double *slope; /* of one row */
};

/* Adds derivatives of a row's logarithm by its effects' a and b. */
static void add_effects(const struct mach_fit *fit, const struct mach_fit_row *row, double startups,
                        double bytes, double time_s, double slope[])
{
    for (int i = 0; i < MACH_EFFECTS; i++)
        if (row->effect[i] >= 0) {
            slope[fit->parameters + row->effect[i]] += startups / time_s;
            slope[fit->parameters + fit->effects + row->effect[i]] += bytes / time_s;
        }
}

/* The parameters are the exponentials of the first variables, computed once for all rows. */
static void find_parameters(const double variable[], double value[MACH_PARAMETERS])
{
    int32_t count;
    mach_parameters(&count);
    for (int32_t k = 0; k < count; k++)
        value[k] = exp(variable[k]);
}

static double time_at(const struct mach_fit *fit, const double variable[], const double value[],
                      const struct mach_fit_row *row, double slope[])
{
    int32_t count;
    const struct mach_parameter *parameter = mach_parameters(&count);
    double factor[2] = {0, 0}, part[2] = {0, 0}; /* per byte, per message */
    for (int i = 0; i < MACH_EFFECTS; i++)
        if (row->effect[i] >= 0) {
            factor[1] += variable[count + row->effect[i]];
            factor[0] += variable[count + fit->effects + row->effect[i]];
        }
    factor[0] = exp(factor[0]);
    factor[1] = exp(factor[1]);
    if (slope != NULL)
        memset(slope, 0, (size_t)fit->variables * sizeof *slope);
    for (int32_t k = 0; k < count; k++)
        if (row->cost[k] > 0) {
            const bool per_message = parameter[k].per_message;
            const double time_s = row->cost[k] * value[k] * factor[per_message];
            part[per_message] += time_s;
            if (slope != NULL)
                slope[k] = time_s;
        }
    const double time_s = part[0] + part[1];
    if (slope != NULL) {
        for (int32_t k = 0; k < count; k++)
            slope[k] /= time_s;
        add_effects(fit, row, part[1], part[0], time_s, slope);
    }
    return time_s;
}

/* Half the squares of the penalties, and their derivatives added to gradient. */
static double penalties(const struct problem *problem, const double variable[], double gradient[])
{
    const struct mach_fit *fit = problem->fit;
    int32_t count;
    const struct mach_parameter *parameter = mach_parameters(&count);
    double sum = 0;
    for (int32_t k = 0; k < count; k++) {
        const double z = (variable[k] - log(parameter[k].usual)) / parameter_sd;
        sum += z * z / 2;
        gradient[k] += z / parameter_sd;
        if (!parameter[k].first) {
            const double step = (variable[k] - variable[k - 1]) / neighbour_sd;
            sum += step * step / 2;
            gradient[k] += step / neighbour_sd;
            gradient[k - 1] -= step / neighbour_sd;
        }
    }
    for (int32_t i = 0; i < 2 * fit->effects; i++) {
        const double sd = problem->effect[i % fit->effects].sd;
        sum += variable[count + i] * variable[count + i] / (2 * sd * sd);
        gradient[count + i] += variable[count + i] / (sd * sd);
    }
    return sum;
}

static double objective(unsigned n, const double *variable, double *gradient, void *data)
{
    const struct problem *problem = data;
    double value[MACH_PARAMETERS], sum = 0;
    if (gradient == NULL)
        return NAN; /* L-BFGS always asks for it */
    memset(gradient, 0, n * sizeof *gradient);
    find_parameters(variable, value);
    for (int32_t i = 0; i < problem->count; i++) {
        const struct mach_fit_row *row = &problem->row[i];
        const double z =
            log(time_at(problem->fit, variable, value, row, problem->slope) / row->time_s) /
            error_sd;
        const double pull = fmax(-1, fmin(1, z)); /* derivative of Huber's function */
        sum += fabs(z) <= 1 ? z * z / 2 : fabs(z) - 0.5;
        for (unsigned k = 0; k < n; k++)
            gradient[k] += pull / error_sd * problem->slope[k];
    }
    return sum + penalties(problem, variable, gradient);
}

/* The precision of the priors: the second derivatives of the penalties. */
static void add_prior_precision(const struct problem *problem, double precision[])
{
    const size_t n = (size_t)problem->fit->variables;
    int32_t count;
    const struct mach_parameter *parameter = mach_parameters(&count);
    for (size_t k = 0; k < (size_t)count; k++) {
        precision[k * n + k] += 1 / (parameter_sd * parameter_sd);
        if (!parameter[k].first) {
            const double w = 1 / (neighbour_sd * neighbour_sd);
            precision[k * n + k] += w;
            precision[(k - 1) * n + k - 1] += w;
            precision[k * n + k - 1] -= w;
            precision[(k - 1) * n + k] -= w;
        }
    }
    for (size_t i = 0; i < 2 * (size_t)problem->fit->effects; i++) {
        const double sd = problem->effect[i % (size_t)problem->fit->effects].sd;
        precision[((size_t)count + i) * (n + 1)] += 1 / (sd * sd);
    }
}

static int32_t clusters_of(const struct problem *problem)
{
    int32_t clusters = 0;
    for (int32_t i = 0; i < problem->count; i++)
        if (problem->row[i].cluster >= clusters)
            clusters = problem->row[i].cluster + 1;
    return clusters;
}

/* The covariance where rows of a cluster err alike: H^-1 (G + priors) H^-1 with H the second
 * derivatives (Gauss-Newton) and G the sum over the clusters of the outer products of their
 * gradients (Liang and Zeger 1986). */
static bool find_covariance(const struct problem *problem, double pull_of[], double hessian[],
                            double middle[], double cluster[], int32_t clusters)
{
    struct mach_fit *fit = problem->fit;
    const size_t n = (size_t)fit->variables;
    double value[MACH_PARAMETERS];
    find_parameters(fit->variable, value);
    for (int32_t i = 0; i < problem->count; i++) {
        const struct mach_fit_row *row = &problem->row[i];
        const double z =
            log(time_at(fit, fit->variable, value, row, problem->slope) / row->time_s) / error_sd;
        const double weight = (fabs(z) <= 1 ? 1 : 1 / fabs(z)) / (error_sd * error_sd);
        pull_of[i] = fmax(-1, fmin(1, z)) / error_sd;
        for (size_t a = 0; a < n; a++) {
            if (problem->slope[a] <= 0)
                continue;
            cluster[(size_t)row->cluster * n + a] += pull_of[i] * problem->slope[a];
            for (size_t b = 0; b < n; b++)
                hessian[a * n + b] += weight * problem->slope[a] * problem->slope[b];
        }
    }
    add_prior_precision(problem, middle); /* the priors' own gradients have this covariance */
    for (size_t i = 0; i < n * n; i++)
        hessian[i] += middle[i];
    for (int32_t c = 0; c < clusters; c++)
        for (size_t a = 0; a < n; a++)
            for (size_t b = 0; b < n; b++)
                middle[a * n + b] += cluster[(size_t)c * n + a] * cluster[(size_t)c * n + b];
    if (!mach_cholesky_factor(hessian, fit->variables))
        return false;
    for (int pass = 0; pass < 2; pass++) { /* solves the rows, transposes, solves again */
        for (size_t a = 0; a < n; a++)
            mach_cholesky_solve(hessian, fit->variables, middle + a * n);
        for (size_t a = 0; a < n; a++)
            for (size_t b = 0; b < a; b++) {
                const double t = middle[a * n + b];
                middle[a * n + b] = middle[b * n + a];
                middle[b * n + a] = t;
            }
    }
    memcpy(fit->covariance, middle, n * n * sizeof *middle);
    return true;
}

/* The standard deviations before any row was seen. */
static bool find_prior(const struct problem *problem, double precision[])
{
    const int32_t n = problem->fit->variables;
    memset(precision, 0, (size_t)n * (size_t)n * sizeof *precision);
    add_prior_precision(problem, precision);
    if (!mach_cholesky_factor(precision, n))
        return false;
    for (int32_t k = 0; k < n; k++) {
        memset(problem->slope, 0, (size_t)n * sizeof *problem->slope);
        problem->slope[k] = 1;
        mach_cholesky_solve(precision, n, problem->slope);
        problem->fit->prior_sd[k] = sqrt(problem->slope[k]);
    }
    return true;
}

static int minimise(struct problem *problem, struct sup_error *error)
{
    nlopt_opt optimiser = nlopt_create(NLOPT_LD_LBFGS, (unsigned)problem->fit->variables);
    double least;
    sup_had_memory(optimiser != NULL);
    sup_had_memory(nlopt_set_min_objective(optimiser, objective, problem) != NLOPT_OUT_OF_MEMORY);
    sup_had_memory(nlopt_set_ftol_rel(optimiser, 1e-9) != NLOPT_OUT_OF_MEMORY);
    sup_had_memory(nlopt_set_maxeval(optimiser, MOST_STEPS) != NLOPT_OUT_OF_MEMORY);
    const nlopt_result result = nlopt_optimize(optimiser, problem->fit->variable, &least);
    sup_had_memory(result != NLOPT_OUT_OF_MEMORY);
    nlopt_destroy(optimiser);
    /* Rounding near the optimum is no failure: the variables are the best ones found. */
    if (result < 0 && result != NLOPT_ROUNDOFF_LIMITED && result != NLOPT_FAILURE)
        return sup_fail(error, RB_EFAILED, "the fit did not succeed (NLopt's code %d)",
                        (int)result);
    return isfinite(least) || result == NLOPT_FAILURE
               ? RB_OK
               : sup_fail(error, RB_EFAILED, "the fit did not succeed: times out of range");
}

int mach_fit_rows(const struct mach_fit_row row[], int32_t count,
                  const struct mach_fit_effect effect[], int32_t effects, const double start[],
                  struct mach_fit *fit, struct sup_error *error)
{
    int32_t parameters;
    const struct mach_parameter *parameter = mach_parameters(&parameters);
    const size_t n = (size_t)parameters + 2 * (size_t)effects;
    struct problem problem = {row, count, effect, fit, sup_calloc(n, sizeof(double))};
    const int32_t clusters = clusters_of(&problem);
    double *pull = sup_malloc((size_t)count * sizeof *pull);
    double *work = sup_calloc(2 * n * n + (size_t)clusters * n, sizeof *work);
    *fit = (struct mach_fit){.parameters = parameters,
                             .effects = effects,
                             .variables = (int32_t)n,
                             .variable = sup_calloc(n, sizeof *fit->variable),
                             .covariance = sup_calloc(n * n, sizeof *fit->covariance),
                             .prior_sd = sup_calloc(n, sizeof *fit->prior_sd)};
    for (int32_t k = 0; k < parameters; k++)
        fit->variable[k] = log(parameter[k].usual);
    if (start != NULL)
        memcpy(fit->variable, start, n * sizeof *start);
    int status = minimise(&problem, error);
    if (status == RB_OK &&
        (!find_covariance(&problem, pull, work, work + n * n, work + 2 * n * n, clusters) ||
         !find_prior(&problem, work)))
        status = sup_fail(error, RB_EFAILED, "the fit's errors can't be computed");
    free(problem.slope);
    free(pull);
    free(work);
    if (status != RB_OK)
        mach_fit_free(fit);
    return status;
}

double mach_fit_time(const struct mach_fit *fit, const struct mach_fit_row *row, double slope[])
{
    double value[MACH_PARAMETERS];
    find_parameters(fit->variable, value);
    return time_at(fit, fit->variable, value, row, slope);
}

double mach_fit_variance(const struct mach_fit *fit, const double slope[])
{
    const size_t n = (size_t)fit->variables;
    double sum = 0;
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; slope[a] > 0 && b < n; b++)
            sum += slope[a] * fit->covariance[a * n + b] * slope[b];
    return fmax(sum, 0);
}

void mach_fit_free(struct mach_fit *fit)
{
    free(fit->variable);
    free(fit->covariance);
    free(fit->prior_sd);
    *fit = (struct mach_fit){0};
}

/* ---- What the parameters leave over ---------------------------------------------------------- */

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
    MOST_SCALE_STEPS = 120
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
    sup_had_memory(nlopt_set_maxeval(optimiser, MOST_SCALE_STEPS) != NLOPT_OUT_OF_MEMORY);
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
