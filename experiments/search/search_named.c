/* search_named.c - see search_named.h. */
#include "experiments/search/search_named.h"

#include <math.h>

#include "experiments/search/search_runs.h"

/* The number of algorithms of a case that run first, if others may then be excluded. */
enum { FIRST = 3 };
/* Algorithms that take up to so many times as long as the fastest run with other n. */
static const double near_the_best = 4;

/* ---- One run --------------------------------------------------------------------------------- */

static bool is_run(const struct search_named_runs *named, int64_t n)
{
    for (size_t i = 0; i < named->count; i++)
        if (named->runs[i].n == n)
            return true;
    return false;
}

/* Lines n up, unless it would take too long; *added counts. */
static int add(const struct search_request *request, struct search_grid *search,
               struct search_curve *curve, int64_t n, struct sup_error *error)
{
    struct search_named_runs *named = &curve->named;
    if (n < 1 || n > curve->found.most_n || named->count == SEARCH_NAMED_RUNS || is_run(named, n))
        return RB_OK;
    const int status = search_add_run(request, search, curve, n, error);
    if (status != RB_OK)
        return status;
    named->runs[named->count++] = (struct tune_sample){n, INFINITY};
    if (search->runs[search->run_count - 1].cost_s <= request->confirm_most_s)
        return RB_OK;
    search->run_count--;
    if (named->state == SEARCH_WAITING)
        named->state = SEARCH_OVER_LIMIT;
    return RB_OK;
}

static void take(const struct search_request *request, struct search_grid *search,
                 const struct search_run *run)
{
    struct search_named_runs *named = &search->curves[run->curve].named;
    const struct tune_sample sample = {run->point.plan.n, run->time_s};
    if (!isfinite(run->time_s)) {
        if (named->state == SEARCH_WAITING)
            named->state =
                run->cost_s > request->confirm_most_s ? SEARCH_OVER_LIMIT : SEARCH_NOT_DONE;
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
    const int status = search_do_runs(request, search, first, what, error);
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

/* Up to `most` algorithms of each case, except those that `most` has shown to be slower. */
static int run_best_n(const struct search_request *request, struct search_grid *search, size_t most,
                      const char *what, struct sup_error *error)
{
    const size_t first = search->run_count;
    int status = RB_OK;
    for (size_t i = 0; i < search->case_count; i++) {
        const struct search_case *a_case = &search->cases[i];
        const double bound_s = request->bounded ? best_s(search, a_case) : INFINITY;
        struct search_curve *curve;
        for (size_t k = 0;
             k < most && status == RB_OK && (curve = next_curve(search, a_case)) != NULL; k++)
            if (curve->found.time_s * (1 - SEARCH_TIE) > bound_s)
                curve->named.state = SEARCH_EXCLUDED;
            else
                status = add(request, search, curve, curve->found.n, error);
    }
    return status == RB_OK ? do_runs(request, search, first, what, error) : status;
}

/* ---- Other n --------------------------------------------------------------------------------- */

static int add_others(const struct search_request *request, struct search_grid *search,
                      struct search_curve *curve, struct sup_error *error)
{
    const int64_t n = curve->named.best.n, step = n < 8 ? 1 : n / 8;
    const int64_t others[] = {n / 2, n - step, n + step, n > curve->found.most_n / 2 ? 0 : 2 * n};
    int status = RB_OK;
    for (size_t i = 0; i < sizeof others / sizeof *others && status == RB_OK; i++)
        status = add(request, search, curve, others[i], error);
    return status;
}

/* Ends, because each pass has a better n of some curve, of which there are few runs. */
static int run_others(const struct search_request *request, struct search_grid *search,
                      struct sup_error *error)
{
    size_t first;
    int status = RB_OK;
    do {
        first = search->run_count;
        for (size_t i = 0; i < search->case_count; i++) {
            const struct search_case *a_case = &search->cases[i];
            const double least_s = best_s(search, a_case);
            const double bound_s = request->bounded ? least_s : INFINITY;
            for (size_t k = 0; k < a_case->count && status == RB_OK; k++) {
                struct search_curve *curve = &search->curves[a_case->first + k];
                if (curve->named.state == SEARCH_SIMULATED && curve->found.time_s <= bound_s &&
                    curve->named.best.time_s <= near_the_best * least_s)
                    status = add_others(request, search, curve, error);
            }
        }
        if (status == RB_OK)
            status = do_runs(request, search, first, "other n", error);
    } while (status == RB_OK && search->run_count > first);
    return status;
}

/* ---- Public ---------------------------------------------------------------------------------- */

static enum search_verdict verdict_of(const struct search_grid *search,
                                      const struct search_case *a_case)
{
    size_t count[SEARCH_STATES] = {0};
    for (size_t i = 0; i < a_case->count; i++)
        count[search->curves[a_case->first + i].named.state]++;
    if (count[SEARCH_SIMULATED] == 0)
        return count[SEARCH_OVER_LIMIT] > 0 ? SEARCH_TOO_LARGE : SEARCH_RUN_FAILED;
    return count[SEARCH_OVER_LIMIT] + count[SEARCH_NOT_DONE] > 0 ? SEARCH_PARTLY : SEARCH_CONFIRMED;
}

int search_named(const struct search_request *request, struct search_grid *search,
                 struct sup_error *error)
{
    for (size_t i = 0; i < search->curve_count; i++)
        search->curves[i].named.best.time_s = INFINITY;
    int status = RB_OK;
    if (request->bounded)
        status = run_best_n(request, search, FIRST, "on the platform: first", error);
    if (status == RB_OK)
        status = run_best_n(request, search, SIZE_MAX, "on the platform", error);
    if (status == RB_OK)
        status = run_others(request, search, error);
    for (size_t i = 0; i < search->case_count && status == RB_OK; i++)
        search->cases[i].verdict = verdict_of(search, &search->cases[i]);
    return status;
}
