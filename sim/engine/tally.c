#include "sim/engine/tally.h"

#include <stdlib.h>

#include "schedules/dependences/messages.h"
#include "support/memory.h"
#include "support/units.h"

/* ---- Rounds and messages --------------------------------------------------------------------- */

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

/* ---- Bytes ----------------------------------------------------------------------------------- */

/* The largest power of two that, instead of the layout's size, would do: the sum grows with the
 * size, up to the rounding of blocks to whole elements. */
static int64_t size_that_works(sim_tally tally, const struct rb_layout *layout)
{
    const sim_tally most = (sim_tally)INT64_MAX * (sim_tally)layout->bytes / tally;
    int64_t size = 1;
    while ((sim_tally)size * 2 <= most)
        size *= 2;
    return size;
}

int sim_tally_take(sim_tally tally, const struct rb_layout *layout, int64_t *bytes,
                   struct sup_error *error)
{
    char size[32], works[32];
    if (tally <= (sim_tally)INT64_MAX) {
        *bytes = (int64_t)tally;
        return RB_OK;
    }
    if (layout == NULL)
        return sup_fail(error, RB_EINVAL,
                        "the workload moves more than 2^63 - 1 bytes in all, "
                        "which can't be counted");
    return sup_fail(error, RB_EINVAL,
                    "--bytes: of %s the plan moves more than 2^63 - 1 bytes in all, which can't be "
                    "counted: up to %s works",
                    sup_format_shown(layout->bytes, size, sizeof size),
                    sup_format_shown(size_that_works(tally, layout), works, sizeof works));
}
