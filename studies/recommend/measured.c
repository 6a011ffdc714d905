/* measured.c - times of ways from measured rows (recommend.h). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/vendors/choices/choices.h"
#include "studies/audit/audit.h"
#include "studies/predict/predict.h"
#include "studies/recommend/recommend.h"
#include "support/memory.h"
#include "support/names.h"

enum { MOST_BLOCKS = 256 }; /* of a plan that is predicted */

static bool is_of_library(const struct recommend_request *request, const struct rows_row *row)
{
    const char *library = sup_library_named(row->library);
    return library == NULL || strcmp(library, request->format->library) == 0;
}

static enum recommend_whose whose_is(const struct recommend_request *request,
                                     const struct rows_row *row)
{
    const struct rows_row *mark = rows_mark(request->row, request->rows);
    if (row->own_choice)
        return RECOMMEND_OWN;
    return (mark != NULL && !rows_is_of_library(mark->name, row->name)) ||
                   !is_of_library(request, row)
               ? RECOMMEND_OURS
               : RECOMMEND_LIBRARY;
}

static bool is_at(const struct recommend_work *work, const struct decide_call *call,
                  const struct rows_row *row)
{
    return row->p == call->p && row->ranks_per_node == work->request->ppn &&
           row->m_bytes == call->m_bytes &&
           (row->own_choice ? is_of_library(work->request, row) : row->algorithm != NULL) &&
           strcmp(row->collective, work->call->collective) == 0;
}

/* The same plan, of the same library. */
static bool is_like(const struct decide_way *a, const struct decide_way *b)
{
    return a->own == b->own && a->offered == b->offered &&
           (a->own ||
            (strcmp(a->algorithm, b->algorithm) == 0 && a->radix == b->radix && a->n == b->n));
}

/* The first of the last call's ways before the i-th that is measured and like it; i: there is none.
 */
static size_t find_measured(const struct recommend_work *work, size_t i)
{
    const struct decide *decision = work->decision;
    for (size_t k = decision->calls[decision->call_count - 1].first; k < i; k++)
        if (decision->ways[k].source == DECIDE_MEASURED &&
            is_like(&decision->ways[k], &decision->ways[i]))
            return k;
    return i;
}

/* Adds the row; of several that are alike the geometric mean counts. */
static void add_measured(struct recommend_work *work, const struct rows_row *row)
{
    struct rb_plan_spec plan = work->common.plan;
    struct decide *decision = work->decision;
    const size_t added = decision->way_count;
    plan.collective = row->collective;
    plan.algorithm = row->own_choice ? work->answer->native : row->algorithm;
    plan.p = row->p;
    plan.radix = row->own_choice ? 0 : row->radix;
    plan.n = row->own_choice ? 1 : rows_blocks(row);
    recommend_add_way(work, whose_is(work->request, row), plan.algorithm, &plan,
                      row->segment_bytes);
    if (decision->way_count == added)
        return;
    const size_t first = find_measured(work, added);
    struct recommend_try *try_ = &work->answer->try_[first];
    if (first < added) {
        decision->way_count--;
        decision->calls[decision->call_count - 1].count--;
    }
    try_->logs += log(row->median_s);
    decision->ways[first].source = DECIDE_MEASURED;
    decision->ways[first].time_s = exp(try_->logs / ++try_->rows);
}

/* A time for what was not measured. None if the model doesn't know the plan, or if a simulation of
 * it, which takes about as long, would exceed the budget. */
static int predict(struct recommend_work *work, size_t i)
{
    const struct point *point = &work->answer->try_[i].point;
    struct decide_way *way = &work->decision->ways[i];
    struct predict_estimate estimate;
    if (way->n > MOST_BLOCKS || point->cost_s > work->left_s || find_measured(work, i) < i)
        return RB_OK;
    work->left_s -= point->cost_s;
    const struct rows_row row =
        audit_row(work->request->row[0], &point->plan, work->request->ppn, point->m_bytes);
    const int status = predict_time(work->model, &row, &estimate, work->error);
    if (status != RB_OK)
        return status == RB_ENOTSUP ? RB_OK : status;
    way->source = DECIDE_PREDICTED;
    way->time_s = estimate.time_s;
    way->low_s = estimate.low_s;
    way->high_s = estimate.high_s;
    return RB_OK;
}

