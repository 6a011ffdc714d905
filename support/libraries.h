/* libraries.h - the names that people, files and programs have for MPI libraries and those of GPUs.
 *
 * One table for all verbs: what one of them takes, each takes to which the library means something.
 */
#ifndef SUPPORT_LIBRARIES_H
#define SUPPORT_LIBRARIES_H

#include <stdbool.h>

/* The library of our tables (mpi/vendors/names/mpilib.h) that is called so: "Open MPI 4.1.4",
 * "openmpi" and "OMPI" are "ompi", "CRAY_MPICH" is "mpich". Case, blanks, `-` and `_` do not
 * matter, and a version may follow behind a blank, `/` or `@`. NULL: none is. */
const char *sup_library_named(const char *text);

/* True if two names are of the same library. One that is derived from another is only the same as
 * itself: "CRAY_MPICH" is not "MPICH". */
bool sup_same_library(const char *a, const char *b);

/* A list of algorithms by commas, with the usual names of libraries: "native:openmpi" is
 * "native:ompi". The caller frees it. */
char *sup_algorithm_names(const char *list);

#endif
