/* mpi_groups.h - what test programs on MPI have in common: random groups of ranks, arguments. */
#ifndef RB_TESTS_MPI_GROUPS_H
#define RB_TESTS_MPI_GROUPS_H

#include <mpi.h>

#include "mpi_data.h"

/* A group of random size, drawn alike at all ranks; all ranks together in the first split. The
 * caller frees it. */
static inline MPI_Comm split_world(uint64_t split, uint64_t seed)
{
    int world, rank, mine = 0;
    MPI_Comm comm;
    MPI_Comm_size(MPI_COMM_WORLD, &world);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int first = 0; first < world;) {
        const int size = split == 0 ? world : 1 + draw_below(&seed, world - first);
        if (first <= rank)
            mine = first;
        first += size;
    }
    MPI_Comm_split(MPI_COMM_WORLD, mine, rank, &comm);
    return comm;
}

/* The value after `name` on the command line. */
static inline uint64_t argument(int argc, char **argv, const char *name, uint64_t otherwise)
{
    for (int i = 1; i + 1 < argc; i += 2)
        if (strcmp(argv[i], name) == 0)
            return strtoull(argv[i + 1], NULL, 10);
    return otherwise;
}

#endif
