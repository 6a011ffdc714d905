/* recommend.c - a recommendation, step by step (recommend.h). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/point/words.h"
#include "studies/predict/predict.h"
#include "studies/recommend/recommend.h"
#include "support/memory.h"

static const double stays = 1e-9; /* the default must be faster by this, not by rounding, to stay */

static const double worth = 1.1; /* times as fast as the default a rule must be by such times */

static const struct rules_call *find_call(const struct rules_format *format, const char *collective)
{
    const struct rules_call *call = format->call;
    while (call->collective != NULL && strcmp(call->collective, collective) != 0)
        call++;
    return call->collective == NULL ? NULL : call;
}

static int add_call(struct recommend_work *work, size_t place, int32_t p, int64_t m_bytes)
{
    const struct rules_call *in_rules = work->call;
    const struct decide_call call = {
        .place = place,
        .run = "",
        .p = p,
        .m_bytes = m_bytes,
        .size = in_rules->size == RULES_BLIND
                    ? m_bytes
                    : rules_measure(work->request->format, in_rules->call, p, m_bytes)};
    decide_add_call(work->decision, &call);
    if (work->model != NULL)
        return recommend_measure(work);
    recommend_add_ways(work, true);
    return recommend_is_nccl(work->request) ? recommend_compute(work) : RB_OK;
}

/* All sizes on p ranks. */
static int do_step(struct recommend_work *work, size_t place, int32_t p)
{
    int64_t m[RECOMMEND_VALUES];
    const size_t sizes = recommend_sizes(work, work->call->collective, p, m);
    int status = RB_OK;
    work->step = work->decision->call_count;
    for (size_t i = 0; i < sizes && status == RB_OK; i++)
        if (m[i] > 0)
            status = add_call(work, place, p, m[i]);
    work->end = work->decision->call_count;
    if (status == RB_OK && work->model == NULL && work->step < work->end)
        status = recommend_simulate(work);
    if (work->step < work->end)
        work->previous = work->step;
    return status;
}

/* The library's own choice stays where no way of the library gains enough, of times that were not
 * measured, and where the budget was too small to run it. */
static void keep_own(struct recommend_work *work)
{
    const struct decide_way *ways = work->decision->ways;
    for (size_t c = 0; c < work->decision->call_count; c++) {
        struct decide_call *call = &work->decision->calls[c];
        double own_s = NAN, least_s = INFINITY;
        bool untimed = false;
        for (size_t i = call->first; i < call->first + call->count; i++) {
            own_s = ways[i].own ? ways[i].time_s : own_s;
            untimed |= ways[i].own && isnan(own_s) && ways[i].source == DECIDE_UNTIMED;
            least_s = ways[i].offered ? fmin(least_s, ways[i].time_s) : least_s;
        }
        call->own_stays = untimed || (isfinite(own_s) && own_s <= worth * least_s);
    }
}

static int32_t per_host(const struct recommend_request *request)
{
    return request->ranks_per_host > 0 ? request->ranks_per_host : request->ppn;
}

static int do_collective(struct recommend_work *work, const char *name, const int64_t p[],
                         size_t count)
{
    const struct recommend_request *request = work->request;
    const struct decide_place place = {.place = request->where,
                                       .library = request->format->library,
                                       .collective = name,
                                       .ppn = per_host(request),
                                       .per_node = request->ppn};
    const size_t number = decide_add_place(work->decision, &place);
    int status = RB_OK;
    work->call = find_call(request->format, name);
    if (work->call == NULL)
        return sup_fail(work->error, RB_EINVAL, "--collective: rules for %s (%s) have no %s",
                        request->format->name, request->format->title, name);
    work->previous = work->decision->call_count;
    const size_t first = work->decision->call_count;
    for (size_t i = 0; i < count && status == RB_OK; i++)
        status = do_step(work, number, (int32_t)p[i]);
    if (status == RB_OK && work->model == NULL && first < work->decision->call_count)
        status = recommend_correct(work, first);
    return status;
}

/* ---- Public ---------------------------------------------------------------------------------- */

