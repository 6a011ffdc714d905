/* sweep.h - an experiment run: what is missing in the results file is simulated and added. */
#ifndef EXPERIMENTS_SWEEP_SWEEP_H
#define EXPERIMENTS_SWEEP_SWEEP_H

#include <stdbool.h>
#include <stdint.h>

#include "support/error.h"

struct sweep_request {
    const char *experiment; /* file */
    const char *results;    /* file; NULL: results/NAME.db, NAME the experiment's */
    int32_t jobs;           /* worker processes */
    double limit_s;         /* real time for a point; 0: no limit */
    bool retry_failed;
    int32_t shard, shards; /* this one (from 1) of so many */
    bool dry_run;          /* list the points and their estimated cost instead */
    /* Called in the end, when all points of a sweep that is no shard are in the results file: makes
     * the summary `tuning` and the figures in the directory `figures`, complains, and returns an
     * enum cli_exit. NULL: nothing is made. */
    int (*report)(const char *results, const char *tuning, const char *figures);
};

/* Does all that, complaining on standard error; paths made go to standard output. Returns an enum
 * cli_exit, or 128 + the number of the signal that ended it. */
int sweep_run(const struct sweep_request *request);

/* Adds results files to another, which is made if it isn't there, and exports that. With salvage
 * they may be damaged, and only what is sound is added. */
int sweep_merge(const char *const from[], int32_t count, const char *into, bool salvage);

/* Writes a line of standard output with the path of a file that was made. */
void sweep_print_path(const char *path);

#endif
