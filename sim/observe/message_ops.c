/* message_ops.c - see message_ops.h. */
#include "message_ops.h"

#include <string.h>

#include "schedules/dependences/messages.h"

int32_t obs_message_ops(const struct sim_spec *spec, const struct sim_message *message,
                        bool at_receiver, struct rb_op ops[])
{
    struct rb_rank state;
    rb_plan_rank(spec->plan, at_receiver ? message->to : message->from, &state);
    const int32_t count = rb_layout_round(spec->plan, spec->layout, &state, message->round, ops);
    const int32_t side =
        DEP_DIRECTIONS * message->port + (int32_t)(at_receiver ? DEP_RECEIVES : DEP_SENDS);
    struct dep_messages left = dep_messages_of(ops, count);
    for (struct dep_message its; dep_next_message(&left, &its);)
        if (dep_side(its.ops) == side) {
            memmove(ops, its.ops, (size_t)its.count * sizeof *ops);
            return its.count;
        }
    return 0;
}
