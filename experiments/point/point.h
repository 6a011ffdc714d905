/* point.h - one combination of an experiment's parameters with its platform, and what came of
 * running it. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "experiments/point/lower_bound.h"
#include "mpi/vendors/choices/choices.h"
#include "platforms/network.h"
#include "roundabout.h"
#include "sim/engine/engine.h"
#include "sim/engine/jitter.h"
#include "sim/workload/arrival.h"
#include "support/error.h"
#include "support/names.h"
#include "support/output/table.h"
#include "support/pool.h"

/* ---- Platforms ------------------------------------------------------------------------------- */

/* The platforms of an experiment: checked and probed once, loaded often. */

struct point_known_platform {
    char *text; /* as written in the experiment */
    char hash[17];
    int32_t hosts;
    double alpha_s;              /* of the route from the first host to the second; where hosts of
                                  * a node are nearer to each other, of one between nodes */
    double beta_s_per_byte;      /* likewise */
    struct platform_cuts cuts;   /* of a file 0, which are not known */
    struct point_bounds *bounds; /* of this platform; owned; of a file NULL */
};

/* platform_check_xml, with a note on standard error of what is ignored. */
int point_check_file(const char *path, struct sup_error *error);

/* The two steps of point_known_platform_make: checks the platform, with its hash and cuts; and
 * probes it. The caller frees it, also on failure. */
int point_known_platform_look(const char *text, struct point_known_platform *platform,
                              struct sup_error *error);
int point_known_platform_probe(struct point_known_platform *platform, const struct sim_spec *how,
                               const struct sim_engine *engine, struct sup_error *error);

/* Checks the platform and gets hosts, alpha and beta from the engine by simulating one message
 * between two ranks. This also tests that platform, engine, variant and options are compatible. */
int point_known_platform_make(const char *text, const struct sim_spec *how,
                              const struct sim_engine *engine,
                              struct point_known_platform *platform, struct sup_error *error);
/* Ranks of a node where each host has so many: of GPUs, each of which is a host (rails), a node has
 * several. */
int32_t point_ranks_per_node(const char *platform, int32_t ppn);
/* Safe on a zeroed struct. */
void point_known_platform_free(struct point_known_platform *platform);

/* ---- Outcomes -------------------------------------------------------------------------------- */

/* What came of running a point: one table.
 *
 * A row of the table says where an outcome holds a value, its column in results, and its name in
 * what `simulate` prints. The results database with its CSV, the page of a sweep, and the JSON and
 * CSV of `simulate` go through the table, so that a new value is a member, a row, and the line
 * that computes it. */

struct point_outcome {
    bool done;       /* otherwise it failed, and only status, error, wall_s and load_s are set */
    bool confirming; /* run only to confirm what another engine says of the point */
    int status;      /* RB_OK, or why it failed */
    struct sup_error error;
    double time_s;            /* simulated, from the last arrival; with jitter, the median of the
                               * copies */
    struct sim_spread spread; /* of the copies */
    int64_t rounds, bound_rounds; /* -1: there is no plan */
    int64_t messages, moved_bytes;
    bool uncontended;
    double alpha_s, beta_s_per_byte;
    double closed_form_s;     /* NAN if the algorithm states none */
    struct point_bound bound; /* of any algorithm's time, from the last arrival */
    /* Of ranks that come at different times, otherwise NAN: when the last one came; the mean over
     * ranks of the time from their arrival to their own end, and the share of it in which they
     * would also wait if messages took no time. With several seeds time_s and the last two are
     * medians, and the rest is of the run with the median time. */
    double last_arrival_s, mean_inside_s, waiting_share;
    double wall_s;        /* real time of the replay */
    double load_s;        /* real time of loading the platform */
    int64_t peak_bytes;   /* memory of the simulating process */
    int64_t switch_bytes; /* over links that are no host's own; -1: not counted */
    double fullest_load;  /* sim_fullest.load; NAN: not counted */

    /* Of `simulate` only (point_outcome_compare). NAN, -1: not known. */
    double time_over_closed_form, time_over_bound, messages_per_s;
    /* C2, the volume in sequence: by the algorithm's formula; the least of any plan; and the least
     * of any plan with as many rounds. */
    int64_t c2, bound_c2, bound_c2_of_rounds;
    double c2_bytes;
    double untimed_s; /* computation that the plan's file asks for */
    const char *version;
};

struct point_value {
    struct out_column shown; /* in JSON and CSV of `simulate`; where the outcome has it */
    const char *column;      /* of results; NULL: none */
    /* Whether a row of results has the value; NULL: wherever the value itself isn't "none". */
    bool (*recorded)(const struct point_outcome *outcome);
};

/* In the order of columns and of what `simulate` prints; ends with a row without a name. */
extern const struct point_value point_values[];

/* The value as a cell of its kind. */
union out_cell point_value_of(const struct point_value *value, const struct point_outcome *outcome);

/* Sets the values that `simulate` prints. */
void point_outcome_add(json_t *object, const struct point_outcome *outcome);

/* ---- Points ---------------------------------------------------------------------------------- */

