/* arrival_bound.h - the least time of a point's collective if its ranks arrive at different times.
 *
 * docs/bounds.md, "Late ranks", proves it: no message of a rank starts before its arrival, at
 * either end. */
#ifndef EXPERIMENTS_POINT_ARRIVAL_BOUND_H
#define EXPERIMENTS_POINT_ARRIVAL_BOUND_H

#include "experiments/point/lower_bound.h"

/* bound: comes in as point_bound_find finds it for the same spec, engine, cuts and hosts, and
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
