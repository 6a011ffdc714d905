/* replay.h - decides when a message of a plan may start.
 *
 * All engines share this part of a simulation. An engine takes the messages that may start,
 * computes how long each takes, and reports when one is complete; the replay then offers further
 * messages. It does not use times and stores no plan: its memory is O(p * ports * window), and O(p)
 * times all blocks where more than 32 rounds are in flight.
 *
 * Ranks enter the collective one by one. A message starts when both ends have offered it
 * (rendezvous), so never before both have entered. A rank offers the messages of the rounds that it
 * has entered: at each port one send and one receive at a time, in the order of
 * rounds. The overlap rule says which rounds it has entered:
 *   lockstep  the lowest round that any rank has to do, when all ranks have entered the collective
 *             and everything before is complete;
 *   blocking  its lowest round that is not complete;
 *   window:w  its w lowest rounds that are not complete. There a message also waits for what it
 *             depends on in earlier rounds of its rank: a send for what writes its blocks,
 *             a receive for what reads or writes the slots it overwrites;
 *   data      all its rounds, likewise.
 *
 * Rounds in which a rank is idle do not count. Local operations take no time; they take effect when
 * their round and all earlier ones are complete. A rank's round is complete when its messages are
 * complete.
 *
 * Deterministic: the same order of completions gives the same order of messages. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "engine.h"
#include "tally.h"

/* ---- Rounds ---------------------------------------------------------------------------------- */

/* A heap of ranks by their next round, lowest first; ranks of the same round in order of their
 * numbers. */

struct sim_round_heap {
    struct sim_round_of {
        int64_t round;
        int32_t rank;
    } * entry; /* owned */
    int32_t count;
};

/* Room for p ranks, each at most once. */
void sim_round_heap_init(struct sim_round_heap *heap, int32_t p);
void sim_round_heap_free(struct sim_round_heap *heap); /* safe on a zeroed struct */
void sim_round_heap_push(struct sim_round_heap *heap, int64_t round, int32_t rank); /* O(log p) */
/* Removes and returns the rank on top (entry[0]); the heap must not be empty. O(log p). */
int32_t sim_round_heap_pop(struct sim_round_heap *heap);

/* (from, port) is unique among the messages in flight. */
struct sim_replay_message {
    int32_t from;
    int32_t to;
    int32_t port;
    int64_t round;
    int64_t bytes;
    int64_t combined; /* bytes that the receiver combines with its own; 0 for a send's end */
};

struct sim_replay;

/* A replay in which no rank has entered. Plan and layout must outlive it; the caller destroys it.
 * eager: messages need no
 * rendezvous, and their two ends are taken and completed separately. O(p log p).
 * RB_EINVAL for a window that is too large, RB_ENOMEM for what grows with it. */
int sim_replay_create(const struct rb_plan *plan, const struct rb_layout *layout,
                      const struct sim_overlap *overlap, bool eager, struct sim_replay **replay,
                      struct sup_error *error);
void sim_replay_destroy(struct sim_replay *replay); /* NULL is fine */

/* Tells the meter how far the replay is, every SIM_TELL_EVERY messages; NULL is fine. Before ranks
 * enter. */
void sim_replay_watch(struct sim_replay *replay, const struct sim_meter *meter);

/* The rank, which has not entered, does. known: its state in the plan; NULL: it is to be found. */
void sim_replay_enter(struct sim_replay *replay, int32_t rank, const struct rb_rank *known);
bool sim_replay_has_entered(const struct sim_replay *replay, int32_t rank);

/* A rank that is held enters no round; messages of those that it has entered go on. The rank may
 * be held before it enters the collective. In lockstep the others enter the round without it. */
void sim_replay_hold(struct sim_replay *replay, int32_t rank, bool held);

/* The next rank that has completed all its rounds, each rank once; -1: none has, but for those
 * returned before. */
int32_t sim_replay_next_through(struct sim_replay *replay);

/* Makes a replay in which all ranks are through one in which no rank has entered, at less cost than
 * a new one. Its meter stays. O(p). */
void sim_replay_reuse(struct sim_replay *replay);

/* The next message that may start now; false if there is none until another is complete. */
bool sim_replay_take(struct sim_replay *replay, struct sim_replay_message *message);

/* The message that was taken from this rank at this port is complete. */
void sim_replay_complete(struct sim_replay *replay, int32_t from, int32_t port);

/* A hint that this will soon be said of a message of the rank's. */
void sim_replay_fetch(const struct sim_replay *replay, int32_t rank);

/* The corresponding functions for one end of a message, a send or a receive; a receive's bytes are
 * those of the receiver. A message that was taken as a whole may be completed end by end. */
bool sim_replay_take_end(struct sim_replay *replay, struct sim_replay_message *message,
                         bool *sends);
void sim_replay_complete_end(struct sim_replay *replay, int32_t rank, int32_t port, bool sends);

/* The number of messages completed so far (counted at their sends), and of their bytes. */
int64_t sim_replay_messages(const struct sim_replay *replay);
sim_tally sim_replay_bytes(const struct sim_replay *replay);

/* Where a rank stands, in `blocking` with one port. */
struct sim_replay_stand {
    const struct rb_rank *state; /* of the replay */
    bool inside;                 /* a round; the following is about its messages of that round */
    int64_t round;               /* that it is in, or its next; the plan's number if it has none */
    int32_t to, from;            /* of messages that are not complete; -1: of none */
    int64_t bytes;               /* of that to `to` */
};
/* Of a rank that has entered. O(1). */
void sim_replay_look(const struct sim_replay *replay, int32_t rank, struct sim_replay_stand *stand);

/* When nothing is in flight: the peer of a message for which the rank waits; -1: it waits for
 * none. */
int32_t sim_replay_waits_for(const struct sim_replay *replay, int32_t rank);

/* Call this when nothing is in flight and nothing can be taken: 0 if every rank that has entered
 * has completed its rounds; otherwise RB_EWRONG with a message that names a waiting rank and its
 * peer, because the plan's ends do not match. */
int sim_replay_finished(const struct sim_replay *replay, struct sup_error *error);
