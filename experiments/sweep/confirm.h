/* confirm.h - a sample of an experiment's points, run by another engine, too.
 *
 * The sample is a share of the points that have another engine than the confirming one: of so many
 * neighbours, by platform, collective, algorithm, p, n, ..., the cheapest. The costliest of these
 * are left out if all would take longer than a quarter of the experiment itself, and 5 s, by
 * estimate. The sample depends on the experiment only, so that shards and continued sweeps have the
 * same one. */
#ifndef EXPERIMENTS_SWEEP_CONFIRM_H
#define EXPERIMENTS_SWEEP_CONFIRM_H

#include "experiments/point/runs.h"
#include "experiments/results/results.h"
#include "experiments/sweep/expand.h"

struct sweep_pair {
    struct point point, confirming; /* the same on the confirming engine */
};

struct sweep_confirm {
    const char *engine;      /* NULL: nothing is to be confirmed */
    struct sweep_pair *pair; /* owned; the costliest first */
    size_t count;
    size_t others; /* all points on other engines, of all shards */
    size_t *todo;  /* owned: numbers of the pairs that the confirming engine has to run */
    size_t todo_count;
    struct results *results; /* that the runs go to */
};

/* How long a sample of runs may take that by estimate take all_s. */
double sweep_confirm_most_s(double all_s);

/* Chooses the sample among all points, and keeps that of a shard. The experiment and the points'
 * platforms must outlive it. */
void sweep_confirm_choose(const struct sweep_experiment *experiment,
                          const struct sweep_points *points, int32_t shard, int32_t shards,
                          struct sweep_confirm *confirm);
void sweep_confirm_free(struct sweep_confirm *confirm); /* safe on a zeroed struct */

/* Finds the pairs that are not in the results yet, with `retry` also those that failed. */
int sweep_confirm_find(struct sweep_confirm *confirm, struct results *results, bool retry,
                       struct sup_error *error);
/* The estimated seconds of the runs to do, on one core; without sweep_confirm_find, of all. */
double sweep_confirm_cost_s(const struct sweep_confirm *confirm);
/* Runs them. Of `runs` the jobs, the limit, the stop and what it tells are used. */
int sweep_confirm_run(struct sweep_confirm *confirm, const struct point_runs *runs,
                      struct sup_error *error);

/* "; 27 of them confirmed by simgrid to 3.9e-08 (1 ps, its precision)": into buffer. */
int sweep_confirm_describe(const struct sweep_confirm *confirm, struct results *results,
                           char *buffer, size_t size, struct sup_error *error);

#endif
