/* list_times.h - the dense schedule: no rank is idle that has a message for an idle rank. */
#ifndef SCHEDULES_REDISTRIBUTION_LIST_TIMES_H
#define SCHEDULES_REDISTRIBUTION_LIST_TIMES_H

#include "redistribution.h"

/* Computes when each message starts: start[messages] is the caller's. Messages are not cut.
 * Whenever ports become idle, the senders with the most units left choose first, and each chooses
 * the receiver with the most units left. RB_ENOMEM. O(messages (ports + messages per sender)). */
int redist_list_times(const struct rb_traffic *traffic, int64_t start[]);

/* Computes the starts for a given order, by key[messages]: each message starts as soon as both its
 * ranks have ended their earlier messages. RB_ENOMEM. O(messages log messages). */
int redist_times_in_order(const struct rb_traffic *traffic, const int64_t key[], int64_t start[]);

#endif
