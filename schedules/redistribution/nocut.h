/* nocut.h - timetables of T_opt units in which no message is cut (nocut.c). */
#ifndef SCHEDULES_REDISTRIBUTION_NOCUT_H
#define SCHEDULES_REDISTRIBUTION_NOCUT_H

#include "symmetry.h"

/* Searches for one: start[i] is when message i of the traffic starts. found says whether one was
 * found; if not, one may still exist. The effort is that of redist_shop_decide (shop.h), in all;
 * the effort used is subtracted. RB_ENOMEM. problem: NULL for traffic of no array. */
int redist_nocut_search(const struct rb_redistribution *problem, const struct rb_traffic *traffic,
                        int64_t *effort, int64_t start[], bool *found);

/* The methods of this search for problems with a grid. */
int redist_nocut_rotation(const struct redist_symmetry *grid, const struct rb_traffic *traffic,
                          int64_t start[], bool *found);
int redist_nocut_groups(const struct redist_symmetry *grid, const struct rb_traffic *traffic,
                        int64_t *effort, int64_t start[], bool *found);

/* A timetable in T_opt with few cuts for a large grid, if there is one by rotation; the caller
 * deinits it, also after a failure. RB_ENOMEM. */
int redist_rotation_with_cuts(const struct redist_symmetry *grid, const struct rb_traffic *traffic,
                              struct rb_timetable *timetable, bool *found);

#endif
