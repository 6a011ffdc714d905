/* subject.h - what is tested: the production objects of mpi/, a copy of them for each rank, because
 * a rank is a process with globals of its own. The copies are one shared object loaded from as many
 * files. */
#ifndef SIMULATED_MPI_SUBJECT_H
#define SIMULATED_MPI_SUBJECT_H

#include <mpi.h>

#include "calls.h"
#include "mpi/executor/executor.h"

/* The functions of mpi/library. */
enum {
#define LIB_CALL(name, collective)
#define LIB_FUNCTION(name, fortran, collective, arguments, key) FUNCTION_##name,
#include "mpi/library/list.h"
    SUBJECT_FUNCTIONS
};
#undef LIB_CALL
#undef LIB_FUNCTION

struct subject {
    int (*run)(struct exec_context *executor, const struct exec_run *run);
    struct exec_context *(*create)(void);
    void (*destroy)(struct exec_context *executor);
    int (*elements_of)(MPI_Datatype type, MPI_Op op, struct exec_elements *elements);
    void (*free_script)(struct exec_script *script);
    int (*choose)(const char *collective, const char *setting);
    int (*start)(int *argc, char ***argv);
    int (*start_thread)(int *argc, char ***argv, int required, int *provided);
    void (*start_in_fortran)(MPI_Fint *error);
    void (*start_thread_in_fortran)(MPI_Fint *required, MPI_Fint *provided, MPI_Fint *error);
    int (*end)(void);
    void (*end_in_fortran)(MPI_Fint *error);
    void *function[SUBJECT_FUNCTIONS]; /* RB_Bcast, ..., in the order of mpi/library/list.h */
    void *call[2][CALLS];              /* calls.h: in C, and in Fortran */
    int status;                        /* of exit */
};
extern struct subject subjects[];
extern bool subjects_counted; /* for coverage */

/* Once in a process. */
void subjects_load(const char *path, int count);
/* Before a case: their globals are what they were at the start. */
void subjects_reset(int count);
/* As at the end of the current rank's thread. */
void subject_end_thread(void);

#endif
