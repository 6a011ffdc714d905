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
 * is set: the rules that are there by then, unchanged, and after them new ones for calls that none
 * of these fits. Jobs that end at the same time wait for each other. */
void preload_remember_end(void);

/* Collective: rank 0 gets the rows of all ranks. RB_ENOMEM, RB_EFAILED. The caller frees `all`. */
int preload_learned(MPI_Comm comm, struct choice_learned *all);

#endif
