/* trace.h - a run's messages as Chrome's trace events, for Perfetto and chrome://tracing. Format:
 * Duca and Sinclair, "Trace Event Format", 2016. */
#ifndef PLOTS_RUN_TRACE_H
#define PLOTS_RUN_TRACE_H

#include <stdio.h>

#include "sim/observe/diagnosis.h"

struct diag_trace {
    const char *plan, *platform, *engine, *version; /* what made the trace, a line each */
    const struct sim_spec *spec;
    const struct obs_recording *recording; /* closed */
    const struct obs_diagnosis *diagnosis;
};

/* RB_EINVAL unless the file's name ends in .json. */
int diag_trace_check_name(const char *file, struct sup_error *error);

/* Writes it, event by event. Write errors show in the stream. */
void diag_trace_write(const struct diag_trace *trace, FILE *stream);

#endif
