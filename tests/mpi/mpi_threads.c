/* mpi_threads.c - collectives of several threads at once, each on communicators of its own.
 *
 *   mpirun -n P mpi_threads [--times N]
 *
 * Exit status 1 if a result is wrong, 77 where the MPI library has no MPI_THREAD_MULTIPLE. */
#include <roundabout-mpi.h>
#include <stdio.h>
#include <threads.h>

#include "mpi/library/shortcut.h"
#include "mpi_groups.h"

enum { THREADS = 4, MOST_RANKS = 64, LENGTH = 3000, LEFT = 20000 };

struct worker {
    MPI_Comm comm, alone; /* the thread's own; with other ranks, and without */
    int number, times;
    int wrong;
};

static int value_of(int thread, int time, int rank, int i)
{
    return thread * 1000003 + time * 1009 + rank * 31 + i;
}

static int check_allreduce(const struct worker *worker, int time, int length, int data[])
{
    int p, rank, wrong = 0;
    MPI_Comm_size(worker->comm, &p);
    MPI_Comm_rank(worker->comm, &rank);
    for (int i = 0; i < length; i++)
        data[i] = value_of(worker->number, time, rank, i);
    RB_Allreduce(MPI_IN_PLACE, data, length, MPI_INT, MPI_MAX, worker->comm);
    for (int i = 0; i < length; i++)
        wrong += data[i] != value_of(worker->number, time, p - 1, i);
    return wrong;
}

/* Calls that are left to the MPI library are counted, whoever makes them: see main. */
static int check_left(const struct worker *worker)
{
    int wrong = 0;
    for (int i = 0; i < LEFT; i++) {
        int sum = 0;
        RB_Scan(&i, &sum, 1, MPI_INT, MPI_SUM, worker->alone);
        wrong += sum != i;
    }
    return wrong;
}

/* On a communicator that lives for this call only. */
static int check_bcast(const struct worker *worker, int time, int length, int data[])
{
    MPI_Comm own;
    int p, rank, wrong = 0;
    MPI_Comm_dup(worker->comm, &own);
    MPI_Comm_size(own, &p);
    MPI_Comm_rank(own, &rank);
    for (int i = 0; i < length; i++)
        data[i] = value_of(worker->number, time, rank, i);
    RB_Bcast(data, length, MPI_INT, time % p, own);
    MPI_Comm_free(&own);
    for (int i = 0; i < length; i++)
        wrong += data[i] != value_of(worker->number, time, time % p, i);
    return wrong;
}

static int check_alltoall(const struct worker *worker, int time, int data[])
{
    int sent[MOST_RANKS], p, rank, wrong = 0;
    MPI_Comm_size(worker->comm, &p);
    MPI_Comm_rank(worker->comm, &rank);
    for (int i = 0; i < p; i++)
        sent[i] = value_of(worker->number, time, rank, i);
    RB_Alltoall(sent, 1, MPI_INT, data, 1, MPI_INT, worker->comm);
    for (int i = 0; i < p; i++)
        wrong += data[i] != value_of(worker->number, time, i, rank);
    return wrong;
}

static int work(void *argument)
{
    struct worker *worker = argument;
    int data[LENGTH];
    for (int time = 0; time < worker->times; time++) {
        const int length = 1 + (time * 997 + worker->number * 131) % LENGTH;
        worker->wrong += check_allreduce(worker, time, length, data);
        worker->wrong += check_bcast(worker, time, length, data);
        worker->wrong += check_alltoall(worker, time, data);
        worker->wrong += check_left(worker);
    }
    return 0;
}

int main(int argc, char **argv)
{
    const int times = (int)argument(argc, argv, "--times", 100);
    struct worker workers[THREADS];
    thrd_t threads[THREADS];
    int provided, rank, p, wrong = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    if (provided < MPI_THREAD_MULTIPLE || p > MOST_RANKS) {
        MPI_Finalize();
        return 77;
    }
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){.number = i, .times = times};
        MPI_Comm_dup(MPI_COMM_WORLD, &workers[i].comm);
        MPI_Comm_dup(MPI_COMM_SELF, &workers[i].alone);
    }
    RB_Choose("scan", "native");
    for (int i = 0; i < THREADS; i++)
        if (thrd_create(&threads[i], work, &workers[i]) != thrd_success)
            MPI_Abort(MPI_COMM_WORLD, 3);
    for (int i = 0; i < THREADS; i++) {
        thrd_join(threads[i], NULL);
        wrong += workers[i].wrong;
        MPI_Comm_free(&workers[i].comm);
        MPI_Comm_free(&workers[i].alone);
    }
    wrong += atomic_load(&lib_counts.alone);
    wrong += RB_Fallbacks("scan") != (long long)THREADS * times * LEFT;
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d threads at each of %d ranks, %d collectives of each: %d values wrong\n", THREADS,
               p, 3 * times, wrong);
    MPI_Finalize();
    return wrong != 0;
}
