/* arguments.h - finds wrong arguments that a rank can see by itself, before anything is sent.
 *
 * The MPI library reports an operator that does not fit the datatype, and a datatype that is not
 * committed, because it has the better message. For wrong buffers the checks follow the MPI
 * library: buffers that MPICH reports, and buffers on which Open MPI would crash. */
#pragma once

#include "mpi/executor/elements.h"

/* True if the MPI library accepts the operator for elements of that datatype. */
bool lib_check_op(MPI_Op op, const struct exec_elements *elements);

/* True for MPI's own operators on whole numbers, bytes and logical values, and for extremes of
 * floating-point numbers, which don't round: only the sign of a zero can depend on the order, and
 * whether NAN comes out where it went in. Sums of floating-point numbers depend on rounding, and a
 * user's operator is unknown. False in case of doubt. */
bool lib_is_exact(MPI_Datatype type, MPI_Op op);

/* True for one of MPI's own operators on numbers, which cannot be freed. */
bool lib_is_own_operator(MPI_Op op);

/* True if the datatype is committed. `comm` is any private communicator. */
bool lib_check_committed(const struct exec_elements *elements, MPI_Comm comm);

/* These return MPI error codes. A buffer of `count` elements which must not be MPI_IN_PLACE. */
int lib_check_buffer(const void *address, const struct exec_elements *elements, int64_t count);

/* Two buffers that must not be the same, unless there are no elements. */
int lib_check_alias(const void *sent, const void *received, int64_t count);

/* True if MPI_Bcast reports messages that are shorter than their receives, not only longer ones. */
#ifdef OPEN_MPI
enum { LIB_BCAST_WANTS_WHOLE = false };
#else
enum { LIB_BCAST_WANTS_WHOLE = true };
#endif

/* True if MPI_Exscan requires a receive buffer at rank 0, where it writes nothing. */
#ifdef OPEN_MPI
enum { LIB_EXSCAN_WANTS_BUFFER = false };
#else
enum { LIB_EXSCAN_WANTS_BUFFER = true };
#endif
