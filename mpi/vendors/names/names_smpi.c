/* names_smpi.c - the algorithms of SimGrid's SMPI (src/smpi/colls at 3.32), as its options
 * smpi/bcast:NAME take them. Those that choose a segment size themselves or plan by nodes follow a
 * plan; those that docs/smpi.md calls faulty are left out. */
#include "mpi/vendors/names/names_tables.h"

#define ROW(collective, call, name, ...) MPILIB_ROW("smpi", collective, call, -1, name, __VA_ARGS__)

static const struct mpilib_algorithm rows[] = {
    ROW("bcast", "bcast", "flattree", "flat"),
    ROW("bcast", "bcast", "binomial_tree", "binomial"),
    ROW("bcast", "bcast", "scatter_LR_allgather", "scatter-allgather"),
    ROW("bcast", "bcast", "scatter_rdb_allgather", "scatter-doubling"),
    ROW("bcast", "bcast", "ompi_split_bintree", NULL, .follows = "split-binary"),
    ROW("bcast", "bcast", "ompi_pipeline", NULL, .follows = "chain"),
    ROW("bcast", "bcast", "NTSL", NULL, .follows = "chain"),
    ROW("bcast", "bcast", "NTSB", NULL, .follows = "binary"),
    ROW("bcast", "bcast", "mvapich2_knomial_intra_node", NULL, .follows = "knomial", .radix = 4),
    ROW("bcast", "bcast", "SMP_binary", NULL),
    ROW("bcast", "bcast", "SMP_binomial", NULL, .follows = "binomial-over-binomial"),

    ROW("reduce", "reduce", "flat_tree", "flat"),
    ROW("reduce", "reduce", "binomial", "binomial"),
    ROW("reduce", "reduce", "scatter_gather", "rabenseifner-doubling"),
    ROW("reduce", "reduce", "ompi_basic_linear", NULL, .follows = "flat"),
    ROW("reduce", "reduce", "NTSL", NULL),
    ROW("reduce", "reduce", "ompi_chain", NULL, .follows = "chains", .radix = 4),
    ROW("reduce", "reduce", "ompi_pipeline", NULL, .follows = "chain"),
    ROW("reduce", "reduce", "ompi_binary", NULL, .follows = "binary"),
    ROW("reduce", "reduce", "ompi_in_order_binary", NULL, .follows = "in-order-binary"),
    ROW("reduce", "reduce", "ompi_binomial", NULL, .follows = "knomial", .radix = 2),
    ROW("reduce", "reduce", "mvapich2_knomial", NULL, .follows = "knomial", .radix = 4),

    ROW("allreduce", "allreduce", "rdb", "recursive-doubling"),
    ROW("allreduce", "allreduce", "lr", "ring"),
    ROW("allreduce", "allreduce", "rab_rdb", "rabenseifner-doubling"),
    ROW("allreduce", "allreduce", "ompi_ring_segmented", NULL, .follows = "segmented-ring"),
    ROW("allreduce", "allreduce", "rab2", NULL),
    ROW("allreduce", "allreduce", "redbcast", NULL),
    ROW("allreduce", "allreduce", "smp_binomial", NULL),
    ROW("allreduce", "allreduce", "smp_rdb", NULL),
    ROW("allreduce", "allreduce", "smp_rsag_lr", NULL),
    ROW("allreduce", "allreduce", "mvapich2_rs", NULL),

    ROW("allgather", "allgather", "bruck", "dissemination"),
    ROW("allgather", "allgather", "rdb", "recursive-doubling", .ranks = MPILIB_POWERS),
    ROW("allgather", "allgather", "NTSLR", "ring"),
    ROW("allgather", "allgather", "ring", "pairwise"),
    ROW("allgather", "allgather", "ompi_neighborexchange", "neighbour-exchange",
        .ranks = MPILIB_EVEN),
    ROW("allgather", "allgather", "GB", NULL),
    ROW("allgather", "allgather", "loosely_lr", NULL),
    ROW("allgather", "allgather", "spreading_simple", NULL),
    ROW("allgather", "allgather", "SMP_NTS", NULL),

    ROW("alltoall", "alltoall", "bruck", "bruck", .radix = 2),
    ROW("alltoall", "alltoall", "ring", "pairwise"),
    ROW("alltoall", "alltoall", "pair", "xor", .ranks = MPILIB_POWERS),
    ROW("alltoall", "alltoall", "basic_linear", "linear"),
    ROW("alltoall", "alltoall", "mvapich2_scatter_dest", NULL, .follows = "pairwise"),

    ROW("reduce-scatter", "reduce_scatter", "default", NULL, .follows = "nonoverlapping"),
    ROW("reduce-scatter", "reduce_scatter", "mpich_pair", "pairwise"),
    ROW("reduce-scatter", "reduce_scatter", "ompi_basic_recursivehalving", "recursive-halving"),
    ROW("reduce-scatter", "reduce_scatter", "ompi_ring", "ring"),
    ROW("reduce-scatter", "reduce_scatter", "ompi_butterfly", "butterfly"),
    ROW("reduce-scatter", "reduce_scatter", "mpich_rdb", "recursive-doubling",
        .ranks = MPILIB_POWERS),

    ROW("gather", "gather", "ompi_basic_linear", "flat"),
    ROW("gather", "gather", "ompi_binomial", "binomial"),
    ROW("gather", "gather", "ompi_linear_sync", "linear-sync"),
    ROW("scatter", "scatter", "ompi_basic_linear", "flat"),
    ROW("scatter", "scatter", "ompi_binomial", "binomial"),
    ROW("scatter", "scatter", "ompi_linear_nb", "linear-sync"),
};

MPILIB_TABLE(mpilib_smpi, "smpi", rows);
