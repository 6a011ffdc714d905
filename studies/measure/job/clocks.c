/* clocks.c - the clocks of a communicator's ranks (job.h). */
#include "job.h"

#include <string.h>

#include "support/eta.h"

enum { EXCHANGES = 32, TURN_TAG = 1, CLOCK_TAG = 2 };

/* Rank 0 answers one rank. */
static void answer(int rank, MPI_Comm comm)
{
    double now_s;
    MPI_Send(NULL, 0, MPI_BYTE, rank, TURN_TAG, comm);
    for (int i = 0; i < EXCHANGES; i++) {
        MPI_Recv(NULL, 0, MPI_BYTE, rank, CLOCK_TAG, comm, MPI_STATUS_IGNORE);
        now_s = sup_clock_s();
        MPI_Send(&now_s, 1, MPI_DOUBLE, rank, CLOCK_TAG, comm);
    }
}

static void ask(struct job_clocks *clocks, MPI_Comm comm)
{
    struct measure_clock_sample sample[EXCHANGES];
    double reference_s;
    job_receive(NULL, 0, 0, TURN_TAG, comm);
    for (int i = 0; i < EXCHANGES; i++) {
        const double before_s = sup_clock_s();
        MPI_Send(NULL, 0, MPI_BYTE, 0, CLOCK_TAG, comm);
        MPI_Recv(&reference_s, 1, MPI_DOUBLE, 0, CLOCK_TAG, comm, MPI_STATUS_IGNORE);
        sample[i] = measure_clock_sample_of(before_s, reference_s, sup_clock_s());
    }
    if (clocks->count == JOB_CLOCK_MEMORY)
        memmove(clocks->sample, clocks->sample + 1, --clocks->count * sizeof *clocks->sample);
    clocks->sample[clocks->count++] = measure_clock_quickest(sample, EXCHANGES);
    clocks->clock = measure_clock_fit(clocks->sample, clocks->count);
}

void job_clocks_ask(struct job_clocks *clocks, MPI_Comm comm)
{
    int rank, ranks;
    double error_s = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    for (int r = 1; rank == 0 && r < ranks; r++)
        answer(r, comm);
    if (rank > 0) {
        ask(clocks, comm);
        error_s = clocks->sample[clocks->count - 1].round_trip_s / 2;
    }
    MPI_Reduce(&error_s, &clocks->error_s, 1, MPI_DOUBLE, MPI_MAX, 0, comm);
}

double job_clocks_now_s(const struct job_clocks *clocks)
{
    return measure_clock_reference(&clocks->clock, sup_clock_s());
}
