/* simulate_inspection.h - what simulate shows of a run besides its result: --diagnose, --diagram,
 * --trace, --contention, --network-map, --report. */
#ifndef COMMAND_SIMULATE_INSPECTION_H
#define COMMAND_SIMULATE_INSPECTION_H

#include "command/simulate_report.h"
#include "plots/figure/plot_look.h"
#include "plots/run/pictures.h"

struct verb_inspection {
    const struct cli_args *args;
    bool any; /* an option asks for single messages */
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
 * observer if necessary. The inspection must outlive the run, and must be closed even if this
 * fails. */
int verb_inspection_open(struct verb_inspection *inspection, const struct cli_args *args,
                         const struct sim_engine *engine, struct sim_spec *spec);
/* After the run: draws, writes the trace, and prints the point in the requested format. */
int verb_inspection_print(struct verb_inspection *inspection,
                          const struct verb_simulated *simulated, FILE *stream);
/* Ends the trace's file, or removes it unless status is CLI_EXIT_DONE. */
int verb_inspection_close(struct verb_inspection *inspection, int status);

#endif
