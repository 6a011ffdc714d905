/* clocks.h - the clocks of a communicator's ranks in terms of rank 0's (clock_fit.h). */
#ifndef MPI_MEASURE_JOB_CLOCKS_H
#define MPI_MEASURE_JOB_CLOCKS_H

#include <mpi.h>

#include "mpi/measure/clock_fit.h"

enum { JOB_CLOCK_MEMORY = 16 };

struct job_clocks {
    struct measure_clock clock; /* this rank's; rank 0's is the reference */
    struct measure_clock_sample sample[JOB_CLOCK_MEMORY]; /* the latest, oldest first */
    size_t count;
    double error_s; /* rank 0's: the most that any rank's offset was wrong by when last asked */
};

/* Asks again, one rank after the other; collective. The more often it is called, the better the
 * drift is known. */
void job_clocks_ask(struct job_clocks *clocks, MPI_Comm comm);

double job_clocks_now_s(const struct job_clocks *clocks);

#endif
