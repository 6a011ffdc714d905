/* fit.c - F of the papers' rule for block sizes, fitted to a sweep. */
#include "experiments/decide/tune.h"

#include <math.h>
#include <nlopt.h>
#include <stdlib.h>

#include "experiments/point/point.h"
#include "roundabout.h"
#include "support/memory.h"

/* ---- Time between samples ------------------------------------------------------------------- */

/* n times the time is a polynomial in n where time is a + b n + c / n: Lagrange's through `count`
 * samples gives it exactly. */
static double through(const struct decide_sample *samples, size_t count, double n)
{
    double product = 0;
    for (size_t i = 0; i < count; i++) {
        double term = (double)samples[i].n * samples[i].time_s;
        for (size_t j = 0; j < count; j++)
            if (j != i)
                term *= (n - (double)samples[j].n) / (double)(samples[i].n - samples[j].n);
        product += term;
    }
    return product / n;
}

bool decide_curve_time(const struct decide_curve *curve, double n, double *time_s)
{
    const struct decide_sample *sample = curve->samples;
    size_t last = curve->count - 1;
    if (n < (double)sample[0].n || n > (double)sample[last].n)
        return false;
    size_t left = 0;
    while (left < last && (double)sample[left + 1].n <= n)
        left++;
    if ((double)sample[left].n == n) {
        *time_s = sample[left].time_s;
        return true;
    }
    /* Through the two neighbours and the sample before, and through them and the one after, mixed
     * by the distance to the neighbours: continuous, and exact where both are. */
    bool before = left > 0, after = left + 1 < last;
    double share =
        log(n / (double)sample[left].n) / log((double)sample[left + 1].n / (double)sample[left].n);
    double lower = before ? through(sample + left - 1, 3, n) : 0;
    double upper = after ? through(sample + left, 3, n) : 0;
    if (before && after)
        *time_s = (1 - share) * lower + share * upper;
    else
        *time_s = before ? lower : upper;
    /* Two samples only, or such wild ones that the curve through three dives below zero. */
    if ((!before && !after) || !(*time_s > 0))
        *time_s = through(sample + left, 2, n);
    return true;
}

/* ---- The rule ------------------------------------------------------------------------------- */

static double root_of_m_q(const struct decide_curve *curve, int64_t element_bytes)
{
    double elements = (double)(curve->m_bytes / element_bytes);
    return sqrt(elements * rb_ceil_log2(curve->p));
}

double decide_analytic_f(const struct decide_curve *curve, int64_t element_bytes)
{
    double q = rb_ceil_log2(curve->p);
    if (!curve->one_pipeline || q < 2 || !(curve->alpha_s > 0) || !(curve->beta_s_per_byte > 0))
        return NAN;
    return sqrt(curve->alpha_s / ((double)element_bytes * curve->beta_s_per_byte)) *
           sqrt(q / (q - 1));
}

bool decide_fit_can_use(const struct decide_curve *curve, int64_t element_bytes, const char **why)
{
    if (curve->p <= 2)
        *why = "with p <= 2 one block is best whatever F";
    else if (curve->m_bytes / 2 < element_bytes)
        *why = "with m below two elements there is nothing to divide";
    else if (curve->count < 2)
        *why = "with a single n run there is nothing to choose from";
    else if (!(curve->best->time_s > 0))
        *why = "with a time of 0 there is no regret";
    else
        return true;
    return false;
}

/* ---- The objective -------------------------------------------------------------------------- */

/* Log of time over best time at real n. Beyond the samples it grows with the distance, so that the
 * fit stays where there is data; n < 1 means one block. */
static double log_regret(const struct decide_curve *curve, double n)
{
    double least = (double)curve->samples[0].n;
    double most = (double)curve->samples[curve->count - 1].n;
    double time_s = 0;
    n = n < 1 ? 1 : n;
    double inside = n < least ? least : n > most ? most : n;
    decide_curve_time(curve, inside, &time_s);
    return log(time_s / curve->best->time_s) + fabs(log(n / inside));
}

static double mean_log_regret(const struct decide_fit_request *request, double log_f)
{
    double sum = 0;
    for (size_t i = 0; i < request->count; i++)
        sum += log_regret(request->curves[i],
                          root_of_m_q(request->curves[i], request->element_bytes[i]) / exp(log_f));
    return sum / (double)request->count;
}

static double objective(unsigned dimensions, const double *x, double *gradient, void *data)
{
    (void)dimensions, (void)gradient; /* one dimension, no derivative */
    return mean_log_regret(data, x[0]);
}

/* The range of F that the samples cover, as logarithms. */
static void find_range(const struct decide_fit_request *request, double *low, double *high)
{
    *low = INFINITY;
    *high = -INFINITY;
    for (size_t i = 0; i < request->count; i++) {
        const struct decide_curve *curve = request->curves[i];
        double root = root_of_m_q(curve, request->element_bytes[i]);
        *low = fmin(*low, log(root / (double)curve->samples[curve->count - 1].n));
        *high = fmax(*high, log(root / (double)curve->samples[0].n));
    }
}

