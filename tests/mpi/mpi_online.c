/* mpi_online.c - a program that calls collectives often enough for the online choice to try all
 * that it has, and checks their results; run with the library preloaded, or linked to it.
 *
 *   mpirun -n P mpi_online [--times N]
 *
 * Calls of each kind, regular and irregular, small and large, of changing roots, on all ranks and
 * on a part of them; an operator that doesn't commute; sums of floating-point numbers, which must
 * be the same to the last bit from call to call, and their extremes. Exit status 1 if a result is
 * wrong. */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SMALL = 3, LARGE = 20000 }; /* ints for each rank */

static int wrong;
static void expect(bool good, const char *what, int call)
{
    if (!good && wrong++ < 5)
        fprintf(stderr, "wrong: %s, call %d\n", what, call);
}

struct data {
    MPI_Comm comm;
    int p, rank, count;
    int *sent, *received, *counts, *displs;
};

/* Element i of a rank's data in a call. */
static int element(int rank, int call, int i)
{
    return (rank + 1) * 131071 + call * 257 + i;
}

static void fill(int to[], int rank, int call, int count)
{
    for (int i = 0; i < count; i++)
        to[i] = element(rank, call, i);
}

/* The first, the last and one between. */
static bool is_of(const int data[], int rank, int call, int first, int count)
{
    return count == 0 || (data[0] == element(rank, call, first) &&
                          data[count / 2] == element(rank, call, first + count / 2) &&
                          data[count - 1] == element(rank, call, first + count - 1));
}

static int sum(int ranks, int call, int i)
{
    unsigned all = 0;
    for (int r = 0; r < ranks; r++)
        all += (unsigned)element(r, call, i);
    return (int)all;
}

static bool is_sum(const int data[], int ranks, int call, int first, int count)
{
    return data[0] == sum(ranks, call, first) &&
           data[count - 1] == sum(ranks, call, first + count - 1);
}

static void move(const struct data *d, int call)
{
    const int root = call % d->p, n = d->count;
    fill(d->sent, d->rank, call, d->p * n);
    memset(d->received, 0, (size_t)(d->p * n) * sizeof(int));
    if (d->rank == root)
        memcpy(d->received, d->sent, (size_t)n * sizeof(int));
    MPI_Bcast(d->received, n, MPI_INT, root, d->comm);
    expect(is_of(d->received, root, call, 0, n), "MPI_Bcast", call);
    MPI_Scatter(d->sent, n, MPI_INT, d->received, n, MPI_INT, root, d->comm);
    expect(is_of(d->received, root, call, d->rank * n, n), "MPI_Scatter", call);
    MPI_Gather(d->sent, n, MPI_INT, d->received, n, MPI_INT, root, d->comm);
    for (int r = 0; r < d->p && d->rank == root; r++)
        expect(is_of(d->received + r * n, r, call, 0, n), "MPI_Gather", call);
    MPI_Allgather(d->sent, n, MPI_INT, d->received, n, MPI_INT, d->comm);
    for (int r = 0; r < d->p; r++)
        expect(is_of(d->received + r * n, r, call, 0, n), "MPI_Allgather", call);
    MPI_Alltoall(d->sent, n, MPI_INT, d->received, n, MPI_INT, d->comm);
    for (int r = 0; r < d->p; r++)
        expect(is_of(d->received + r * n, r, call, d->rank * n, n), "MPI_Alltoall", call);
    for (int r = 0, first = 0; r < d->p; first += d->counts[r++]) {
        d->counts[r] = n - n * (r % 2) / 2;
        d->displs[r] = first;
    }
    MPI_Allgatherv(d->sent, d->counts[d->rank], MPI_INT, d->received, d->counts, d->displs, MPI_INT,
                   d->comm);
    for (int r = 0; r < d->p; r++)
        expect(is_of(d->received + d->displs[r], r, call, 0, d->counts[r]), "MPI_Allgatherv", call);
}

