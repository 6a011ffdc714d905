/* smpi_native.c - SMPI's own collectives, called. */
#include "smpi_native.h"

#include <stdlib.h>
#include <string.h>

static int elements_of(const struct rb_smpi_call *call)
{
    return (int)(call->run->buffer_bytes / call->run->spec->layout->element);
}

/* Where an owner's share begins in a buffer. */
static char *share_in(const struct rb_smpi_call *call, enum rb_buffer buffer, int owner)
{
    return (char *)call->buffer[buffer] +
           call->run->first[owner] * call->run->spec->layout->element;
}

static int share_length(const struct rb_smpi_call *call, int owner)
{
    return (int)(call->run->first[owner + 1] - call->run->first[owner]);
}

/* Lengths of all shares, and where they begin; to be freed together. NULL: out of memory. */
static int *share_lengths(const struct rb_smpi_call *call, int **begins)
{
    const int p = call->run->spec->native->p;
    int *lengths = malloc(2 * (size_t)p * sizeof *lengths);
    if (lengths == NULL)
        return NULL;
    *begins = lengths + p;
    for (int owner = 0; owner < p; owner++) {
        lengths[owner] = share_length(call, owner);
        (*begins)[owner] = (int)call->run->first[owner];
    }
    return lengths;
}

static int call_bcast(const struct rb_smpi_call *call)
{
    return MPI_Bcast(call->buffer[RB_DST], elements_of(call), call->type,
                     call->run->spec->native->root, MPI_COMM_WORLD);
}

static int call_reduce(const struct rb_smpi_call *call)
{
    return MPI_Reduce(call->buffer[RB_SRC], call->buffer[RB_DST], elements_of(call), call->type,
                      call->op, call->run->spec->native->root, MPI_COMM_WORLD);
}

static int call_allreduce(const struct rb_smpi_call *call)
{
    return MPI_Allreduce(call->buffer[RB_SRC], call->buffer[RB_DST], elements_of(call), call->type,
                         call->op, MPI_COMM_WORLD);
}

static int call_allgather(const struct rb_smpi_call *call)
{
    const char *own = share_in(call, RB_SRC, call->rank);
    const int length = share_length(call, call->rank);
    if (call->run->spec->layout->first == NULL)
        return MPI_Allgather(own, length, call->type, call->buffer[RB_DST], length, call->type,
                             MPI_COMM_WORLD);
    int *begins, *lengths = share_lengths(call, &begins);
    if (lengths == NULL)
        return MPI_ERR_NO_MEM;
    int error = MPI_Allgatherv(own, length, call->type, call->buffer[RB_DST], lengths, begins,
                               call->type, MPI_COMM_WORLD);
    free(lengths);
    return error;
}

static int call_reduce_scatter(const struct rb_smpi_call *call)
{
    int *begins, *lengths = share_lengths(call, &begins);
    if (lengths == NULL)
        return MPI_ERR_NO_MEM;
    int error = MPI_Reduce_scatter(call->buffer[RB_SRC], share_in(call, RB_DST, call->rank),
                                   lengths, call->type, call->op, MPI_COMM_WORLD);
    free(lengths);
    return error;
}

static const struct {
    const char *collective;
    int (*call)(const struct rb_smpi_call *call);
} calls[] = {
    {"bcast", call_bcast},         {"reduce", call_reduce},
    {"allgather", call_allgather}, {"reduce-scatter", call_reduce_scatter},
    {"allreduce", call_allreduce},
};

int rb_smpi_call_native(const struct rb_smpi_call *call)
{
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (strcmp(calls[i].collective, call->run->collective->name) == 0)
            return calls[i].call(call);
    return MPI_ERR_UNSUPPORTED_OPERATION;
}
