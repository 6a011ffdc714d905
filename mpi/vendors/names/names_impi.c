/* names_impi.c - the algorithms of Intel MPI that are independent of the placement of ranks,
 * numbered as in I_MPI_ADJUST_... (Developer Reference, "I_MPI_ADJUST Family", 2019 and later). */
#include "mpi/vendors/names/names_tables.h"

#define ROW(collective_, call_, ...)                                                               \
    {                                                                                              \
        .library = "impi", .collective = collective_, .call = call_, __VA_ARGS__                   \
    }

static const struct mpilib_algorithm rows[] = {
    ROW("bcast", "bcast", .id = 1, .name = "Binomial", .algorithm = "binomial"),
    /* A scatter, and an allgather by recursive doubling or on a ring. */
    ROW("bcast", "bcast", .id = 2, .name = "Recursive doubling", .algorithm = "scatter-doubling"),
    ROW("bcast", "bcast", .id = 3, .name = "Ring", .algorithm = "scatter-allgather"),
    ROW("bcast", "bcast", .id = 7, .name = "Shumilin's"),
    ROW("bcast", "bcast", .id = 8, .name = "Knomial", .algorithm = "knomial", .radix = 4),

    ROW("reduce", "reduce", .id = 1, .name = "Shumilin's"),
    ROW("reduce", "reduce", .id = 2, .name = "Binomial", .algorithm = "binomial"),
    ROW("reduce", "reduce", .id = 5, .name = "Rabenseifner's",
        .algorithm = "rabenseifner-doubling"),
    ROW("reduce", "reduce", .id = 7, .name = "Knomial", .algorithm = "knomial", .radix = 4),

    ROW("allreduce", "allreduce", .id = 1, .name = "Recursive doubling",
        .algorithm = "recursive-doubling"),
    ROW("allreduce", "allreduce", .id = 2, .name = "Rabenseifner's",
        .algorithm = "rabenseifner-doubling"),
    ROW("allreduce", "allreduce", .id = 3, .name = "Reduce + Bcast", .algorithm = "binomial"),
    ROW("allreduce", "allreduce", .id = 7, .name = "Shumilin's ring"),
    ROW("allreduce", "allreduce", .id = 8, .name = "Ring", .algorithm = "ring"),
    ROW("allreduce", "allreduce", .id = 9, .name = "Knomial"),

    ROW("allgather", "allgather", .id = 1, .name = "Recursive doubling",
        .algorithm = "recursive-doubling", .ranks = MPILIB_POWERS),
    ROW("allgather", "allgather", .id = 2, .name = "Bruck's", .algorithm = "dissemination"),
    ROW("allgather", "allgather", .id = 3, .name = "Ring", .algorithm = "ring"),
    ROW("allgather", "allgather", .id = 5, .name = "Knomial"),

    ROW("alltoall", "alltoall", .id = 1, .name = "Bruck's", .algorithm = "bruck", .radix = 2),
    ROW("alltoall", "alltoall", .id = 2, .name = "Isend/Irecv + waitall", .algorithm = "linear"),
    ROW("alltoall", "alltoall", .id = 3, .name = "Pair wise exchange", .algorithm = "pairwise"),
    ROW("alltoall", "alltoall", .id = 4, .name = "Plum's"),

    ROW("reduce-scatter", "reduce_scatter", .id = 1, .name = "Recursive halving",
        .algorithm = "recursive-halving"),
    ROW("reduce-scatter", "reduce_scatter", .id = 2, .name = "Pair wise exchange",
        .algorithm = "pairwise"),
    ROW("reduce-scatter", "reduce_scatter", .id = 3, .name = "Recursive doubling",
        .algorithm = "recursive-doubling"),

    ROW("gather", "gather", .id = 1, .name = "Binomial", .algorithm = "binomial"),
    ROW("scatter", "scatter", .id = 1, .name = "Binomial", .algorithm = "binomial"),
};

MPILIB_TABLE(mpilib_impi, "impi", rows);
