/* roundabout-redistribution.h - block-cyclic redistribution: who has how much for whom, and
 * timetables for it.
 *
 * An array that lies CYCLIC(r) on P ranks (element x at rank floor(x / r) mod P) is to lie
 * CYCLIC(s) on Q ranks. Every pair of a sender and a receiver has at most one message, of all
 * elements that go from the one to the other. A rank sends to at most one rank at a time and
 * receives from at most one, both at once if it likes; nothing is synchronised; a message may be
 * cut into pieces. The problem and its bound are from F. Desprez, S. Domas, J. Dongarra, A.
 * Petitet, C. Randriamaro and Y. Robert, More on Scheduling Block-Cyclic Array Redistribution, 1998
 * (below: the paper).
 *
 * The problem gives the traffic, a method makes a timetable for it. The collective redistribute
 * makes plans of all this, once rb_redistribution_add has been called; here are the numbers
 * themselves. Conventions are those of roundabout.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef ROUNDABOUT_REDISTRIBUTION_H
#define ROUNDABOUT_REDISTRIBUTION_H

#include "roundabout.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Adds the collective redistribute and an algorithm for each method to those of roundabout.h
 * (rb_library_add, which says what it returns, and when to call it). All else that is declared here
 * works without it. */
int rb_redistribution_add(char *why, size_t why_size);

/* ---- The problem ----------------------------------------------------------------------------- */

/* One dimension of the array: M elements, CYCLIC(r) on P ranks to CYCLIC(s) on Q ranks. All at
 * least 1; M at most RB_MAX_ELEMENTS; M need be no multiple of anything, r may exceed M. */
struct rb_cyclic {
    int64_t r, s;
    int32_t P, Q;
    int64_t M;
};

enum { RB_MAX_DIMENSIONS = 8 };
#define RB_MAX_ELEMENTS ((int64_t)1 << 62)

/* A whole array. The senders are numbered row-major, as are the receivers: with two dimensions,
 * coordinates (a, b) are rank a * dimension[1].P + b. Receiver q is rank at + q of all ranks, and
 * sender p is rank p: at = 0 is the same grid, at = P (the product over the dimensions) a disjoint
 * one, anything between overlaps. */
struct rb_redistribution {
    int32_t dimensions; /* 1 .. RB_MAX_DIMENSIONS */
    struct rb_cyclic dimension[RB_MAX_DIMENSIONS];
    int32_t at; /* 0 .. senders */
};

/* Reads P=6,r=2,Q=6,s=3,M=72,at=0, dimensions separated by slashes, `at` among the values of any
 * one of them. text may be NULL. What is left out: P and Q are p; r is 2 and s is 3; M is the least
 * common multiple of P r and Q s; at is P if that makes p ranks, else 0 (p = 0: P). RB_EINVAL with
 * why for what makes no sense, or other than p > 0 ranks. */
int rb_redistribution_read(const char *text, int32_t p, struct rb_redistribution *problem,
                           char *why, size_t why_size);

/* Source and target ranks together: senders, receivers, and all ranks. */
int32_t rb_redistribution_senders(const struct rb_redistribution *problem);
int32_t rb_redistribution_receivers(const struct rb_redistribution *problem);
int32_t rb_redistribution_ranks(const struct rb_redistribution *problem);

/* The same text in full; truncated if it doesn't fit. */
void rb_redistribution_write(const struct rb_redistribution *problem, char *text, size_t size);

/* ---- Traffic: a weighted bipartite graph ---------------------------------------------------- */

struct rb_message {
    int32_t from;   /* sender: 0 .. senders - 1 */
    int32_t to;     /* receiver: 0 .. receivers - 1; rank at + to */
    int64_t length; /* units, >= 1 */
};

/* Messages between two ranks, and what stays at its rank: a copy that takes neither port nor time.
 * Both sorted by from, then to. A unit is the greatest common divisor of all lengths, those of
 * copies included, so that for M = m L, L = lcm(P r, Q s), the paper's unit, m elements, is a
 * multiple of it (and equal to it wherever some message has one element per L). */
struct rb_traffic {
    int32_t senders, receivers;
    int64_t unit; /* elements; 1 if there is nothing */
    size_t count;
    struct rb_message *message; /* owned */
    size_t copies;
    struct rb_message *copy; /* owned */
    int64_t longest_port;    /* T_opt, units: most that one rank has to send, or to receive; the
                                copies are not in it */
};

