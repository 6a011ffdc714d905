/* redistribution.h - internal to the library: timetables under construction, and the methods.
 * roundabout-redistribution.h explains the terms.
 *
 * traffic.c computes the traffic from the problem; a method makes a timetable from the traffic (one
 * file each, listed in list.h); timetable.c checks timetables and computes their facts. */
#ifndef SCHEDULES_REDISTRIBUTION_REDISTRIBUTION_H
#define SCHEDULES_REDISTRIBUTION_REDISTRIBUTION_H

#include "roundabout-redistribution.h"

/* The greatest common divisor; that of x and 0 is x. */
static inline int64_t redist_gcd(int64_t x, int64_t y)
{
    while (y != 0) {
        const int64_t rest = x % y;
        x = y;
        y = rest;
    }
    return x;
}

/* L = lcm(P r, Q s), or 0 if that is more than RB_MAX_ELEMENTS. */
int64_t redist_cyclic_slice(const struct rb_cyclic *dimension);

/* Appends a piece to a timetable under construction, whose array grows as needed; room is its
 * capacity (0 at first). After RB_ENOMEM the timetable is unchanged. Amortised O(1). */
int redist_timetable_add(struct rb_timetable *timetable, size_t *room, struct rb_piece piece);

/* Call it when all pieces are added: sorts them and sets the length. O(pieces log pieces). */
void redist_timetable_finish(struct rb_timetable *timetable);

/* Enters every message in one piece, which starts at start[message], into an empty timetable.
 * RB_ENOMEM: the caller deinits it. */
int redist_timetable_of_starts(const struct rb_traffic *traffic, const int64_t start[],
                               struct rb_timetable *timetable);

rb_redistribute redist_best, redist_unit, redist_matching, redist_greedy, redist_modular,
    redist_stepwise, redist_stepwise_total, redist_caterpillar;

#endif
