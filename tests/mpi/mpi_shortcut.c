/* mpi_shortcut.c - calls that are left to the MPI library without further questions: counted, and
 * no longer so when what they depended on has changed. With RB_ONLINE=exact. */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>

#include "roundabout-mpi.h"

enum { CALLS = 40, COMMUNICATORS = 20, LENGTHS = 700, COUNT = 1000 }; /* CALLS: before any look */

static int wrong;
static void expect(bool good, const char *what)
{
    if (!good && wrong++ < 5)
        fprintf(stderr, "wrong: %s\n", what);
}

static int data[COUNT], all[8 * COUNT];

/* Returns how many of `calls` were left to the MPI library. */
static long long broadcast(MPI_Comm comm, int count, int calls)
{
    const long long before = RB_Fallbacks("bcast");
    int rank, p;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &p);
    for (int k = 0; k < calls; k++) {
        data[0] = rank == k % p ? k + 1 : -1;
        data[count - 1] = rank == k % p ? k + 1 : -1;
        RB_Bcast(data, count, MPI_INT, k % p, comm);
        expect(data[0] == k + 1 && data[count - 1] == k + 1, "RB_Bcast");
    }
    return RB_Fallbacks("bcast") - before;
}

static void check_choice(void)
{
    expect(broadcast(MPI_COMM_WORLD, 7, CALLS) == CALLS, "nothing is tried before the 64th call");
    RB_Choose("bcast", "binomial");
    expect(broadcast(MPI_COMM_WORLD, 7, CALLS) == 0, "a choice counts at once");
    RB_Choose("bcast", NULL);
    expect(broadcast(MPI_COMM_WORLD, 7, 9) == 9, "none counts at once");
}

/* Handles come again with other ranks; what was kept with the former ones is gone. */
static void check_communicators(void)
{
    int world_rank, p;
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    for (int i = 0; i < COMMUNICATORS; i++) {
        MPI_Comm part;
        int rank, size;
        MPI_Comm_split(MPI_COMM_WORLD, world_rank < i % p, (i % 2 == 0 ? 1 : -1) * world_rank,
                       &part);
        MPI_Comm_rank(part, &rank);
        MPI_Comm_size(part, &size);
        expect(broadcast(part, 7, CALLS) == CALLS, "a communicator's calls are its own");
        for (int k = 0; k < 3; k++) {
            RB_Gather(&rank, 1, MPI_INT, all, 1, MPI_INT, k % size, part);
            expect(rank != k % size || (all[0] == 0 && all[size - 1] == size - 1), "RB_Gather");
            RB_Scatter(all, 1, MPI_INT, data, 1, MPI_INT, k % size, part);
            RB_Allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, part);
            expect(all[size - 1] == size - 1, "RB_Allgather");
        }
        MPI_Comm_free(&part);
    }
}

/* More lengths than there are places for, whose kinds come to be one by one. */
static void check_lengths(void)
{
    for (int round = 0; round < 3; round++)
        for (int count = 1; count <= LENGTHS; count++) {
            int sum = 0, one = 1;
            data[count - 1] = 1;
            RB_Allreduce(data, all, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
            RB_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
            expect(all[count - 1] == sum, "RB_Allreduce");
        }
}

/* What is wrong is wrong with a shortcut, too. */
static void check_errors(void)
{
    MPI_Comm comm;
    int class;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    broadcast(comm, 7, 5);
    const int error = RB_Bcast(data, 7, MPI_INT, -3, comm);
    MPI_Error_class(error, &class);
    expect(class == MPI_ERR_ROOT, "a wrong root");
    expect(broadcast(comm, 7, 5) == 5, "calls after a wrong one");
    MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    int all_wrong;
    MPI_Init(&argc, &argv);
    check_choice();
    check_communicators();
    check_lengths();
    check_errors();
    MPI_Allreduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return all_wrong > 0;
}
