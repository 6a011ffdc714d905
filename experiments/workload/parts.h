/* parts.h - where the time of a workload's jobs goes (docs/workloads.md, "Where a job's time
 * goes").
 *
 * A job's time is split by the differences between four runs: the job alone while messages take no
 * time, while each takes what it takes alone on its route, and while its own messages share links;
 * and all jobs together. In each run the times that a rank's line of steps spends in its steps, and
 * from its last step to the job's end, add up to the job's time; so do their means over ranks, and
 * the differences of these means. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "sim/engine/engine.h"
#include "sim/workload/workload.h"
#include "support/error.h"

/* ---- One run --------------------------------------------------------------------------------- */

/* Of a job in one run; means over its ranks, in seconds. */
struct workload_times {
    double *step_s;      /* per step: the line's time in it; owned */
    double *computing_s; /* per step: of that, computing; owned */
    int64_t *passes;     /* per step: how often it ended, on all ranks; owned */
    double end_s;        /* from a rank's last step to the job's end */
    double time_s;       /* from the job's start to its end; NAN: it runs until others end */
    double hidden_s;     /* computing while a step that moves data, started before, is in flight */
    struct workload_line *line; /* per rank; owned */
    uint64_t moving;            /* the labels under which it starts steps that move data */
};

/* Times of all jobs from the ends of steps. Memory: O(steps + ranks), and of jobs that start steps
 * the computing since a rank waited for all that it had started. */
struct workload_clock {
    const struct sim_workload *workload;
    struct workload_times *job;      /* per job; owned */
    const struct sim_observer *also; /* is told all that the clock is told; or NULL */
};

/* The clock must outlive the observer, the workload the clock. */
struct sim_observer workload_clock_start(struct workload_clock *clock,
                                         const struct sim_workload *workload,
                                         const struct sim_observer *also);
/* After the run: job_end_s as in struct sim_result. */
void workload_clock_stop(struct workload_clock *clock, const double job_end_s[]);
void workload_clock_free(struct workload_clock *clock); /* safe on a zeroed struct */

/* ---- Parts ----------------------------------------------------------------------------------- */

/* The runs, and the parts of a job's time that they give. */
enum workload_run { WORKLOAD_FREE, WORKLOAD_ALONE, WORKLOAD_JOB, WORKLOAD_ALL, WORKLOAD_RUNS };
enum workload_share {
    WORKLOAD_COMPUTING, /* in free, in computing steps */
    WORKLOAD_WAITING,   /* in free, the rest: for other ranks, and for what was started */
    WORKLOAD_MOVING,    /* alone - free */
    WORKLOAD_INSIDE,    /* job - alone: lost to contention inside the job */
    WORKLOAD_OTHERS,    /* all - job: lost to other jobs */
    WORKLOAD_PARTS,
    WORKLOAD_TIME = WORKLOAD_PARTS, /* all: the sum of these */
    WORKLOAD_SHARES
};

/* Seconds. With copies each is a median of its own, and the extremes are there. */
struct workload_split {
    double s[WORKLOAD_SHARES], low_s[WORKLOAD_SHARES], high_s[WORKLOAD_SHARES];
};

struct workload_account {
    struct workload_split whole; /* the job's */
    /* Per step, then from a rank's last step to the job's end, then the whole; owned. */
    struct workload_split *row;
    int64_t *passes;            /* per step, of all ranks in the run of all jobs; owned */
    double exposed_s, hidden_s; /* there: time outside of computing; computing while data moves */
    double rounds;              /* of a job until others end: how often it did its program */
};

struct workload_question {
    const struct sim_workload *workload;
    const struct sim_engine *engine;
    /* The run of all jobs: platform, options, overlap, observer, meter and what is wanted of it. */
    struct sim_spec spec;
    int32_t copies; /* with other latencies (sim/engine/jitter.h); 0: none */
};
struct workload_answer {
    struct workload_account *account; /* per job; owned; of jobs until others end only rounds */
    int32_t jobs, copies;
    struct sim_result result; /* of the run of all jobs, with copies of the first */
};

/* Runs the workload: of J jobs with times 2 J runs without links and J + 1 with them, or one if
 * there are no other jobs, times the copies. Messages name the option --jitter. RB_EINVAL and what
 * engines return. The caller frees the answer, also on failure. */
int workload_ask(const struct workload_question *question, struct workload_answer *answer,
                 struct sup_error *error);
void workload_answer_free(struct workload_answer *answer); /* safe on a zeroed struct */

/* True if the copies differ by more than this part is long. */
bool workload_is_noise(const struct workload_split *split, enum workload_share share);
