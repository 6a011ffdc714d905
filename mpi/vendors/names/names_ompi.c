/* names_ompi.c - Open MPI's algorithms, component coll/tuned: numbers and names of its enumerations
 * (coll_tuned_*_decision.c) at 4.1.4, 5.0.10 and main before 6.0; `ompi_info --param coll tuned -l
 * 9` prints those of the installed library. */
#include "mpi/vendors/names/names_tables.h"

#define ROW(collective, call, id, name, ...)                                                       \
    MPILIB_ROW("ompi", collective, call, id, name, __VA_ARGS__)

static const struct mpilib_algorithm rows[] = {
    ROW("bcast", "bcast", 1, "basic_linear", "flat", .manner.sends = MPILIB_POSTED),
    ROW("bcast", "bcast", 2, "chain", "chains", .segmented = true, .fanned = true,
        .manner.sends = MPILIB_TOGETHER),
    ROW("bcast", "bcast", 3, "pipeline", "chain", .segmented = true,
        .manner.sends = MPILIB_TOGETHER),
    ROW("bcast", "bcast", 4, "split_binary_tree", "split-binary", .segmented = true,
        .manner.sends = MPILIB_TOGETHER),
    ROW("bcast", "bcast", 5, "binary_tree", "binary", .segmented = true,
        .manner.sends = MPILIB_TOGETHER),
    ROW("bcast", "bcast", 6, "binomial", "binomial", .segmented = true,
        .manner.sends = MPILIB_TOGETHER),
    /* The radix is the parameter coll_tuned_bcast_knomial_radix; no file of rules has it. */
    ROW("bcast", "bcast", 7, "knomial", "knomial", .radix = 4, .segmented = true,
        .manner.sends = MPILIB_TOGETHER),
    ROW("bcast", "bcast", 8, "scatter_allgather", "scatter-doubling"),
    ROW("bcast", "bcast", 9, "scatter_allgather_ring", "scatter-allgather"),

    ROW("reduce", "reduce", 1, "linear", "flat", .manner.sends = MPILIB_POSTED),
    ROW("reduce", "reduce", 2, "chain", "chains", .segmented = true, .fanned = true),
    ROW("reduce", "reduce", 3, "pipeline", "chain", .segmented = true),
    ROW("reduce", "reduce", 4, "binary", "binary", .segmented = true),
    ROW("reduce", "reduce", 5, "binomial", "binomial", .segmented = true),
    ROW("reduce", "reduce", 6, "in-order_binary", "in-order-binary", .segmented = true),
    ROW("reduce", "reduce", 7, "rabenseifner", "rabenseifner-doubling"),
    ROW("reduce", "reduce", 8, "knomial", "knomial", .segmented = true, .fanned = true,
        .since = 600),

    /* A linear reduction to rank 0 and a linear broadcast. */
    ROW("allreduce", "allreduce", 1, "basic_linear", "flat"),
    ROW("allreduce", "allreduce", 2, "nonoverlapping", "nonoverlapping"),
    ROW("allreduce", "allreduce", 3, "recursive_doubling", "recursive-doubling"),
    ROW("allreduce", "allreduce", 4, "ring", "ring"),
    ROW("allreduce", "allreduce", 5, "segmented_ring", "segmented-ring", .segmented = true),
    ROW("allreduce", "allreduce", 6, "rabenseifner", "rabenseifner-doubling"),
    ROW("allreduce", "allreduce", 7, "allgather_reduce", "ring-exchange", .since = 600),

    /* A linear gather to rank 0, and a broadcast. */
    ROW("allgather", "allgather", 1, "linear", "gather-bcast"),
    ROW("allgather", "allgather", 2, "bruck", "dissemination", .until = 599),
    ROW("allgather", "allgather", 2, "bruck-k-fanout", "dissemination", .radix = 2, .since = 600),
    ROW("allgather", "allgather", 3, "recursive_doubling", "recursive-doubling",
        .ranks = MPILIB_POWERS),
    ROW("allgather", "allgather", 4, "ring", "ring"),
    ROW("allgather", "allgather", 5, "neighbor", "neighbour-exchange", .ranks = MPILIB_EVEN),
    ROW("allgather", "allgather", 6, "two_proc", "pairwise", .ranks = MPILIB_TWO),
    ROW("allgather", "allgather", 7, "sparbit", "sparbit", .since = 500),
    ROW("allgather", "allgather", 8, "direct-messaging", "pairwise", .since = 600),

    ROW("allgather", "allgatherv", 1, "default", "gather-bcast"),
    ROW("allgather", "allgatherv", 2, "bruck", "dissemination"),
    ROW("allgather", "allgatherv", 3, "ring", "ring"),
    ROW("allgather", "allgatherv", 4, "neighbor", "neighbour-exchange", .ranks = MPILIB_EVEN),
    ROW("allgather", "allgatherv", 5, "two_proc", "pairwise", .ranks = MPILIB_TWO),
    ROW("allgather", "allgatherv", 6, "sparbit", "sparbit", .since = 500),

    /* All messages at once, by rising distance. */
    ROW("alltoall", "alltoall", 1, "linear", "linear", .manner.sends = MPILIB_POSTED),
    ROW("alltoall", "alltoall", 2, "pairwise", "pairwise"),
    ROW("alltoall", "alltoall", 3, "modified_bruck", "bruck", .radix = 2),
    ROW("alltoall", "alltoall", 4, "linear_sync", "linear-sync", .manner.sends = MPILIB_POSTED),
    ROW("alltoall", "alltoall", 5, "two_proc", "pairwise", .ranks = MPILIB_TWO),

    ROW("gather", "gather", 1, "basic_linear", "flat", .manner.sends = MPILIB_POSTED),
    ROW("gather", "gather", 2, "binomial", "binomial"),
    ROW("gather", "gather", 3, "linear_sync", "linear-sync", .segmented = true,
        .manner.asked = true),

    ROW("scatter", "scatter", 1, "basic_linear", "flat"),
    ROW("scatter", "scatter", 2, "binomial", "binomial"),
    ROW("scatter", "scatter", 3, "linear_nb", "linear-sync", .manner.sends = MPILIB_POSTED),

    ROW("reduce-scatter", "reduce_scatter", 1, "non-overlapping", "nonoverlapping"),
    ROW("reduce-scatter", "reduce_scatter", 2, "recursive_halving", "recursive-halving"),
    ROW("reduce-scatter", "reduce_scatter", 3, "ring", "ring"),
    ROW("reduce-scatter", "reduce_scatter", 4, "butterfly", "butterfly"),

    ROW("reduce-scatter", "reduce_scatter_block", 1, "basic_linear", "nonoverlapping"),
    ROW("reduce-scatter", "reduce_scatter_block", 2, "recursive_doubling", "recursive-doubling"),
    ROW("reduce-scatter", "reduce_scatter_block", 3, "recursive_halving", "recursive-halving"),
    ROW("reduce-scatter", "reduce_scatter_block", 4, "butterfly", "butterfly"),

    ROW("scan", "scan", 1, "linear", "chain"),
    ROW("scan", "scan", 2, "recursive_doubling", "dissemination"),
    ROW("exscan", "exscan", 1, "linear", "chain"),
    ROW("exscan", "exscan", 2, "recursive_doubling", "dissemination"),
};

MPILIB_TABLE(mpilib_ompi, "ompi", rows);
