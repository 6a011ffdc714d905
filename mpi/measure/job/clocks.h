/* clocks.h - the clocks of a communicator's ranks in terms of rank 0's (clock_fit.h). */
#ifndef RB_MPI_MEASURE_JOB_CLOCKS_H
#define RB_MPI_MEASURE_JOB_CLOCKS_H

#include <mpi.h>

#include "mpi/measure/clock_fit.h"

enum { RB_CLOCK_MEMORY = 16 };

struct rb_clocks {
    struct rb_clock clock;                          /* this rank's; rank 0's is the reference */
    struct rb_clock_sample sample[RB_CLOCK_MEMORY]; /* the latest, oldest first */
    size_t count;
    double error_s; /* rank 0's: the most that any rank's offset was wrong by when last asked */
};

/* Asks again, one rank after the other; collective. The more often it is called, the better the
 * drift is known. */
void rb_clocks_ask(struct rb_clocks *clocks, MPI_Comm comm);

double rb_clocks_now_s(const struct rb_clocks *clocks);

#endif
