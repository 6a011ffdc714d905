/* search_named.c - times on a platform that the model doesn't know, simulated there by an engine
 * that knows contention (request->named_engine).
 *
 * First each algorithm with the closed form's best n, or the model's if there is no closed form.
 * That n is best without contention, and another may be better with it: so of algorithms that take
 * up to four times as long as the fastest, half of n and twice n are run, and those of a better n,
 * until none is better; and then of those that take up to a tenth longer than the fastest also an
 * eighth less and more.
 *
 * An algorithm is left out where its time without contention shows that it can't win: if no message
 * on the named platform takes less than a share of its time on the crossbar (request->least_share),
 * then no plan does, because a message starts when its rank's operations before it have ended, and
 * under no overlap rule does anything start later because something else ended earlier. The share
 * is 1 unless some hosts are nearer to each other than the crossbar's. The three that are the
 * fastest without contention come first; those whose time without it is longer than the best of
 * these with it go without a run. The model's best n has the least time without contention only if
 * the search has proved so; where it has not, the lower bound of all n (search_bound.h) must be
 * longer. */
#include "experiments/search/search_steps.h"

#include <math.h>

#include "experiments/search/search_bound.h"
#include "experiments/search/search_runs.h"

/* The number of algorithms of a case that run first, if others may then be excluded. */
enum { FIRST = 3 };
/* Algorithms that take up to so many times as long as the fastest run with half and twice n, and
 * those that are nearer with an eighth less and more. */
static const double near_the_best = 4, nearer_the_best = 1.1;

/* ---- One run --------------------------------------------------------------------------------- */

static bool is_run(const struct search_named_runs *named, int64_t n)
{
    for (size_t i = 0; i < named->count; i++)
        if (named->runs[i].n == n)
            return true;
    return false;
}

static double most_s(const struct search_request *request)
{
    return request->search_most_s / SEARCH_PARTS;
}

/* Lines n up, unless it would take too long. */
static void add(const struct search_request *request, struct search_grid *search,
                struct search_curve *curve, int64_t n)
{
    struct search_named_runs *named = &curve->named;
    if (n < 1 || n > curve->found.most_n || named->count == SEARCH_NAMED_RUNS || is_run(named, n))
        return;
    const double cost_s = search_add_run(request, request->named_engine, search, curve, n)->cost_s;
    named->runs[named->count++] = (struct decide_sample){n, INFINITY};
    if (cost_s <= most_s(request) && named->cost_s + cost_s <= request->search_most_s) {
        named->cost_s += cost_s;
        return;
    }
    search->run_count--;
    if (named->state == SEARCH_WAITING)
        named->state = SEARCH_OVER_LIMIT;
}

/* The first n of the curve: the model's, or the largest half of it that does not take too long. */
static void add_first(const struct search_request *request, struct search_grid *search,
                      struct search_curve *curve)
{
    int64_t n = curve->found.n;
    add(request, search, curve, n);
    while (curve->named.state == SEARCH_OVER_LIMIT && n > 1) {
        n /= 2;
        curve->named.state = SEARCH_WAITING;
        add(request, search, curve, n);
    }
}

static void take(const struct search_request *request, struct search_grid *search,
                 const struct search_run *run)
{
    struct search_named_runs *named = &search->curves[run->curve].named;
    const struct decide_sample sample = {run->point.plan.n, run->time_s};
    if (!isfinite(run->time_s)) {
        if (named->state == SEARCH_WAITING)
            named->state = run->cost_s > most_s(request) ? SEARCH_OVER_LIMIT : SEARCH_NOT_DONE;
        return;
    }
    for (size_t i = 0; i < named->count; i++)
        if (named->runs[i].n == sample.n)
            named->runs[i] = sample;
    if (named->state != SEARCH_SIMULATED || search_is_better(&sample, &named->best))
        named->best = sample;
    named->state = SEARCH_SIMULATED;
}

/* Does the runs from the first one on, and takes their times. */
static int do_runs(const struct search_request *request, struct search_grid *search, size_t first,
                   const char *what, struct sup_error *error)
{
    const int status = search_do_runs(request, search, first, most_s(request), what, error);
    for (size_t i = first; i < search->run_count && status == RB_OK; i++)
        take(request, search, &search->runs[i]);
    return status;
}

/* ---- The model's best n ---------------------------------------------------------------------- */

static double best_s(const struct search_grid *search, const struct search_case *a_case)
{
    double least_s = INFINITY;
    for (size_t i = 0; i < a_case->count; i++)
        least_s = fmin(least_s, search->curves[a_case->first + i].named.best.time_s);
    return least_s;
}

/* The fastest without contention among the algorithms without a run; NULL: there is none. */
static struct search_curve *next_curve(struct search_grid *search, const struct search_case *a_case)
{
    struct search_curve *next = NULL;
    for (size_t i = 0; i < a_case->count; i++) {
        struct search_curve *curve = &search->curves[a_case->first + i];
        if (curve->named.state == SEARCH_WAITING && curve->named.count == 0 &&
            (next == NULL || curve->found.time_s < next->found.time_s))
            next = curve;
    }
    return next;
}

