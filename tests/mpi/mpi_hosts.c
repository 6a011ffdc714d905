/* mpi_hosts.c - plans that know which ranks share a host: the right result on communicators whose
 * ranks are by host, mixed, reversed, and a part of all, for every root and irregular counts.
 *
 *   RB_HOSTS=3,1,2 mpirun -n P mpi_hosts SETTING [OTHER]
 *
 * SETTING is for all collectives, "hosts:n=3", or those that it is for, "exchange"; OTHER then for
 * broadcast and reduction of all ranks. Exit status 1 if a result is wrong, or if the MPI library
 * served what plans should. */
#include <roundabout-mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 500, MOST_RANKS = 64 };

static int wrong, p, rank;
static int exchanges; /* the setting is for alltoall, too */

static void expect(int holds, const char *what, const char *where)
{
    if (!holds && !wrong)
        fprintf(stderr, "%s, %s: rank %d of %d is wrong\n", where, what, rank, p);
    wrong = wrong || !holds;
}

/* Element i of rank r's data. */
static int datum(int r, int i)
{
    return 1000 * r + i;
}

static int sum_of_ranks(int i)
{
    return 1000 * (p * (p - 1) / 2) + p * i;
}

static void check_rooted(MPI_Comm comm, int count, const char *where)
{
    int data[MOST], mine[MOST];
    for (int root = 0; root < p; root++) {
        int good = 1;
        for (int i = 0; i < count; i++) {
            mine[i] = datum(rank, i);
            data[i] = rank == root ? datum(root, i) : -1;
        }
        RB_Bcast(data, count, MPI_INT, root, comm);
        for (int i = 0; i < count; i++)
            good = good && data[i] == datum(root, i);
        expect(good, "bcast", where);
        RB_Reduce(mine, data, count, MPI_INT, MPI_SUM, root, comm);
        for (int i = 0; i < count && rank == root; i++)
            good = good && data[i] == sum_of_ranks(i);
        expect(good, "reduce", where);
    }
}

/* Each rank's part of the root's data, and back. */
static void check_parts(MPI_Comm comm, int count, const char *where)
{
    int mine[MOST];
    int *data = malloc(((size_t)p * (size_t)count + 1) * sizeof *data);
    if (data == NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int root = 0; root < p; root++) {
        int good = 1;
        for (int i = 0; i < p * count; i++)
            data[i] = rank == root ? datum(i / count, i % count) : -1;
        RB_Scatter(data, count, MPI_INT, mine, count, MPI_INT, root, comm);
        for (int i = 0; i < count; i++)
            good = good && mine[i] == datum(rank, i);
        expect(good, "scatter", where);
        for (int i = 0; i < p * count; i++)
            data[i] = -1;
        RB_Gather(mine, count, MPI_INT, data, count, MPI_INT, root, comm);
        for (int i = 0; i < p * count && rank == root; i++)
            good = good && data[i] == datum(i / count, i % count);
        expect(good, "gather", where);
    }
    free(data);
}

static void check_allreduce(MPI_Comm comm, int count, const char *where)
{
    int data[MOST], good = 1;
    for (int i = 0; i < count; i++)
        data[i] = datum(rank, i);
    RB_Allreduce(MPI_IN_PLACE, data, count, MPI_INT, MPI_SUM, comm);
    for (int i = 0; i < count; i++)
        good = good && data[i] == sum_of_ranks(i);
    expect(good, "allreduce", where);
}

/* Counts of all ranks; the displacements leave a gap before each. */
static int list_counts(int count, int irregular, int counts[], int displs[])
{
    int next = 0;
    for (int r = 0; r < p; r++) {
        counts[r] = irregular ? (7 * r + count) % (count + 2) : count;
        displs[r] = next + (irregular ? 1 : 0);
        next = displs[r] + counts[r];
    }
    return next;
}

static void check_gathered(const int data[], const int counts[], const int displs[],
                           const char *what, const char *where)
{
    int good = 1, next = 0;
    for (int r = 0; r < p; r++) {
        for (; next < displs[r]; next++)
            good = good && data[next] == -1;
        for (int i = 0; i < counts[r]; i++)
            good = good && data[next++] == datum(r, i);
    }
    expect(good, what, where);
}

