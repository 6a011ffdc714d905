/* simulate.c - times of ways by simulation, within a budget (recommend.h). */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "experiments/point/runs.h"
#include "studies/recommend/recommend.h"
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

/* How far the n of two ways of one plan are apart; INFINITY: the plans differ. Of the library's
 * choices segments must be equal, of which the default may have any. */
static double apart(const struct recommend_answer *answer, size_t a, size_t b)
{
    const struct point *left = &answer->try_[a].point, *right = &answer->try_[b].point;
    const struct decide_way *one = &answer->decision.ways[a], *other = &answer->decision.ways[b];
    const bool same =
        left->algorithm == right->algorithm && left->plan.radix == right->plan.radix &&
        (!other->offered || (one->offered && one->segment_bytes == other->segment_bytes));
    return same ? fabs(log((double)left->plan.n / (double)right->plan.n)) : INFINITY;
}

/* Of the call's way i, from the same choice at the same size and fewer ranks; those of one node say
 * nothing of several, which share links. */
static double expect(const struct recommend_work *work, const struct decide_call *call, size_t i)
{
    const struct recommend_answer *answer = work->answer;
    const struct decide_way *ways = work->decision->ways;
    const int32_t ppn = work->request->ppn;
    size_t like = i;
    double least = INFINITY;
    for (size_t k = work->previous; k < work->step; k++) {
        const struct decide_call *before = &work->decision->calls[k];
        if (before->size != call->size || (before->p <= ppn && ppn > 1 && call->p > ppn))
            continue;
        for (size_t w = before->first; w < before->first + before->count; w++)
            if (isfinite(ways[w].time_s) && apart(answer, w, i) < least) {
                least = apart(answer, w, i);
                like = w;
            }
    }
    return like == i ? NAN
                     : ways[like].time_s * closed_s(&answer->try_[i].point) /
                           closed_s(&answer->try_[like].point);
}

/* How much longer than the fastest the call's way i is expected to take; 1: nothing is known, or it
 * is the default. The library's are compared with each other, as rules can only choose among these.
 */
static double handicap(const struct recommend_answer *answer, const struct decide_call *call,
                       size_t i)
{
    const struct decide_way *ways = answer->decision.ways;
    const double expected_s = answer->try_[i].expected_s;
    double least_s = INFINITY;
    if (ways[i].own)
        return 1;
    for (size_t k = call->first; k < call->first + call->count; k++)
        if (answer->try_[k].expected_s < least_s &&
            (!ways[i].offered || ways[k].offered || ways[k].own))
            least_s = answer->try_[k].expected_s;
    return expected_s > least_s ? expected_s / least_s : 1;
}

/* ---- Running --------------------------------------------------------------------------------- */

struct candidate {
    size_t way;
    double key;
};

SUP_COMPARE(by_key, struct candidate, SUP_ORDER(a->key, b->key), SUP_ORDER(a->way, b->way));

static void expect_all(struct recommend_work *work)
{
    for (size_t i = work->step; i < work->end; i++) {
        const struct decide_call *call = &work->decision->calls[i];
        for (size_t k = call->first; k < call->first + call->count; k++)
            work->answer->try_[k].expected_s = expect(work, call, k);
    }
}

/* The time, or what is expected. */
static double likely_s(const struct recommend_answer *answer, size_t i)
{
    const struct decide_way *way = &answer->decision.ways[i];
    const double expected_s = answer->try_[i].expected_s;
    return way->source == DECIDE_SIMULATED ? way->time_s
           : isfinite(expected_s)          ? expected_s
                                           : INFINITY;
}

/* True if no other way of the library is expected to be as fast as the call's way i. */
static bool leads(const struct recommend_answer *answer, const struct decide_call *call, size_t i)
{
    const struct decide_way *ways = answer->decision.ways;
    for (size_t k = call->first; k < call->first + call->count; k++)
        if (ways[k].own == ways[i].own && ways[k].offered == ways[i].offered &&
            likely_s(answer, k) < likely_s(answer, i))
            return false;
    return isfinite(likely_s(answer, i)) && (ways[i].own || ways[i].offered);
}

/* What is cheap or promising comes first, until the share of the budget is spent; `again`: of what
 * leads by an expectation alone. */
