/* flow.h - the parts of the engine `flow`. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "platforms/network.h"
#include "sim/engine/engine.h"
#include "sim/engine/replay.h"
#include "sim/engine/tally.h"
#include "sim/network/links.h"

/* Times that differ by less are one moment. The difference is relative, because an absolute one
 * would merge different moments on a small platform. */
#define FLOW_SAME_MOMENT 1e-13
#define FLOW_NEVER_S     1e300 /* later than all that happens */

/* CM02, SimGrid's model: a link is shared in inverse proportion to the latencies; none counts as a
 * second. */
static inline double flow_weight(double latency_s)
{
    return 1e-6 / (latency_s > 0 ? latency_s : 1);
}

/* ---- Shares ---------------------------------------------------------------------------------- */

/* Max-min fair shares of links among flows, repaired as flows come and go.
 *
 * A flow crosses links and has a weight. Its rate is its weight times its level. The levels are
 * max-min fair: each flow crosses a full link on which no flow has a higher level; so no rate can
 * rise unless that of a flow with a level as low falls. A link is full if its flows have all its
 * bandwidth together; one that is not shared (SimGrid's FATPIPE), if one of its flows has it.
 *
 * Repair instead of solving anew: what changes starts at the links of flows that came or went, and
 * spreads only where a level really moves. Links are settled in the order of their levels, lowest
 * first, as in plain water-filling; levels below the first change are never looked at. */

struct flow_shares;

/* Shares of the network's links, whose bandwidths are above 0; it must outlive them. Flows have the
 * numbers 0 .. flows - 1, of which none is there at first. At most one flow at a time crosses each
 * of the first `alone` links; they bind it by its limit, and nothing is kept of them. NULL: too
 * many to count. */
struct flow_shares *flow_shares_create(const struct platform_network *network, int32_t alone,
                                       int32_t flows);
void flow_shares_destroy(struct flow_shares *shares); /* NULL is fine */

/* Says which `count` >= 1 links a flow that is not there will cross. It takes a share of a link for
 * each time that it crosses it. The flow keeps this route until the next call, also when it is
 * removed and added again. False: too many to count. O(count). */
bool flow_shares_route(struct flow_shares *shares, int32_t flow, int32_t count,
                       const int32_t link[]);
/* The i-th link of its route, without those that it has alone; -1 beyond the end. */
int32_t flow_shares_link(const struct flow_shares *shares, int32_t flow, int32_t i);

/* Adds a flow that is not there, on its route, with weight > 0. limit: the least bandwidth of its
 * route. Its rate is 0 until flow_shares_solve. O(count log links). */
void flow_shares_add(struct flow_shares *shares, int32_t flow, double weight, double limit);
void flow_shares_remove(struct flow_shares *shares, int32_t flow);

/* Hints that a flow will be added or removed soon: memory is fetched while others are dealt with.
 * The links' after the flow's own. */
void flow_shares_fetch(const struct flow_shares *shares, int32_t flow);
void flow_shares_fetch_links(const struct flow_shares *shares, int32_t flow);

/* Repairs the rates after any number of flows came and went. *changed: the flows whose rates are
 * others than before, each once, valid until the next call; their number is returned. A rate that
 * would move by a relative 1e-12 or less keeps its bits. */
int32_t flow_shares_solve(struct flow_shares *shares, const int32_t **changed);

/* After flow_shares_solve: true if some link binds a flow; otherwise all are at their limits. */
bool flow_shares_bind(const struct flow_shares *shares);

double flow_shares_rate(const struct flow_shares *shares, int32_t flow);

/* ---- Network interfaces ---------------------------------------------------------------------- */

/* Network interfaces that work on their messages one after another, in the order in which these
 * started.
 *
 * A message is known by its slot, as one in flight. It stands in the queue of at most one interface
 * from its start to its end, also while its latency runs. Its bytes may move when its latency has
 * passed and no message is before it. Messages that started at the same moment are in the order of
 * their rounds, and of their slots in a round; which of them the replay offered first depends on
 * their receivers, and says nothing about the sender. */

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

/* ---- Messages in flight ---------------------------------------------------------------------- */

/* When the messages in flight reach their next event.
 *
 * A message first waits for its latency, and then moves its bytes at a rate that may change. Each
 * has a number, its place in arrays: a caller's slot. */

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
/* When the first one arrives; FLOW_NEVER_S if there is none. */
double flow_arrivals_first_s(struct flow_arrivals *arrivals);
/* The i-th of `count`, in no order. */
int32_t flow_arrivals_slot(const struct flow_arrivals *arrivals, int32_t i);
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
/* Room for slots 0 .. slots - 1. */
void flow_latencies_init(struct flow_latencies *latencies, int32_t slots);
void flow_latencies_free(struct flow_latencies *latencies); /* safe on a zeroed struct */
/* O(different latencies). */
void flow_latencies_add(struct flow_latencies *latencies, int32_t slot, double now_s,
                        double latency_s);
/* When the first one ends; FLOW_NEVER_S if there is none. */
double flow_latencies_first_s(const struct flow_latencies *latencies);
/* Removes and returns one that ends by this time; -1: there is none. */
int32_t flow_latencies_pop(struct flow_latencies *latencies, double until_s);

/* ---- What is left ---------------------------------------------------------------------------- */

/* When a run ends at the earliest, by what some of its hosts still have to do (rest.c). */
struct flow_rest;
/* Of a spec with most_s, before the first message; host[r] for each rank. NULL: nothing is known,
 * as of a workload, or where rounds overlap. The caller destroys it. O(p), and the rounds of at
 * most 64 ranks, or of one host. */
struct flow_rest *flow_rest_create(const struct sim_spec *spec, struct platform_network *network,
                                   const int32_t host[]);
void flow_rest_destroy(struct flow_rest *rest); /* NULL is fine */
/* A message begins, no earlier than those before. */
void flow_rest_begin(struct flow_rest *rest, const struct sim_replay_message *message,
                     double now_s);
/* By what has begun so far; a sum of many times, right to a relative 1e-10. */
double flow_rest_end_s(const struct flow_rest *rest);

/* ---- Calm rounds ----------------------------------------------------------------------------- */

/* A plan with one port, in `blocking`, whose ranks have a host each. */
struct flow_calm {
    const struct sim_spec *spec;
    struct platform_network *network;
    const int32_t *host;        /* per rank */
    int32_t alone;              /* so many links are the hosts' own */
    struct net_link_load *load; /* NULL: not wanted */
    /* Where events stand, at a moment at which no link binds; NULL: at the beginning. */
    const struct sim_replay *replay;
    const struct flow_arrivals *arrivals; /* a slot per rank */
    const struct flow_latencies *latencies;
    bool whole; /* try to play rounds as a whole; all messages of a pair take one way, no load */
    struct rb_rank *state; /* per rank; NULL at first, and where there is a replay; the caller's */
    double *finish_s;      /* per rank: of its last message that is complete; 0 */
    int64_t messages;      /* 0; those that had not begun */
    sim_tally bytes;       /* 0; theirs */
    bool lost;             /* false; it failed, but may not where `whole` is false */
};

/* Plays the rest of the plan by arithmetic, round by round, if no two of its messages meet on a
 * link; finish_s, load, messages and bytes are then right, finish_s to a relative 1e-13 per round.
 * False: two meet, or may, and these are of no use but for how many messages came before. O(p
 * rounds + messages x links of a route) time up to the round in which they meet, O(p + links)
 * memory. */
bool flow_calm_play(struct flow_calm *calm);
