/* roundabout-redistribution.h - block-cyclic redistribution: the messages between all pairs of
 * ranks, and timetables for them.
 *
 * An array that is distributed CYCLIC(r) on P ranks (element x at rank floor(x / r) mod P) moves to
 * CYCLIC(s) on Q ranks. Every pair of a sender and a receiver has at most one message, of all
 * elements that go from the sender to the receiver. A rank sends to at most one rank and receives
 * from at most one rank at a time; it may do both at once. Nothing is synchronised, and a message
 * may be cut into pieces. The problem and its bound are from F. Desprez, S. Domas, J. Dongarra, A.
 * Petitet, C. Randriamaro and Y. Robert, More on Scheduling Block-Cyclic Array Redistribution, 1998
 * (below: the paper).
 *
 * The problem determines the traffic, and a method makes a timetable for the traffic. After a call
 * of rb_redistribution_add the collective redistribute makes plans of timetables; this header gives
 * access to the numbers themselves. Conventions are those of roundabout.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef ROUNDABOUT_REDISTRIBUTION_H
#define ROUNDABOUT_REDISTRIBUTION_H

#include <stdio.h>

#include "roundabout.h"

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

/* Adds the collective redistribute and an algorithm for each method to those of roundabout.h
 * (see rb_library_add for its results, and when to call it). All other functions of this header
 * work without it. */
int rb_redistribution_add(char *why, size_t why_size);

/* ---- The problem ----------------------------------------------------------------------------- */

/* One dimension of the array: M elements, CYCLIC(r) on P ranks to CYCLIC(s) on Q ranks. All at
 * least 1; M at most RB_MAX_ELEMENTS; M need not be a multiple of anything, and r may exceed M. */
struct rb_cyclic {
    int64_t r, s;
    int32_t P, Q;
    int64_t M;
};

enum { RB_MAX_DIMENSIONS = 8 };
#define RB_MAX_ELEMENTS ((int64_t)1 << 62)

/* A whole array. The senders are numbered row-major, as are the receivers: with two dimensions,
 * coordinates (a, b) are rank a * dimension[1].P + b. Receiver q is rank at + q of all ranks, and
 * sender p is rank p: at = 0 means the same grid, at = P (the product over the dimensions) a
 * disjoint grid, and other values mean overlapping grids. */
struct rb_redistribution {
    int32_t dimensions; /* 1 .. RB_MAX_DIMENSIONS */
    struct rb_cyclic dimension[RB_MAX_DIMENSIONS];
    int32_t at; /* 0 .. senders */
};

/* Reads P=6,r=2,Q=6,s=3,M=72,at=0, dimensions separated by slashes, `at` among the values of any
 * one of them. text may be NULL. Defaults: P and Q are p; r is 2 and s is 3; M is the least common
 * multiple of P r and Q s; at is P if that makes p ranks, otherwise 0 (p = 0: P). RB_EINVAL with
 * why for an impossible problem, or if p > 0 and the problem does not have p ranks. */
int rb_redistribution_read(const char *text, int32_t p, struct rb_redistribution *problem,
                           char *why, size_t why_size);

/* The numbers of senders, of receivers, and of all ranks. */
int32_t rb_redistribution_senders(const struct rb_redistribution *problem);
int32_t rb_redistribution_receivers(const struct rb_redistribution *problem);
int32_t rb_redistribution_ranks(const struct rb_redistribution *problem);

/* Writes the full form of the text; truncated if it does not fit. */
void rb_redistribution_write(const struct rb_redistribution *problem, char *text, size_t size);

/* ---- Traffic: a weighted bipartite graph ---------------------------------------------------- */

struct rb_message {
    int32_t from;   /* sender: 0 .. senders - 1 */
    int32_t to;     /* receiver: 0 .. receivers - 1; rank at + to */
    int64_t length; /* units, >= 1 */
};

/* Messages between two ranks, and copies, which stay at their rank and take neither port nor time.
 * Both sorted by from, then to. A unit is the greatest common divisor of all lengths, those of
 * copies included, so that for M = m L, L = lcm(P r, Q s), the paper's unit, m elements, is a
 * multiple of it (and equal to it wherever some message has one element per L). */
struct rb_traffic {
    int32_t senders, receivers;
    int64_t unit; /* elements in a unit; 1 if there are no messages */
    size_t count;
    struct rb_message *message; /* owned */
    size_t copies;
    struct rb_message *copy; /* owned */
    int64_t longest_port;    /* T_opt in units: the largest amount that one rank has to send or to
                              * receive, without copies */
};

