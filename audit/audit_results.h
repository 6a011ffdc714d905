/* audit_results.h - the points of an audit from a sweep's results: a library's choices at the times
 * that the sweep has for them, beside those of its other algorithms. */
#ifndef AUDIT_AUDIT_RESULTS_H
#define AUDIT_AUDIT_RESULTS_H

#include "audit/audit_decider.h"
#include "experiments/tune/tune_curves.h"

/* Adds a point for each p and m of each setting for which the library has a rule. The time of a
 * rule's segment size is that of n = ceil(m / segment) blocks, or interpolated between the next
 * smaller and the next larger n of the sweep; beyond these there is none. RB_ENOMEM. */
int audit_add_results(struct audit *audit, const struct tune_curves *data,
                      const struct audit_decider *decider, struct audit_left_out *left_out,
                      struct sup_error *error);

#endif
