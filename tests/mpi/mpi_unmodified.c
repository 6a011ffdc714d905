/* mpi_unmodified.c - an MPI program as others write them, which knows nothing of Roundabout.
 *
 *   mpirun -n P mpi_unmodified [--threads | --elsewhere | --nothing | --after FILE]
 *
 * Collectives on all ranks and on halves, in place and not, an operator that doesn't commute, an
 * inter-communicator, an error that a handler gets; with --threads two threads at once, each with
 * a communicator of its own; with --elsewhere it changes to another directory;
 * with --nothing it only starts MPI and ends it, with --after not before the file is there. Exit
 * status 1 if a result is wrong. */
#define _DEFAULT_SOURCE /* usleep */

#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <unistd.h>

enum { COUNT = 30000 }; /* ints: 120 KB */

static atomic_int wrong;
static void expect(bool good, const char *what)
{
    if (!good) {
        fprintf(stderr, "wrong: %s\n", what);
        wrong++;
    }
}

/* Element i of a rank. */
static int element(int rank, int i)
{
    return (rank + 1) * 1000 + i % 977;
}

static void fill(int data[], int rank, int count)
{
    for (int i = 0; i < count; i++)
        data[i] = element(rank, i);
}

/* True if data is the sum over the ranks of their elements from `first` on. */
static bool is_sum(const int data[], int ranks, int count, int first)
{
    for (int i = 0; i < count; i++) {
        int sum = 0;
        for (int r = 0; r < ranks; r++)
            sum += element(r, first + i);
        if (data[i] != sum)
            return false;
    }
    return true;
}

static bool is_of(const int data[], int rank, int count)
{
    for (int i = 0; i < count; i++)
        if (data[i] != element(rank, i))
            return false;
    return true;
}

static void run_moving(MPI_Comm comm, int p, int rank)
{
    int *data = calloc((size_t)(p * COUNT), sizeof *data), *counts = calloc((size_t)p, sizeof(int)),
        *displs = calloc((size_t)p, sizeof(int));
    fill(data, rank, COUNT);
    MPI_Bcast(data, COUNT, MPI_INT, p - 1, comm);
    expect(is_of(data, p - 1, COUNT), "MPI_Bcast");

    fill(data + rank * 10, rank, 10);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, data, 10, MPI_INT, comm);
    for (int i = 0; i < p; i++)
        expect(is_of(data + i * 10, i, 10), "MPI_Allgather");

    for (int i = 0; i < p; i++) {
        counts[i] = i % 3 * 100;
        displs[i] = (p - 1 - i) * 300;
    }
    fill(data + displs[rank], rank, counts[rank]);
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, data, counts, displs, MPI_INT, comm);
    for (int i = 0; i < p; i++)
        expect(is_of(data + displs[i], i, counts[i]), "MPI_Allgatherv");

    fill(data, rank, p * 5); /* element 5 d of rank s becomes element 5 s of rank d */
    MPI_Alltoall(data, 5, MPI_INT, data + p * 5, 5, MPI_INT, comm);
    for (int i = 0; i < p; i++)
        expect(data[p * 5 + i * 5] == element(i, rank * 5), "MPI_Alltoall");
    for (int i = 0; i < p; i++) {
        counts[i] = (rank + i) % 3;
        displs[i] = i * 5;
    }
    fill(data, rank, p * 5);
    MPI_Alltoallv(data, counts, displs, MPI_INT, data + p * 5, counts, displs, MPI_INT, comm);
    for (int i = 0; i < p; i++)
        expect(counts[i] == 0 || data[p * 5 + i * 5] == element(i, rank * 5), "MPI_Alltoallv");

    fill(data, rank, p * 7);
    MPI_Scatter(data, 7, MPI_INT, data + p * 7, 7, MPI_INT, p - 1, comm);
    for (int i = 0; i < 7; i++)
        expect(data[p * 7 + i] == element(p - 1, rank * 7 + i), "MPI_Scatter");
    MPI_Gather(data, 7, MPI_INT, data + p * 7, 7, MPI_INT, 0, comm);
    for (int i = 0; i < p && rank == 0; i++)
        expect(is_of(data + (p + i) * 7, i, 7), "MPI_Gather");
    free(data);
    free(counts);
    free(displs);
}

