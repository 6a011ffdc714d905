/* job.c - roundabout-trace-openmpi, -mpich: one call of a collective on tagged data, under the
 * library that records its messages (mpi/trace/trace.h).
 *
 * An element is a number of 64 bits: the low 32 bits are its place among all data of the
 * collective, in the order of owners and then of parts; the high 32 bits are the set of the ranks
 * that contributed, and 0 where nothing is combined. MPI_BOR of two such numbers of the same place
 * is the place with the union of the sets. So each message shows which data it carries. */
#define _GNU_SOURCE /* RTLD_DEFAULT */

#include <dlfcn.h>
#include <inttypes.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/trace/trace.h"

enum { MOST_CONTRIBUTORS = 32 };
static void (*trace_call)(const char *collective, int64_t elements, int root);

/* ---- The calls ------------------------------------------------------------------------------- */

struct data {
    uint64_t *out, *in;
    int count, root; /* count: elements of a part, as the calls have it */
};
#define OUT d->out, d->count, MPI_UINT64_T
#define IN  d->in, d->count, MPI_UINT64_T
#define CALL(name, ...)                                                                            \
    static void name(const struct data *d)                                                         \
    {                                                                                              \
        MPI_##name(__VA_ARGS__, MPI_COMM_WORLD);                                                   \
    }
CALL(Bcast, OUT, d->root)
CALL(Reduce, d->out, IN, MPI_BOR, d->root)
CALL(Allreduce, d->out, IN, MPI_BOR)
CALL(Reduce_scatter_block, d->out, IN, MPI_BOR)
CALL(Allgather, OUT, IN)
CALL(Alltoall, OUT, IN)
CALL(Scatter, OUT, IN, d->root)
CALL(Gather, OUT, IN, d->root)

static const struct call {
    const char *name;
    void (*run)(const struct data *data);
    bool combines;
    int power;                      /* there are p^power parts */
    enum { AT_ROOT, OWN, ALL } has; /* which of the data a rank has before */
} calls[] = {
    {"bcast", Bcast, false, 0, AT_ROOT},     {"reduce", Reduce, true, 0, ALL},
    {"allreduce", Allreduce, true, 0, ALL},  {"reduce-scatter", Reduce_scatter_block, true, 1, ALL},
    {"allgather", Allgather, false, 1, OWN}, {"alltoall", Alltoall, false, 2, OWN},
    {"scatter", Scatter, false, 1, AT_ROOT}, {"gather", Gather, false, 1, OWN},
};

/* ---- The program ----------------------------------------------------------------------------- */

static void run(const struct call *call, int p, int rank, int64_t bytes, struct data *data)
{
    const int64_t parts = call->power == 0 ? 1 : call->power == 1 ? p : (int64_t)p * p;
    const int64_t part = (bytes + 8 * parts - 1) / (8 * parts), elements = part * parts;
    const int64_t first = call->has == OWN ? elements / p * rank : 0;
    const uint64_t set = call->combines ? UINT64_C(1) << (32 + rank) : 0;
    data->count = (int)part;
    data->out = malloc((size_t)elements * 8 + 1);
    data->in = malloc((size_t)elements * 8 + 1);
    if (data->out == NULL || data->in == NULL)
        MPI_Abort(MPI_COMM_WORLD, 3);
    for (int64_t i = 0; i < elements; i++) {
        const bool has =
            call->has == ALL || (call->has == OWN ? i < elements / p : rank == data->root);
        data->out[i] = has ? set | (uint64_t)(first + i) : UINT64_MAX;
        data->in[i] = UINT64_MAX;
    }
    trace_call(call->name, elements, data->root);
    call->run(data);
    free(data->out);
    free(data->in);
}

/* Leaves the reason to the verb, so that mpirun adds nothing to it. */
static void refuse(const struct call *call, int p, int root)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/" TRACE_REFUSED, getenv("ROUNDABOUT_TRACE"));
    FILE *file = fopen(path, "w");
    if (file == NULL)
        return;
    if (root >= p)
        fprintf(file, "--root: %d is not one of the ranks 0 to %d", root, p - 1);
    else
        fprintf(file, "%s on %d ranks: an element has room for the contributions of %d", call->name,
                p, (int)MOST_CONTRIBUTORS);
    fclose(file);
}

/* The verb gives COLLECTIVE BYTES ROOT, and has checked the numbers. */
int main(int argc, char *argv[])
{
    struct data data = {0};
    int p, rank;
    const struct call *call = NULL;
    for (size_t i = 0; i < sizeof calls / sizeof *calls && argc == 4; i++)
        if (strcmp(calls[i].name, argv[1]) == 0)
            call = &calls[i];
    *(void **)&trace_call = dlsym(RTLD_DEFAULT, "trace_note_call");
    if (call == NULL || trace_call == NULL)
        return 2;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    data.root = (int)strtol(argv[3], NULL, 10);
    const bool fits = p <= MOST_CONTRIBUTORS || !call->combines;
    if (fits && data.root < p)
        run(call, p, rank, strtoll(argv[2], NULL, 10), &data);
    else if (rank == 0)
        refuse(call, p, data.root);
    MPI_Finalize();
    return 0;
}
