/* data.h - a buffer of a call, and its data as bytes.
 *
 * The ranks' datatypes must agree in what MPI calls their signature only: one may give 10 MPI_INT
 * where another gives one vector of 10. The size in bytes is all that they have in common, so where
 * data only move, blocks are cut in bytes. Data of a dense datatype lie there as such; others are
 * packed first and unpacked at the end. Ranks are homogeneous: packed data are the basic values one
 * after the other, as a dense datatype has them. */
#ifndef MPI_LIBRARY_DATA_H
#define MPI_LIBRARY_DATA_H

#include "mpi/executor/elements.h"

/* As many bytes are packed at once, because MPI_Pack counts them with int. Smaller in a test. */
#ifndef LIB_PACKED_AT_ONCE
#define LIB_PACKED_AT_ONCE ((int64_t)1 << 30)
#endif

/* `count` elements of a datatype. */
struct lib_data {
    char *address;
    int64_t count;
    struct exec_elements elements;
};

/* These return MPI error codes. */
int lib_data_of(void *address, MPI_Datatype type, int64_t count, struct lib_data *data);
/* To and from lib_data_bytes(data) bytes at `packed`. */
int lib_data_pack(const struct lib_data *data, char *packed, const struct exec_self *self);
int lib_data_unpack(const struct lib_data *data, char *packed, const struct exec_self *self);

/* Where element `element` lies. Counted with whole numbers, because the address may be MPI_BOTTOM,
 * or wrongly MPI_IN_PLACE: to these no pointer may be added. */
static inline char *lib_data_at(const struct lib_data *data, int64_t element)
{
    return (char *)((uintptr_t)data->address + (uintptr_t)(element * data->elements.extent));
}

static inline int64_t lib_data_bytes(const struct lib_data *data)
{
    return data->count * data->elements.size;
}

#endif
