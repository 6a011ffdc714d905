/* modular_times.h - one dimension in T_opt without cuts, by modular classes. */
#ifndef RB_SCHEDULES_MODULAR_TIMES_H
#define RB_SCHEDULES_MODULAR_TIMES_H

#include "redistribution.h"

/* When each message of the dimension's own traffic, for disjoint grids, starts: start[] is the
 * caller's, [messages]; the length is T_opt. RB_EINVAL with why if M is no multiple of
 * lcm(P r, Q s), or there is no room; RB_ENOMEM. O(messages + classes x windows). */
int rb_modular_times(const struct rb_cyclic *dimension, const struct rb_traffic *traffic,
                     int64_t start[], int64_t *length, char *why, size_t why_size);

#endif
