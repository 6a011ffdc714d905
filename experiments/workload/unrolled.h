/* unrolled.h - workloads for other simulators, whose times are then witnesses of ours. The ranks of
 * all jobs are numbered through; collectives are the messages of their plans. */
#ifndef EXPERIMENTS_WORKLOAD_UNROLLED_H
#define EXPERIMENTS_WORKLOAD_UNROLLED_H

#include <stdio.h>

#include "sim/workload/workload.h"

/* As GOAL, or as time-independent traces in a directory (interchange/export/export.h), with times
 * in whole nanoseconds. Nothing is written, and RB_EINVAL names the job or the step, if the format
 * can't say it: graphs, jobs until others end, in traces steps that are started. Write errors of
 * the stream show there; RB_EIO. O(messages of all passes). */
int workload_write_goal(const struct sim_workload *workload, FILE *stream, struct sup_error *error);
int workload_write_traces(const struct sim_workload *workload, const char *directory,
                          struct sup_error *error);

#endif
