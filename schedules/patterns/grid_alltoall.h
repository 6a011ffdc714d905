/* grid_alltoall.h - all-to-all personalised communication on a grid, with messages put together.
 * For the descriptors of rings, meshes and hypercubes. */
#ifndef RB_SCHEDULES_GRID_ALLTOALL_H
#define RB_SCHEDULES_GRID_ALLTOALL_H

#include "grid.h"

int rb_grid_alltoall_init(struct rb_plan *plan, struct rb_grid grid, char *why, size_t why_size);
int32_t rb_grid_alltoall_round(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                               struct rb_op ops[]);
double rb_grid_alltoall_cost(const struct rb_plan *plan, double bytes, double alpha_s,
                             double beta_s_per_byte);

#define RB_GRID_ALLTOALL                                                                           \
    .round = rb_grid_alltoall_round, .next = rb_never_idle, .cost = rb_grid_alltoall_cost

#endif
