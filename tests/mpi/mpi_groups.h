/* mpi_groups.h - what test programs on MPI have in common: random groups of ranks, each of which
 * runs its cases, arguments and the count of what failed. */
#ifndef TESTS_MPI_MPI_GROUPS_H
#define TESTS_MPI_MPI_GROUPS_H

#include <inttypes.h>
#include <mpi.h>
#include <stdio.h>

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

struct test_program {
    const char *name;
    uint64_t splits;      /* unless --splits says otherwise */
    bool (*before)(void); /* what comes first, and whether it is right; NULL: nothing */
    /* The cases of one group; draws from *random, which is alike at its ranks. Counts cases, and of
     * these failures. */
    void (*run)(MPI_Comm comm, uint64_t *random, int counts[2]);
    int (*after)(void); /* what comes last: how many failures; NULL: nothing */
};

/* The program: its exit status, after a line that says how to repeat it. */
static inline int run_test_program(const struct test_program *program, int argc, char **argv)
{
    const uint64_t splits = argument(argc, argv, "--splits", program->splits);
    const uint64_t seed = argument(argc, argv, "--seed", 1);
    int world, rank, counts[2] = {0, 0};
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &world);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (program->before != NULL)
        counts[1] += !program->before();
    for (uint64_t split = 0; split < splits; split++) {
        uint64_t random = seed + split * UINT64_C(1000003);
        int of_group[2] = {0, 0}, rank_in_group;
        MPI_Comm comm = split_world(split, draw(&random));
        MPI_Comm_rank(comm, &rank_in_group);
        program->run(comm, &random, of_group);
        MPI_Comm_free(&comm);
        for (int i = 0; i < 2 && rank_in_group == 0; i++)
            counts[i] += of_group[i];
    }
    if (program->after != NULL)
        counts[1] += program->after();
    MPI_Allreduce(MPI_IN_PLACE, counts, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d cases, %d failed: mpirun -n %d %s --splits %" PRIu64 " --seed %" PRIu64 "\n",
               counts[0], counts[1], world, program->name, splits, seed);
    MPI_Finalize();
    return counts[1] != 0;
}

#endif
