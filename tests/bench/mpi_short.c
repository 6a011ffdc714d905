/* mpi_short.c - short calls by MPI's names beside the MPI library's own functions, in random order.
 *
 *   mpirun -n P [-x LD_PRELOAD=... -x RB_...=...] mpi_short [--most BYTES] [--batches N] [--calls
 * N]
 *                                                     [--only COLLECTIVE]
 *
 * An unmodified program: with the preloaded library MPI_Bcast and the others are Roundabout's, and
 * PMPI_Bcast is what a program would call without it. Without the preloaded library both are the
 * same function, so the ratios show this benchmark's own noise.
 *
 * A cell is a collective and a size: 8 bytes to BYTES (512) by powers of 4, of a rank's own data
 * (in alltoall and scatter for each other rank). A batch is N calls (50) without a pause, after a
 * barrier; its time is the slowest rank's. There are N rounds (201), after two to warm up. Each
 * visits all cells in random order, and makes a batch by MPI_... and one by PMPI_... there, in
 * random order too, so that what disturbs the machine disturbs both.
 *
 * CSV: collective, p, bytes; own_us, ours_us: medians over the rounds of a call's time by PMPI_...
 * and by MPI_...; ratio: of these medians; low, high: quartiles of the rounds' ratios. Then, after
 * a #, the geometric mean of the ratios and the worst cell. */
#include <inttypes.h>
#include <math.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZES = 6, SMALLEST = 8, MOST_BYTES = SMALLEST << 2 * (SIZES - 1) };

static int p, rank, n; /* ints of a rank */
static int *sent, *received, *counts, *displs;

/* Each collective by both names. */
#define WORLD MPI_COMM_WORLD
#define BENCH(name, ...)                                                                           \
    static void run_##name(bool ours)                                                              \
    {                                                                                              \
        (ours ? MPI_##name : PMPI_##name)(__VA_ARGS__);                                            \
    }
BENCH(Bcast, received, n, MPI_INT, 0, WORLD)
BENCH(Reduce, sent, received, n, MPI_INT, MPI_SUM, 0, WORLD)
BENCH(Allreduce, sent, received, n, MPI_INT, MPI_SUM, WORLD)
BENCH(Scan, sent, received, n, MPI_INT, MPI_SUM, WORLD)
BENCH(Exscan, sent, received, n, MPI_INT, MPI_SUM, WORLD)
BENCH(Reduce_scatter_block, sent, received, n, MPI_INT, MPI_SUM, WORLD)
BENCH(Reduce_scatter, sent, received, counts, MPI_INT, MPI_SUM, WORLD)
BENCH(Allgather, sent, n, MPI_INT, received, n, MPI_INT, WORLD)
BENCH(Allgatherv, sent, n, MPI_INT, received, counts, displs, MPI_INT, WORLD)
BENCH(Alltoall, sent, n, MPI_INT, received, n, MPI_INT, WORLD)
BENCH(Alltoallv, sent, counts, displs, MPI_INT, received, counts, displs, MPI_INT, WORLD)
BENCH(Scatter, sent, n, MPI_INT, received, n, MPI_INT, 0, WORLD)
BENCH(Gather, sent, n, MPI_INT, received, n, MPI_INT, 0, WORLD)

static const struct {
    const char *name;
    void (*run)(bool ours);
} benches[] = {{"bcast", run_Bcast},
               {"reduce", run_Reduce},
               {"allreduce", run_Allreduce},
               {"scan", run_Scan},
               {"exscan", run_Exscan},
               {"reduce-scatter-block", run_Reduce_scatter_block},
               {"reduce-scatter", run_Reduce_scatter},
               {"allgather", run_Allgather},
               {"allgatherv", run_Allgatherv},
               {"alltoall", run_Alltoall},
               {"alltoallv", run_Alltoallv},
               {"scatter", run_Scatter},
               {"gather", run_Gather}};
enum { BENCHES = sizeof benches / sizeof *benches };

struct cell {
    int bench, bytes;
    double *time_us[2], *ratio; /* of the rounds; own, ours */
};

/* The same at all ranks: 0 .. below - 1. */
static int draw(int below)
{
    static uint64_t random = 1;
    random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int)((random >> 32) % (uint64_t)below);
}

/* ---- Measuring ------------------------------------------------------------------------------- */

