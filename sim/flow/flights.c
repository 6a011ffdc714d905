/* flights.c - when the messages in flight reach their next event (flow.h). */
#include <stdlib.h>

#include "flow.h"
#include "support/memory.h"

/* ---- Arrivals -------------------------------------------------------------------------------- */

/* A node's four children share a cache line: the first node has place 3, and the children of place
 * k have 4 k - 8 .. 4 k - 5. Behind the last there are four that never arrive. */
enum { TOP = 3, CHILDREN = 4, CACHE_LINE = 64 };

void flow_arrivals_init(struct flow_arrivals *arrivals, int32_t slots)
{
    const size_t room = (size_t)slots + 1;
    const size_t bytes = (room + TOP + CHILDREN) * sizeof(struct flow_arrival);
    *arrivals = (struct flow_arrivals){
        .end_s = sup_calloc(room, sizeof(double)),
        .place = sup_malloc(room * sizeof(int32_t)),
        .heap = aligned_alloc(CACHE_LINE, (bytes + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE)};
    sup_had_memory(arrivals->heap != NULL);
    for (int32_t slot = 0; slot < slots; slot++)
        arrivals->place[slot] = -1;
    for (int32_t place = 0; place < TOP + CHILDREN; place++)
        arrivals->heap[place].key_s = FLOW_NEVER_S;
}

void flow_arrivals_free(struct flow_arrivals *arrivals)
{
    free(arrivals->end_s);
    free(arrivals->place);
    free(arrivals->heap);
    *arrivals = (struct flow_arrivals){0};
}

static void put(struct flow_arrivals *arrivals, int32_t place, struct flow_arrival arrival)
{
    arrivals->heap[place] = arrival;
    arrivals->place[arrival.slot] = place;
}

/* Puts it where it belongs, at this place or above. */
static void rise(struct flow_arrivals *arrivals, int32_t place, struct flow_arrival arrival)
{
    while (place > TOP) {
        const int32_t parent = place / CHILDREN + 2;
        if (arrivals->heap[parent].key_s <= arrival.key_s)
            break;
        put(arrivals, place, arrivals->heap[parent]);
        place = parent;
    }
    put(arrivals, place, arrival);
}

/* The first of four children to arrive. No branch depends on the times, which nobody can predict.
 */
static int32_t first_child(const struct flow_arrival *heap, int32_t place)
{
    const int32_t child = CHILDREN * place - 8;
    const int32_t one = child + (heap[child + 1].key_s < heap[child].key_s);
    const int32_t two = child + 2 + (heap[child + 3].key_s < heap[child + 2].key_s);
    return heap[two].key_s < heap[one].key_s ? two : one;
}

/* Puts it where it belongs, at the top or below. */
static void sink(struct flow_arrivals *arrivals, struct flow_arrival arrival)
{
    int32_t place = TOP;
    while (CHILDREN * place - 8 < TOP + arrivals->count) {
        const int32_t child = first_child(arrivals->heap, place);
        if (arrivals->heap[child].key_s >= arrival.key_s)
            break;
        put(arrivals, place, arrivals->heap[child]);
        place = child;
    }
    put(arrivals, place, arrival);
}

void flow_arrivals_set(struct flow_arrivals *arrivals, int32_t slot, double end_s)
{
    int32_t place = arrivals->place[slot];
    arrivals->end_s[slot] = end_s;
    if (place < 0) {
        place = TOP + arrivals->count++;
        arrivals->heap[place + CHILDREN].key_s = FLOW_NEVER_S;
    } else if (end_s >= arrivals->heap[place].key_s) {
        return;
    }
    rise(arrivals, place, (struct flow_arrival){end_s, slot});
}

double flow_arrivals_first_s(struct flow_arrivals *arrivals)
{
    while (arrivals->count > 0) {
        const struct flow_arrival first = arrivals->heap[TOP];
        const double end_s = arrivals->end_s[first.slot];
        if (first.key_s == end_s)
            return end_s;
        sink(arrivals, (struct flow_arrival){end_s, first.slot});
    }
    return FLOW_NEVER_S;
}

int32_t flow_arrivals_slot(const struct flow_arrivals *arrivals, int32_t i)
{
    return arrivals->heap[TOP + i].slot;
}

int32_t flow_arrivals_pop(struct flow_arrivals *arrivals)
{
    const int32_t slot = arrivals->heap[TOP].slot, last = TOP + --arrivals->count;
    const struct flow_arrival moved = arrivals->heap[last];
    arrivals->place[slot] = -1;
    arrivals->heap[last].key_s = FLOW_NEVER_S;
    if (last > TOP)
        sink(arrivals, moved);
    return slot;
}

/* ---- Latencies ------------------------------------------------------------------------------- */

void flow_latencies_init(struct flow_latencies *latencies, int32_t slots)
{
    const size_t room = (size_t)slots + 1;
    *latencies = (struct flow_latencies){.end_s = sup_calloc(room, sizeof(double)),
                                         .next = sup_calloc(room, sizeof(int32_t))};
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
    sup_grow(&latencies->queue, (size_t)latencies->count, sizeof *latencies->queue);
    struct flow_latency_queue *made = &latencies->queue[latencies->count++];
    *made = (struct flow_latency_queue){latency_s, -1, -1};
    return made;
}

void flow_latencies_add(struct flow_latencies *latencies, int32_t slot, double now_s,
                        double latency_s)
{
    struct flow_latency_queue *queue = find_queue(latencies, latency_s);
    latencies->end_s[slot] = now_s + latency_s;
    latencies->next[slot] = -1;
    if (queue->first < 0)
        queue->first = slot;
    else
        latencies->next[queue->last] = slot;
    queue->last = slot;
}

double flow_latencies_first_s(const struct flow_latencies *latencies)
{
    double first_s = FLOW_NEVER_S;
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
