/* mpi_mixed.c - a mixed run of collectives, each by the MPI library and by Roundabout, in turn.
 *
 *   mpirun -n P mpi_mixed [--calls N] [--seed S] [--most BYTES] [--share E]
 *   mpirun -n 4 mpi_mixed --calls 10000
 *
 * Each of N calls (10000) is one of 8 collectives, of 8 bytes to BYTES (16777216) by powers of 4,
 * drawn at random; sizes by weights (8 / bytes)^E, E = 0.125, so that 16 MiB is drawn a sixth as
 * often as 8 bytes: programs make more short calls than long ones. Bytes are those of the whole
 * vector: what is broadcast, reduced, gathered or scattered, and of one rank's send buffer in
 * alltoall.
 *
 * A call is made twice, PMPI_... and RB_..., each after a barrier; which comes first is drawn, too,
 * so that what disturbs the machine disturbs both. A call's time is the slowest rank's, the
 * agreements of the online choice included. What ours does is up to RB_ONLINE and the other
 * variables.
 *
 * CSV: collective, bytes, p, calls; native_us, ours_us: medians over the second half of the cell's
 * calls, when most trials are over; ratio of these, and the quartiles of the ratios of single
 * pairs; total_ratio: of all the cell's calls. Then, after a #, the whole run. */
#include <inttypes.h>
#include <math.h>
#include <roundabout-mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLLECTIVES = 8, SIZES = 20 };

static const char *const names[COLLECTIVES] = {
    "bcast", "reduce", "allreduce", "allgather", "reduce-scatter", "alltoall", "scatter", "gather"};

struct bench {
    int p, rank, sizes;
    int64_t bytes[SIZES];
    double share;
    uint64_t random;
    char *sent, *received;
    int count, *collective, *size; /* of the calls */
    double *time_s[2];             /* native, ours */
};

/* The same at all ranks: 0 to 1. */
static double draw(struct bench *bench)
{
    bench->random = bench->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(bench->random >> 40) / (double)(1 << 24);
}

static int draw_size(struct bench *bench)
{
    double weight[SIZES], all = 0;
    for (int i = 0; i < bench->sizes; i++)
        all += weight[i] = pow(8 / (double)bench->bytes[i], bench->share);
    double at = draw(bench) * all;
    for (int i = 0; i < bench->sizes; i++)
        if ((at -= weight[i]) < 0)
            return i;
    return bench->sizes - 1;
}

/* A rank's part of so many units, at least one. */
static int part_of(const struct bench *bench, int64_t units)
{
    return units < bench->p ? 1 : (int)(units / bench->p);
}

static void run(const struct bench *bench, int collective, int64_t bytes, bool ours)
{
    const MPI_Comm comm = MPI_COMM_WORLD;
    const int all = (int)bytes, numbers = (int)(bytes / (int64_t)sizeof(int));
    const int part = part_of(bench, bytes), part_numbers = part_of(bench, numbers);
    void *sent = bench->sent, *received = bench->received;
    switch (collective) {
    case 0:
        (ours ? RB_Bcast : PMPI_Bcast)(received, all, MPI_BYTE, 0, comm);
        break;
    case 1:
        (ours ? RB_Reduce : PMPI_Reduce)(sent, received, numbers, MPI_INT, MPI_SUM, 0, comm);
        break;
    case 2:
        (ours ? RB_Allreduce : PMPI_Allreduce)(sent, received, numbers, MPI_INT, MPI_SUM, comm);
        break;
    case 3:
        (ours ? RB_Allgather : PMPI_Allgather)(sent, part, MPI_BYTE, received, part, MPI_BYTE,
                                               comm);
        break;
    case 4:
        (ours ? RB_Reduce_scatter_block : PMPI_Reduce_scatter_block)(sent, received, part_numbers,
                                                                     MPI_INT, MPI_SUM, comm);
        break;
    case 5:
        (ours ? RB_Alltoall : PMPI_Alltoall)(sent, part, MPI_BYTE, received, part, MPI_BYTE, comm);
        break;
    case 6:
        (ours ? RB_Scatter : PMPI_Scatter)(sent, part, MPI_BYTE, received, part, MPI_BYTE, 0, comm);
        break;
    default:
        (ours ? RB_Gather : PMPI_Gather)(sent, part, MPI_BYTE, received, part, MPI_BYTE, 0, comm);
    }
}

static void measure(struct bench *bench)
{
    for (int i = 0; i < bench->count; i++) {
        const int collective = bench->collective[i] = (int)(draw(bench) * COLLECTIVES);
        const int size = bench->size[i] = draw_size(bench);
        const bool first = draw(bench) < 0.5;
        for (int k = 0; k < 2; k++) {
            const bool ours = first == (k == 0);
            PMPI_Barrier(MPI_COMM_WORLD);
            const double start = PMPI_Wtime();
            run(bench, collective, bench->bytes[size], ours);
            bench->time_s[ours][i] = PMPI_Wtime() - start;
        }
    }
    for (int k = 0; k < 2; k++)
        PMPI_Allreduce(MPI_IN_PLACE, bench->time_s[k], bench->count, MPI_DOUBLE, MPI_MAX,
                       MPI_COMM_WORLD);
}

