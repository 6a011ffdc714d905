/* tune_decisions.h - writes a decision file for the MPI library: the fastest choices as rules for
 * all p and m (docs/mpi.md describes the file, docs/tune.md how it is made). */
#ifndef EXPERIMENTS_DECIDE_TUNE_DECISIONS_H
#define EXPERIMENTS_DECIDE_TUNE_DECISIONS_H

#include <stdio.h>

#include "experiments/decide/tune_curves.h"

struct tune_decisions_request {
    const char *results; /* name of the results file */
    double tolerance;    /* share of the time by which one F for several m may be slower at each of
                          * them, 0.02 */
    double margin; /* share of the MPI library's own time by which another algorithm must be faster,
                    * 0.05 */
    bool everywhere;          /* as in rules.h; elsewhere the library decides as without a file */
    const char (*notes)[200]; /* notes for readers of the file, one line each */
    int32_t note_count;
    const char *simulated; /* lines for the file's head; NULL: none */
};

/* Write errors show in the stream. RB_EINVAL unless all rows are of one machine and way to run (the
 * message names the option that chooses), of one port and of algorithms that the library has. */
int tune_decisions_write(const struct tune_curves *data,
                         const struct tune_decisions_request *request, FILE *stream,
                         struct sup_error *error);

/* RB_EINVAL unless all rows are of one machine and way to run, so that they make one file of this
 * --format; with any_ppn their numbers of ranks per host may differ. */
int tune_check_settings(const struct tune_curves *data, const char *format, bool any_ppn,
                        struct sup_error *error);

#endif
