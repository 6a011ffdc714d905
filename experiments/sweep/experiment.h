/* experiment.h - an experiment: one or more grids of parameters, from a YAML file. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "experiments/point/point.h"
#include "experiments/point/words.h"
#include "experiments/sweep/document.h"
#include "roundabout.h"
#include "sim/engine/engine.h"
#include "support/error.h"
#include "support/options/common_options.h"
#include "support/units.h"

/* ---- The experiment -------------------------------------------------------------------------- */

/* An experiment: one or more grids of parameters, from a YAML file.
 *
 * docs/sweep.md describes the file. A grid has a list of values for each parameter
 * (point/parameters.h); grid.h expands them. */

struct sweep_names {
    char **name; /* owned, as each of its texts */
    size_t count;
};
struct sweep_rules {
    struct point_rule *rule; /* owned, as each of them */
    size_t count;
};
struct sweep_reals {
    double *value; /* owned */
    size_t count;
};

/* An engine and its variant; NULL: the engine's choice. */
struct sweep_engine_choice {
    const struct sim_engine *engine;
    char *variant; /* owned */
    char *text;    /* owned: as written, "simgrid" or "simgrid:actors" */
};

struct sweep_grid {
    const struct rb_collective_info *collective;
    /* The values of each parameter that has a key: rules, or numbers or texts by its type. Rules
     * have their seed filled in. native:NAME is an algorithm too. Empty lists of radices and
     * instances mean the defaults. */
    struct sup_list number[POINT_PARAMETERS];
    struct sweep_names text[POINT_PARAMETERS];
    struct sweep_rules rule[POINT_PARAMETERS];
    bool all_radices;             /* 2 .. p as well */
    struct sweep_reals n_optimum; /* block counts as multiples of the closed form's best */
    struct sweep_reals n_f;       /* block counts from the papers' F */
    struct cli_texts instance;    /* instances, if the collective has them */
    struct sweep_engine_choice *engine;
    size_t engine_count;
    struct sweep_engine_choice confirm; /* runs a share of all grids' points, too (sweep.h);
                                         * without an engine: none does */
    double confirm_share;
    char *engine_options; /* blank-separated; owned */
    int64_t element_bytes;
    int64_t seed;
};

struct sweep_experiment {
    char *name;
    char hash[17]; /* 16 hex digits of the text, FNV-1a 64 */
    struct sweep_grid *grid;
    size_t grid_count;
    struct sweep_document document; /* the text, and for messages about combinations of values */
};

/* Reads and checks the file, whose engine is replaced by the given one, unless that is NULL; then
 * nothing is confirmed. RB_EINVAL with one line: file, line, key, what would be right; RB_EIO
 * if it can't be read. */
int sweep_experiment_load(const char *path, const char *engine, struct sweep_experiment *experiment,
                          struct sup_error *error);
void sweep_experiment_free(struct sweep_experiment *experiment); /* safe on a zeroed struct */

/* Makes engine_options of the options, for the results. */
void sweep_join_options(struct sweep_grid *grid);

/* RB_EINVAL and a message "FILE:LINE: KEY: what" about item `item` of a key of a grid. */
int sweep_experiment_blame(const struct sweep_experiment *experiment, size_t grid, const char *key,
                           size_t item, struct sup_error *error, const char *what, ...)
    __attribute__((format(printf, 6, 7)));

/* ---- Values ---------------------------------------------------------------------------------- */

/* Reads one value of an experiment's key into the grid.
 *
 * The word is the text in the file. A list of numbers may be one word (support/units.h); other
 * words are one value each. RB_EINVAL with a message that quotes the word and says what would be
 * right; the caller adds the position in the file. */

/* A value of a parameter: a number within the bounds of its option, a rule, a text, or what its
 * key has besides: all algorithms or radices, the instances of a range. The collective, on which
 * algorithms, counts and instances depend, is read first; so are the element size, which must
 * divide the bytes, and the seed, which a bare "random" or "search" uses. */
int sweep_read_value(struct sweep_grid *grid, enum point_id id, const char *word,
                     struct sup_error *error);

/* Block counts as multiples of the optimum; of-F and of-G, which have the same meaning: n = sqrt(m
 * ceil(log2 p)) / value; the seed;
 * the engine that confirms and its share of the points. */
int sweep_read_of_optimum(struct sweep_grid *grid, const char *word, struct sup_error *error);
int sweep_read_of_f(struct sweep_grid *grid, const char *word, struct sup_error *error);
int sweep_read_seed(struct sweep_grid *grid, const char *word, struct sup_error *error);
int sweep_read_confirm(struct sweep_grid *grid, const char *word, struct sup_error *error);
int sweep_read_share(struct sweep_grid *grid, const char *word, struct sup_error *error);

/* ---- The points to which it is expanded -------------------------------------------------------
 */

struct sweep_points {
    struct point_known_platform *platform; /* owned */
    size_t platform_count;
    struct point *point; /* owned; the costliest first, none twice */
    size_t count;
    struct sweep_names groups;           /* the sizes that words stand for, owned: the points' */
    struct point_neighbours *neighbours; /* likewise */
    size_t repeated;                     /* combinations left out because they equal another one */
    size_t unfit;                        /* left out because there is no such plan for their p */
    size_t with_empty; /* of more blocks than elements, by a block count that is given */
};

/* Expands all grids: probes each platform once, turns relative block counts into numbers, drops
 * repeats, orders the points by estimated cost. The order depends on the experiment only. The
 * experiment must outlive the points. RB_EINVAL with file, line and key, RB_EFAILED. */
int sweep_points_make(const struct sweep_experiment *experiment, struct sweep_points *points,
                      struct sup_error *error);
void sweep_points_free(struct sweep_points *points); /* safe on a zeroed struct */

/* ---- A sweep divided among machines ---------------------------------------------------------- */

/* The number, from 1, of the shard that has the i-th point, from 0. Every N-th point of the
 * costliest-first order belongs to the same shard, so shards cost about the same, and the first one
 * costs most. */
int32_t sweep_shard_of(size_t i, int32_t shards);

/* Leaves only the points of one shard. */
void sweep_shard_keep(struct sweep_points *points, int32_t shard, int32_t shards);

/* ---- How long a sweep will take, by estimate ------------------------------------------------- */

/* The seconds of real time that `jobs` worker processes (>= 1) take for all points, each on a core
 * of its own: by the estimate of each point (point.cost_s), the points handed out in their order to
 * the worker that is free first. A machine of another speed takes a multiple of it; the longest
 * point is a lower limit whatever the number of jobs. For a limit on time, such as a batch
 * system's, take a multiple of this: the estimates are for an idle machine and are right within a
 * factor of about 2. O(points log jobs). */
double sweep_duration(const struct sweep_points *points, int32_t jobs);