/* What NCCL chooses by itself where that was not measured, at the time of that way. */
static void add_own_of_nccl(struct recommend_work *work)
{
    const struct decide_call *call = &work->decision->calls[work->decision->call_count - 1];
    const struct recommend_request *request = work->request;
    const struct decide_way *ways = work->decision->ways;
    for (size_t i = call->first; i < call->first + call->count; i++) {
        const struct rb_plan_spec *plan = &work->answer->try_[i].point.plan;
        if (ways[i].own || !ways[i].offered)
            continue;
        struct rows_row row = audit_row(request->row[0], plan, request->ppn, call->m_bytes);
        row.own_choice = true;
        row.ran = NULL;
        row.manner.engine = "nccl";
        predict_choose_nccl(&row, 1);
        if (row.algorithm == NULL || strcmp(row.algorithm, plan->algorithm) != 0)
            continue;
        recommend_add_own(work, i);
        return;
    }
}

int recommend_measure(struct recommend_work *work)
{
    const struct decide *decision = work->decision;
    const struct decide_call *call = &decision->calls[decision->call_count - 1];
    int32_t choices = 0;
    int status = RB_OK;
    for (size_t i = 0; i < work->request->rows; i++)
        if (is_at(work, call, work->request->row[i]))
            add_measured(work, work->request->row[i]);
    const size_t measured = decision->way_count;
    for (size_t i = call->first; i < measured; i++)
        choices += decision->ways[i].offered;
    if (choices < 2)
        recommend_add_ways(work, false);
    for (size_t i = measured; i < decision->way_count && status == RB_OK; i++)
        status = predict(work, i);
    if (status == RB_OK && recommend_is_nccl(work->request))
        add_own_of_nccl(work);
    return status;
}

/* Where all rows are the library's own choice: copies of them with the algorithms that its decision
 * rules take. */
static int assume(struct recommend_work *work, struct predict_assumed *assumed)
{
    const struct recommend_request *request = work->request;
    struct rows_set set = {.row = sup_calloc(request->rows + 1, sizeof *set.row),
                           .count = request->rows};
    const struct predict_request asked = {.set = &set};
    work->assumed = set.row;
    for (size_t i = 0; i < request->rows; i++) {
        set.row[i] = *request->row[i];
        if (set.row[i].algorithm != NULL || !is_of_library(request, &set.row[i]) ||
            !mpilib_chooses(request->format->library))
            return RB_OK;
        set.row[i].library = request->format->library;
    }
    return predict_assume_choices(&asked, &set, assumed, work->error);
}

int recommend_fit(struct recommend_work *work)
{
    const struct recommend_request *request = work->request;
    const struct predict_options options = {0};
    const struct rows_row **planned = sup_calloc(request->rows + 1, sizeof *planned);
    struct predict_assumed assumed = {0};
    char said[120] = "";
    int32_t count = 0;
    int status = assume(work, &assumed);
    for (size_t i = 0; i < request->rows; i++) {
        const struct rows_row *row = assumed.rows > 0 ? &work->assumed[i] : request->row[i];
        if (row->algorithm != NULL)
            planned[count++] = row;
    }
    if (assumed.rows > 0)
        snprintf(said, sizeof said,
                 "; their algorithms are those of the library's rules, of which %lld have no plan",
                 (long long)assumed.without);
    if (status == RB_OK)
        status = count == 0 ? sup_fail(work->error, RB_EINVAL,
                                       "--rows: no row of an algorithm with a plan")
                            : predict_fit(planned, count, &options, &work->model, work->error);
    if (status == RB_OK)
        snprintf(work->answer->fit, sizeof work->answer->fit, "%s%s",
                 predict_model_note(work->model), said);
    free(planned);
    return status;
}
