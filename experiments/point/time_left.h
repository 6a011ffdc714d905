/* time_left.h - how far the points of a pool are, and how long they will still take.
 *
 * The pool's memory is a struct point_work, in which a worker says how far its point is. Estimates
 * of points, corrected by the points that are done, give the time left (support/eta.h). */
#ifndef EXPERIMENTS_POINT_TIME_LEFT_H
#define EXPERIMENTS_POINT_TIME_LEFT_H

#include "experiments/point/point.h"
#include "support/eta.h"
#include "support/options/options.h"
#include "support/pool.h"

struct point_work {
    struct point_outcome outcome;
    _Atomic double share; /* of the point that is running, from 0 to 1; 0: not known */
};

/* In a worker: runs the point. */
void point_work_do(const struct point *point, struct point_work *work);

struct point_progress {
    struct sup_eta *eta;
    double slow; /* by this, because workers share cores */
    struct cli_bar bar;
};

/* Begins a progress line `what` for so many points, all of which must be described next. The pool
 * has so many workers, and the limit for a point (0: none). */
void point_progress_start(struct point_progress *progress, const char *what, size_t points,
                          int32_t workers, double limit_s);
/* Once all are described: says at once how long they take, if it is long. */
void point_progress_foretell(struct point_progress *progress);
void point_progress_end(struct point_progress *progress); /* safe on a zeroed struct */

void point_progress_describe(struct point_progress *progress, size_t i, const struct point *point);
/* A point that was run earlier took so long; it need not be one of those described. */
void point_progress_learn(struct point_progress *progress, const struct point *point,
                          double took_s);

/* In the pool's tick: the time left. */
double point_progress_left_s(const struct point_progress *progress, const struct sup_pool *pool);
/* In the pool's tick: shows percentage and time left. */
void point_progress_show(struct point_progress *progress, const struct sup_pool *pool,
                         const char *note);
/* For the only point, run without a pool and followed by a meter. */
void point_progress_show_one(struct point_progress *progress, double share, const char *note);

#endif
