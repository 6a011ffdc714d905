/* arrivals.h - runs of a point whose ranks come at different times. Private to this folder. */
#ifndef EXPERIMENTS_POINT_ARRIVALS_H
#define EXPERIMENTS_POINT_ARRIVALS_H

#include "experiments/point/lower_bound.h"
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

/* The least time of a point's collective if its ranks arrive at different times: docs/bounds.md,
 * "Late ranks", proves it. No message of a rank starts before its arrival, at either end.
 *
 * bound: comes in as point_bound_find finds it for the same spec, engine, cuts and hosts, and
 * becomes that of arrivals: no algorithm ends before bound->time_s, counted from 0. arrival_s[r] >=
 * 0 for each rank of the plan, finite. bound->part says what binds in the words of point_bound; NAN
 * stays NAN. The bound since the last arrival is its time less the latest arrival, 0 only where
 * nothing moves. spec->plan (or native) is read, not spec->workload. O(p log p).
 * RB_ENOMEM; RB_EINVAL if the ranks don't fit on the hosts. */
int point_bound_arrivals(const struct sim_spec *spec, const struct sim_engine *engine,
                         const struct platform_cuts *cuts, const int32_t host[],
                         const double arrival_s[], struct point_bound *bound,
                         struct sup_error *error);

/* When data of a rank that arrives at from_s can first have reached all p ranks: each message takes
 * alpha_s, a rank sends `ports` messages at once (0: any number), and neither end is there before
 * its arrival. sorted_s: all arrivals, rising, from_s among them. room: p numbers. O(p). */
double point_bound_informed_s(const double sorted_s[], int32_t p, double from_s, int32_t ports,
                              double alpha_s, double room[]);

#endif
