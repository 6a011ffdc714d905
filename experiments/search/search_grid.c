/* search_grid.c - see search_grid.h. */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */

#include "experiments/search/search_grid.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "experiments/command/options.h"
#include "experiments/search/pieces.h"
#include "experiments/sweep/workers.h"

const char *const rb_search_verdict_names[RB_SEARCH_VERDICTS] = {
    "not asked", "yes", "other n", "other algorithm", "too large", "failed"};

/* A runner-up within this share of the winner's time is confirmed, too. */
static const double close_by = 0.05;
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
    const struct rb_plan_spec spec = {.collective = point->collective,
                                      .algorithm = point->algorithm,
                                      .p = point->p,
                                      .root = point->root,
                                      .n = 1,
                                      .ports = point->ports};
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
        point.p = (int32_t)request->p->value[i / request->m_bytes->count];
        point.m_bytes = request->m_bytes->value[i % request->m_bytes->count];
        a_case->first = search->curve_count;
        for (size_t k = 0; k < request->algorithm_count; k++) {
            point.algorithm = request->algorithm[k];
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

static void search_piece(void *context, size_t i, void *result, _Atomic int64_t *steps)
{
    const struct rb_search *search = context;
    struct found *found = result;
    found->status = rb_search_n(&search->curves[i].point, steps, &found->found, &found->error);
}

/* Of simulations near the closed form's n. */
static double curve_cost_s(const struct rb_point *curve)
{
    struct rb_point point = *curve;
    const struct rb_plan_spec spec = {.collective = point.collective,
                                      .algorithm = point.algorithm,
                                      .p = point.p,
                                      .root = point.root,
                                      .n = 1,
                                      .ports = point.ports};
    if (rb_best_n(&spec, point.m_bytes, point.platform->alpha_s, point.platform->beta_s_per_byte,
                  &point.n) != RB_OK ||
        rb_point_estimate(&point, NULL) != RB_OK)
        return 0;
    return SIMULATIONS * point.cost_s;
}

static int search_curves(const struct rb_search_request *request, struct rb_search *search,
                         struct rb_error *error)
{
    double *cost_s = calloc(search->curve_count + 1, sizeof *cost_s);
    struct found *results = NULL;
    if (cost_s == NULL)
        return rb_fail(error, RB_ENOMEM, "out of memory");
    for (size_t i = 0; i < search->curve_count; i++)
        cost_s[i] = curve_cost_s(&search->curves[i].point);
    const struct rb_pieces pieces = {.what = "search",
                                     .count = search->curve_count,
                                     .cost_s = cost_s,
                                     .jobs = request->jobs,
                                     .result_size = sizeof *results,
                                     .context = search,
                                     .run = search_piece,
                                     .step = "simulations"};
    int status = rb_pieces_run(&pieces, (void **)&results, error);
    for (size_t i = 0; i < search->curve_count && status == RB_OK; i++) {
        struct rb_search_curve *curve = &search->curves[i];
        curve->found = results[i].found;
        curve->point.n = results[i].found.n;
        if (results[i].status != RB_OK)
            status = rb_fail(error, results[i].status, "%s %s: %s", curve->point.collective,
                             curve->point.algorithm, results[i].error.text);
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

static void choose(struct rb_search *search, struct rb_search_case *a_case)
{
    const struct rb_search_curve *curves = search->curves + a_case->first;
    a_case->winner = curves;
    for (size_t i = 1; i < a_case->count; i++)
        if (is_faster(curves[i].found.time_s, a_case->winner->found.time_s))
            a_case->winner = &curves[i];
    for (size_t i = 0; i < a_case->count; i++)
        if (curves[i].point.algorithm != a_case->winner->point.algorithm &&
            (a_case->runner_up == NULL ||
             is_faster(curves[i].found.time_s, a_case->runner_up->found.time_s)))
            a_case->runner_up = &curves[i];
}

/* ---- Confirming ------------------------------------------------------------------------------ */

static void add_run(const struct rb_search_request *request, struct rb_search *search,
                    const struct rb_search_curve *curve, int64_t n)
{
    struct rb_search_run *run = &search->runs[search->run_count++];
    *run = (struct rb_search_run){
        .curve = (size_t)(curve - search->curves), .point = curve->point, .time_s = NAN};
    run->point.n = n;
    run->point.engine = request->judge;
    run->point.engine_text = request->judge->name;
    run->point.platform = request->judge_on;
    run->cost_s = rb_point_estimate(&run->point, NULL) == RB_OK ? run->point.cost_s : INFINITY;
}

/* The winner; an eighth of n to each side, at least one block; the runner-up, if it is close. */
static void add_runs(const struct rb_search_request *request, struct rb_search *search,
                     struct rb_search_case *a_case)
{
    const struct rb_found *found = &a_case->winner->found;
    const int64_t step = found->n < 8 ? 1 : found->n / 8;
    a_case->first_run = a_case->fastest_run = search->run_count;
    add_run(request, search, a_case->winner, found->n);
    if (found->n > step)
        add_run(request, search, a_case->winner, found->n - step);
    if (found->n + step <= found->most_n)
        add_run(request, search, a_case->winner, found->n + step);
    if (a_case->runner_up != NULL &&
        a_case->runner_up->found.time_s <= found->time_s * (1 + close_by))
        add_run(request, search, a_case->runner_up, a_case->runner_up->found.n);
    a_case->run_count = search->run_count - a_case->first_run;
    for (size_t i = a_case->first_run; i < search->run_count; i++)
        if (search->runs[i].cost_s > request->judge_most_s)
            a_case->verdict = RB_TOO_LARGE;
    if (a_case->verdict == RB_TOO_LARGE)
        search->run_count = a_case->first_run;
}

/* By the judge: engines agree to 1e-9, no better. */
static void judge(struct rb_search *search, struct rb_search_case *a_case, double most_s)
{
    enum { AGREE = 1000000000 };
    const struct rb_search_run *runs = search->runs + a_case->first_run;
    size_t fastest = 0;
    a_case->verdict = RB_CONFIRMED;
    for (size_t i = 0; i < a_case->run_count; i++) {
        if (!isfinite(runs[i].time_s)) {
            a_case->verdict = runs[i].cost_s > most_s ? RB_TOO_LARGE : RB_RUN_FAILED;
            return;
        }
        if (runs[i].time_s < runs[fastest].time_s - runs[fastest].time_s / AGREE)
            fastest = i;
    }
    a_case->fastest_run = a_case->first_run + fastest;
    if (fastest > 0)
        a_case->verdict = runs[fastest].curve == runs[0].curve ? RB_OTHER_N : RB_OTHER_CHOICE;
}

/* The runs while they are done. */
struct judging {
    struct rb_search *search;
    double most_s;          /* for a run */
    double done_s, total_s; /* of the estimates */
    struct rb_bar bar;
};

static void judge_run(void *context, size_t i, struct rb_outcome *outcome)
{
    const struct judging *judging = context;
    rb_point_run(&judging->search->runs[i].point, outcome);
}

static void show(void *context)
{
    struct judging *judging = context;
    rb_bar_update(&judging->bar, (int64_t)(1e6 * judging->done_s), NULL);
}

static int take_outcome(void *context, size_t i, const struct rb_outcome *outcome,
                        struct rb_error *error)
{
    struct judging *judging = context;
    struct rb_search_run *run = &judging->search->runs[i];
    struct rb_error *failure = &judging->search->failure;
    char what[256];
    (void)error;
    judging->done_s += run->cost_s;
    if (outcome->done)
        run->time_s = outcome->time_s;
    else if (outcome->wall_s >= judging->most_s)
        run->cost_s = outcome->wall_s; /* the estimate was too low */
    else if (failure->text[0] == '\0')
        rb_fail(failure, outcome->status, "%s: %s", rb_point_format(&run->point, what, sizeof what),
                outcome->error.text);
    show(context);
    return RB_OK;
}

static int judge_all(const struct rb_search_request *request, struct rb_search *search,
                     struct rb_error *error)
{
    enum { MOST_RUNS = 4 };
    struct judging judging = {.search = search, .most_s = request->judge_most_s};
    search->runs = calloc(MOST_RUNS * search->case_count + 1, sizeof *search->runs);
    if (search->runs == NULL)
        return rb_fail(error, RB_ENOMEM, "out of memory");
    for (size_t i = 0; i < search->case_count; i++)
        add_runs(request, search, &search->cases[i]);
    for (size_t i = 0; i < search->run_count; i++)
        judging.total_s += search->runs[i].cost_s;
    const struct rb_work work = {.count = search->run_count,
                                 .jobs = request->jobs,
                                 .limit_s = request->judge_most_s,
                                 .context = &judging,
                                 .run = judge_run,
                                 .done = take_outcome,
                                 .tick = show};
    rb_bar_start(&judging.bar, "confirm", (int64_t)(1e6 * judging.total_s));
    const int status = rb_workers_run(&work, error);
    rb_bar_end(&judging.bar);
    for (size_t i = 0; i < search->case_count && status == RB_OK; i++)
        if (search->cases[i].verdict != RB_TOO_LARGE)
            judge(search, &search->cases[i], request->judge_most_s);
    return status;
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
    for (size_t i = 0; i < search->case_count && status == RB_OK; i++)
        choose(search, &search->cases[i]);
    search->search_s = now_s() - started_s;
    if (status == RB_OK && request->judge != NULL)
        status = judge_all(request, search, error);
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