/* The bound for all n: the least of the bounds of 1, 2 .. 3, 4 .. 7, ... */
static int find_bound(const struct point *point, double *bound_s, struct sup_error *error)
{
    struct search_bound bound;
    const int status = search_bound_make(point, &bound, error);
    if (status != RB_OK)
        return status;
    const int64_t most = point->algorithm->pipelined ? search_most_n(&bound) : 1;
    *bound_s = search_bound(&bound, 1, 1);
    for (int64_t n = 2; n > 0 && n <= most; n = n > most / 2 ? 0 : 2 * n)
        *bound_s = fmin(*bound_s, search_bound(&bound, n, n > most / 2 ? most : 2 * n - 1));
    return RB_OK;
}

/* *time_s: no n takes less on the named platform. */
static int least_time(const struct search_request *request, const struct search_curve *curve,
                      double *time_s, struct sup_error *error)
{
    const enum search_proof proof = curve->found.proof;
    *time_s = curve->found.time_s;
    const int status = proof == SEARCH_BY_ALL || proof == SEARCH_BY_BOUND
                           ? RB_OK
                           : find_bound(&curve->point, time_s, error);
    *time_s *= request->least_share;
    return status;
}

/* Up to `most` algorithms of each case, except those that `most` has shown to be slower. */
static int run_best_n(const struct search_request *request, struct search_grid *search, size_t most,
                      const char *what, struct sup_error *error)
{
    const size_t first = search->run_count;
    int status = RB_OK;
    for (size_t i = 0; i < search->case_count; i++) {
        const struct search_case *a_case = &search->cases[i];
        const double bound_s = request->least_share > 0 ? best_s(search, a_case) : INFINITY;
        struct search_curve *curve;
        for (size_t k = 0;
             k < most && status == RB_OK && (curve = next_curve(search, a_case)) != NULL; k++) {
            double least_s;
            status = least_time(request, curve, &least_s, error);
            if (status == RB_OK && least_s * (1 - SEARCH_TIE) > bound_s)
                curve->named.state = SEARCH_EXCLUDED;
            else if (status == RB_OK)
                add_first(request, search, curve);
        }
    }
    return status == RB_OK ? do_runs(request, search, first, what, error) : status;
}

/* ---- Other n --------------------------------------------------------------------------------- */

static void add_others(const struct search_request *request, struct search_grid *search,
                       struct search_curve *curve, bool finely)
{
    const int64_t n = curve->named.best.n, step = n < 8 ? 1 : n / 8;
    const int64_t others[] = {n / 2, n > curve->found.most_n / 2 ? 0 : 2 * n, n - step, n + step};
    for (size_t i = 0; i < (finely ? 4 : 2); i++)
        add(request, search, curve, others[i]);
}

/* Half and twice n until none is better, then also an eighth less and more. Ends, because each pass
 * but two has new runs, of which each curve has few. */
static int run_others(const struct search_request *request, struct search_grid *search,
                      struct sup_error *error)
{
    size_t first;
    int status = RB_OK;
    bool finely = false, done;
    do {
        first = search->run_count;
        for (size_t i = 0; i < search->case_count; i++) {
            const struct search_case *a_case = &search->cases[i];
            const double least_s = best_s(search, a_case);
            for (size_t k = 0; k < a_case->count && status == RB_OK; k++) {
                struct search_curve *curve = &search->curves[a_case->first + k];
                double bound_s = 0;
                if (curve->named.state != SEARCH_SIMULATED ||
                    curve->named.best.time_s > near_the_best * least_s)
                    continue;
                if (request->least_share > 0)
                    status = least_time(request, curve, &bound_s, error);
                if (status == RB_OK && bound_s * (1 - SEARCH_TIE) <= least_s)
                    add_others(request, search, curve,
                               finely && curve->named.best.time_s <= nearer_the_best * least_s);
            }
        }
        if (status == RB_OK)
            status = do_runs(request, search, first, "other n", error);
        done = finely && search->run_count == first;
        finely = finely || search->run_count == first;
    } while (status == RB_OK && !done);
    return status;
}

/* ---- Public ---------------------------------------------------------------------------------- */

int search_named(const struct search_request *request, struct search_grid *search,
                 struct sup_error *error)
{
    for (size_t i = 0; i < search->curve_count; i++)
        search->curves[i].named.best.time_s = INFINITY;
    int status = RB_OK;
    if (request->least_share > 0)
        status = run_best_n(request, search, FIRST, "on the platform: first", error);
    if (status == RB_OK)
        status = run_best_n(request, search, SIZE_MAX, "on the platform", error);
    if (status == RB_OK)
        status = run_others(request, search, error);
    search->named_count = search->run_count;
    return status;
}
