/* audit_measured.h - the points of an audit from measured collectives: the library's own choice
 * beside the algorithms that were forced. */
#ifndef AUDIT_AUDIT_MEASURED_H
#define AUDIT_AUDIT_MEASURED_H

#include "audit/audit_decider.h"
#include "experiments/rows/rows.h"

/* Rows of one allocation, collective, number of ranks and size are a point, and the library's
 * algorithms among them are its choices. An algorithm is the library's if its name is marked like
 * that of the row of the library's own choice: "ring_ompi" beside "default_ompi", "default-ring"
 * beside "default-default"; without a mark each one is.
 *
 * Without a decider the row of the library's own choice is the decision. With a decider it is the
 * row of what that decides, and the row of the own choice where that has no rule; rows of other
 * libraries are left out. Points without a time of the decision are left out and counted.
 * RB_ENOMEM. */
struct audit_rows_left_out {
    int64_t undecided; /* points without a row of the library's own choice, which would be needed */
    int64_t others;    /* rows of other libraries */
};
int audit_add_measured(struct audit *audit, const struct rows_row *const rows[], size_t count,
                       const struct audit_decider *decider, struct audit_left_out *left_out,
                       struct audit_rows_left_out *rows_left_out, struct sup_error *error);

#endif
