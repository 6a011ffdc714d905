/* mpi_growth.c - millions of short calls, on a communicator that stays and on such as come and go,
 * with the library preloaded: memory doesn't grow with their number.
 *
 *   mpirun -n P mpi_growth CALLS
 *
 * Exit status 1 if the last half of the calls made a rank's resident memory grow by 1 MiB. */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64, CALLS_OF_ONE = 20000, KIB_ALLOWED = 1024 };

static long resident_kib(void)
{
    char line[256];
    long kib = -1;
    FILE *file = fopen("/proc/self/status", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (strncmp(line, "VmRSS:", 6) == 0)
            kib = strtol(line + 6, NULL, 10);
    if (file != NULL)
        fclose(file);
    return kib;
}

/* Eight collectives, of 1 to MOST numbers, from changing roots. */
static void call(MPI_Comm comm, int p, long k)
{
    static int sent[8 * MOST], received[8 * MOST];
    const int count = 1 + (int)(k % MOST), root = (int)(k % p);
    switch (k / 7 % 8) {
    case 0:
        MPI_Bcast(received, count, MPI_INT, root, comm);
        break;
    case 1:
        MPI_Reduce(sent, received, count, MPI_INT, MPI_SUM, root, comm);
        break;
    case 2:
        MPI_Allreduce(sent, received, count, MPI_INT, MPI_SUM, comm);
        break;
    case 3:
        MPI_Allgather(sent, count, MPI_INT, received, count, MPI_INT, comm);
        break;
    case 4:
        MPI_Reduce_scatter_block(sent, received, count, MPI_INT, MPI_SUM, comm);
        break;
    case 5:
        MPI_Alltoall(sent, count, MPI_INT, received, count, MPI_INT, comm);
        break;
    case 6:
        MPI_Scan(sent, received, count, MPI_INT, MPI_SUM, comm);
        break;
    default:
        MPI_Gather(sent, count, MPI_INT, received, count, MPI_INT, root, comm);
    }
}

int main(int argc, char **argv)
{
    MPI_Comm comm;
    int p, rank, grew, any;
    long before = 0;
    MPI_Init(&argc, &argv);
    const long calls = argc > 1 ? strtol(argv[1], NULL, 10) : 0;
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (p > 8 || calls < 1)
        MPI_Abort(MPI_COMM_WORLD, 2);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (long k = 0; k < calls; k++) {
        if (k == calls / 2)
            before = resident_kib();
        if (k % CALLS_OF_ONE == 0) {
            MPI_Comm_free(&comm);
            MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        }
        call(k % 2 == 0 ? MPI_COMM_WORLD : comm, p, k);
    }
    const long after = resident_kib();
    grew = before < 0 || after - before > KIB_ALLOWED;
    MPI_Allreduce(&grew, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    printf("rank %d: %ld KiB after %ld calls, %ld KiB after %ld\n", rank, before, calls / 2, after,
           calls);
    MPI_Finalize();
    return any;
}
