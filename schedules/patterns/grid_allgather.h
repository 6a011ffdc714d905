/* grid_allgather.h - all-to-all broadcast on a grid: on the lines of one dimension after the other,
 * what is gathered so far goes round. For the descriptors of rings, meshes and hypercubes. */
#ifndef RB_SCHEDULES_GRID_ALLGATHER_H
#define RB_SCHEDULES_GRID_ALLGATHER_H

#include "grid.h"

int rb_grid_allgather_init(struct rb_plan *plan, struct rb_grid grid, char *why, size_t why_size);
int32_t rb_grid_allgather_round(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                                struct rb_op ops[]);
double rb_grid_allgather_cost(const struct rb_plan *plan, double bytes, double alpha_s,
                              double beta_s_per_byte);

#define RB_GRID_ALLGATHER                                                                          \
    .round = rb_grid_allgather_round, .next = rb_never_idle, .cost = rb_grid_allgather_cost

#endif
