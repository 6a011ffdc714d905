/* time_left.c - see time_left.h. */
#include "experiments/point/time_left.h"

#include <stdatomic.h>
#include <string.h>

#include "support/eta.h"
#include "support/memory.h"

static void note_share(void *context, double share)
{
    struct point_work *work = context;
    atomic_store_explicit(&work->share, share, memory_order_relaxed);
}

void point_work_do(const struct point *point, struct point_work *work)
{
    const struct sim_meter meter = {note_share, work};
    note_share(work, 0);
    point_run(point, &meter, &work->outcome);
}

static uint64_t hash_text(uint64_t hash, const char *text)
{
    return sup_hash_bytes(hash, text, strlen(text) + 1);
}

/* Points whose costs differ by orders of magnitude are of different kinds, so that a cost that all
 * points have beside the work counts where it matters. */
static uint64_t kind_of(const struct point *point)
{
    uint64_t hash = hash_text(SUP_HASH_START, point->engine_text);
    int magnitude = 0;
    for (double cost_s = point->cost_s; cost_s > 1e-3; cost_s /= 8)
        magnitude++;
    hash = hash_text(hash_text(hash, point->overlap), point->plan.collective);
    return sup_hash_bytes(hash, &magnitude, sizeof magnitude);
}

void point_progress_start(struct point_progress *progress, const char *what, size_t points,
                          int32_t workers, double limit_s)
{
    const int32_t cores = sup_pool_cores();
    *progress = (struct point_progress){.eta = sup_eta_create(points, workers, limit_s),
                                        .slow = workers > cores ? (double)workers / cores : 1};
    cli_bar_start(&progress->bar, what, 0);
}

void point_progress_foretell(struct point_progress *progress)
{
    cli_bar_foretell(&progress->bar, sup_eta_left_s(progress->eta, NULL, 0));
}

void point_progress_end(struct point_progress *progress)
{
    cli_bar_end(&progress->bar);
    sup_eta_destroy(progress->eta);
    *progress = (struct point_progress){0};
}

void point_progress_describe(struct point_progress *progress, size_t i, const struct point *point)
{
    sup_eta_describe(progress->eta, i, point->cost_s * progress->slow, kind_of(point));
}

void point_progress_learn(struct point_progress *progress, const struct point *point, double took_s)
{
    sup_eta_learn(progress->eta, point->cost_s, kind_of(point), took_s);
}

static double share_of(const void *memory)
{
    const struct point_work *work = memory;
    return atomic_load_explicit(&work->share, memory_order_relaxed);
}

double point_progress_left_s(const struct point_progress *progress, const struct sup_pool *pool)
{
    return sup_eta_pool_left_s(progress->eta, pool, share_of);
}

void point_progress_show(struct point_progress *progress, const struct sup_pool *pool,
                         const char *note)
{
    if (cli_bar_is_due(&progress->bar))
        cli_bar_show(&progress->bar, point_progress_left_s(progress, pool), note);
}

void point_progress_show_one(struct point_progress *progress, double share, const char *note)
{
    const struct sup_eta_running running = {0, sup_clock_s() - progress->bar.started_s, share};
    if (cli_bar_is_due(&progress->bar))
        cli_bar_show(&progress->bar, sup_eta_left_s(progress->eta, &running, 1), note);
}