/* ---- What came of it ------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorts them. count is above 0. */
static double quantile(double value[], int count, double share)
{
    qsort(value, (size_t)count, sizeof *value, compare);
    return value[(int)(share * (count - 1) + 0.5)];
}

/* One cell's line. Returns its ratio, 0 if there are too few calls; room for 3 * count numbers. */
static double print_cell(const struct bench *bench, int collective, int size, double *room)
{
    double *time_s[] = {room, room + bench->count}, *ratio = room + 2 * bench->count;
    double total_s[2] = {0, 0};
    int calls = 0, count = 0, seen = 0;
    for (int i = 0; i < bench->count; i++)
        calls += bench->collective[i] == collective && bench->size[i] == size;
    for (int i = 0; i < bench->count; i++) {
        if (bench->collective[i] != collective || bench->size[i] != size)
            continue;
        for (int k = 0; k < 2; k++)
            total_s[k] += bench->time_s[k][i];
        if (seen++ < calls / 2)
            continue;
        ratio[count] = bench->time_s[1][i] / bench->time_s[0][i];
        for (int k = 0; k < 2; k++)
            time_s[k][count] = bench->time_s[k][i];
        count++;
    }
    if (count == 0)
        return 0;
    const double native_s = quantile(time_s[0], count, 0.5);
    const double ours_s = quantile(time_s[1], count, 0.5);
    printf("%s,%" PRId64 ",%d,%d,%.1f,%.1f,%.2f,%.2f,%.2f,%.2f\n", names[collective],
           bench->bytes[size], bench->p, calls, native_s * 1e6, ours_s * 1e6, ours_s / native_s,
           quantile(ratio, count, 0.25), quantile(ratio, count, 0.75), total_s[1] / total_s[0]);
    return ours_s / native_s;
}

static void print_all(const struct bench *bench)
{
    double *room = calloc(3 * (size_t)bench->count, sizeof *room), total_s[2] = {0, 0}, half_s[2];
    int cells = 0, above = 0;
    if (room == NULL)
        MPI_Abort(MPI_COMM_WORLD, 3);
    printf("collective,bytes,p,calls,native_us,ours_us,ratio,ratio_q1,ratio_q3,total_ratio\n");
    for (int c = 0; c < COLLECTIVES; c++)
        for (int s = 0; s < bench->sizes; s++) {
            const double ratio = print_cell(bench, c, s, room);
            cells += ratio > 0;
            above += ratio > 1.10;
        }
    for (int i = 0; i < bench->count; i++) {
        if (i == bench->count / 2)
            memcpy(half_s, total_s, sizeof half_s);
        for (int k = 0; k < 2; k++)
            total_s[k] += bench->time_s[k][i];
    }
    printf("# %d calls: native %.3f s, ours %.3f s, ratio %.3f; of the second half %.3f; %d of %d "
           "cells above 1.10 in their second half; %lld calls left to the MPI library\n",
           bench->count, total_s[0], total_s[1], total_s[1] / total_s[0],
           (total_s[1] - half_s[1]) / (total_s[0] - half_s[0]), above, cells, RB_Fallbacks(NULL));
    free(room);
}

/* The number after an option, or its default. */
static double number_of(int argc, char **argv, const char *option, double otherwise)
{
    for (int i = 1; i + 1 < argc; i++)
        if (strcmp(argv[i], option) == 0)
            return atof(argv[i + 1]);
    return otherwise;
}

int main(int argc, char **argv)
{
    struct bench bench = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &bench.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &bench.p);
    const double most = number_of(argc, argv, "--most", 16 << 20);
    bench.count = (int)fmax(1, number_of(argc, argv, "--calls", 10000));
    bench.random = (uint64_t)fabs(number_of(argc, argv, "--seed", 1));
    bench.share = number_of(argc, argv, "--share", 0.125);
    for (int32_t bytes = 8; bytes <= most && bytes <= 1 << 28 && bench.sizes < SIZES; bytes *= 4)
        bench.bytes[bench.sizes++] = bytes;
    /* 8 * 4^k reaches 8 MiB; the last size is 16 MiB, or that of --most. */
    if (bench.sizes > 0 && (double)bench.bytes[bench.sizes - 1] < most && bench.sizes < SIZES)
        bench.bytes[bench.sizes++] = (int64_t)most / 4 * 4;
    if (bench.sizes == 0)
        bench.bytes[bench.sizes++] = 8;
    const size_t room = (size_t)bench.bytes[bench.sizes - 1] + sizeof(int) * (size_t)bench.p;
    bench.sent = calloc(room, 1);
    bench.received = calloc(room, 1);
    bench.collective = calloc((size_t)bench.count, sizeof(int));
    bench.size = calloc((size_t)bench.count, sizeof(int));
    for (int k = 0; k < 2; k++)
        bench.time_s[k] = calloc((size_t)bench.count, sizeof(double));
    if (bench.sent == NULL || bench.received == NULL || bench.collective == NULL ||
        bench.size == NULL || bench.time_s[0] == NULL || bench.time_s[1] == NULL)
        MPI_Abort(MPI_COMM_WORLD, 3);
    measure(&bench);
    if (bench.rank == 0)
        print_all(&bench);
    for (int k = 0; k < 2; k++)
        free(bench.time_s[k]);
    free(bench.size);
    free(bench.collective);
    free(bench.received);
    free(bench.sent);
    MPI_Finalize();
    return 0;
}
