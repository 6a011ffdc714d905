/* modular_times.h - a timetable of T_opt without cuts for one dimension and one slice, by modular
 * classes. */
#ifndef REDISTRIBUTION_MODULAR_TIMES_H
#define REDISTRIBUTION_MODULAR_TIMES_H

#include "redistribution.h"

/* L = lcm(P r, Q s), or 0 if that is more than RB_MAX_ELEMENTS. */
int64_t redist_cyclic_slice(const struct rb_cyclic *dimension);

/* When each message starts if the traffic is the dimension's own, of one slice, for disjoint grids:
 * start[] is the caller's, [messages]; the length is T_opt. RB_EINVAL with why if there is no room;
 * RB_ENOMEM. O(messages + classes x windows). */
int redist_modular_times(const struct rb_cyclic *dimension, const struct rb_traffic *traffic,
                         int64_t start[], int64_t *length, char *why, size_t why_size);

#endif
