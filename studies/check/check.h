/* check.h - compares statements of papers with the results of this program.
 *
 * One check is one const descriptor and one line in verbs/verb_check.c. */
#ifndef STUDIES_CHECK_CHECK_H
#define STUDIES_CHECK_CHECK_H

#include <stdbool.h>
#include <stdio.h>

#include "sim/engine/engine.h"
#include "support/error.h"
#include "support/options/common_options.h"

struct check_request {
    const struct sup_list *ranks, *bytes; /* NULL: the check's own choice */
    struct sim_overlap overlap;
    enum out_format format;
    FILE *stream; /* for the results */
};

struct check_paper {
    const char *name;  /* "formulas" */
    const char *title; /* one line */
    /* The options that this check uses, among those that not all checks use; ends with NULL. */
    const char *const *options;
    /* RB_OK: all statements hold; RB_EWRONG: one does not, and the results say which; or RB_EINVAL,
     * RB_EFAILED with a message. */
    int (*run)(const struct check_request *request, struct sup_error *error);
};
extern const struct check_paper check_paper_formulas, check_paper_table_3, check_paper_gallery,
    check_paper_gaps;

#endif
