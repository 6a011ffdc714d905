/* data.h - a buffer of a call, and its data as bytes.
 *
 * The ranks' datatypes need to agree only in what MPI calls their signature: one rank may give 10
 * MPI_INT where another gives one vector of 10. Only the size in bytes is the same, so data that
 * only move are cut by bytes. Data of a dense datatype are used in place; other data are packed
 * first and unpacked at the end. Ranks are homogeneous: packed data are the basic values in
 * sequence, as in a dense datatype. */
#pragma once

#include "mpi/executor/elements.h"

/* The number of bytes packed at once, because MPI_Pack counts with int. A test sets a smaller
 * value. */
#ifndef LIB_PACKED_AT_ONCE
#define LIB_PACKED_AT_ONCE ((int64_t)1 << 30)
#endif

/* `count` elements of a datatype. */
struct lib_data {
    char *address;
    int64_t count;
    struct exec_elements elements;
};

/* These return MPI error codes. Data of a send buffer are only read. */
int lib_data_of(const void *address, MPI_Datatype type, int64_t count, struct lib_data *data);
/* Pack to, and unpack from, the buffer `packed` of as many bytes as the data have. */
int lib_data_pack(const struct lib_data *data, char *packed, const struct exec_self *self);
int lib_data_unpack(const struct lib_data *data, char *packed, const struct exec_self *self);

/* The address of element `element`. Computed with integers, because the address may be MPI_BOTTOM,
 * or wrongly MPI_IN_PLACE, for which pointer arithmetic is not allowed. */
static inline char *lib_data_at(const struct lib_data *data, int64_t element)
{
    return (char *)((uintptr_t)data->address + (uintptr_t)(element * data->elements.extent));
}

static inline int64_t lib_data_bytes(const struct lib_data *data)
{
    return data->count * data->elements.size;
}