static void check_allgather(MPI_Comm comm, int count, const char *where)
{
    int counts[MOST_RANKS], displs[MOST_RANKS], mine[MOST];
    for (int irregular = 0; irregular < 2; irregular++) {
        const int all = list_counts(count, irregular, counts, displs);
        int *data = malloc(((size_t)all + 1) * sizeof *data);
        if (data == NULL)
            MPI_Abort(MPI_COMM_WORLD, 1);
        for (int i = 0; i < all; i++)
            data[i] = -1;
        for (int i = 0; i < counts[rank]; i++)
            mine[i] = datum(rank, i);
        if (irregular)
            RB_Allgatherv(mine, counts[rank], MPI_INT, data, counts, displs, MPI_INT, comm);
        else
            RB_Allgather(mine, count, MPI_INT, data, count, MPI_INT, comm);
        check_gathered(data, counts, displs, irregular ? "allgatherv" : "allgather", where);
        free(data);
    }
}

static void check_reduce_scatter(MPI_Comm comm, int count, const char *where)
{
    int counts[MOST_RANKS], displs[MOST_RANKS], result[MOST];
    for (int irregular = 0; irregular < 2; irregular++) {
        int all = 0, begin = 0, good = 1;
        list_counts(count, irregular, counts, displs);
        for (int r = 0; r < p; r++) {
            begin += r < rank ? counts[r] : 0;
            all += counts[r];
        }
        int *data = malloc(((size_t)all + 1) * sizeof *data);
        if (data == NULL)
            MPI_Abort(MPI_COMM_WORLD, 1);
        for (int i = 0; i < all; i++)
            data[i] = datum(rank, i);
        if (irregular)
            RB_Reduce_scatter(data, result, counts, MPI_INT, MPI_SUM, comm);
        else
            RB_Reduce_scatter_block(data, result, count, MPI_INT, MPI_SUM, comm);
        for (int i = 0; i < counts[rank]; i++)
            good = good && result[i] == sum_of_ranks(begin + i);
        expect(good, irregular ? "reduce-scatter" : "reduce-scatter of equal parts", where);
        free(data);
    }
}

/* Element i of what rank r has for another one. */
static int datum_for(int r, int other, int i)
{
    return datum(r, i) + 1000 * MOST_RANKS * other;
}

static void check_alltoall(MPI_Comm comm, int count, const char *where)
{
    int *sent = malloc((size_t)(p * count) * sizeof *sent), good = 1;
    int *received = malloc((size_t)(p * count) * sizeof *received);
    if (sent == NULL || received == NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int in_place = 0; in_place < 2; in_place++) {
        for (int r = 0; r < p; r++)
            for (int i = 0; i < count; i++) {
                sent[r * count + i] = datum_for(rank, r, i);
                received[r * count + i] = in_place ? sent[r * count + i] : -1;
            }
        RB_Alltoall(in_place ? MPI_IN_PLACE : sent, count, MPI_INT, received, count, MPI_INT, comm);
        for (int r = 0; r < p; r++)
            for (int i = 0; i < count; i++)
                good = good && received[r * count + i] == datum_for(r, rank, i);
    }
    expect(good, "alltoall", where);
    free(sent);
    free(received);
}

/* Each pair has another count, and some have none. */
static int pair_count(int from, int to, int most)
{
    return (3 * from + 5 * to) % (most + 1);
}

static void check_alltoallv(MPI_Comm comm, int most, const char *where)
{
    int *sent = malloc((size_t)(p * most) * sizeof *sent), good = 1;
    int *received = malloc((size_t)(p * most) * sizeof *received);
    int send[MOST_RANKS], receive[MOST_RANKS], place[MOST_RANKS];
    if (sent == NULL || received == NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int r = 0; r < p; r++) {
        send[r] = pair_count(rank, r, most);
        receive[r] = pair_count(r, rank, most);
        place[r] = r * most;
        for (int i = 0; i < most; i++) {
            sent[r * most + i] = datum_for(rank, r, i);
            received[r * most + i] = -1;
        }
    }
    RB_Alltoallv(sent, send, place, MPI_INT, received, receive, place, MPI_INT, comm);
    for (int r = 0; r < p; r++)
        for (int i = 0; i < most; i++)
            good = good && received[r * most + i] == (i < receive[r] ? datum_for(r, rank, i) : -1);
    expect(good, "alltoallv", where);
    free(sent);
    free(received);
}

static void check(MPI_Comm comm, const char *where)
{
    static const int counts[] = {1, 5, 64, MOST - 2};
    MPI_Comm_size(comm, &p);
    MPI_Comm_rank(comm, &rank);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        check_rooted(comm, counts[i], where);
        check_parts(comm, counts[i], where);
        check_allreduce(comm, counts[i], where);
        check_allgather(comm, counts[i], where);
        check_reduce_scatter(comm, counts[i], where);
        if (exchanges) {
            check_alltoall(comm, counts[i], where);
            check_alltoallv(comm, counts[i], where);
        }
    }
}

