/* subject.h - what is tested: the production objects of mpi/, a copy of them for each rank, because
 * a rank is a process with globals of its own. The copies are one shared object loaded from as many
 * files. */
#ifndef SIMULATED_MPI_SUBJECT_H
#define SIMULATED_MPI_SUBJECT_H

#include <mpi.h>

#include "mpi/executor/executor.h"

struct subject {
    int (*run)(struct exec_context *executor, const struct exec_run *run);
    struct exec_context *(*create)(void);
    void (*destroy)(struct exec_context *executor);
    int (*elements_of)(MPI_Datatype type, MPI_Op op, struct exec_elements *elements);
    void (*free_script)(struct exec_script *script);
};
extern struct subject subjects[];

/* Once in a process. */
void subjects_load(const char *path, int count);

#endif
