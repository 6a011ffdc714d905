/* scatter.c - every rank ends up with its part of the root's data: owner is the rank that a block
 * is for. One buffer, DST, which has room for all parts: at the root it holds them at the start,
 * and a rank's own part ends up in its place.
 *
 * Bounds, one port: a message may carry one block of each owner, and the ranks that have any but
 * the first n - 1 blocks at most double in each round, so n - 1 + ceil(log2 p) rounds; each of the
 * p - 1 other ranks receives its n blocks. */
#include "schedules/plan/plan.h"

static int64_t initially(const struct rb_plan *plan, int32_t rank, enum rb_buffer buffer,
                         int32_t owner, int64_t index)
{
    return rank == plan->root && buffer == RB_DST ? rb_plan_datum(plan, owner, index) : RB_NOTHING;
}

static int64_t finally(const struct rb_plan *plan, int32_t rank, enum rb_buffer buffer,
                       int32_t owner, int64_t index)
{
    return rank == owner && buffer == RB_DST ? rb_plan_datum(plan, owner, index) : RB_NOTHING;
}

const struct rb_collective rb_scatter = {
    .info = {.name = "scatter",
             .title = "every rank gets its part of the root's data (MPI_Scatter, MPI_Scatterv)",
             .rooted = true,
             .parted = true},
    .buffers = 1u << RB_DST,
    .initially = initially,
    .finally = finally,
    .bound_rounds = rb_bound_pipeline,
    .bound_moves = rb_bound_to_root,
    .bound_busiest = rb_bound_others,
};
