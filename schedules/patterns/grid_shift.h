/* grid_shift.h - circular shifts by hops between neighbours. For the descriptors of rings, meshes
 * and hypercubes: a way says to which rank what a rank has goes in each round. */
#ifndef RB_SCHEDULES_GRID_SHIFT_H
#define RB_SCHEDULES_GRID_SHIFT_H

#include "grid.h"

/* In a round every rank has the data of one owner, and goes on with them. */
struct rb_way {
    int32_t owner; /* whose data a rank has before the round */
    int32_t to;    /* where they are after it; the rank itself: they stay */
    int32_t from;  /* whence those come that it has after it */
};

int rb_grid_shift_init(struct rb_plan *plan, struct rb_grid grid, char *why, size_t why_size);
struct rb_way rb_grid_shift_way(const struct rb_plan *plan, int32_t rank, int64_t t);
int32_t rb_grid_shift_round(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                            struct rb_op ops[]);

/* The operations of a round in which data go this way. For q = 0 the data are copied, in a round
 * without messages. */
int32_t rb_shift_round(const struct rb_plan *plan, int32_t rank, int64_t t,
                       struct rb_way (*way)(const struct rb_plan *plan, int32_t rank, int64_t t),
                       struct rb_op ops[]);
/* What all ways have in common, for so many rounds. */
int rb_shift_init(struct rb_plan *plan, int64_t rounds, char *why, size_t why_size);
double rb_shift_cost(const struct rb_plan *plan, double bytes, double alpha_s,
                     double beta_s_per_byte);

#define RB_GRID_SHIFT .round = rb_grid_shift_round, .cost = rb_shift_cost

#endif
