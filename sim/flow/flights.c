/* flights.c - see flights.h. */
#include "flights.h"

#include <stdlib.h>

#include "roundabout.h"
#include "support/array.h"

/* ---- Arrivals -------------------------------------------------------------------------------- */

enum { CHILDREN = 4 };

int flow_arrivals_init(struct flow_arrivals *arrivals, int32_t slots)
{
    const size_t room = (size_t)slots + 1;
    *arrivals = (struct flow_arrivals){.end_s = calloc(room, sizeof(double)),
                                       .place = malloc(room * sizeof(int32_t)),
                                       .heap = calloc(room, sizeof(int32_t))};
    if (arrivals->end_s == NULL || arrivals->place == NULL || arrivals->heap == NULL)
        return RB_ENOMEM;
    for (int32_t slot = 0; slot < slots; slot++)
        arrivals->place[slot] = -1;
    return RB_OK;
}

void flow_arrivals_free(struct flow_arrivals *arrivals)
{
    free(arrivals->end_s);
    free(arrivals->place);
    free(arrivals->heap);
    *arrivals = (struct flow_arrivals){0};
}

static void put(struct flow_arrivals *arrivals, int32_t place, int32_t slot)
{
    arrivals->heap[place] = slot;
    arrivals->place[slot] = place;
}

static bool rise(struct flow_arrivals *arrivals, int32_t slot)
{
    const double end_s = arrivals->end_s[slot];
    const int32_t start = arrivals->place[slot];
    int32_t place = start;
    while (place > 0) {
        const int32_t parent = (place - 1) / CHILDREN;
        if (arrivals->end_s[arrivals->heap[parent]] <= end_s)
            break;
        put(arrivals, place, arrivals->heap[parent]);
        place = parent;
    }
    put(arrivals, place, slot);
    return place != start;
}

static void sink(struct flow_arrivals *arrivals, int32_t slot)
{
    const double end_s = arrivals->end_s[slot];
    int32_t place = arrivals->place[slot];
    for (;;) {
        const int32_t first = CHILDREN * place + 1;
        int32_t least = -1;
        double least_s = end_s;
        for (int32_t child = first; child < first + CHILDREN && child < arrivals->count; child++)
            if (arrivals->end_s[arrivals->heap[child]] < least_s) {
                least = child;
                least_s = arrivals->end_s[arrivals->heap[child]];
            }
        if (least < 0)
            break;
        put(arrivals, place, arrivals->heap[least]);
        place = least;
    }
    put(arrivals, place, slot);
}

void flow_arrivals_set(struct flow_arrivals *arrivals, int32_t slot, double end_s)
{
    arrivals->end_s[slot] = end_s;
    if (arrivals->place[slot] < 0)
        put(arrivals, arrivals->count++, slot);
    if (!rise(arrivals, slot))
        sink(arrivals, slot);
}

int32_t flow_arrivals_pop(struct flow_arrivals *arrivals)
{
    const int32_t slot = arrivals->heap[0];
    arrivals->place[slot] = -1;
    if (--arrivals->count > 0) {
        put(arrivals, 0, arrivals->heap[arrivals->count]);
        sink(arrivals, arrivals->heap[0]);
    }
    return slot;
}

/* ---- Latencies ------------------------------------------------------------------------------- */

int flow_latencies_init(struct flow_latencies *latencies, int32_t slots)
{
    const size_t room = (size_t)slots + 1;
    *latencies = (struct flow_latencies){.end_s = calloc(room, sizeof(double)),
                                         .next = calloc(room, sizeof(int32_t))};
    return latencies->end_s == NULL || latencies->next == NULL ? RB_ENOMEM : RB_OK;
}

void flow_latencies_free(struct flow_latencies *latencies)
{
    free(latencies->queue);
    free(latencies->end_s);
    free(latencies->next);
    *latencies = (struct flow_latencies){0};
}

static struct flow_latency_queue *find_queue(struct flow_latencies *latencies, double latency_s)
{
    for (int32_t i = 0; i < latencies->count; i++)
        if (latencies->queue[i].latency_s == latency_s)
            return &latencies->queue[i];
    if (!sup_array_grow(&latencies->queue, (size_t)latencies->count, sizeof *latencies->queue))
        return NULL;
    struct flow_latency_queue *made = &latencies->queue[latencies->count++];
    *made = (struct flow_latency_queue){latency_s, -1, -1};
    return made;
}

int flow_latencies_add(struct flow_latencies *latencies, int32_t slot, double now_s,
                       double latency_s)
{
    struct flow_latency_queue *queue = find_queue(latencies, latency_s);
    if (queue == NULL)
        return RB_ENOMEM;
    latencies->end_s[slot] = now_s + latency_s;
    latencies->next[slot] = -1;
    if (queue->first < 0)
        queue->first = slot;
    else
        latencies->next[queue->last] = slot;
    queue->last = slot;
    return RB_OK;
}

double flow_latencies_first_s(const struct flow_latencies *latencies)
{
    double first_s = 1e300;
    for (int32_t i = 0; i < latencies->count; i++) {
        const int32_t slot = latencies->queue[i].first;
        if (slot >= 0 && latencies->end_s[slot] < first_s)
            first_s = latencies->end_s[slot];
    }
    return first_s;
}

int32_t flow_latencies_pop(struct flow_latencies *latencies, double until_s)
{
    for (int32_t i = 0; i < latencies->count; i++) {
        struct flow_latency_queue *queue = &latencies->queue[i];
        const int32_t slot = queue->first;
        if (slot >= 0 && latencies->end_s[slot] <= until_s) {
            queue->first = latencies->next[slot];
            return slot;
        }
    }
    return -1;
}
