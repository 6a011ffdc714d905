/* names_ompi.c - Open MPI's algorithms, component coll/tuned: numbers and names of its enumerations
 * (coll_tuned_*_decision.c) at 4.1.4, 5.0.10 and main before 6.0; `ompi_info --param coll tuned -l
 * 9` prints those of the installed library. */
#include "mpi/vendors/names/names_tables.h"

#define ROW(collective_, call_, ...)                                                               \
    {                                                                                              \
        .library = "ompi", .collective = collective_, .call = call_, __VA_ARGS__                   \
    }

static const struct mpilib_algorithm rows[] = {
    ROW("bcast", "bcast", .id = 1, .name = "basic_linear", .algorithm = "flat",
        .manner = {.sends = MPILIB_POSTED}),
    ROW("bcast", "bcast", .id = 2, .name = "chain", .algorithm = "chains", .segmented = true,
        .fanned = true, .manner = {.sends = MPILIB_TOGETHER}),
    ROW("bcast", "bcast", .id = 3, .name = "pipeline", .algorithm = "chain", .segmented = true,
        .manner = {.sends = MPILIB_TOGETHER}),
    ROW("bcast", "bcast", .id = 4, .name = "split_binary_tree", .algorithm = "split-binary",
        .segmented = true, .manner = {.sends = MPILIB_TOGETHER}),
    ROW("bcast", "bcast", .id = 5, .name = "binary_tree", .algorithm = "binary", .segmented = true,
        .manner = {.sends = MPILIB_TOGETHER}),
    ROW("bcast", "bcast", .id = 6, .name = "binomial", .algorithm = "binomial", .segmented = true,
        .manner = {.sends = MPILIB_TOGETHER}),
    /* The radix is the parameter coll_tuned_bcast_knomial_radix; no file of rules has it. */
    ROW("bcast", "bcast", .id = 7, .name = "knomial", .algorithm = "knomial", .radix = 4,
        .segmented = true, .manner = {.sends = MPILIB_TOGETHER}),
    ROW("bcast", "bcast", .id = 8, .name = "scatter_allgather", .algorithm = "scatter-doubling"),
    ROW("bcast", "bcast", .id = 9, .name = "scatter_allgather_ring",
        .algorithm = "scatter-allgather"),

    ROW("reduce", "reduce", .id = 1, .name = "linear", .algorithm = "flat",
        .manner = {.sends = MPILIB_POSTED}),
    ROW("reduce", "reduce", .id = 2, .name = "chain", .algorithm = "chains", .segmented = true,
        .fanned = true),
    ROW("reduce", "reduce", .id = 3, .name = "pipeline", .algorithm = "chain", .segmented = true),
    ROW("reduce", "reduce", .id = 4, .name = "binary", .algorithm = "binary", .segmented = true),
    ROW("reduce", "reduce", .id = 5, .name = "binomial", .algorithm = "binomial",
        .segmented = true),
    ROW("reduce", "reduce", .id = 6, .name = "in-order_binary", .algorithm = "in-order-binary",
        .segmented = true),
    ROW("reduce", "reduce", .id = 7, .name = "rabenseifner", .algorithm = "rabenseifner-doubling"),
    ROW("reduce", "reduce", .id = 8, .name = "knomial", .algorithm = "knomial", .segmented = true,
        .fanned = true, .since = 600),

    /* A linear reduction to rank 0 and a linear broadcast. */
    ROW("allreduce", "allreduce", .id = 1, .name = "basic_linear", .algorithm = "flat"),
    ROW("allreduce", "allreduce", .id = 2, .name = "nonoverlapping", .algorithm = "nonoverlapping"),
    ROW("allreduce", "allreduce", .id = 3, .name = "recursive_doubling",
        .algorithm = "recursive-doubling"),
    ROW("allreduce", "allreduce", .id = 4, .name = "ring", .algorithm = "ring"),
    ROW("allreduce", "allreduce", .id = 5, .name = "segmented_ring", .algorithm = "segmented-ring",
        .segmented = true),
    ROW("allreduce", "allreduce", .id = 6, .name = "rabenseifner",
        .algorithm = "rabenseifner-doubling"),
    ROW("allreduce", "allreduce", .id = 7, .name = "allgather_reduce", .algorithm = "ring-exchange",
        .since = 600),

    /* A linear gather to rank 0, and a broadcast. */
    ROW("allgather", "allgather", .id = 1, .name = "linear", .algorithm = "gather-bcast"),
    ROW("allgather", "allgather", .id = 2, .name = "bruck", .algorithm = "dissemination",
        .until = 599),
    ROW("allgather", "allgather", .id = 2, .name = "bruck-k-fanout", .algorithm = "dissemination",
        .radix = 2, .since = 600),
    ROW("allgather", "allgather", .id = 3, .name = "recursive_doubling",
        .algorithm = "recursive-doubling", .ranks = MPILIB_POWERS),
    ROW("allgather", "allgather", .id = 4, .name = "ring", .algorithm = "ring"),
    ROW("allgather", "allgather", .id = 5, .name = "neighbor", .algorithm = "neighbour-exchange",
        .ranks = MPILIB_EVEN),
    ROW("allgather", "allgather", .id = 6, .name = "two_proc", .algorithm = "pairwise",
        .ranks = MPILIB_TWO),
    ROW("allgather", "allgather", .id = 7, .name = "sparbit", .algorithm = "sparbit", .since = 500),
    ROW("allgather", "allgather", .id = 8, .name = "direct-messaging", .algorithm = "pairwise",
        .since = 600),

    ROW("allgather", "allgatherv", .id = 1, .name = "default", .algorithm = "gather-bcast"),
    ROW("allgather", "allgatherv", .id = 2, .name = "bruck", .algorithm = "dissemination"),
    ROW("allgather", "allgatherv", .id = 3, .name = "ring", .algorithm = "ring"),
    ROW("allgather", "allgatherv", .id = 4, .name = "neighbor", .algorithm = "neighbour-exchange",
        .ranks = MPILIB_EVEN),
    ROW("allgather", "allgatherv", .id = 5, .name = "two_proc", .algorithm = "pairwise",
        .ranks = MPILIB_TWO),
    ROW("allgather", "allgatherv", .id = 6, .name = "sparbit", .algorithm = "sparbit",
        .since = 500),

    /* All messages at once, by rising distance. */
    ROW("alltoall", "alltoall", .id = 1, .name = "linear", .algorithm = "linear",
        .manner = {.sends = MPILIB_POSTED}),
    ROW("alltoall", "alltoall", .id = 2, .name = "pairwise", .algorithm = "pairwise"),
    ROW("alltoall", "alltoall", .id = 3, .name = "modified_bruck", .algorithm = "bruck",
        .radix = 2),
    ROW("alltoall", "alltoall", .id = 4, .name = "linear_sync", .algorithm = "linear-sync",
        .manner = {.sends = MPILIB_POSTED}),
    ROW("alltoall", "alltoall", .id = 5, .name = "two_proc", .algorithm = "pairwise",
        .ranks = MPILIB_TWO),

    ROW("gather", "gather", .id = 1, .name = "basic_linear", .algorithm = "flat",
        .manner = {.sends = MPILIB_POSTED}),
    ROW("gather", "gather", .id = 2, .name = "binomial", .algorithm = "binomial"),
    ROW("gather", "gather", .id = 3, .name = "linear_sync", .algorithm = "linear-sync",
        .segmented = true, .manner = {.asked = true}),

    ROW("scatter", "scatter", .id = 1, .name = "basic_linear", .algorithm = "flat"),
    ROW("scatter", "scatter", .id = 2, .name = "binomial", .algorithm = "binomial"),
    ROW("scatter", "scatter", .id = 3, .name = "linear_nb", .algorithm = "linear-sync",
        .manner = {.sends = MPILIB_POSTED}),

    ROW("reduce-scatter", "reduce_scatter", .id = 1, .name = "non-overlapping",
        .algorithm = "nonoverlapping"),
    ROW("reduce-scatter", "reduce_scatter", .id = 2, .name = "recursive_halving",
        .algorithm = "recursive-halving"),
    ROW("reduce-scatter", "reduce_scatter", .id = 3, .name = "ring", .algorithm = "ring"),
    ROW("reduce-scatter", "reduce_scatter", .id = 4, .name = "butterfly", .algorithm = "butterfly"),

    ROW("reduce-scatter", "reduce_scatter_block", .id = 1, .name = "basic_linear",
        .algorithm = "nonoverlapping"),
    ROW("reduce-scatter", "reduce_scatter_block", .id = 2, .name = "recursive_doubling",
        .algorithm = "recursive-doubling"),
    ROW("reduce-scatter", "reduce_scatter_block", .id = 3, .name = "recursive_halving",
        .algorithm = "recursive-halving"),
    ROW("reduce-scatter", "reduce_scatter_block", .id = 4, .name = "butterfly",
        .algorithm = "butterfly"),

    ROW("scan", "scan", .id = 1, .name = "linear", .algorithm = "chain"),
    ROW("scan", "scan", .id = 2, .name = "recursive_doubling", .algorithm = "dissemination"),
    ROW("exscan", "exscan", .id = 1, .name = "linear", .algorithm = "chain"),
    ROW("exscan", "exscan", .id = 2, .name = "recursive_doubling", .algorithm = "dissemination"),
};

MPILIB_TABLE(mpilib_ompi, "ompi", rows);
