/* audit_rules.h - rules that mend, as candidates for a library's file of rules. */
#ifndef AUDIT_AUDIT_RULES_H
#define AUDIT_AUDIT_RULES_H

#include "audit/audit.h"
#include "mpi_libraries/rules/rules.h"

/* One candidate for each (collective, p, m): the choice of the mending rule; otherwise the
 * decision, "native" if it is not known. For SMPI, which has one algorithm for all p and m, all of
 * the library's choices are candidates. *unwritable counts points whose choice has no plan here
 * and therefore no rule. RB_EINVAL unless all points are of one source and one number of ranks per
 * node, and of the format's library; RB_ENOMEM. The caller frees *candidates. */
int audit_rule_candidates(const struct audit *audit, const struct rules_format *format,
                          struct rules_candidate **candidates, size_t *count, int64_t *unwritable,
                          struct sup_error *error);

#endif
