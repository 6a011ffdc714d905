/* event_queue.h - what happens next: events by time, and of one time in the order of numbers. */
#ifndef RB_SIM_MODEL_EVENT_QUEUE_H
#define RB_SIM_MODEL_EVENT_QUEUE_H

#include <stdint.h>

struct rb_event {
    double time;    /* in the user's unit */
    int64_t number; /* given when it was first put in */
    int64_t what;   /* the user's: a kind and an index */
};

enum { RB_EVENT_KINDS = 4 };
static inline int64_t rb_event_what(int32_t kind, int64_t index)
{
    return index * RB_EVENT_KINDS + kind;
}
static inline int32_t rb_event_kind(const struct rb_event *event)
{
    return (int32_t)(event->what % RB_EVENT_KINDS);
}
static inline int64_t rb_event_index(const struct rb_event *event)
{
    return event->what / RB_EVENT_KINDS;
}

struct rb_event_queue {
    struct rb_event *event; /* a heap of four children to a node; owned */
    int64_t count, room;
    int64_t numbers; /* given so far */
};

/* A new event, with the next number. RB_ENOMEM. O(log count). */
int rb_event_queue_add(struct rb_event_queue *queue, double time, int32_t kind, int64_t index);
/* Puts back one that was taken, with its number. */
int rb_event_queue_put_back(struct rb_event_queue *queue, struct rb_event event);
/* The first event, which leaves the queue; there must be one. O(log count). */
struct rb_event rb_event_queue_take(struct rb_event_queue *queue);
void rb_event_queue_free(struct rb_event_queue *queue); /* safe on a zeroed struct */

#endif
