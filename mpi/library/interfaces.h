/* interfaces.h - the network interfaces of this host. */
#ifndef MPI_LIBRARY_INTERFACES_H
#define MPI_LIBRARY_INTERFACES_H

/* Finds the network interfaces that are nearest to the processors to which this process is bound:
 * `near` of them, the first of which is number *first of the host's. *near and *first are 0 where
 * that is not known: the process is not bound, the host has none, or this library was built without
 * hwloc. InfiniBand and the like come first: others count where there is none of those. Takes
 * milliseconds, or tens of them on a large host. */
void lib_interfaces_near(int *first, int *near);

#endif
