/* smpi.c - the algorithms of SimGrid's SMPI (src/smpi/colls at 3.32), as its options
 * smpi/bcast:NAME take them, without those that choose a segment size themselves or plan by nodes.
 */
#include "experiments/libraries/rows.h"

#define ROW(collective_, call_, ...)                                                               \
    {                                                                                              \
        .library = "smpi", .collective = collective_, .call = call_, .id = -1, __VA_ARGS__         \
    }

static const struct mpilib_algorithm rows[] = {
    ROW("bcast", "bcast", .name = "flattree", .algorithm = "flat"),
    ROW("bcast", "bcast", .name = "binomial_tree", .algorithm = "binomial"),
    ROW("bcast", "bcast", .name = "scatter_LR_allgather", .algorithm = "scatter-allgather"),
    ROW("bcast", "bcast", .name = "scatter_rdb_allgather", .algorithm = "scatter-doubling"),

    ROW("reduce", "reduce", .name = "flat_tree", .algorithm = "flat"),
    ROW("reduce", "reduce", .name = "binomial", .algorithm = "binomial"),
    ROW("reduce", "reduce", .name = "scatter_gather", .algorithm = "rabenseifner"),

    ROW("allreduce", "allreduce", .name = "rdb", .algorithm = "recursive-doubling"),
    ROW("allreduce", "allreduce", .name = "lr", .algorithm = "ring"),
    ROW("allreduce", "allreduce", .name = "rab_rdb", .algorithm = "rabenseifner"),

    ROW("allgather", "allgather", .name = "bruck", .algorithm = "dissemination"),
    ROW("allgather", "allgather", .name = "rdb", .algorithm = "recursive-doubling",
        .ranks = MPILIB_POWERS),
    ROW("allgather", "allgather", .name = "NTSLR", .algorithm = "ring"),
    ROW("allgather", "allgather", .name = "ring", .algorithm = "pairwise"),
    ROW("allgather", "allgather", .name = "ompi_neighborexchange",
        .algorithm = "neighbour-exchange", .ranks = MPILIB_EVEN),

    ROW("alltoall", "alltoall", .name = "bruck", .algorithm = "bruck", .radix = 2),
    ROW("alltoall", "alltoall", .name = "ring", .algorithm = "pairwise"),
    ROW("alltoall", "alltoall", .name = "pair", .algorithm = "xor", .ranks = MPILIB_POWERS),
    ROW("alltoall", "alltoall", .name = "basic_linear", .algorithm = "linear"),

    ROW("reduce-scatter", "reduce_scatter", .name = "mpich_pair", .algorithm = "pairwise"),
    ROW("reduce-scatter", "reduce_scatter", .name = "ompi_basic_recursivehalving",
        .algorithm = "recursive-halving"),
    ROW("reduce-scatter", "reduce_scatter", .name = "ompi_ring", .algorithm = "ring"),

    ROW("gather", "gather", .name = "ompi_basic_linear", .algorithm = "flat"),
    ROW("gather", "gather", .name = "ompi_binomial", .algorithm = "binomial"),
    ROW("scatter", "scatter", .name = "ompi_basic_linear", .algorithm = "flat"),
    ROW("scatter", "scatter", .name = "ompi_binomial", .algorithm = "binomial"),
};

MPILIB_TABLE(mpilib_smpi, "smpi", rows);
