/* scheduled.h - makes a plan of a timetable, for the descriptors of the redistribute algorithms.
 *
 * Rounds are the different times at which pieces start, so a rank sends at most one piece and
 * receives at most one piece in a round. The engine determines how long a piece takes: with the
 * overlap rule `data` a rank's sends and receives proceed independently, each in the timetable's
 * order, as the timetable intends; with `lockstep` a round is a step. In round 0 a rank also copies
 * the data that stay with it. One port. Memory: O(pieces), 12 bytes each and 32 for the timetable.
 *
 * An algorithm's name is that of its method (rb_redistribute_methods); a method whose conditions
 * don't hold is RB_ENOTSUP. */
#ifndef SCHEDULES_REDISTRIBUTION_SCHEDULED_H
#define SCHEDULES_REDISTRIBUTION_SCHEDULED_H

#include "redistribution.h"

int redist_scheduled_init(struct rb_plan *plan, char *why, size_t why_size);
/* For .suits of methods with conditions: by trying. */
bool redist_scheduled_applies(const struct rb_plan *plan);
void redist_scheduled_fini(struct rb_plan *plan);
int32_t redist_scheduled_round(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                               struct rb_op ops[]);
int64_t redist_scheduled_next(const struct rb_plan *plan, const struct rb_rank *state, int64_t t);

/* All members of a descriptor except .info. */
#define REDIST_SCHEDULED                                                                           \
    .init = redist_scheduled_init, .fini = redist_scheduled_fini, .round = redist_scheduled_round, \
    .next = redist_scheduled_next

#endif
