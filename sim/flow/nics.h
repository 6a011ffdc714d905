/* nics.h - network interfaces that work on their messages one after another, in the order in which
 * these started.
 *
 * A message is known by its slot, as in flights.h. It stands in the queue of at most one interface
 * from its start to its end, also while its latency runs. Its bytes may move when its latency has
 * passed and no message is before it. Messages that started at the same moment are in the order of
 * their rounds, and of their slots in a round; which of them the replay offered first depends on
 * their receivers, and says nothing about the sender. */
#ifndef SIM_FLOW_NICS_H
#define SIM_FLOW_NICS_H

#include <stdbool.h>
#include <stdint.h>

struct flow_nic {
    int32_t first, last; /* slots; -1: none */
};
struct flow_nic_place {
    int32_t nic;            /* -1: in no queue */
    int32_t next, previous; /* the slots behind it and before it; -1: none */
    bool is_ready;
    double start_s;
    int64_t round;
};
struct flow_nics {
    struct flow_nic *nic;         /* per interface */
    struct flow_nic_place *place; /* per slot */
};

/* Empty queues of interfaces 0 .. count - 1, for slots 0 .. slots - 1. */
void flow_nics_init(struct flow_nics *nics, int32_t count, int32_t slots);
void flow_nics_free(struct flow_nics *nics); /* safe on a zeroed struct */
/* A message starts that will cross this interface, no earlier than those before; -1: it crosses
 * none, then no queue holds it up. O(messages of the interface that started at this moment). */
void flow_nics_add(struct flow_nics *nics, int32_t slot, int32_t nic, double start_s,
                   int64_t round);
/* Its latency has passed. True if its bytes move from now on; false: from when flow_nics_remove
 * returns it. O(1). */
bool flow_nics_ready(struct flow_nics *nics, int32_t slot);
/* The message, whose bytes moved, is complete. Returns the slot whose bytes move from now on
 * instead; -1: there is none, or its latency has not passed. O(1). */
int32_t flow_nics_remove(struct flow_nics *nics, int32_t slot);

#endif
