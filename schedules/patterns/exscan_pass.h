/* exscan_pass.h - a round of an exclusive scan in which each rank sends its whole vector to the
 * rank h higher. */
#ifndef RB_SCHEDULES_PATTERNS_EXSCAN_PASS_H
#define RB_SCHEDULES_PATTERNS_EXSCAN_PASS_H

#include "schedules/plan/plan.h"

/* Rank r sends the content of `from` if r >= least and rank r + h exists, and receives in DST what
 * r - h sends, as a replacement or as the left operand. Writes up to two operations and returns
 * their number. */
static inline int32_t rb_exscan_pass(const struct rb_plan *plan, int32_t r, int32_t h,
                                     int32_t least, enum rb_buffer from, enum rb_op_kind incoming,
                                     struct rb_op ops[])
{
    int32_t count = 0;
    if (r >= least && h < plan->p - r) {
        ops[count] = rb_root_op(plan, RB_SEND, r + h, 0, plan->n);
        ops[count++].at.buffer = from;
    }
    if (r - h >= least) {
        ops[count] = rb_root_op(plan, incoming, r - h, 0, plan->n);
        ops[count++].incoming_is_left = incoming == RB_RECV_REDUCE;
    }
    return count;
}

#endif
