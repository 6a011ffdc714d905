/* workers.h - points run in worker processes, as many at a time as there are cores.
 *
 * A worker is a child that lives on: it is told a number, runs that point, answers with the
 * outcome. An engine that needs a process of its own gets one from rb_simulate, so that a point
 * costs one fork. A worker that dies, or takes too long, costs its point, which is then reported as
 * failed, and another takes its place. Workers die with this process. */
#ifndef RB_EXPERIMENTS_WORKERS_H
#define RB_EXPERIMENTS_WORKERS_H

#include <signal.h>
#include <stddef.h>
#include <stdint.h>

#include "experiments/point/point.h"
#include "support/error.h"

struct rb_work {
    size_t count;                      /* pieces, numbered 0 .. count - 1, started in this order */
    int32_t jobs;                      /* workers, >= 1 */
    double limit_s;                    /* real time for a piece; 0: no limit */
    const volatile sig_atomic_t *stop; /* set by a signal's handler: end soon; may be NULL */
    void *context;
    /* In a worker: runs piece i. */
    void (*run)(void *context, size_t i, struct rb_outcome *outcome);
    /* Here: piece i is finished. A status other than RB_OK ends the work. */
    int (*done)(void *context, size_t i, const struct rb_outcome *outcome, struct rb_error *error);
    /* Here, some times a second. */
    void (*tick)(void *context);
};

/* Runs all pieces. RB_OK if all are finished or *stop was set; the status of done(); RB_EFAILED if
 * no worker can be started. No worker is left when it returns. */
int rb_workers_run(const struct rb_work *work, struct rb_error *error);

/* The cores this process may use. */
int32_t rb_workers_cores(void);

#endif
