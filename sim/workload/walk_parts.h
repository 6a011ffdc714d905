/* walk_parts.h - the data of a walk: of walk.c, which walks, and of walk_ends.c, which makes it and
 * says how it ended. */
#pragma once

#include "arrival.h"
#include "sim/engine/replay.h"
#include "sim/engine/tally.h"
#include "walk.h"

/* A replay that collectives use one after another, and of each of its ranks: rank of all jobs *
 * streams + stream. */
struct sim_walk_stage {
    struct sim_step_plan of;
    struct sim_replay *replay;   /* owned */
    int32_t *place;              /* owned */
    struct sim_walk_stage *next; /* of a list */
};

/* A collective to which the line of a rank has come, and which not all ranks have left. */
struct sim_walk_collective {
    struct sim_walk_job *job;
    const struct sim_communicators *set;
    const int32_t *member; /* ranks of the job */
    int32_t communicator;
    int64_t number; /* in the communicator, from 0 */
    int64_t serial;
    int32_t step;
    int64_t counter; /* of the repeat around the step */
    int32_t first_rank;
    struct sim_step_plan of;
    struct sim_walk_stage *stage;                   /* owned; NULL: no rank has entered */
    int32_t left;                                   /* ranks */
    bool queued;                                    /* it may have something to offer */
    struct sim_walk_collective *queued_next, *next; /* next: of the communicator */
};

/* A step to which a rank's line has come and which is not complete. */
struct sim_walk_doing {
    enum { SIM_WALK_FREE, SIM_WALK_WAITING, SIM_WALK_ACTIVE } state;
    int32_t step;
    int64_t pass;
    int64_t order; /* of the line */
    double begin_s, ready_s;
    struct sim_walk_collective *in; /* of a SIM_MOVE */
    int32_t task;                   /* of a graph */
};

/* A rank. Its step in flight number 0 is the one that its line waits for; the others are started.
 */
struct sim_walk_walker {
    int32_t job;
    int32_t step;      /* the next of its line */
    int32_t inside;    /* the innermost repeat around it; -1: none */
    int32_t started;   /* steps in flight */
    int32_t computing; /* of its steps in flight */
    bool held; /* it enters no round: all has happened that could when it began to compute */
    bool ended;
    int64_t orders;
    int64_t lap; /* how often it has done the whole program */
    double lap_s;
    double computed_s; /* when it last stopped computing, or started */
    int32_t tasks;     /* of a graph: that are not complete; */
    double busy_s;     /* when the last computing ends that it has begun */
};

struct sim_walk_job {
    const struct sim_job *is;
    int32_t first;    /* rank of all jobs */
    bool runs, again; /* again: until the other jobs have ended */
    int32_t left;     /* ranks that have not ended */
    int32_t *inside;  /* per step: the innermost repeat around it, -1: none; owned */
    int32_t *depth;   /* per step: the number of repeats around it; owned */
    int32_t depths;
    int64_t *counter; /* per rank and depth; owned */
    int64_t *called;  /* per rank and set: its collectives so far; owned */
    struct sim_walk_collective **
        *open; /* per set and communicator: a list, lowest number first; owned */
    struct sim_walk_stage **unused; /* per step: a list; owned */
    int32_t *needs; /* per task of a graph: for how many edges it still waits; owned */
};

/* What is done when nothing else happens at a time: a rank that computes is held (stream -1), or
 * the step of this stream has ended. */
struct sim_walk_later {
    struct {
        int32_t rank, stream;
    } * entry; /* owned */
    int32_t count;
};

/* Tasks of graphs that wait for nothing any more, and have not begun: by rank, sends before
 * receives before computing, as far as they are sorted. */
struct sim_walk_ready {
    struct sim_walk_due {
        int32_t rank, task;
        int order;
        size_t number;
    } * due; /* owned */
    size_t count, sorted, next;
};

struct sim_walk {
    const struct sim_spec *spec;
    bool eager;
    struct sim_walk_clock clock;
    struct sim_workload single;          /* of a plan; owned */
    const struct sim_workload *workload; /* the spec's, or this one */
    int32_t ranks, ports, streams;
    int32_t jobs;
    struct sim_walk_job *job;       /* owned */
    struct sim_walk_walker *walker; /* per rank; owned */
    struct sim_walk_doing *doing;   /* per rank and stream; owned */
    const struct rb_rank *known;    /* of a plan: per rank its state, while it begins; or NULL */
    int32_t jobs_left;              /* that the run waits for */
    struct sim_walk_collective *queue_first, *queue_last;
    struct sim_walk_later later;
    struct sim_walk_ready ready;
    int64_t busy; /* ends of messages in flight, steps that compute and jobs to start, of jobs that
                   * have an end: if 0, nothing of theirs happens any more */
    int64_t collectives; /* so far */
    int64_t messages;
    sim_tally bytes;
    int64_t taken;
    double steps, steps_done; /* for a meter; in all, so far */
    double now_s;
    int status;
    struct sup_error error;
};

/* One of the rank's steps in flight that this one waits for; -1: there is none. */
int32_t sim_walk_waits_for(const struct sim_walk *walk, int32_t rank,
                           const struct sim_walk_doing *doing);
/* Adds the collective's messages and bytes to those of the walk. */
void sim_walk_count_messages(struct sim_walk *walk, const struct sim_walk_collective *collective);
void sim_walk_free_stage(struct sim_walk_stage *stage); /* NULL is fine */

static inline bool sim_walk_is_single(const struct sim_walk *walk)
{
    return walk->workload == &walk->single;
}

static inline struct sim_walk_job *sim_walk_job_of(const struct sim_walk *walk, int32_t rank)
{
    return &walk->job[walk->walker[rank].job];
}

static inline struct sim_walk_doing *sim_walk_doing_at(const struct sim_walk *walk, int32_t rank,
                                                       int32_t stream)
{
    return &walk->doing[(int64_t)rank * walk->streams + stream];
}

/* The rank of a collective's member, among those of all jobs. */
static inline int32_t sim_walk_member(const struct sim_walk_collective *collective, int32_t local)
{
    return collective->job->first + collective->member[local];
}
