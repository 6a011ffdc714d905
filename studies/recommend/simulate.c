/* simulate.c - times of tries by simulation, within a budget (steps.h). */
#include <math.h>
#include <stdlib.h>

#include "experiments/point/runs.h"
#include "studies/recommend/steps.h"
#include "support/memory.h"

enum {
    AGAIN = 3,     /* passes over what leads by an expectation alone */
    CONFIRMED = 3, /* points of a collective */
    MOST_COLLECTIVES = 64
};
static const double longest_run_s = 60; /* real time; estimates are far below */
static const double hopeless = 4;       /* times the best at fewer ranks: no run */
static const double of_rest = 0.1;      /* of the budget, for such a pass */

/* ---- Expectations ---------------------------------------------------------------------------- */

/* For ratios of one algorithm's times: the closed form's seconds, or its rounds if it has none;
 * NAN: there is no such plan. */
static double closed_s(const struct point *point)
{
    const struct rb_layout layout = {.bytes = point->m_bytes, .element = 1};
    struct rb_plan *plan;
    double time_s = NAN;
    char why[256];
    if (point->algorithm == NULL)
        return NAN;
    const int status = rb_plan_create(&point->plan, &plan, why, sizeof why);
    sup_had_memory(status != RB_ENOMEM);
    if (status != RB_OK)
        return NAN;
    if (rb_plan_cost(plan, &layout, point->platform->alpha_s, point->platform->beta_s_per_byte,
                     &time_s) != RB_OK)
        time_s = (double)rb_plan_rounds(plan);
    rb_plan_destroy(plan);
    return time_s;
}

/* How far the n of two tries of one plan are apart; INFINITY: the plans differ. Of the library's
 * choices segments must be equal, of which the default may have any. */
static double apart(const struct recommend_try *a, const struct recommend_try *b)
{
    const bool same = a->point.algorithm == b->point.algorithm &&
                      a->point.plan.radix == b->point.plan.radix &&
                      (b->whose == RECOMMEND_LIBRARY
                           ? a->whose == b->whose && a->segment_bytes == b->segment_bytes
                           : true);
    return same ? fabs(log((double)a->point.plan.n / (double)b->point.plan.n)) : INFINITY;
}

/* From the same choice at the same size and fewer ranks; those of one node say nothing of several,
 * which share links. */
static double expect(const struct recommend_work *work, size_t cell,
                     const struct recommend_try *try_)
{
    const struct recommend_answer *answer = work->answer;
    const struct recommend_try *like = NULL;
    double least = INFINITY;
    for (size_t i = work->previous; i < work->step; i++) {
        const struct recommend_cell *before = &answer->cell[i];
        if (before->size != answer->cell[cell].size ||
            (before->p <= work->request->ppn && work->request->ppn > 1 &&
             answer->cell[cell].p > work->request->ppn))
            continue;
        for (size_t k = before->first; k < before->first + before->count; k++)
            if (isfinite(answer->try_[k].time_s) && apart(&answer->try_[k], try_) < least) {
                least = apart(&answer->try_[k], try_);
                like = &answer->try_[k];
            }
    }
    return like == NULL ? NAN : like->time_s * closed_s(&try_->point) / closed_s(&like->point);
}

/* How much longer than the fastest a try is expected to take; 1: nothing is known, or it is the
 * default. The library's are compared with each other, as rules can only choose among these. */
static double handicap(const struct recommend_answer *answer, const struct recommend_cell *cell,
                       const struct recommend_try *try_)
{
    double least_s = INFINITY;
    if (try_->whose == RECOMMEND_DEFAULT)
        return 1;
    for (size_t i = cell->first; i < cell->first + cell->count; i++)
        if (answer->try_[i].expected_s < least_s &&
            (try_->whose == RECOMMEND_OURS || answer->try_[i].whose != RECOMMEND_OURS))
            least_s = answer->try_[i].expected_s;
    return try_->expected_s > least_s ? try_->expected_s / least_s : 1;
}

