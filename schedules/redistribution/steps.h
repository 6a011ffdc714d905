/* steps.h - timetables in synchronised steps: every message belongs to a step, and a step starts
 * when the longest message of the one before has ended. */
#ifndef SCHEDULES_REDISTRIBUTION_STEPS_H
#define SCHEDULES_REDISTRIBUTION_STEPS_H

#include "redistribution.h"

/* step[i], 0 <= step[i] < steps, is message i's; a step without messages takes no time. The caller
 * deinits the timetable, and need not after a failure: RB_ENOMEM with why. O(messages log
 * messages). */
int redist_timetable_of_steps(const struct rb_traffic *traffic, const int32_t step[], int32_t steps,
                              struct rb_timetable *timetable, char *why, size_t why_size);

/* Assigns steps, at most `most` of them (at least as many as some rank has messages), so that the
 * total of their longest messages is small: step[] is the caller's, [messages]. Exact if the bound
 * below or a search of at most `nodes` nodes says so. Gives the number of steps. Memory: 4 bytes
 * per port and step. O(messages (steps + ports)) and the search. RB_ENOMEM. */
int redist_steps_choose(const struct rb_traffic *traffic, int32_t most, int64_t nodes,
                        int32_t step[], int32_t *steps);

/* Messages of the rank that has most of them, whichever side: the fewest steps (König). RB_ENOMEM.
 */
int redist_steps_fewest(const struct rb_traffic *traffic, int32_t *steps);

/* longest[k], k < fewest steps, such that no choice of steps has the k-th longest shorter than
 * that: as messages of length v or more need as many steps as some rank has of them. Their sum is a
 * bound on the total. The caller's array has redist_steps_fewest entries. RB_ENOMEM. O(messages log
 * messages). */
int redist_steps_bound(const struct rb_traffic *traffic, int64_t longest[]);

#endif
