/* message_ops.h - finds the operations of the plan to which a message of a run belongs. */
#ifndef SIM_OBSERVE_MESSAGE_OPS_H
#define SIM_OBSERVE_MESSAGE_OPS_H

#include "sim/engine/engine.h"

/* Writes the operations of the message, those of its sender or of its receiver, to the front of
 * ops, which has room for the plan's max_ops. Returns their number. O(log p + max_ops). */
int32_t obs_message_ops(const struct sim_spec *spec, const struct sim_message *message,
                        bool at_receiver, struct rb_op ops[]);

#endif
