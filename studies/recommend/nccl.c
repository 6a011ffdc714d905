/* nccl.c - what NCCL takes by itself, and how long its algorithms take, by its own cost model, the
 * engine nccl (steps.h). Nothing of it is simulated. */
#include <math.h>
#include <string.h>
#include <strings.h>

#include "studies/recommend/steps.h"

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
    const struct decide_left_out *failed = &work->decision->left_out[DECIDE_FAILED];
    for (size_t i = call->first; i < call->first + call->count; i++)
        if (work->decision->ways[i].offered)
            compute(work, i);
    return add_own(work, call)
               ? RB_OK
               : sup_fail(work->error, RB_EINVAL, "--library nccl: %s",
                          failed->count > 0 ? failed->what : "no algorithm serves so many ranks");
}
