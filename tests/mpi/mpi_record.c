/* mpi_record.c - a program whose collectives and messages are recorded (mpi_record.sh): SUMMA with
 * nonblocking broadcasts in rows and columns, and a stencil with a halo and reductions; then, with
 * "odd", what can't be recorded. Of each rank it needs a square number in all. With LARGE it calls
 * MPI 4's functions with large counts where there are such. */
#define _POSIX_C_SOURCE 200809L

#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined LARGE && MPI_VERSION >= 4
typedef MPI_Count count;
typedef MPI_Aint place;
#define MPI_Ibcast         MPI_Ibcast_c
#define MPI_Irecv          MPI_Irecv_c
#define MPI_Isend          MPI_Isend_c
#define MPI_Allreduce      MPI_Allreduce_c
#define MPI_Allgatherv     MPI_Allgatherv_c
#define MPI_Gatherv        MPI_Gatherv_c
#define MPI_Scatter        MPI_Scatter_c
#define MPI_Alltoall       MPI_Alltoall_c
#define MPI_Reduce_scatter MPI_Reduce_scatter_c
#define MPI_Bcast          MPI_Bcast_c
#define MPI_Isendrecv      MPI_Isendrecv_c
#define MPI_Allreduce_init MPI_Allreduce_init_c
#else
typedef int count, place;
#endif

enum { STEPS = 6, PANEL = 2048, HALO = 512 };

/* Busy for so long. */
static void compute(double seconds)
{
    const double end = MPI_Wtime() + seconds;
    while (MPI_Wtime() < end)
        continue;
}

static void summa(MPI_Comm rows, MPI_Comm columns, int side)
{
    static double a[PANEL], b[PANEL];
    MPI_Status status[2];
    for (int k = 0; k < STEPS; k++) {
        MPI_Request panel[2];
        MPI_Ibcast(a, PANEL, MPI_DOUBLE, k % side, rows, &panel[0]);
        MPI_Ibcast(b, PANEL, MPI_DOUBLE, k % side, columns, &panel[1]);
        compute(1e-4);
        MPI_Waitall(2, panel, status);
    }
}

static void stencil(MPI_Comm world, int rank, int p)
{
    static double out[2][HALO], in[2][HALO];
    const int left = (rank + p - 1) % p, right = (rank + 1) % p;
    double mine = rank, all;
    MPI_Status status[4];
    for (int k = 0; k < STEPS; k++) {
        for (int half = 0; half < 2; half++) {
            MPI_Request request[4];
            MPI_Irecv(in[0], HALO, MPI_DOUBLE, left, 1, world, &request[0]);
            MPI_Irecv(in[1], HALO, MPI_DOUBLE, right, 2, world, &request[1]);
            MPI_Isend(out[0], HALO, MPI_DOUBLE, right, 1, world, &request[2]);
            MPI_Isend(out[1], HALO, MPI_DOUBLE, left, 2, world, &request[3]);
            compute(1e-4);
            MPI_Waitall(4, request, status);
        }
        MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, world);
    }
}

/* Counts that differ, roots, and what comes once. */
static void others(MPI_Comm world, int rank, int p)
{
    enum { MOST = 64 };
    int in[MOST * MOST] = {0}, out[MOST * MOST] = {0};
    count counts[MOST];
    place places[MOST];
    for (int i = 0; i < p; i++) {
        counts[i] = i + 1;
        places[i] = i * (i + 1) / 2;
    }
    MPI_Allgatherv(in, rank + 1, MPI_INT, out, counts, places, MPI_INT, world);
    MPI_Gatherv(in, rank + 1, MPI_INT, out, counts, places, MPI_INT, p - 1, world);
    MPI_Scatter(in, 3, MPI_INT, out, 3, MPI_INT, 0, world);
    MPI_Alltoall(in, 2, MPI_INT, out, 2, MPI_INT, world);
    MPI_Reduce_scatter(in, out, counts, MPI_INT, MPI_MAX, world);
    MPI_Barrier(world);
    MPI_Bcast(in, 1, MPI_INT, 0, world); /* no loop: only the end of both is the same */
    MPI_Barrier(world);
}

/* A persistent reduction, an exchange that is started and a message in two parts, where the MPI
 * library has them. */
