/* reduce.c - reduction: the root ends up with the combination of all ranks' blocks. One buffer,
 * DST, which holds a rank's contribution at the start and is accumulated in; at other ranks than
 * the root its content is lost.
 *
 * Bounds, one port: a reduction read backwards is a broadcast, so n - 1 + ceil(log2 p) rounds and
 * n (p - 1) moves (Traeff 2024, Section 2). */
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
    return rank == plan->root && buffer == RB_DST ? rb_plan_datum(plan, owner, index) : RB_NOTHING;
}

const struct rb_collective rb_reduce = {
    .info = {.name = "reduce",
             .title = "the root gets the combination of all ranks' data (MPI_Reduce)",
             .rooted = true,
             .reducing = true},
    .buffers = 1u << RB_DST,
    .initially = initially,
    .finally = finally,
    .bound_rounds = rb_bound_pipeline,
    .bound_moves = rb_bound_each_once,
    .bound_busiest = rb_bound_whole,
};
