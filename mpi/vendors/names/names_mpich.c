/* names_mpich.c - MPICH's algorithms of blocking collectives on one communicator
 * (src/mpi/coll/coll_algorithms.txt at 4.0.2, 4.1, 4.2, 4.3, 5.0 and main before 5.1). The names
 * are those of its selection file, with MPIR_. */
#include "mpi/vendors/names/names_tables.h"

#define ROW(collective_, call_, ...)                                                               \
    {                                                                                              \
        .library = "mpich", .collective = collective_, .call = call_, .id = -1, __VA_ARGS__        \
    }

static const struct mpilib_algorithm rows[] = {
    ROW("bcast", "bcast", .name = "MPIR_Bcast_intra_binomial", .algorithm = "binomial"),
    ROW("bcast", "bcast", .name = "MPIR_Bcast_intra_scatter_recursive_doubling_allgather",
        .algorithm = "scatter-doubling", .ranks = MPILIB_POWERS),
    ROW("bcast", "bcast", .name = "MPIR_Bcast_intra_scatter_ring_allgather",
        .algorithm = "scatter-allgather"),
    ROW("bcast", "bcast", .name = "MPIR_Bcast_intra_circ_graph", .algorithm = "circulant",
        .segmented = true, .variable = "MPIR_CVAR_CIRC_GRAPH_CHUNK_SIZE", .since = 501),
    /* A tree's parameters are in the selection file, or MPIR_CVAR_BCAST_TREE_TYPE, ... */
    ROW("bcast", "bcast", .name = "MPIR_Bcast_intra_pipelined_tree", .fixed = "tree_type=kary k=1",
        .algorithm = "chain", .segmented = true, .since = 501),
    ROW("bcast", "bcast", .name = "MPIR_Bcast_intra_pipelined_tree", .fixed = "tree_type=kary k=2",
        .algorithm = "binary", .segmented = true, .since = 501),
    ROW("bcast", "bcast", .name = "MPIR_Bcast_intra_tree", .fixed = "tree_type=knomial_1",
        .algorithm = "knomial", .fanned = true, .since = 501),
    ROW("bcast", "bcast", .name = "MPIR_Bcast_intra_pipelined_tree", .since = 401, .until = 500),
    ROW("bcast", "bcast", .name = "MPIR_Bcast_intra_tree", .since = 401, .until = 500),
    ROW("bcast", "bcast", .name = "MPIR_Bcast_intra_smp"),

    ROW("reduce", "reduce", .name = "MPIR_Reduce_intra_binomial", .algorithm = "binomial"),
    ROW("reduce", "reduce", .name = "MPIR_Reduce_intra_reduce_scatter_gather",
        .algorithm = "rabenseifner-doubling"),
    ROW("reduce", "reduce", .name = "MPIR_Reduce_intra_circ_graph", .algorithm = "circulant",
        .segmented = true, .variable = "MPIR_CVAR_CIRC_GRAPH_CHUNK_SIZE", .since = 501),
    ROW("reduce", "reduce", .name = "MPIR_Reduce_intra_smp"),

    ROW("allreduce", "allreduce", .name = "MPIR_Allreduce_intra_recursive_doubling",
        .algorithm = "recursive-doubling"),
    ROW("allreduce", "allreduce", .name = "MPIR_Allreduce_intra_reduce_scatter_allgather",
        .algorithm = "rabenseifner-doubling"),
    ROW("allreduce", "allreduce", .name = "MPIR_Allreduce_intra_ring", .algorithm = "ring",
        .since = 401),
    ROW("allreduce", "allreduce", .name = "MPIR_Allreduce_intra_recursive_multiplying",
        .algorithm = "recursive-multiplying", .since = 403, .fanned = true),
    ROW("allreduce", "allreduce", .name = "MPIR_Allreduce_intra_tree", .since = 401,
        .segmented = true, .fanned = true),
    ROW("allreduce", "allreduce", .name = "MPIR_Allreduce_intra_recexch",
        .algorithm = "recursive-multiplying", .since = 401, .fanned = true),
    ROW("allreduce", "allreduce", .name = "MPIR_Allreduce_intra_k_reduce_scatter_allgather",
        .algorithm = "multiplying-split", .since = 401, .fanned = true),
    ROW("allreduce", "allreduce", .name = "MPIR_Allreduce_intra_ccl", .since = 500),
    ROW("allreduce", "allreduce", .name = "MPIR_Allreduce_intra_smp"),

    ROW("allgather", "allgather", .name = "MPIR_Allgather_intra_brucks",
        .algorithm = "dissemination"),
    ROW("allgather", "allgather", .name = "MPIR_Allgather_intra_recursive_doubling",
        .algorithm = "recursive-doubling", .ranks = MPILIB_POWERS),
    ROW("allgather", "allgather", .name = "MPIR_Allgather_intra_ring", .algorithm = "ring"),
    ROW("allgather", "allgather", .name = "MPIR_Allgather_intra_circ_graph",
        .algorithm = "circulant", .segmented = true, .variable = "MPIR_CVAR_CIRC_GRAPH_CHUNK_SIZE",
        .since = 501),
    ROW("allgather", "allgather", .name = "MPIR_Allgather_intra_k_brucks", .since = 401,
        .fanned = true),
    ROW("allgather", "allgather", .name = "MPIR_Allgather_intra_recexch_doubling",
        .algorithm = "recursive-multiplying", .since = 402, .fanned = true),
    ROW("allgather", "allgather", .name = "MPIR_Allgather_intra_recexch_halving", .since = 402,
        .fanned = true),

    ROW("allgather", "allgatherv", .name = "MPIR_Allgatherv_intra_brucks",
        .algorithm = "dissemination"),
    ROW("allgather", "allgatherv", .name = "MPIR_Allgatherv_intra_recursive_doubling",
        .algorithm = "recursive-doubling", .ranks = MPILIB_POWERS),
    ROW("allgather", "allgatherv", .name = "MPIR_Allgatherv_intra_ring", .algorithm = "ring"),

    ROW("alltoall", "alltoall", .name = "MPIR_Alltoall_intra_brucks", .algorithm = "bruck",
        .radix = 2),
    ROW("alltoall", "alltoall", .name = "MPIR_Alltoall_intra_k_brucks", .algorithm = "bruck",
        .fanned = true, .since = 501),
    ROW("alltoall", "alltoall", .name = "MPIR_Alltoall_intra_pairwise", .algorithm = "pairwise"),
    /* All messages, by rising distance, in batches of MPIR_CVAR_ALLTOALL_THROTTLE. */
    ROW("alltoall", "alltoall", .name = "MPIR_Alltoall_intra_scattered", .algorithm = "linear"),
    ROW("alltoall", "alltoall", .name = "MPIR_Alltoall_intra_pairwise_sendrecv_replace"),

    ROW("gather", "gather", .name = "MPIR_Gather_intra_binomial", .algorithm = "binomial"),
    ROW("scatter", "scatter", .name = "MPIR_Scatter_intra_binomial", .algorithm = "binomial"),

    ROW("reduce-scatter", "reduce_scatter_block",
        .name = "MPIR_Reduce_scatter_block_intra_recursive_halving",
        .algorithm = "recursive-halving"),
    ROW("reduce-scatter", "reduce_scatter_block",
        .name = "MPIR_Reduce_scatter_block_intra_pairwise", .algorithm = "pairwise"),
    ROW("reduce-scatter", "reduce_scatter_block",
        .name = "MPIR_Reduce_scatter_block_intra_recursive_doubling",
        .algorithm = "recursive-doubling"),
    ROW("reduce-scatter", "reduce_scatter_block",
        .name = "MPIR_Reduce_scatter_block_intra_noncommutative", .ranks = MPILIB_POWERS),
    ROW("reduce-scatter", "reduce_scatter", .name = "MPIR_Reduce_scatter_intra_recursive_halving",
        .algorithm = "recursive-halving"),
    ROW("reduce-scatter", "reduce_scatter", .name = "MPIR_Reduce_scatter_intra_pairwise",
        .algorithm = "pairwise"),
    ROW("reduce-scatter", "reduce_scatter", .name = "MPIR_Reduce_scatter_intra_recursive_doubling",
        .algorithm = "recursive-doubling"),
    ROW("reduce-scatter", "reduce_scatter", .name = "MPIR_Reduce_scatter_intra_noncommutative"),

    ROW("scan", "scan", .name = "MPIR_Scan_intra_recursive_doubling", .algorithm = "dissemination"),
    ROW("scan", "scan", .name = "MPIR_Scan_intra_smp"),
    ROW("exscan", "exscan", .name = "MPIR_Exscan_intra_recursive_doubling",
        .algorithm = "dissemination"),
};

MPILIB_TABLE(mpilib_mpich, "mpich", rows);
