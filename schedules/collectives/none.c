/* none.c - what schedules are of that name no data: messages with lengths, but nothing that a rank
 * must have at the start or the end. Nothing bounds them from below. It is not listed. */
#include "schedules/plan/plan.h"

static int64_t nothing(const struct rb_plan *plan, int32_t rank, enum rb_buffer buffer,
                       int32_t owner, int64_t index)
{
    (void)plan;
    (void)rank;
    (void)buffer;
    (void)owner;
    (void)index;
    return RB_NOTHING;
}

const struct rb_collective rb_none = {
    .info = {.name = "none", .title = "messages without contents"},
    .buffers = 1u << RB_TMP,
    .precondition = nothing,
    .postcondition = nothing,
};
