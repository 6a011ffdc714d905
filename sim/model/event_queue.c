/* event_queue.c - a heap with four children to a node: half as deep as a binary one, and the
 * children of a node are neighbours in memory. Which of them is first is as good as random, so it
 * is worked out without branches, which would be mispredicted. */
#include "event_queue.h"

#include <stdlib.h>

#include "support/memory.h"

enum { CHILDREN = 4 };

static int64_t before(const struct model_event *a, const struct model_event *b)
{
    return (a->time < b->time) | ((a->time == b->time) & (a->number < b->number));
}

/* The first of child[0 .. 3]. */
static int64_t first_of_four(const struct model_event child[])
{
    const int64_t low = before(&child[1], &child[0]), high = 2 + before(&child[3], &child[2]);
    return low + (high - low) * before(&child[high], &child[low]);
}

void model_event_queue_put_back(struct model_event_queue *queue, struct model_event event)
{
    if (queue->count == queue->room) {
        const int64_t room = queue->room == 0 ? 1024 : 2 * queue->room;
        queue->event = sup_reallocarray(queue->event, (size_t)room, sizeof *queue->event);
        queue->room = room;
    }
    int64_t i = queue->count++;
    for (; i > 0 && before(&event, &queue->event[(i - 1) / CHILDREN]); i = (i - 1) / CHILDREN)
        queue->event[i] = queue->event[(i - 1) / CHILDREN];
    queue->event[i] = event;
}

void model_event_queue_add(struct model_event_queue *queue, double time, int32_t kind,
                           int64_t index)
{
    model_event_queue_put_back(queue, (struct model_event){.time = time,
                                                           .number = queue->numbers++,
                                                           .what = model_event_what(kind, index)});
}

/* The gap of the first event moves down to a leaf, and the last event moves from there up to its
 * place; it seldom moves far, because it was a leaf. */
struct model_event model_event_queue_take(struct model_event_queue *queue)
{
    struct model_event *const event = queue->event;
    const struct model_event first = event[0];
    const struct model_event moved = event[--queue->count];
    int64_t hole = 0, child = 1;
    for (; child + CHILDREN <= queue->count; child = CHILDREN * hole + 1) {
        const int64_t next = child + first_of_four(&event[child]);
        event[hole] = event[next];
        hole = next;
    }
    if (child < queue->count) {
        int64_t next = child;
        for (int64_t other = child + 1; other < queue->count; other++)
            next = before(&event[other], &event[next]) ? other : next;
        event[hole] = event[next];
        hole = next;
    }
    for (; hole > 0 && before(&moved, &event[(hole - 1) / CHILDREN]); hole = (hole - 1) / CHILDREN)
        event[hole] = event[(hole - 1) / CHILDREN];
    event[hole] = moved;
    return first;
}

void model_event_queue_free(struct model_event_queue *queue)
{
    free(queue->event);
    *queue = (struct model_event_queue){0};
}
