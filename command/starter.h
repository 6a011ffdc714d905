/* starter.h - which mpirun started this process. */
#ifndef COMMAND_STARTER_H
#define COMMAND_STARTER_H

#include <stdbool.h>

/* "openmpi" or "mpich": the MPI library whose mpirun, or whose protocol, the environment shows;
 * NULL: there is none. */
const char *verb_starter_flavour(void);

/* True in the process that speaks for all of the job: rank 0, or any without an mpirun. srun
 * numbers its tasks without MPI, too. */
bool verb_starter_speaks(void);

#endif
