/* fitted.c - simulated times, corrected by a model that is fitted to measured rows of any
 * machines (recommend.h). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "studies/audit/audit.h"
#include "studies/predict/predict.h"
#include "studies/recommend/recommend.h"
#include "support/memory.h"

static const double of_simulation = 0.1; /* the real time of following a path, at most */
/* What one would say in words of the networks of the machines that were measured. */
static const double usual_latency_s = 1e-6, usual_s_per_byte = 1 / 25e9;

/* ---- The rows -------------------------------------------------------------------------------- */

static void add_name(char *names, size_t size, const char *name)
{
    const size_t length = strlen(names);
    snprintf(names + length, size - length, "%s%.40s", length == 0 ? "" : ", ", name);
}

static void name_machines(struct recommend_learnt *learnt)
{
    for (int32_t i = 0; i < learnt->rows; i++) {
        int32_t k = 0;
        while (k < i && learnt->row[k]->system != learnt->row[i]->system)
            k++;
        if (k == i)
            add_name(learnt->machines, sizeof learnt->machines, learnt->row[i]->system);
    }
}

int recommend_learn(const struct rows_set *set, struct recommend_learnt *learnt,
                    struct sup_error *error)
{
    const struct predict_request asked = {.set = set};
    learnt->row = sup_calloc(set->count + 1, sizeof *learnt->row);
    const int status = predict_fit_others(&asked, learnt->left_out, learnt->row, &learnt->rows,
                                          &learnt->model, &learnt->why);
    name_machines(learnt);
    return status == RB_OK || status == RB_EINVAL ? RB_OK
                                                  : sup_fail(error, status, "%s", learnt->why.text);
}

void recommend_forget(struct recommend_learnt *learnt)
{
    predict_model_free(learnt->model);
    free(learnt->row);
}

static bool is_learnt(const struct recommend_learnt *learnt, const char *collective,
                      const char *algorithm)
{
    for (int32_t i = 0; i < learnt->rows; i++)
        if (strcmp(learnt->row[i]->collective, collective) == 0 &&
            strcmp(learnt->row[i]->algorithm, algorithm) == 0)
            return true;
    return false;
}

/* True if an algorithm of the library was measured for the present collective, whoever ran it. */
static bool knows_library(const struct recommend_work *work)
{
    const char *collective = work->call->collective;
    size_t count;
    const struct mpilib_algorithm *rows = mpilib_rows(work->request->format->library, &count);
    for (size_t i = 0; i < count; i++)
        if (rows[i].algorithm != NULL && strcmp(rows[i].collective, collective) == 0 &&
            is_learnt(work->request->learnt, collective, rows[i].algorithm))
            return true;
    return false;
}

/* ---- Times ----------------------------------------------------------------------------------- */

/* A machine of which nothing is known. */
static const struct rows_row nowhere = {.system = "",
                                        .library = "",
                                        .library_version = "",
                                        .transport = "",
                                        .overlap = "",
                                        .interfaces = 1,
                                        .element_bytes = 1};

/* Gives a way the model's time; RB_ENOTSUP if its path is too long. A network whose latency is k
 * times the usual one, and which takes k times as long for a byte, takes k times as long for all;
 * so does one that takes s k times as long for a byte, with messages of s times the bytes. */
static int ask(struct recommend_work *work, size_t i)
{
    const struct recommend_request *request = work->request;
    const struct point *point = &work->answer->try_[i].point;
    const struct rb_plan_spec *plan = &point->plan;
    struct decide_way *way = &work->decision->ways[i];
    const double k = request->platform->alpha_s / usual_latency_s;
    const double s = request->platform->beta_s_per_byte / usual_s_per_byte / k;
    const double cost_s =
        point->cost_s * of_simulation * fmin(1, (double)PREDICT_MOST_RANKS / (double)plan->p);
    if (point->algorithm == NULL || plan->groups != NULL || cost_s > work->model_left_s)
        return RB_ENOTSUP;
    work->model_left_s -= cost_s;
    struct rows_row row = audit_row(&nowhere, plan, request->ppn,
                                    (int64_t)fmax(1, round((double)point->m_bytes * s)));
    const struct mpilib_algorithm *known =
        mpilib_ours(request->format->library, request->format->version, plan->collective, NULL,
                    plan->algorithm, plan->radix, plan->p, request->ppn);
    if (known != NULL)
        row.manner = known->manner;
    if (plan->n > 1) /* segments follow one another */
        row.manner.sends = MPILIB_IN_ROUNDS;
    struct predict_tested tested = {.row = &row};
    const int status =
        predict_time_asked(request->learnt->model, PREDICT_MOST_RANKS, &tested, work->error);
    if (status == RB_OK) {
        way->source = DECIDE_PREDICTED;
        way->time_s = k * tested.estimate.time_s;
        way->low_s = k * tested.estimate.low_s;
        way->high_s = k * tested.estimate.high_s;
    }
    return status;
}

/* Gives ways the model's times. Those of other ways are the simulated ones, times the median ratio
 * of what has both. */
static int correct_call(struct recommend_work *work, const struct decide_call *call)
{
    struct decide_way *way = &work->decision->ways[call->first];
    double *ratio = sup_malloc((call->count + 1) * sizeof *ratio);
    size_t known = 0;
    for (size_t i = 0; i < call->count; i++) {
        const double simulated_s = way[i].time_s;
        const int status = way[i].offered || way[i].own ? ask(work, call->first + i) : RB_ENOTSUP;
        if (status == RB_OK && isfinite(simulated_s) && simulated_s > 0)
            ratio[known++] = way[i].time_s / simulated_s;
        if (status != RB_OK && status != RB_ENOTSUP) {
            free(ratio);
            return status;
        }
    }
    sup_sort_reals(ratio, known);
    for (size_t i = 0; i < call->count && known > 0; i++)
        if (way[i].source != DECIDE_PREDICTED || isnan(way[i].low_s)) {
            way[i].time_s *= sup_quantile(ratio, known, 0.5);
            way[i].source = isfinite(way[i].time_s) ? DECIDE_PREDICTED : DECIDE_UNTIMED;
        }
    free(ratio);
    return RB_OK;
}

int recommend_correct(struct recommend_work *work, size_t first)
{
    struct recommend_answer *answer = work->answer;
    int status = RB_OK;
    for (size_t i = work->decision->calls[first].first; i < work->decision->way_count; i++)
        answer->simulated += work->decision->ways[i].source == DECIDE_SIMULATED;
    if (work->request->learnt == NULL || work->request->learnt->model == NULL)
        return RB_OK;
    if (!knows_library(work)) {
        add_name(answer->unknown, sizeof answer->unknown, work->call->collective);
        return RB_OK;
    }
    for (size_t i = first; i < work->decision->call_count && status == RB_OK; i++)
        if (work->request->ppn == 1 || work->decision->calls[i].p > work->request->ppn)
            status = correct_call(work, &work->decision->calls[i]);
    return status;
}
