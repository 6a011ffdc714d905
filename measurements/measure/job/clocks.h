/* clocks.h - the clocks of a communicator's ranks in terms of rank 0's (clock_fit.h). */
#ifndef MEASUREMENTS_MEASURE_JOB_CLOCKS_H
#define MEASUREMENTS_MEASURE_JOB_CLOCKS_H

#include <mpi.h>

#include "measurements/measure/clock_fit.h"

enum { JOB_CLOCK_MEMORY = 16 };

struct job_clocks {
    struct measure_clock clock; /* this rank's; rank 0's is the reference */
    struct measure_clock_sample sample[JOB_CLOCK_MEMORY]; /* the latest, oldest first */
    size_t count;
    double error_s; /* at rank 0: the largest error of any rank's offset in the last
                     * synchronisation */
};

/* Synchronises again, one rank after the other; collective. More calls give a better estimate of
 * the drift. */
void job_clocks_ask(struct job_clocks *clocks, MPI_Comm comm);

double job_clocks_now_s(const struct job_clocks *clocks);

#endif
