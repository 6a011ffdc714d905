/* audit.h - which choices of an MPI library lose time, why, and which rules would mend it: the
 * calls and ways of a decision (decide.h) from measured rows, a sweep's results, simulations or
 * predictions, and what is said of it once it is judged and mended. Each call has the library's own
 * way with its time. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "experiments/decide/curves.h"
#include "experiments/decide/decide.h"
#include "experiments/rows/rows.h"
#include "experiments/search/search_grid.h"
#include "mpi/vendors/rules/rules.h"
#include "roundabout.h"
#include "studies/predict/predict.h"
#include "support/error.h"
#include "support/output/verdict.h"
#include "support/units.h"

/* ---- Sources of points ----------------------------------------------------------------------- */

/* From measured collectives: the library's own choice beside the algorithms that were forced. */

/* Rows of one allocation, collective, number of ranks and size are a point, and the library's
 * algorithms among them are its choices. An algorithm is the library's if its name is marked like
 * that of the row of the library's own choice: "ring_ompi" beside "default_ompi", "default-ring"
 * beside "default-default"; without a mark each one is.
 *
 * Without a decider the row of the library's own choice is the decision. With a decider it is the
 * row of what that decides, and the row of the own choice where that has no rule; rows of other
 * libraries are left out. Points without a time of the decision are left out and counted. */
void audit_add_measured(struct decide *audit, const struct rows_row *const rows[], size_t count,
                        const struct decide_library *decider);

/* From a sweep's results: a library's choices at the times that the sweep has for them, beside
 * those of its other algorithms. */

/* Adds a point for each p and m of each setting for which the library has a rule. The time of a
 * rule's segment size is that of n = ceil(m / segment) blocks, or interpolated between the next
 * smaller and the next larger n of the sweep; beyond these there is none. */
void audit_add_results(struct decide *audit, const struct decide_curves *data,
                       const struct decide_library *decider);

/* By predictions of a machine that was fitted to measured collectives. */

/* What to predict. */
struct audit_prediction {
    struct predict_model *model;
    const struct rows_row *like; /* a row of the machine and library, which says how it is run */
    const char *collective;
    const struct sup_list *p, *m_bytes;
    int32_t ppn;
};

/* A row of this plan on the machine of `like`, without a time. */
struct rows_row audit_row(const struct rows_row *like, const struct rb_plan_spec *plan, int32_t ppn,
                          int64_t m_bytes);

/* Adds a point for each p and m that has a rule: the decision, and the library's algorithms,
 * unsegmented and with segments of powers of two. The spread of a choice is the interval of its
 * prediction. Errors of the model. */
int audit_predict(struct decide *audit, const char *source, const struct decide_library *decider,
                  const struct audit_prediction *prediction, struct sup_error *error);

/* By simulation: a library's choices, as plans, beside the library's other algorithms and beside
 * all plans of this program. */

/* Searches (search_grid.h), simulates the decisions of all p and m that the request asks about, the
 * decisions of their neighbours, and the library's algorithms with segments of powers of two near
 * the best. Adds a point for each p and m that has a rule. `source` names the platform. The caller
 * frees the grid, also on failure. RB_EINVAL, RB_EFAILED. */
int audit_simulate(struct decide *audit, const char *source, const struct decide_library *decider,
                   const struct search_request *request, struct search_grid *grid,
                   struct sup_error *error);

/* ---- Rules and reports ----------------------------------------------------------------------- */

enum audit_table { AUDIT_SUMMARY, AUDIT_LOSSES, AUDIT_RULES, AUDIT_POINTS, AUDIT_TABLES };
/* The values of --what. */
extern const char *const audit_table_names[AUDIT_TABLES];

/* A row for each collective that loses, worst first. */
void audit_screen(const struct decide *audit, FILE *stream);
/* Tables as text; `set` has the bit 1u << AUDIT_... of each. Of losses at most `top`; 0: all. Write
 * errors show in the stream. */
void audit_text(const struct decide *audit, unsigned set, int64_t top, FILE *stream);
void audit_csv(const struct decide *audit, enum audit_table table, FILE *stream);
/* Adds the threshold and an array for each table to the object, and returns it. */
json_t *audit_json(const struct decide *audit, unsigned set, json_t *head);

/* Says at how many points the choices lose, how much and where most, how much of it rules mend, and
 * how the times were found: "measured". The first sentence is the answer. `rules` names the file
 * or the natives whose choices they are; NULL: measured ones. The audit is judged and mended, and a
 * point of it could be judged. */
void audit_verdict(const struct decide *audit, const char *rules, const char *times,
                   struct out_verdict *verdict);
