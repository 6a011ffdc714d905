/* fit.c - fits a machine's parameters (machine.h). */
#include "studies/machine/machine.h"

#include <math.h>
#include <nlopt.h>
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
