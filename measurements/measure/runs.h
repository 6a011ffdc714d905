/* runs.h - the times of one row's runs; decides when there are enough of them, and which count.
 *
 * A disturbed run takes longer than it would alone, so such runs don't count unless hardly any
 * other is there. What is left may still have been slowed down (by a shared cache, by a
 * hypervisor), and never hastened: the low quantile of the times that count resists that better
 * than their median. Runs come in passes, which lie apart in time; if the least times of the odd
 * and of the even passes agree, more passes would hardly give another result. */
#ifndef MEASUREMENTS_MEASURE_RUNS_H
#define MEASUREMENTS_MEASURE_RUNS_H

#include "measurements/measure/measured.h"
#include "measurements/measure/request.h"
#include "measurements/measure/statistics.h"

struct measure_runs {
    double *time_s;           /* owned; of undisturbed runs */
    int64_t count;            /* of these */
    double *disturbed_time_s; /* owned; of runs that count only if hardly any other is there */
    int64_t disturbed_count;
    int64_t disturbed;              /* all disturbed runs, also those that count from the start */
    double least_s[2][2];           /* of the even and of the odd passes; [1]: disturbed */
    int64_t look;                   /* the count at which the interval is computed next */
    double spent_s;                 /* time spent on all runs */
    struct measure_summary summary; /* the summary when it was last computed */
    bool settled;
};

void measure_runs_init(struct measure_runs *runs, const struct measure_request *request);
void measure_runs_free(struct measure_runs *runs); /* safe on a zeroed struct */

/* Forgets the runs so far, but not the time spent on them. */
void measure_runs_restart(struct measure_runs *runs, const struct measure_request *request);

/* A run. */
struct measure_run {
    double time_s;
    double spent_s; /* on the run in all */
    int64_t pass;   /* counted from 0 */
    bool disturbed;
    bool hopeless; /* all runs must be disturbed, so they count */
};
void measure_runs_add(struct measure_runs *runs, const struct measure_run *run);
/* True if the interval is narrow enough and the passes agree, or runs or time are used up. */
bool measure_runs_done(struct measure_runs *runs, const struct measure_request *request);
/* Fills the row's figures; after one run or more. Nothing can be added any more. */
void measure_runs_report(struct measure_runs *runs, struct measure_result *row);

#endif
