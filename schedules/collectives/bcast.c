/* bcast.c - broadcast: the root's blocks end up at every rank. One buffer, DST, as in MPI_Bcast.
 *
 * Bounds, one port, full duplex: the last block leaves the root in round n - 1 at the earliest and
 * the ranks that have it at most double in each round, so n - 1 + ceil(log2 p) rounds (Bar-Noy and
 * Kipnis 1994; Traeff 2024, Section 1); each of the p - 1 other ranks receives each block once. */
#include "schedules/plan/plan.h"

static int64_t initially(const struct rb_plan *plan, int32_t rank, enum rb_buffer buffer,
                         int32_t owner, int64_t index)
{
    return rank == plan->root && buffer == RB_DST ? rb_plan_datum(plan, owner, index) : RB_NOTHING;
}

static int64_t finally(const struct rb_plan *plan, int32_t rank, enum rb_buffer buffer,
                       int32_t owner, int64_t index)
{
    (void)rank;
    return buffer == RB_DST ? rb_plan_datum(plan, owner, index) : RB_NOTHING;
}

const struct rb_collective rb_bcast = {
    .info = {.name = "bcast",
             .title = "every rank gets the root's data (MPI_Bcast)",
             .rooted = true},
    .buffers = 1u << RB_DST,
    .initially = initially,
    .finally = finally,
    .bound_rounds = rb_bound_pipeline,
    .bound_moves = rb_bound_each_once,
    .bound_busiest = rb_bound_whole,
};