/* ---- Running --------------------------------------------------------------------------------- */

struct candidate {
    size_t try_;
    double key;
};

static int by_key(const void *a, const void *b)
{
    const struct candidate *left = a, *right = b;
    const int order = (left->key > right->key) - (left->key < right->key);
    return order != 0 ? order : (left->try_ > right->try_) - (left->try_ < right->try_);
}

static void expect_all(struct recommend_work *work)
{
    struct recommend_answer *answer = work->answer;
    for (size_t i = work->step; i < work->end; i++)
        for (size_t k = answer->cell[i].first; k < answer->cell[i].first + answer->cell[i].count;
             k++)
            answer->try_[k].expected_s = expect(work, i, &answer->try_[k]);
}

/* The time, or what is expected. */
static double likely_s(const struct recommend_try *try_)
{
    return try_->source == RECOMMEND_SIMULATED ? try_->time_s
           : isfinite(try_->expected_s)        ? try_->expected_s
                                               : INFINITY;
}

/* True if no other choice of the library is expected to be as fast. */
static bool leads(const struct recommend_answer *answer, const struct recommend_cell *cell,
                  const struct recommend_try *try_)
{
    for (size_t i = cell->first; i < cell->first + cell->count; i++)
        if (answer->try_[i].whose == try_->whose && likely_s(&answer->try_[i]) < likely_s(try_))
            return false;
    return isfinite(likely_s(try_)) && try_->whose != RECOMMEND_OURS;
}

/* What is cheap or promising comes first, until the share of the budget is spent; `again`: of what
 * leads by an expectation alone. */
static void choose_runs(struct recommend_work *work, double share_s, bool again)
{
    struct recommend_answer *answer = work->answer;
    const size_t first = answer->cell[work->step].first;
    struct candidate *candidate = sup_calloc(answer->tries - first + 1, sizeof *candidate);
    size_t count = 0;
    work->order = sup_realloc(work->order, (answer->tries - first + 1) * sizeof *work->order);
    work->count = 0;
    for (size_t i = work->step; i < work->end; i++) {
        const struct recommend_cell *cell = &answer->cell[i];
        for (size_t k = cell->first; k < cell->first + cell->count; k++) {
            const struct recommend_try *try_ = &answer->try_[k];
            const double times = handicap(answer, cell, try_);
            if (again ? try_->source != RECOMMEND_SIMULATED && leads(answer, cell, try_)
                      : times <= hopeless)
                candidate[count++] = (struct candidate){k, try_->point.cost_s * times * times};
        }
    }
    if (count > 0)
        qsort(candidate, count, sizeof *candidate, by_key);
    for (size_t i = 0; i < count; i++) {
        const double cost_s = answer->try_[candidate[i].try_].point.cost_s;
        if (cost_s > share_s)
            continue;
        share_s -= cost_s;
        work->left_s -= cost_s;
        work->order[work->count++] = candidate[i].try_;
    }
    free(candidate);
}

static const struct point *point_at(void *context, size_t i)
{
    const struct recommend_work *work = context;
    return &work->answer->try_[work->order[i]].point;
}

static int take(void *context, size_t i, const struct point_outcome *outcome,
                struct sup_error *error)
{
    const struct recommend_work *work = context;
    struct recommend_try *try_ = &work->answer->try_[work->order[i]];
    char what[256];
    (void)error;
    if (!outcome->done && outcome->wall_s < longest_run_s && work->answer->failed++ == 0)
        sup_fail(&work->answer->failure, outcome->status, "%s: %s",
                 point_describe(&try_->point, what, sizeof what), outcome->error.text);
    if (!outcome->done)
        return RB_OK;
    try_->source = RECOMMEND_SIMULATED;
    try_->time_s = outcome->time_s;
    try_->bound = outcome->bound;
    return RB_OK;
}

