/* trace.h - a run's messages as files that trace viewers open. */
#ifndef RB_EXPERIMENTS_DIAGNOSIS_TRACE_H
#define RB_EXPERIMENTS_DIAGNOSIS_TRACE_H

#include <stdio.h>

#include "sim/observe/diagnosis.h"

struct rb_trace {
    const char *plan, *platform, *engine, *version; /* what made it, a line each */
    const struct rb_sim_spec *spec;
    const struct rb_recording *recording; /* closed */
    const struct rb_diagnosis *diagnosis;
};

enum rb_trace_format {
    RB_TRACE_EVENTS, /* .json: Chrome's trace events, for Perfetto and chrome://tracing. Format:
                        Duca and Sinclair, "Trace Event Format", 2016 */
    RB_TRACE_PAJE,   /* .paje, .trace: for ViTE, Paje, pj_dump. Format: Schnorr, "Paje trace file
                        format", 2016 */
};

/* By the end of the file's name. RB_EINVAL. */
int rb_trace_format_of(const char *file, enum rb_trace_format *format, struct rb_error *error);

/* Writes it, event by event. RB_ENOMEM; write errors show in the stream. */
int rb_trace_write(const struct rb_trace *trace, enum rb_trace_format format, FILE *stream,
                   struct rb_error *error);

/* The two formats. RB_ENOMEM. */
int rb_trace_write_events(const struct rb_trace *trace, FILE *stream);
int rb_trace_write_paje(const struct rb_trace *trace, FILE *stream);

#endif
