/* mpi_many_communicators.c - what communicators cost a program that makes many and uses few.
 *
 *   mpirun -n P mpi_many_communicators_openmpi [COUNT [EVERY]]
 *
 * makes COUNT duplicates of MPI_COMM_WORLD, one after the other, broadcasts eight bytes on one of
 * EVERY, and frees them; prints the time. To be run with the preloaded library and without. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    const int count = argc > 1 ? atoi(argv[1]) : 10000, every = argc > 2 ? atoi(argv[2]) : 10;
    int rank;
    long long value = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    for (int i = 0; i < count; i++) {
        MPI_Comm comm;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        if (i % every == 0)
            MPI_Bcast(&value, 1, MPI_LONG_LONG, 0, comm);
        MPI_Comm_free(&comm);
    }
    const double time = MPI_Wtime() - start;
    if (rank == 0)
        printf("%d communicators, one of %d used: %.3f s\n", count, every, time);
    MPI_Finalize();
    return 0;
}
