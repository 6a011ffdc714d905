/* preload_learned.h - collects the results of the online choice from all ranks, and writes them to
 * the file of RB_REMEMBER for later runs. */
#ifndef MPI_PRELOAD_PRELOAD_LEARNED_H
#define MPI_PRELOAD_PRELOAD_LEARNED_H

#include <mpi.h>

#include "mpi/choice/learned.h"
#include "support/error.h"

/* On rank 0: RB_EINVAL unless RB_REMEMBER's file can be written. */
int preload_remember_start(int rank, struct sup_error *error);

/* Collective over MPI_COMM_WORLD, just before MPI_Finalize: rank 0 writes the file if RB_REMEMBER
 * is set: the old rules unchanged, and after them new rules for calls that no rule served. The old
 * file stays until everything is written. */
void preload_remember_end(void);

/* Collective: rank 0 gets the rows of all ranks. RB_ENOMEM, RB_EFAILED. The caller frees `all`. */
int preload_learned(MPI_Comm comm, struct choice_learned *all);

/* Prints why the file that this variable names was not written, unless the status is RB_OK; for
 * RB_EIO errno says why. */
void preload_complain(const char *variable, const char *name, int rank, int status);

#endif
