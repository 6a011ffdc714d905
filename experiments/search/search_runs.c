/* search_runs.c - see search_runs.h. */
#include "experiments/search/search_runs.h"

#include <math.h>

#include "experiments/point/runs.h"
#include "support/memory.h"

/* Estimates decide what is run, so that results do not depend on the machine's load. A run that
 * takes so many times the limit, and at least this long, is ended. */
static const double patience = 10, least_patience_s = 60;

struct search_run *search_add_point(const struct search_request *request,
                                    const struct sim_engine *engine, struct search_grid *search,
                                    const struct point *point)
{
    sup_grow(&search->runs, search->run_count, sizeof *search->runs);
    struct search_run *run = &search->runs[search->run_count++];
    *run = (struct search_run){.point = *point, .time_s = NAN};
    run->point.engine = engine;
    run->point.engine_text = engine->name;
    point_set_platform(&run->point, request->asked);
    run->cost_s = search_estimate(&run->point);
    return run;
}

struct search_run *search_add_run(const struct search_request *request,
                                  const struct sim_engine *engine, struct search_grid *search,
                                  const struct search_curve *curve, int64_t n)
{
    struct point point = curve->point;
    point.plan.n = n;
    struct search_run *run = search_add_point(request, engine, search, &point);
    run->curve = (size_t)(curve - search->curves);
    return run;
}

/* The runs while they are done. */
struct judging {
    struct search_grid *search;
    struct search_run *runs; /* the first of them */
    double limit_s;          /* for a run */
};

static const struct point *point_of(void *context, size_t i)
{
    struct search_run *run = &((struct judging *)context)->runs[i];
    run->point.cost_s = run->cost_s; /* a caller may have changed it */
    return &run->point;
}

static int take_outcome(void *context, size_t i, const struct point_outcome *outcome,
                        struct sup_error *error)
{
    struct judging *judging = context;
    struct search_run *run = &judging->runs[i];
    struct sup_error *failure = &judging->search->failure;
    char what[256];
    (void)error;
    run->spread = outcome->spread;
    run->stopped = !outcome->done && outcome->wall_s >= judging->limit_s;
    if (outcome->done)
        run->time_s = outcome->time_s;
    else if (run->stopped)
        run->cost_s = outcome->wall_s; /* the estimate was too low */
    else if (failure->text[0] == '\0')
        sup_fail(failure, outcome->status, "%s: %s", point_describe(&run->point, what, sizeof what),
                 outcome->error.text);
    return RB_OK;
}

int search_do_runs(const struct search_request *request, struct search_grid *search, size_t first,
                   double most_s, const char *what, struct sup_error *error)
{
    struct judging judging = {.search = search,
                              .runs = search->runs + first,
                              .limit_s = fmax(patience * most_s, least_patience_s)};
    struct point_runs runs = {.what = what,
                              .count = search->run_count - first,
                              .jobs = request->jobs,
                              .limit_s = judging.limit_s,
                              .context = &judging,
                              .at = point_of,
                              .done = take_outcome};
    if (runs.count == 0)
        return RB_OK;
    point_runs_start(&runs);
    return point_runs_do(&runs, error);
}
