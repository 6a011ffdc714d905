/* mpi_speed.c - a collective of ours beside the MPI library's own, in turn.
 *
 *   mpirun -n P mpi_speed bcast|allgather|allreduce|scan|exscan SETTING [REPETITIONS]
 *   mpirun -n 4 mpi_speed allgather ring:window=1
 *
 * CSV: collective, setting, p, bytes (of all the data), own_us, ours_us, ratio: medians over the
 * repetitions of the slowest rank's time, and of ours / own within a repetition. Each repetition
 * begins with a barrier, and which of the two comes first alternates. */
#include <inttypes.h>
#include <roundabout-mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1001 };

struct bench {
    const char *collective;
    int p;
    int64_t bytes;
    int *sent, *received;
};

static void run(const struct bench *bench, int ours)
{
    const int ints = (int)(bench->bytes / 4), part = ints / bench->p;
    if (strcmp(bench->collective, "bcast") == 0)
        (ours ? RB_Bcast : MPI_Bcast)(bench->received, ints, MPI_INT, 0, MPI_COMM_WORLD);
    else if (strcmp(bench->collective, "allgather") == 0)
        (ours ? RB_Allgather : MPI_Allgather)(bench->sent, part, MPI_INT, bench->received, part,
                                              MPI_INT, MPI_COMM_WORLD);
    else if (strcmp(bench->collective, "scan") == 0)
        (ours ? RB_Scan : MPI_Scan)(bench->sent, bench->received, ints, MPI_INT, MPI_SUM,
                                    MPI_COMM_WORLD);
    else if (strcmp(bench->collective, "exscan") == 0)
        (ours ? RB_Exscan : MPI_Exscan)(bench->sent, bench->received, ints, MPI_INT, MPI_SUM,
                                        MPI_COMM_WORLD);
    else
        (ours ? RB_Allreduce : MPI_Allreduce)(bench->sent, bench->received, ints, MPI_INT, MPI_SUM,
                                              MPI_COMM_WORLD);
}

/* Of the slowest rank, in microseconds. */
static double time_of(const struct bench *bench, int ours)
{
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    run(bench, ours);
    double spent = (MPI_Wtime() - start) * 1e6;
    MPI_Allreduce(MPI_IN_PLACE, &spent, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return spent;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double value[], int count)
{
    qsort(value, (size_t)count, sizeof *value, compare);
    return value[count / 2];
}

int main(int argc, char **argv)
{
    static double time[2][MOST], ratio[MOST];
    int rank, repetitions = argc > 3 ? atoi(argv[3]) : 31;
    struct bench bench = {.collective = argc > 1 ? argv[1] : "bcast"};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &bench.p);
    repetitions = repetitions < 1 ? 1 : repetitions > MOST ? MOST : repetitions;
    const int error = argc > 2 ? RB_Choose(bench.collective, argv[2]) : MPI_SUCCESS;
    if (error != MPI_SUCCESS)
        MPI_Comm_call_errhandler(MPI_COMM_WORLD, error);
    if (rank == 0)
        printf("collective,setting,p,bytes,own_us,ours_us,ratio\n");
    for (bench.bytes = 1 << 10; bench.bytes <= 64 << 20; bench.bytes *= 8) {
        bench.sent = calloc((size_t)bench.bytes, 1);
        bench.received = calloc((size_t)bench.bytes, 1);
        for (int i = -2; i < repetitions; i++) /* two to warm up */
            for (int k = 0; k < 2; k++) {
                const int ours = (i + k) & 1;
                const double spent = time_of(&bench, ours);
                if (i >= 0)
                    time[ours][i] = spent;
            }
        for (int i = 0; i < repetitions; i++)
            ratio[i] = time[1][i] / time[0][i];
        const double own_us = median(time[0], repetitions), ours_us = median(time[1], repetitions);
        if (rank == 0)
            printf("%s,%s,%d,%" PRId64 ",%.1f,%.1f,%.2f\n", bench.collective,
                   argc > 2 ? argv[2] : "default", bench.p, bench.bytes, own_us, ours_us,
                   median(ratio, repetitions));
        free(bench.sent);
        free(bench.received);
    }
    MPI_Finalize();
    return 0;
}
