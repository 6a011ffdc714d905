/* check.h - statements of papers, against what this program computes.
 *
 * One check is one const descriptor and one line in verbs/verb_check.c. */
#ifndef EXPERIMENTS_CHECK_CHECK_H
#define EXPERIMENTS_CHECK_CHECK_H

#include <stdbool.h>
#include <stdio.h>

#include "command/options/common_options.h"
#include "sim/engine/engine.h"
#include "support/error.h"

struct check_request {
    const struct sup_list *ranks, *bytes; /* NULL: the check's own choice */
    struct sim_progress progress;
    enum out_format format;
    FILE *stream; /* for the results */
};

struct check_paper {
    const char *name;  /* "formulas" */
    const char *title; /* one line */
    /* The options that it heeds, of those that not every check does; ends with NULL. */
    const char *const *options;
    /* RB_OK: all is so; RB_EWRONG: something is not, and the results say what; or RB_EINVAL,
     * RB_ENOMEM, RB_EFAILED with a message. */
    int (*run)(const struct check_request *request, struct sup_error *error);
};
extern const struct check_paper check_paper_formulas, check_paper_table_3;

#endif
