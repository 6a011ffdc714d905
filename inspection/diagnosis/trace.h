/* trace.h - a run's messages as files that trace viewers open. */
#ifndef INSPECTION_DIAGNOSIS_TRACE_H
#define INSPECTION_DIAGNOSIS_TRACE_H

#include <stdio.h>

#include "sim/observe/diagnosis.h"

struct diag_trace {
    const char *plan, *platform, *engine, *version; /* what made the trace, a line each */
    const struct sim_spec *spec;
    const struct obs_recording *recording; /* closed */
    const struct obs_diagnosis *diagnosis;
};

enum diag_trace_format {
    DIAG_TRACE_EVENTS, /* .json: Chrome's trace events, for Perfetto and chrome://tracing. Format:
                        Duca and Sinclair, "Trace Event Format", 2016 */
    DIAG_TRACE_PAJE,   /* .paje, .trace: for ViTE, Paje, pj_dump. Format: Schnorr, "Paje trace file
                        format", 2016 */
};

/* By the end of the file's name. RB_EINVAL. */
int diag_trace_format_of(const char *file, enum diag_trace_format *format, struct sup_error *error);

/* Writes it, event by event. RB_ENOMEM; write errors show in the stream. */
int diag_trace_write(const struct diag_trace *trace, enum diag_trace_format format, FILE *stream,
                     struct sup_error *error);

/* The two formats. RB_ENOMEM. */
int diag_trace_write_events(const struct diag_trace *trace, FILE *stream);
int diag_trace_write_paje(const struct diag_trace *trace, FILE *stream);

#endif
