/* progress.c - see progress.h. */
#include "experiments/point/progress.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "support/clock.h"
#include "support/hash.h"

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

static uint64_t hash_number(uint64_t hash, int64_t number)
{
    return sup_hash_bytes(hash, &number, sizeof number);
}

/* From coarse to fine. Points whose costs differ by orders of magnitude are of different finest
 * kinds, so that a cost that all points have beside the work counts where it matters. */
static struct sup_eta_kind kind_of(const struct point *point)
{
    struct sup_eta_kind kind = {{0}}; /* the machine: its speed is common to all */
    int magnitude = 0;
    for (double cost_s = point->cost_s; cost_s > 1e-3; cost_s /= 8)
        magnitude++;
    kind.level[1] = hash_text(SUP_HASH_START, point->engine_text);
    kind.level[2] = hash_number(hash_text(SUP_HASH_START, point->platform_text), point->ppn);
    kind.level[3] =
        hash_text(hash_text(SUP_HASH_START, point->plan.collective), point->plan.algorithm);
    kind.level[3] = hash_text(kind.level[3], point->progress);
    kind.level[4] = hash_number(SUP_HASH_START, magnitude);
    return kind;
}

int point_progress_start(struct point_progress *progress, const char *what, size_t points,
                         int32_t workers, double limit_s, struct sup_error *error)
{
    const int32_t cores = sup_pool_cores();
    *progress =
        (struct point_progress){.eta = sup_eta_create(points, workers, limit_s),
                                .running = calloc((size_t)workers, sizeof *progress->running),
                                .slow = workers > cores ? (double)workers / cores : 1};
    if (progress->eta == NULL || progress->running == NULL)
        return sup_fail(error, RB_ENOMEM, "out of memory");
    cli_bar_start(&progress->bar, what, 0);
    return RB_OK;
}

void point_progress_end(struct point_progress *progress)
{
    cli_bar_end(&progress->bar);
    sup_eta_destroy(progress->eta);
    free(progress->running);
    *progress = (struct point_progress){0};
}

int point_progress_describe(struct point_progress *progress, size_t i, const struct point *point,
                            struct sup_error *error)
{
    const struct sup_eta_kind kind = kind_of(point);
    return sup_eta_describe(progress->eta, i, point->cost_s * progress->slow, &kind)
               ? RB_OK
               : sup_fail(error, RB_ENOMEM, "out of memory");
}

void point_progress_learn(struct point_progress *progress, const struct point *point, double took_s)
{
    const struct sup_eta_kind kind = kind_of(point);
    sup_eta_learn(progress->eta, point->cost_s * progress->slow, &kind, took_s * progress->slow);
}

double point_progress_all_s(struct point_progress *progress)
{
    return sup_eta_left_s(progress->eta, NULL, 0);
}

void point_progress_done(struct point_progress *progress, const struct sup_pool_piece *piece,
                         bool failed)
{
    sup_eta_done(progress->eta, piece->i, piece->wall_s, failed);
}

void point_progress_show(struct point_progress *progress, const struct sup_pool *pool,
                         const char *note)
{
    struct sup_pool_piece piece;
    int32_t running = 0;
    if (!cli_bar_is_due(&progress->bar))
        return;
    for (int32_t w = 0; w < pool->workers; w++) {
        if (!sup_pool_busy(pool, w, &piece))
            continue;
        const struct point_work *work = piece.memory;
        progress->running[running++] = (struct sup_eta_running){
            piece.i, piece.wall_s, atomic_load_explicit(&work->share, memory_order_relaxed)};
    }
    cli_bar_show(&progress->bar, sup_eta_left_s(progress->eta, progress->running, running), note);
}

void point_progress_show_one(struct point_progress *progress, double share, const char *note)
{
    if (!cli_bar_is_due(&progress->bar))
        return;
    progress->running[0] =
        (struct sup_eta_running){0, sup_clock_s() - progress->bar.started_s, share};
    cli_bar_show(&progress->bar, sup_eta_left_s(progress->eta, progress->running, 1), note);
}
