/* flights.h - when the messages in flight reach their next event.
 *
 * A message first waits for its latency, and then moves its bytes at a rate that may change. Each
 * has a number, its place in arrays: a caller's slot. */
#ifndef SIM_FLOW_FLIGHTS_H
#define SIM_FLOW_FLIGHTS_H

#include <stdbool.h>
#include <stdint.h>

/* The slots whose bytes move, the first to arrive first: a heap with four children a node, which
 * takes half the cache misses of one with two.
 *
 * Most rates change several times before a message arrives. A slot that will arrive later than it
 * was to keeps its place: its key is then too early, and is put right only if it comes to the top.
 */
struct flow_arrival {
    double key_s; /* no later than its end */
    int32_t slot;
};
struct flow_arrivals {
    double *end_s;  /* per slot */
    int32_t *place; /* per slot: in the heap; -1: not there */
    struct flow_arrival *heap;
    int32_t count;
};
/* Room for slots 0 .. slots - 1. */
void flow_arrivals_init(struct flow_arrivals *arrivals, int32_t slots);
void flow_arrivals_free(struct flow_arrivals *arrivals); /* safe on a zeroed struct */
/* The slot arrives at end_s, whether it was there or not. O(log slots). */
void flow_arrivals_set(struct flow_arrivals *arrivals, int32_t slot, double end_s);
/* When the first one arrives; 1e300 if there is none. */
double flow_arrivals_first_s(struct flow_arrivals *arrivals);
/* Takes out the first one; flow_arrivals_first_s must have been called since the last change. */
int32_t flow_arrivals_pop(struct flow_arrivals *arrivals);

/* The slots that wait for their latency. Those of one latency end in the order in which they began,
 * so there is a queue for each latency. */
struct flow_latency_queue {
    double latency_s;
    int32_t first, last; /* slots; -1: none */
};
struct flow_latencies {
    struct flow_latency_queue *queue;
    int32_t count;
    double *end_s; /* per slot */
    int32_t *next; /* per slot: the one behind it */
};
void flow_latencies_init(struct flow_latencies *latencies, int32_t slots);
void flow_latencies_free(struct flow_latencies *latencies);
/* O(different latencies). */
void flow_latencies_add(struct flow_latencies *latencies, int32_t slot, double now_s,
                        double latency_s);
/* When the first one ends; 1e300 if there is none. */
double flow_latencies_first_s(const struct flow_latencies *latencies);
/* Removes and returns one that ends by this time; -1: there is none. */
int32_t flow_latencies_pop(struct flow_latencies *latencies, double until_s);

#endif
