#include "experiments/sweep/sweep.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/sweep/experiment.h"
#include "support/memory.h"

/* Engines that compute the same agree to this, no better. */
static const double agreement = 1e-9;
/* SimGrid takes times for equal that differ by less than a picosecond, at each of its events. */
static const double precision_s = 2e-12;

/* The sample takes at most this share of the time of all points, by estimate, or so long. */
static const double most_time = 0.25, most_s = 5;

/* ---- The sample ---- */

SUP_COMPARE(by_platform, struct sweep_pair, strcmp(a->point.platform_text, b->point.platform_text),
            point_order(&a->point, &b->point));

SUP_COMPARE(costliest_first, struct sweep_pair,
            SUP_ORDER(b->confirming.cost_s, a->confirming.cost_s),
            point_order(&a->confirming, &b->confirming));

/* Fills in all points on other engines; returns how many. */
static size_t pair_all(const struct sweep_points *points, const struct sweep_engine_choice *by,
                       struct sweep_pair pairs[])
{
    size_t count = 0;
    for (size_t i = 0; i < points->count; i++) {
        struct sweep_pair pair = {points->point[i], points->point[i]};
        if (strcmp(pair.point.engine_text, by->text) == 0)
            continue;
        pair.confirming.engine = by->engine;
        pair.confirming.engine_text = by->text;
        pair.confirming.engine_variant = by->variant;
        pairs[count++] = pair;
    }
    return count;
}

/* Leaves the cheapest of each of `groups` groups of neighbours, with its cost on the confirming
 * engine. */
static size_t thin_out(struct sweep_pair pairs[], size_t count, size_t groups)
{
    size_t kept = 0;
    for (size_t group = 0; group < groups; group++) {
        size_t cheapest = group * count / groups;
        for (size_t i = cheapest + 1; i < (group + 1) * count / groups; i++)
            if (pairs[i].point.cost_s < pairs[cheapest].point.cost_s)
                cheapest = i;
        pairs[kept] = pairs[cheapest];
        kept += point_estimate(&pairs[kept].confirming, NULL) == RB_OK;
    }
    return kept;
}

/* How long a sample of runs may take that by estimate take all_s. */
static double most_of(double all_s)
{
    return fmax(most_time * all_s, most_s);
}

/* Leaves out the costliest until all take at most so many seconds. */
static void bound(struct sweep_confirm *confirm, double bound_s)
{
    double cost_s = 0;
    size_t first = confirm->count;
    qsort(confirm->pair, confirm->count, sizeof *confirm->pair, costliest_first);
    while (first > 0 && (cost_s += confirm->pair[first - 1].confirming.cost_s) <= bound_s)
        first--;
    confirm->count -= first;
    memmove(confirm->pair, confirm->pair + first, confirm->count * sizeof *confirm->pair);
}

void sweep_confirm_choose(const struct sweep_experiment *experiment,
                          const struct sweep_points *points, int32_t shard, int32_t shards,
                          struct sweep_confirm *confirm)
{
    const struct sweep_grid *grid = &experiment->grid[0]; /* the keys are of the whole file */
    double all_s = 0;
    *confirm = (struct sweep_confirm){.engine = grid->confirm.text};
    if (confirm->engine == NULL)
        return;
    confirm->pair = sup_calloc(points->count, sizeof *confirm->pair);
    confirm->others = pair_all(points, &grid->confirm, confirm->pair);
    qsort(confirm->pair, confirm->others, sizeof *confirm->pair, by_platform);
    const size_t wanted = (size_t)(grid->confirm_share * (double)confirm->others);
    confirm->count =
        thin_out(confirm->pair, confirm->others, wanted > 0 || confirm->others == 0 ? wanted : 1);
    for (size_t i = 0; i < points->count; i++)
        all_s += points->point[i].cost_s;
    bound(confirm, most_of(all_s));
    size_t kept = 0;
    for (size_t i = 0; i < confirm->count; i++)
        if (sweep_shard_of(i, shards) == shard)
            confirm->pair[kept++] = confirm->pair[i];
    confirm->count = kept;
}

void sweep_confirm_free(struct sweep_confirm *confirm)
{
    free(confirm->pair);
    free(confirm->todo);
    *confirm = (struct sweep_confirm){0};
}

/* ---- Running ---- */

int sweep_confirm_find(struct sweep_confirm *confirm, struct results *results, bool retry,
                       struct sup_error *error)
{
    confirm->results = results;
    confirm->todo = sup_calloc(confirm->count + 1, sizeof *confirm->todo);
    for (size_t i = 0; i < confirm->count; i++) {
        struct results_entry entry;
        const int status = results_find(results, &confirm->pair[i].confirming, &entry, error);
        if (status != RB_OK)
            return status;
        if (entry.state == RESULTS_POINT_ABSENT || (retry && isnan(entry.time_s)))
            confirm->todo[confirm->todo_count++] = i;
    }
    return RB_OK;
}

