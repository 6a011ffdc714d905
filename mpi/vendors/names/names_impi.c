/* names_impi.c - the algorithms of Intel MPI that are independent of the placement of ranks,
 * numbered as in I_MPI_ADJUST_... (Developer Reference, "I_MPI_ADJUST Family", 2019 and later). */
#include "mpi/vendors/names/names_tables.h"

#define ROW(collective, call, id, name, ...)                                                       \
    MPILIB_ROW("impi", collective, call, id, name, __VA_ARGS__)

static const struct mpilib_algorithm rows[] = {
    ROW("bcast", "bcast", 1, "Binomial", "binomial"),
    /* A scatter, and an allgather by recursive doubling or on a ring. */
    ROW("bcast", "bcast", 2, "Recursive doubling", "scatter-doubling"),
    ROW("bcast", "bcast", 3, "Ring", "scatter-allgather"),
    ROW("bcast", "bcast", 7, "Shumilin's", NULL),
    ROW("bcast", "bcast", 8, "Knomial", "knomial", .radix = 4),

    ROW("reduce", "reduce", 1, "Shumilin's", NULL),
    ROW("reduce", "reduce", 2, "Binomial", "binomial"),
    ROW("reduce", "reduce", 5, "Rabenseifner's", "rabenseifner-doubling"),
    ROW("reduce", "reduce", 7, "Knomial", "knomial", .radix = 4),

    ROW("allreduce", "allreduce", 1, "Recursive doubling", "recursive-doubling"),
    ROW("allreduce", "allreduce", 2, "Rabenseifner's", "rabenseifner-doubling"),
    ROW("allreduce", "allreduce", 3, "Reduce + Bcast", "binomial"),
    ROW("allreduce", "allreduce", 7, "Shumilin's ring", NULL),
    ROW("allreduce", "allreduce", 8, "Ring", "ring"),
    ROW("allreduce", "allreduce", 9, "Knomial", NULL),

    ROW("allgather", "allgather", 1, "Recursive doubling", "recursive-doubling",
        .ranks = MPILIB_POWERS),
    ROW("allgather", "allgather", 2, "Bruck's", "dissemination"),
    ROW("allgather", "allgather", 3, "Ring", "ring"),
    ROW("allgather", "allgather", 5, "Knomial", NULL),

    ROW("alltoall", "alltoall", 1, "Bruck's", "bruck", .radix = 2),
    ROW("alltoall", "alltoall", 2, "Isend/Irecv + waitall", "linear"),
    ROW("alltoall", "alltoall", 3, "Pair wise exchange", "pairwise"),
    ROW("alltoall", "alltoall", 4, "Plum's", NULL),

    ROW("reduce-scatter", "reduce_scatter", 1, "Recursive halving", "recursive-halving"),
    ROW("reduce-scatter", "reduce_scatter", 2, "Pair wise exchange", "pairwise"),
    ROW("reduce-scatter", "reduce_scatter", 3, "Recursive doubling", "recursive-doubling"),

    ROW("gather", "gather", 1, "Binomial", "binomial"),
    ROW("scatter", "scatter", 1, "Binomial", "binomial"),
};

MPILIB_TABLE(mpilib_impi, "impi", rows);
