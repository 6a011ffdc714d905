/* names_fujitsu.c - the names in results of Fugaku: Fujitsu MPI's own algorithms, `default-NAME`,
 * whose code is not public; what they share with Open MPI, from which that library descends, is
 * taken to be the same. And those of the Bine trees' authors
 * (https://github.com/HLC-Lab/bine_trees_fugaku), FAMILY-VARIANT on uTofu or MPI; their segment
 * size and number of interfaces are parameters, which the results append to the name. */
#include "mpi/vendors/names/names_tables.h"

#define ROW(collective_, ...)                                                                      \
    {                                                                                              \
        .library = "fujitsu", .collective = collective_, .call = collective_, .id = -1,            \
        __VA_ARGS__                                                                                \
    }

static const struct mpilib_algorithm rows[] = {
    /* 512 MiB to 512 nodes in 17 ms is no linear broadcast; the times are those of the library's
     * own choice. */
    ROW("bcast", .name = "default-basic-linear"),
    ROW("bcast", .name = "default-binary-tree", .algorithm = "binary",
        .manner = {.sends = MPILIB_TOGETHER}),
    ROW("bcast", .name = "default-binomial", .algorithm = "binomial",
        .manner = {.sends = MPILIB_TOGETHER}),
    ROW("bcast", .name = "default-chain", .algorithm = "chains",
        .manner = {.sends = MPILIB_TOGETHER}),
    ROW("bcast", .name = "default-pipeline", .algorithm = "chain",
        .manner = {.sends = MPILIB_TOGETHER}),
    ROW("bcast", .name = "default-split-binary-tree", .algorithm = "split-binary",
        .manner = {.sends = MPILIB_TOGETHER}),
    ROW("bcast", .name = "default-bintree3d"),
    ROW("bcast", .name = "default-bintree6d"),
    ROW("bcast", .name = "default-trinaryx3"),
    ROW("bcast", .name = "default-trinaryx6"),
    ROW("bcast", .name = "BINE-BINOMIAL_TREE", .algorithm = "bine", .segmented = true),
    ROW("bcast", .name = "BINE-BINOMIAL_TREE_TMPBUF", .algorithm = "bine", .segmented = true),
    ROW("bcast", .name = "BINE-SCATTER_ALLGATHER", .algorithm = "bine-scatter-allgather"),

    ROW("reduce", .name = "default-linear", .algorithm = "flat",
        .manner = {.sends = MPILIB_POSTED}),
    ROW("reduce", .name = "default-binary", .algorithm = "binary"),
    ROW("reduce", .name = "default-binomial", .algorithm = "binomial"),
    ROW("reduce", .name = "default-chain", .algorithm = "chains"),
    ROW("reduce", .name = "default-pipeline", .algorithm = "chain"),
    ROW("reduce", .name = "default-in-order-binary", .algorithm = "in-order-binary"),
    ROW("reduce", .name = "default-trinaryx3"),
    ROW("reduce", .name = "default-trinaryx6"),
    ROW("reduce", .name = "BINE-BINOMIAL_TREE", .algorithm = "bine", .segmented = true),
    ROW("reduce", .name = "BINE-REDUCE_SCATTER_GATHER", .algorithm = "bine-rabenseifner"),

    ROW("allreduce", .name = "default-basic_linear", .algorithm = "flat"),
    ROW("allreduce", .name = "default-nonoverlapping", .algorithm = "nonoverlapping"),
    ROW("allreduce", .name = "default-recursive_doubling", .algorithm = "recursive-doubling"),
    ROW("allreduce", .name = "default-ring", .algorithm = "ring"),
    ROW("allreduce", .name = "default-segmented_ring", .algorithm = "segmented-ring",
        .segmented = true),
    ROW("allreduce", .name = "default-rdbc"),
    ROW("allreduce", .name = "default-trix3"),
    ROW("allreduce", .name = "default-trix6"),
    ROW("allreduce", .name = "BINE-B_CONT", .algorithm = "bine", .segmented = true),
    ROW("allreduce", .name = "BINE-L", .algorithm = "bine-doubling", .segmented = true),
    ROW("allreduce", .name = "RECDOUB-B_CONT", .algorithm = "rabenseifner", .segmented = true),
    ROW("allreduce", .name = "RECDOUB-L", .algorithm = "recursive-doubling", .segmented = true),
    ROW("allreduce", .name = "RING-B_CONT", .algorithm = "ring"),

    ROW("allgather", .name = "default-linear", .algorithm = "gather-bcast"),
    ROW("allgather", .name = "default-bruck", .algorithm = "dissemination"),
    ROW("allgather", .name = "default-recursive-doubling", .algorithm = "recursive-doubling"),
    ROW("allgather", .name = "default-ring", .algorithm = "ring"),
    ROW("allgather", .name = "default-neighbor", .algorithm = "neighbour-exchange"),
    ROW("allgather", .name = "default-3dtorus"),
    ROW("allgather", .name = "default-3dtorus-sm"),
    ROW("allgather", .name = "default-gtbc"),
    ROW("allgather", .name = "BINE-VEC_DOUBLING_BLOCKS", .algorithm = "bine"),
    ROW("allgather", .name = "BINE-VEC_DOUBLING_CONT_PERMUTE", .algorithm = "bine"),
    ROW("allgather", .name = "BINE-VEC_DOUBLING_CONT_SEND", .algorithm = "bine"),
    ROW("allgather", .name = "RING-VEC_DOUBLING_CONT_PERMUTE", .algorithm = "ring"),

    ROW("reduce-scatter", .name = "default-non-overlapping", .algorithm = "nonoverlapping"),
    ROW("reduce-scatter", .name = "default-recursive-halving", .algorithm = "recursive-halving"),
    ROW("reduce-scatter", .name = "default-ring", .algorithm = "ring"),
    ROW("reduce-scatter", .name = "BINE-VEC_HALVING_CONT_PERMUTE", .algorithm = "bine"),
    ROW("reduce-scatter", .name = "RING-VEC_HALVING_CONT_PERMUTE", .algorithm = "ring"),

    ROW("alltoall", .name = "default-linear", .algorithm = "linear",
        .manner = {.sends = MPILIB_POSTED}),
    ROW("alltoall", .name = "default-linear-sync", .algorithm = "linear-sync",
        .manner = {.sends = MPILIB_POSTED}),
    ROW("alltoall", .name = "default-modified-bruck", .algorithm = "bruck", .radix = 2),
    ROW("alltoall", .name = "default-pairwise", .algorithm = "pairwise"),
    ROW("alltoall", .name = "default-blacc3d"),
    ROW("alltoall", .name = "default-blacc6d"),
    ROW("alltoall", .name = "default-crp"),
    ROW("alltoall", .name = "default-doublespread"),
    ROW("alltoall", .name = "BINE-LOG", .algorithm = "bine"),
    ROW("alltoall", .name = "BRUCK-LOG", .algorithm = "bruck", .radix = 2),

    ROW("gather", .name = "default-basic-linear", .algorithm = "flat"),
    ROW("gather", .name = "default-binomial", .algorithm = "binomial"),
    ROW("gather", .name = "default-linear-sync", .algorithm = "linear-sync", .segmented = true,
        .manner = {.asked = true}),
    ROW("gather", .name = "default-simple"),
    ROW("gather", .name = "BINE-BINOMIAL_TREE_CONT_PERMUTE", .algorithm = "bine"),
    ROW("gather", .name = "BINE-BINOMIAL_TREE_CONT_PERMUTE-DEC", .algorithm = "bine"),
    ROW("gather", .name = "BINE-BINOMIAL_TREE_CONT_PERMUTE-INC", .algorithm = "bine"),

    ROW("scatter", .name = "default-basic-linear", .algorithm = "flat"),
    ROW("scatter", .name = "default-binomial", .algorithm = "binomial"),
    ROW("scatter", .name = "default-use-bcast"),
    ROW("scatter", .name = "RING-VEC_DOUBLING_CONT_PERMUTE"),
    ROW("scatter", .name = "BINE-BINOMIAL_TREE_CONT_PERMUTE", .algorithm = "bine"),
    ROW("scatter", .name = "BINE-BINOMIAL_TREE_CONT_PERMUTE-DEC", .algorithm = "bine"),
    ROW("scatter", .name = "BINE-BINOMIAL_TREE_CONT_PERMUTE-INC", .algorithm = "bine"),
};

MPILIB_TABLE(mpilib_fujitsu, "fujitsu", rows);
