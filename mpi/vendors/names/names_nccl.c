/* names_nccl.c - the values of NCCL's and RCCL's variable NCCL_ALGO (src/graph/tuning.cc of NCCL
 * 2.30.7): numbers are those of a tuner plugin. Broadcast and reduce have Ring alone, Tree is for
 * allreduce, and PAT for the two halves of an allreduce. What has no plan here computes in
 * switches, or is a value that NCCL cannot serve: then it falls back to another algorithm, and says
 * nothing. */
#include "mpi/vendors/names/names_tables.h"

#define ROW(collective, id, name, ...)                                                             \
    MPILIB_ROW("nccl", collective, collective, id, name, __VA_ARGS__, .manner.engine = "nccl")

/* What computes in switches. */
#define IN_SWITCHES(collective)                                                                    \
    ROW(collective, 2, "collnetdirect", NULL), ROW(collective, 3, "collnetchain", NULL),           \
        ROW(collective, -1, "collnet", NULL), ROW(collective, 4, "nvls", NULL),                    \
        ROW(collective, 5, "nvlstree", NULL)

/* NCCL has it where each node has one GPU. */
#define PAT(collective, algorithm)                                                                 \
    ROW(collective, 6, "pat", algorithm, .ranks = MPILIB_ONE_PER_NODE)

#define RING(collective) ROW(collective, 1, "ring", "multi-ring")

static const struct mpilib_algorithm rows[] = {
    RING("allreduce"),
    ROW("allreduce", 0, "tree", "two-tree-in-lanes"),
    PAT("allreduce", NULL),
    IN_SWITCHES("allreduce"),

    RING("allgather"),
    PAT("allgather", "pat"),
    ROW("allgather", 0, "tree", NULL),
    IN_SWITCHES("allgather"),

    RING("reduce-scatter"),
    PAT("reduce-scatter", "pat"),
    ROW("reduce-scatter", 0, "tree", NULL),
    IN_SWITCHES("reduce-scatter"),

    RING("bcast"),
    ROW("bcast", 0, "tree", NULL),
    PAT("bcast", NULL),
    IN_SWITCHES("bcast"),

    RING("reduce"),
    ROW("reduce", 0, "tree", NULL),
    PAT("reduce", NULL),
    IN_SWITCHES("reduce"),
};

MPILIB_TABLE(mpilib_nccl, "nccl", rows);
