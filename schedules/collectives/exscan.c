/* exscan.c - exclusive prefix combination: rank r ends up with the combination of the blocks of
 * ranks 0 .. r - 1, in this order; rank 0 with nothing. Two buffers: SRC holds a rank's
 * contribution at the start, and may be spoilt; the result is formed in DST. The data are one
 * vector, named after rank 0.
 *
 * Bounds, one port: what rank p - 1 must have depends on all others, as in a reduction, so
 * n - 1 + ceil(log2 p) rounds; each rank but rank 0 has to receive each block once, combined or
 * not. */
#include "schedules/plan/plan.h"

static int64_t postcondition(const struct rb_plan *plan, int32_t rank, enum rb_buffer buffer,
                             int32_t owner, int64_t index)
{
    return buffer == RB_DST && rank > 0 ? rb_plan_datum(plan, owner, index) : RB_NOTHING;
}

static void contributors(const struct rb_plan *plan, int32_t rank, int32_t *first, int32_t *end)
{
    (void)plan;
    *first = 0;
    *end = rank;
}

const struct rb_collective rb_exscan = {
    .info = {.name = "exscan",
             .title = "every rank gets the combination of the data of all lower ranks (MPI_Exscan)",
             .reducing = true},
    .buffers = 1u << RB_SRC | 1u << RB_DST,
    .precondition = rb_src_of_all,
    .postcondition = postcondition,
    .contributors = contributors,
    .bound_rounds = rb_bound_pipeline,
    .bound_moves = rb_bound_each_once,
    .bound_busiest = rb_bound_whole,
};
