/* event_queue.h - a queue of events by time; events of the same time are in the order of their
 * numbers. */
#ifndef SIM_MODEL_EVENT_QUEUE_H
#define SIM_MODEL_EVENT_QUEUE_H

#include <stdint.h>

struct model_event {
    double time;    /* in the user's unit */
    int64_t number; /* given when it was first put in */
    int64_t what;   /* the user's: a kind and an index */
};

enum { MODEL_EVENT_KINDS = 4 };
static inline int64_t model_event_what(int32_t kind, int64_t index)
{
    return index * MODEL_EVENT_KINDS + kind;
}
static inline int32_t model_event_kind(const struct model_event *event)
{
    return (int32_t)(event->what % MODEL_EVENT_KINDS);
}
static inline int64_t model_event_index(const struct model_event *event)
{
    return event->what / MODEL_EVENT_KINDS;
}

struct model_event_queue {
    struct model_event *event; /* a heap of four children to a node; owned */
    int64_t count, room;
    int64_t numbers; /* given so far */
};

/* A new event, with the next number. O(log count). */
void model_event_queue_add(struct model_event_queue *queue, double time, int32_t kind,
                           int64_t index);
/* Puts an event that was taken back, with its number. */
void model_event_queue_put_back(struct model_event_queue *queue, struct model_event event);
/* Removes and returns the first event; the queue must not be empty. O(log count). */
struct model_event model_event_queue_take(struct model_event_queue *queue);
void model_event_queue_free(struct model_event_queue *queue); /* safe on a zeroed struct */

#endif
