/* list_times.h - the dense schedule: nobody rests who has a message for somebody who rests. */
#ifndef REDISTRIBUTION_LIST_TIMES_H
#define REDISTRIBUTION_LIST_TIMES_H

#include "redistribution.h"

/* When each message starts: start[] is the caller's, [messages]. Messages are whole; whenever ports
 * become idle, the senders with most left choose first, each the receiver with most left.
 * RB_ENOMEM. O(messages (ports + messages per sender)). */
int redist_list_times(const struct rb_traffic *traffic, int64_t start[]);

/* The same for a given order, by key[], [messages]: each as soon as its ranks have ended those of
 * theirs before it. RB_ENOMEM. O(messages log messages). */
int redist_times_in_order(const struct rb_traffic *traffic, const int64_t key[], int64_t start[]);

#endif
