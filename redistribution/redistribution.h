/* redistribution.h - internal to the library: timetables under construction, and the methods.
 * roundabout-redistribution.h explains the terms.
 *
 * traffic.c computes the traffic from the problem; a method makes a timetable from the traffic (one
 * file each, listed in methods.c); timetable.c checks timetables and computes their facts. */
#ifndef REDISTRIBUTION_REDISTRIBUTION_H
#define REDISTRIBUTION_REDISTRIBUTION_H

#include "roundabout-redistribution.h"

/* Appends a piece to a timetable under construction, whose array grows as needed; room is its
 * capacity (0 at first). After RB_ENOMEM the timetable is unchanged. Amortised O(1). */
int redist_timetable_add(struct rb_timetable *timetable, size_t *room, struct rb_piece piece);

/* Call it when all pieces are added: sorts them and sets the length. O(pieces log pieces). */
void redist_timetable_finish(struct rb_timetable *timetable);

rb_redistribute redist_best, redist_unit, redist_matching, redist_greedy, redist_modular,
    redist_stepwise, redist_stepwise_total, redist_caterpillar;

#endif
