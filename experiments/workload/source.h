/* source.h - workloads from what other programs wrote, recordings and traces, and for other
 * programs.
 *
 * A source writes the text of a workload file (docs/workloads.md). That text is the one form in
 * between: `roundabout workload` gives it to the user, and whatever reads workload files reads a
 * source in its place, by its text (workload_read). A new source is a file and a line of the list
 * in source.c. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "sim/workload/workload.h"
#include "support/error.h"
#include "support/output/verdict.h"

/* What is asked of a source; zeroed: the workload as it was. A source refuses what it can't do. */
struct workload_wishes {
    int32_t ranks; /* 0: as many as there were */
    bool strong;   /* with other ranks: the work of all ranks together stays; else that of each */
    double speed;  /* of a rank's computing, flops per second; 0: not known */
};

enum { WORKLOAD_UNUSUAL = 4 };
/* What a source tells of what it has read, besides the workload. */
struct workload_told {
    struct out_verdict said; /* sentences, of which each stands on a line */
    double communicating_s;  /* mean time of a rank in communication, as measured; 0: not known */
    double waiting_s;        /* of that at least, because other ranks came later */
    double interrupted_s;    /* of the rest, beyond the usual time of calls that took
                              * WORKLOAD_UNUSUAL times as long */
    double *measured_s;      /* of that per step of the workload; -1: computing; owned */
    size_t steps;            /* that were measured; 0: none */
};
/* Of step i, counted from 0 with repeats; SIZE_MAX: of none. */
void workload_told_measured(struct workload_told *told, size_t i, double seconds);
void workload_told_free(struct workload_told *told); /* safe on a zeroed struct */

struct workload_source {
    const char *name; /* "recording": in help and messages */
    /* By the first bytes of a file; of a directory size is 0 and head NULL. */
    bool (*is)(const char *path, const char *head, size_t size);
    /* Writes the workload. RB_EINVAL with one line that begins with the path; RB_EIO. */
    int (*write)(const char *path, const struct workload_wishes *wishes, FILE *text,
                 struct workload_told *told, struct sup_error *error);
};
/* What a source of graphs writes of a job, up to the brace at its end. */
void workload_write_graph(FILE *text, int32_t ranks, const char *path);
extern const struct workload_source workload_goal; /* a file in GOAL (graph.c) */
extern const struct workload_source workload_time_independent, workload_chakra;

/* The source that the path is of; NULL: none, it may be a workload file. */
const struct workload_source *workload_source_of(const char *path);

/* The text that it writes, which the caller frees, and what it tells, likewise; told may be NULL.
 */
int workload_source_text(const struct workload_source *source, const char *path,
                         const struct workload_wishes *wishes, char **text, size_t *size,
                         struct workload_told *told, struct sup_error *error);

/* ---- Workloads for other simulators ---------------------------------------------------------- */

/* Their times are then witnesses of ours. The ranks of all jobs are numbered through; collectives
 * are the messages of their plans (unrolled.c). */

/* As GOAL, or as time-independent traces in a directory (interchange/export/export.h), with times
 * in whole nanoseconds. Nothing is written, and RB_EINVAL names the job or the step, if the format
 * can't say it: graphs, jobs until others end, in traces steps that are started. Write errors of
 * the stream show there; RB_EIO. O(messages of all passes). */
int workload_write_goal(const struct sim_workload *workload, FILE *stream, struct sup_error *error);
int workload_write_traces(const struct sim_workload *workload, const char *directory,
                          struct sup_error *error);
