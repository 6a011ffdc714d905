/* port_matching.h - a matching of senders and receivers that changes as little as possible.
 *
 * The messages in flight at one time are a matching in the bipartite graph of the messages that
 * have units left. When some end, others start. The ports that must be busy can always be covered
 * (König), but perhaps only by interrupting messages: the search for an alternating path minimises
 * the number of interrupted messages. */
#ifndef SCHEDULES_REDISTRIBUTION_PORT_MATCHING_H
#define SCHEDULES_REDISTRIBUTION_PORT_MATCHING_H

#include "redistribution.h"

#define REDIST_NO_MESSAGE SIZE_MAX

/* The message that an idle port prefers. */
enum redist_preference {
    REDIST_MOST_LEFT, /* to the port with most left; of several the longest */
    REDIST_LONGEST,   /* of several that to the port with most left */
    REDIST_SHORTEST,  /* to the port with most left; of several the shortest */
    REDIST_PREFERENCES
};

struct redist_idle_port {
    int64_t load;
    int32_t port;
};

/* Ports: senders 0 .. senders - 1, then receivers. */
struct redist_port_matching {
    const struct rb_traffic *traffic;
    enum redist_preference preference;
    int32_t senders, ports;
    int64_t *rest;         /* [messages]: units left */
    int64_t *load;         /* [ports]: units left */
    size_t *first;         /* [ports + 1]: where a port's messages are in listed */
    int32_t *listed_count; /* [ports]: how many have units left; they come first */
    size_t *listed;        /* [2 messages]: longest first */
    size_t *matched;       /* [ports]: message on the way, or REDIST_NO_MESSAGE */
    size_t *running; /* [senders]: message that was on the way before this instant, likewise */
    struct redist_idle_port *idle; /* [ports]: of fill */
    int32_t *queue[2];             /* [ports]: of the search; this cost, and one more */
    size_t *reached;               /* [ports]: by which message the search came */
    uint64_t *seen;                /* [ports]: in which search last */
    uint64_t searches;
};

/* All messages whole, none on the way. Deinit it also after a failure. RB_ENOMEM. */
int redist_port_matching_init(struct redist_port_matching *m, const struct rb_traffic *traffic,
                              enum redist_preference preference);
void redist_port_matching_deinit(struct redist_port_matching *m);

/* Matches idle ports with each other, as long as there is a message between two; ports with most
 * left choose first. Interrupts nothing. O(messages of the idle ports). */
void redist_port_matching_fill(struct redist_port_matching *m);

/* Makes an idle port busy; ports with load >= critical stay busy, if they are. Interrupts as few
 * running messages as this one port needs. The port must have load >= critical, and no port more.
 * O(messages). */
void redist_port_matching_cover(struct redist_port_matching *m, int32_t port, int64_t critical);

/* Takes units off a message; the last ones also take it off the lists and its ports. */
void redist_port_matching_send(struct redist_port_matching *m, size_t message, int64_t units);

#endif
