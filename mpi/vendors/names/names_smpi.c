/* names_smpi.c - the algorithms of SimGrid's SMPI (src/smpi/colls at 3.32), as its options
 * smpi/bcast:NAME take them. Those that choose a segment size themselves or plan by nodes follow a
 * plan; those that docs/smpi.md calls faulty are left out. */
#include "mpi/vendors/names/names_tables.h"

#define ROW(collective_, call_, ...)                                                               \
    {                                                                                              \
        .library = "smpi", .collective = collective_, .call = call_, .id = -1, __VA_ARGS__         \
    }

static const struct mpilib_algorithm rows[] = {
    ROW("bcast", "bcast", .name = "flattree", .algorithm = "flat"),
    ROW("bcast", "bcast", .name = "binomial_tree", .algorithm = "binomial"),
    ROW("bcast", "bcast", .name = "scatter_LR_allgather", .algorithm = "scatter-allgather"),
    ROW("bcast", "bcast", .name = "scatter_rdb_allgather", .algorithm = "scatter-doubling"),
    ROW("bcast", "bcast", .name = "ompi_split_bintree", .follows = "split-binary"),
    ROW("bcast", "bcast", .name = "ompi_pipeline", .follows = "chain"),
    ROW("bcast", "bcast", .name = "NTSL", .follows = "chain"),
    ROW("bcast", "bcast", .name = "NTSB", .follows = "binary"),
    ROW("bcast", "bcast", .name = "mvapich2_knomial_intra_node", .follows = "knomial", .radix = 4),
    ROW("bcast", "bcast", .name = "SMP_binary"),
    ROW("bcast", "bcast", .name = "SMP_binomial", .follows = "binomial-over-binomial"),

    ROW("reduce", "reduce", .name = "flat_tree", .algorithm = "flat"),
    ROW("reduce", "reduce", .name = "binomial", .algorithm = "binomial"),
    ROW("reduce", "reduce", .name = "scatter_gather", .algorithm = "rabenseifner-doubling"),
    ROW("reduce", "reduce", .name = "ompi_basic_linear", .follows = "flat"),
    ROW("reduce", "reduce", .name = "NTSL"),
    ROW("reduce", "reduce", .name = "ompi_chain"),
    ROW("reduce", "reduce", .name = "ompi_pipeline", .follows = "chain"),
    ROW("reduce", "reduce", .name = "ompi_binary", .follows = "binary"),
    ROW("reduce", "reduce", .name = "ompi_in_order_binary", .follows = "in-order-binary"),
    ROW("reduce", "reduce", .name = "ompi_binomial", .follows = "knomial", .radix = 2),
    ROW("reduce", "reduce", .name = "mvapich2_knomial", .follows = "knomial", .radix = 4),

    ROW("allreduce", "allreduce", .name = "rdb", .algorithm = "recursive-doubling"),
    ROW("allreduce", "allreduce", .name = "lr", .algorithm = "ring"),
    ROW("allreduce", "allreduce", .name = "rab_rdb", .algorithm = "rabenseifner-doubling"),
    ROW("allreduce", "allreduce", .name = "ompi_ring_segmented", .follows = "segmented-ring"),
    ROW("allreduce", "allreduce", .name = "rab2"),
    ROW("allreduce", "allreduce", .name = "redbcast"),
    ROW("allreduce", "allreduce", .name = "smp_binomial"),
    ROW("allreduce", "allreduce", .name = "smp_rdb"),
    ROW("allreduce", "allreduce", .name = "smp_rsag_lr"),
    ROW("allreduce", "allreduce", .name = "mvapich2_rs"),

    ROW("allgather", "allgather", .name = "bruck", .algorithm = "dissemination"),
    ROW("allgather", "allgather", .name = "rdb", .algorithm = "recursive-doubling",
        .ranks = MPILIB_POWERS),
    ROW("allgather", "allgather", .name = "NTSLR", .algorithm = "ring"),
    ROW("allgather", "allgather", .name = "ring", .algorithm = "pairwise"),
    ROW("allgather", "allgather", .name = "ompi_neighborexchange",
        .algorithm = "neighbour-exchange", .ranks = MPILIB_EVEN),
    ROW("allgather", "allgather", .name = "GB"),
    ROW("allgather", "allgather", .name = "loosely_lr"),
    ROW("allgather", "allgather", .name = "spreading_simple"),
    ROW("allgather", "allgather", .name = "SMP_NTS"),

    ROW("alltoall", "alltoall", .name = "bruck", .algorithm = "bruck", .radix = 2),
    ROW("alltoall", "alltoall", .name = "ring", .algorithm = "pairwise"),
    ROW("alltoall", "alltoall", .name = "pair", .algorithm = "xor", .ranks = MPILIB_POWERS),
    ROW("alltoall", "alltoall", .name = "basic_linear", .algorithm = "linear"),
    ROW("alltoall", "alltoall", .name = "mvapich2_scatter_dest", .follows = "pairwise"),

    ROW("reduce-scatter", "reduce_scatter", .name = "mpich_pair", .algorithm = "pairwise"),
    ROW("reduce-scatter", "reduce_scatter", .name = "ompi_basic_recursivehalving",
        .algorithm = "recursive-halving"),
    ROW("reduce-scatter", "reduce_scatter", .name = "ompi_ring", .algorithm = "ring"),
    ROW("reduce-scatter", "reduce_scatter", .name = "ompi_butterfly", .algorithm = "butterfly"),
    ROW("reduce-scatter", "reduce_scatter", .name = "mpich_rdb", .algorithm = "recursive-doubling",
        .ranks = MPILIB_POWERS),

    ROW("gather", "gather", .name = "ompi_basic_linear", .algorithm = "flat"),
    ROW("gather", "gather", .name = "ompi_binomial", .algorithm = "binomial"),
    ROW("gather", "gather", .name = "ompi_linear_sync", .algorithm = "linear-sync"),
    ROW("scatter", "scatter", .name = "ompi_basic_linear", .algorithm = "flat"),
    ROW("scatter", "scatter", .name = "ompi_binomial", .algorithm = "binomial"),
    ROW("scatter", "scatter", .name = "ompi_linear_nb", .algorithm = "linear-sync"),
};

MPILIB_TABLE(mpilib_smpi, "smpi", rows);
