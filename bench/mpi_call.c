/* mpi_call.c - what a call costs besides its messages: an unmodified program, to be run on one rank
 * with the preloaded library and without, with a report and without.
 *
 *   [LD_PRELOAD=... [RB_REPORT=FILE] [RB_DECISIONS=FILE]] mpi_call_openmpi
 *
 * Prints the median over batches of the time of MPI_Bcast and MPI_Allreduce of one int. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { BATCHES = 101, BATCH = 10000 };

static int by_value(const void *a, const void *b)
{
    const double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

static double bcast_s(void)
{
    int value = 1;
    const double start = MPI_Wtime();
    for (int i = 0; i < BATCH; i++)
        MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return (MPI_Wtime() - start) / BATCH;
}

static double allreduce_s(void)
{
    int value = 1;
    const double start = MPI_Wtime();
    for (int i = 0; i < BATCH; i++)
        MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return (MPI_Wtime() - start) / BATCH;
}

static void print_median(const char *name, double (*run)(void))
{
    double times[BATCHES];
    for (int i = 0; i < BATCHES; i++)
        times[i] = run();
    qsort(times, BATCHES, sizeof times[0], by_value);
    printf("%s: %.0f ns\n", name, times[BATCHES / 2] * 1e9);
}

int main(int argc, char *argv[])
{
    MPI_Init(&argc, &argv);
    print_median("MPI_Bcast", bcast_s);
    print_median("MPI_Allreduce", allreduce_s);
    MPI_Finalize();
    return 0;
}
