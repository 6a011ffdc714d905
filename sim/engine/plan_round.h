/* plan_round.h - a rank's round, checked, with a message for the user if the plan is wrong; and how
 * many messages a plan has. */
#ifndef SIM_ENGINE_PLAN_ROUND_H
#define SIM_ENGINE_PLAN_ROUND_H

#include "roundabout.h"
#include "support/error.h"

/* rb_layout_checked_round with a message in error: the number of operations, or RB_EWRONG. Inline,
 * because the model engine calls it for every rank and round. */
static inline int32_t sim_round(const struct rb_plan *plan, const struct rb_layout *layout,
                                const struct rb_rank *state, int64_t t, struct rb_op ops[],
                                struct sup_error *error)
{
    char why[240];
    const int32_t count = rb_layout_checked_round(plan, layout, state, t, ops, why, sizeof why);
    return count < 0 ? sup_fail(error, RB_EWRONG, "the plan is wrong: %s", why) : count;
}

/* Messages of all ranks, counted one by one: O(operations of the plan). */
int64_t sim_plan_messages(const struct rb_plan *plan);

#endif