static void choose_runs(struct recommend_work *work, double share_s, bool again)
{
    const struct recommend_answer *answer = work->answer;
    const struct decide *decision = work->decision;
    const size_t most = decision->way_count - decision->calls[work->step].first + 1;
    struct candidate *candidate = sup_calloc(most, sizeof *candidate);
    size_t count = 0;
    work->order = sup_realloc(work->order, most * sizeof *work->order);
    work->count = 0;
    for (size_t i = work->step; i < work->end; i++) {
        const struct decide_call *call = &decision->calls[i];
        for (size_t k = call->first; k < call->first + call->count; k++) {
            const double times = handicap(answer, call, k);
            if (decision->ways[k].source == DECIDE_COMPUTED)
                continue;
            if (again ? decision->ways[k].source != DECIDE_SIMULATED && leads(answer, call, k)
                      : times <= hopeless)
                candidate[count++] =
                    (struct candidate){k, answer->try_[k].point.cost_s * times * times};
        }
    }
    if (count > 0)
        qsort(candidate, count, sizeof *candidate, by_key);
    for (size_t i = 0; i < count; i++) {
        const double cost_s = answer->try_[candidate[i].way].point.cost_s;
        if (cost_s > share_s)
            continue;
        share_s -= cost_s;
        work->left_s -= cost_s;
        work->order[work->count++] = candidate[i].way;
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
    struct decide_way *way = &work->decision->ways[work->order[i]];
    struct recommend_try *try_ = &work->answer->try_[work->order[i]];
    char what[256];
    (void)error;
    if (!outcome->done && outcome->wall_s < longest_run_s) {
        struct sup_error failure;
        sup_fail(&failure, outcome->status, "%s: %s",
                 point_describe(&try_->point, what, sizeof what), outcome->error.text);
        decide_leave_out(work->decision, DECIDE_FAILED, 1, failure.text);
    }
    if (!outcome->done)
        return RB_OK;
    way->source = DECIDE_SIMULATED;
    way->time_s = outcome->time_s;
    try_->bound = outcome->bound;
    return RB_OK;
}

static int run(struct recommend_work *work)
{
    struct point_runs runs = {.what = work->call->collective,
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
    for (size_t i = work->decision->calls[work->step].first; i < work->decision->way_count; i++) {
        struct decide_way *way = &work->decision->ways[i];
        if (way->source == DECIDE_UNTIMED && isfinite(work->answer->try_[i].expected_s)) {
            way->source = DECIDE_PREDICTED;
            way->time_s = work->answer->try_[i].expected_s;
        }
    }
}

int recommend_simulate(struct recommend_work *work)
{
    const double weight = sqrt(work->decision->calls[work->step].p);
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
    const struct decide_way *of[MOST_COLLECTIVES * CONFIRMED];
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

/* Lines up simulated winners at a place, from the most ranks down, at different sizes. */
static void line_up(size_t place, double most_s, struct confirming *confirming)
{
    const struct decide *decision = &confirming->answer->decision;
    const size_t enough = confirming->count + CONFIRMED;
    for (size_t i = decision->call_count; i-- > 0 && confirming->count < enough;) {
        const struct decide_way *choice = decision->calls[i].choice;
        if (decision->calls[i].place != place || choice->source != DECIDE_SIMULATED ||
            choice->time_s <= 0)
            continue;
        struct point point = ((const struct recommend_try *)choice->more)->point;
        point.engine = sim_engine_find("simgrid");
        point.engine_text = "simgrid";
        if (point_estimate(&point, NULL) != RB_OK || point.cost_s > most_s)
            continue;
        confirming->of[confirming->count] = choice;
        confirming->point[confirming->count++] = point;
        i -= i > 2 ? 2 : 0;
    }
}

int recommend_confirm(const struct recommend_request *request, struct recommend_answer *answer,
                      struct sup_error *error)
{
    struct confirming *confirming = sup_calloc(1, sizeof *confirming);
    confirming->answer = answer;
    for (size_t i = 0; i < answer->decision.place_count && i < MOST_COLLECTIVES; i++)
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

/* ---- NCCL's cost model ----------------------------------------------------------------------- */

/* What NCCL takes by itself, and how long its algorithms take: by the engine nccl, nothing of it is
 * simulated. */

bool recommend_is_nccl(const struct recommend_request *request)
{
    return strcmp(request->format->library, "nccl") == 0;
}

static const char *const protocols[] = {"LL", "LL128", "Simple"};
enum { PROTOCOLS = sizeof protocols / sizeof *protocols };

/* Sets the time of a way and the protocol, from "Tree LL128"; of what NCCL can't serve there, none.
 */
static void compute(struct recommend_work *work, size_t i)
{
    struct recommend_try *try_ = &work->answer->try_[i];
    struct decide_way *way = &work->decision->ways[i];
    struct point_run run = {0};
    struct point_outcome outcome;
    struct sup_error why;
    try_->point.engine = sim_engine_find("nccl");
    try_->point.engine_text = "nccl";
    int status = point_prepare(&try_->point, &run, &why);
    if (status == RB_OK)
        status = point_simulate(&try_->point, &run, &outcome);
    if (status == RB_OK) {
        const char *blank = strchr(run.result.variant, ' ');
        way->source = DECIDE_COMPUTED;
        way->time_s = run.result.time_s;
        for (int k = 0; k < PROTOCOLS && blank != NULL; k++)
            if (strcasecmp(blank + 1, protocols[k]) == 0) {
                way->protocol = k + 1;
                try_->protocol = protocols[k];
            }
    } else {
        decide_leave_out(work->decision, DECIDE_FAILED, 1,
                         run.plan == NULL ? why.text : outcome.error.text);
    }
    point_run_free(&run);
}

/* NCCL chooses by this model, so its own choice is the fastest. False: no algorithm has a time. */
static bool add_own(struct recommend_work *work, const struct decide_call *call)
{
    const struct decide_way *ways = work->decision->ways;
    size_t best = call->first + call->count;
    for (size_t i = call->first; i < call->first + call->count; i++)
        if (ways[i].source == DECIDE_COMPUTED &&
            (best == call->first + call->count || ways[i].time_s < ways[best].time_s))
            best = i;
    if (best == call->first + call->count)
        return false;
    recommend_add_own(work, best);
    return true;
}

int recommend_compute(struct recommend_work *work)
{
    const struct decide_call *call = &work->decision->calls[work->decision->call_count - 1];
    const struct out_left_out *failed = &work->decision->left_out[DECIDE_FAILED];
    for (size_t i = call->first; i < call->first + call->count; i++)
        if (work->decision->ways[i].offered)
            compute(work, i);
    return add_own(work, call)
               ? RB_OK
               : sup_fail(work->error, RB_EINVAL, "--library nccl: %s",
                          failed->count > 0 ? failed->names : "no algorithm serves so many ranks");
}
