/* plan_messages.c - see plan_round.h. */
#include "sim/engine/plan_round.h"

#include <stdlib.h>

#include "schedules/dependences/messages.h"
#include "support/memory.h"

int64_t sim_plan_messages(const struct rb_plan *plan)
{
    const int64_t rounds = rb_plan_rounds(plan);
    struct rb_op *ops = sup_calloc((size_t)rb_plan_max_ops(plan) + 1, sizeof *ops);
    int64_t messages = 0;
    for (int32_t r = 0; r < rb_plan_ranks(plan); r++) {
        struct rb_rank state;
        rb_plan_rank(plan, r, &state);
        for (int64_t t = rb_plan_next(plan, &state, 0); t < rounds;
             t = rb_plan_next(plan, &state, t + 1)) {
            struct dep_messages left = dep_messages_of(ops, rb_plan_round(plan, &state, t, ops));
            for (struct dep_message message; dep_next_message(&left, &message);)
                messages += dep_direction_of(message.ops) == DEP_SENDS;
        }
    }
    free(ops);
    return messages;
}