double sweep_confirm_cost_s(const struct sweep_confirm *confirm)
{
    const size_t count = confirm->todo == NULL ? confirm->count : confirm->todo_count;
    double cost_s = 0;
    for (size_t i = 0; i < count; i++)
        cost_s += confirm->pair[confirm->todo == NULL ? i : confirm->todo[i]].confirming.cost_s;
    return cost_s;
}

static const struct point *run_of(void *context, size_t i)
{
    const struct sweep_confirm *confirm = context;
    return &confirm->pair[confirm->todo[i]].confirming;
}

static int record(void *context, size_t i, const struct point_outcome *outcome,
                  struct sup_error *error)
{
    const struct sweep_confirm *confirm = context;
    struct point_outcome confirming = *outcome;
    confirming.confirming = true;
    return results_record(confirm->results, run_of(context, i), &confirming, error);
}

int sweep_confirm_run(struct sweep_confirm *confirm, const struct point_runs *runs,
                      struct sup_error *error)
{
    struct point_runs confirming = {.what = "confirm",
                                    .count = confirm->todo_count,
                                    .jobs = runs->jobs,
                                    .limit_s = runs->limit_s,
                                    .stop = runs->stop,
                                    .tell = runs->tell,
                                    .tell_context = runs->tell_context,
                                    .tell_at_s = runs->tell_at_s,
                                    .context = confirm,
                                    .at = run_of,
                                    .done = record};
    if (confirm->todo_count == 0)
        return RB_OK;
    point_runs_start(&confirming);
    return point_runs_do(&confirming, error);
}

/* ---- The summary ---- */

/* What the confirming engine says. */
struct comparison {
    size_t confirmed, differing, failed;
    double worst;               /* relative difference */
    double worst_s;             /* the largest difference of times */
    const struct point *at;     /* the point that has the worst */
    struct results_entry first; /* the first that failed */
};

static int compare(const struct sweep_pair *pair, struct results *results,
                   struct comparison *comparison, struct sup_error *error)
{
    struct results_entry entry, other;
    int status = results_find(results, &pair->point, &entry, error);
    if (status == RB_OK)
        status = results_find(results, &pair->confirming, &other, error);
    if (status != RB_OK || entry.state != RESULTS_POINT_DONE || other.state == RESULTS_POINT_ABSENT)
        return status;
    if (isnan(other.time_s)) {
        if (comparison->failed++ == 0)
            comparison->first = other;
        return RB_OK;
    }
    const double differ_s = fabs(entry.time_s - other.time_s);
    const double differ = differ_s == 0 ? 0 : differ_s / fmax(entry.time_s, other.time_s);
    comparison->differing += differ > agreement;
    comparison->worst_s = fmax(comparison->worst_s, differ > agreement ? differ_s : 0);
    if (comparison->confirmed++ == 0 || differ > comparison->worst) {
        comparison->worst = differ;
        comparison->at = &pair->point;
    }
    return RB_OK;
}

/* "; 27 of them confirmed by simgrid to 3.9e-08 (1 ps, its precision)". */
static void say_agreement(const struct sweep_confirm *confirm, const struct comparison *found,
                          char *buffer, size_t size)
{
    char at[200];
    const int used = snprintf(buffer, size, "; %zu of them confirmed by %s to %.2g",
                              found->confirmed, confirm->engine, fmax(found->worst, agreement));
    buffer += used;
    size -= (size_t)used;
    if (found->differing > 0 && found->worst_s <= precision_s)
        snprintf(buffer, size, " (1 ps, its precision)");
    else if (found->differing > 0)
        snprintf(buffer, size,
                 ", %zu of these to %.0e; the worst is %s, whose contention may be chaotic",
                 found->confirmed - found->differing, agreement,
                 point_describe(found->at, at, sizeof at));
}

int sweep_confirm_describe(const struct sweep_confirm *confirm, struct results *results,
                           char *buffer, size_t size, struct sup_error *error)
{
    struct comparison found = {0};
    int status = RB_OK;
    for (size_t i = 0; status == RB_OK && i < confirm->count; i++)
        status = compare(&confirm->pair[i], results, &found, error);
    if (status != RB_OK)
        return status;
    if (found.confirmed > 0)
        say_agreement(confirm, &found, buffer, size);
    else
        snprintf(buffer, size, "; none is confirmed by %s%s", confirm->engine,
                 confirm->others == 0  ? ", which is the engine of all"
                 : confirm->count == 0 ? ": by estimate even the cheapest take too long there"
                                       : "");
    if (found.failed > 0)
        sup_append(buffer, size, "; ", "%zu failed there, the first: %s", found.failed,
                   found.first.why.text);
    return RB_OK;
}
