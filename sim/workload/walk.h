/* walk.h - what engines replay: a single plan, or the programs of a workload, by one face.
 *
 * Each rank walks its job's program (workload.h). A collective in flight is a replay
 * (sim/engine/replay.h) that ranks enter when their programs come to it, and leave when their own
 * rounds are complete. The walk has no clock: the engine takes messages that may start, says when
 * one is complete, and when a rank has computed for as long as it was asked to.
 *
 * The order of what happens at one time: after a completion the engine takes what the collective
 * offers; then the ranks that are through with it leave it, enter what they have queued, and walk
 * on; then comes what the collectives offer that they have entered. A single plan is entered by its
 * ranks in the order of their numbers, and offers what a replay does.
 *
 * With `progress: calls` a rank that computes enters no round. When it stops, all that can go on
 * does, before the rank does: sim_walk_settle says when nothing else happens at this time. With
 * `waits` all is held until the rank waits for something. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "sim/engine/engine.h"
#include "sim/engine/replay.h"

struct sim_walk;

/* What a message in flight is known by. Each rank may be in several collectives at once, each of
 * which is a stream of the rank; a collective has its plan's ports of its own. The slot of a send
 * is (rank * streams + stream) * ports + port, with the ranks of all jobs; of a single plan, rank *
 * ports + port. */
struct sim_walk_message {
    struct sim_replay_message message; /* from and to are ranks of all jobs */
    int32_t slot;                      /* of its sender */
    int32_t to_slot;                   /* of its receiver; -1 if ends are taken one by one */
    bool sends;                        /* which end it is, if they are taken one by one */
    int32_t job, step;
    int64_t collective; /* tells it from all others of the run */
    uint64_t key; /* for routes and chance: its round, and which collective of its communicator
                   * it is */
};

/* Timers have the numbers 0 .. sim_walk_timers() - 1. The engine calls sim_walk_fire after so many
 * seconds; from now on, or from when the rank is free to compute. rank -1: a job starts. */
struct sim_walk_clock {
    void (*set)(void *context, int32_t timer, int32_t rank, double seconds);
    void *context;
};

/* Of the spec's plan or workload, both of which must outlive it; to be destroyed by the caller.
 * eager: as for sim_replay_create. RB_EINVAL, RB_ENOMEM. */
int sim_walk_create(const struct sim_spec *spec, bool eager, const struct sim_walk_clock *clock,
                    struct sim_walk **walk, struct sup_error *error);
void sim_walk_destroy(struct sim_walk *walk); /* NULL is fine */

int32_t sim_walk_ports(const struct sim_walk *walk);   /* the most of a plan */
int32_t sim_walk_streams(const struct sim_walk *walk); /* the most of a rank; 1 of a plan */
int32_t sim_walk_slots(const struct sim_walk *walk);
int32_t sim_walk_timers(const struct sim_walk *walk); /* 0 of a plan */

/* That of a single plan, which has begun; NULL when all ranks are through. */
const struct sim_replay *sim_walk_replay(const struct sim_walk *walk);

/* At time 0. known: of a plan, the state of each rank in it; NULL: they are to be found. */
void sim_walk_begin(struct sim_walk *walk, const struct rb_rank known[]);

/* The next message that may start now, or of an eager walk the next end of one; false if there is
 * none until something is complete. */
bool sim_walk_take(struct sim_walk *walk, struct sim_walk_message *message);
/* The message that was taken from this slot is complete. */
void sim_walk_complete(struct sim_walk *walk, double now_s, int32_t slot);

/* Hints that it will be complete soon: memory is fetched while others are dealt with. Its ends
 * after itself. */
void sim_walk_fetch(const struct sim_walk *walk, int32_t slot);
void sim_walk_fetch_ends(const struct sim_walk *walk, int32_t slot, int32_t to);

/* One end of it is; the slot is that of the end's rank. */
void sim_walk_complete_end(struct sim_walk *walk, double now_s, int32_t slot, bool sends);

/* In an eager walk: what this place, rank * streams + stream, or timer, is to do has begun. */
void sim_walk_begun(struct sim_walk *walk, int32_t place);

/* The timer's time has come. */
void sim_walk_fire(struct sim_walk *walk, double now_s, int32_t timer);
/* Nothing else happens at this time. True: now something may. */
bool sim_walk_settle(struct sim_walk *walk, double now_s);
/* When all has been taken: true if the run ends here, whatever is in flight: all jobs have ended
 * but those that go on until the others have; or these wait for ever; or something is wrong. */
bool sim_walk_over(const struct sim_walk *walk);

/* After the run: fills of the result what the walk knows: rounds, messages, bytes; of a workload
 * job_end_s and jobs too, and finish_s[r], in which the engine has put when the last message of
 * each rank was complete, is later where the rank computed later. RB_EWRONG with a message that
 * says who waits for whom, or what is wrong with a plan; RB_EINVAL for ranks that call different
 * collectives, and as workload->plan_of. */
int sim_walk_finish(struct sim_walk *walk, double finish_s[], struct sim_result *result,
                    struct sup_error *error);
