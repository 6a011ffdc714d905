/* report.h - what is made of a results file: a tuning summary and figures. */
#ifndef RB_EXPERIMENTS_RESULTS_REPORT_H
#define RB_EXPERIMENTS_RESULTS_REPORT_H

#include <stdio.h>

#include "support/error.h"

/* Writes the summary of `tune`, the fitted F and the decision table, to out as text. RB_EINVAL if
 * results can't be used, RB_ENOMEM, RB_EIO; error then says why. */
int rb_tune_results(const char *results, FILE *out, struct rb_error *error);

/* Makes all kinds of figures that the results can give, as PDF and PNG, in directory, which is made
 * if it is not there. Writes the path of each picture to list (may be NULL), a line each; what was
 * skipped is said on standard error. Errors as above, and RB_EFAILED if gnuplot is missing or
 * fails; the files of the figure that failed are removed, those made before it stay. */
int rb_plot_results(const char *results, const char *directory, FILE *list, struct rb_error *error);

#endif
