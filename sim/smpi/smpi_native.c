/* smpi_native.c - SMPI's own collectives, called. */
#include "smpi_native.h"
#include "support/memory.h"

#include <stdlib.h>
#include <string.h>

static int elements_of(const struct simmpi_call *call)
{
    return (int)(call->run->buffer_bytes / call->run->spec->layout->element);
}

/* Where an owner's share begins in a buffer. */
static char *share_in(const struct simmpi_call *call, enum rb_buffer buffer, int owner)
{
    return (char *)call->buffer[buffer] +
           call->run->first[owner] * call->run->spec->layout->element;
}

static int share_length(const struct simmpi_call *call, int owner)
{
    return (int)(call->run->first[owner + 1] - call->run->first[owner]);
}

/* Lengths of all shares, and where they begin; to be freed together. */
static int *share_lengths(const struct simmpi_call *call, int **begins)
{
    const int p = call->run->spec->native->p;
    int *lengths = sup_malloc(2 * (size_t)p * sizeof *lengths);
    *begins = lengths + p;
    for (int owner = 0; owner < p; owner++) {
        lengths[owner] = share_length(call, owner);
        (*begins)[owner] = (int)call->run->first[owner];
    }
    return lengths;
}

static int call_bcast(const struct simmpi_call *call)
{
    return MPI_Bcast(call->buffer[RB_DST], elements_of(call), call->type,
                     call->run->spec->native->root, MPI_COMM_WORLD);
}

static int call_reduce(const struct simmpi_call *call)
{
    return MPI_Reduce(call->buffer[RB_SRC], call->buffer[RB_DST], elements_of(call), call->type,
                      call->op, call->run->spec->native->root, MPI_COMM_WORLD);
}

static int call_allreduce(const struct simmpi_call *call)
{
    return MPI_Allreduce(call->buffer[RB_SRC], call->buffer[RB_DST], elements_of(call), call->type,
                         call->op, MPI_COMM_WORLD);
}

static int call_allgather(const struct simmpi_call *call)
{
    const char *own = share_in(call, RB_SRC, call->rank);
    const int length = share_length(call, call->rank);
    if (call->run->spec->layout->first == NULL)
        return MPI_Allgather(own, length, call->type, call->buffer[RB_DST], length, call->type,
                             MPI_COMM_WORLD);
    int *begins, *lengths = share_lengths(call, &begins);
    int error = MPI_Allgatherv(own, length, call->type, call->buffer[RB_DST], lengths, begins,
                               call->type, MPI_COMM_WORLD);
    free(lengths);
    return error;
}

static int call_reduce_scatter(const struct simmpi_call *call)
{
    int *begins, *lengths = share_lengths(call, &begins);
    int error = MPI_Reduce_scatter(call->buffer[RB_SRC], share_in(call, RB_DST, call->rank),
                                   lengths, call->type, call->op, MPI_COMM_WORLD);
    free(lengths);
    return error;
}

static int call_scatter(const struct simmpi_call *call)
{
    const int length = share_length(call, call->rank);
    return MPI_Scatter(call->buffer[RB_SRC], length, call->type, share_in(call, RB_DST, call->rank),
                       length, call->type, call->run->spec->native->root, MPI_COMM_WORLD);
}

static int call_gather(const struct simmpi_call *call)
{
    const int length = share_length(call, call->rank);
    return MPI_Gather(share_in(call, RB_SRC, call->rank), length, call->type, call->buffer[RB_DST],
                      length, call->type, call->run->spec->native->root, MPI_COMM_WORLD);
}

/* Lengths of the data for each rank and from each rank, and the beginnings of their rows. */
static int call_alltoallv(const struct simmpi_call *call, int *room)
{
    const int p = call->run->spec->native->p;
    const int64_t *first = call->run->spec->layout->first;
    int *to = room, *from = room + p, *row = room + 2 * p;
    for (int other = 0; other < p; other++) {
        const int64_t there = (int64_t)call->rank * p + other,
                      here = (int64_t)other * p + call->rank;
        to[other] = (int)(first[there + 1] - first[there]);
        from[other] = (int)(first[here + 1] - first[here]);
        row[other] = (int)call->run->first[other];
    }
    return MPI_Alltoallv(call->buffer[RB_SRC], to, row, call->type, call->buffer[RB_DST], from, row,
                         call->type, MPI_COMM_WORLD);
}

static int call_alltoall(const struct simmpi_call *call)
{
    const int length = (int)call->run->first[1];
    if (call->run->spec->layout->first == NULL)
        return MPI_Alltoall(call->buffer[RB_SRC], length, call->type, call->buffer[RB_DST], length,
                            call->type, MPI_COMM_WORLD);
    int *room = sup_malloc(3 * (size_t)call->run->spec->native->p * sizeof *room);
    int error = call_alltoallv(call, room);
    free(room);
    return error;
}

static const struct {
    const char *collective;
    int (*call)(const struct simmpi_call *call);
} calls[] = {
    {"bcast", call_bcast},         {"reduce", call_reduce},
    {"allgather", call_allgather}, {"reduce-scatter", call_reduce_scatter},
    {"allreduce", call_allreduce}, {"scatter", call_scatter},
    {"gather", call_gather},       {"alltoall", call_alltoall},
};

int simmpi_call_native(const struct simmpi_call *call)
{
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (strcmp(calls[i].collective, call->run->collective->name) == 0)
            return calls[i].call(call);
    return MPI_ERR_UNSUPPORTED_OPERATION;
}
