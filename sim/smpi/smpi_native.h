/* smpi_native.h - calls SMPI's own collectives. Only for files that include SMPI's mpi.h. */
#ifndef SIM_SMPI_SMPI_NATIVE_H
#define SIM_SMPI_SMPI_NATIVE_H

#include <mpi.h>

#include "smpi.h"

/* One rank's arguments of a call: elements of `type`; RB_SRC is sent, RB_DST received. */
struct simmpi_call {
    const struct simmpi_run *run;
    int rank;
    void *const *buffer;
    MPI_Datatype type;
    MPI_Op op;
};

/* Calls the run's native collective on MPI_COMM_WORLD. Returns an MPI error code. */
int simmpi_call_native(const struct simmpi_call *call);

#endif
