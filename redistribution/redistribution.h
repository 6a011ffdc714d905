/* redistribution.h - inside the library: timetables under construction, and the methods. What they
 * are about is in roundabout-redistribution.h.
 *
 * The traffic comes from the problem (traffic.c), a timetable from the traffic by a method (one
 * file each, listed in methods.c); what is asked of every timetable is in timetable.c. */
#ifndef RB_REDISTRIBUTION_REDISTRIBUTION_H
#define RB_REDISTRIBUTION_REDISTRIBUTION_H

#include "roundabout-redistribution.h"

/* Appends a piece to a timetable under construction, whose array grows as needed: room is what it
 * has room for (0 at first). RB_ENOMEM leaves it as it was. Amortised O(1). */
int rb_timetable_add(struct rb_timetable *timetable, size_t *room, struct rb_piece piece);

/* To be called when all pieces are there: sorts them and sets the length. O(pieces log pieces). */
void rb_timetable_finish(struct rb_timetable *timetable);

rb_redistribute rb_redistribute_best, rb_redistribute_unit, rb_redistribute_matching,
    rb_redistribute_greedy, rb_redistribute_modular, rb_redistribute_stepwise,
    rb_redistribute_stepwise_total, rb_redistribute_caterpillar;

#endif
