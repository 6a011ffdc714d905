/* runs.h - the times of one row's runs; decides when there are enough of them. */
#ifndef MPI_MEASURE_JOB_RUNS_H
#define MPI_MEASURE_JOB_RUNS_H

#include "mpi/measure/measured.h"
#include "mpi/measure/request.h"
#include "mpi/measure/statistics.h"

struct job_runs {
    double *time_s; /* owned; room for the request's most runs */
    int64_t count;  /* of these */
    int64_t disturbed, discarded;
    int64_t look;                   /* the count at which the interval is computed next */
    double spent_s;                 /* time spent on these and on discarded runs */
    struct measure_summary summary; /* the summary when it was last computed */
    bool settled;
};

/* RB_ENOMEM. */
int job_runs_init(struct job_runs *runs, const struct measure_request *request);
void job_runs_free(struct job_runs *runs);

/* Adds a time; spent_s is the run's total time. Disturbed runs are discarded until the runs or the
 * time for a row are used up. If all runs must be disturbed (hopeless), they count. */
void job_runs_add(struct job_runs *runs, const struct measure_request *request, double time_s,
                  double spent_s, bool disturbed, bool hopeless);
/* True if the interval is narrow enough, or runs or time are used up. */
bool job_runs_done(struct job_runs *runs, const struct measure_request *request);
/* Fills the row's figures; count >= 1. */
void job_runs_report(struct job_runs *runs, struct measure_result *row);

#endif
