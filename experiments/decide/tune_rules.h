/* tune_rules.h - writes a file of rules for an MPI library of a sweep's results or a search
 * (docs/tuning-files.md). */
#ifndef EXPERIMENTS_DECIDE_TUNE_RULES_H
#define EXPERIMENTS_DECIDE_TUNE_RULES_H

#include <stdio.h>

#include "experiments/decide/tune_curves.h"
#include "experiments/rows/rows.h"
#include "mpi/vendors/rules/rules.h"

struct tune_rules_request {
    const struct rules_format *format;
    struct rules_head head;
    double tolerance; /* share of the time by which one segment size for several m may be slower */
    bool everywhere;  /* rules.h */
};

/* The notes are for readers of a file that has no comments. Write errors show in the stream.
 * RB_EINVAL unless all rows are of one machine and way to run, and the library has some of the
 * algorithms. */
int tune_rules_write(const struct tune_curves *data, const struct tune_rules_request *request,
                     FILE *stream, struct rules_notes *notes, struct sup_error *error);

/* The same of measured rows with plans of this program; of several rows of one algorithm, p and m
 * the geometric mean of the medians counts. Where rows are marked as the library's own, others only
 * show what is lost. RB_EINVAL if the rows are of several systems. */
int tune_rules_write_measured(const struct rows_row *const row[], size_t count,
                              const struct tune_rules_request *request, FILE *stream,
                              struct rules_notes *notes, struct sup_error *error);

#endif
