/* data.h - a buffer of a call, and its data as bytes.
 *
 * The ranks' datatypes must agree in what MPI calls their signature only: one may give 10 MPI_INT
 * where another gives one vector of 10. The size in bytes is all that they have in common, so where
 * data only move, blocks are cut in bytes. Data of a dense datatype lie there as such; others are
 * packed first and unpacked at the end. Ranks are homogeneous: packed data are the basic values one
 * after the other, as a dense datatype has them. */
#ifndef RB_MPI_DATA_H
#define RB_MPI_DATA_H

#include "elements.h"

/* `count` elements of a datatype. */
struct rb_data {
    char *address;
    int64_t count;
    struct rb_elements elements;
    int64_t size; /* bytes of data in an element */
};

/* These return MPI error codes. */
int rb_data_of(void *address, MPI_Datatype type, int64_t count, struct rb_data *data);
/* To and from rb_data_bytes(data) bytes at `packed`. */
int rb_data_pack(const struct rb_data *data, char *packed, MPI_Comm comm);
int rb_data_unpack(const struct rb_data *data, char *packed, MPI_Comm comm);

static inline int64_t rb_data_bytes(const struct rb_data *data)
{
    return data->count * data->size;
}

#endif
