/* exact.h - reductions whose result does not depend on the order of operations. */
#ifndef MPI_LIBRARY_EXACT_H
#define MPI_LIBRARY_EXACT_H

#include <mpi.h>
#include <stdbool.h>

/* True for MPI's own operators on whole numbers, bytes and logical values. Sums of floating-point
 * numbers depend on rounding, their extremes may be either of two zeros, and a user's operator is
 * unknown. False in case of doubt. */
bool lib_is_exact(MPI_Datatype type, MPI_Op op);

/* True for one of MPI's own operators on numbers, which cannot be freed. */
bool lib_is_own_operator(MPI_Op op);

#endif
