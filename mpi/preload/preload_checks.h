/* preload_checks.h - checks that the preloaded library was built for the program's MPI library,
 * and that all ranks of this host have it. */
#ifndef MPI_PRELOAD_PRELOAD_CHECKS_H
#define MPI_PRELOAD_PRELOAD_CHECKS_H

/* Ends the program with status 2, and a line that says why, if it uses another MPI library. Call it
 * before MPI starts. Programs that are linked with the other MPI library do not get here: they were
 * executed again without this library. */
void preload_check_flavour(void);

struct preload_ranks {
    int seen;    /* of MPI_COMM_WORLD's ranks, how many are seen to use MPI on this host */
    int with;    /* the lowest that has the library */
    int without; /* the lowest that has not; -1: none is seen */
};

/* Looks for the p ranks after PMPI_Init, when all of them have begun to start MPI. What is not seen
 * (processes of another user, programs that are linked statically, a system without /proc, a
 * launcher that is not known) counts as nothing, so that no rank is said to lack what it has. */
void preload_ranks_look(int p, struct preload_ranks *ranks);

#endif
