/* tally.h - what a plan has: a rank's round, checked; its messages; the sum of its bytes. */
#pragma once

#include <stdint.h>

#include "roundabout.h"
#include "support/error.h"

/* ---- Rounds and messages --------------------------------------------------------------------- */

/* A rank's round, checked, with a message for the user if the plan is wrong; and how many messages
 * a plan has. */

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

/* ---- Bytes ----------------------------------------------------------------------------------- */

/* Their sum may exceed an int64_t. */

__extension__ typedef unsigned __int128 sim_tally;

/* The tally as a result's number of bytes. RB_EINVAL, with a size that would be possible, if it
 * exceeds an int64_t. layout NULL: of a workload. */
int sim_tally_take(sim_tally tally, const struct rb_layout *layout, int64_t *bytes,
                   struct sup_error *error);

/* Adds to a sum that is a part of a tally; the sum is not used if the tally is too large. */
static inline void sim_tally_add_part(int64_t *sum, int64_t bytes)
{
    if (__builtin_add_overflow(*sum, bytes, sum))
        *sum = INT64_MAX;
}
