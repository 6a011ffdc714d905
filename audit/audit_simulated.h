/* audit_simulated.h - the points of an audit by simulation: a library's choices, as plans, beside
 * the library's other algorithms and beside all plans of this program. */
#ifndef AUDIT_AUDIT_SIMULATED_H
#define AUDIT_AUDIT_SIMULATED_H

#include "audit/audit_decider.h"
#include "experiments/search/search_grid.h"

/* Searches (search_grid.h), simulates the decisions of all p and m that the request asks about, the
 * decisions of their neighbours, and the library's algorithms with segments of powers of two near
 * the best. Adds a point for each p and m that has a rule. `source` names the platform. The caller
 * frees the grid, also on failure. RB_EINVAL, RB_ENOMEM, RB_EFAILED. */
int audit_simulate(struct audit *audit, const char *source, const struct audit_decider *decider,
                   const struct search_request *request, struct search_grid *grid,
                   struct audit_left_out *left_out, struct sup_error *error);

#endif
