/* grid_bcast.h - one-to-all broadcast and scatter on a grid, in which lines are halved. For the
 * descriptors of rings, meshes, hypercubes and trees; reversed.h makes reduce and gather of them.
 */
#ifndef RB_SCHEDULES_GRID_BCAST_H
#define RB_SCHEDULES_GRID_BCAST_H

#include "grid.h"

int rb_grid_bcast_init(struct rb_plan *plan, struct rb_grid grid, char *why, size_t why_size);
int32_t rb_grid_bcast_round(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                            struct rb_op ops[]);
double rb_grid_bcast_cost(const struct rb_plan *plan, double bytes, double alpha_s,
                          double beta_s_per_byte);

int rb_grid_scatter_init(struct rb_plan *plan, struct rb_grid grid, char *why, size_t why_size);
int32_t rb_grid_scatter_round(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                              struct rb_op ops[]);
int64_t rb_grid_scatter_next(const struct rb_plan *plan, const struct rb_rank *state, int64_t t);
double rb_grid_scatter_cost(const struct rb_plan *plan, double bytes, double alpha_s,
                            double beta_s_per_byte);

#define RB_GRID_BCAST .round = rb_grid_bcast_round, .cost = rb_grid_bcast_cost
#define RB_GRID_SCATTER                                                                            \
    .round = rb_grid_scatter_round, .next = rb_grid_scatter_next, .cost = rb_grid_scatter_cost

#endif
