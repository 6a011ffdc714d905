/* audit_measured.h - the points of an audit from measured collectives: the library's own choice
 * beside the algorithms that were forced. */
#ifndef EXPERIMENTS_AUDIT_AUDIT_MEASURED_H
#define EXPERIMENTS_AUDIT_AUDIT_MEASURED_H

#include "experiments/audit/audit.h"
#include "experiments/measured/rows.h"

/* Rows of one allocation, collective, number of ranks and size are a point: the row of the
 * library's own choice is its decision, the other rows are its choices. A choice is the library's
 * if its name is marked like the decision's: "ring_ompi" beside "default_ompi", "default-ring"
 * beside "default-default"; without a mark every choice is. Adds points for each decision of these
 * rows, and counts the points that have choices but no decision. RB_ENOMEM. */
int audit_add_measured(struct audit *audit, const struct rows_row *const rows[], size_t count,
                       int64_t *undecided, struct sup_error *error);

#endif