static void combine(const struct data *d, int call)
{
    const int root = call % d->p, n = d->count;
    fill(d->sent, d->rank, call, d->p * n);
    MPI_Reduce(d->sent, d->received, n, MPI_INT, MPI_SUM, root, d->comm);
    expect(d->rank != root || is_sum(d->received, d->p, call, 0, n), "MPI_Reduce", call);
    MPI_Allreduce(d->sent, d->received, n, MPI_INT, MPI_SUM, d->comm);
    expect(is_sum(d->received, d->p, call, 0, n), "MPI_Allreduce", call);
    MPI_Reduce_scatter_block(d->sent, d->received, n, MPI_INT, MPI_SUM, d->comm);
    expect(is_sum(d->received, d->p, call, d->rank * n, n), "MPI_Reduce_scatter_block", call);
    MPI_Scan(d->sent, d->received, n, MPI_INT, MPI_SUM, d->comm);
    expect(is_sum(d->received, d->rank + 1, call, 0, n), "MPI_Scan", call);
    MPI_Exscan(d->sent, d->received, n, MPI_INT, MPI_SUM, d->comm);
    expect(d->rank == 0 || is_sum(d->received, d->rank, call, 0, n), "MPI_Exscan", call);
}

/* The right operand: it associates and doesn't commute. */
static void take_right(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)in;
    (void)inout;
    (void)count;
    (void)type;
}

static void combine_in_order(const struct data *d, MPI_Op right, int call)
{
    int mine = d->rank, result = -1;
    MPI_Reduce(&mine, &result, 1, MPI_INT, right, call % d->p, d->comm);
    expect(d->rank != call % d->p || result == d->p - 1, "MPI_Reduce in order", call);
    MPI_Allreduce(&mine, &result, 1, MPI_INT, right, d->comm);
    expect(result == d->p - 1, "MPI_Allreduce in order", call);
}

static void combine_reals(const struct data *d, double *first, int call)
{
    const double mine = 1.0 / (3 + d->rank);
    double result = 0;
    MPI_Allreduce(&mine, &result, 1, MPI_DOUBLE, MPI_SUM, d->comm);
    if (call == 0)
        *first = result;
    expect(result == *first, "MPI_Allreduce of reals", call);
}

/* Extremes don't round. Rank call % p has the largest values, or all have the same. */
static void combine_extremes(const struct data *d, int call)
{
    enum { REALS = 100 };
    double mine[REALS], largest[REALS];
    struct {
        double value;
        int rank;
    } pair[REALS], best[REALS];
    const int who = call % d->p;
    for (int i = 0; i < REALS; i++) {
        mine[i] = (d->rank == who ? 1.25 : -0.5) * (i + 1);
        pair[i].value = call % 2 == 0 ? mine[i] : 3;
        pair[i].rank = d->rank;
    }
    MPI_Allreduce(mine, largest, REALS, MPI_DOUBLE, MPI_MAX, d->comm);
    MPI_Allreduce(pair, best, REALS, MPI_DOUBLE_INT, MPI_MAXLOC, d->comm);
    for (int i = 0; i < REALS; i++) {
        expect(largest[i] == 1.25 * (i + 1), "MPI_MAX of reals", call);
        expect(call % 2 == 0 ? best[i].value == largest[i] && best[i].rank == who
                             : best[i].value == 3 && best[i].rank == 0,
               "MPI_MAXLOC", call);
    }
}

static void run(MPI_Comm comm, int count, int times)
{
    struct data d = {.comm = comm, .count = count};
    double first = 0;
    MPI_Op right;
    MPI_Comm_size(comm, &d.p);
    MPI_Comm_rank(comm, &d.rank);
    d.sent = calloc((size_t)(d.p * count), sizeof(int));
    d.received = calloc((size_t)(d.p * count), sizeof(int));
    d.counts = calloc((size_t)d.p, sizeof(int));
    d.displs = calloc((size_t)d.p, sizeof(int));
    MPI_Op_create(take_right, 0, &right);
    for (int call = 0; call < times; call++) {
        move(&d, call);
        combine(&d, call);
        combine_in_order(&d, right, call);
        combine_reals(&d, &first, call);
        combine_extremes(&d, call);
    }
    MPI_Op_free(&right);
    free(d.sent);
    free(d.received);
    free(d.counts);
    free(d.displs);
}

int main(int argc, char **argv)
{
    MPI_Comm part;
    int rank, all_wrong;
    MPI_Init(&argc, &argv);
    const int times = argc == 3 && strcmp(argv[1], "--times") == 0 ? atoi(argv[2]) : 400;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    run(MPI_COMM_WORLD, SMALL, times);
    run(MPI_COMM_WORLD, LARGE, times / 5);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &part);
    run(part, SMALL, times);
    MPI_Comm_free(&part);
    MPI_Allreduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return all_wrong > 0;
}
