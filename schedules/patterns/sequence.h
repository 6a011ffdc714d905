/* sequence.h - a collective as a sequence of two others: allreduce as reduce-scatter and allgather,
 * or reduce and broadcast; broadcast as scatter and allgather; reduce as reduce-scatter and gather.
 *
 * The rounds of the second follow those of the first. The data are one vector. If the data of a
 * part are divided among the ranks, rank j's share is the j-th of p shares with equal numbers of
 * blocks; if a part has a root, this is the composed plan's root, or rank 0. Parts that have a
 * radix have the composed plan's. An algorithm of this kind has RB_COMPOSED(first, second) in its
 * descriptor, and .pipeline too if a part has one. */
#ifndef RB_SCHEDULES_PATTERNS_COMPOSED_H
#define RB_SCHEDULES_PATTERNS_COMPOSED_H

#include "schedules/plan/plan.h"

int rb_composed_init(struct rb_plan *plan, char *why, size_t why_size);
void rb_composed_fini(struct rb_plan *plan);
void rb_composed_rank(const struct rb_plan *plan, struct rb_rank *state);
int32_t rb_composed_round(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                          struct rb_op ops[]);
int64_t rb_composed_next(const struct rb_plan *plan, const struct rb_rank *state, int64_t t);
double rb_composed_cost(const struct rb_plan *plan, double bytes, double alpha_s,
                        double beta_s_per_byte);
void rb_composed_pipeline(const struct rb_plan *plan, int64_t *per_block, int64_t *fixed);

/* For parts without a closed form. */
#define RB_COMPOSED_UNPRICED(first, second)                                                        \
    .parts = {&(first), &(second)}, .init = rb_composed_init, .fini = rb_composed_fini,            \
    .rank = rb_composed_rank, .round = rb_composed_round, .next = rb_composed_next

#define RB_COMPOSED(first, second) RB_COMPOSED_UNPRICED(first, second), .cost = rb_composed_cost

#endif
