/* grid_exchange.h - allreduce, scan and exscan on a grid, by the pattern of all-to-all broadcast.
 * For the descriptors of rings, meshes and hypercubes. */
#ifndef RB_SCHEDULES_GRID_EXCHANGE_H
#define RB_SCHEDULES_GRID_EXCHANGE_H

#include "grid.h"

int rb_grid_exchange_init(struct rb_plan *plan, struct rb_grid grid, char *why, size_t why_size);
int32_t rb_grid_exchange_round(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                               struct rb_op ops[]);
int64_t rb_grid_exchange_next(const struct rb_plan *plan, const struct rb_rank *state, int64_t t);
double rb_grid_exchange_cost(const struct rb_plan *plan, double bytes, double alpha_s,
                             double beta_s_per_byte);

#define RB_GRID_EXCHANGE                                                                           \
    .round = rb_grid_exchange_round, .next = rb_grid_exchange_next, .cost = rb_grid_exchange_cost, \
    .ordered_for_root_0 = true

#endif