/* The ranks with color 0 in the order of the keys. */
static void check_split(int color, int key, const char *where)
{
    MPI_Comm comm;
    MPI_Comm_split(MPI_COMM_WORLD, color == 0 ? 0 : MPI_UNDEFINED, key, &comm);
    if (comm == MPI_COMM_NULL)
        return;
    check(comm, where);
    MPI_Comm_free(&comm);
}

/* Each is made, in another order of its ranks, before the one before it is freed. */
static void check_chain(void)
{
    MPI_Comm before, comm;
    int world, me, data[5];
    MPI_Comm_size(MPI_COMM_WORLD, &world);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_dup(MPI_COMM_WORLD, &before);
    for (int i = 1; i <= 20; i++) {
        int good = 1;
        MPI_Comm_split(before, 0, (me * (2 * i + 1) + i) % (world + 1), &comm);
        MPI_Comm_size(comm, &p);
        MPI_Comm_rank(comm, &rank);
        for (int k = 0; k < 5; k++)
            data[k] = rank == i % p ? datum(i, k) : -1;
        RB_Bcast(data, 5, MPI_INT, i % p, comm);
        MPI_Comm_free(&before);
        for (int k = 0; k < 5; k++)
            good = good && data[k] == datum(i, k);
        check_allreduce(comm, 5, "one after the other");
        expect(good, "bcast", "one after the other");
        before = comm;
    }
    MPI_Comm_free(&before);
}

/* Between two halves the MPI library serves. */
static void check_halves(void)
{
    MPI_Comm half, between;
    int world, me, sum = -1;
    MPI_Comm_size(MPI_COMM_WORLD, &world);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    const int low = me < world / 2, others = low ? world - world / 2 : world / 2;
    const long long before = RB_Fallbacks(NULL);
    if (world == 1)
        return;
    MPI_Comm_split(MPI_COMM_WORLD, low, me, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, low ? world / 2 : 0, 1, &between);
    const int one = 1;
    RB_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, between);
    expect(sum == others, "allreduce", "between two halves");
    expect(RB_Fallbacks(NULL) == before + 1, "who served", "between two halves");
    MPI_Comm_free(&between);
    MPI_Comm_free(&half);
}

static void choose(const char *collective, const char *setting)
{
    if (RB_Choose(collective, setting) == MPI_SUCCESS)
        return;
    fprintf(stderr, "no %s for %s\n", setting, collective);
    MPI_Abort(MPI_COMM_WORLD, 2);
}

int main(int argc, char *argv[])
{
    static const char *const collectives[] = {"bcast",          "reduce",    "allgather",
                                              "reduce-scatter", "allreduce", "alltoall"};
    int world, me, all;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &world);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    if (argc < 2 || argc > 3 || world > MOST_RANKS)
        MPI_Abort(MPI_COMM_WORLD, 2);
    const int by_stages = strncmp(argv[1], "exchange", 8) == 0;
    const int first = by_stages ? 2 : strncmp(argv[1], "turns", 5) == 0;
    exchanges =
        by_stages || strncmp(argv[1], "hosts", 5) == 0 || strncmp(argv[1], "rails:", 6) == 0;
    for (int i = first; i < 5 + exchanges; i++)
        choose(collectives[i], argv[1]);
    for (int i = 0; i < 2 && strncmp(argv[1], "rails", 5) != 0; i++)
        choose(i == 0 ? "scatter" : "gather", "fan");
    check(MPI_COMM_WORLD, "all ranks");
    check_split(0, -me, "reversed");
    check_split(0, 2 * me % world, "mixed");
    check_split(me % 2, me, "every second");
    check_split(me % 3 == 1, -me % 4, "two of three, mixed");
    check_split(me != 0, me, "alone");
    check(MPI_COMM_SELF, "each by itself");
    check_chain();
    for (int i = 0; i < 2 && argc == 3; i++) /* of all ranks only: it may have a radix */
        choose(collectives[i], argv[2]);
    if (argc == 3) {
        check(MPI_COMM_WORLD, "all ranks, again");
        check_split(0, -me, "reversed, again");
    }
    if (me == 0 && RB_Fallbacks(NULL) != 0) {
        fprintf(stderr, "the MPI library served %lld collectives\n", RB_Fallbacks(NULL));
        wrong = 1;
    }
    check_halves();
    MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_LOR, MPI_COMM_WORLD);
    MPI_Finalize();
    return all;
}
