/* mpi_short.c - short calls of ours beside the MPI library's own, in turn.
 *
 *   mpirun -n P mpi_short bcast|reduce|allreduce|allgather|alltoall SETTING [BATCHES]
 *   mpirun -n 2 mpi_short bcast binomial
 *
 * CSV: collective, setting, p, bytes (of a rank's own data; in alltoall for each other rank),
 * own_us, ours_us: the median over the batches of a call's time, at the slowest rank, in a batch of
 * 200 calls without a pause; ratio, low, high: median and quartiles of ours / own of two batches
 * that follow each other. Which of the two comes first alternates. */
#include <roundabout-mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1001, CALLS = 200, MOST_BYTES = 8 << 10 };

static int n; /* ints */
static int *sent, *received;

static void bcast(bool ours)
{
    (ours ? RB_Bcast : PMPI_Bcast)(received, n, MPI_INT, 0, MPI_COMM_WORLD);
}

static void reduce(bool ours)
{
    (ours ? RB_Reduce : PMPI_Reduce)(sent, received, n, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
}

static void allreduce(bool ours)
{
    (ours ? RB_Allreduce : PMPI_Allreduce)(sent, received, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void allgather(bool ours)
{
    (ours ? RB_Allgather : PMPI_Allgather)(sent, n, MPI_INT, received, n, MPI_INT, MPI_COMM_WORLD);
}

static void alltoall(bool ours)
{
    (ours ? RB_Alltoall : PMPI_Alltoall)(sent, n, MPI_INT, received, n, MPI_INT, MPI_COMM_WORLD);
}

static const struct {
    const char *name;
    void (*call)(bool ours);
} benches[] = {{"bcast", bcast},
               {"reduce", reduce},
               {"allreduce", allreduce},
               {"allgather", allgather},
               {"alltoall", alltoall}};

/* Of a call, at the slowest rank, in microseconds. */
static double time_of(void (*call)(bool ours), bool ours)
{
    PMPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    for (int i = 0; i < CALLS; i++)
        call(ours);
    double spent = (MPI_Wtime() - start) * 1e6 / CALLS;
    PMPI_Allreduce(MPI_IN_PLACE, &spent, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return spent;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void measure(int which, const char *setting, int batches)
{
    static double time[2][MOST], ratio[MOST];
    int rank, p;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    for (int i = -2; i < batches; i++) { /* two to warm up */
        for (int k = 0; k < 2; k++) {
            const bool ours = (i + k) & 1;
            const double spent = time_of(benches[which].call, ours);
            if (i >= 0)
                time[ours][i] = spent;
        }
        if (i >= 0)
            ratio[i] = time[1][i] / time[0][i];
    }
    qsort(time[0], (size_t)batches, sizeof *ratio, compare);
    qsort(time[1], (size_t)batches, sizeof *ratio, compare);
    qsort(ratio, (size_t)batches, sizeof *ratio, compare);
    if (rank == 0)
        printf("%s,%s,%d,%d,%.2f,%.2f,%.2f,%.2f,%.2f\n", benches[which].name, setting, p, 4 * n,
               time[0][batches / 2], time[1][batches / 2], ratio[batches / 2], ratio[batches / 4],
               ratio[batches - 1 - batches / 4]);
}

int main(int argc, char **argv)
{
    int rank, p, which = 0, batches = argc > 3 ? atoi(argv[3]) : 101;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    batches = batches < 1 ? 1 : batches > MOST ? MOST : batches;
    const int known = (int)(sizeof benches / sizeof benches[0]);
    while (argc > 1 && which < known && strcmp(benches[which].name, argv[1]) != 0)
        which++;
    const int error = which == known ? MPI_ERR_ARG
                      : argc > 2     ? RB_Choose(argv[1], argv[2])
                                     : MPI_SUCCESS;
    if (error != MPI_SUCCESS)
        MPI_Comm_call_errhandler(MPI_COMM_WORLD, error);
    sent = calloc((size_t)p, MOST_BYTES);
    received = calloc((size_t)p, MOST_BYTES);
    if (sent == NULL || received == NULL)
        MPI_Abort(MPI_COMM_WORLD, 3);
    if (rank == 0)
        printf("collective,setting,p,bytes,own_us,ours_us,ratio,low,high\n");
    for (n = 2; 4 * n <= MOST_BYTES; n *= 4)
        measure(which, argc > 2 ? argv[2] : "by rule", batches);
    free(sent);
    free(received);
    MPI_Finalize();
    return 0;
}
