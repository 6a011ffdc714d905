/* point.h - one combination of an experiment's parameters, and what came of running it. */
#ifndef EXPERIMENTS_POINT_POINT_H
#define EXPERIMENTS_POINT_POINT_H

#include <stdbool.h>
#include <stdint.h>

#include "experiments/point/known_platform.h"
#include "experiments/point/outcome.h"
#include "mpi/vendors/choices/choices.h"
#include "roundabout.h"
#include "sim/engine/engine.h"
#include "support/error.h"
#include "support/pool.h"

/* All that decides a point's result; parameters.h has the table of it. The texts belong to the
 * experiment and its platforms. */
struct point {
    struct rb_plan_spec plan; /* as asked for; the algorithm may be native:NAME */
    int64_t m_bytes;
    int64_t element_bytes;
    const char *counts; /* in their usual form */
    const char *platform_text, *platform_hash;
    int32_t ppn;
    const char *placement, *overlap; /* in their usual form */
    const char *engine_text;         /* "simgrid", or with a variant "simgrid:actors" */
    const char *engine_options;      /* blank-separated */
    int32_t jitter; /* copies with other latencies; 0: none (sim/engine/jitter.h) */

    /* What some of these texts name or mean: looked up once, when the point is made. A point that
     * is read from results, which is not run, has no rules (rule.h). */
    const struct rb_collective_info *collective; /* NULL: the registry doesn't have it */
    const struct rb_algorithm_info *algorithm;   /* NULL: it is native, or the registry hasn't it */
    const struct point_known_platform *platform;
    const struct rb_counts *counts_rule;
    const struct sim_placement *placement_rule;
    const struct sim_overlap *overlap_rule;
    const struct sim_engine *engine;
    const char *engine_variant; /* NULL: the engine's choice */
    const char *const *options; /* of the engine */
    int32_t option_count;

    /* Not part of the identity: */
    double cost_s;    /* an estimate of the real time that the run takes */
    bool wants_links; /* count what links carry, for the outcome */
};

/* Sets `collective` and `algorithm` to what plan.collective and plan.algorithm name; NULL names
 * nothing. */
void point_resolve(struct point *point);

/* Sets the platform with its text and hash. */
void point_set_platform(struct point *point, const struct point_known_platform *platform);

/* What `simulate` prints of a run that succeeded: sets all values but the spread and the bound,
 * which are set. Alpha and beta are those of the result. */
void point_outcome_compare(const struct sim_spec *spec, const struct sim_result *result,
                           struct point_outcome *outcome);

/* What an engine is given to run a point, and its result. The spec refers to the other members. */
struct point_run {
    struct rb_plan *plan; /* NULL: the algorithm is native */
    struct sim_native native;
    struct mpilib_choice choice; /* whose plan this is (native.h); without an algorithm: none */
    struct rb_layout layout;
    int64_t *first; /* of the layout, for irregular counts */
    struct sim_spec spec;
    struct sim_result result;
};

/* point_run in steps, for a caller who wants more of the run, which he may ask for in the spec
 * between the two. RB_EINVAL: there is no such plan, or it has no such counts; RB_ENOMEM; and what
 * the engine returns. The caller frees the run, also on failure. */
int point_prepare(const struct point *point, struct point_run *run, struct sup_error *error);
int point_simulate(const struct point *point, struct point_run *run, struct point_outcome *outcome);
void point_run_free(struct point_run *run); /* safe on a zeroed struct */

/* Runs the point in this process, or in a child if the engine needs one. The meter, unless it is
 * NULL, learns how far the run is. Never fails: errors are in the outcome. */
void point_run(const struct point *point, const struct sim_meter *meter,
               struct point_outcome *outcome);

/* The outcome of a point that was a piece of a pool's work, whose memory begins with a struct
 * point_outcome;
 * failed if the piece was lost. */
struct point_outcome point_outcome_of(const struct sup_pool_piece *piece);

/* Fills cost_s (cost.h). RB_EINVAL if there is no such plan, with a message that says why; without
 * memory the program ends (sup_no_memory), so that no plan is left out for want of it. The point's
 * platform may be NULL or not probed: then it has as many hosts as are used. */
int point_estimate(struct point *point, struct sup_error *error);

/* A block count as a whole number in 1 .. max(1, elements): more blocks would be empty ones. */
int64_t point_whole_blocks(double n, int64_t elements);
/* By the papers' rule: blocks of F sqrt(m / ceil(log2 p)) elements, m in elements. */
int64_t point_blocks_of_f(double f, int64_t elements, int32_t p);

/* Order by identity: the columns of the results, from left to right. */
int point_order(const struct point *a, const struct point *b);

/* "circulant, p = 1024, n = 8, m = 1MiB, fat-tree:1024", for messages and lists. */
const char *point_describe(const struct point *point, char *buffer, size_t size);

#endif
