/* calls.h - MPI's calls under MPI's names, in C and in Fortran, of the preloaded library: made with
 * one set of arguments, by mpi/record/list.h. */
#ifndef SIMULATED_MPI_CALLS_H
#define SIMULATED_MPI_CALLS_H

#include <mpi.h>
#include <stdbool.h>

#include "simulation.h"

/* The collectives in the order of enum record_collective; then those that start, then those that
 * make a persistent request; then the others. */
enum {
    CALL_STARTED = 22,
    CALL_INITIATED = 2 * CALL_STARTED,
    CALL_OTHERS = 3 * CALL_STARTED,
    CALL_BEFORE_OTHERS = CALL_OTHERS - 1,
#define LIB_CALL(name, collective)
#define LIB_FUNCTION(name, fortran, collective, arguments, key)
#include "mpi/library/list.h"
#define RECORD_SEND(name, fortran, arguments, part)  CALL_##name,
#define RECORD_OTHER(name, fortran, arguments, part) CALL_##name,
#define RECORD_PERSISTENT(name, fortran, arguments)  CALL_##name,
#define RECORD_WAIT(name, fortran, arguments)        CALL_##name,
#define RECORD_START(name, fortran, arguments)       CALL_##name,
#include "mpi/record/list.h"
    CALLS
};
#undef LIB_CALL
#undef LIB_FUNCTION
#undef RECORD_SEND
#undef RECORD_OTHER
#undef RECORD_PERSISTENT
#undef RECORD_WAIT
#undef RECORD_START

const char *call_name(int call, bool in_fortran);

/* Arguments by their names in the standard. */
struct call_arguments {
    void *buffer, *buf, *sendbuf, *recvbuf;
    int count, sendcount, recvcount, root, dest, source, tag, sendtag, recvtag;
    int *sendcounts, *recvcounts, *displs, *sdispls, *rdispls;
    MPI_Datatype datatype, sendtype, recvtype;
    MPI_Datatype *sendtypes, *recvtypes;
    MPI_Op op;
    MPI_Comm comm;
    MPI_Request *request;
    MPI_Status *status, *statuses;
    int flag, index, outcount, indices[SM_MOST_REQUESTS];
    MPI_Message message;
};
/* Calls the current rank's; an MPI error code. `given` also gets what comes out. */
int call_make(int call, bool in_fortran, struct call_arguments *given);
/* Calls the simulated MPI's own function of a blocking collective; false: it moves no data. */
bool call_native(int collective, struct call_arguments *given);

#endif
