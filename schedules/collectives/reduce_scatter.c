/* reduce_scatter.c - every rank ends up with the combination of all ranks' blocks that are its own:
 * owner is the rank that a block is for. One buffer, DST, which holds a rank's contributions for
 * all owners at the start and is accumulated in; what is not the rank's own is lost.
 *
 * Bounds, one port: it is an allgather read backwards. */
#include "schedules/plan/plan.h"

static int64_t initially(const struct rb_plan *plan, int32_t rank, enum rb_buffer buffer,
                         int32_t owner, int64_t index)
{
    (void)rank;
    return buffer == RB_DST ? rb_plan_datum(plan, owner, index) : RB_NOTHING;
}

static int64_t finally(const struct rb_plan *plan, int32_t rank, enum rb_buffer buffer,
                       int32_t owner, int64_t index)
{
    return rank == owner && buffer == RB_DST ? rb_plan_datum(plan, owner, index) : RB_NOTHING;
}

const struct rb_collective rb_reduce_scatter = {
    .info = {.name = "reduce-scatter",
             .title = "every rank gets its part of the combination (MPI_Reduce_scatter, _block)",
             .reducing = true,
             .parted = true},
    .buffers = 1u << RB_DST,
    .initially = initially,
    .finally = finally,
    .bound_rounds = rb_bound_pipeline,
    .bound_moves = rb_bound_each_once,
    .bound_busiest = rb_bound_others,
};