/* One combination of an experiment's parameters, and what came of running it. */

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
    int32_t jitter;      /* copies with other latencies; 0: none (sim/engine/jitter.h) */
    const char *arrival; /* in its usual form */
    const char *program; /* "alone", or a workload as sweeps name it, with the hash of its file */

    /* What some of these texts name or mean: looked up once, when the point is made. A point that
     * is read from results, which is not run, has no rules (words.h). */
    const struct rb_collective_info *collective; /* NULL: the registry doesn't have it */
    const struct rb_algorithm_info *algorithm;   /* NULL: it is native, or the registry hasn't it */
    const struct point_known_platform *platform;
    const struct sup_counts *counts_rule;
    const struct sim_placement *placement_rule;
    const struct sim_overlap *overlap_rule;
    const struct sim_arrival *arrival_rule; /* NULL: all at once */
    const struct sim_engine *engine;
    const char *engine_variant; /* NULL: the engine's choice */
    const char *const *options; /* of the engine */
    int32_t option_count;

    /* Not part of the identity: */
    double cost_s;    /* an estimate of the real time that the run takes */
    bool itself;      /* native: what the library runs where SMPI's algorithm differs (choices.h) */
    bool wants_links; /* count what links carry, for the outcome */
    double most_s;    /* of sim_spec */
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
    struct mpilib_choice choice; /* whose plan this is (words.h); without an algorithm: none */
    struct rb_layout layout;
    int64_t *first;               /* of the layout, for irregular counts */
    double *arrival_s;            /* per rank; owned; NULL: all at once */
    struct sim_workload workload; /* then; its plan is also the spec's */
    struct sim_spec spec;
    struct sim_result result;
};

/* RB_EINVAL, and why, if the point's engine or algorithm takes no ranks that come at different
 * times, or if the rule doesn't fit so many ranks. */
int point_check_arrival(const struct point *point, struct sup_error *error);

/* In a workload (docs/workloads.md, "A collective in a program"), rather than alone. */
bool point_has_program(const struct point *point);
/* RB_EINVAL if the point's engine, arrival, placement or ranks per host are not for programs. */
int point_check_program(const struct point *point, struct sup_error *error);

/* point_run in steps, for a caller who wants more of the run, which he may ask for in the spec
 * between the two. The result's times are counted from 0, not from the last arrival. RB_EINVAL:
 * there is no such plan, or it has no such counts or arrivals; RB_ENOMEM; and what the engine
 * returns. The caller frees the run, also on failure. */
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

/* Fills cost_s (runs.h). RB_EINVAL if there is no such plan, with a message that says why; without
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

struct cli_args;

/* For the `complete` of an option --platform: a generator without a size gets the least one that
 * has room for --ranks at --ppn, or for --nodes, and a note says so. NULL: it is another text, or
 * filters results. */
char *point_complete_platform(const struct cli_args *args, const char *text);

/* ---- Algorithms of libraries ----------------------------------------------------------------- */

/* Points with native:NAME on engines that run plans alone: the plan of the algorithm that the
 * library chooses (mpi/vendors/choices/choices.h). */

/* What runs. */
struct point_plan {
    struct rb_plan_spec spec;
    struct mpilib_choice choice; /* without an algorithm: the plan was asked for by its name */
    char *groups;                /* of the spec, owned */
};

/* True if the engine itself has the algorithm, so that there is no plan. */
bool point_is_native(const struct point *point);

/* Of a point that is not native. RB_EINVAL with a message that names the library's algorithm, if no
 * plan follows it. The caller frees the plan, also on failure. */
int point_find_plan(const struct point *point, struct point_plan *plan, struct sup_error *error);
void point_plan_free(struct point_plan *plan); /* safe on a zeroed struct */

/* ---- Parameters and rules -------------------------------------------------------------------- */

/* The parameters (parameters.h). */
enum point_id {
    POINT_COLLECTIVE,
    POINT_ALGORITHM,
    POINT_P,
    POINT_N,
    POINT_BYTES,
    POINT_ROOT,
    POINT_PORTS,
    POINT_RADIX,
    POINT_GROUPS,
    POINT_INSTANCE,
    POINT_ORDERED,
    POINT_ELEMENT,
    POINT_COUNTS,
    POINT_PLATFORM,
    POINT_PLATFORM_HASH,
    POINT_PPN,
    POINT_PLACEMENT,
    POINT_ENGINE,
    POINT_OVERLAP,
    POINT_ENGINE_OPTIONS,
    POINT_JITTER,
    POINT_ARRIVAL,
    POINT_PROGRAM,
    POINT_PARAMETERS
};

/* The rules of a point: its counts, placement, overlap and arrival. The text of a rule is read
 * once, where it was given, and a file that it names is read then. */

struct point_rule {
    char *text; /* in its usual form; owned */
    union {     /* what it means */
        struct sup_counts counts;
        struct sim_placement placement;
        struct sim_overlap overlap;
        struct sim_arrival arrival;
    };
};

bool point_is_rule(enum point_id id);

/* RB_EINVAL, or what reading the file gives, with a message that says what would be right. The
 * caller frees the rule, also on failure. */
int point_rule_read(enum point_id id, const char *word, struct point_rule *rule,
                    struct sup_error *error);
void point_rule_free(struct point_rule *rule); /* safe on a zeroed struct */

/* Sets the text and its meaning; the rule must outlive the point. */
void point_set_rule(struct point *point, enum point_id id, const struct point_rule *rule);
