/* recommend.c - a recommendation, step by step (recommend.h). */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/point/rule.h"
#include "studies/predict/predict.h"
#include "studies/recommend/steps.h"
#include "support/memory.h"

const char *const recommend_source_names[RECOMMEND_SOURCES] = {"not reached", "simulated",
                                                               "predicted", "measured"};

static const struct rules_call *find_call(const struct rules_format *format, const char *collective)
{
    const struct rules_call *call = format->call;
    while (call->collective != NULL && strcmp(call->collective, collective) != 0)
        call++;
    return call->collective == NULL ? NULL : call;
}

/* All sizes on p ranks. */
static int do_step(struct recommend_work *work, int32_t collective, int32_t p)
{
    struct recommend_answer *answer = work->answer;
    int status = RB_OK;
    work->step = answer->cells;
    recommend_add_cells(work, collective, p);
    work->end = answer->cells;
    for (size_t i = work->step; i < work->end && status == RB_OK; i++) {
        struct recommend_cell *cell = &answer->cell[i];
        cell->first = answer->tries;
        if (work->model != NULL)
            status = recommend_measure(work, cell);
        else
            recommend_add_tries(work, cell, true);
        cell->count = answer->tries - cell->first;
    }
    if (status == RB_OK && work->model == NULL && work->step < work->end)
        status = recommend_simulate(work);
    if (work->step < work->end)
        work->previous = work->step;
    return status;
}

static int do_collective(struct recommend_work *work, int32_t collective, const int64_t p[],
                         size_t count)
{
    const struct recommend_request *request = work->request;
    const char *name = request->collective[collective];
    int status = RB_OK;
    work->call = find_call(request->format, name);
    if (work->call == NULL)
        return sup_fail(work->error, RB_EINVAL, "--collective: rules for %s (%s) have no %s",
                        request->format->name, request->format->title, name);
    work->previous = work->answer->cells;
    for (size_t i = 0; i < count && status == RB_OK; i++)
        status = do_step(work, collective, (int32_t)p[i]);
    return status;
}

/* ---- Public ---------------------------------------------------------------------------------- */

static int make_common(struct recommend_work *work)
{
    static const struct {
        enum point_id id;
        const char *word;
    } usual[] = {
        {POINT_COUNTS, "regular"}, {POINT_PLACEMENT, "block"}, {POINT_OVERLAP, "blocking"}};
    enum { USUAL = sizeof usual / sizeof *usual };
    const struct recommend_request *request = work->request;
    struct recommend_answer *answer = work->answer;
    int status = RB_OK;
    answer->rules = sup_calloc(USUAL, sizeof *answer->rules);
    work->common = (struct point){.plan = {.ports = 1, .n = 1},
                                  .element_bytes = 1,
                                  .ppn = request->ppn,
                                  .engine = sim_engine_find("flow"),
                                  .engine_text = "flow",
                                  .engine_options = ""};
    if (request->platform != NULL)
        point_set_platform(&work->common, request->platform);
    for (size_t i = 0; i < USUAL && status == RB_OK; i++) {
        status = point_rule_read(usual[i].id, usual[i].word, &answer->rules[i], work->error);
        point_set_rule(&work->common, usual[i].id, &answer->rules[i]);
    }
    if (mpilib_chooses(request->format->library))
        snprintf(answer->native, sizeof answer->native, "native:%s", request->format->library);
    return status;
}

int recommend(const struct recommend_request *request, struct recommend_answer *answer,
              struct sup_error *error)
{
    struct recommend_work work = {
        .request = request, .answer = answer, .left_s = request->budget_s, .error = error};
    int64_t p[RECOMMEND_VALUES];
    *answer = (struct recommend_answer){0};
    const size_t count = recommend_ranks(request, p);
    for (size_t i = 0; i < count; i++)
        work.weight += sqrt((double)p[i]) * request->collectives;
    int status = make_common(&work);
    if (status == RB_OK && request->rows > 0)
        status = recommend_fit(&work);
    for (int32_t i = 0; i < request->collectives && status == RB_OK; i++)
        status = do_collective(&work, i, p, count);
    for (size_t i = 0; i < answer->tries; i++)
        answer->source[answer->try_[i].source]++;
    free(work.order);
    predict_model_free(work.model);
    if (status == RB_OK)
        status = recommend_rules(request, answer, error);
    return status == RB_OK && request->rows == 0 ? recommend_confirm(request, answer, error)
                                                 : status;
}

void recommend_free(struct recommend_answer *answer)
{
    for (size_t i = 0; answer->rules != NULL && i < 3; i++)
        point_rule_free(&answer->rules[i]);
    free(answer->rules);
    free(answer->cell);
    free(answer->try_);
    free(answer->file);
    point_groupings_free(&answer->groupings);
    *answer = (struct recommend_answer){0};
}
