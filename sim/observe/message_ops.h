/* message_ops.h - which blocks a message of a run carried: back from the run to the plan. */
#ifndef SIM_OBSERVE_MESSAGE_OPS_H
#define SIM_OBSERVE_MESSAGE_OPS_H

#include "sim/engine/engine.h"

/* The operations of which the message consists, as its sender or its receiver has them, at the
 * front of ops, which has room for the plan's max_ops. Returns how many. O(log p + max_ops). */
int32_t obs_message_ops(const struct sim_spec *spec, const struct sim_message *message,
                        bool at_receiver, struct rb_op ops[]);

#endif