static void persistent(MPI_Comm world)
{
#if MPI_VERSION >= 4
    MPI_Request request;
    int mine = 1, all, rank, p, parts[4] = {0};
    MPI_Comm_rank(world, &rank);
    MPI_Comm_size(world, &p);
    MPI_Isendrecv(&mine, 1, MPI_INT, (rank + 1) % p, 3, &all, 1, MPI_INT, (rank + p - 1) % p, 3,
                  world, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Allreduce_init(&mine, &all, 1, MPI_INT, MPI_SUM, world, MPI_INFO_NULL, &request);
    for (int i = 0; i < 3; i++) {
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&request);
    if (rank < 2) {
        if (rank == 0)
            MPI_Psend_init(parts, 2, 2, MPI_INT, 1, 4, world, MPI_INFO_NULL, &request);
        else
            MPI_Precv_init(parts, 2, 2, MPI_INT, 0, 4, world, MPI_INFO_NULL, &request);
        MPI_Start(&request);
        if (rank == 0) {
            MPI_Pready(1, request);
            MPI_Pready_range(0, 0, request);
        }
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Request_free(&request);
    }
#else
    (void)world;
#endif
}

/* An inter-communicator of the two halves; communicators that are freed before others. */
static void odd(MPI_Comm world, int rank, int p)
{
    MPI_Comm half, inter;
    MPI_Comm_split(world, rank < p / 2, rank, &half);
    MPI_Intercomm_create(half, 0, world, rank < p / 2 ? p / 2 : 0, 5, &inter);
    MPI_Barrier(inter);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
    for (int i = 0; i < 8; i++) { /* of one handle, where the MPI library gives it again */
        MPI_Comm_split(world, i % 2 == 0 ? rank % 2 : rank < p / 2, i < 7 ? rank : -rank, &half);
        MPI_Barrier(half);
        MPI_Comm_free(&half);
    }
}

static void *reduce(void *comm)
{
    double mine = 1, all;
    for (int i = 0; i < 5; i++)
        MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, *(MPI_Comm *)comm);
    return NULL;
}

static void *wait_for(void *request)
{
    MPI_Wait(request, MPI_STATUS_IGNORE);
    return NULL;
}

/* Another thread calls, too, and waits for what this one starts, more often than slots are. */
static void threads(void)
{
    MPI_Comm own;
    pthread_t other;
    double mine = 1, all;
    for (int i = 0; i < 70; i++) {
        MPI_Request request;
        MPI_Iallreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
        if (pthread_create(&other, NULL, wait_for, &request) == 0)
            pthread_join(other, NULL);
    }
    MPI_Comm_dup(MPI_COMM_WORLD, &own);
    if (pthread_create(&other, NULL, reduce, &own) == 0) {
        MPI_Barrier(MPI_COMM_WORLD);
        pthread_join(other, NULL);
    }
    MPI_Comm_free(&own);
}

/* Without MPI_COMM_WORLD, where the MPI library has sessions; fails where not. */
static int session(void)
{
#if MPI_VERSION >= 4
    MPI_Session made;
    return MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &made) != MPI_SUCCESS ||
           MPI_Session_finalize(&made) != MPI_SUCCESS;
#else
    return 1;
#endif
}

int main(int argc, char *argv[])
{
    if (argc > 1 && strcmp(argv[1], "session") == 0)
        return session();
    const int threaded = argc > 1 && strcmp(argv[1], "threads") == 0;
    int rank, p, level, side = 1;
    MPI_Comm rows, columns;
    MPI_Init_thread(&argc, &argv, threaded ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
    if (threaded && level == MPI_THREAD_MULTIPLE)
        threads();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    while (side * side < p)
        side++;
    MPI_Comm_split(MPI_COMM_WORLD, rank / side, rank, &rows);
    MPI_Comm_split(MPI_COMM_WORLD, rank % side, rank, &columns);
    summa(rows, columns, side);
    if (argc == 1 || strcmp(argv[1], "summa") != 0) {
        stencil(MPI_COMM_WORLD, rank, p);
        others(MPI_COMM_WORLD, rank, p);
        persistent(MPI_COMM_WORLD);
    }
    if (argc > 1 && strcmp(argv[1], "odd") == 0)
        odd(MPI_COMM_WORLD, rank, p);
    if (argc > 1 && strcmp(argv[1], "die") == 0) { /* a second later the buffer is written */
        sleep(1);
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == p - 1)
            abort();
        sleep(10);
    }
    MPI_Comm_free(&rows);
    MPI_Comm_free(&columns);
    MPI_Finalize();
    return 0;
}
