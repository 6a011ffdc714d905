/* scan.c - inclusive prefix combination: rank r ends up with the combination of the blocks of ranks
 * 0 .. r, in this order. One buffer, DST, which holds a rank's contribution at the start and is
 * accumulated in (MPI_IN_PLACE). The data are one vector, named after rank 0.
 *
 * Bounds, one port: what ends at rank p - 1 is a reduction, so n - 1 + ceil(log2 p) rounds; each
 * rank but rank 0 has to receive each block once, combined or not. */
#include "schedules/plan/plan.h"

static void contributors(const struct rb_plan *plan, int32_t rank, int32_t *first, int32_t *end)
{
    (void)plan;
    *first = 0;
    *end = rank + 1;
}

const struct rb_collective rb_scan = {
    .info = {.name = "scan",
             .title = "every rank gets the combination of the data up to its own (MPI_Scan)",
             .reducing = true},
    .buffers = 1u << RB_DST,
    .precondition = rb_dst_of_all,
    .postcondition = rb_dst_of_all,
    .contributors = contributors,
    .bound_rounds = rb_bound_pipeline,
    .bound_moves = rb_bound_each_once,
    .bound_busiest = rb_bound_whole,
};
