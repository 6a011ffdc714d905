/* names_fujitsu.c - the names in results of Fugaku: Fujitsu MPI's own algorithms, `default-NAME`,
 * whose code is not public; what they share with Open MPI, from which that library descends, is
 * taken to be the same. And those of the Bine trees' authors
 * (https://github.com/HLC-Lab/bine_trees_fugaku), FAMILY-VARIANT on uTofu or MPI; their segment
 * size and number of interfaces are parameters, which the results append to the name. */
#include "mpi/vendors/names/names_tables.h"

#define ROW(collective, name, ...)                                                                 \
    MPILIB_ROW("fujitsu", collective, collective, -1, name, __VA_ARGS__)

static const struct mpilib_algorithm rows[] = {
    /* 512 MiB to 512 nodes in 17 ms is no linear broadcast; the times are those of the library's
     * own choice. */
    ROW("bcast", "default-basic-linear", NULL),
    ROW("bcast", "default-binary-tree", "binary", .manner.sends = MPILIB_TOGETHER),
    ROW("bcast", "default-binomial", "binomial", .manner.sends = MPILIB_TOGETHER),
    ROW("bcast", "default-chain", "chains", .manner.sends = MPILIB_TOGETHER),
    ROW("bcast", "default-pipeline", "chain", .manner.sends = MPILIB_TOGETHER),
    ROW("bcast", "default-split-binary-tree", "split-binary", .manner.sends = MPILIB_TOGETHER),
    ROW("bcast", "default-bintree3d", NULL),
    ROW("bcast", "default-bintree6d", NULL),
    ROW("bcast", "default-trinaryx3", NULL),
    ROW("bcast", "default-trinaryx6", NULL),
    ROW("bcast", "BINE-BINOMIAL_TREE", "bine", .segmented = true),
    ROW("bcast", "BINE-BINOMIAL_TREE_TMPBUF", "bine", .segmented = true),
    ROW("bcast", "BINE-SCATTER_ALLGATHER", "bine-scatter-allgather"),

    ROW("reduce", "default-linear", "flat", .manner.sends = MPILIB_POSTED),
    ROW("reduce", "default-binary", "binary"),
    ROW("reduce", "default-binomial", "binomial"),
    ROW("reduce", "default-chain", "chains"),
    ROW("reduce", "default-pipeline", "chain"),
    ROW("reduce", "default-in-order-binary", "in-order-binary"),
    ROW("reduce", "default-trinaryx3", NULL),
    ROW("reduce", "default-trinaryx6", NULL),
    ROW("reduce", "BINE-BINOMIAL_TREE", "bine", .segmented = true),
    ROW("reduce", "BINE-REDUCE_SCATTER_GATHER", "bine-rabenseifner"),

    ROW("allreduce", "default-basic_linear", "flat"),
    ROW("allreduce", "default-nonoverlapping", "nonoverlapping"),
    ROW("allreduce", "default-recursive_doubling", "recursive-doubling"),
    ROW("allreduce", "default-ring", "ring"),
    ROW("allreduce", "default-segmented_ring", "segmented-ring", .segmented = true),
    ROW("allreduce", "default-rdbc", NULL),
    ROW("allreduce", "default-trix3", NULL),
    ROW("allreduce", "default-trix6", NULL),
    ROW("allreduce", "BINE-B_CONT", "bine", .segmented = true),
    ROW("allreduce", "BINE-L", "bine-doubling", .segmented = true),
    ROW("allreduce", "RECDOUB-B_CONT", "rabenseifner", .segmented = true),
    ROW("allreduce", "RECDOUB-L", "recursive-doubling", .segmented = true),
    ROW("allreduce", "RING-B_CONT", "ring"),

    ROW("allgather", "default-linear", "gather-bcast"),
    ROW("allgather", "default-bruck", "dissemination"),
    ROW("allgather", "default-recursive-doubling", "recursive-doubling"),
    ROW("allgather", "default-ring", "ring"),
    ROW("allgather", "default-neighbor", "neighbour-exchange"),
    ROW("allgather", "default-3dtorus", NULL),
    ROW("allgather", "default-3dtorus-sm", NULL),
    ROW("allgather", "default-gtbc", NULL),
    ROW("allgather", "BINE-VEC_DOUBLING_BLOCKS", "bine", .manner.by_block = true),
    ROW("allgather", "BINE-VEC_DOUBLING_CONT_PERMUTE", "bine"),
    ROW("allgather", "BINE-VEC_DOUBLING_CONT_SEND", "bine"),
    ROW("allgather", "RING-VEC_DOUBLING_CONT_PERMUTE", "ring"),

    ROW("reduce-scatter", "default-non-overlapping", "nonoverlapping"),
    ROW("reduce-scatter", "default-recursive-halving", "recursive-halving"),
    ROW("reduce-scatter", "default-ring", "ring"),
    ROW("reduce-scatter", "BINE-VEC_HALVING_CONT_PERMUTE", "bine"),
    ROW("reduce-scatter", "RING-VEC_HALVING_CONT_PERMUTE", "ring"),

    ROW("alltoall", "default-linear", "linear", .manner.sends = MPILIB_POSTED),
    ROW("alltoall", "default-linear-sync", "linear-sync", .manner.sends = MPILIB_POSTED),
    ROW("alltoall", "default-modified-bruck", "bruck", .radix = 2),
    ROW("alltoall", "default-pairwise", "pairwise"),
    ROW("alltoall", "default-blacc3d", NULL),
    ROW("alltoall", "default-blacc6d", NULL),
    ROW("alltoall", "default-crp", NULL),
    ROW("alltoall", "default-doublespread", NULL),
    ROW("alltoall", "BINE-LOG", "bine"),
    ROW("alltoall", "BRUCK-LOG", "bruck", .radix = 2),

    ROW("gather", "default-basic-linear", "flat"),
    ROW("gather", "default-binomial", "binomial"),
    ROW("gather", "default-linear-sync", "linear-sync", .segmented = true, .manner.asked = true),
    ROW("gather", "default-simple", NULL),
    ROW("gather", "BINE-BINOMIAL_TREE_CONT_PERMUTE", "bine"),
    ROW("gather", "BINE-BINOMIAL_TREE_CONT_PERMUTE-DEC", "bine"),
    ROW("gather", "BINE-BINOMIAL_TREE_CONT_PERMUTE-INC", "bine"),

    ROW("scatter", "default-basic-linear", "flat"),
    ROW("scatter", "default-binomial", "binomial"),
    ROW("scatter", "default-use-bcast", NULL),
    ROW("scatter", "RING-VEC_DOUBLING_CONT_PERMUTE", NULL),
    ROW("scatter", "BINE-BINOMIAL_TREE_CONT_PERMUTE", "bine"),
    ROW("scatter", "BINE-BINOMIAL_TREE_CONT_PERMUTE-DEC", "bine"),
    ROW("scatter", "BINE-BINOMIAL_TREE_CONT_PERMUTE-INC", "bine"),
};

MPILIB_TABLE(mpilib_fujitsu, "fujitsu", rows);