/* The traffic of a problem; the caller deinits it. O(messages log Q) time for whole slices of L
 * elements; the incomplete last slice takes one step per block of the larger of r and s in it and
 * rank that has a share of the block. RB_EINVAL with why, RB_ENOMEM. */
int rb_traffic_init(struct rb_traffic *traffic, const struct rb_redistribution *problem, char *why,
                    size_t why_size);
void rb_traffic_deinit(struct rb_traffic *traffic); /* safe on a zeroed one, and twice */

/* ---- Timetables ----------------------------------------------------------------------------- */

/* Units first .. first + length - 1 of a message, on the way from time start to start + length: a
 * unit takes one unit of time. */
struct rb_piece {
    size_t message; /* index into the traffic */
    int64_t first, length, start;
};

struct rb_timetable {
    size_t count;
    struct rb_piece *piece; /* owned; sorted by start, then message */
    int64_t length;         /* when the last piece ends */
    bool gave_up;           /* best: it has cuts, and a search for fewer was too large */
};

void rb_timetable_deinit(struct rb_timetable *timetable); /* safe on a zeroed one, and twice */

/* Checks that every unit of every message is sent exactly once, that no two pieces of one sender or
 * of one receiver overlap in time, that the array is sorted and that the length is right. RB_EWRONG
 * with why, which names
 * the first culprit (message, ranks, time), or RB_ENOMEM. O(pieces log pieces). */
int rb_timetable_check(const struct rb_timetable *timetable, const struct rb_traffic *traffic,
                       char *why, size_t why_size);

/* What a timetable costs besides time. A start-up is a piece sent, or received. Buffers: a sender
 * packs a message, whose elements lie scattered, when its first piece goes and keeps it until its
 * last has gone; a receiver sets memory aside for a message when its first piece comes and unpacks
 * it after its last. Without cuts that is the longest message. All lengths are in units. */
struct rb_timetable_facts {
    int64_t length, bound;    /* bound: T_opt */
    int64_t cuts;             /* pieces - messages */
    int64_t send_startups;    /* most of one sender */
    int64_t receive_startups; /* most of one receiver */
    int64_t send_buffer;      /* most units of messages begun and not complete at one sender */
    int64_t receive_buffer;   /* likewise at one receiver */
    int64_t longest_piece;
};

/* Of a timetable that passes the check. RB_ENOMEM. O(pieces log pieces). */
int rb_timetable_facts(const struct rb_timetable *timetable, const struct rb_traffic *traffic,
                       struct rb_timetable_facts *facts);

/* ---- Methods -------------------------------------------------------------------------------- */

/* Bounds on a method's work; NULL for all defaults. */
struct rb_redistribute_options {
    int64_t most_pieces;    /* unit: refuses to cut into more; 0: RB_MOST_PIECES */
    int64_t most_exchanges; /* greedy: tries to make room, for each length aimed at; 0: at
                               most RB_MOST_EXCHANGES; < 0: none */
    int64_t most_nodes;     /* both stepwise: of the search for better steps; 0: RB_MOST_NODES */
    int64_t most_effort;    /* best: of its searches, mostly assignments; 0: RB_MOST_EFFORT. Memory
                               is bounded, too (to some 250 MB); what needs more keeps its cuts */
};

#define RB_MOST_PIECES    ((int64_t)1 << 24)
#define RB_MOST_EXCHANGES ((int64_t)10000)
#define RB_MOST_NODES     ((int64_t)1 << 16)
#define RB_MOST_EFFORT    ((int64_t)4000000)

/* Makes a timetable for the traffic of the problem (NULL if there is none, only traffic); the
 * caller deinits it, and need not after a failure. RB_EINVAL with why if the method's conditions
 * don't hold; RB_ENOMEM. */
typedef int rb_redistribute(const struct rb_redistribution *problem,
                            const struct rb_traffic *traffic,
                            const struct rb_redistribute_options *options,
                            struct rb_timetable *timetable, char *why, size_t why_size);

struct rb_redistribute_method {
    const char *name;
    const char *title; /* one line */
    const char *paper; /* where it comes from */
    rb_redistribute *schedule;
};

extern const struct rb_redistribute_method rb_redistribute_methods[]; /* ends with a NULL name */

#ifdef __cplusplus
}
#endif
#endif
