/* tune_rows.h - measured rows (experiments/rows) as the points of a results file in memory, so
 * that they have the filters and curves of simulated ones.
 *
 * A point's platform is the machine, its engine mpi:LIBRARY, and its time the median, with the
 * confidence interval, or the percentiles, as low and high. Algorithms have the names of the data.
 * A row without an overlap rule, such as the MPI library's own collective, is entered under each
 * rule of the file's other rows. Of rows of the same point the last counts. */
#ifndef EXPERIMENTS_DECIDE_TUNE_ROWS_H
#define EXPERIMENTS_DECIDE_TUNE_ROWS_H

#include <sqlite3.h>

#include "support/error.h"

#define TUNE_MEASURED_ENGINE "mpi"      /* what the engines of measured points begin with */
#define TUNE_NO_OVERLAP      "measured" /* the overlap rule if no row of a file has one */

/* RB_EINVAL with file and line, also if no row is of a collective; RB_EIO. The caller
 * closes db, also on failure. */
int tune_rows_open(const char *path, sqlite3 **db, struct sup_error *error);

#endif
