/* duration.h - how long a sweep will take, by estimate. */
#ifndef EXPERIMENTS_SWEEP_DURATION_H
#define EXPERIMENTS_SWEEP_DURATION_H

#include <stdint.h>

#include "experiments/sweep/expand.h"

/* The seconds of real time that `jobs` worker processes (>= 1) take for all points, each on a core
 * of its own: by the estimate of each point (point.cost_s), the points handed out in their order to
 * the worker that is free first. A machine of another speed takes a multiple of it; the longest
 * point is a lower limit whatever the number of jobs. For a limit on time, such as a batch
 * system's, take a multiple of this: the estimates are for an idle machine and are right within a
 * factor of about 2. O(points log jobs). */
double sweep_duration(const struct sweep_points *points, int32_t jobs);

#endif
