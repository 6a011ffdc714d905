/* outcome.h - what came of running a point: one table.
 *
 * A row of the table says where an outcome holds a value, its column in results, and its name in
 * what `simulate` prints. The results database with its CSV, the page of a sweep, and the JSON and
 * CSV of `simulate` go through the table, so that a new value is a member, a row, and the line that
 * computes it. */
#ifndef EXPERIMENTS_POINT_OUTCOME_H
#define EXPERIMENTS_POINT_OUTCOME_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "experiments/point/lower_bound.h"
#include "sim/engine/jitter.h"
#include "support/error.h"
#include "support/output/table.h"

struct point_outcome {
    bool done;       /* otherwise it failed, and only status, error, wall_s and load_s are set */
    bool confirming; /* run only to confirm what another engine says of the point */
    int status;      /* RB_OK, or why it failed */
    struct sup_error error;
    double time_s;                /* simulated; with jitter, the median of the copies */
    struct sim_spread spread;     /* of the copies */
    int64_t rounds, bound_rounds; /* -1: there is no plan */
    int64_t messages, moved_bytes;
    bool uncontended;
    double alpha_s, beta_s_per_byte;
    double closed_form_s;     /* NAN if the algorithm states none */
    struct point_bound bound; /* of any algorithm's time */
    double wall_s;            /* real time of the replay */
    double load_s;            /* real time of loading the platform */
    int64_t peak_bytes;       /* memory of the simulating process */
    int64_t switch_bytes;     /* over links that are no host's own; -1: not counted */
    double fullest_load;      /* sim_fullest.load; NAN: not counted */

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

#endif
