/* mpi_shortcut.c - calls that are left to the MPI library without further questions: counted, and
 * no longer so when what they depended on has changed. With RB_ONLINE=exact. */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "mpi/library/shortcut.h"
#include "roundabout-mpi.h"

enum { CALLS = 40, COMMUNICATORS = 20, LENGTHS = 700, COUNT = 1000 }; /* CALLS: before any trial */

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

/* Rank 0 gives `first` numbers and each other rank `others`, in calls of allgatherv and of
 * reduce-scatter. Counts of ranks that the communicator hasn't must not be read. Returns how many
 * of these 2 * calls were left to the MPI library. */
static long long irregular(MPI_Comm comm, int first, int others, int calls)
{
    const long long before = RB_Fallbacks("allgather") + RB_Fallbacks("reduce-scatter");
    int rank, p, displs[8];
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &p);
    int *counts = malloc((size_t)p * sizeof *counts);
    if (counts == NULL)
        MPI_Abort(comm, 3);
    for (int i = 0; i < p; i++) {
        counts[i] = i == 0 ? first : others;
        displs[i] = i == 0 ? 0 : first + (i - 1) * others;
    }
    for (int k = 0; k < calls; k++) {
        const int last = displs[p - 1] + counts[p - 1] - 1;
        for (int i = 0; i < counts[rank]; i++)
            data[i] = k + rank;
        RB_Allgatherv(data, counts[rank], MPI_INT, all, counts, displs, MPI_INT, comm);
        expect(all[0] == k && all[last] == k + p - 1, "RB_Allgatherv");
        RB_Reduce_scatter(all, data, counts, MPI_INT, MPI_SUM, comm);
        expect(data[counts[rank] - 1] == p * (k + rank), "RB_Reduce_scatter");
    }
    free(counts);
    return RB_Fallbacks("allgather") + RB_Fallbacks("reduce-scatter") - before;
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
        expect(irregular(part, 3, 3, CALLS) == 2 * CALLS, "irregular calls are its own, too");
        MPI_Comm_free(&part);
    }
}

/* Were two kinds counted as one, the 64th call of it would come before the last ones here. */
static void check_irregular(void)
{
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    expect(irregular(comm, 5, 5, CALLS) == 2 * CALLS, "nothing is tried before the 64th call");
    expect(irregular(comm, 52, 52, 15) == 2 * 15, "another length is another kind");
    expect(irregular(comm, 4, 6, 15) == 2 * 15, "so are counts that differ");
    expect(irregular(comm, 5, 5, 15) == 2 * 15, "a kind's calls are its own");
    RB_Choose("allgather", "ring");
    RB_Choose("reduce-scatter", "ring");
    expect(irregular(comm, 5, 5, 9) == 0, "a choice counts at once");
    RB_Choose("allgather", NULL);
    RB_Choose("reduce-scatter", NULL);
    expect(irregular(comm, 5, 5, 9) == 18, "none counts at once");
    MPI_Comm_free(&comm);
}

/* At four ranks. */
static bool takes(int even, int odd)
{
    const int counts[] = {even, odd, even, odd};
    struct lib_shortcut_key key = {
        .which = LIB_CALL_ALLGATHER, .comm = MPI_COMM_SELF, .type = MPI_BYTE, .counts = counts};
    return lib_shortcut_take(&key);
}

/* Calls of one kind have the same sum, and counts that all are alike or are not. */
static void check_counts(void)
{
    const int quarter = 1 << 30;
    struct lib_shortcut_key key = {
        .which = LIB_CALL_ALLGATHER, .comm = MPI_COMM_SELF, .type = MPI_BYTE};
    key.counts = (const int[]){5, 5, 5, 5};
    lib_shortcut_make(&key, NULL, 4);
    expect(takes(5, 5) && !takes(5, 6) && !takes(4, 6) && !takes(11, -1), "alike");
    key.counts = (const int[]){4, 6, 4, 6};
    lib_shortcut_make(&key, NULL, 4);
    expect(takes(4, 6) && takes(6, 4) && !takes(11, -1) && takes(5, 5), "not alike");
    key.counts = (const int[]){quarter, quarter, quarter, quarter};
    lib_shortcut_make(&key, NULL, 4);
    expect(takes(quarter, quarter) && !takes(0, 0), "a sum beyond 32 bits");
    expect(atomic_load(&lib_counts.alone), "one thread only");
}

static void check_alltoallv(void)
{
    int p, rank, sent[8], counts[8], displs[8];
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const long long before = RB_Fallbacks("alltoall");
    for (int k = 0; k < 3 * CALLS; k++) {
        for (int i = 0; i < p; i++) {
            counts[i] = 1;
            displs[i] = (i + k) % p; /* not what a shortcut knows */
            sent[displs[i]] = 100 * rank + i;
        }
        RB_Alltoallv(sent, counts, displs, MPI_INT, all, counts, displs, MPI_INT, MPI_COMM_WORLD);
        for (int i = 0; i < p; i++)
            expect(all[displs[i]] == 100 * i + rank, "RB_Alltoallv");
    }
    expect(RB_Fallbacks("alltoall") == before + 3 * CALLS, "no other call can serve it");
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
    int class, wrong_counts[8] = {9, -3}, displs[8] = {0};
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    broadcast(comm, 7, 5);
    const int error = RB_Bcast(data, 7, MPI_INT, -3, comm);
    MPI_Error_class(error, &class);
    expect(class == MPI_ERR_ROOT, "a wrong root");
    expect(broadcast(comm, 7, 5) == 5, "calls after a wrong one");
    irregular(comm, 5, 1, 5);
    MPI_Error_class(RB_Allgatherv(data, 1, MPI_INT, all, wrong_counts, displs, MPI_INT, comm),
                    &class);
    expect(class == MPI_ERR_COUNT, "a wrong count");
    expect(irregular(comm, 5, 1, 5) == 10, "irregular calls after a wrong one");
    MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    int all_wrong;
    MPI_Init(&argc, &argv);
    check_choice();
    check_communicators();
    check_irregular();
    check_counts();
    check_alltoallv();
    check_lengths();
    check_errors();
    MPI_Allreduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return all_wrong > 0;
}
