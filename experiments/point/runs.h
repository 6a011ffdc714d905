/* runs.h - points run in worker processes, with a progress line; and what they cost. */
#pragma once

#include <signal.h>
#include <stddef.h>
#include <stdint.h>

#include "experiments/point/lower_bound.h"
#include "experiments/point/point.h"
#include "support/eta.h"
#include "support/options/options.h"
#include "support/pool.h"

/* ---- Costs ----------------------------------------------------------------------------------- */

/* How much work a point is, and how long an engine takes for it: the one model of costs, which
 * sweeps, searches and single simulations announce. */

/* What an engine has to do, counted at a sample of ranks and rounds. */
struct point_effort {
    double messages;   /* in all */
    double operations; /* in all; packed messages have many */
    double in_flight;  /* messages at a time */
    double exchanged;  /* share of messages of two ranks that send to each other in a round */
    double far;        /* share of the other messages that go beyond a host's neighbours */
    double connected;  /* from 0 to 1: how far links connect all messages (struct sim_costs) */
    const struct sim_costs *costs; /* of the engine's variant that runs the plan */
};

/* A native algorithm's messages are not known: a guess. RB_EINVAL if there is no such plan, with a
 * message that says why; RB_ENOMEM. */
int point_effort_find(const struct point *point, struct point_effort *effort,
                      struct sup_error *error);

/* ---- Time left ------------------------------------------------------------------------------- */

/* How far the points of a pool are, and how long they will still take.
 *
 * The pool's memory is a struct point_work, in which a worker says how far its point is. Estimates
 * of points, corrected by the points that are done, give the time left (support/eta.h). */

struct point_work {
    struct point_outcome outcome;
    _Atomic double share; /* of the point that is running, from 0 to 1; 0: not known */
};

struct point_progress {
    struct sup_eta *eta;
    double slow; /* by this, because workers share cores */
    struct cli_bar bar;
};

/* Begins a progress line `what` for so many points, all of which must be described next. The pool
 * has so many workers, and the limit for a point (0: none). */
void point_progress_start(struct point_progress *progress, const char *what, size_t points,
                          int32_t workers, double limit_s);
/* Once all are described: says at once how long they take, if it is long. */
void point_progress_foretell(struct point_progress *progress);
void point_progress_end(struct point_progress *progress); /* safe on a zeroed struct */

void point_progress_describe(struct point_progress *progress, size_t i, const struct point *point);
/* A point that was run earlier took so long; it need not be one of those described. */
void point_progress_learn(struct point_progress *progress, const struct point *point,
                          double took_s);

/* For the only point, run without a pool and followed by a meter. */
void point_progress_show_one(struct point_progress *progress, double share, const char *note);

/* ---- Runs ------------------------------------------------------------------------------------ */

struct point_runs {
    const char *what; /* for the progress line */
    size_t count;
    int32_t jobs;                      /* worker processes */
    double limit_s;                    /* real time for a point; 0: no limit */
    const volatile sig_atomic_t *stop; /* as in struct sup_pool; may be NULL */
    void *context;
    /* The i-th point, 0 .. count - 1; its cost_s is an estimate. Points start in this order. */
    const struct point *(*at)(void *context, size_t i);
    /* `done` takes a point that had no memory, too. Otherwise it ends the runs with RB_ENOMEM, so
     * that nobody chooses among what there happened to be memory for. */
    bool keeps_failed;
    /* Takes what came of the i-th point. A status other than RB_OK ends the runs. */
    int (*done)(void *context, size_t i, const struct point_outcome *outcome,
                struct sup_error *error);
    /* Is told the time left when sup_clock_s() reaches tell_at_s, and returns the next time. NULL:
     * no call. */
    double (*tell)(void *context, double left_s);
    void *tell_context;
    double tell_at_s;

    size_t finished; /* so far */
    struct point_progress progress;
};

/* Describes all points to the progress, so that the time left is known. */
void point_runs_start(struct point_runs *runs);
/* Runs the points. Errors are those of sup_pool_run. */
int point_runs_do(struct point_runs *runs, struct sup_error *error);
void point_runs_end(struct point_runs *runs); /* safe on a zeroed struct */

/* ---- Runs inside a workload; private to this folder ----------------------------------------- */

/* The usual text of a program: "alone", or the text of a workload (workload_file.h) with the hash
 * of its file, "summa.yaml#0123456789abcdef". Reads the file to check it; a hash that is given must
 * be its. RB_EINVAL, RB_EIO. */
int point_program_name(const char *word, char *text, size_t size, struct sup_error *error);

/* Makes the run that of the program, in which words $algorithm, $blocks and $bytes stand for the
 * point's. RB_EINVAL unless it has a step that does the point's collective, so, and all that do are
 * among as many ranks. */
int point_prepare_program(const struct point *point, struct point_run *run,
                          struct sup_error *error);

/* How many times the point's collective runs in the program, by all its communicators; 1: alone. */
double point_program_calls(const struct point *point);

/* ---- Runs whose ranks come at different times; private to this folder ----------------------- */

/* Makes the run a workload's unless all ranks come together: arrival_s, workload, and the spec's.
 * Errors of point_check_arrival. */
int point_prepare_arrival(const struct point *point, struct point_run *run,
                          struct sup_error *error);

/* In place of sim_run_copies: runs the point; with several seeds, for each of them, and the result
 * is that of the one with the median time. Sets the outcome's values of arrivals, medians of all
 * seeds, and its spread and error. */
int point_run_arrivals(const struct point *point, struct point_run *run,
                       struct point_outcome *outcome);

/* Makes the outcome's bound, of ranks that come together, one from the last arrival. */
int point_bound_arrival(const struct point *point, const struct point_run *run,
                        struct point_outcome *outcome);

/* The least time of a point's collective if its ranks arrive at different times: docs/bounds.md,
 * "Late ranks", proves it. No message of a rank starts before its arrival, at either end.
 *
 * bound: comes in as point_bound_find finds it for the same spec, engine, cuts and hosts, and
 * becomes that of arrivals: no algorithm ends before bound->time_s, counted from 0. arrival_s[r] >=
 * 0 for each rank of the plan, finite. bound->part says what binds in the words of point_bound; NAN
 * stays NAN. The bound since the last arrival is its time less the latest arrival, 0 only where
 * nothing moves. spec->plan (or native) is read, not spec->workload. O(p log p).
 * RB_ENOMEM; RB_EINVAL if the ranks don't fit on the hosts. */
int point_bound_arrivals(const struct sim_spec *spec, const struct sim_engine *engine,
                         const struct platform_cuts *cuts, const int32_t host[],
                         const double arrival_s[], struct point_bound *bound,
                         struct sup_error *error);

/* When data of a rank that arrives at from_s can first have reached all p ranks: each message takes
 * alpha_s, a rank sends `ports` messages at once (0: any number), and neither end is there before
 * its arrival. sorted_s: all arrivals, rising, from_s among them. room: p numbers. O(p). */
double point_bound_informed_s(const double sorted_s[], int32_t p, double from_s, int32_t ports,
                              double alpha_s, double room[]);
