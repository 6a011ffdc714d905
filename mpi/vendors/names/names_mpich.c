/* names_mpich.c - MPICH's algorithms of blocking collectives on one communicator
 * (src/mpi/coll/coll_algorithms.txt at 4.0.2, 4.1, 4.2, 4.3, 5.0 and main before 5.1). The names
 * are those of its selection file, with MPIR_. */
#include "mpi/vendors/names/names_tables.h"

#define ROW(collective, call, name, ...)                                                           \
    MPILIB_ROW("mpich", collective, call, -1, name, __VA_ARGS__)

static const struct mpilib_algorithm rows[] = {
    ROW("bcast", "bcast", "MPIR_Bcast_intra_binomial", "binomial"),
    ROW("bcast", "bcast", "MPIR_Bcast_intra_scatter_recursive_doubling_allgather",
        "scatter-doubling", .ranks = MPILIB_POWERS),
    ROW("bcast", "bcast", "MPIR_Bcast_intra_scatter_ring_allgather", "scatter-allgather"),
    ROW("bcast", "bcast", "MPIR_Bcast_intra_circ_graph", "circulant", .segmented = true,
        .variable = "MPIR_CVAR_CIRC_GRAPH_CHUNK_SIZE", .since = 501),
    /* A tree's parameters are in the selection file, or MPIR_CVAR_BCAST_TREE_TYPE, ... */
    ROW("bcast", "bcast", "MPIR_Bcast_intra_pipelined_tree", "chain", .fixed = "tree_type=kary k=1",
        .segmented = true, .since = 501),
    ROW("bcast", "bcast", "MPIR_Bcast_intra_pipelined_tree", "binary",
        .fixed = "tree_type=kary k=2", .segmented = true, .since = 501),
    ROW("bcast", "bcast", "MPIR_Bcast_intra_tree", "knomial", .fixed = "tree_type=knomial_1",
        .fanned = true, .since = 501),
    ROW("bcast", "bcast", "MPIR_Bcast_intra_pipelined_tree", NULL, .since = 401, .until = 500),
    ROW("bcast", "bcast", "MPIR_Bcast_intra_tree", NULL, .since = 401, .until = 500),
    ROW("bcast", "bcast", "MPIR_Bcast_intra_smp", NULL),

    ROW("reduce", "reduce", "MPIR_Reduce_intra_binomial", "binomial"),
    ROW("reduce", "reduce", "MPIR_Reduce_intra_reduce_scatter_gather", "rabenseifner-doubling"),
    ROW("reduce", "reduce", "MPIR_Reduce_intra_circ_graph", "circulant", .segmented = true,
        .variable = "MPIR_CVAR_CIRC_GRAPH_CHUNK_SIZE", .since = 501),
    ROW("reduce", "reduce", "MPIR_Reduce_intra_smp", NULL),

    ROW("allreduce", "allreduce", "MPIR_Allreduce_intra_recursive_doubling", "recursive-doubling"),
    ROW("allreduce", "allreduce", "MPIR_Allreduce_intra_reduce_scatter_allgather",
        "rabenseifner-doubling"),
    ROW("allreduce", "allreduce", "MPIR_Allreduce_intra_ring", "ring", .since = 401),
    ROW("allreduce", "allreduce", "MPIR_Allreduce_intra_recursive_multiplying",
        "recursive-multiplying", .since = 403, .fanned = true),
    ROW("allreduce", "allreduce", "MPIR_Allreduce_intra_tree", NULL, .since = 401,
        .segmented = true, .fanned = true),
    ROW("allreduce", "allreduce", "MPIR_Allreduce_intra_recexch", "recursive-multiplying",
        .since = 401, .fanned = true),
    ROW("allreduce", "allreduce", "MPIR_Allreduce_intra_k_reduce_scatter_allgather",
        "multiplying-split", .since = 401, .fanned = true),
    ROW("allreduce", "allreduce", "MPIR_Allreduce_intra_ccl", NULL, .since = 500),
    ROW("allreduce", "allreduce", "MPIR_Allreduce_intra_smp", NULL),

    ROW("allgather", "allgather", "MPIR_Allgather_intra_brucks", "dissemination"),
    ROW("allgather", "allgather", "MPIR_Allgather_intra_recursive_doubling", "recursive-doubling",
        .ranks = MPILIB_POWERS),
    ROW("allgather", "allgather", "MPIR_Allgather_intra_ring", "ring"),
    ROW("allgather", "allgather", "MPIR_Allgather_intra_circ_graph", "circulant", .segmented = true,
        .variable = "MPIR_CVAR_CIRC_GRAPH_CHUNK_SIZE", .since = 501),
    ROW("allgather", "allgather", "MPIR_Allgather_intra_k_brucks", NULL, .since = 401,
        .fanned = true),
    ROW("allgather", "allgather", "MPIR_Allgather_intra_recexch_doubling", "recursive-multiplying",
        .since = 402, .fanned = true),
    ROW("allgather", "allgather", "MPIR_Allgather_intra_recexch_halving", NULL, .since = 402,
        .fanned = true),

    ROW("allgather", "allgatherv", "MPIR_Allgatherv_intra_brucks", "dissemination"),
    ROW("allgather", "allgatherv", "MPIR_Allgatherv_intra_recursive_doubling", "recursive-doubling",
        .ranks = MPILIB_POWERS),
    ROW("allgather", "allgatherv", "MPIR_Allgatherv_intra_ring", "ring"),

    ROW("alltoall", "alltoall", "MPIR_Alltoall_intra_brucks", "bruck", .radix = 2),
    ROW("alltoall", "alltoall", "MPIR_Alltoall_intra_k_brucks", "bruck", .fanned = true,
        .since = 501),
    ROW("alltoall", "alltoall", "MPIR_Alltoall_intra_pairwise", "pairwise"),
    /* All messages, by rising distance, in batches of MPIR_CVAR_ALLTOALL_THROTTLE. */
    ROW("alltoall", "alltoall", "MPIR_Alltoall_intra_scattered", "linear"),
    ROW("alltoall", "alltoall", "MPIR_Alltoall_intra_pairwise_sendrecv_replace", NULL),

    ROW("gather", "gather", "MPIR_Gather_intra_binomial", "binomial"),
    ROW("scatter", "scatter", "MPIR_Scatter_intra_binomial", "binomial"),

    ROW("reduce-scatter", "reduce_scatter_block",
        "MPIR_Reduce_scatter_block_intra_recursive_halving", "recursive-halving"),
    ROW("reduce-scatter", "reduce_scatter_block", "MPIR_Reduce_scatter_block_intra_pairwise",
        "pairwise"),
    ROW("reduce-scatter", "reduce_scatter_block",
        "MPIR_Reduce_scatter_block_intra_recursive_doubling", "recursive-doubling"),
    ROW("reduce-scatter", "reduce_scatter_block", "MPIR_Reduce_scatter_block_intra_noncommutative",
        NULL, .ranks = MPILIB_POWERS),
    ROW("reduce-scatter", "reduce_scatter", "MPIR_Reduce_scatter_intra_recursive_halving",
        "recursive-halving"),
    ROW("reduce-scatter", "reduce_scatter", "MPIR_Reduce_scatter_intra_pairwise", "pairwise"),
    ROW("reduce-scatter", "reduce_scatter", "MPIR_Reduce_scatter_intra_recursive_doubling",
        "recursive-doubling"),
    ROW("reduce-scatter", "reduce_scatter", "MPIR_Reduce_scatter_intra_noncommutative", NULL),

    ROW("scan", "scan", "MPIR_Scan_intra_recursive_doubling", "dissemination"),
    ROW("scan", "scan", "MPIR_Scan_intra_smp", NULL),
    ROW("exscan", "exscan", "MPIR_Exscan_intra_recursive_doubling", "dissemination"),
};

MPILIB_TABLE(mpilib_mpich, "mpich", rows);
