/* search_grid.c - see search_grid.h. */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */

#include "experiments/search/search_grid.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "experiments/search/pieces.h"
#include "experiments/search/search_confirm.h"
#include "experiments/search/search_named.h"

const char *const rb_search_verdict_names[RB_SEARCH_VERDICTS] = {
    "not asked", "yes", "other n", "other algorithm", "too large", "failed", "partly"};
const char *const rb_search_state_names[RB_SEARCH_STATES] = {"waiting", "yes", "excluded",
                                                             "no: limit", "no: failed"};

/* Estimates of a curve are those of so many simulations near its best n. */
enum { SIMULATIONS = 8 };

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- The curves ------------------------------------------------------------------------------ */

/* RB_EINVAL and why, if the algorithm has no plan for this p. */
static int check_plan(const struct rb_point *point, struct rb_error *error)
{
    struct rb_plan_spec spec = point->plan;
    spec.n = 1;
    struct rb_plan *plan;
    char why[400];
    const int status = rb_plan_create(&spec, &plan, why, sizeof why);
    if (status != RB_OK)
        return rb_fail(error, status, "--algorithm: %s", why);
    rb_plan_destroy(plan);
    return RB_OK;
}

/* All rules of one algorithm at one (p, m). */
static int add_curves(const struct rb_search_request *request, struct rb_point point,
                      struct rb_search *search, struct rb_error *error)
{
    struct rb_error why;
    const int status = check_plan(&point, &why);
    if (status == RB_EINVAL && !request->algorithms_named) {
        if (search->left_out++ == 0)
            search->why = why;
        return RB_OK;
    }
    if (status != RB_OK)
        return rb_fail(error, status, "%s", why.text);
    for (size_t i = 0; i < request->progress_count; i++) {
        point.progress = request->progress[i];
        search->curves[search->curve_count++].point = point;
    }
    return RB_OK;
}

static int make_curves(const struct rb_search_request *request, struct rb_search *search,
                       struct rb_error *error)
{
    const size_t cases = request->p->count * request->m_bytes->count;
    search->cases = calloc(cases + 1, sizeof *search->cases);
    search->curves = calloc(cases * request->algorithm_count * request->progress_count + 1,
                            sizeof *search->curves);
    if (search->cases == NULL || search->curves == NULL)
        return rb_fail(error, RB_ENOMEM, "out of memory");
    for (size_t i = 0; i < cases; i++) {
        struct rb_search_case *a_case = &search->cases[search->case_count++];
        struct rb_point point = request->common;
        point.plan.p = (int32_t)request->p->value[i / request->m_bytes->count];
        point.m_bytes = request->m_bytes->value[i % request->m_bytes->count];
        a_case->first = search->curve_count;
        for (size_t k = 0; k < request->algorithm_count; k++) {
            point.plan.algorithm = request->algorithm[k];
            const int status = add_curves(request, point, search, error);
            if (status != RB_OK)
                return status;
        }
        a_case->count = search->curve_count - a_case->first;
        if (a_case->count == 0)
            return rb_fail(error, RB_EINVAL, "%s", search->why.text);
    }
    return RB_OK;
}

/* ---- Searching ------------------------------------------------------------------------------- */

struct found {
    struct rb_found found;
    int status;
    struct rb_error error;
};

struct searching {
    const struct rb_search *search;
    double limit_s;
};

static void search_piece(void *context, size_t i, void *result, _Atomic int64_t *steps)
{
    const struct searching *searching = context;
    struct found *found = result;
    found->status = rb_search_n(&searching->search->curves[i].point, searching->limit_s, steps,
                                &found->found, &found->error);
}

/* Of simulations near the closed form's n. */
static double curve_cost_s(const struct rb_point *curve)
{
    struct rb_point point = *curve;
    struct rb_plan_spec spec = point.plan;
    spec.n = 1;
    if (rb_best_n(&spec, point.m_bytes, point.platform->alpha_s, point.platform->beta_s_per_byte,
                  &point.plan.n) != RB_OK ||
        rb_point_estimate(&point, NULL) != RB_OK)
        return 0;
    return SIMULATIONS * point.cost_s;
}

static int search_curves(const struct rb_search_request *request, struct rb_search *search,
                         struct rb_error *error)
{
    double *cost_s = calloc(search->curve_count + 1, sizeof *cost_s);
    struct found *results = NULL;
    struct searching searching = {search, request->search_most_s};
    if (cost_s == NULL)
        return rb_fail(error, RB_ENOMEM, "out of memory");
    for (size_t i = 0; i < search->curve_count; i++)
        cost_s[i] = curve_cost_s(&search->curves[i].point);
    const struct rb_pieces pieces = {.what = "search",
                                     .count = search->curve_count,
                                     .cost_s = cost_s,
                                     .jobs = request->jobs,
                                     .result_size = sizeof *results,
                                     .context = &searching,
                                     .run = search_piece,
                                     .step = "simulations"};
    int status = rb_pieces_run(&pieces, (void **)&results, error);
    for (size_t i = 0; i < search->curve_count && status == RB_OK; i++) {
        struct rb_search_curve *curve = &search->curves[i];
        curve->found = results[i].found;
        curve->point.plan.n = results[i].found.n;
        if (results[i].status != RB_OK)
            status = rb_fail(error, results[i].status, "%s %s: %s", curve->point.plan.collective,
                             curve->point.plan.algorithm, results[i].error.text);
    }
    free(results);
    free(cost_s);
    return status;
}

/* Of equals the first one. */
static bool is_faster(double time_s, double than_s)
{
    return time_s < than_s * (1 - RB_SEARCH_TIE);
}

static void choose(const struct rb_search_request *request, const struct rb_search *search,
                   struct rb_search_case *a_case)
{
    const struct rb_search_curve *curves = search->curves + a_case->first;
    double winner_s = INFINITY, runner_up_s = INFINITY;
    for (size_t i = 0; i < a_case->count; i++) {
        const double time_s = rb_search_best(request, &curves[i]).time_s;
        if (is_faster(time_s, winner_s)) {
            winner_s = time_s;
            a_case->winner = &curves[i];
        }
    }
    for (size_t i = 0; i < a_case->count && a_case->winner != NULL; i++) {
        const double time_s = rb_search_best(request, &curves[i]).time_s;
        if (curves[i].point.plan.algorithm != a_case->winner->point.plan.algorithm &&
            is_faster(time_s, runner_up_s)) {
            runner_up_s = time_s;
            a_case->runner_up = &curves[i];
        }
    }
}

static void choose_all(const struct rb_search_request *request, struct rb_search *search)
{
    for (size_t i = 0; i < search->case_count; i++)
        choose(request, search, &search->cases[i]);
}

/* ---- Public ---------------------------------------------------------------------------------- */

int rb_search(const struct rb_search_request *request, struct rb_search *search,
              struct rb_error *error)
{
    *search = (struct rb_search){0};
    const double started_s = now_s();
    int status = make_curves(request, search, error);
    if (status == RB_OK)
        status = search_curves(request, search, error);
    search->search_s = now_s() - started_s;
    if (status == RB_OK && rb_search_is_named(request))
        status = rb_search_named(request, search, error);
    if (status == RB_OK)
        choose_all(request, search);
    if (status == RB_OK && request->judge != NULL && !rb_search_is_named(request))
        status = rb_search_confirm(request, search, error);
    search->judge_s = now_s() - started_s - search->search_s;
    return status;
}

void rb_search_free(struct rb_search *search)
{
    free(search->cases);
    free(search->curves);
    free(search->runs);
    *search = (struct rb_search){0};
}