/* The traffic of a problem; the caller deinits it. O(messages log Q) time for whole slices of L
 * elements; the incomplete last slice takes one step per block of the larger of r and s in it and
 * rank that has a share of the block. RB_EINVAL with why, RB_ENOMEM. */
int rb_traffic_init(struct rb_traffic *traffic, const struct rb_redistribution *problem, char *why,
                    size_t why_size);
/* The traffic of any data among p ranks, without a problem: elements[i p + j] >= 0 go from rank i
 * to rank j, at most 2^62 in all. The caller deinits it. RB_ENOMEM. O(p^2). */
int rb_traffic_of_pairs(struct rb_traffic *traffic, int32_t p, const int64_t elements[]);
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
 * with why, which names the first violation (message, ranks, time), or RB_ENOMEM. O(pieces log
 * pieces). */
int rb_timetable_check(const struct rb_timetable *timetable, const struct rb_traffic *traffic,
                       char *why, size_t why_size);

/* A timetable's length, cuts, start-ups and buffers, in units. A start-up is a piece sent or
 * received. Buffers: a sender packs a message, whose elements are scattered in memory, when its
 * first piece starts, and keeps it until its last piece has ended; a receiver reserves memory for a
 * message when its first piece starts and unpacks it after its last. Without cuts a buffer is the
 * longest message. */
struct rb_timetable_facts {
    int64_t length, bound;    /* bound: T_opt */
    int64_t cuts;             /* pieces - messages */
    int64_t send_startups;    /* largest number of one sender */
    int64_t receive_startups; /* largest number of one receiver */
    int64_t send_buffer;      /* most units, at one sender, of messages begun and not complete */
    int64_t receive_buffer;   /* most units, at one receiver, of messages begun and not complete */
    int64_t longest_piece;
};

/* The facts of a timetable that passes the check. RB_ENOMEM. O(pieces log pieces). */
int rb_timetable_facts(const struct rb_timetable *timetable, const struct rb_traffic *traffic,
                       struct rb_timetable_facts *facts);

/* Whether a timetable of T_opt in which no message is cut exists: 1, 0, or -1 if that stays
 * undecided, after `most_effort` (struct rb_redistribute_options) or for want of memory for the
 * formula. Writes the question to `formula` in DIMACS's format, unless it is too large, and if the
 * answer is 0 its proof to `proof`, as DRAT: any checker of such proofs confirms it. The streams
 * stay the caller's, who looks for errors of writing. RB_ENOMEM. */
int rb_timetable_certify(const struct rb_traffic *traffic, FILE *formula, FILE *proof,
                         int64_t most_effort, int *exists);

/* ---- Methods -------------------------------------------------------------------------------- */

/* Bounds on a method's work; NULL for all defaults. */
struct rb_redistribute_options {
    int64_t most_pieces;    /* for unit: the largest number of pieces; 0: RB_MOST_PIECES */
    int64_t most_exchanges; /* for greedy: the number of exchanges for each length that it tries; 0:
                             * at most RB_MOST_EXCHANGES; < 0: none */
    int64_t most_nodes;     /* for both stepwise methods: nodes of the search for better steps; 0:
                             * RB_MOST_NODES */
    int64_t most_effort;    /* for best: work of its searches, mostly assignments; 0:
                             * RB_MOST_EFFORT. Memory is bounded too (about 250 MB); a problem that
                             * needs more keeps its cuts */
};

#define RB_MOST_PIECES    ((int64_t)1 << 24)
#define RB_MOST_EXCHANGES ((int64_t)10000)
#define RB_MOST_NODES     ((int64_t)1 << 16)
#define RB_MOST_EFFORT    ((int64_t)4000000)

/* Makes a timetable for the traffic of the problem (NULL if only the traffic is known). The caller
 * deinits the timetable; after a failure this is not necessary. RB_EINVAL with why if the method's
 * conditions don't hold; RB_ENOMEM. */
typedef int rb_redistribute(const struct rb_redistribution *problem,
                            const struct rb_traffic *traffic,
                            const struct rb_redistribute_options *options,
                            struct rb_timetable *timetable, char *why, size_t why_size);

struct rb_redistribute_method {
    const char *name;
    const char *title; /* one line */
    const char *paper; /* its source */
    rb_redistribute *schedule;
};

extern const struct rb_redistribute_method rb_redistribute_methods[]; /* ends with a NULL name */

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif
#endif
