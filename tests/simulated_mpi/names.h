/* names.h - declares MPI's calls under their own names, which the preloaded library has, by
 * mpi/record/list.h; and those under PMPI's names that mpi.h does not. */
#ifndef SIMULATED_MPI_NAMES_H
#define SIMULATED_MPI_NAMES_H

#include <mpi.h>

#define LIB_CALL(name, collective)
#define LIB_FUNCTION(name, fortran, collective, arguments, key)
#include "mpi/library/list.h"
#undef LIB_CALL
#undef LIB_FUNCTION
#include "mpi/record/record.h"

int MPI_Init(int *argc, char ***argv);
int MPI_Init_thread(int *argc, char ***argv, int required, int *provided);
int MPI_Finalize(void);

#define PLAIN(name, arguments)                                                                     \
    int MPI_##name(arguments(RECORD_C));                                                           \
    int PMPI_##name(arguments(RECORD_C));
#define RECORD_COLLECTIVE(name, fortran, arguments, rule)                                          \
    PLAIN(name, arguments)                                                                         \
    int MPI_I##fortran(arguments(RECORD_C), MPI_Request *request);                                 \
    int PMPI_I##fortran(arguments(RECORD_C), MPI_Request *request);                                \
    int MPI_##name##_init(arguments(RECORD_C), MPI_Info info, MPI_Request *request);               \
    int PMPI_##name##_init(arguments(RECORD_C), MPI_Info info, MPI_Request *request);
#define RECORD_SERVED                                RECORD_COLLECTIVE
#define RECORD_SEND(name, fortran, arguments, part)  PLAIN(name, arguments)
#define RECORD_OTHER(name, fortran, arguments, part) PLAIN(name, arguments)
#define RECORD_PERSISTENT(name, fortran, arguments)  PLAIN(name, arguments)
#define RECORD_WAIT(name, fortran, arguments)        PLAIN(name, arguments)
#define RECORD_START(name, fortran, arguments)       PLAIN(name, arguments)
#include "mpi/record/list.h"
#undef PLAIN
#undef RECORD_COLLECTIVE
#undef RECORD_SERVED
#undef RECORD_SEND
#undef RECORD_OTHER
#undef RECORD_PERSISTENT
#undef RECORD_WAIT
#undef RECORD_START

#endif
