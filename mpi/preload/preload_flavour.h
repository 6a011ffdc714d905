/* preload_flavour.h - checks that the preloaded library was built for the program's MPI library. */
#ifndef MPI_PRELOAD_PRELOAD_FLAVOUR_H
#define MPI_PRELOAD_PRELOAD_FLAVOUR_H

/* Ends the program with status 2, and a line that says why, if it uses another MPI library. Call it
 * before MPI starts. Programs that are linked with the other MPI library do not get here: they were
 * executed again without this library. */
void preload_check_flavour(void);

#endif
