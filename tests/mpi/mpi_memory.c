/* mpi_memory.c - the library without memory: on one rank the K-th allocation that it asks for
 * fails. That rank's call returns MPI_ERR_NO_MEM and does not crash; calls that succeed give the
 * right result.
 *
 * usage: mpi_memory K: exit status 0: there was no K-th allocation; 42: refused, and said so; else
 * wrong. */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "roundabout-mpi.h"

enum { COUNT = 300, MOST_RANKS = 8, REFUSED = 42, WRONG = 43 };

static long calls, refused_call; /* 0: none */

static bool refuse(void)
{
    return refused_call > 0 && ++calls == refused_call;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);

void *__wrap_malloc(size_t size)
{
    return refuse() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return refuse() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    return refuse() ? NULL : __real_realloc(old, size);
}

static int rank, p;
static int mine[MOST_RANKS * COUNT], all[MOST_RANKS * COUNT];

/* An error ends the job, for the other ranks may wait for this one. */
static void check(const char *name, int error, bool right)
{
    int class = MPI_SUCCESS;
    if (error != MPI_SUCCESS)
        MPI_Error_class(error, &class);
    if (class == MPI_SUCCESS && right)
        return;
    fprintf(stderr, "rank %d: %s: class %d%s\n", rank, name, class,
            class == MPI_ERR_NO_MEM ? ", no memory" : "");
    MPI_Abort(MPI_COMM_WORLD, class == MPI_ERR_NO_MEM ? REFUSED : WRONG);
}

static void fill(int base)
{
    for (int i = 0; i < MOST_RANKS * COUNT; i++) {
        mine[i] = base + rank;
        all[i] = -1;
    }
}

static void call_all(MPI_Comm comm)
{
    const int sum = p * (p - 1) / 2;
    int error;
    fill(1);
    error = RB_Bcast(mine, COUNT, MPI_INT, 0, comm);
    check("Bcast", error, mine[COUNT - 1] == 1);
    fill(0);
    error = RB_Allreduce(mine, all, COUNT, MPI_INT, MPI_SUM, comm);
    check("Allreduce", error, all[0] == sum && all[COUNT - 1] == sum);
    fill(0);
    error = RB_Reduce(mine, all, COUNT, MPI_INT, MPI_SUM, 0, comm);
    check("Reduce", error, rank != 0 || all[COUNT - 1] == sum);
    fill(0);
    error = RB_Allgather(mine, COUNT, MPI_INT, all, COUNT, MPI_INT, comm);
    check("Allgather", error, all[p * COUNT - 1] == p - 1);
    fill(0);
    error = RB_Reduce_scatter_block(mine, all, COUNT, MPI_INT, MPI_SUM, comm);
    check("Reduce_scatter_block", error, all[COUNT - 1] == sum);
    fill(0);
    error = RB_Alltoall(mine, COUNT, MPI_INT, all, COUNT, MPI_INT, comm);
    check("Alltoall", error, all[p * COUNT - 1] == p - 1);
    fill(0);
    error = RB_Scan(mine, all, COUNT, MPI_INT, MPI_SUM, comm);
    check("Scan", error, all[COUNT - 1] == rank * (rank + 1) / 2);
    fill(0);
    error = RB_Gather(mine, COUNT, MPI_INT, all, COUNT, MPI_INT, 0, comm);
    check("Gather", error, rank != 0 || all[p * COUNT - 1] == p - 1);
}

int main(int argc, char *argv[])
{
    MPI_Comm comm;
    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &p);
    if (rank == 1 && argc > 1)
        refused_call = strtol(argv[1], NULL, 10);
    call_all(comm);
    call_all(comm);
    const long asked = calls;
    refused_call = 0;
    if (rank == 1)
        printf("%ld\n", asked);
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
