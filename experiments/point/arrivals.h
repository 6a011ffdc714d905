/* arrivals.h - runs of a point whose ranks come at different times. Private to this folder. */
#ifndef EXPERIMENTS_POINT_ARRIVALS_H
#define EXPERIMENTS_POINT_ARRIVALS_H

#include "experiments/point/point.h"

/* Makes the run a workload's unless all ranks come together: arrival_s, workload, and the spec's.
 * Errors of point_check_arrival. */
int point_prepare_arrival(const struct point *point, struct point_run *run,
                          struct sup_error *error);

/* In place of sim_run_copies: runs the point; with several seeds, for each of them, and the result
 * is that of the one with the median time. Sets the outcome's values of arrivals, medians of all
 * seeds, and its spread and error. */
int point_run_arrivals(const struct point *point, struct point_run *run,
                       struct point_outcome *outcome);

/* Makes the outcome's bound, of ranks that come together, one from the last arrival. */
int point_bound_arrival(const struct point *point, const struct point_run *run,
                        struct point_outcome *outcome);

#endif
