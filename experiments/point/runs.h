/* runs.h - points run in worker processes, with a progress line. */
#ifndef EXPERIMENTS_POINT_RUNS_H
#define EXPERIMENTS_POINT_RUNS_H

#include <signal.h>
#include <stddef.h>
#include <stdint.h>

#include "experiments/point/point.h"
#include "experiments/point/time_left.h"

struct point_runs {
    const char *what; /* for the progress line */
    size_t count;
    int32_t jobs;                      /* worker processes */
    double limit_s;                    /* real time for a point; 0: no limit */
    const volatile sig_atomic_t *stop; /* as in struct sup_pool; may be NULL */
    void *context;
    /* The i-th point, 0 .. count - 1; its cost_s is an estimate. Points start in this order. */
    const struct point *(*at)(void *context, size_t i);
    /* `done` takes a point that had no memory, too. Otherwise it ends the runs with RB_ENOMEM, so
     * that nobody chooses among what there happened to be memory for. */
    bool keeps_failed;
    /* Takes what came of the i-th point. A status other than RB_OK ends the runs. */
    int (*done)(void *context, size_t i, const struct point_outcome *outcome,
                struct sup_error *error);
    /* Is told the time left when sup_clock_s() reaches tell_at_s, and returns the next time. NULL:
     * no call. */
    double (*tell)(void *context, double left_s);
    void *tell_context;
    double tell_at_s;

    size_t finished; /* so far */
    struct point_progress progress;
};

/* Describes all points to the progress, so that the time left is known. */
void point_runs_start(struct point_runs *runs);
/* Runs the points. Errors are those of sup_pool_run. */
int point_runs_do(struct point_runs *runs, struct sup_error *error);
void point_runs_end(struct point_runs *runs); /* safe on a zeroed struct */

#endif
