/* message_ops.c - see message_ops.h. */
#include "message_ops.h"

int32_t rb_message_ops(const struct rb_sim_spec *spec, const struct rb_sim_message *message,
                       bool at_receiver, struct rb_op ops[])
{
    struct rb_rank state;
    int32_t kept = 0;
    rb_plan_rank(spec->plan, at_receiver ? message->to : message->from, &state);
    const int32_t count = rb_layout_round(spec->plan, spec->layout, &state, message->round, ops);
    for (int32_t i = 0; i < count; i++)
        if (ops[i].kind <= RB_RECV_REDUCE && (ops[i].kind != RB_SEND) == at_receiver &&
            ops[i].port == message->port)
            ops[kept++] = ops[i];
    return kept;
}
