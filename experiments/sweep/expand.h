/* expand.h - an experiment expanded to its points. */
#ifndef EXPERIMENTS_SWEEP_EXPAND_H
#define EXPERIMENTS_SWEEP_EXPAND_H

#include <stddef.h>

#include "experiments/point/known_platform.h"
#include "experiments/point/point.h"
#include "experiments/sweep/experiment.h"
#include "support/error.h"

struct sweep_points {
    struct point_known_platform *platform; /* owned */
    size_t platform_count;
    struct point *point; /* owned; the costliest first, none twice */
    size_t count;
    struct sweep_names groups; /* the sizes that words stand for, owned: the points' */
    size_t repeated;           /* combinations left out because they equal another one */
    size_t unfit;              /* left out because there is no such plan for their p */
    size_t with_empty;         /* of more blocks than elements, by a block count that is given */
};

/* Expands all grids: probes each platform once, turns relative block counts into numbers, drops
 * repeats, orders the points by estimated cost. The order depends on the experiment only. The
 * experiment must outlive the points. RB_EINVAL with file, line and key, RB_EFAILED. */
int sweep_points_make(const struct sweep_experiment *experiment, struct sweep_points *points,
                      struct sup_error *error);
void sweep_points_free(struct sweep_points *points); /* safe on a zeroed struct */

#endif
