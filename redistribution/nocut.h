/* nocut.h - timetables of T_opt units in which no message is cut (nocut.c). */
#ifndef REDISTRIBUTION_NOCUT_H
#define REDISTRIBUTION_NOCUT_H

#include "symmetry.h"

/* Looks for one: start[i] is when message i of the traffic starts. found says whether there is
 * one; if not, there may still be one. Effort: as of redist_shop_decide (shop.h), in all; what is
 * used is taken off. RB_ENOMEM. problem: NULL for traffic of no array. */
int redist_nocut_search(const struct rb_redistribution *problem, const struct rb_traffic *traffic,
                        int64_t *effort, int64_t start[], bool *found);

/* The ways in which it looks where the problem has a grid, likewise. */
int redist_nocut_rotation(const struct redist_symmetry *grid, const struct rb_traffic *traffic,
                          int64_t start[], bool *found);
int redist_nocut_groups(const struct redist_symmetry *grid, const struct rb_traffic *traffic,
                        int64_t *effort, int64_t start[], bool *found);

/* A timetable in T_opt with few cuts for a large grid, if there is one by rotation; the caller
 * deinits it, also after a failure. RB_ENOMEM. */
int redist_rotation_with_cuts(const struct redist_symmetry *grid, const struct rb_traffic *traffic,
                              struct rb_timetable *timetable, bool *found);

#endif
