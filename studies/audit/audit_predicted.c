#include "studies/audit/audit.h"

#include <math.h>
#include <string.h>

#include "mpi/vendors/names/mpilib.h"

/* Segments that are tried, and the most blocks of a plan. */
enum { LEAST_SEGMENT = 4096, MOST_SEGMENT = 4 << 20, FACTOR = 4, MOST_BLOCKS = 2048 };

struct predicting {
    struct decide *audit;
    const struct decide_library *decider;
    const struct audit_prediction *prediction;
    struct sup_error *error;
    int32_t p; /* of the point */
    int64_t m_bytes;
};

static const struct rb_algorithm_info *find_info(const struct predicting *predicting,
                                                 const char *algorithm)
{
    return algorithm == NULL ? NULL
                             : rb_algorithm_find(predicting->prediction->collective, algorithm);
}

struct rows_row audit_row(const struct rows_row *like, const struct rb_plan_spec *plan, int32_t ppn,
                          int64_t m_bytes)
{
    const struct rb_algorithm_info *info = rb_algorithm_find(plan->collective, plan->algorithm);
    struct rows_row row = *like;
    row.test = row.shape = row.notes = "";
    row.collective = info->collective;
    row.name = row.algorithm = info->name;
    row.own_choice = false;
    row.radix = info->radix != NULL ? plan->radix : 0;
    row.ranks_per_node = ppn;
    row.p = plan->p;
    row.nodes = (plan->p - 1) / ppn + 1;
    row.m_bytes = m_bytes;
    row.bytes = strcmp(info->collective, "alltoall") == 0 ? m_bytes / row.p : m_bytes;
    row.segment_bytes = 0;
    row.n = plan->n;
    return row;
}

/* The prediction for a way; without a time if there is no such plan, or the model doesn't know it.
 */
static int predict(struct predicting *predicting, const char *name, const char *algorithm,
                   int32_t radix, int64_t segment_bytes, struct decide_way *choice)
{
    const struct rb_algorithm_info *info = find_info(predicting, algorithm);
    *choice = decide_untimed(radix, segment_bytes);
    choice->name = name;
    if (info == NULL)
        return RB_OK;
    struct rb_plan_spec spec = {.collective = info->collective,
                                .algorithm = info->name,
                                .p = predicting->p,
                                .n = 1,
                                .ports = 1,
                                .radix = info->radix != NULL ? radix : 0};
    const int64_t n = decide_blocks(&spec, predicting->m_bytes, segment_bytes);
    choice->algorithm = info->name;
    choice->radix = spec.radix;
    choice->segment_bytes = n > 1 ? segment_bytes : 0;
    if (n > MOST_BLOCKS)
        decide_leave_out(predicting->audit, DECIDE_TOO_LONG, 1, NULL);
    if (n == 0 || n > MOST_BLOCKS)
        return RB_OK;
    spec.n = n;
    const struct rows_row row = audit_row(predicting->prediction->like, &spec,
                                          predicting->prediction->ppn, predicting->m_bytes);
    struct predict_estimate estimate;
    const int status =
        predict_time(predicting->prediction->model, &row, &estimate, predicting->error);
    if (status == RB_ENOTSUP)
        return RB_OK;
    if (status != RB_OK)
        return status;
    choice->source = DECIDE_PREDICTED;
    choice->time_s = estimate.time_s;
    choice->low_s = estimate.low_s;
    choice->high_s = estimate.high_s;
    return RB_OK;
}

static int add_way(struct predicting *predicting, const struct mpilib_algorithm *row,
                   int64_t segment_bytes)
{
    struct decide_way choice;
    const int status = predict(predicting, row->name, row->algorithm,
                               mpilib_radix(row->radix, predicting->p), segment_bytes, &choice);
    if (status == RB_OK && !isnan(choice.time_s))
        decide_add_way(predicting->audit, &choice);
    return status;
}

/* Segments that would make too many blocks are not tried. */
static int add_segments(struct predicting *predicting, const struct mpilib_algorithm *row)
{
    int status = RB_OK;
    for (int64_t segment = LEAST_SEGMENT;
         segment <= MOST_SEGMENT && segment < predicting->m_bytes && status == RB_OK;
         segment *= FACTOR)
        if (predicting->m_bytes / segment < MOST_BLOCKS)
            status = add_way(predicting, row, segment);
    return status;
}

static int add_library(struct predicting *predicting)
{
    const struct decide_library *decider = predicting->decider;
    size_t count;
    const struct mpilib_algorithm *rows = mpilib_rows(decider->library, &count);
    int status = RB_OK;
    for (size_t i = 0; i < count && status == RB_OK; i++) {
        if (strcmp(rows[i].collective, predicting->prediction->collective) != 0 ||
            !mpilib_has(&rows[i], decider->version) ||
            !mpilib_serves(&rows[i], predicting->p, predicting->prediction->ppn))
            continue;
        status = add_way(predicting, &rows[i], 0);
        if (status == RB_OK && rows[i].segmented)
            status = add_segments(predicting, &rows[i]);
    }
    return status;
}

static int add_point(struct predicting *predicting, size_t setting)
{
    const struct decide_library *decider = predicting->decider;
    struct decide_taken decision;
    struct decide_call point = {.place = setting,
                                .run = "",
                                .p = predicting->p,
                                .m_bytes = predicting->m_bytes,
                                .has_own = true,
                                .own_known = true};
    if (!decider->decide(decider->context, predicting->prediction->collective, predicting->p,
                         predicting->prediction->ppn, predicting->m_bytes, &decision)) {
        decide_leave_out(predicting->audit, DECIDE_NO_RULE, 1, NULL);
        return RB_OK;
    }
    const int64_t *too_long = &predicting->audit->left_out[DECIDE_TOO_LONG].count,
                  before = *too_long;
    const struct rb_algorithm_info *info =
        decide_plan_of(decider, &decision, predicting->prediction->collective, predicting->p,
                       predicting->prediction->ppn);
    int status = predict(predicting, decision.name, info == NULL ? NULL : info->name,
                         decision.radix, decision.segment_bytes, &point.own);
    if (status == RB_OK && isnan(point.own.time_s) && *too_long == before)
        decide_leave_out(predicting->audit, DECIDE_NO_PLAN, 1, decision.name);
    if (status != RB_OK)
        return status;
    decide_add_call(predicting->audit, &point);
    if (!isnan(point.own.time_s))
        decide_add_way(predicting->audit, &point.own);
    return add_library(predicting);
}

int audit_predict(struct decide *audit, const char *source, const struct decide_library *decider,
                  const struct audit_prediction *prediction, struct sup_error *error)
{
    struct predicting predicting = {
        .audit = audit, .decider = decider, .prediction = prediction, .error = error};
    const struct decide_place setting = {.place = source,
                                         .library = decider->library,
                                         .collective = prediction->collective,
                                         .ppn = prediction->ppn};
    const size_t index = decide_add_place(audit, &setting);
    int status = RB_OK;
    for (size_t i = 0; i < prediction->p->count; i++)
        for (size_t k = 0; k < prediction->m_bytes->count && status == RB_OK; k++) {
            predicting.p = (int32_t)prediction->p->value[i];
            predicting.m_bytes = prediction->m_bytes->value[k];
            status = add_point(&predicting, index);
        }
    return status;
}
