/* exact.h - reductions whose result does not depend on the order of operations. */
#ifndef MPI_LIBRARY_EXACT_H
#define MPI_LIBRARY_EXACT_H

#include <mpi.h>
#include <stdbool.h>

/* MPI's own operators on whole numbers, bytes and logical values. Sums of floating-point numbers
 * are rounded as they go, their extremes may be one of two zeros, and nobody knows what an operator
 * of the user's does. False of what is in doubt. */
bool lib_is_exact(MPI_Datatype type, MPI_Op op);

/* One of MPI's own operators that numbers have: nobody can free it. */
bool lib_is_own_operator(MPI_Op op);

#endif
