/* gather.c - the root ends up with all ranks' parts. One buffer, DST, which has room for all of
 * them: a rank's own part lies in its place at the start; what else comes by at other ranks than
 * the root is lost.
 *
 * Bounds, one port: it is a scatter read backwards. */
#include "schedules/plan/plan.h"

static int64_t initially(const struct rb_plan *plan, int32_t rank, enum rb_buffer buffer,
                         int32_t owner, int64_t index)
{
    return rank == owner && buffer == RB_DST ? rb_plan_datum(plan, owner, index) : RB_NOTHING;
}

static int64_t finally(const struct rb_plan *plan, int32_t rank, enum rb_buffer buffer,
                       int32_t owner, int64_t index)
{
    return rank == plan->root && buffer == RB_DST ? rb_plan_datum(plan, owner, index) : RB_NOTHING;
}

const struct rb_collective rb_gather = {
    .info = {.name = "gather",
             .title = "the root gets all ranks' data (MPI_Gather, MPI_Gatherv)",
             .rooted = true,
             .parted = true},
    .buffers = 1u << RB_DST,
    .initially = initially,
    .finally = finally,
    .bound_rounds = rb_bound_pipeline,
    .bound_moves = rb_bound_to_root,
    .bound_busiest = rb_bound_others,
};
