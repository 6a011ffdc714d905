/* traced_programs.c - three programs whose time-independent traces time_independent.sh compares: a
 * stencil with halos beside computing, a wavefront of blocking messages, and collectives. */
#include <mpi.h>
#include <smpi/smpi.h>
#include <string.h>

static double a[1 << 17], b[1 << 17];

static void run_stencil(int rank, int ranks)
{
    static double edge[4][4096], norm, all;
    for (int i = 0; i < 5; i++) {
        MPI_Request request[4];
        int n = 0;
        for (int side = 0; side < 2; side++) {
            const int peer = rank + 2 * side - 1;
            if (peer < 0 || peer >= ranks)
                continue;
            MPI_Irecv(edge[side], 4096, MPI_DOUBLE, peer, 1 - side, MPI_COMM_WORLD, &request[n++]);
            MPI_Isend(edge[2 + side], 4096, MPI_DOUBLE, peer, side, MPI_COMM_WORLD, &request[n++]);
        }
        smpi_execute_flops(2e5);
        MPI_Waitall(n, request, MPI_STATUSES_IGNORE);
        smpi_execute_flops(1e4 * (1 + rank));
        MPI_Allreduce(&norm, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
}

/* Ranks do not wait for what is below 64 KiB. */
static void run_wavefront(int rank, int ranks)
{
    int flag;
    MPI_Request request;
    for (int i = 0; i < 6; i++) {
        if (rank > 0)
            MPI_Recv(a, 1 << 20, MPI_BYTE, rank - 1, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        smpi_execute_flops(3e4);
        if (rank + 1 < ranks)
            MPI_Send(a, i % 2 ? 2000 : 200000, MPI_BYTE, rank + 1, i, MPI_COMM_WORLD);
    }
    MPI_Sendrecv(a, 300000, MPI_BYTE, (rank + 1) % ranks, 9, b, 300000, MPI_BYTE,
                 (rank + ranks - 1) % ranks, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Irecv(b, 10, MPI_BYTE, rank ^ 1, 3, MPI_COMM_WORLD, &request);
    MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    MPI_Send(a, 10, MPI_BYTE, rank ^ 1, 3, MPI_COMM_WORLD);
    if (!flag)
        MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void run_collectives(int rank, int ranks)
{
    int counts[64], displs[64], sum = 0;
    MPI_Bcast(a, 100000, MPI_INT, 2, MPI_COMM_WORLD);
    smpi_execute_flops(1e5 * (1 + rank % 3));
    MPI_Reduce(a, b, 30000, MPI_DOUBLE, MPI_SUM, 1, MPI_COMM_WORLD);
    MPI_Allgather(a, 5000, MPI_DOUBLE, b, 5000, MPI_DOUBLE, MPI_COMM_WORLD);
    MPI_Alltoall(a, 7000, MPI_FLOAT, b, 7000, MPI_FLOAT, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Gather(a, 3000, MPI_DOUBLE, b, 3000, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Scatter(a, 300, MPI_DOUBLE, b, 300, MPI_DOUBLE, 3, MPI_COMM_WORLD);
    MPI_Scan(a, b, 100, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int r = 0; r < ranks; r++) {
        counts[r] = 1000 + r;
        displs[r] = sum;
        sum += counts[r];
    }
    MPI_Allgatherv(a, counts[rank], MPI_DOUBLE, b, counts, displs, MPI_DOUBLE, MPI_COMM_WORLD);
    MPI_Gatherv(a, counts[rank], MPI_DOUBLE, b, counts, displs, MPI_DOUBLE, 1, MPI_COMM_WORLD);
    MPI_Scatterv(a, counts, displs, MPI_DOUBLE, b, counts[rank], MPI_DOUBLE, 1, MPI_COMM_WORLD);
    MPI_Reduce_scatter(a, b, counts, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int r = 0; r < ranks; r++)
        counts[r] = 100 + r + rank;
    MPI_Alltoallv(a, counts, displs, MPI_DOUBLE, b, counts, displs, MPI_DOUBLE, MPI_COMM_WORLD);
    MPI_Allreduce(a, b, 20000, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (strcmp(argv[1], "stencil") == 0)
        run_stencil(rank, ranks);
    else if (strcmp(argv[1], "wavefront") == 0)
        run_wavefront(rank, ranks);
    else
        run_collectives(rank, ranks);
    MPI_Finalize();
    return 0;
}
