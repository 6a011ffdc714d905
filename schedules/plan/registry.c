/* registry.c - the collectives and algorithms there are, in the order of listing. */
#include <string.h>

#include "plan.h"

extern const struct rb_collective rb_bcast, rb_reduce, rb_allgather, rb_reduce_scatter,
    rb_allreduce, rb_alltoall, rb_scatter, rb_gather, rb_scan, rb_exscan, rb_shift,
    rb_redistribution;

extern const struct rb_algorithm rb_bcast_circulant, rb_bcast_binomial, rb_bcast_chain,
    rb_bcast_binary, rb_bcast_scatter_allgather, rb_bcast_scatter_doubling, rb_bcast_flat,
    rb_bcast_ring, rb_bcast_mesh, rb_bcast_hypercube, rb_bcast_tree, rb_bcast_ring_split,
    rb_bcast_mesh_split, rb_bcast_hypercube_split;
extern const struct rb_algorithm rb_reduce_circulant, rb_reduce_binomial, rb_reduce_chain,
    rb_reduce_binary, rb_reduce_rabenseifner, rb_reduce_flat, rb_reduce_ring, rb_reduce_mesh,
    rb_reduce_hypercube, rb_reduce_tree, rb_reduce_ring_split, rb_reduce_mesh_split,
    rb_reduce_hypercube_split;
extern const struct rb_algorithm rb_allgather_circulant, rb_allgather_ring,
    rb_allgather_pipelined_ring, rb_allgather_dissemination, rb_allgather_recursive_doubling,
    rb_allgather_pairwise, rb_allgather_bruck, rb_allgather_bruck_volume, rb_allgather_mesh,
    rb_allgather_hypercube;
extern const struct rb_algorithm rb_reduce_scatter_circulant, rb_reduce_scatter_ring,
    rb_reduce_scatter_pipelined_ring, rb_reduce_scatter_dissemination,
    rb_reduce_scatter_recursive_halving, rb_reduce_scatter_pairwise, rb_reduce_scatter_mesh,
    rb_reduce_scatter_hypercube;
extern const struct rb_algorithm rb_allreduce_circulant, rb_allreduce_circulant_reduce_bcast,
    rb_allreduce_ring, rb_allreduce_recursive_doubling, rb_allreduce_rabenseifner,
    rb_allreduce_binomial, rb_allreduce_chain, rb_allreduce_binary, rb_allreduce_ring_exchange,
    rb_allreduce_mesh_exchange, rb_allreduce_hypercube_exchange, rb_allreduce_mesh_split,
    rb_allreduce_hypercube_split;
extern const struct rb_algorithm rb_alltoall_pairwise, rb_alltoall_bruck, rb_alltoall_linear,
    rb_alltoall_xor, rb_alltoall_ring, rb_alltoall_mesh, rb_alltoall_hypercube;
extern const struct rb_algorithm rb_scatter_binomial, rb_scatter_flat, rb_scatter_ring,
    rb_scatter_mesh, rb_scatter_hypercube;
extern const struct rb_algorithm rb_gather_binomial, rb_gather_flat, rb_gather_ring, rb_gather_mesh,
    rb_gather_hypercube;
extern const struct rb_algorithm rb_scan_dissemination, rb_scan_chain, rb_scan_ring, rb_scan_mesh,
    rb_scan_hypercube;
extern const struct rb_algorithm rb_exscan_doubling_123, rb_exscan_dissemination, rb_exscan_chain,
    rb_exscan_ring, rb_exscan_mesh, rb_exscan_hypercube;
extern const struct rb_algorithm rb_shift_direct, rb_shift_ring, rb_shift_mesh, rb_shift_hypercube;
extern const struct rb_algorithm rb_redistribution_best, rb_redistribution_matching,
    rb_redistribution_unit, rb_redistribution_greedy, rb_redistribution_modular,
    rb_redistribution_stepwise, rb_redistribution_stepwise_total, rb_redistribution_caterpillar;

const struct rb_collective *const rb_collectives[] = {
    &rb_bcast,    &rb_reduce,         &rb_allgather, &rb_reduce_scatter, &rb_allreduce,
    &rb_alltoall, &rb_scatter,        &rb_gather,    &rb_scan,           &rb_exscan,
    &rb_shift,    &rb_redistribution, NULL,
};

