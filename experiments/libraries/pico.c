/* pico.c - the names in the results of the benchmark suite PICO
 * (https://github.com/HLC-Lab/pico): NAME_ompi are Open MPI's own algorithms, NAME_mpich those of
 * Cray's MPICH, NAME_over are PICO's (libbine), on point-to-point messages. Variants of a Bine
 * butterfly differ in how blocks that do not stand together are sent: one by one, after a
 * permutation, or from a remapped rank. */
#include "experiments/libraries/rows.h"

#define ROW(collective_, ...)                                                                      \
    {                                                                                              \
        .library = "pico", .collective = collective_, .call = collective_, .id = -1, __VA_ARGS__   \
    }

static const struct mpilib_algorithm rows[] = {
    ROW("bcast", .name = "linear_ompi", .algorithm = "flat"),
    ROW("bcast", .name = "chain_ompi", .algorithm = "chains"),
    ROW("bcast", .name = "pipeline_ompi", .algorithm = "chain"),
    ROW("bcast", .name = "split_binary_ompi", .algorithm = "split-binary"),
    ROW("bcast", .name = "binary_ompi", .algorithm = "binary"),
    ROW("bcast", .name = "binomial_ompi", .algorithm = "binomial"),
    ROW("bcast", .name = "knomial_ompi", .algorithm = "knomial", .radix = 4),
    ROW("bcast", .name = "scatter_allgather_ompi", .algorithm = "scatter-doubling"),
    ROW("bcast", .name = "scatter_allgather_ring_ompi", .algorithm = "scatter-allgather"),
    ROW("bcast", .name = "binomial_mpich", .algorithm = "binomial"),
    ROW("bcast", .name = "scatter_recursive_doubling_allgather_mpich",
        .algorithm = "scatter-doubling"),
    ROW("bcast", .name = "scatter_ring_allgather_mpich", .algorithm = "scatter-allgather"),
    ROW("bcast", .name = "scatter_allgather_over", .algorithm = "scatter-doubling"),
    ROW("bcast", .name = "bine_lat_over", .algorithm = "bine"),
    ROW("bcast", .name = "bine_lat_reversed_over", .algorithm = "bine"),
    ROW("bcast", .name = "bine_lat_new_over", .algorithm = "bine"),
    ROW("bcast", .name = "bine_lat_i_new_over", .algorithm = "bine"),
    ROW("bcast", .name = "bine_bdw_static_over", .algorithm = "bine-scatter-allgather"),
    ROW("bcast", .name = "bine_bdw_remap_over", .algorithm = "bine-scatter-allgather"),

    ROW("reduce", .name = "linear_ompi", .algorithm = "flat"),
    ROW("reduce", .name = "chain_ompi", .algorithm = "chains"),
    ROW("reduce", .name = "pipeline_ompi", .algorithm = "chain"),
    ROW("reduce", .name = "binary_ompi", .algorithm = "binary"),
    ROW("reduce", .name = "binomial_ompi", .algorithm = "binomial"),
    ROW("reduce", .name = "in_order_ompi", .algorithm = "in-order-binary"),
    ROW("reduce", .name = "rabenseifner_ompi", .algorithm = "rabenseifner"),
    ROW("reduce", .name = "binomial_mpich", .algorithm = "binomial"),
    ROW("reduce", .name = "rabenseifner_mpich", .algorithm = "rabenseifner"),
    ROW("reduce", .name = "non_blocking_mpich"),
    ROW("reduce", .name = "bine_lat_over", .algorithm = "bine"),
    ROW("reduce", .name = "bine_bdw_over", .algorithm = "bine-rabenseifner"),

    ROW("allreduce", .name = "linear_ompi", .algorithm = "flat"),
    ROW("allreduce", .name = "non_overlapping_ompi", .algorithm = "nonoverlapping"),
    ROW("allreduce", .name = "recursive_doubling_ompi", .algorithm = "recursive-doubling"),
    ROW("allreduce", .name = "ring_ompi", .algorithm = "ring"),
    ROW("allreduce", .name = "ring_segmented_ompi", .algorithm = "segmented-ring"),
    ROW("allreduce", .name = "rabenseifner_ompi", .algorithm = "rabenseifner"),
    ROW("allreduce", .name = "allgather_reduce_ompi", .algorithm = "allgather-reduce"),
    ROW("allreduce", .name = "recursive_doubling_mpich", .algorithm = "recursive-doubling"),
    ROW("allreduce", .name = "rabenseifner_mpich", .algorithm = "rabenseifner"),
    ROW("allreduce", .name = "non_blocking_mpich"),
    ROW("allreduce", .name = "recursive_doubling_over", .algorithm = "recursive-doubling"),
    ROW("allreduce", .name = "ring_over", .algorithm = "ring"),
    ROW("allreduce", .name = "rabenseifner_over", .algorithm = "rabenseifner"),
    ROW("allreduce", .name = "bine_lat_over", .algorithm = "bine-doubling"),
    ROW("allreduce", .name = "bine_bdw_static_over", .algorithm = "bine"),
    ROW("allreduce", .name = "bine_bdw_remap_over", .algorithm = "bine"),
    /* Without a size in the name, a segment is a p-th of the message. */
    ROW("allreduce", .name = "bine_bdw_remap_segmented_over", .algorithm = "bine",
        .segmented = true),
    ROW("allreduce", .name = "bine_block_by_block_any_even", .algorithm = "bine"),

    ROW("allgather", .name = "linear_ompi", .algorithm = "flat"),
    ROW("allgather", .name = "bruck_ompi", .algorithm = "dissemination"),
    ROW("allgather", .name = "recursive_doubling_ompi", .algorithm = "recursive-doubling"),
    ROW("allgather", .name = "ring_ompi", .algorithm = "ring"),
    ROW("allgather", .name = "neighbor_ompi", .algorithm = "neighbour-exchange"),
    ROW("allgather", .name = "sparbit_ompi", .algorithm = "sparbit"),
    ROW("allgather", .name = "brucks_mpich", .algorithm = "dissemination"),
    ROW("allgather", .name = "recursive_doubling_mpich", .algorithm = "recursive-doubling"),
    ROW("allgather", .name = "ring_mpich", .algorithm = "ring"),
    ROW("allgather", .name = "non_blocking_mpich"),
    ROW("allgather", .name = "recursive_doubling_over", .algorithm = "recursive-doubling"),
    ROW("allgather", .name = "ring_over", .algorithm = "ring"),
    ROW("allgather", .name = "sparbit_over", .algorithm = "sparbit"),
    ROW("allgather", .name = "k_bruck_over", .algorithm = "dissemination"), /* k is 2 */
    ROW("allgather", .name = "bine_block_by_block_over", .algorithm = "bine"),
    ROW("allgather", .name = "bine_block_by_block_over_any_even", .algorithm = "bine"),
    ROW("allgather", .name = "bine_permute_static_over", .algorithm = "bine"),
    ROW("allgather", .name = "bine_permute_remap_over", .algorithm = "bine"),
    ROW("allgather", .name = "bine_send_static_over", .algorithm = "bine"),
    ROW("allgather", .name = "bine_send_remap_over", .algorithm = "bine"),
    ROW("allgather", .name = "bine_2_blocks_over", .algorithm = "bine"),
    ROW("allgather", .name = "bine_2_blocks_dtype_over", .algorithm = "bine"),

    ROW("reduce-scatter", .name = "non_overlapping_ompi", .algorithm = "nonoverlapping"),
    ROW("reduce-scatter", .name = "recursive_halving_ompi", .algorithm = "recursive-halving"),
    ROW("reduce-scatter", .name = "ring_ompi", .algorithm = "ring"),
    ROW("reduce-scatter", .name = "butterfly_ompi"),
    ROW("reduce-scatter", .name = "pairwise_mpich", .algorithm = "pairwise"),
    ROW("reduce-scatter", .name = "recursive_doubling_mpich"),
    ROW("reduce-scatter", .name = "recursive_halving_mpich", .algorithm = "recursive-halving"),
    ROW("reduce-scatter", .name = "non_blocking_mpich"),
    ROW("reduce-scatter", .name = "recursive_halving_over", .algorithm = "recursive-halving"),
    ROW("reduce-scatter", .name = "ring_over", .algorithm = "ring"),
    /* Halves the data while the distance doubles: nearest partners first. */
    ROW("reduce-scatter", .name = "recursive_distance_doubling_over"),
    ROW("reduce-scatter", .name = "bine_static_over", .algorithm = "bine"),
    ROW("reduce-scatter", .name = "bine_send_remap_over", .algorithm = "bine"),
    ROW("reduce-scatter", .name = "bine_permute_remap_over", .algorithm = "bine"),
    ROW("reduce-scatter", .name = "bine_block_by_block_over", .algorithm = "bine"),
    ROW("reduce-scatter", .name = "bine_block_by_block_any_even", .algorithm = "bine"),

    ROW("alltoall", .name = "linear_ompi", .algorithm = "linear"),
    ROW("alltoall", .name = "pairwise_ompi", .algorithm = "pairwise"),
    ROW("alltoall", .name = "modified_bruck_ompi", .algorithm = "bruck", .radix = 2),
    ROW("alltoall", .name = "linear_sync_ompi", .algorithm = "linear-sync"),
    ROW("alltoall", .name = "bine_over", .algorithm = "bine"),

    ROW("gather", .name = "linear_ompi", .algorithm = "flat"),
    ROW("gather", .name = "binomial_ompi", .algorithm = "binomial"),
    ROW("gather", .name = "linear_synch_ompi", .algorithm = "linear-sync"),
    ROW("gather", .name = "bine_over", .algorithm = "bine"),

    ROW("scatter", .name = "linear_ompi", .algorithm = "flat"),
    ROW("scatter", .name = "binomial_ompi", .algorithm = "binomial"),
    ROW("scatter", .name = "linear_nb_ompi", .algorithm = "linear-sync"),
    ROW("scatter", .name = "bine_over", .algorithm = "bine"),
};

MPILIB_TABLE(mpilib_pico, "pico", rows);
