/* message_ops.h - which blocks a message of a run carried: back from the run to the plan. */
#ifndef RB_SIM_OBSERVE_MESSAGE_OPS_H
#define RB_SIM_OBSERVE_MESSAGE_OPS_H

#include "sim/engine/engine.h"

/* The operations of which the message consists, as its sender or its receiver has them, at the
 * front of ops, which has room for the plan's max_ops. Returns how many. O(log p + max_ops). */
int32_t rb_message_ops(const struct rb_sim_spec *spec, const struct rb_sim_message *message,
                       bool at_receiver, struct rb_op ops[]);

#endif
