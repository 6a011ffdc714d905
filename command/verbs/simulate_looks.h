/* simulate_looks.h - what simulate does with single messages: --diagnose, --diagram, --trace. */
#ifndef RB_COMMAND_VERBS_SIMULATE_LOOKS_H
#define RB_COMMAND_VERBS_SIMULATE_LOOKS_H

#include "command/verbs/simulate_report.h"
#include "experiments/diagnosis/trace.h"

struct rb_looks {
    const struct rb_args *args;
    bool any; /* an option asks for any of these */
    struct rb_recording recording;
    struct rb_sim_observer observer;
    struct rb_output trace; /* open if asked for */
    enum rb_trace_format trace_format;
};

/* All three complain and return an enum rb_exit. */

/* Before the run: sees to it that what is asked for can be done, opens the trace's file, and has
 * the spec's run observed if need be. The looks must outlive the run, and are to be closed even
 * where this fails. */
int rb_looks_open(struct rb_looks *looks, const struct rb_args *args,
                  const struct rb_engine *engine, struct rb_sim_spec *spec);
/* After the run: draws, traces, and prints the point in the format asked for. */
int rb_looks_print(struct rb_looks *looks, const struct rb_simulated *point, FILE *stream);
/* Ends the trace's file, or removes it unless status is RB_EXIT_DONE. */
int rb_looks_close(struct rb_looks *looks, int status);

#endif