const struct rb_algorithm *const rb_algorithms[] = {
    &rb_bcast_circulant,
    &rb_bcast_binomial,
    &rb_bcast_chain,
    &rb_bcast_binary,
    &rb_bcast_scatter_allgather,
    &rb_bcast_scatter_doubling,
    &rb_bcast_flat,
    &rb_bcast_ring,
    &rb_bcast_mesh,
    &rb_bcast_hypercube,
    &rb_bcast_tree,
    &rb_bcast_ring_split,
    &rb_bcast_mesh_split,
    &rb_bcast_hypercube_split,
    &rb_reduce_circulant,
    &rb_reduce_binomial,
    &rb_reduce_chain,
    &rb_reduce_binary,
    &rb_reduce_rabenseifner,
    &rb_reduce_flat,
    &rb_reduce_ring,
    &rb_reduce_mesh,
    &rb_reduce_hypercube,
    &rb_reduce_tree,
    &rb_reduce_ring_split,
    &rb_reduce_mesh_split,
    &rb_reduce_hypercube_split,
    &rb_allgather_circulant,
    &rb_allgather_ring,
    &rb_allgather_pipelined_ring,
    &rb_allgather_dissemination,
    &rb_allgather_recursive_doubling,
    &rb_allgather_pairwise,
    &rb_allgather_bruck,
    &rb_allgather_bruck_volume,
    &rb_allgather_mesh,
    &rb_allgather_hypercube,
    &rb_reduce_scatter_circulant,
    &rb_reduce_scatter_ring,
    &rb_reduce_scatter_pipelined_ring,
    &rb_reduce_scatter_dissemination,
    &rb_reduce_scatter_recursive_halving,
    &rb_reduce_scatter_pairwise,
    &rb_reduce_scatter_mesh,
    &rb_reduce_scatter_hypercube,
    &rb_allreduce_circulant,
    &rb_allreduce_circulant_reduce_bcast,
    &rb_allreduce_ring,
    &rb_allreduce_recursive_doubling,
    &rb_allreduce_rabenseifner,
    &rb_allreduce_binomial,
    &rb_allreduce_chain,
    &rb_allreduce_binary,
    &rb_allreduce_ring_exchange,
    &rb_allreduce_mesh_exchange,
    &rb_allreduce_hypercube_exchange,
    &rb_allreduce_mesh_split,
    &rb_allreduce_hypercube_split,
    &rb_alltoall_pairwise,
    &rb_alltoall_bruck,
    &rb_alltoall_linear,
    &rb_alltoall_xor,
    &rb_alltoall_ring,
    &rb_alltoall_mesh,
    &rb_alltoall_hypercube,
    &rb_scatter_binomial,
    &rb_scatter_flat,
    &rb_scatter_ring,
    &rb_scatter_mesh,
    &rb_scatter_hypercube,
    &rb_gather_binomial,
    &rb_gather_flat,
    &rb_gather_ring,
    &rb_gather_mesh,
    &rb_gather_hypercube,
    &rb_scan_dissemination,
    &rb_scan_chain,
    &rb_scan_ring,
    &rb_scan_mesh,
    &rb_scan_hypercube,
    &rb_exscan_doubling_123,
    &rb_exscan_dissemination,
    &rb_exscan_chain,
    &rb_exscan_ring,
    &rb_exscan_mesh,
    &rb_exscan_hypercube,
    &rb_shift_direct,
    &rb_shift_ring,
    &rb_shift_mesh,
    &rb_shift_hypercube,
    &rb_redistribution_best,
    &rb_redistribution_matching,
    &rb_redistribution_unit,
    &rb_redistribution_greedy,
    &rb_redistribution_modular,
    &rb_redistribution_stepwise,
    &rb_redistribution_stepwise_total,
    &rb_redistribution_caterpillar,
    NULL,
};

enum {
    COLLECTIVES = sizeof rb_collectives / sizeof rb_collectives[0] - 1,
    ALGORITHMS = sizeof rb_algorithms / sizeof rb_algorithms[0] - 1,
};

const struct rb_collective *rb_collective_named(const char *name)
{
    for (int32_t i = 0; i < COLLECTIVES; i++) {
        if (strcmp(rb_collectives[i]->info.name, name) == 0)
            return rb_collectives[i];
    }
    return NULL;
}

const struct rb_algorithm *rb_algorithm_named(const char *collective, const char *name)
{
    for (int32_t i = 0; i < ALGORITHMS; i++) {
        const struct rb_algorithm_info *info = &rb_algorithms[i]->info;
        if (strcmp(info->collective, collective) == 0 && strcmp(info->name, name) == 0)
            return rb_algorithms[i];
    }
    return NULL;
}

const struct rb_collective_info *rb_collective_at(int32_t i)
{
    return 0 <= i && i < COLLECTIVES ? &rb_collectives[i]->info : NULL;
}

const struct rb_algorithm_info *rb_algorithm_at(int32_t i)
{
    return 0 <= i && i < ALGORITHMS ? &rb_algorithms[i]->info : NULL;
}

const struct rb_collective_info *rb_collective_find(const char *name)
{
    const struct rb_collective *collective = rb_collective_named(name);
    return collective == NULL ? NULL : &collective->info;
}

const struct rb_algorithm_info *rb_algorithm_find(const char *collective, const char *name)
{
    const struct rb_algorithm *algorithm = rb_algorithm_named(collective, name);
    return algorithm == NULL ? NULL : &algorithm->info;
}
