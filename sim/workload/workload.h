/* workload.h - programs around collectives: what jobs of ranks do on one platform.
 *
 * A job has ranks, places and a program, which each of its ranks walks. A program is a list of
 * steps. A step computes, moves data by a plan among the ranks of a communicator, or does nothing;
 * it begins when the line of steps has come to it and everything that its rank started before under
 * one of the labels in `after` is complete. The line goes on when the step is complete, or at once
 * if the step is itself started under a label. So
 *   start: a            is a step with label a,
 *   queue: a            one with label a, after a,
 *   wait: a             a step that does nothing, without a label, after a,
 * In place of a program a job may have a graph: tasks of each rank, which wait for one another.
 *
 * A program is a template: it does not grow with the ranks, nor with what is repeated. The k-th
 * step of a communicator to which its ranks' lines come is one collective. All engines that walk
 * share this description; how they walk is theirs (walk.h; simgrid's actors). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "roundabout.h"
#include "sim/engine/engine.h"
#include "support/error.h"
#include "support/units.h"

/* ---- Computing ------------------------------------------------------------------------------- */

enum sim_duration_kind {
    SIM_CONSTANT,    /* a */
    SIM_UNIFORM,     /* from a to b */
    SIM_NORMAL,      /* mean a, standard deviation b; below 0: 0 */
    SIM_EXPONENTIAL, /* mean a */
    SIM_PARETO,      /* at least a, exponent b > 1 */
    SIM_RAMP,        /* rank 0 takes a, the last b, those between in proportion */
    SIM_LATE,        /* `ranks` of them, chosen by the seed, take a; the others nothing */
    SIM_LISTED,      /* rank r takes value[r]; of `lists` such lists the next one in each pass */
};
struct sim_duration {
    enum sim_duration_kind kind;
    double a, b;          /* seconds, but for an exponent */
    int32_t ranks, lists; /* lists: 0 is 1 */
    uint64_t seed;
    double *value; /* owned; seconds */
};

/* How long it takes the rank of the job of so many ranks: a hash of the seed, job, step, pass (how
 * often this rank has done the step before) and rank, so the same in every engine and run. */
double sim_duration_s(const struct sim_duration *duration, int32_t job, int32_t step, int64_t pass,
                      int32_t rank, int32_t ranks);

/* The same of all ranks for a job's first step, job 0's: value[r], of so many ranks; not of
 * SIM_LISTED. O(ranks log ranks). */
void sim_durations(const struct sim_duration *duration, int32_t ranks, double value[]);

/* ---- Communicators --------------------------------------------------------------------------- */

/* A set of communicators: each rank of the job is in at most one of them. */
struct sim_communicators {
    char *name;       /* owned */
    int32_t count;    /* communicators */
    int32_t *first;   /* count + 1: where the members of each begin; owned */
    int32_t *member;  /* ranks of the job, in the order of the communicator's ranks; owned */
    int32_t *of;      /* per rank of the job: its communicator, -1: none; owned; NULL: of each
                       * communicator its sender is rank 0, and its receiver 1 (struct sim_task) */
    int32_t *rank_in; /* per rank of the job: its rank there; owned; likewise */
    int32_t *shape;   /* one communicator of each size, by rising size; owned */
    int32_t shapes;
};

static inline int32_t sim_communicator_size(const struct sim_communicators *set, int32_t i)
{
    return set->first[i + 1] - set->first[i];
}

/* The rank there of a member of communicator i. */
static inline int32_t sim_communicator_rank(const struct sim_communicators *set, int32_t i,
                                            int32_t rank)
{
    return set->rank_in != NULL ? set->rank_in[rank] : set->member[set->first[i] + 1] == rank;
}

/* Finds first, member, rank_in and shape from `count` and `of` for a job of so many ranks. A
 * communicator has its ranks as they come in `order`; NULL: by number. O(ranks + count). */
void sim_communicators_fill(struct sim_communicators *set, int32_t ranks,
                            const struct sup_list *order);

/* ---- Programs -------------------------------------------------------------------------------- */

enum sim_step_kind {
    SIM_COMPUTE, /* takes `compute` */
    SIM_MOVE,    /* a plan among the ranks of a communicator of the set */
    SIM_NOTHING, /* it waits for what `after` says */
    SIM_REPEAT,  /* the steps from the next one up to `end` are done `times` times */
};
enum { SIM_MOST_REPEATS = 8, SIM_MOST_STARTED = 64 }; /* one inside another; in flight per rank */

struct sim_step {
    enum sim_step_kind kind;
    int32_t line;   /* of the file; 0: there is none */
    char *name;     /* what tables call it: "bcast in rows", "compute"; owned */
    int32_t label;  /* started under this label, 0 .. labels - 1; -1: the line waits for it */
    uint64_t after; /* labels whose steps must be complete: bit l for label l */
    bool *only;     /* per rank of the job; NULL: all do it; owned */
    struct sim_duration compute;
    bool arrival;  /* SIM_COMPUTE: it makes ranks late; the job's time is counted since its end, too
                    */
    int32_t set;   /* SIM_MOVE: index of the communicators */
    int64_t times; /* SIM_REPEAT: 1 or more */
    int32_t end;   /* SIM_REPEAT: the step behind the last one of its body */
};

/* What ranks do in a graph. A task begins when all that it needs is complete, or has begun; the
 * computing of a rank is done one after another. Its steps are what tasks do, and have no line. */