static void run_combining(MPI_Comm comm, int p, int rank)
{
    int *data = calloc((size_t)(p * COUNT), sizeof *data), *result = calloc(COUNT, sizeof *result);
    int *counts = calloc((size_t)p, sizeof *counts);
    fill(data, rank, p * COUNT);
    MPI_Reduce(data, result, COUNT, MPI_INT, MPI_SUM, 0, comm);
    expect(rank != 0 || is_sum(result, p, COUNT, 0), "MPI_Reduce");
    MPI_Allreduce(data, result, COUNT, MPI_INT, MPI_SUM, comm);
    expect(is_sum(result, p, COUNT, 0), "MPI_Allreduce");
    fill(result, rank, 3);
    MPI_Allreduce(MPI_IN_PLACE, result, 3, MPI_INT, MPI_SUM, comm);
    expect(is_sum(result, p, 3, 0), "MPI_Allreduce in place");
    MPI_Reduce_scatter_block(data, result, 20, MPI_INT, MPI_SUM, comm);
    expect(is_sum(result, p, 20, rank * 20), "MPI_Reduce_scatter_block");
    for (int i = 0; i < p; i++)
        counts[i] = 20;
    MPI_Reduce_scatter(data, result, counts, MPI_INT, MPI_SUM, comm);
    expect(is_sum(result, p, 20, rank * 20), "MPI_Reduce_scatter");
    MPI_Scan(data, result, 11, MPI_INT, MPI_SUM, comm);
    expect(is_sum(result, rank + 1, 11, 0), "MPI_Scan");
    MPI_Exscan(data, result, 11, MPI_INT, MPI_SUM, comm);
    expect(rank == 0 || is_sum(result, rank, 11, 0), "MPI_Exscan");
    free(data);
    free(result);
    free(counts);
}

static void run_on(MPI_Comm comm)
{
    int p, rank;
    MPI_Comm_size(comm, &p);
    MPI_Comm_rank(comm, &rank);
    run_moving(comm, p, rank);
    run_combining(comm, p, rank);
}

/* The left operand: it associates and doesn't commute. */
static void take_left(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    memcpy(inout, in, (size_t)*count * sizeof(int));
}

static void run_ordered(void)
{
    MPI_Op left;
    int rank, p, result = -1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    MPI_Op_create(take_left, 0, &left);
    MPI_Reduce(&rank, &result, 1, MPI_INT, left, p - 1, MPI_COMM_WORLD);
    expect(rank != p - 1 || result == 0, "an operator that doesn't commute");
    MPI_Allreduce(&rank, &result, 1, MPI_INT, left, MPI_COMM_WORLD);
    expect(result == 0, "MPI_Allreduce with it");
    MPI_Op_free(&left);
}

static void run_halves(void)
{
    int p, rank, value;
    MPI_Comm half, inter;
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (p < 2)
        return;
    const bool lower = rank < p / 2;
    MPI_Comm_split(MPI_COMM_WORLD, lower, rank, &half);
    run_on(half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, lower ? p / 2 : 0, 1, &inter);
    value = rank == 0 ? 42 : 7;
    MPI_Bcast(&value, 1, MPI_INT, !lower ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL, inter);
    expect(value == (rank == 0 || !lower ? 42 : 7), "MPI_Bcast between groups");
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
}

static int handled;
static void handle(MPI_Comm *comm, int *error, ...)
{
    (void)comm;
    handled += *error != MPI_SUCCESS;
}

static void run_errors(void)
{
    MPI_Comm comm;
    MPI_Errhandler handler;
    int value = 0;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_create_errhandler(handle, &handler);
    MPI_Comm_set_errhandler(comm, handler);
    expect(MPI_Bcast(&value, 1, MPI_INT, -7, comm) != MPI_SUCCESS && handled == 1, "a wrong root");
    MPI_Errhandler_free(&handler);
    MPI_Comm_free(&comm);
}

static int run_thread(void *comm)
{
    for (int i = 0; i < 4; i++)
        run_on(*(MPI_Comm *)comm);
    return 0;
}

static void run_threads(void)
{
    MPI_Comm comms[2];
    thrd_t thread;
    for (int i = 0; i < 2; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
    expect(thrd_create(&thread, run_thread, &comms[0]) == thrd_success, "a thread");
    run_thread(&comms[1]);
    thrd_join(thread, NULL);
    for (int i = 0; i < 2; i++)
        MPI_Comm_free(&comms[i]);
}

int main(int argc, char *argv[])
{
    const bool threads = argc > 1 && strcmp(argv[1], "--threads") == 0;
    const bool elsewhere = argc > 1 && strcmp(argv[1], "--elsewhere") == 0;
    const char *after = argc > 2 && strcmp(argv[1], "--after") == 0 ? argv[2] : NULL;
    int provided = MPI_THREAD_SINGLE;
    if (threads)
        MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    else
        MPI_Init(&argc, &argv);
    expect(!elsewhere || chdir("/") == 0, "another directory");
    if (argc > 1 && strcmp(argv[1], "--nothing") == 0)
        return MPI_Finalize();
    run_on(MPI_COMM_WORLD);
    run_ordered();
    run_halves();
    run_errors();
    if (provided == MPI_THREAD_MULTIPLE)
        run_threads();
    while (after != NULL && access(after, F_OK) != 0)
        usleep(1000);
    MPI_Finalize();
    return wrong > 0;
}