/* Of a call, at the slowest rank. */
static double batch_us(const struct cell *cell, bool ours, int calls)
{
    n = cell->bytes / (int)sizeof(int);
    for (int i = 0; i < p; i++) {
        counts[i] = n;
        displs[i] = i * n;
    }
    PMPI_Barrier(WORLD);
    const double start = PMPI_Wtime();
    for (int i = 0; i < calls; i++)
        benches[cell->bench].run(ours);
    double spent = (PMPI_Wtime() - start) * 1e6 / calls;
    PMPI_Allreduce(MPI_IN_PLACE, &spent, 1, MPI_DOUBLE, MPI_MAX, WORLD);
    return spent;
}

/* A round; below 0: one to warm up. */
static void visit_all(struct cell cells[], int count, int round, int calls)
{
    for (int left = count; left > 0; left--) {
        const int at = draw(left);
        const struct cell cell = cells[at];
        const bool first = draw(2);
        double time[2];
        cells[at] = cells[left - 1];
        cells[left - 1] = cell;
        for (int k = 0; k < 2; k++)
            time[first ^ k] = batch_us(&cell, first ^ k, calls);
        for (int k = 0; k < 2 && round >= 0; k++)
            cell.time_us[k][round] = time[k];
        if (round >= 0)
            cell.ratio[round] = time[1] / time[0];
    }
}

/* ---- What came of it ------------------------------------------------------------------------- */

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int by_name(const void *a, const void *b)
{
    const struct cell *x = a, *y = b;
    return x->bench != y->bench ? x->bench - y->bench : x->bytes - y->bytes;
}

/* Sorts the cells and their times. */
static void print_all(struct cell cells[], int count, int rounds)
{
    const struct cell *worst = NULL;
    double most = 0, logs = 0;
    qsort(cells, (size_t)count, sizeof *cells, by_name);
    printf("collective,p,bytes,own_us,ours_us,ratio,low,high\n");
    for (int i = 0; i < count; i++) {
        double *sorted[] = {cells[i].time_us[0], cells[i].time_us[1], cells[i].ratio};
        for (int k = 0; k < 3; k++)
            qsort(sorted[k], (size_t)rounds, sizeof **sorted, by_value);
        const double own = sorted[0][rounds / 2], ours = sorted[1][rounds / 2];
        printf("%s,%d,%d,%.3f,%.3f,%.3f,%.3f,%.3f\n", benches[cells[i].bench].name, p,
               cells[i].bytes, own, ours, ours / own, sorted[2][rounds / 4],
               sorted[2][rounds - 1 - rounds / 4]);
        logs += log(ours / own);
        if (ours / own > most) {
            most = ours / own;
            worst = &cells[i];
        }
    }
    if (worst != NULL)
        printf("# geometric mean %.3f, worst %.3f: %s, %d bytes\n", exp(logs / count), most,
               benches[worst->bench].name, worst->bytes);
}

static const char *word_of(int argc, char **argv, const char *option, const char *otherwise)
{
    for (int i = 1; i + 1 < argc; i++)
        if (strcmp(argv[i], option) == 0)
            return argv[i + 1];
    return otherwise;
}

static void *reserve(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    if (memory == NULL)
        MPI_Abort(WORLD, 3);
    return memory;
}

int main(int argc, char **argv)
{
    struct cell cells[BENCHES * SIZES];
    int count = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(WORLD, &rank);
    MPI_Comm_size(WORLD, &p);
    const int most = atoi(word_of(argc, argv, "--most", "512"));
    const int rounds = (int)fmax(1, atof(word_of(argc, argv, "--batches", "201")));
    const int calls = (int)fmax(1, atof(word_of(argc, argv, "--calls", "50")));
    const char *only = word_of(argc, argv, "--only", NULL);
    sent = reserve((size_t)p, MOST_BYTES);
    received = reserve((size_t)p, MOST_BYTES);
    counts = reserve((size_t)p, sizeof *counts);
    displs = reserve((size_t)p, sizeof *displs);
    for (int b = 0; b < BENCHES; b++)
        for (int bytes = SMALLEST; bytes <= most && bytes <= MOST_BYTES; bytes *= 4)
            if (only == NULL || strcmp(only, benches[b].name) == 0)
                cells[count++] = (struct cell){.bench = b,
                                               .bytes = bytes,
                                               .time_us = {reserve((size_t)rounds, sizeof(double)),
                                                           reserve((size_t)rounds, sizeof(double))},
                                               .ratio = reserve((size_t)rounds, sizeof(double))};
    for (int round = -2; round < rounds; round++)
        visit_all(cells, count, round, calls);
    if (rank == 0)
        print_all(cells, count, rounds);
    for (int i = 0; i < count; i++) {
        free(cells[i].time_us[0]);
        free(cells[i].time_us[1]);
        free(cells[i].ratio);
    }
    free(displs);
    free(counts);
    free(received);
    free(sent);
    MPI_Finalize();
    return 0;
}
