/* port_bound.h - bounds for ranks whose ports serve one message at a time, from start to end, so
 * that start-ups count beside bytes. docs/bounds.md proves them.
 *
 * All times are in start-ups: the least time in which a message can arrive is 1, and a byte takes
 * 1 / bytes per start-up. `bytes`: the data, as a time. */
#ifndef EXPERIMENTS_POINT_PORT_BOUND_H
#define EXPERIMENTS_POINT_PORT_BOUND_H

#include <stdint.h>

/* All bytes of one rank, which has one port, to p > 2 ranks ("The root's port"). */
double point_bound_root(int32_t p, double bytes);

/* A scan, inclusive or exclusive, on p > 1 ranks of so many ports ("Scans"). */
double point_bound_scan(int32_t p, int32_t ports, double bytes);
/* The same over hosts > 1, where only bytes occupy a host's link. bytes: through one link. */
double point_bound_scan_over(int32_t hosts, double bytes);

/* Of alltoall in rounds that end everywhere before the next begin, `pair` bytes from each of p > 1
 * ranks to each other ("Alltoall in lockstep"). A port's bytes. O(log^2 p). */
double point_bound_rounds(int32_t p, int32_t ports, double pair);

#endif
