/* allreduce.c - every rank ends up with the combination of all ranks' blocks. One buffer, DST,
 * which holds a rank's contribution at the start and is accumulated in (MPI_IN_PLACE). The data are
 * one vector, named after rank 0.
 *
 * Bounds, one port: what ends at one rank is a reduction, so n - 1 + ceil(log2 p) rounds; each rank
 * sends and receives 2 (p - 1)/p of the vector at least when the work is shared evenly (Chan et al.
 * 2007), 2 (p - 1) times the vector over all ranks. */
#include "schedules/plan/plan.h"

static int64_t bound_moves(const struct rb_plan *plan)
{
    int64_t moves;
    return __builtin_mul_overflow(rb_bound_each_once(plan), INT64_C(2), &moves) ? INT64_MAX : moves;
}

const struct rb_collective rb_allreduce = {
    .info = {.name = "allreduce",
             .title = "every rank gets the combination of all ranks' data (MPI_Allreduce)",
             .reducing = true},
    .buffers = 1u << RB_DST,
    .precondition = rb_dst_of_all,
    .postcondition = rb_dst_of_all,
    .bound_rounds = rb_bound_pipeline,
    .bound_moves = bound_moves,
    .bound_busiest = rb_bound_whole,
};
