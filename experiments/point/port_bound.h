/* port_bound.h - bounds for ranks whose ports serve one message at a time, from start to end, so
 * that start-ups count beside bytes. docs/bounds.md proves them.
 *
 * All times are in start-ups: the least time in which a message can arrive is 1, and a byte takes
 * 1 / bytes per start-up. `bytes`: the data, as a time. */
#ifndef EXPERIMENTS_POINT_PORT_BOUND_H
#define EXPERIMENTS_POINT_PORT_BOUND_H

#include <stdint.h>

/* All bytes of one rank, which has one port, to others that hear of it `last` start-ups after its
 * first message begins, at the earliest: ceil(log2 p) for p > 2 ranks, or the way to the farthest
 * ("The root's port"). */
double point_bound_root(double last, double bytes);

/* Shares of so many bytes in all, of which the largest has `largest`, to all ranks, which have one
 * port each ("Shares"). */
double point_bound_shares(double all, double largest);

/* A scan, inclusive or exclusive, on p > 1 ranks of so many ports ("Scans"). */
double point_bound_scan(int32_t p, int32_t ports, double bytes);
/* The same over hosts > 1, where only bytes occupy a host's link. bytes: through one link. */
double point_bound_scan_over(int32_t hosts, double bytes);

/* Of alltoall in rounds that end everywhere before the next begin, `pair` bytes from each of p > 1
 * ranks to each other ("Alltoall in lockstep"). A port's bytes. O(log^2 p). */
double point_bound_rounds(int32_t p, int32_t ports, double pair);

#endif
