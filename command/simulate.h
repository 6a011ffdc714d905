/* simulate.h - what the verb simulate prints, shows and tries. */
#pragma once

#include <jansson.h>
#include <stdio.h>

#include "experiments/point/point.h"
#include "experiments/workload/parts.h"
#include "plots/figure/plot_look.h"
#include "plots/run/pictures.h"
#include "sim/observe/diagnosis.h"
#include "sim/workload/workload.h"
#include "support/options/common_options.h"
#include "support/output/verdict.h"

/* ---- Reports --------------------------------------------------------------------------------- */

struct verb_simulated {
    const struct point *point; /* with the chosen n */
    const struct point_run *run;
    const struct point_outcome *outcome;
    const char *n_origin;                  /* where n comes from: "given", "closed-form optimum" */
    const struct obs_diagnosis *diagnosis; /* NULL: not requested */
    const struct out_verdict *verdict;     /* NULL: nothing is said of what bounds the time */
    bool details;                          /* of text: everything that is known */
};

/* The lines over the table: the plan, the platform, and the engine. */
struct verb_simulated_lines {
    char plan[512], platform[512], engine[128];
};
void verb_simulated_lines(const struct verb_simulated *simulated,
                          struct verb_simulated_lines *lines);

/* What is printed as JSON, an object; the caller owns it. */
json_t *verb_simulated_json(const struct verb_simulated *simulated);

void verb_print_simulated(const struct verb_simulated *simulated, enum out_format format,
                          FILE *stream);

/* ---- Inspection ------------------------------------------------------------------------------ */

/* What simulate shows of a run besides its result: --diagnose, --diagram, --trace, --contention,
 * --network-map, --report. */

struct verb_inspection {
    const struct cli_args *args;
    bool any;  /* an option asks for single messages */
    bool slow; /* they are recorded in case the run is slow, to say why */
    struct obs_recording recording;
    struct sim_observer observer;
    struct out_file trace;  /* open if requested */
    struct out_file report; /* likewise */
    struct out_file map;    /* likewise */
    int32_t asked_links;    /* how many links --links prints */
    struct plot_look look;  /* of the pictures */
};

/* The options for the pictures' look, for the `more` of the verb's row. */
bool verb_inspection_look(int32_t i, struct cli_option *option);

/* All three complain and return an enum cli_exit. */

/* Before the run: checks that the request is possible, opens the trace's file, and sets the spec's
 * observer if necessary. The point's cost has been estimated. The inspection must outlive the run,
 * and must be closed even if this fails. */
int verb_inspection_open(struct verb_inspection *inspection, const struct cli_args *args,
                         const struct point *point, struct sim_spec *spec);
/* After the run: draws, writes the trace, and prints the point in the requested format. */
int verb_inspection_print(struct verb_inspection *inspection,
                          const struct verb_simulated *simulated, FILE *stream);
/* Ends the trace's file, or removes it unless status is CLI_EXIT_DONE. */
int verb_inspection_close(struct verb_inspection *inspection, int status);

/* ---- Changes --------------------------------------------------------------------------------- */

/* What would mend a slow run: a handful of changes, each simulated. */

/* Simulates the point, which was run with this outcome, with other n, placements, routing and
 * algorithms, by the same engine. Together these take, by estimate, at most allowed_s; what is
 * tried depends on the estimates alone, never on the machine's load. (The search of a placement,
 * whose work is bounded, is not in the estimate; it takes about a second at most, and is left out
 * briefly.) Says which change helps most and, unless briefly, that none does, and what made the
 * times. */
void verb_tries_say(const struct point *point, const struct point_outcome *outcome,
                    double allowed_s, bool briefly, struct out_verdict *verdict);

/* ---- Workloads ------------------------------------------------------------------------------- */

/* Both complain and return an enum cli_exit. The first refuses options that have no meaning for
 * workloads, and reads the file of --workload; *hosts are as many as it can do with. The caller
 * frees the workload, also on failure. */
int verb_workload_read(const struct cli_args *args, struct sim_workload *workload, int32_t *hosts);
/* Prints to standard error what reading has said (workload_said). */
void verb_workload_told(const struct sim_workload *workload);
/* Simulates it on the platform and by the engine of the point, and prints where its time goes. */
int verb_workload_simulate(const struct cli_args *args, struct sim_workload *workload,
                           const struct point *point);

/* What is printed of it (workload_report.c). */
struct verb_workload {
    const struct sim_workload *workload;
    const struct workload_answer *answer;
    const struct point *point; /* platform, engine, overlap */
    const char *file;
    bool details; /* of text: all jobs and steps */
};
/* Two sentences on the job that loses most. */
void verb_workload_say(const struct verb_workload *shown, struct out_verdict *verdict);
/* What is printed as JSON, an object; the caller owns it. */
json_t *verb_workload_json(const struct verb_workload *shown, const struct out_verdict *verdict);
void verb_workload_print(const struct verb_workload *shown, const struct out_verdict *verdict,
                         enum out_format format, FILE *stream);