/* First all over the range, since contention may make more than one valley, then down the best. */
static int minimise(const struct decide_fit_request *request, double low, double high,
                    double *log_f)
{
    static const struct {
        nlopt_algorithm algorithm;
        int evaluations;
    } passes[] = {{NLOPT_GN_DIRECT_L, 200}, {NLOPT_LN_SBPLX, 200}};
    struct decide_fit_request data = *request; /* NLopt passes it on without const */
    *log_f = (low + high) / 2;
    for (size_t i = 0; i < sizeof passes / sizeof passes[0]; i++) {
        double least = 0;
        nlopt_opt search = nlopt_create(passes[i].algorithm, 1);
        sup_had_memory(search != NULL);
        sup_had_memory(nlopt_set_lower_bounds1(search, low) != NLOPT_OUT_OF_MEMORY);
        sup_had_memory(nlopt_set_upper_bounds1(search, high) != NLOPT_OUT_OF_MEMORY);
        sup_had_memory(nlopt_set_min_objective(search, objective, &data) != NLOPT_OUT_OF_MEMORY);
        sup_had_memory(nlopt_set_maxeval(search, passes[i].evaluations) != NLOPT_OUT_OF_MEMORY);
        sup_had_memory(nlopt_set_xtol_abs1(search, 1e-7) != NLOPT_OUT_OF_MEMORY);
        sup_had_memory(nlopt_set_initial_step1(search, (high - low) / 100) != NLOPT_OUT_OF_MEMORY);
        nlopt_result result = nlopt_optimize(search, log_f, &least);
        nlopt_destroy(search);
        /* A search that stops because rounding leaves nothing to gain has found its minimum. */
        sup_had_memory(result != NLOPT_OUT_OF_MEMORY);
        if (result < 0 && result != NLOPT_ROUNDOFF_LIMITED)
            return RB_EFAILED;
    }
    return RB_OK;
}

/* From the best F in steps of 1 % towards the end of the range, as far as the mean is tolerated. */
static double walk(const struct decide_fit_request *request, double from, double end, bool *limit)
{
    double most = mean_log_regret(request, from) + log1p(request->tolerance);
    double step = end < from ? -0.01 : 0.01;
    for (double x = from; (end - x) / step > 1; x += step)
        if (mean_log_regret(request, x + step) > most) {
            *limit = false;
            return x;
        }
    *limit = true;
    return end;
}

/* ---- Regrets -------------------------------------------------------------------------------- */

static int by_share(const void *left, const void *right)
{
    const struct decide_regret *a = left, *b = right;
    if (a->outside != b->outside)
        return a->outside ? 1 : -1;
    if (!a->outside && a->share != b->share)
        return a->share > b->share ? -1 : 1;
    return a->curve < b->curve ? -1 : a->curve > b->curve;
}

static void find_regrets(const struct decide_fit_request *request, struct decide_fit *fit)
{
    double logs = 0;
    bool analytic = true;
    for (size_t i = 0; i < request->count; i++) {
        const struct decide_curve *curve = request->curves[i];
        int64_t element_bytes = request->element_bytes[i];
        struct decide_regret *point = &fit->points[fit->count++];
        point->curve = curve;
        point->n = point_blocks_of_f(fit->f, curve->m_bytes / element_bytes, curve->p);
        point->f = fit->f;
        point->best_n = curve->best->n;
        point->outside = !decide_curve_time(curve, (double)point->n, &point->time_s);
        if (point->outside)
            point->time_s = NAN;
        point->share = point->time_s / curve->best->time_s - 1;
        point->analytic_f = decide_analytic_f(curve, element_bytes);
        fit->outside += point->outside;
        analytic = analytic && isfinite(point->analytic_f);
        logs += log(point->analytic_f);
    }
    fit->analytic_f = analytic ? exp(logs / (double)request->count) : NAN;
    qsort(fit->points, fit->count, sizeof *fit->points, by_share);
}

static void summarise(struct decide_fit *fit)
{
    size_t inside = fit->count - fit->outside;
    fit->mean = fit->median = fit->worst = NAN;
    if (inside == 0)
        return;
    double logs = 0;
    for (size_t i = 0; i < inside; i++)
        logs += log1p(fit->points[i].share);
    fit->mean = expm1(logs / (double)inside);
    fit->median = (fit->points[(inside - 1) / 2].share + fit->points[inside / 2].share) / 2;
    fit->worst = fit->points[0].share;
}

int decide_fit_f(const struct decide_fit_request *request, struct decide_fit *fit,
                 struct sup_error *error)
{
    double low, high, log_f;

    *fit = (struct decide_fit){0};
    find_range(request, &low, &high);
    int status = minimise(request, low, high, &log_f);
    if (status != RB_OK)
        return sup_fail(error, status, "fitting F: NLopt failed");
    fit->f = exp(log_f);
    fit->low = exp(walk(request, log_f, low, &fit->low_is_limit));
    fit->high = exp(walk(request, log_f, high, &fit->high_is_limit));
    fit->points = sup_calloc(request->count, sizeof *fit->points);
    find_regrets(request, fit);
    summarise(fit);
    return RB_OK;
}

void decide_fit_free(struct decide_fit *fit)
{
    free(fit->points);
    *fit = (struct decide_fit){0};
}
