/* event_queue.c - a heap with four children to a node: half as deep as a binary one, and the
 * children of a node are neighbours in memory. */
#include "event_queue.h"

#include <stdbool.h>
#include <stdlib.h>

#include "roundabout.h"

enum { CHILDREN = 4 };

static bool before(const struct rb_event *a, const struct rb_event *b)
{
    return a->time < b->time || (a->time == b->time && a->number < b->number);
}

int rb_event_queue_put_back(struct rb_event_queue *queue, struct rb_event event)
{
    if (queue->count == queue->room) {
        const int64_t room = queue->room == 0 ? 1024 : 2 * queue->room;
        struct rb_event *more = realloc(queue->event, (size_t)room * sizeof *more);
        if (more == NULL)
            return RB_ENOMEM;
        queue->event = more;
        queue->room = room;
    }
    int64_t i = queue->count++;
    for (; i > 0 && before(&event, &queue->event[(i - 1) / CHILDREN]); i = (i - 1) / CHILDREN)
        queue->event[i] = queue->event[(i - 1) / CHILDREN];
    queue->event[i] = event;
    return RB_OK;
}

int rb_event_queue_add(struct rb_event_queue *queue, double time, int32_t kind, int64_t index)
{
    return rb_event_queue_put_back(queue, (struct rb_event){.time = time,
                                                            .number = queue->numbers++,
                                                            .what = rb_event_what(kind, index)});
}

struct rb_event rb_event_queue_take(struct rb_event_queue *queue)
{
    const struct rb_event first = queue->event[0];
    const struct rb_event moved = queue->event[--queue->count];
    int64_t i = 0;
    for (int64_t child; (child = CHILDREN * i + 1) < queue->count; i = child) {
        const int64_t end = child + CHILDREN < queue->count ? child + CHILDREN : queue->count;
        for (int64_t other = child + 1; other < end; other++)
            if (before(&queue->event[other], &queue->event[child]))
                child = other;
        if (!before(&queue->event[child], &moved))
            break;
        queue->event[i] = queue->event[child];
    }
    queue->event[i] = moved;
    return first;
}

void rb_event_queue_free(struct rb_event_queue *queue)
{
    free(queue->event);
    *queue = (struct rb_event_queue){0};
}
