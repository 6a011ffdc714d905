/* allgather.c - all-broadcast: every rank ends up with all ranks' blocks. One buffer, DST, in which
 * a rank's own data lie in their place at the start (MPI_IN_PLACE).
 *
 * Bounds, one port: a message may carry one block of each owner, so the bound of a broadcast holds
 * for every owner: n - 1 + ceil(log2 p) rounds (Traeff 2024, Section 2); each rank receives the
 * n (p - 1) blocks of the others. */
#include "schedules/plan/plan.h"

static int64_t initially(const struct rb_plan *plan, int32_t rank, enum rb_buffer buffer,
                         int32_t owner, int64_t index)
{
    return rank == owner && buffer == RB_DST ? rb_plan_datum(plan, owner, index) : RB_NOTHING;
}

static int64_t finally(const struct rb_plan *plan, int32_t rank, enum rb_buffer buffer,
                       int32_t owner, int64_t index)
{
    (void)rank;
    return buffer == RB_DST ? rb_plan_datum(plan, owner, index) : RB_NOTHING;
}

const struct rb_collective rb_allgather = {
    .info = {.name = "allgather",
             .title = "every rank gets all ranks' data (MPI_Allgather, MPI_Allgatherv)",
             .parted = true},
    .buffers = 1u << RB_DST,
    .initially = initially,
    .finally = finally,
    .bound_rounds = rb_bound_pipeline,
    .bound_moves = rb_bound_each_once,
    .bound_busiest = rb_bound_others,
};
