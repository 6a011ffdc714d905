/* runs.c - see runs.h. */
#include "experiments/point/runs.h"

#include <stdio.h>

#include "support/eta.h"
#include "support/pool.h"

static void work(void *context, struct sup_pool_worker *worker, void *memory)
{
    const struct point_runs *runs = context;
    for (size_t i; sup_pool_next(worker, &i);)
        point_work_do(runs->at(runs->context, i), memory);
}

static int take(void *context, const struct sup_pool_piece *piece, struct sup_error *error)
{
    struct point_runs *runs = context;
    const struct point_outcome outcome = point_outcome_of(piece);
    char what[256];
    if (!outcome.done && outcome.status == RB_ENOMEM && !runs->keeps_failed)
        return sup_fail(error, RB_ENOMEM, "%s: %s",
                        point_describe(runs->at(runs->context, piece->i), what, sizeof what),
                        outcome.error.text);
    const int status = runs->done(runs->context, piece->i, &outcome, error);
    if (status != RB_OK)
        return status;
    runs->finished++;
    sup_eta_done(runs->progress.eta, piece->i, piece->wall_s);
    return RB_OK;
}

static bool show(void *context, const struct sup_pool *pool)
{
    struct point_runs *runs = context;
    char note[64];
    snprintf(note, sizeof note, "%zu of %zu points", runs->finished, runs->count);
    point_progress_show(&runs->progress, pool, note);
    if (runs->tell != NULL && sup_clock_s() >= runs->tell_at_s)
        runs->tell_at_s =
            runs->tell(runs->tell_context, point_progress_left_s(&runs->progress, pool));
    return false;
}

void point_runs_start(struct point_runs *runs)
{
    point_progress_start(&runs->progress, runs->what, runs->count, runs->jobs, runs->limit_s);
    for (size_t i = 0; i < runs->count; i++)
        point_progress_describe(&runs->progress, i, runs->at(runs->context, i));
}

int point_runs_do(struct point_runs *runs, struct sup_error *error)
{
    struct sup_pool pool = {.count = runs->count,
                            .workers = runs->jobs,
                            .memory_size = sizeof(struct point_work),
                            .limit_s = runs->limit_s,
                            .stop = runs->stop,
                            .context = runs,
                            .work = work,
                            .done = take,
                            .tick = show};
    point_progress_foretell(&runs->progress);
    const int status = sup_pool_run(&pool, error);
    sup_pool_free(&pool);
    point_runs_end(runs);
    return status;
}

void point_runs_end(struct point_runs *runs)
{
    point_progress_end(&runs->progress);
}
