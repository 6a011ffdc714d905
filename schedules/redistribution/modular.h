/* modular.h - modular classes: a timetable of T_opt without cuts for one dimension and one slice
 * (modular.c), and the order for any number of dimensions (modular.c). */
#ifndef SCHEDULES_REDISTRIBUTION_MODULAR_H
#define SCHEDULES_REDISTRIBUTION_MODULAR_H

#include "redistribution.h"

/* When each message of the problem's traffic starts if every dimension's M is one slice, lcm(P r,
 * Q s), and the length: T_opt of such arrays on disjoint grids if the same side never rests in all
 * dimensions. The order is good for other M, too. start[] is the caller's, [messages]. RB_EINVAL
 * with why if the problem is NULL, a dimension has less than a slice, or there is no room for its
 * classes; RB_ENOMEM. */
int redist_modular_starts(const struct rb_redistribution *problem, const struct rb_traffic *traffic,
                          int64_t start[], int64_t *length, char *why, size_t why_size);

#endif
