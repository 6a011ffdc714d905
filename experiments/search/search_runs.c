/* search_runs.c - see search_runs.h. */
#include "experiments/search/search_runs.h"

#include <math.h>
#include <stdlib.h>

#include "experiments/point/time_left.h"
#include "support/memory.h"
#include "support/pool.h"

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
    struct point_progress progress;
};

static void confirm_run(void *context, struct sup_pool_worker *worker, void *work)
{
    const struct judging *judging = context;
    for (size_t i; sup_pool_next(worker, &i);)
        point_work_do(&judging->runs[i].point, work);
}

static bool show(void *context, const struct sup_pool *pool)
{
    struct judging *judging = context;
    point_progress_show(&judging->progress, pool, NULL);
    return false;
}

static int take_outcome(void *context, const struct sup_pool_piece *piece, struct sup_error *error)
{
    struct judging *judging = context;
    struct search_run *run = &judging->runs[piece->i];
    const struct point_outcome outcome = point_outcome_of(piece);
    struct sup_error *failure = &judging->search->failure;
    char what[256];
    (void)error;
    sup_eta_done(judging->progress.eta, piece->i, piece->wall_s);
    run->spread = outcome.spread;
    if (outcome.done)
        run->time_s = outcome.time_s;
    else if (outcome.wall_s >= judging->limit_s)
        run->cost_s = outcome.wall_s; /* the estimate was too low */
    else if (failure->text[0] == '\0')
        sup_fail(failure, outcome.status, "%s: %s", point_describe(&run->point, what, sizeof what),
                 outcome.error.text);
    return RB_OK;
}

int search_do_runs(const struct search_request *request, struct search_grid *search, size_t first,
                   double most_s, const char *what, struct sup_error *error)
{
    const size_t count = search->run_count - first;
    if (count == 0)
        return RB_OK;
    struct judging judging = {.search = search,
                              .runs = search->runs + first,
                              .limit_s = fmax(patience * most_s, least_patience_s)};
    struct sup_pool pool = {.count = count,
                            .workers = request->jobs,
                            .memory_size = sizeof(struct point_work),
                            .limit_s = judging.limit_s,
                            .context = &judging,
                            .work = confirm_run,
                            .done = take_outcome,
                            .tick = show};
    point_progress_start(&judging.progress, what, count, request->jobs, judging.limit_s);
    for (size_t i = 0; i < count; i++) {
        struct point point = judging.runs[i].point;
        point.cost_s = judging.runs[i].cost_s;
        point_progress_describe(&judging.progress, i, &point);
    }
    const int status = sup_pool_run(&pool, error);
    point_progress_end(&judging.progress);
    sup_pool_free(&pool);
    return status;
}
