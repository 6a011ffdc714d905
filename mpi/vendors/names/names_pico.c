/* names_pico.c - the names in the results of the benchmark suite PICO
 * (https://github.com/HLC-Lab/pico): NAME_ompi are Open MPI's own algorithms, NAME_mpich those of
 * Cray's MPICH, NAME_over are PICO's (libbine), on point-to-point messages. Variants of a Bine
 * butterfly differ in how blocks that do not stand together are sent: one by one, after a
 * permutation, or from a remapped rank. */
#include "mpi/vendors/names/names_tables.h"

#define ROW(collective, name, ...) MPILIB_ROW("pico", collective, collective, -1, name, __VA_ARGS__)

static const struct mpilib_algorithm rows[] = {
    ROW("bcast", "linear_ompi", "flat", .manner.sends = MPILIB_POSTED),
    ROW("bcast", "chain_ompi", "chains", .manner.sends = MPILIB_TOGETHER),
    ROW("bcast", "pipeline_ompi", "chain", .manner.sends = MPILIB_TOGETHER),
    ROW("bcast", "split_binary_ompi", "split-binary", .manner.sends = MPILIB_TOGETHER),
    ROW("bcast", "binary_ompi", "binary", .manner.sends = MPILIB_TOGETHER),
    ROW("bcast", "binomial_ompi", "binomial", .manner.sends = MPILIB_TOGETHER),
    ROW("bcast", "knomial_ompi", "knomial", .radix = 4, .manner.sends = MPILIB_TOGETHER),
    ROW("bcast", "scatter_allgather_ompi", "scatter-doubling"),
    ROW("bcast", "scatter_allgather_ring_ompi", "scatter-allgather"),
    ROW("bcast", "binomial_mpich", "binomial"),
    ROW("bcast", "scatter_recursive_doubling_allgather_mpich", "scatter-doubling"),
    ROW("bcast", "scatter_ring_allgather_mpich", "scatter-allgather"),
    ROW("bcast", "scatter_allgather_over", "scatter-doubling"),
    ROW("bcast", "bine_lat_over", "bine-doubling", .manner.sends = MPILIB_TOGETHER),
    ROW("bcast", "bine_lat_reversed_over", "bine", .manner.sends = MPILIB_TOGETHER),
    ROW("bcast", "bine_lat_new_over", "bine"),
    ROW("bcast", "bine_lat_i_new_over", "bine", .manner.sends = MPILIB_TOGETHER),
    ROW("bcast", "bine_bdw_static_over", "bine-scatter-allgather"),
    ROW("bcast", "bine_bdw_remap_over", "bine-scatter-allgather"),

    ROW("reduce", "linear_ompi", "flat", .manner.sends = MPILIB_POSTED),
    ROW("reduce", "chain_ompi", "chains"),
    ROW("reduce", "pipeline_ompi", "chain"),
    ROW("reduce", "binary_ompi", "binary"),
    ROW("reduce", "binomial_ompi", "binomial"),
    ROW("reduce", "in_order_ompi", "in-order-binary"),
    ROW("reduce", "rabenseifner_ompi", "rabenseifner-doubling"),
    ROW("reduce", "binomial_mpich", "binomial"),
    ROW("reduce", "rabenseifner_mpich", "rabenseifner-doubling"),
    ROW("reduce", "non_blocking_mpich", NULL),
    ROW("reduce", "bine_lat_over", "bine"),
    ROW("reduce", "bine_bdw_over", "bine-rabenseifner"),

    ROW("allreduce", "linear_ompi", "flat"),
    ROW("allreduce", "non_overlapping_ompi", "nonoverlapping"),
    ROW("allreduce", "recursive_doubling_ompi", "recursive-doubling"),
    ROW("allreduce", "ring_ompi", "ring"),
    ROW("allreduce", "ring_segmented_ompi", "segmented-ring"),
    ROW("allreduce", "rabenseifner_ompi", "rabenseifner-doubling"),
    ROW("allreduce", "allgather_reduce_ompi", "ring-exchange"),
    ROW("allreduce", "recursive_doubling_mpich", "recursive-doubling"),
    ROW("allreduce", "rabenseifner_mpich", "rabenseifner-doubling"),
    ROW("allreduce", "non_blocking_mpich", NULL),
    ROW("allreduce", "recursive_doubling_over", "recursive-doubling"),
    ROW("allreduce", "ring_over", "ring"),
    ROW("allreduce", "rabenseifner_over", "rabenseifner-doubling"),
    ROW("allreduce", "bine_lat_over", "bine-doubling"),
    ROW("allreduce", "bine_bdw_static_over", "bine"),
    ROW("allreduce", "bine_bdw_remap_over", "bine"),
    /* Without a size in the name, a segment is a p-th of the message. */
    ROW("allreduce", "bine_bdw_remap_segmented_over", "bine", .segmented = true),
    ROW("allreduce", "bine_block_by_block_any_even", "bine-blocks", .manner.by_block = true),

    /* Between GPUs: a reduce-scatter inside each node, an allreduce of each place's part over the
     * network, an allgather inside. */
    ROW("allreduce", "hier_bw", "rabenseifner-in-lanes", .manner.engine = "flow"),
    ROW("allreduce", "hier_lat", "recursive-doubling-in-lanes", .manner.engine = "flow"),

    ROW("allgather", "linear_ompi", "gather-bcast"),
    ROW("allgather", "bruck_ompi", "dissemination", .manner.copies = 1),
    ROW("allgather", "recursive_doubling_ompi", "recursive-doubling"),
    ROW("allgather", "ring_ompi", "ring"),
    ROW("allgather", "neighbor_ompi", "neighbour-exchange"),
    ROW("allgather", "sparbit_ompi", "sparbit", .manner.by_block = true),
    ROW("allgather", "brucks_mpich", "dissemination", .manner.copies = 1),
    ROW("allgather", "recursive_doubling_mpich", "recursive-doubling"),
    ROW("allgather", "ring_mpich", "ring"),
    ROW("allgather", "non_blocking_mpich", NULL),
    ROW("allgather", "recursive_doubling_over", "recursive-doubling"),
    ROW("allgather", "ring_over", "ring"),
    ROW("allgather", "sparbit_over", "sparbit", .manner.by_block = true),
    ROW("allgather", "k_bruck_over", "dissemination", .manner.copies = 1), /* k is 2 */
    ROW("allgather", "bine_block_by_block_over", "bine", .manner.by_block = true),
    ROW("allgather", "bine_block_by_block_over_any_even", "bine", .manner.by_block = true),
    ROW("allgather", "bine_permute_static_over", "bine", .manner.copies = 1),
    ROW("allgather", "bine_permute_remap_over", "bine", .manner.copies = 1),
    ROW("allgather", "bine_send_static_over", "bine"),
    ROW("allgather", "bine_send_remap_over", "bine"),
    ROW("allgather", "bine_2_blocks_over", "bine-doubling"),
    ROW("allgather", "bine_2_blocks_dtype_over", "bine-doubling", .manner.packs = true),

    ROW("reduce-scatter", "non_overlapping_ompi", "nonoverlapping"),
    ROW("reduce-scatter", "recursive_halving_ompi", "recursive-halving"),
    ROW("reduce-scatter", "ring_ompi", "ring"),
    ROW("reduce-scatter", "butterfly_ompi", "butterfly"),
    ROW("reduce-scatter", "pairwise_mpich", "pairwise"),
    ROW("reduce-scatter", "recursive_doubling_mpich", "recursive-doubling"),
    ROW("reduce-scatter", "recursive_halving_mpich", "recursive-halving"),
    ROW("reduce-scatter", "non_blocking_mpich", NULL),
    ROW("reduce-scatter", "recursive_halving_over", "recursive-halving"),
    ROW("reduce-scatter", "ring_over", "ring"),
    /* Halves the data while the distance doubles: nearest partners first. */
    ROW("reduce-scatter", "recursive_distance_doubling_over", "butterfly"),
    ROW("reduce-scatter", "bine_static_over", "bine"),
    ROW("reduce-scatter", "bine_send_remap_over", "bine"),
    ROW("reduce-scatter", "bine_permute_remap_over", "bine", .manner.copies = 1),
    ROW("reduce-scatter", "bine_block_by_block_over", "bine", .manner.by_block = true),
    ROW("reduce-scatter", "bine_block_by_block_any_even", "bine", .manner.by_block = true),

    ROW("alltoall", "linear_ompi", "linear", .manner.sends = MPILIB_POSTED),
    ROW("alltoall", "pairwise_ompi", "pairwise"),
    ROW("alltoall", "modified_bruck_ompi", "bruck", .radix = 2),
    ROW("alltoall", "linear_sync_ompi", "linear-sync", .manner.sends = MPILIB_POSTED),
    ROW("alltoall", "bine_over", "bine"),

    ROW("gather", "linear_ompi", "flat", .manner.sends = MPILIB_POSTED),
    ROW("gather", "binomial_ompi", "binomial"),
    ROW("gather", "linear_synch_ompi", "linear-sync", .manner.asked = true),
    ROW("gather", "bine_over", "bine"),

    ROW("scatter", "linear_ompi", "flat"),
    ROW("scatter", "binomial_ompi", "binomial"),
    ROW("scatter", "linear_nb_ompi", "linear-sync", .manner.sends = MPILIB_POSTED),
    ROW("scatter", "bine_over", "bine"),
};

MPILIB_TABLE(mpilib_pico, "pico", rows);
