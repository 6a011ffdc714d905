/* expand.h - an experiment expanded to its points. */
#ifndef EXPERIMENTS_SWEEP_EXPAND_H
#define EXPERIMENTS_SWEEP_EXPAND_H

#include <stddef.h>
#include <stdint.h>

#include "experiments/point/point.h"
#include "experiments/sweep/experiment.h"
#include "support/error.h"

struct sweep_points {
    struct point_known_platform *platform; /* owned */
    size_t platform_count;
    struct point *point; /* owned; the costliest first, none twice */
    size_t count;
    struct sweep_names groups;           /* the sizes that words stand for, owned: the points' */
    struct point_neighbours *neighbours; /* likewise */
    size_t repeated;                     /* combinations left out because they equal another one */
    size_t unfit;                        /* left out because there is no such plan for their p */
    size_t with_empty; /* of more blocks than elements, by a block count that is given */
};

/* Expands all grids: probes each platform once, turns relative block counts into numbers, drops
 * repeats, orders the points by estimated cost. The order depends on the experiment only. The
 * experiment must outlive the points. RB_EINVAL with file, line and key, RB_EFAILED. */
int sweep_points_make(const struct sweep_experiment *experiment, struct sweep_points *points,
                      struct sup_error *error);
void sweep_points_free(struct sweep_points *points); /* safe on a zeroed struct */

/* ---- A sweep divided among machines ---------------------------------------------------------- */

/* The number, from 1, of the shard that has the i-th point, from 0. Every N-th point of the
 * costliest-first order belongs to the same shard, so shards cost about the same, and the first one
 * costs most. */
int32_t sweep_shard_of(size_t i, int32_t shards);

/* Leaves only the points of one shard. */
void sweep_shard_keep(struct sweep_points *points, int32_t shard, int32_t shards);

/* ---- How long a sweep will take, by estimate ------------------------------------------------- */

/* The seconds of real time that `jobs` worker processes (>= 1) take for all points, each on a core
 * of its own: by the estimate of each point (point.cost_s), the points handed out in their order to
 * the worker that is free first. A machine of another speed takes a multiple of it; the longest
 * point is a lower limit whatever the number of jobs. For a limit on time, such as a batch
 * system's, take a multiple of this: the estimates are for an idle machine and are right within a
 * factor of about 2. O(points log jobs). */
double sweep_duration(const struct sweep_points *points, int32_t jobs);

#endif
