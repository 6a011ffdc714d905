/* workload_file.h - workloads from YAML files (docs/workloads.md), and the plans of their steps.
 *
 *     file --workload_read--> struct sim_workload --workload_settle--> what engines run
 *
 * The file stays in memory as long as the workload, for messages. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "experiments/point/point.h"
#include "experiments/sweep/document.h"
#include "roundabout.h"
#include "sim/workload/workload.h"
#include "support/error.h"
#include "support/names.h"
#include "support/output/verdict.h"

/* ---- Workloads ------------------------------------------------------------------------------- */

/* In a file the word $NAME stands for the value of this name. */
struct workload_value {
    const char *name, *value;
};

/* Reads and checks the file, or what another program wrote (source.h), of a text "FILE" or
 * "FILE,NAME=VALUE,...". RB_EINVAL with one line "FILE:LINE:COLUMN: ...", RB_EIO. The caller frees
 * the workload (sim_workload_free), also on failure. O(ranks sets + the file). */
int workload_read(const char *text, struct sim_workload *workload, struct sup_error *error);
/* The same with values that the file may name or not; those of the text go before them. */
int workload_read_with(const char *text, const struct workload_value value[], size_t count,
                       struct sim_workload *workload, struct sup_error *error);
/* The same of a text in memory, which is called `name` in messages and becomes the workload's. */
int workload_read_text(const char *name, char *text, size_t size, struct sim_workload *workload,
                       struct sup_error *error);
/* Sentences on what was read of a recording or a trace, and what was left out; none of a workload
 * file. */
const struct out_verdict *workload_said(const struct sim_workload *workload);
/* Of the file's content. */
uint64_t workload_hash(const struct sim_workload *workload);

/* Fits the workload to a platform, which has been probed: there must be hosts enough; block counts
 * that the file leaves open are the closed form's best between each job's first two hosts. May be
 * called again, for another platform. RB_EINVAL. */
int workload_settle(struct sim_workload *workload, const struct point_known_platform *platform,
                    struct sup_error *error);

/* ---- Steps that move data -------------------------------------------------------------------- */

/* What a step moves, and by which plan. A caller may change these values, and then calls
 * workload_forget_plans. */
struct workload_move {
    const struct rb_collective_info *collective; /* NULL: the step moves nothing */
    struct sim_pattern *pattern; /* point to point, of the collective "none"; owned; NULL: it is a
                                  * collective, and what follows counts */
    char *algorithm; /* a name, "best", "native:ompi", "rules:FILE", "file:PLAN"; owned; NULL: the
                      * collective's usual one */
    int64_t n;       /* 0: the closed form's best */
    int64_t bytes, element;
    struct sup_counts counts;
    int32_t root;
    bool root_moves; /* the root is that number + the counter of the innermost repeat, modulo the
                      * communicator's size */
    int32_t ports, radix;          /* 0: the usual */
    char *groups, *instance;       /* owned; NULL: none */
    struct rules_file *rules;      /* of "rules:FILE"; owned */
    const struct sweep_node *node; /* where the step stands in the file */
};

/* That of a step; its collective is NULL if the step moves nothing. */
struct workload_move *workload_move_of(const struct sim_workload *workload, int32_t job,
                                       int32_t step);
/* The plans that were made for a step; those who have them may not use them any more. */
void workload_forget_plans(const struct sim_workload *workload, int32_t job, int32_t step);
/* The latency and bandwidth between a job's first two hosts; 0 before workload_settle. */
void workload_costs(const struct sim_workload *workload, int32_t job, double *alpha_s,
                    double *beta_s_per_byte);

/* ---- Documentation --------------------------------------------------------------------------- */

/* The tables of keys: the i-th, of `count` rows. NULL beyond the end. */
struct workload_keys {
    const char *title;
    const struct sweep_field *field;
    size_t count;
};
const struct workload_keys *workload_keys_at(int32_t i);
