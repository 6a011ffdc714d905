/* sweep.h - runs an experiment: simulates the points that are missing in the results file and adds
 * them. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "experiments/point/runs.h"
#include "experiments/results/results.h"
#include "experiments/sweep/experiment.h"
#include "support/error.h"

/* How far a sweep is, for the page that follows it. */
struct sweep_live {
    const char *state; /* "running", "confirming", "stopped"; NULL: the points have all been run */
    int64_t points, done, failed;
    double left_s;  /* NAN: not known */
    double again_s; /* the page is written again after so long; 0: never */
};

/* A sweep that has ended. */
struct sweep_end {
    const char *answer; /* "2324 points in 21.4 s, all there; 209 of them ..." */
    const char *database, *csv;
    const char *tuning, *directory; /* files to make; NULL: without reports */
    const char *page;               /* NULL: none */
};

struct sweep_request {
    const char *experiment; /* file */
    const char *engine;     /* instead of the experiment's; NULL: none */
    const char *results;    /* file; NULL: results/NAME.db, NAME the experiment's */
    int32_t jobs;           /* worker processes */
    double limit_s;         /* real time for a point; 0: no limit */
    bool retry_failed;
    int32_t shard, shards; /* the number of this shard, from 1, and the number of shards */
    bool dry_run;          /* list the points and their estimated cost instead */
    /* Results files of all shards, the first one's first: their points are merged into `results`
     * and no point is run. A shard with missing points is named, with the command that runs it. */
    const char *const *parts;
    int32_t part_count; /* 0: run the sweep */
    bool reports;       /* a sweep that is not a shard makes summary, figures and page at its end */
    bool follow;        /* the page is there when the sweep begins, and written every few seconds */
    /* Writes the page so far. */
    int (*live)(const char *results, const char *page, const struct sweep_live *now,
                const void *context, struct sup_error *error);
    /* Called at the end, when all points are in the results file: makes the reports, prints what a
     * sweep prints, and returns an enum cli_exit. */
    int (*end)(const struct sweep_end *end, const void *context);
    const void *context;
    const char *compared; /* results file or NULL: with it the results are compared at the end; */
    double allow;         /* the status is CLI_EXIT_FALSE if a point got slower by more */
};

/* Runs the sweep. Messages go to standard error. Returns an enum cli_exit, or 128 + the number of
 * the signal that ended it. */
int sweep_run(const struct sweep_request *request);

/* Prints what got slower in newer results; returns CLI_EXIT_FALSE if something did, or another
 * enum cli_exit. */
int sweep_compare(const char *older, const char *newer, double allow);

/* Adds results files to another one, which is made if it is missing, and exports that. */
int sweep_merge(const char *const from[], int32_t count, const char *into);

/* Writes a line of standard output with the path of a file that was made. */
void sweep_print_path(const char *path);

/* ---- Slurm ----------------------------------------------------------------------------------- */

/* Scripts by which Slurm runs the shards of a sweep and merges them. */

enum { SWEEP_LEAST_LIMIT_S = 300 };

struct sweep_job_array {
    const char *experiment;     /* file */
    const char *directory;      /* where scripts, shards and results are to be; made if missing */
    int32_t shards;             /* 0: as many as make a shard take about half an hour */
    int32_t jobs;               /* worker processes of a shard, each with a core */
    double time_limit_s;        /* of a shard's job; 0: by the estimate; else
                                 * >= SWEEP_LEAST_LIMIT_S */
    double point_limit_s;       /* as in sweep_request; 0: what the time limit leaves */
    const char *const *options; /* further options of sbatch, for all jobs */
    int32_t option_count;
    bool plots; /* the merge makes the reports */
};

/* Writes to the directory
 *   NAME.yaml     a copy of the experiment, so that later changes don't concern the shards
 *   sweep.sbatch  a job array, whose task I runs shard I
 *   merge.sbatch  a job that merges the shards to NAME.db
 *   submit.sh     submits the shards that are not complete, and the merge after them
 * and makes the subdirectory `shards`. Prints their paths, and on standard error how to use them.
 * A directory that has the same shards of the same experiment gets new scripts, and keeps its
 * results; any other directory with files in it is refused. Returns an enum cli_exit. */
int sweep_job_array_write(const struct sweep_job_array *request);

/* ---- Confirmation ---------------------------------------------------------------------------- */

/* A sample of an experiment's points, run by another engine, too.
 *
 * The sample is a share of the points that have another engine than the confirming one: of so many
 * neighbours, by platform, collective, algorithm, p, n, ..., the cheapest. The costliest of these
 * are left out if all would take longer than a quarter of the experiment itself, and 5 s, by
 * estimate. The sample depends on the experiment only, so that shards and continued sweeps have the
 * same one. */

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