static int make_common(struct recommend_work *work)
{
    static const struct {
        enum point_id id;
        const char *word;
    } usual[] = {{POINT_COUNTS, "regular"},
                 {POINT_PLACEMENT, "block"},
                 {POINT_OVERLAP, "blocking"},
                 {POINT_ARRIVAL, "together"},
                 {POINT_PROGRAM, "alone"}};
    enum { USUAL = sizeof usual / sizeof *usual };
    const struct recommend_request *request = work->request;
    struct recommend_answer *answer = work->answer;
    int status = RB_OK;
    answer->rules = sup_calloc(USUAL, sizeof *answer->rules);
    answer->rule_count = USUAL;
    work->common = (struct point){.plan = {.ports = 1, .n = 1},
                                  .element_bytes = 1,
                                  .ppn = per_host(request),
                                  .itself = true,
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

/* Of a call that is computed: the least of those of its simulated ways, of which those with most
 * ports have the least. */
static struct point_bound bound_of(const struct recommend_answer *answer,
                                   const struct decide_call *call)
{
    struct point_bound least = {.time_s = NAN};
    for (size_t i = call->first; i < call->first + call->count; i++)
        if (answer->try_[i].bound.time_s > 0 && !(answer->try_[i].bound.time_s >= least.time_s))
            least = answer->try_[i].bound;
    return least;
}

/* Makes the file, and what the library reads in it the choice of all calls. */
static int make_rules(const struct recommend_request *request, struct recommend_answer *answer,
                      struct sup_error *error)
{
    const struct rules_request rules = {.format = request->format,
                                        .element_bytes = 1,
                                        .tolerance = 0.02,
                                        .everywhere = true,
                                        .own_will_do = request->tried_rows > 0};
    char *source = sup_format(request->rows > 0            ? "measured rows of %s"
                              : recommend_is_nccl(request) ? "NCCL's cost model on %s"
                                                           : "simulations of %s by flow",
                              request->where);
    free(answer->file);
    const struct rules_head head = {.source = source, .base = request->base};
    const int status = decide_make_rules(&answer->decision, &rules, stays, &head, &answer->file,
                                         &answer->file_size, &answer->notes, error);
    free(source);
    for (size_t i = 0; i < answer->decision.call_count && status == RB_OK; i++) {
        struct decide_call *call = &answer->decision.calls[i];
        const struct recommend_try *taken = call->choice->more;
        call->bound = taken != NULL ? taken->bound : (struct point_bound){.time_s = NAN};
        if (call->choice->source == DECIDE_COMPUTED)
            call->bound = bound_of(answer, call);
    }
    return status;
}

/* What is known of the ways' runs goes to the decision. */
static void show_tries(struct recommend_answer *answer)
{
    for (size_t i = 0; i < answer->decision.way_count; i++) {
        answer->decision.ways[i].more = &answer->try_[i];
        answer->source[answer->decision.ways[i].source]++;
    }
}

/* Makes the rules again by what was tried of them; and again, if the new ones were tried, too. */
static int mend_by_trials(struct recommend_work *work)
{
    struct decide *decision = work->decision;
    uint64_t before = 0;
    int status = RB_OK;
    if (!recommend_judge_tried(work)) {
        char *left = decide_say_left_out(decision, DECIDE_UNTRIED);
        sup_fail(work->error, RB_EINVAL,
                 "--tried: %s: no call was measured with the rules of these words and without "
                 "them; the script's head has the words that made it",
                 left);
        free(left);
        return RB_EINVAL;
    }
    do {
        before = recommend_hash(decision);
        status = make_rules(work->request, work->answer, work->error);
    } while (status == RB_OK && recommend_hash(decision) != before && recommend_judge_tried(work));
    return status;
}

int recommend(const struct recommend_request *request, struct recommend_answer *answer,
              struct sup_error *error)
{
    struct recommend_work work = {.request = request,
                                  .answer = answer,
                                  .decision = &answer->decision,
                                  .left_s = request->budget_s,
                                  .model_left_s = request->budget_s,
                                  .error = error};
    int64_t p[RECOMMEND_VALUES];
    *answer = (struct recommend_answer){0};
    const size_t count = recommend_ranks(request, p);
    for (size_t i = 0; i < count; i++)
        work.weight += sqrt((double)p[i]) * request->collectives;
    int status = make_common(&work);
    if (status == RB_OK && request->rows > 0)
        status = recommend_fit(&work);
    for (int32_t i = 0; i < request->collectives && status == RB_OK; i++)
        status = do_collective(&work, request->collective[i], p, count);
    /* Measured rows know better than the user's file what their machine's library took. */
    if (status == RB_OK && request->base != NULL && request->rows + request->judged_rows == 0)
        status = decide_own_by_base(&answer->decision, request->format, request->base, error);
    if (request->rows == 0 && !recommend_is_nccl(request))
        keep_own(&work);
    show_tries(answer);
    free(work.order);
    if (status == RB_OK && request->judged_rows == 0) /* else ways count, not what a file says */
        status = make_rules(request, answer, error);
    if (status == RB_OK && request->tried_rows > 0)
        status = mend_by_trials(&work);
    predict_model_free(work.model);
    free(work.assumed);
    return status == RB_OK && request->rows + request->tried_rows + request->judged_rows == 0
               ? recommend_confirm(request, answer, error)
               : status;
}

void recommend_free(struct recommend_answer *answer)
{
    for (size_t i = 0; i < answer->rule_count; i++)
        point_rule_free(&answer->rules[i]);
    free(answer->rules);
    decide_free(&answer->decision);
    free(answer->try_);
    free(answer->file);
    free(answer->trials.tried);
    point_groupings_free(&answer->groupings);
    *answer = (struct recommend_answer){0};
}
