/* grid_wiring.c - the wiring of meshes and hypercubes: a grid without wrap-around, whose routes go
 * along one side after the other.
 *
 * Host x is at switch x; side i has the stride side[0] .. side[i - 1]. A message in stage i goes
 * along side i or a later one, and is then in that one's stage: so it can't come back to an earlier
 * side, and the one shortest way is the dimension-ordered one. Worked example, mesh:2x3, which has
 * the sides 3, 2: from 0 to 5 over switches 0, 1, 2 in stage 0, then 5 in stage 1. */
#include "generator.h"

static void wire_steps(const struct platform_cluster *cluster, struct platform_wiring *wiring,
                       int32_t node)
{
    for (int32_t stage = 0; stage < cluster->sides; stage++) {
        const struct platform_stop here = {node, stage};
        platform_wire_arrive(wiring, here, node);
        for (int32_t i = 0, stride = 1; i < cluster->sides; stride *= cluster->side[i++]) {
            const int32_t at = node / stride % cluster->side[i];
            if (i >= stage && at + 1 < cluster->side[i])
                platform_wire_step(wiring, here, (struct platform_stop){node + stride, i}, false);
            if (i >= stage && at > 0)
                platform_wire_step(wiring, here, (struct platform_stop){node - stride, i}, true);
        }
    }
}

void platform_cut_mesh(const struct platform_cluster *cluster, struct platform_cuts *cuts)
{
    platform_cuts_add_grid(cuts, cluster->side, cluster->sides, false, cluster->bandwidth);
}

void platform_cut_torus(const struct platform_cluster *cluster, struct platform_cuts *cuts)
{
    platform_cuts_add_grid(cuts, cluster->side, cluster->sides, true, cluster->bandwidth);
}

void platform_wire_grid(const struct platform_cluster *cluster, struct platform_wiring *wiring)
{
    for (int32_t node = 0; node < cluster->hosts; node++) {
        platform_wire_switch(wiring, node, cluster->sides);
        for (int32_t i = 0, stride = 1; i < cluster->sides; stride *= cluster->side[i++])
            if (node / stride % cluster->side[i] + 1 < cluster->side[i])
                platform_wire_cable(wiring, node, node + stride);
    }
    for (int32_t node = 0; node < cluster->hosts; node++) {
        platform_wire_leave(wiring, node, (struct platform_stop){node, 0});
        wire_steps(cluster, wiring, node);
    }
}
