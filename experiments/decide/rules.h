/* rules.h - writes files of rules of a sweep's results, a search or measured rows: those of MPI
 * libraries (docs/tuning-files.md), and a decision file for our own (docs/mpi.md describes the
 * file, docs/tune.md how it is made). */
#ifndef EXPERIMENTS_DECIDE_RULES_H
#define EXPERIMENTS_DECIDE_RULES_H

#include <stdio.h>

#include "experiments/decide/curves.h"
#include "experiments/rows/rows.h"
#include "mpi/vendors/rules/rules.h"

struct decide_rules_request {
    const struct rules_format *format;
    struct rules_head head;
    double tolerance; /* share of the time by which one segment size for several m may be slower */
    bool everywhere;  /* rules.h */
};

/* The notes are for readers of a file that has no comments. Write errors show in the stream.
 * RB_EINVAL unless all rows are of one machine and way to run, and the library has some of the
 * algorithms. */
int decide_rules_write(const struct decide_curves *data, const struct decide_rules_request *request,
                       FILE *stream, struct rules_notes *notes, struct sup_error *error);

/* The same of measured rows with plans of this program; of several rows of one algorithm, p and m
 * the geometric mean of the medians counts. Where rows are marked as the library's own, others only
 * show what is lost. RB_EINVAL if the rows are of several systems. */
int decide_rules_write_measured(const struct rows_row *const row[], size_t count,
                                const struct decide_rules_request *request, FILE *stream,
                                struct rules_notes *notes, struct sup_error *error);

struct decide_decisions_request {
    const char *results; /* name of the results file */
    double tolerance;    /* share of the time by which one F for several m may be slower at each of
                          * them, 0.02 */
    double margin; /* share of the MPI library's own time by which another algorithm must be faster,
                    * 0.05 */
    bool everywhere; /* as in rules.h; elsewhere the library decides as without a file */
    const struct out_verdict *notes; /* for readers of the file; NULL: none */
    const char *simulated;           /* lines for the file's head; NULL: none */
};

/* Write errors show in the stream. RB_EINVAL unless all rows are of one machine and way to run (the
 * message names the option that chooses), of one port and of algorithms that the library has. */
int decide_decisions_write(const struct decide_curves *data,
                           const struct decide_decisions_request *request, FILE *stream,
                           struct sup_error *error);

/* RB_EINVAL unless all rows are of one machine and way to run, so that they make one file of this
 * --format; with any_ppn their numbers of ranks per host may differ. */
int decide_check_settings(const struct decide_curves *data, const char *format, bool any_ppn,
                          struct sup_error *error);

#endif
