/* runs.h - the times of one row's runs, and when there are enough of them. */
#ifndef RB_MPI_MEASURE_JOB_RUNS_H
#define RB_MPI_MEASURE_JOB_RUNS_H

#include "mpi/measure/measured.h"
#include "mpi/measure/request.h"
#include "mpi/measure/statistics.h"

struct rb_runs {
    double *time_s; /* owned; room for the request's most runs */
    int64_t count;  /* of these */
    int64_t disturbed, discarded;
    int64_t look;              /* at which count the interval is looked at next */
    double spent_s;            /* on these and on what was discarded */
    struct rb_summary summary; /* when it was last looked at */
    bool settled;
};

/* RB_ENOMEM. */
int rb_runs_init(struct rb_runs *runs, const struct rb_measure_request *request);
void rb_runs_free(struct rb_runs *runs);

/* Adds a time; spent_s is what it took in all. Disturbed runs are discarded as long as there is
 * reason to hope for others: until the runs or the time for a row are used up. Where all are bound
 * to be disturbed (hopeless), they count. */
void rb_runs_add(struct rb_runs *runs, const struct rb_measure_request *request, double time_s,
                 double spent_s, bool disturbed, bool hopeless);
/* Enough: the interval is narrow, or runs or time are used up. */
bool rb_runs_done(struct rb_runs *runs, const struct rb_measure_request *request);
/* Fills the row's figures; count >= 1. */
void rb_runs_report(struct rb_runs *runs, struct rb_measured *row);

#endif
