/* experiment.h - an experiment: one or more grids of parameters, from a YAML file. */
#ifndef EXPERIMENTS_SWEEP_EXPERIMENT_H
#define EXPERIMENTS_SWEEP_EXPERIMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
    struct sweep_engine_choice confirm; /* runs a share of all grids' points, too (confirm.h);
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

#endif