static int run(struct recommend_work *work)
{
    struct point_runs runs = {
        .what = work->request->collective[work->answer->cell[work->step].collective],
        .count = work->count,
        .jobs = work->request->jobs,
        .limit_s = longest_run_s,
        .context = work,
        .at = point_at,
        .done = take};
    if (runs.count == 0)
        return RB_OK;
    point_runs_start(&runs);
    return point_runs_do(&runs, work->error);
}

/* What was not run has the time that is expected. */
static void take_expected(struct recommend_work *work)
{
    struct recommend_answer *answer = work->answer;
    for (size_t i = answer->cell[work->step].first; i < answer->tries; i++) {
        struct recommend_try *try_ = &answer->try_[i];
        if (try_->source == RECOMMEND_NOT_REACHED && isfinite(try_->expected_s)) {
            try_->source = RECOMMEND_PREDICTED;
            try_->time_s = try_->expected_s;
        }
    }
}

int recommend_simulate(struct recommend_work *work)
{
    const double weight = sqrt(work->answer->cell[work->step].p);
    expect_all(work);
    choose_runs(work, work->left_s * weight / work->weight, false);
    work->weight -= weight;
    int status = run(work);
    for (int again = 0; again < AGAIN && status == RB_OK && work->count > 0; again++) {
        choose_runs(work, work->left_s * of_rest, true);
        status = run(work);
    }
    take_expected(work);
    return status;
}

/* ---- Confirmation ---------------------------------------------------------------------------- */

struct confirming {
    struct recommend_answer *answer;
    const struct recommend_try *of[MOST_COLLECTIVES * CONFIRMED];
    struct point point[MOST_COLLECTIVES * CONFIRMED];
    size_t count;
};

static const struct point *confirmed_at(void *context, size_t i)
{
    return &((struct confirming *)context)->point[i];
}

static int take_confirmed(void *context, size_t i, const struct point_outcome *outcome,
                          struct sup_error *error)
{
    struct confirming *confirming = context;
    struct recommend_answer *answer = confirming->answer;
    (void)error;
    if (!outcome->done) {
        answer->unconfirmed = outcome->error;
        return RB_OK;
    }
    answer->confirmed++;
    answer->difference =
        fmax(answer->difference, fabs(outcome->time_s / confirming->of[i]->time_s - 1));
    return RB_OK;
}

/* Lines up simulated winners of a collective, from the most ranks down, at different sizes. */
static void line_up(int32_t collective, double most_s, struct confirming *confirming)
{
    const struct recommend_answer *answer = confirming->answer;
    const size_t enough = confirming->count + CONFIRMED;
    for (size_t i = answer->cells; i-- > 0 && confirming->count < enough;) {
        const struct recommend_cell *cell = &answer->cell[i];
        if (cell->collective != collective || cell->best == NULL ||
            cell->best->source != RECOMMEND_SIMULATED || cell->best->time_s <= 0)
            continue;
        struct point point = cell->best->point;
        point.engine = sim_engine_find("simgrid");
        point.engine_text = "simgrid";
        if (point_estimate(&point, NULL) != RB_OK || point.cost_s > most_s)
            continue;
        confirming->of[confirming->count] = cell->best;
        confirming->point[confirming->count++] = point;
        i -= i > 2 ? 2 : 0;
    }
}

int recommend_confirm(const struct recommend_request *request, struct recommend_answer *answer,
                      struct sup_error *error)
{
    struct confirming *confirming = sup_calloc(1, sizeof *confirming);
    confirming->answer = answer;
    for (int32_t i = 0; i < request->collectives && i < MOST_COLLECTIVES; i++)
        line_up(i, request->budget_s / (20.0 * request->collectives), confirming);
    struct point_runs runs = {.what = "confirm",
                              .count = confirming->count,
                              .jobs = request->jobs,
                              .limit_s = longest_run_s,
                              .context = confirming,
                              .at = confirmed_at,
                              .done = take_confirmed};
    int status = RB_OK;
    if (runs.count > 0) {
        point_runs_start(&runs);
        status = point_runs_do(&runs, error);
    }
    free(confirming);
    return status;
}
