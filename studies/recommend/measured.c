/* measured.c - times of tries from measured rows (steps.h). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "studies/audit/audit.h"
#include "studies/predict/predict.h"
#include "studies/recommend/steps.h"
#include "support/memory.h"
#include "support/names.h"

enum { MOST_BLOCKS = 256 }; /* of a plan that is predicted */

/* A row that marks the library's algorithms by its name: "default_ompi"; NULL: none. */
static const struct rows_row *find_mark(const struct recommend_request *request)
{
    for (size_t i = 0; i < request->rows; i++)
        if (request->row[i]->own_choice && strcmp(request->row[i]->name, "default") != 0)
            return request->row[i];
    return NULL;
}

static bool is_of_library(const struct recommend_request *request, const struct rows_row *row)
{
    const char *library = sup_library_named(row->library);
    return library == NULL || strcmp(library, request->format->library) == 0;
}

static enum recommend_whose whose_is(const struct recommend_request *request,
                                     const struct rows_row *row)
{
    const struct rows_row *mark = find_mark(request);
    if (row->own_choice)
        return RECOMMEND_DEFAULT;
    return (mark != NULL && !rows_is_of_library(mark->name, row->name)) ||
                   !is_of_library(request, row)
               ? RECOMMEND_OURS
               : RECOMMEND_LIBRARY;
}

static bool is_at(const struct recommend_request *request, const struct recommend_cell *cell,
                  const struct rows_row *row)
{
    return row->p == cell->p && row->ranks_per_node == request->ppn &&
           row->m_bytes == cell->m_bytes &&
           (row->own_choice ? is_of_library(request, row) : row->algorithm != NULL) &&
           strcmp(row->collective, request->collective[cell->collective]) == 0;
}

static bool is_alike(const struct recommend_request *request, const struct rows_row *a,
                     const struct rows_row *b)
{
    const enum recommend_whose whose = whose_is(request, a);
    return whose == whose_is(request, b) &&
           (whose == RECOMMEND_DEFAULT ||
            (strcmp(a->algorithm, b->algorithm) == 0 && a->radix == b->radix &&
             rows_blocks(a) == rows_blocks(b)));
}

/* Adds the geometric mean of all rows like the i-th; false: one before was like it. */
static bool add_measured(struct recommend_work *work, const struct recommend_cell *cell, size_t i)
{
    const struct recommend_request *request = work->request;
    const struct rows_row *row = request->row[i];
    struct rb_plan_spec plan = work->common.plan;
    double logs = 0;
    int count = 0;
    for (size_t k = 0; k < request->rows; k++) {
        if (!is_at(request, cell, request->row[k]) || !is_alike(request, row, request->row[k]))
            continue;
        if (k < i)
            return false;
        logs += log(request->row[k]->median_s);
        count++;
    }
    plan.collective = row->collective;
    plan.algorithm = row->own_choice ? work->answer->native : row->algorithm;
    plan.p = row->p;
    plan.radix = row->own_choice ? 0 : row->radix;
    plan.n = row->own_choice ? 1 : rows_blocks(row);
    struct recommend_try *try_ =
        recommend_add_try(work, cell, whose_is(request, row), &plan, row->segment_bytes);
    if (try_ == NULL)
        return false;
    try_->source = RECOMMEND_MEASURED;
    try_->time_s = exp(logs / count);
    return try_->whose == RECOMMEND_LIBRARY;
}

/* True if the cell has a measured time of the same choice. */
static bool is_measured(const struct recommend_work *work, const struct recommend_cell *cell,
                        const struct recommend_try *try_)
{
    for (size_t i = cell->first; i < work->answer->tries; i++) {
        const struct recommend_try *other = &work->answer->try_[i];
        if (other->source == RECOMMEND_MEASURED && other->whose == try_->whose &&
            (try_->whose == RECOMMEND_DEFAULT ||
             (other->point.algorithm == try_->point.algorithm &&
              other->point.plan.radix == try_->point.plan.radix &&
              other->point.plan.n == try_->point.plan.n)))
            return true;
    }
    return false;
}

/* A time for what was not measured. None if the model doesn't know the plan, or if a simulation of
 * it, which takes about as long, would exceed the budget. */
static int predict(struct recommend_work *work, const struct recommend_cell *cell,
                   struct recommend_try *try_)
{
    const struct rb_plan_spec *plan = &try_->point.plan;
    struct predict_estimate estimate;
    if (plan->n > MOST_BLOCKS || try_->point.cost_s > work->left_s || is_measured(work, cell, try_))
        return RB_OK;
    work->left_s -= try_->point.cost_s;
    const struct rows_row row =
        audit_row(work->request->row[0], plan, work->request->ppn, try_->point.m_bytes);
    const int status = predict_time(work->model, &row, &estimate, work->error);
    if (status != RB_OK)
        return status == RB_ENOTSUP ? RB_OK : status;
    try_->source = RECOMMEND_PREDICTED;
    try_->time_s = estimate.time_s;
    try_->low_s = estimate.low_s;
    try_->high_s = estimate.high_s;
    return RB_OK;
}

int recommend_measure(struct recommend_work *work, struct recommend_cell *cell)
{
    struct recommend_answer *answer = work->answer;
    int32_t choices = 0;
    int status = RB_OK;
    for (size_t i = 0; i < work->request->rows; i++)
        if (is_at(work->request, cell, work->request->row[i]))
            choices += add_measured(work, cell, i);
    const size_t measured = answer->tries;
    if (choices < 2)
        recommend_add_tries(work, cell, false);
    for (size_t i = measured; i < answer->tries && status == RB_OK; i++)
        status = predict(work, cell, &answer->try_[i]);
    return status;
}

int recommend_fit(struct recommend_work *work)
{
    const struct recommend_request *request = work->request;
    const struct predict_options options = {0};
    const struct rows_row **planned = sup_calloc(request->rows + 1, sizeof *planned);
    int32_t count = 0;
    for (size_t i = 0; i < request->rows; i++)
        if (request->row[i]->algorithm != NULL)
            planned[count++] = request->row[i];
    const int status =
        count == 0 ? sup_fail(work->error, RB_EINVAL, "--rows: no row of an algorithm with a plan")
                   : predict_fit(planned, count, &options, &work->model, work->error);
    if (status == RB_OK)
        snprintf(work->answer->fit, sizeof work->answer->fit, "%s",
                 predict_model_note(work->model));
    free(planned);
    return status;
}