struct sim_task {
    int32_t step;
    double compute_s; /* SIM_COMPUTE */
    int32_t message;  /* SIM_MOVE: the communicator of its set, of sender and receiver; of a
                       * collective its number in the communicator of its rank; else -1 */
    bool sends;
    int32_t needs;  /* so many edges lead to it */
    int32_t stream; /* no two that may be in flight at once have one */
    int32_t line;   /* of the file */
};
struct sim_edge {
    int32_t to; /* a task of the same rank */
    bool start; /* it waits until the task has begun; else until it is complete */
};
struct sim_graph {
    int32_t *first; /* ranks + 1: tasks of a rank; owned */
    struct sim_task *task;
    int32_t *leads; /* tasks + 1: edges of a task; owned, as all */
    struct sim_edge *edge;
};

struct sim_job {
    char *name; /* owned */
    int32_t ranks, ppn;
    int32_t *host; /* hosts of its own, `hosts` of them; NULL: of the allocation; owned */
    int32_t hosts; /* ceil(ranks / ppn) where host is NULL */
    struct sim_placement placement; /* of the ranks on the job's hosts */
    double start_s;
    bool until_others; /* its program is repeated until all other jobs have ended */
    bool calls;        /* progress: calls or waits; a rank that computes enters no round */
    bool waits; /* progress: waits; what is started moves only when its rank waits for something */
    struct sim_communicators *set; /* set[0] is the world; owned */
    int32_t sets;
    struct sim_step *step; /* owned */
    int32_t steps;
    struct sim_graph *graph; /* in place of a program; owned; NULL: there is none */
    char **label;            /* names; owned */
    int32_t labels;          /* at most 64 */
    int32_t
        streams; /* 1 + the most steps that a rank has started at once, up to SIM_MOST_STARTED */
};

/* Adds the set "world": one communicator, of all the job's ranks. */
void sim_add_world(struct sim_job *job);

/* A rank that the step leaves out, or that is in no communicator of its set, skips it. */
bool sim_takes_part(const struct sim_job *job, const struct sim_step *step, int32_t rank);

/* How many steps the job's ranks do in a pass of its program, for a meter. O(ranks * steps). */
double sim_count_steps(const struct sim_job *job);

/* "bcast in rows (line 9)", or the name alone. */
const char *sim_step_name(const struct sim_step *step, char text[], size_t size);

enum sim_allocation { SIM_CONSECUTIVE, SIM_INTERLEAVED, SIM_SCATTERED }; /* of hosts to jobs */

/* The plan of a step of a job among so many ranks. `counter` is that of the innermost repeat around
 * the step, from 0: a root may depend on it. Both belong to the workload and live as long. */
struct sim_step_plan {
    const struct rb_plan *plan;
    const struct rb_layout *layout;
};

struct sim_workload {
    struct sim_job *job; /* owned */
    int32_t jobs;
    enum sim_allocation allocation;
    uint64_t seed; /* of SIM_SCATTERED */
    /* Called when the first rank enters the step; makes the plan or finds it again. The context is
     * the workload's, and is given back by `forget`, NULL: nothing to give back. */
    int (*plan_of)(void *context, int32_t job, int32_t step, int32_t communicator, int64_t counter,
                   struct sim_step_plan *plan, struct sup_error *error);
    void (*forget)(void *context);
    void *context;
};

/* Safe on a zeroed struct. */
void sim_workload_free(struct sim_workload *workload);

/* Ranks of all jobs; those of job j begin at sim_workload_first(j), in the order of jobs. */
int32_t sim_workload_ranks(const struct sim_workload *workload);
int32_t sim_workload_first(const struct sim_workload *workload, int32_t job);

/* host[r] for all ranks. RB_EINVAL with a message that names the job: too few hosts, a host twice,
 * a placement that doesn't fit. */
int sim_workload_map(const struct sim_workload *workload, const struct sim_hosts *hosts,
                     int32_t host[], struct sup_error *error);

/* ---- Patterns -------------------------------------------------------------------------------- */

/* Point-to-point messages by a pattern: plans of one round, in which a rank sends and
 * receives all its messages side by side, each on a port of its own. The plans name no data. */

enum sim_pattern_kind {
    SIM_HALO,   /* each rank with its neighbours on a grid, the last dimension counting fastest */
    SIM_PAIRS,  /* rank r with rank r xor `distance`, if it exists */
    SIM_MATRIX, /* as a list says */
};
enum { SIM_MOST_DIMENSIONS = 8 };
struct sim_grid {
    int32_t extent[SIM_MOST_DIMENSIONS], dimensions;
};

struct sim_sent {
    int32_t from, to; /* not the same */
    int64_t bytes;
    int32_t port; /* set by sim_pattern_make */
};

struct sim_pattern {
    enum sim_pattern_kind kind;
    struct sim_grid grid;  /* of SIM_HALO */
    bool periodic;         /* the ends of a dimension are neighbours */
    int32_t distance;      /* of SIM_PAIRS, >= 1 */
    int64_t bytes;         /* of each message, but of SIM_MATRIX */
    struct sim_sent *sent; /* of SIM_MATRIX; owned */
    size_t count;
};

/* Makes the plan among p ranks, which a grid has, and a list doesn't exceed. The pattern must
 * outlive the plan, which the caller destroys. RB_EINVAL: a rank would have more than RB_MAX_PORTS
 * messages. O(p + messages of a list). */
int sim_pattern_make(struct sim_pattern *pattern, int32_t p, struct rb_plan **plan,
                     struct sup_error *error);
